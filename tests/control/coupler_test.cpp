// The virtual coupler and its design, against closed forms and against the running loop.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_at_port.h>
#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

std::unique_ptr<simulate::Mechanism> sliding_mass(double step) {
  return contact::open(describe::load_text(R"(
name: mass
gravity: [0, 0, 0]
bodies: {block: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x}}
)",
                                           "mass.yaml"),
                       {.step = step});
}

// A mass held by a coupler at a handle that stands still: the wrench is held over a tick, so a tick is
//   (x, v)' = [1 - K T^2/2m, T - B T^2/2m; -K T/m, 1 - B T/m] (x, v).
TEST(Coupler, HoldsAMassThatSwingsAsTheSampledSpringSays) {
  constexpr double T = 1e-3, m = 2.0, K = 800.0, B = 4.0;
  const auto mass = sliding_mass(T);
  const int port = mass->port("block");
  const Coupler coupler{{{0.0, K}, {0.0, B}}};
  CouplerMemory memory;
  device::Sample sample;
  coupler.engage(memory, sample, mass->motion(port));
  sample.X_WH.p.x = 0.05;  // the handle steps away, and stays
  double e = 0.05, v = 0.0;
  constexpr double kRounding = 1e-13;  // a thousand ticks, numbers of size 0.1
  int crossings = 0;
  for (int k = 0; k < 1000; ++k) {
    const double before = mass->motion(port).X_WP.p.x - 0.05;
    const simulate::PortWrench F{port, coupler.wrench(memory, sample, mass->motion(port))};
    EXPECT_NEAR(F.wrench[3], K * e - B * v, 1e-9);
    ASSERT_TRUE(mass->step({.tau = {}, .ports = {&F, 1}, .wrench = {}}).ok());
    const double a = (K * e - B * v) / m;
    e -= T * v + 0.5 * T * T * a;
    v += T * a;
    ASSERT_NEAR(mass->motion(port).X_WP.p.x, 0.05 - e, kRounding);
    crossings += (mass->motion(port).X_WP.p.x - 0.05) * before < 0.0;
  }
  // w = sqrt(K/m - (B/2m)^2) = 19.97 rad/s: six half turns and a bit in a second.
  EXPECT_EQ(crossings, 6);
  EXPECT_LT(std::abs(e),
            0.05 * std::exp(-B / (2.0 * m) * 1.0 * 0.75));  // sampling takes a little of the decay
}

TEST(Coupler, BeginsWithoutForceWhereverHandleAndPortAre) {
  const Coupler coupler{{{3.0, 500.0}, {0.1, 2.0}}};
  CouplerMemory memory;
  device::Sample sample;
  sample.X_WH = {math::rotation_of(math::exponential({0.3, -0.2, 0.9})), {0.1, 0.2, 0.3}};
  simulate::PortMotion port;
  port.X_WP = {math::rotation_of(math::exponential({-1.0, 0.4, 0.1})), {-3.0, 1.0, 2.0}};
  EXPECT_EQ(coupler.wrench(memory, sample, port), Vector6{});  // not engaged
  coupler.engage(memory, sample, port);
  for (const double f : coupler.wrench(memory, sample, port)) EXPECT_NEAR(f, 0.0, 1e-12);
}

// The wrench is the gradient of what the springs store, also for large turns: moving the handle by V dt changes it by F.V dt.
TEST(Coupler, ItsWrenchIsTheChangeOfItsEnergy) {
  device::Random random(3);
  const auto vector = [&](double size) {
    return math::Vec3<double>{size * (random.uniform() - 0.5), size * (random.uniform() - 0.5),
                              size * (random.uniform() - 0.5)};
  };
  const Coupler coupler{{{3.0, 500.0}, {0.0, 0.0}}};
  constexpr double kStep = 1e-6, kSecondOrder = 1e-5;  // central differences of energies of some joules
  for (int i = 0; i < 200; ++i) {
    CouplerMemory memory;
    device::Sample at;
    simulate::PortMotion port;
    coupler.engage(memory, at, port);
    port.X_WP = {math::rotation_of(math::exponential(vector(2.0))), vector(0.2)};
    const auto w = vector(1.0), v = vector(1.0);
    const auto stored = [&](double dt) {
      device::Sample moved = at;
      moved.X_WH.R = math::rotation_of(math::exponential(dt * w)) * at.X_WH.R;
      moved.X_WH.p = at.X_WH.p + dt * v;
      coupler.wrench(memory, moved, port);
      return memory.stored;
    };
    const double change = (stored(kStep) - stored(-kStep)) / (2.0 * kStep);
    const Vector6 F = coupler.wrench(memory, at, port);
    const double power = F[0] * w.x + F[1] * w.y + F[2] * w.z + F[3] * v.x + F[4] * v.y + F[5] * v.z;
    EXPECT_NEAR(change, power, kSecondOrder) << i;
  }
}

// A device that turns about z alone, and a port that tilts, on a closed way of orientations: what goes in at both ends is what the spring holds. There and back again nothing is left of it, and round after
// round no more is to be had than was put in. The z component of the rotation vector fails both, by joules.
TEST(Coupler, AClosedWayOfOrientationsDoesNoWorkWhereTheDeviceTurnsAboutOneAxis) {
  constexpr int kSteps = 20000;
  constexpr double kTurn = 6.28318530717958647692;
  constexpr double kRule = 1e-7;  // [J] by the rule of the trapezium, in steps of 0.3 mrad
  for (const int some : {0b000100, 0b000011}) {
    const Coupler coupler{{{3.0, 0.0}, {0.0, 0.0}}, static_cast<std::uint8_t>(some)};
    CouplerMemory memory;
    device::Sample sample;
    simulate::PortMotion port;
    // Once round for u from 0 to 1, by way of a tilt of more than half a turn.
    const auto put = [&](double u) {
      const double a = kTurn * u;
      port.X_WP.R = math::rotation_of(math::exponential({2.4 * std::sin(a), 0, 0})) *
                    math::rotation_of(math::exponential({0, 1.9 * (1.0 - std::cos(a)), 0})) *
                    math::rotation_of(math::exponential({0, 0, 0.8 * std::sin(2.0 * a)}));
      sample.X_WH.R = math::rotation_of(math::exponential({0, 0, 0.4 * std::sin(a)}));
    };
    put(0.0);
    coupler.engage(memory, sample, port);
    double work = 0.0, most = 0.0;  // into the spring
    const auto go = [&](double from, double to) {
      for (int k = 1; k <= kSteps; ++k) {
        const Vector6 F = coupler.wrench(memory, sample, port);
        const math::Mat3<double> R_H = sample.X_WH.R, R_P = port.X_WP.R;
        put(from + (to - from) * k / kSteps);
        const Vector6 G = coupler.wrench(memory, sample, port);
        const math::Vec3<double> turned = math::rotation_vector(sample.X_WH.R * R_H.transposed()) -
                                          math::rotation_vector(port.X_WP.R * R_P.transposed());
        for (std::size_t i = 0; i < 3; ++i) work += 0.5 * (F[i] + G[i]) * turned[i];
        most = support::larger(most, memory.stored);
      }
    };
    for (int round = 1; round <= 3; ++round) {
      go(0.0, 1.0);
      ASSERT_NEAR(work, memory.stored, kRule) << round;
    }
    EXPECT_GT(most, 1.0);
    for (int round = 1; round <= 3; ++round) go(1.0, 0.0);
    EXPECT_NEAR(work, 0.0, kRule);
    EXPECT_NEAR(memory.stored, 0.0, kRule);
  }
}

// Where nothing tilts it is the angle, beyond half a turn and a whole one, too.
TEST(Coupler, CountsTheTurnsOfADeviceThatTurnsAboutOneAxis) {
  const Coupler coupler{{{2.0, 0.0}, {0.0, 0.0}}, device::kPlanar};
  CouplerMemory memory;
  device::Sample sample;
  simulate::PortMotion port;
  coupler.engage(memory, sample, port);
  constexpr double kRounding = 1e-12;
  for (int k = 1; k <= 1000; ++k) {
    const double handle = 0.01 * k, turned = -0.003 * k;
    sample.X_WH.R = math::rotation_of(math::exponential({0, 0, handle}));
    port.X_WP.R = math::rotation_of(math::exponential({0, 0, turned}));
    const Vector6 F = coupler.wrench(memory, sample, port);
    ASSERT_NEAR(F[2], 2.0 * (handle - turned), kRounding) << k;
    ASSERT_EQ(F[0], 0.0);
  }
  // What slips comes back.
  coupler.slip(memory, sample, port, {0.5, 0.0});
  EXPECT_NEAR(coupler.wrench(memory, sample, port)[2], 0.5, kRounding);
  for (int k = 0; k < 100; ++k) coupler.creep(memory, sample, port, 0.5, 1e9);
  EXPECT_NEAR(coupler.wrench(memory, sample, port)[2], 26.0, 1e-7);
}

TEST(Coupler, LeavesAxesAloneThatTheDeviceDoesNotHave) {
  const Coupler coupler{{{3.0, 500.0}, {0.1, 2.0}}, device::kPlanar};
  CouplerMemory memory;
  device::Sample sample;
  simulate::PortMotion port;
  coupler.engage(memory, sample, port);
  port.X_WP.p = {0.1, 0.1, 0.1};
  port.V_WP = {1, 1, 1, 1, 1, 1};
  const Vector6 F = coupler.wrench(memory, sample, port);
  for (const std::size_t i : {0u, 1u, 5u}) EXPECT_EQ(F[i], 0.0);
  for (const std::size_t i : {2u, 3u, 4u}) EXPECT_LT(F[i], 0.0);
}

TEST(CouplerDesign, TheRequiredDampingHasItsClosedForms) {
  SampledLoop loop;
  constexpr double kScan = 1e-4;  // of the value: the scan begins at pi/720
  EXPECT_NEAR(required_damping(loop, 3000.0, 0.5), 3000.0 * 0.5e-3 + 0.5, kScan * 2.0);  // K T/2 + B
  for (const int d : {0, 1, 4}) {
    loop.delay = d;
    EXPECT_NEAR(required_damping(loop, 1000.0, 0.0), 1000.0 * (0.5e-3 + d * 1e-3), 1e-3 * (0.5 + d)) << d;
  }
}

/// A wall of stiffness K, without damping: x' = (1 - g K) x + T f v, v' = a v - h K x. Its product of eigenvalues is 1 at the
/// border.
double wall_border(const SampledLoop& loop) {
  const double T = loop.period, m = loop.device_mass, b = loop.device_damping;
  const double a = std::exp(-b * T / m), f = (1.0 - a) * m / (b * T), h = (1.0 - a) / b,
               g = T * (1.0 - f) / b;
  return (1.0 - a) / (T * f * h - g * a);
}

TEST(CouplerDesign, TheStabilityOfAWallEndsWhereItsPolynomialSays) {
  const SampledLoop loop{
      .period = 1e-3, .delay = 0, .velocity_pole = 0.0, .device_mass = 0.2, .device_damping = 1.5};
  const double border = wall_border(loop);
  EXPECT_GT(border, 2.0 * 1.5 / 1e-3);  // passive is less than stable
  EXPECT_LT(spectral_radius(loop, 0.999 * border, 0.0), 1.0);
  EXPECT_GT(spectral_radius(loop, 1.001 * border, 0.0), 1.0);
}

/// How fast the handle's swing grows in front of a wall of stiffness K: the logarithm, for a tick.
double growth(double K, double B, const device::Specification& s) {
  device::SimulatedImpedance device(s, device::none());
  device.set_handle({.p = {}, .orientation = {}, .V = {0, 0, 0, 0.1, 0, 0}});
  device.enable();
  const Coupler coupler{{{0.0, K}, {0.0, B}}};
  CouplerMemory memory;
  device::Sample sample;
  const simulate::PortMotion wall;
  constexpr int kApart = 8000, kWindow = 1000;  // [ticks] some twenty swings in a window
  double early = 0.0, later = 0.0;
  for (int k = 0; k < kApart + 2 * kWindow; ++k) {
    device.wait();
    device.read(sample);
    if (k == 0) coupler.engage(memory, sample, wall);
    Vector6 F = coupler.wrench(memory, sample, wall);
    for (double& f : F) f = -f;
    device.command({.wrench = F, .X_WH = {}});
    const double x = std::abs(device.handle().p.x);
    if (k >= kWindow && k < 2 * kWindow) early = support::larger(early, x);
    if (k >= kApart + kWindow) later = support::larger(later, x);
  }
  return std::log(later / early) / kApart;
}

TEST(CouplerDesign, TheRunningLoopAgreesWithTheEigenvalues) {
  for (const int delay : {0, 2}) {
    device::Specification s;
    s.inertia = {1e-3, 0.2};
    s.damping = {1e-3, 1.5};
    s.latency = delay * 1e-3;
    s.velocity_bandwidth = 628.0;
    for (const double B : {0.0, 0.5}) {
      const SampledLoop loop = loop_of(s, 1, std::numeric_limits<double>::infinity());
      double low = 1.0, high = 1e5;  // [N/m] bisection for the border by eigenvalues
      for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        (spectral_radius(loop, middle, B) < 1.0 ? low : high) = middle;
      }
      for (const double part : {0.9, 0.97, 1.03, 1.1}) {
        const double expected = std::log(spectral_radius(loop, part * low, B));
        EXPECT_EQ(expected > 0.0, part > 1.0);
        // The largest reading of a window is a peak of the swing to within 1 %.
        EXPECT_NEAR(growth(part * low, B, s), expected, 0.02 / 8000)
            << "delay " << delay << ", B " << B << ", " << part << " of the border";
      }
    }
  }
}

TEST(CouplerDesign, DesignedGainsArePassiveAndStableForEveryDevice) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    for (const double mass : {1e-3, 0.05, 1.0, 100.0}) {
      const CouplerGains gains = design(s, {1e-3 * mass, mass});
      for (std::size_t k = 0; k < 2; ++k) {
        const double inertia = k == 0 ? 1e-3 * mass : mass;
        if ((s.actuated >> (3 * k) & 0b111) == 0) {
          EXPECT_EQ(gains.stiffness[k], 0.0) << s.name;
          continue;
        }
        EXPECT_GT(gains.stiffness[k], 0.0) << s.name;
        EXPECT_LE(required_damping(loop_of(s, k, inertia), gains.stiffness[k], gains.damping[k]),
                  s.damping[k] * (1 + 1e-9))
            << s.name;
        EXPECT_LT(spectral_radius(loop_of(s, k, inertia), gains.stiffness[k], gains.damping[k]), 1.0)
            << s.name << " " << mass;
      }
      EXPECT_LE(gains.stiffness[1], 0.5 * device::largest_stiffness(s));
    }
  }
}

// Two rates: a wall that is seen so many periods late, whatever they are.
TEST(CouplerDesign, IsAsSoftAsTheAgeOfWhatItKnowsAsks) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance || (s.actuated & device::kTranslation) == 0) continue;
    for (const int age : {1, 2, 33, 300}) {
      const CouplerGains gains = design(s, {1.0, 3.0}, 0.5, age);
      const double late = 0.5 / s.rate + s.latency + age / s.rate;
      EXPECT_GT(gains.stiffness[1], 0.0) << s.name << age;
      EXPECT_LE(gains.stiffness[1], 0.5 * s.damping[1] / late * (1.0 + 1e-12)) << s.name << age;
      EXPECT_TRUE(is_passive(s, gains, 1, age)) << s.name << age;
      // Of the longest ages the eigenvalues ask for less than the passive half.
      CouplerGains more = gains;
      more.stiffness[1] *= age < 100 ? 3.0 : 9.0;
      EXPECT_FALSE(is_passive(s, more, 1, age)) << s.name << age;
    }
    EXPECT_EQ(design(s, {1.0, 3.0}, 0.5, 0).stiffness, design(s, {1.0, 3.0}, 0.5).stiffness);
  }
}

// A point on a light rod that turns about a pivot: both springs pull at the same joint, w^2 = (K r^2 + K_r)/I.
TEST(CouplerDesign, TakesRotationAndTranslationOfAPortTogether) {
  constexpr double r = 0.1, I = 1e-5;  // [m], [kg m^2]
  std::array<double, 36> L{};
  const std::array<double, 6> J{0, 0, 1.0, 0, r, 0};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) L[6 * i + j] = J[i] * J[j] / I;
  device::Specification s;
  for (const device::Specification& one : device::devices())
    if (one.name == "simulated:planar") s = one;
  const CouplerGains given{{8.0, 4000.0}, {0.005, 2.0}};
  const auto [w2, beta] = fastest_mode(s, given, L);
  EXPECT_NEAR(w2, (4000.0 * r * r + 8.0) / I, 1e-9 * w2);
  EXPECT_NEAR(beta, (2.0 * r * r + 0.005) / I, 1e-9 * beta);
  const CouplerGains soft = softened(s, given, L);
  EXPECT_LT(soft.stiffness[1], given.stiffness[1]);
  EXPECT_NEAR(soft.stiffness[0] / soft.stiffness[1], given.stiffness[0] / given.stiffness[1], 1e-12);
  // The explicit spring alone bears (w T)^2 < 4; with four times the mobility and half as much again there is room.
  EXPECT_LT(6.0 * fastest_mode(s, soft, L)[0] / (s.rate * s.rate), 4.0);
  // A heavy port needs nothing of it.
  for (double& l : L) l *= 1e-5;
  EXPECT_EQ(softened(s, given, L).stiffness, given.stiffness);
}

TEST(CouplerDesign, SaysWhatIsPassive) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    CouplerGains gains = design(s, {1.0, 1.0}, 0.9);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_TRUE(is_passive(s, gains, k)) << s.name << k;
    const std::size_t k = (s.actuated & device::kTranslation) != 0 ? 1 : 0;
    gains.stiffness[k] = 1e12;
    EXPECT_FALSE(is_passive(s, gains, k)) << s.name;
  }
}

// A mass without damping, with and without an estimate of velocity that lags: stable in front of a wall and of masses, and it dies out.
TEST(CouplerDesign, AMassWithoutDampingGetsACouplerThatIsStable) {
  device::Specification s;
  s.inertia = {1e-3, 0.2};
  for (const double bandwidth : {0.0, 628.0})
    for (const double port : {0.01, 1.0, 100.0})
      for (const double share : {0.1, 0.5, 0.9}) {
        s.velocity_bandwidth = bandwidth;
        const CouplerGains gains = design_by_mass(s, {port, port}, share);
        for (std::size_t k = 0; k < 2; ++k) {
          ASSERT_GT(gains.stiffness[k], 0.0) << bandwidth << " " << port << " " << share;
          const SampledLoop wall = loop_of(s, k, std::numeric_limits<double>::infinity());
          EXPECT_LT(spectral_radius(wall, gains.stiffness[k], gains.damping[k]), 1.0);
          EXPECT_LE(spectral_radius(loop_of(s, k, port), gains.stiffness[k], gains.damping[k]), 1.0 + 1e-9);
        }
      }
  s.inertia = {};
  EXPECT_EQ(design_by_mass(s, {1.0, 1.0}).stiffness[1], 0.0);
}

// With exact velocities and nothing taken out of an error the eigenvalue is 1 - c (1 + m/m_d).
TEST(PrescribedDesign, LeavesTheUnitCircleWhereTheClosedFormSays) {
  SampledLoop loop;
  loop.device_mass = 0.5;
  loop.port_mass = 20.0;
  const double border = 2.0 / (1.0 + loop.port_mass / loop.device_mass);  // of c
  // A velocity that is a difference of readings is half a period later than the closed form has it: the border is no further out.
  const auto radius = [&](double c) {
    return spectral_radius(loop,
                           PrescribedGains{.drift_rate = 0.0, .bandwidth = -std::log(1.0 - c) / loop.period});
  };
  EXPECT_LE(radius(0.4 * border), 1.0 + 1e-7);
  EXPECT_GT(radius(1.1 * border), 1.0 + 1e-3);
}

TEST(PrescribedDesign, SlowsDownAsFarAsTheMassesAsk) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance || (s.actuated & device::kTranslation) == 0) continue;
    double before = 201.0;
    for (const double ratio : {0.1, 2.0, 40.0, 300.0}) {
      const PrescribedGains gains = design_prescribed(s, ratio, 1 << 3);
      EXPECT_LE(gains.bandwidth, before) << s.name << ratio;
      EXPECT_LE(spectral_radius(loop_of(s, 1, 2.0 * ratio * s.inertia[1]), gains), 1.0 + 1e-9) << s.name;
      // What it bears it bears, and not much more.
      EXPECT_GE(gains.heaviest, 2.0 * ratio) << s.name;
      EXPECT_LE(spectral_radius(loop_of(s, 1, gains.heaviest * s.inertia[1]), gains), 1.0 + 1e-9) << s.name;
      EXPECT_GT(spectral_radius(loop_of(s, 1, 1.1 * gains.heaviest * s.inertia[1]), gains), 1.0 + 1e-9)
          << s.name;
      before = gains.bandwidth;
    }
    EXPECT_EQ(design_prescribed(s, 0.1, 1 << 3).bandwidth, PrescribedGains{}.bandwidth) << s.name;
  }
}

// The port's mass is 1/L along each axis: 2 kg and 6 kg before a device of 0.5 kg.
TEST(PrescribedDesign, FindsTheHeaviestDirection) {
  Matrix6 L{}, M{};
  for (std::size_t i = 0; i < 6; ++i) M[7 * i] = 0.5;
  L[7 * 3] = 1.0 / 2.0;
  L[7 * 4] = 1.0 / 6.0;
  EXPECT_NEAR(heaviest_ratio(L, M, 0b011000), 12.0, 1e-12);
  EXPECT_NEAR(heaviest_ratio(L, M, 0b001000), 4.0, 1e-12);
  EXPECT_TRUE(std::isinf(heaviest_ratio(L, M, 0b111000)));
  const std::vector<double> all = mass_ratios(L, M, 0b111000);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0], 4.0, 1e-12);
  EXPECT_NEAR(all[1], 12.0, 1e-12);
}

}  // namespace
}  // namespace tactus::control
