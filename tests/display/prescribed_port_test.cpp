// Inverse-dynamics rendering: the reaction of a port that is moved, against closed forms and against forces at the joints.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/internal_motion.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/control/prescribed_port.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>
#include <tactus/simulate/constraints/constrained_inverse.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

/// [N] Of forces up to some ten newtons: the roundings of a mobility that was solved for.
constexpr double kRounding = 1e-9;

constexpr std::uint8_t kX = 1 << 3, kY = 1 << 4, kZ = 1 << 5;

describe::Model model(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

/// The reaction of a port whose acceleration along the axes shall be that.
Vector6 reaction_at(simulate::Mechanism& mechanism, int port, std::uint8_t axes, const Vector6& wanted) {
  EXPECT_TRUE(mechanism.hold({}));
  PortState state;
  state.motion = mechanism.motion(port);
  state.acceleration = mechanism.acceleration(port);
  mechanism.mobility(port, state.L);
  Vector6 F{};
  EXPECT_TRUE(PrescribedPort{{.axes = axes}}.reaction(state, wanted, F));
  return F;
}

TEST(PrescribedPort, OfAnArmTakesWhatItsEquationsSay) {
  // Uniform rods L1 m1, L2 m2 from the x axis downwards: J^-T (M qdd + h) with the textbook's M and h.
  const auto arm = contact::open(model("planar_2r"));
  const int tip = arm->port("tip");
  constexpr double L1 = 0.5, L2 = 0.4, m1 = 2.0, m2 = 1.5, g = 9.81;
  for (int trial = 0; trial < 20; ++trial) {
    const double q1 = 0.3 * trial, q2 = 0.4 + 0.11 * trial, u1 = 1.0 - 0.2 * trial, u2 = 0.5 * trial - 3.0;
    arm->set_state({.t = 0.0, .q = {q1, q2}, .u = {u1, u2}, .momentum = {}});
    const double s1 = std::sin(q1), c1 = std::cos(q1), s2 = std::sin(q2), c2 = std::cos(q2);
    const double s12 = std::sin(q1 + q2), c12 = std::cos(q1 + q2);
    Eigen::Matrix2d M, J, Jd;
    const double both = m2 * L1 * L2 / 2 * c2, last = m2 * L2 * L2 / 3;
    M << m1 * L1 * L1 / 3 + m2 * L1 * L1 + 2 * both + last, last + both, last + both, last;
    const double turning = m2 * L1 * L2 / 2 * s2;
    // Angles grow downwards: weight helps them.
    const Eigen::Vector2d h(
        -turning * (2 * u1 * u2 + u2 * u2) - g * ((m1 / 2 + m2) * L1 * c1 + m2 * L2 / 2 * c12),
        turning * u1 * u1 - g * m2 * L2 / 2 * c12);
    J << -L1 * s1 - L2 * s12, -L2 * s12, -L1 * c1 - L2 * c12, -L2 * c12;
    Jd << -L1 * c1 * u1 - L2 * c12 * (u1 + u2), -L2 * c12 * (u1 + u2), L1 * s1 * u1 + L2 * s12 * (u1 + u2),
        L2 * s12 * (u1 + u2);
    if (std::abs(J.determinant()) < 0.02) continue;
    const Eigen::Vector2d a(1.5, -2.5), u(u1, u2);
    const Eigen::Vector2d qdd = J.inverse() * (a - Jd * u), f = J.inverse().transpose() * (M * qdd + h);
    const Vector6 F = reaction_at(*arm, tip, kX | kZ, {0, 0, 0, a[0], 0, a[1]});
    const double size = 1.0 + f.norm();
    EXPECT_NEAR(F[3], f[0], kRounding * size) << trial;
    EXPECT_NEAR(F[5], f[1], kRounding * size) << trial;
    EXPECT_EQ(F[4], 0.0);
  }
}

TEST(PrescribedPort, OfTheSliderCrankTakesWhatThePaperSays) {
  // x = 2 cos q1; at the crank f1 = (3 - 2 c2) q1dd + g c1 - 2 s2 q1d^2 [Aghili2005, (75)] with m = l = 1.
  const auto crank = contact::open(model("slider_crank"), {.ports = {"C"}});
  const int slider = crank->port("C");
  for (const double q1 : {0.4, 0.9, 1.3, 2.0, 2.6}) {
    const double u1 = 0.7, q1dd = -1.3, q2 = 2 * std::numbers::pi - 2 * q1;
    crank->set_state({.t = 0.0, .q = {q1, q2}, .u = {u1, -2 * u1}, .momentum = {}});
    const double f1 = (3 - 2 * std::cos(q2)) * q1dd + 9.81 * std::cos(q1) - 2 * std::sin(q2) * u1 * u1;
    const double a = -2 * std::cos(q1) * u1 * u1 - 2 * std::sin(q1) * q1dd;
    const Vector6 F = reaction_at(*crank, slider, kX, {0, 0, 0, a, 0, 0});
    const double wanted = f1 / (-2 * std::sin(q1));
    EXPECT_NEAR(F[3], wanted, kRounding * std::abs(wanted)) << q1;
  }
}

// At eight places that nobody chose, moving: what the motors would have to give for the same accelerations,
// by the equations of the whole loop, has the same power as the handle's force at every motion that the loop
// allows there.
TEST(PrescribedPort, OfThePantographTakesWhatItsMotorsWouldGive) {
  const describe::Model pantograph = model("pantograph");
  const auto device = contact::open(pantograph);
  const int handle = device->port("handle");
  const simulate::Dynamics dynamics = simulate::compile(derive::Equations(pantograph));
  double fastest = 0.0, farthest = 0.0;
  const math::Vec3<double> begin = device->motion(handle).X_WP.p;
  for (int place = 0; place < 8; ++place) {
    const double a = 1.3 * place, size = 2.0 + 0.5 * place;
    simulate::State state = device->state();
    state.u = {size * std::cos(a), size * std::sin(1.7 * a), 0.0, 0.0};
    device->set_state(state);
    for (int k = 0; place > 0 && k < 30; ++k) ASSERT_TRUE(device->step().ok()) << place;
    const simulate::State here = device->state();
    const Vector6 V = device->motion(handle).V_WP;
    fastest = support::larger(fastest, std::hypot(V[3], V[4]));
    const math::Vec3<double> way = device->motion(handle).X_WP.p - begin;
    farthest = support::larger(farthest, std::sqrt(dot(way, way)));

    const Vector6 wanted{0, 0, 0, 3.0 - place, -5.0 + 2.0 * place, 0};
    const Vector6 F = reaction_at(*device, handle, kX | kY, wanted);
    const double force = 1.0 + std::hypot(F[3], F[4]);
    const simulate::PortWrench push{handle, F};
    ASSERT_TRUE(device->hold({.tau = {}, .ports = {&push, 1}, .wrench = {}}));
    const Vector6 moved = device->acceleration(handle);
    for (const std::size_t i : {3u, 4u})
      EXPECT_NEAR(moved[i], wanted[i], kRounding * (1.0 + std::abs(wanted[i]))) << place;
    const std::span<const double> now = device->accelerations();
    const std::vector<double> udot(now.begin(), now.end());
    const simulate::ConstrainedInverse motors =
        simulate::constrained_inverse(dynamics, here.t, here.q, here.u, udot);
    EXPECT_LT(motors.residual, kRounding * force) << place;
    for (const std::array<double, 2> rates : {std::array{1.0, 0.0}, std::array{0.3, -0.8}}) {
      state = here;
      state.u = {rates[0], rates[1], 0.0, 0.0};
      device->set_state(state);
      const simulate::PortMotion& motion = device->motion(handle);
      const std::vector<double>& u = device->state().u;
      EXPECT_GT(std::abs(u[0]) + std::abs(u[1]), 0.1);
      const double at_handle = F[3] * motion.V_WP[3] + F[4] * motion.V_WP[4];
      EXPECT_NEAR(at_handle, motors.tau[0] * u[0] + motors.tau[1] * u[1], kRounding * force) << place;
    }
    device->set_state(here);
  }
  EXPECT_GT(fastest, 0.2);
  EXPECT_GT(farthest, 0.01);
}

TEST(PrescribedPort, IsRefusedWhereThePortHasFewerFreedoms) {
  const auto crank = contact::open(model("slider_crank"), {.ports = {"C"}});
  const auto device = device::open("simulated:spatial", device::hold({}));
  display::HapticLoop loop(*crank, *device, crank->port("C"), {}, limits_for(device->specification()));
  const auto expect_refused = [&](const PrescribedGains& gains, const char* why) {
    try {
      loop.use(gains);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  expect_refused({.axes = kX | kZ, .every_axis = true}, "has fewer freedoms than are prescribed");
  expect_refused({.axes = device::kNoAxes}, "cannot prescribe these axes");
  expect_refused({.axes = kX, .drift_rate = 1e6}, "cannot be taken out at 1e+06 rad/s");
  // Across its rail it is as heavy as can be: said in words.
  expect_refused({.axes = kZ, .every_axis = false}, "cannot move");
  // Seven times as heavy as the handle: not with the usual pole.
  expect_refused({.axes = kX}, "times as heavy as the handle along every axis");
  EXPECT_NO_THROW(loop.use(design_prescribed(device->specification(), 7.0, kX)));
  Matrix6 L;
  crank->mobility(crank->port("C"), L);
  EXPECT_EQ(movable_axes(L, device::kAllAxes), kX);
}

TEST(PrescribedPort, FollowsTheHandInTheLoopWithoutAllocation) {
  // 0.1 kg on a rail: lighter than the device's own handle, so that the acceleration's feedback is stable.
  const auto block =
      contact::open(describe::load_text("name: block\ngravity: [0, 0, 0]\nbodies: {b: {mass: 0.1}}\n"
                                        "joints: {x: {type: prismatic, parent: world, child: b, axis: x}}\n",
                                        "block"),
                    {.step = 1e-3});
  const auto device = device::open("simulated:planar", device::following(device::strokes({0.03, 0, 0}, 1.0)));
  display::HapticLoop loop(*block, *device, block->port("b"), {}, limits_for(device->specification()));
  loop.use(PrescribedGains{.axes = kX});
  ASSERT_TRUE(loop.enable());
  double apart = 0.0, moved = 0.0, first = 0.0;
  const long before = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
  for (int k = 0; k < 3000; ++k) {
    device->wait();
    ASSERT_TRUE(loop.tick(1e-3)) << name_of(loop.safety().fault);
    const display::TickRecord& r = loop.record();
    if (k == 0) first = r.p_P.x - r.p_H.x;
    moved = support::larger(moved, std::abs(r.p_H.x));
    if (k > 1000) apart = support::larger(apart, std::abs(r.p_P.x - r.p_H.x - first));
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(test::lock_count_of_this_thread(), locks);
  EXPECT_GT(moved, 0.01);
  // [m] What the acceleration's pole is late by, 5 ms at 0.03 m (2 pi 1 Hz)^2, over the square of 100 rad/s.
  EXPECT_LT(apart, 0.2 * 0.03);
}

/// The directions of the port, for a device of 0.5 kg and 0.002 kg m^2.
struct Directions {
  Matrix6 M_d{};
  Resisted found;
  Directions(simulate::Mechanism& mechanism, int port, std::uint8_t axes, double heaviest) {
    for (std::size_t i = 0; i < 6; ++i) M_d[7 * i] = i < 3 ? 2e-3 : 0.5;
    Matrix6 L;
    mechanism.mobility(port, L);
    ResistedDirections search(axes, mechanism.nv());
    found = search.by_mobility(L, M_d, 1.0 / heaviest, true);
  }
};

PortState state_at(simulate::Mechanism& mechanism, int port) {
  EXPECT_TRUE(mechanism.hold({}));
  PortState state;
  state.motion = mechanism.motion(port);
  state.acceleration = mechanism.acceleration(port);
  mechanism.mobility(port, state.L);
  return state;
}

TEST(PrescribedPort, AlongLightDirectionsIsTheWeldItself) {
  const auto arm = contact::open(model("planar_2r"));
  const int tip = arm->port("tip");
  arm->set_state({.t = 0.0, .q = {0.4, 0.9}, .u = {0.3, -0.7}, .momentum = {}});
  const Directions directions(*arm, tip, kX | kZ, 1e9);
  const Vector6 wanted{0, 0, 0, 1.5, 0, -2.5}, none{};
  const PrescribedPort law{{.axes = kX | kZ}};
  const Vector6 F = law.reaction(state_at(*arm, tip), wanted, directions.found, directions.M_d, none);
  Vector6 expected{};
  ASSERT_TRUE(law.reaction(state_at(*arm, tip), wanted, expected));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(F[i], expected[i], kRounding * (1.0 + std::abs(F[i])));
}

// The four-bar's coupler has one freedom of six: along it the port does what the handle does, across it the constraints carry what the coupler gives, and nothing else moves.
TEST(PrescribedPort, OfALoopIsLedAlongItsPathAndHeldAcrossIt) {
  const auto bars = contact::open(model("four_bar"));
  const int middle = bars->port("middle");
  const Directions directions(*bars, middle, device::kAllAxes, 1e3);
  EXPECT_EQ(directions.found.count, 5);
  const Vector6& n = directions.found.n[5];  // the light one
  const PrescribedPort law{{.axes = device::kAllAxes}};
  Vector6 wanted{0.1, 2.0, -0.3, 1.5, 0.2, -2.5}, spring{1, 2, 3, 4, 5, 6};
  const PortState before = state_at(*bars, middle);
  const Vector6 F = law.reaction(before, wanted, directions.found, directions.M_d, spring);
  const simulate::PortWrench push{middle, F};
  ASSERT_TRUE(bars->hold({.tau = {}, .ports = {&push, 1}, .wrench = {}}));
  const Vector6 after = bars->acceleration(middle);
  double got = 0.0, asked = 0.0, held = 0.0, given = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    got += n[i] * directions.M_d[7 * i] * after[i];
    asked += n[i] * directions.M_d[7 * i] * wanted[i];
  }
  EXPECT_NEAR(got, asked, kRounding * (1.0 + std::abs(asked)));
  for (std::size_t d = 0; d < 5; ++d) {
    held = given = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      held += directions.found.n[d][i] * F[i];
      given += directions.found.n[d][i] * spring[i];
    }
    EXPECT_NEAR(held, given, kRounding * (1.0 + std::abs(given))) << d;
  }
}

// Turned once round, through the places where the path is along x alone and along z alone: the wrench is a continuous function of the place.
TEST(PrescribedPort, ChoosesItsDirectionsAnewWithoutAJump) {
  describe::Model slow = model("four_bar");
  slow.gravity = {0.0, 0.0, 0.0};  // the crank turns at some 2 rad/s
  const auto bars = contact::open(slow, {.step = 1e-3});
  const int middle = bars->port("middle");
  const PrescribedPort law{{.axes = kX}};
  double largest = 0.0, change = 0.0;
  Vector6 last{};
  bool first = true, led = false, held = false;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_TRUE(bars->step().ok());
    const Directions directions(*bars, middle, kX, 8.0);
    led |= directions.found.weight[0] == 0.0;
    held |= directions.found.weight[0] == 1.0;
    const Vector6 wanted{0, 0, 0, 1.0, 0, 0}, spring{0, 0, 0, 2.0, 0, 0};
    const Vector6 F = law.reaction(state_at(*bars, middle), wanted, directions.found, directions.M_d, spring);
    largest = support::larger(largest, std::abs(F[3]));
    if (!first) change = support::larger(change, std::abs(F[3] - last[3]));
    first = false;
    last = F;
  }
  EXPECT_TRUE(led && held);
  EXPECT_LT(largest, 20.0);           // [N] eight times half a kilogram, and accelerations of some m/s^2
  EXPECT_LT(change, 0.05 * largest);  // in a millisecond
}

// An arm of seven joints, its hand held along all six axes: the elbow may swing.
TEST(InternalMotion, OfARedundantArmIsNotFeltAtItsHand) {
  std::string text = "name: seven\ngravity: [0, 0, -9.81]\nbodies:\n";
  const char* const axes[] = {"z", "y", "z", "y", "z", "y", "z"};
  for (int i = 0; i < 7; ++i)
    text += "  b" + std::to_string(i) + ": {mass: 2, com: [0.01, 0, 0.1], inertia: [0.02, 0.015, 0.01]}\n";
  text += "joints:\n";
  for (int i = 0; i < 7; ++i)
    text += "  q" + std::to_string(i) +
            ": {type: revolute, parent: " + (i == 0 ? "world" : "b" + std::to_string(i - 1)) + ", child: b" +
            std::to_string(i) + ", axis: " + axes[i] + ", placement: {xyz: [0, 0, 0.2]}}\n";
  text += "frames: {hand: {body: b6, placement: {xyz: [0, 0, 0.1]}, grasp: true}}\n";
  const auto arm = contact::open(describe::load_text(text, "seven"));
  const int hand = arm->port("hand");
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<double> q(7), u(7), tau(7);
    for (std::size_t i = 0; i < 7; ++i) {
      q[i] = 0.5 + 0.37 * std::sin(1.0 + 2.3 * static_cast<double>(i) + trial);
      u[i] = std::cos(0.7 * static_cast<double>(i) + trial);
      tau[i] = -3.0 * u[i];
    }
    arm->set_state({.t = 0.0, .q = q, .u = u, .momentum = {}});
    const Vector6 pull{0.1, 0.2, -0.3, 4.0, -5.0, 6.0};
    const simulate::PortWrench held{hand, pull};
    ASSERT_TRUE(arm->hold({.tau = {}, .ports = {&held, 1}, .wrench = {}}));
    const Vector6 before = arm->acceleration(hand);
    const std::span<const double> a = arm->accelerations();
    const std::vector<double> udot_before(a.begin(), a.end());
    Vector6 F{};
    ASSERT_TRUE(hide_at_port(*arm, hand, device::kAllAxes, tau, pull, F));
    simulate::PortWrench both{hand, pull};
    for (std::size_t i = 0; i < 6; ++i) both.wrench[i] += F[i];
    ASSERT_TRUE(arm->hold({.tau = tau, .ports = {&both, 1}, .wrench = {}}));
    const Vector6 after = arm->acceleration(hand);
    double swing = 0.0, size = 0.0;
    for (std::size_t i = 0; i < 6; ++i) size = support::larger(size, std::abs(before[i]));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(after[i], before[i], 1e-12 * (1.0 + size)) << trial;
    const std::span<const double> b = arm->accelerations();
    for (std::size_t i = 0; i < 7; ++i) swing = support::larger(swing, std::abs(b[i] - udot_before[i]));
    EXPECT_GT(swing, 1e-3);

    // J Jbar = 1: the columns of Jbar = M^-1 J^T Lambda are what the wrenches Lambda e_i do to the
    // accelerations, J is the port's Jacobian, which nobody was asked for them.
    const std::span<const double> jacobian = arm->jacobian(hand);
    const std::vector<double> J(jacobian.begin(), jacobian.end());
    Matrix6 L;
    arm->mobility(hand, L);
    ASSERT_TRUE(arm->hold({}));
    const std::span<const double> c = arm->accelerations();
    const std::vector<double> rest(c.begin(), c.end());
    for (std::size_t i = 0; i < 6; ++i) {
      Vector6 lambda{};
      lambda[i] = 1.0;
      ASSERT_TRUE(solve_at_port(L, device::kAllAxes, lambda));
      const simulate::PortWrench along{hand, lambda};
      ASSERT_TRUE(arm->hold({.tau = {}, .ports = {&along, 1}, .wrench = {}}));
      const std::span<const double> d = arm->accelerations();
      for (std::size_t r = 0; r < 6; ++r) {
        double sum = 0.0, size = 1.0;
        for (std::size_t k = 0; k < 7; ++k) {
          sum += J[7 * r + k] * (d[k] - rest[k]);
          size += std::abs(J[7 * r + k] * (d[k] - rest[k]));
        }
        EXPECT_NEAR(sum, r == i ? 1.0 : 0.0, 1e-12 * size) << trial;
      }
    }
    // So the port has nothing of what is damped: J (u - Jbar V) = 0, and tau is -s b of that.
    InternalDamper damper(*arm, hand, device::kAllAxes, 3.0);
    std::array<simulate::PortWrench, 1> acting{simulate::PortWrench{hand, pull}};
    damper.damp(acting);
    const std::span<const double> damping = damper.tau();
    EXPECT_GT(support::largest(damping), 1e-3) << trial;
    for (std::size_t r = 0; r < 6; ++r) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 7; ++k) sum += J[7 * r + k] * damping[k];
      EXPECT_NEAR(sum, 0.0, 1e-12 * (1.0 + support::largest(damping))) << trial;
    }
  }
}

}  // namespace
}  // namespace tactus::control
