// The cobotic hand controller: its drive without and with its motor, and what it renders.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/device/cobot_drive.h>
#include <tactus/device/simulated_cobot.h>
#include <tactus/device/task_servo.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::device {
namespace {

constexpr double kPi = std::numbers::pi;

// [Faulring2006, footnote 5]: 6 kg at 90 degrees, 11 kg at 45, infinite at 0, and 7.2 N to drive it back.
TEST(Cobot, WithTheDriveOffItIsAsHeavyAsItsWheelsAreSteered) {
  const double push = 10.0, friction = 7.2;  // [N]
  for (const double phi : {0.1, 0.3, kPi / 4, 1.0, 1.4, kPi / 2 - 1e-4}) {
    CobotDrive drive;
    drive.steer({0, 0, 0, std::tan(phi), 0, 0}, 0.0);
    const double h = 0.1, mass = 6.0 + 5.0 / std::pow(std::tan(phi), 2);
    const Vector6 way = drive.coast({0, 0, 0, push, 0, 0}, h);
    EXPECT_NEAR(drive.V()[3] / h, (push - friction) / mass, 1e-12) << phi;
    EXPECT_NEAR(way[3], 0.5 * (push - friction) / mass * h * h, 1e-13) << phi;
    if (phi == kPi / 4) {
      EXPECT_NEAR(drive.V()[3] / h, 2.8 / 11.0, 1e-6);
    }
    // Below its friction it stands.
    drive.steer({0, 0, 0, std::tan(phi), 0, 0}, 0.0);
    EXPECT_EQ(drive.coast({0, 0, 0, 7.0, 0, 0}, h)[3], 0.0);
  }
  CobotDrive locked;
  locked.steer({}, 0.0);
  EXPECT_EQ(locked.coast({1, 1, 1, 1e3, 1e3, 1e3}, 1.0), Vector6{});
}

Specification bare_cobot() {
  Specification s;
  s.name = "cobot";
  s.kind = Kind::admittance;
  return s;
}

// The same as a device that is off, by what it tells: wheels at 45 degrees, a constant push from rest.
TEST(Cobot, AsADeviceThatIsOffItCoastsAsItsWheelsAreSteered) {
  for (const double push : {10.0, 7.0}) {
    CobotOptions options;
    options.off = CobotOptions::Off::coasting;
    options.steered = {0, 0, 0, 1.0, 0, 0};
    SimulatedCobot cobot(bare_cobot(), constant({0, 0, 0, push, 0, 0}), options);
    Sample sample;
    for (int k = 0; k <= 500; ++k) {
      ASSERT_TRUE(cobot.wait() && cobot.read(sample));
      EXPECT_FALSE(cobot.command({.wrench = {}, .X_WH = sample.X_WH, .V_WH = {0, 0, 0, 0.1, 0, 0}}));
    }
    const double t = 0.5, a = push > 7.2 ? (push - 7.2) / 11.0 : 0.0;
    EXPECT_DOUBLE_EQ(sample.t, t);
    EXPECT_NEAR(2.0 * sample.X_WH.p.x / (t * t), a, 1e-6);
    EXPECT_NEAR(sample.V_WH[3], a * (t - 0.5e-3), 1e-9);  // the difference of two readings
    EXPECT_NEAR(cobot.hand_work(), push * sample.X_WH.p.x, 1e-12);
    if (push > 7.2) {
      EXPECT_NEAR(a, 0.2545, 5e-5);
    }
  }
}

// What it does when it is switched off in motion: the wheels stay, friction stops it, and a hand that pushes
// on works against 7.2 N; locked ones stand at once.
TEST(Cobot, SwitchedOffInMotionItComesToRestAndGivesNothing) {
  for (const auto off : {CobotOptions::Off::coasting, CobotOptions::Off::locked}) {
    CobotOptions options;
    options.off = off;
    Specification s = bare_cobot();
    s.workspace = {0.05, 0.05, 0.05};
    SimulatedCobot cobot(s, none(), options);
    ASSERT_TRUE(cobot.enable());
    Sample sample;
    for (int k = 0; k < 200; ++k) {
      ASSERT_TRUE(cobot.wait() && cobot.read(sample));
      Command command;
      command.X_WH.p.x = 0.1 * 1e-3 * (k + 1);
      command.V_WH[3] = 0.1;
      ASSERT_TRUE(cobot.command(command));
    }
    cobot.disable();
    const double from = cobot.handle().p.x, v = cobot.handle().V[3];
    for (int k = 0; k < 3000; ++k) ASSERT_TRUE(cobot.wait() && cobot.read(sample));
    const double way = cobot.handle().p.x - from;
    if (off == CobotOptions::Off::locked) {
      EXPECT_EQ(way, 0.0);
      continue;
    }
    // Along the way m v dv = -f_c dx, m by how the wheel is steered.
    const double tangent = cobot.drive().tangents()[3], mass = 6.0 + 5.0 / (tangent * tangent);
    EXPECT_GT(v, 0.05);
    EXPECT_NEAR(way, std::min(0.5 * mass * v * v / 7.2, 0.05 - from), 1e-9);
    EXPECT_EQ(cobot.handle().V[3], 0.0);
  }
}

// At the end of its workspace it stands, and gets no more work.
TEST(Cobot, CoastingItStopsAtTheEndOfItsWorkspace) {
  CobotOptions options;
  options.off = CobotOptions::Off::coasting;
  options.steered = {0, 0, 0, 1.0, -0.5, 0};
  Specification s = bare_cobot();
  s.workspace = {0.1, 0.1, 0.1};
  SimulatedCobot cobot(s, constant({0, 0, 0, 20, -20, 0}), options);
  for (int k = 0; k < 5000; ++k) ASSERT_TRUE(cobot.wait());
  EXPECT_NEAR(cobot.handle().p.x, 0.1, 1e-15);
  EXPECT_NEAR(cobot.handle().p.y, -0.05, 1e-12);
  EXPECT_NEAR(cobot.hand_work(), 20.0 * 0.1 + 20.0 * 0.05, 1e-9);
}

// One freedom for all axes: the way is along the tangents, whatever the push, and its work is the drum's and the axes' energy and friction.
TEST(Cobot, WithTheDriveOffItsAxesMoveTogether) {
  CobotDrive drive;
  const Vector6 tangents{0.2, 0.0, -0.1, 0.5, -1.0, 2.0}, F{0.1, 0.3, -0.2, 12.0, -9.0, 25.0};
  drive.steer(tangents, 0.0);
  const double h = 0.2, l = drive.options().length;
  const Vector6 way = drive.coast(F, h);
  double work = 0.0, kinetic = 0.5 * drive.options().drum_mass * std::pow(drive.drum(), 2), burnt = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double length = i < 3 ? l : 1.0, along = length * way[i];
    EXPECT_NEAR(along * tangents[5], way[5] * tangents[i], 1e-12);
    work += F[i] * way[i];
    kinetic += 0.5 * drive.options().axis_mass * std::pow(length * drive.V()[i], 2);
    burnt += drive.options().friction * std::abs(along);
  }
  EXPECT_GT(work, 1e-3);
  EXPECT_NEAR(work, kinetic + burnt, 1e-12);
}

/// Turned about z by 30 degrees, and a joint for z that goes twice as far.
CobotDriveOptions turned_joints() {
  CobotDriveOptions options;
  const double c = std::cos(kPi / 6), s = std::sin(kPi / 6);
  for (const std::size_t at : {0u, 3u}) {
    options.jacobian[6 * at + at] = options.jacobian[6 * (at + 1) + at + 1] = c;
    options.jacobian[6 * at + at + 1] = s;
    options.jacobian[6 * (at + 1) + at] = -s;
  }
  options.jacobian[14] = 1.0;
  options.jacobian[35] = 2.0;
  return options;
}

// Joints that are turned against the task: drive on, what is linear and the same for all joints does not see
// it, and a joint that goes twice as far creeps as four times the mass. Drive off, the one freedom is along
// J^-1 tan phi, with the same mass.
TEST(Cobot, AJacobianStandsBetweenTheTaskAndItsJoints) {
  CobotDriveOptions heavy;
  heavy.leak_mass *= 4.0;
  CobotDrive plain, turned(turned_joints()), z(heavy);
  const Vector6 a{0.3, -0.2, 0.1, 0.5, 0.4, 0.1}, F{0.05, 0.02, -0.1, 3.0, -2.0, 4.0};
  for (int k = 0; k < 40; ++k) {
    const Vector6 one = plain.follow(a, F, 1e-3), other = turned.follow(a, F, 1e-3);
    for (const std::size_t i : {0u, 1u, 2u, 3u, 4u}) {
      EXPECT_NEAR(one[i], other[i], 1e-15) << k << " " << i;
      EXPECT_NEAR(plain.V()[i], turned.V()[i], 1e-13);
    }
    EXPECT_NEAR(z.follow(a, F, 1e-3)[5], other[5], 1e-15);
  }
  const double tangent = 0.5, push = 30.0, h = 0.1, mass = 6.0 + 5.0 / (tangent * tangent);
  turned.steer({0, 0, 0, tangent, 0, 0}, 0.0);
  const Vector6 way = turned.coast({0, 0, 0, push, 0, 0}, h);
  // Along the joint: (cos 30, sin 30, 0), of which the push has its share.
  const double along = 0.5 * (push * std::cos(kPi / 6) - 7.2) / mass * h * h;
  EXPECT_NEAR(way[3], along * std::cos(kPi / 6), 1e-14);
  EXPECT_NEAR(way[4], along * std::sin(kPi / 6), 1e-14);
  EXPECT_NEAR(way[5], 0.0, 1e-16);
  EXPECT_NEAR(turned.direction()[3], tangent * std::cos(kPi / 6), 1e-15);
  CobotDriveOptions flat;
  flat.jacobian[0] = 1.0;
  EXPECT_THROW(CobotDrive{flat}, InputError);
  // A hand on it is borne by the lightest of its directions, and by no heavier one.
  EXPECT_NEAR(plain.most_mobility(11.0)[1], 1.0 / 11.0, 1e-15);
  const double turned_bound = turned.most_mobility(11.0)[1];
  EXPECT_GE(turned_bound, 1.0 / 11.0 - 1e-15);
  EXPECT_LE(turned_bound, 1.5 / 11.0);
}

// The whole device: at an end of its workspace the joint's way is cut where the task's axis ends.
TEST(Cobot, CoastingOnTurnedJointsItStopsAtTheTasksEnd) {
  CobotOptions options;
  options.drive = turned_joints();
  options.off = CobotOptions::Off::coasting;
  options.steered = {0, 0, 0, 1.0, 0, 0};
  Specification s = bare_cobot();
  s.workspace = {0.1, 0.1, 0.1};
  SimulatedCobot cobot(s, constant({0, 0, 0, 30, 0, 0}), options);
  for (int k = 0; k < 5000; ++k) ASSERT_TRUE(cobot.wait());
  EXPECT_NEAR(cobot.handle().p.x, 0.1, 1e-12);
  EXPECT_NEAR(cobot.handle().p.y, 0.1 * std::tan(kPi / 6), 1e-12);
}

// Drive on, the exact step against many small ones, and the steady creep tau F/m.
TEST(Cobot, WithTheDriveOnItFollowsWithItsLagAndCreepsUnderLoad) {
  CobotDrive one, many;
  one.stand();
  many.stand();
  const Vector6 a{0.1, 0, 0, 0.5, -0.3, 0}, F{0, 0.01, 0, 0, 2, 20};
  Vector6 way{}, sum{};
  way = one.follow(a, F, 0.02);
  for (int k = 0; k < 1000; ++k) {
    const Vector6 bit = many.follow(a, F, 2e-5);
    for (std::size_t i = 0; i < 6; ++i) sum[i] += bit[i];
  }
  EXPECT_LT(support::difference(way, sum), 1e-14);
  EXPECT_LT(support::difference(one.V(), many.V()), 1e-14);
  one.follow({}, {0, 0, 0, 0, 0, 20}, 1.0);
  EXPECT_NEAR(one.V()[5], one.options().lag * 20.0 / one.options().leak_mass, 1e-12);
  // Its wheels turn no further than they can.
  one.follow({0, 0, 0, 1e3, 0, 0}, {}, 1.0);
  EXPECT_LE(std::abs(one.V()[3]), one.options().steepest * one.options().drum_speed * (1 + 1e-12));
}

// S0's disk of 0.25 kg, by Algorithm 1 in one axis: v += F/m T, told to the device; the handle's acceleration under a sine's force.
TEST(Cobot, RendersALightMassWithinOnePercent) {
  const double mass = 0.25, rate = 1000.0, T = 1.0 / rate, omega = 2.0 * kPi, amplitude = 0.2;
  for (const bool feed_forward : {true, false}) {
    Specification s;
    s.name = "cobot";
    s.kind = Kind::admittance;
    s.rate = rate;
    s.resolution = {1e-4, 1e-5};
    s.velocity_bandwidth = 628.0;
    CobotOptions options;
    options.servo.feed_forward = feed_forward;
    // Eased in within the first turn, so that little but the sine is left.
    SimulatedCobot cobot(s, scripted([=](double t) {
                           const double share = std::min(1.0, 0.5 * omega / kPi * t);
                           return Vector6{0, 0, 0, amplitude * share * std::cos(omega * t), 0, 0};
                         }),
                         options);
    ASSERT_TRUE(cobot.enable());
    double x = 0.0, v = 0.0, in = 0.0, quadrature = 0.0;
    Sample sample;
    const int turn = 1000, turns = 8;
    for (int k = 0; k < turns * turn; ++k) {
      ASSERT_TRUE(cobot.wait() && cobot.read(sample));
      // The true handle's velocity by its components in and off the force's phase, over the last four turns.
      if (k >= (turns - 4) * turn) {
        in += cobot.handle().V[3] * std::sin(omega * k * T) * 2.0 / (4 * turn);
        quadrature += cobot.handle().V[3] * std::cos(omega * k * T) * 2.0 / (4 * turn);
      }
      const double a = sample.F_H_W[3] / mass;
      x += T * v + 0.5 * T * T * a;
      v += T * a;
      Command command;
      command.X_WH.R = math::Mat3<double>::identity();
      command.X_WH.p.x = x;
      command.V_WH[3] = v;
      ASSERT_TRUE(cobot.command(command));
    }
    // F = m a: the velocity's part in phase with the integral of the force is amplitude/(m omega).
    const double rendered = amplitude / (omega * in);
    if (feed_forward) {
      EXPECT_NEAR(rendered, mass, 0.01 * mass);
      EXPECT_LT(std::abs(quadrature / in), 0.02);
    } else {
      EXPECT_GT(std::abs(quadrature / in), 0.0);
      EXPECT_NEAR(rendered, mass, 0.1 * mass);
    }
  }
}

using Complex = std::complex<double>;

/// x/x_r of the cobot at j w, from what it is made of. Commands hold at the end of the period after which they are given (z), act a period later, held for one (G); wheels
/// lag; the velocity is a difference through one pole (H).
///
///   s^2 x = G [(ff s^2 D + K_p + K_d s) z x_r - (K_p + K_d s H) x],     D = (1 - 1/z)/(s T)
Complex following(double w, bool feed_forward, const CobotOptions& options, double T, double bandwidth) {
  const Complex s{0.0, w}, z = std::exp(s * T), D = (1.0 - 1.0 / z) / (s * T);
  const double pole = std::exp(-bandwidth * T);
  const Complex H = D * (1.0 - pole) / (1.0 - pole / z), G = D / z / (1.0 + options.drive.lag * s);
  const Complex P = options.servo.K_p + options.servo.K_d * s;
  return G * ((feed_forward ? s * s * D : 0.0) + P) * z /
         (s * s + G * (options.servo.K_p + options.servo.K_d * s * H));
}

// Round a circle of 5 cm, S0's: what is left across and along it is what the servo's transfer function says, and feed-forward is worth some ten times across it, as the seed
// note's table has it (958 by 94.5 um). A velocity that is estimated through two such poles, as other devices do, would leave half of that.
TEST(Cobot, RoundACircleItErrsAsItsServoMustAndFeedForwardIsWorthTenTimes) {
  constexpr double kCircle = 0.05, kRate = 1000.0, kBandwidth = 628.0, T = 1.0 / kRate;
  constexpr double kSame = 0.02e-6;  // [m] of some 100 um: what sampling folds back
  for (const double w : {2.0, 4.0, 6.0}) {
    double across[2] = {};
    for (const bool feed_forward : {true, false}) {
      Specification s;
      s.name = "cobot";
      s.kind = Kind::admittance;
      s.rate = kRate;
      s.velocity_bandwidth = kBandwidth;
      CobotOptions options;
      options.servo.feed_forward = feed_forward;
      SimulatedCobot cobot(s, none(), options);
      ASSERT_TRUE(cobot.enable());
      Sample sample;
      Complex error;  // along and across, at the end
      for (int k = 0; k < 4000; ++k) {
        ASSERT_TRUE(cobot.wait() && cobot.read(sample));
        const Complex now = kCircle * std::polar(1.0, w * T * k), to = now * std::polar(1.0, w * T);
        error = (now - Complex{sample.X_WH.p.x, sample.X_WH.p.y}) * std::conj(now) / kCircle;
        Command command;
        command.X_WH.R = math::Mat3<double>::identity();
        command.X_WH.p = {to.real(), to.imag(), 0.0};
        command.V_WH = {0, 0, 0, -w * to.imag(), w * to.real(), 0};
        ASSERT_TRUE(cobot.command(command));
      }
      const Complex predicted = kCircle * (1.0 - following(w, feed_forward, options, T, kBandwidth));
      EXPECT_NEAR(error.real(), predicted.real(), kSame) << w << feed_forward;
      EXPECT_NEAR(error.imag(), predicted.imag(), kSame) << w << feed_forward;
      across[feed_forward ? 1 : 0] = std::abs(error.real());
    }
    EXPECT_GT(across[0], 9.0 * across[1]) << w;
    EXPECT_LT(across[0], 12.0 * across[1]) << w;
  }
}

// [Faulring2006, Algorithm 1], lines 12, 14 and 15, with all three gains: place and velocity off by e and ed for n periods, the wanted velocity growing by a in each second.
TEST(TaskServo, FeedsForwardAndBackByPlaceIntegralAndVelocity) {
  constexpr double kPeriod = 1e-3, kRounding = 1e-9;  // [s]; of some hundred
  const TaskServoGains gains{.K_p = 900.0, .K_d = 60.0, .K_i = 4000.0};
  const TaskServo servo{gains, kPeriod};
  const Vector6 e{0.02, -0.01, 0.03, 1e-3, 2e-3, -3e-3}, ed{0.1, 0.2, -0.1, 0.05, 0.0, 0.01};
  TaskServoMemory memory;
  Sample sensed;
  Command wanted;
  sensed.X_WH.R = math::rotation_of(math::exponential({0.3, -0.2, 0.1}));
  wanted.X_WH.R = math::rotation_of(math::exponential({e[0], e[1], e[2]})) * sensed.X_WH.R;
  wanted.X_WH.p = sensed.X_WH.p + math::Vec3<double>{e[3], e[4], e[5]};
  constexpr double kAcceleration = 2.0;  // [rad/s^2, m/s^2] of what is wanted
  for (int n = 1; n <= 50; ++n) {
    for (std::size_t i = 0; i < 6; ++i) {
      wanted.V_WH[i] = kAcceleration * kPeriod * n;
      sensed.V_WH[i] = wanted.V_WH[i] - ed[i];
    }
    const Vector6 a = servo.acceleration(memory, sensed, wanted);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(a[i],
                  gains.K_p * e[i] + gains.K_i * (n * kPeriod) * e[i] + gains.K_d * ed[i] +
                      (n > 1 ? kAcceleration : 0.0),
                  kRounding)
          << n;
  }
}

}  // namespace
}  // namespace tactus::device
