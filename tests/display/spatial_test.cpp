// Held at any body, in space: a seven-joint arm dragged through its singular configurations, and mechanisms with loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/run_loop.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

/// Shoulder, elbow and wrist of 3, 1 and 3 axes; 0.8 m long, 6 kg, some friction. It begins bent; stretched it is singular at the
/// elbow, and the wrist is wherever its axes line up.
const char* const kArm = R"(
name: seven_joint_arm
gravity: [0, 0, 0]
bodies:
  link_1: {mass: 1.2, com: [0, 0, 0.05], inertia: [0.004, 0.004, 0.003]}
  link_2: {mass: 1.0, com: [0, 0, 0.05], inertia: [0.004, 0.004, 0.003]}
  link_3: {mass: 1.2, com: [0, 0, 0.2], inertia: [0.02, 0.02, 0.002]}
  link_4: {mass: 1.0, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.002]}
  link_5: {mass: 0.8, com: [0, 0, 0.2], inertia: [0.008, 0.008, 0.001]}
  link_6: {mass: 0.5, com: [0, 0, 0.02], inertia: [0.001, 0.001, 0.001]}
  link_7: {mass: 0.3, com: [0, 0, 0.05], inertia: [0.001, 0.001, 0.0005]}
joints:
  q1: {type: revolute, parent: world, child: link_1, axis: z, damping: 0.1}
  q2: {type: revolute, parent: link_1, child: link_2, axis: y, damping: 0.1}
  q3: {type: revolute, parent: link_2, child: link_3, axis: z, damping: 0.1}
  q4: {type: revolute, parent: link_3, child: link_4, axis: y, placement: {xyz: [0, 0, 0.4]}, damping: 0.1}
  q5: {type: revolute, parent: link_4, child: link_5, axis: z, damping: 0.05}
  q6: {type: revolute, parent: link_5, child: link_6, axis: y, placement: {xyz: [0, 0, 0.3]}, damping: 0.05}
  q7: {type: revolute, parent: link_6, child: link_7, axis: z, damping: 0.05}
frames:
  hold_1: {body: link_1, placement: {xyz: [0.1, 0, 0]}, grasp: true}
  hold_2: {body: link_2, placement: {xyz: [0.1, 0, 0.1]}, grasp: true}
  hold_3: {body: link_3, placement: {xyz: [0, 0, 0.3]}, grasp: true}
  hold_4: {body: link_4, placement: {xyz: [0, 0, 0.1]}, grasp: true}
  hold_5: {body: link_5, placement: {xyz: [0, 0, 0.25]}, grasp: true}
  hold_6: {body: link_6, placement: {xyz: [0, 0, 0.02]}, grasp: true}
  hold_7: {body: link_7, placement: {xyz: [0, 0, 0.1]}, grasp: true}
initial:
  q: {q1: 0.2, q2: 0.5, q3: 0.1, q4: 0.9, q5: 0.1, q6: 0.4}
)";

std::string without_weight(const std::string& name) {
  std::ifstream file(support::source_dir() + "/models/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::string yaml = text.str();
  const std::size_t at = yaml.find("gravity: ["), end = yaml.find(']', at);
  EXPECT_NE(at, std::string::npos);
  return yaml.replace(at, end - at + 1, "gravity: [0, 0, 0]");
}

device::Specification device_of_one_kilogram() {
  device::Specification s;
  s.name = "bare";
  s.inertia = {0.01, 1.0};
  s.force_sensor = true;
  return s;
}

/// [s] A minute at every place, instead of some seconds: TACTUS_LONG_TESTS=1.
double minute_or(double seconds) { return std::getenv("TACTUS_LONG_TESTS") != nullptr ? 60.0 : seconds; }

struct Dragged {
  double largest_force = 0.0, largest_change = 0.0;  // [N] on the handle, from tick to tick
  double largest_torque = 0.0;                       // [N m]
  double apart = 0.0, apart_late = 0.0;              // [m] of handle and port: ever; in the last tenth
  int least = 6, most = 0;                           // directions resisted
  int visits = 0;                                    // how often more were than `usual`
  double way = 0.0;                                  // [m] that the port went from its start
};

Dragged drag(simulate::Mechanism& mechanism, int port, device::HandPointer hand, double duration,
             const control::SafetyLimits& limits, int usual = 6) {
  device::SimulatedImpedance device(device_of_one_kilogram(), std::move(hand));
  HapticLoop loop(mechanism, device, port, {}, limits);
  control::FourChannelGains gains;
  gains.coordination = {{0.2, 100.0}, {0.1, 20.0}};
  loop.use(gains);
  EXPECT_TRUE(loop.enable());
  Dragged result;
  device::Vector6 before{};
  math::Vec3<double> start{}, first{};
  bool singular = false;
  const long ticks = std::lround(1e3 * duration);
  for (long k = 0; k < ticks; ++k) {
    device.wait();
    if (!loop.tick(1e-3)) {
      ADD_FAILURE() << name_of(loop.safety().fault) << " at " << k;
      break;
    }
    const TickRecord& r = loop.record();
    if (k == 0) {
      start = r.p_P - r.p_H;
      first = r.p_P;
    }
    const device::Vector6& F = r.on_handle;
    result.largest_force = support::larger(result.largest_force, std::hypot(F[3], F[4], F[5]));
    result.largest_torque = support::larger(result.largest_torque, std::hypot(F[0], F[1], F[2]));
    result.largest_change = support::larger(result.largest_change,
                                            std::hypot(F[3] - before[3], F[4] - before[4], F[5] - before[5]));
    before = F;
    const math::Vec3<double> off = r.p_P - r.p_H - start, gone = r.p_P - first;
    result.apart = support::larger(result.apart, std::sqrt(dot(off, off)));
    if (k > ticks - ticks / 10)
      result.apart_late = support::larger(result.apart_late, std::sqrt(dot(off, off)));
    result.way = support::larger(result.way, std::sqrt(dot(gone, gone)));
    if (k > 0) {
      result.least = std::min(result.least, r.resisted);
      result.most = support::larger(result.most, r.resisted);
    }
    result.visits += r.resisted > usual && !singular;
    singular = r.resisted > usual;
  }
  return result;
}

control::SafetyLimits no_limits() {
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  return limits;
}

/// Strokes far beyond what the arm can reach, slowly turning: the elbow is stretched again and again.
device::HandPointer far_away() {
  constexpr double kReach = 0.6;  // [m] from the start
  return device::following(
      [](double t) {
        const double s = std::sin(0.9 * t), c = 0.13 * t;
        return device::Intention{
            {kReach * s * std::cos(c), kReach * s * std::sin(c), 0.3 * std::sin(0.4 * t)},
            {0.3 * std::sin(0.5 * t), 0.2 * std::sin(0.7 * t), 0.4 * std::sin(0.3 * t)}};
      },
      {.stiffness = {1.0, 30.0}, .damping = {0.05, 5.0}});
}

constexpr double kHandsMost = 25.0;  // [N] 30 N/m over 0.7 m, and some damping
constexpr double kNoJump = 0.1;      // [N] from tick to tick: 0.03 N are the hand's own, 30 N/m at 0.7 m/s
// What the hand's force changes by within a period, F' T/2, is foretold but for a share M_d/m of it, with which the coordination of 100 N/m leaves F' T/(4 K): 55 um for 22 N/s. Twice that.
constexpr double kFollows = 1.1e-4;     // [m]
constexpr double kFollowsLoops = 1e-4;  // slower hands, nothing singular

/// The middle of the arm, to and fro over the point above the shoulder.
device::HandPointer over_the_top() {
  return device::following(
      [](double t) {
        const double s = 0.25 * std::sin(1.5 * t);
        return device::Intention{{s, 0.2 * s, 0.0}, {}};
      },
      {.stiffness = {1.0, 60.0}, .damping = {0.05, 8.0}});
}

// Where a link has fewer freedoms than joints before it allow, or than space has:
//
//   1, 2   nowhere: one axis, and two that meet at right angles
//   3, 4   where the arm stands upright, q2 = 0: the first axis and the third are one line. The elbow adds a freedom in every place. A hand
//          that follows a sphere of directions misses a point of it: these two begin there, and are drawn over it
//   5      where the elbow is stretched, too, q4 = 0: the third axis and the fifth are one line
//   6, 7   where the elbow is stretched: three directions are left that do not lead to the shoulder
TEST(Spatial, ASevenJointArmIsDraggedByAnyLinkThroughItsSingularities) {
  const describe::Model arm = describe::load_text(kArm, "arm.yaml");
  for (int link = 1; link <= 7; ++link) {
    const auto mechanism = contact::open(arm, {.step = 1e-3});
    const int port = mechanism->port("hold_" + std::to_string(link));
    const bool upright = link == 3 || link == 4;
    if (upright) {
      simulate::State state = mechanism->state();
      state.q[1] = 0.0;
      mechanism->set_state(state);
    }
    const Dragged d = drag(*mechanism, port, upright ? over_the_top() : far_away(),
                           link == 6 ? 60.0 : minute_or(8.0), no_limits(), std::max(0, 6 - link));
    EXPECT_LT(d.largest_force, kHandsMost) << link;
    EXPECT_LT(d.largest_change, kNoJump) << link;
    EXPECT_LT(d.apart, kFollows) << link;
    EXPECT_GT(d.way, 0.05) << link;
    EXPECT_GE(d.least, std::max(0, 6 - link))
        << link;  // a link has as many freedoms as there are joints before it, at most
    const int usual = std::max(0, 6 - link);
    if (link <= 2) {
      EXPECT_EQ(d.most, usual) << link;
    } else {
      EXPECT_GT(d.most, usual) << link;
      EXPECT_GE(d.visits, 2) << link;  // left, and come to again
    }
  }
}

/// [N], [N m] per tick by which a wrench may grow: the size of what it changes by, {torque, force}.
std::array<double, 2> change_of(const device::Vector6& now, const device::Vector6& before) {
  std::array<double, 2> size{};
  for (std::size_t k = 0; k < 2; ++k)
    size[k] = std::hypot(now[3 * k] - before[3 * k], now[3 * k + 1] - before[3 * k + 1],
                         now[3 * k + 2] - before[3 * k + 2]);
  return size;
}

// "No jump beyond the clamp", with the clamps of a device as they are: dragged so hard and jerked so that they have something to cut, held at every link, by four channels with a force sensor and without one.
TEST(Spatial, NothingJumpsBeyondTheClampsOfADevice) {
  const describe::Model arm = describe::load_text(kArm, "arm.yaml");
  for (const bool sensed : {true, false}) {
    bool clamped = false, grew = false;
    for (int link = 1; link <= 7; ++link) {
      device::Specification s = device::open("simulated:spatial", device::none())->specification();
      s.force_sensor = sensed;
      const auto mechanism = contact::open(arm, {.step = 1.0 / s.rate});
      // A sine that is cut to two ends: a hand that jerks three times in a second.
      device::SimulatedImpedance device(
          s, device::following(
                 [](double t) {
                   const double x = 0.15 * std::clamp(20.0 * std::sin(9.0 * t), -1.0, 1.0);
                   return device::Intention{{x, 0.5 * x, -0.3 * x}, {0.5 * x, x, -x}};
                 },
                 {.stiffness = {2.0, 300.0}, .damping = {0.02, 10.0}}));
      control::SafetyLimits limits = control::limits_for(s);
      ASSERT_GT(limits.force[1], 0.0);
      ASSERT_GT(limits.force_rate[1], 0.0);
      // This is about clamps: a hand that is cut short is neither followed nor balanced.
      limits.made = 0.0;
      limits.apart = 0.0;
      HapticLoop loop(*mechanism, device, mechanism->port("hold_" + std::to_string(link)), {}, limits);
      loop.use(
          control::FourChannelGains{.coordination = {{1.0, 100.0}, {0.2, 20.0}}, .by_coordination = !sensed});
      loop.guard_passivity(true);
      ASSERT_TRUE(loop.enable());
      device::Vector6 before{};
      constexpr double kRounding = 1.0 + 1e-9;
      for (int k = 0; k < 3000; ++k) {
        ASSERT_TRUE(device.wait());
        if (!loop.tick(1.0 / s.rate)) {
          // Too fast for a handle: off at once, which is the safe state and no jump of a display.
          EXPECT_EQ(loop.safety().fault, control::Fault::too_fast) << link << " " << k;
          break;
        }
        const device::Vector6& F = loop.record().on_handle;
        const std::array<double, 2> change = change_of(F, before), size = change_of(F, {}),
                                    had = change_of(before, {});
        for (std::size_t i = 0; i < 2; ++i) {
          const double step = limits.force_rate[i] / s.rate;
          // A coordination is a coupler's spring, which may shrink at once; a push is none that it takes.
          ASSERT_LE(sensed ? change[i] : size[i] - had[i], kRounding * step) << link << " " << k << " " << i;
          ASSERT_LE(size[i], kRounding * limits.force[i]) << link << " " << k << " " << i;
        }
        grew |= change[1] > 0.99 * limits.force_rate[1] / s.rate;
        clamped |= size[1] > 0.99 * limits.force[1];
        before = F;
      }
    }
    EXPECT_TRUE(grew || clamped) << sensed;  // there was something to cut
  }
}

// As strong hands drag a light device: up to 300 N on 0.2 kg. Handle and port apart by a millimetre are 0.3 J then, and whoever takes that out feeds the hand or the mechanism: link 1 gained 9 J in 20 s.
TEST(Spatial, AStrongHandIsNotFedByALightDevice) {
  device::Specification s = device_of_one_kilogram();
  s.inertia = {2e-4, 0.2};
  s.damping = {2e-3, 1.5};
  const describe::Model arm = describe::load_text(kArm, "arm.yaml");
  for (int link = 1; link <= 7; ++link) {
    const auto mechanism = contact::open(arm, {.step = 1e-3});
    // Within a period the hand's dampers do not stop the bare handle.
    device::SimulatedImpedance device(s, device::following(
                                             [](double t) {
                                               const double x = 0.3 * (1.0 - std::cos(3.0 * t));
                                               return device::Intention{{x, 0.5 * x, -0.3 * x}, {}};
                                             },
                                             {.stiffness = {2.0, 300.0}, .damping = {0.1, 25.0}}));
    HapticLoop loop(*mechanism, device, mechanism->port("hold_" + std::to_string(link)), {},
                    control::limits_for(s));
    loop.use(control::FourChannelGains{.coordination = {{1.0, 100.0}, {0.2, 20.0}}});
    loop.guard_passivity(true);
    ASSERT_TRUE(loop.enable());
    double turned = 0.0, hand = 0.0, port = 0.0, strongest = 0.0;
    for (int k = 0; k < 6000; ++k) {
      ASSERT_TRUE(device.wait() && loop.tick(1e-3)) << link << " " << k << name_of(loop.safety().fault);
      turned += std::abs(device.hand_work() - hand) + std::abs(loop.record().into_port - port);
      hand = device.hand_work();
      port = loop.record().into_port;
      const device::Vector6& F = loop.record().on_handle;
      strongest = support::larger(strongest, std::hypot(F[3], F[4], F[5]));
    }
    constexpr double kShare = 0.005;  // of what went to and fro: the port is braked beyond a thousandth
    EXPECT_LT(port - hand, kShare * turned) << link;
    constexpr double kStrong = 1.3 * 300.0 * 0.7;  // [N] the spring, as far as it is drawn, and the damper
    EXPECT_LT(strongest, kStrong) << link;
    EXPECT_GT(strongest, 50.0) << link;
  }
}

device::HandPointer about_the_start() {
  return device::following(
      [](double t) {
        return device::Intention{{0.1 * std::sin(t), 0.08 * std::sin(0.7 * t), 0.05 * std::sin(1.3 * t)},
                                 {0.1 * std::sin(0.5 * t), 0.1 * std::sin(0.6 * t), 0.1 * std::sin(0.4 * t)}};
      },
      {.stiffness = {1.0, 30.0}, .damping = {0.05, 5.0}});
}

TEST(Spatial, LoopsAreHeldAtAnyBody) {
  const double duration = minute_or(3.0);
  for (const char* name : {"stewart_platform", "bricard"}) {
    const describe::Model model = describe::load_text(without_weight(name), name);
    const auto first = contact::open(model, {.step = 1e-3});
    for (const simulate::Port& port : first->ports()) {
      const auto mechanism = contact::open(model, {.step = 1e-3});
      const int at = mechanism->port(port.frame < 0 ? "body:" + port.name : port.name);
      const Dragged d = drag(*mechanism, at, about_the_start(), duration, no_limits());
      EXPECT_LT(d.largest_force, kHandsMost) << name << " " << port.name;
      EXPECT_LT(d.largest_change, kNoJump) << name << " " << port.name;
      EXPECT_LT(d.apart, kFollowsLoops) << name << " " << port.name;
      // One freedom in all, or six, of which a cylinder has two and a piston three.
      const int resisted = name[0] == 'b'                               ? 5
                           : port.name[0] == 'c'                        ? 4
                           : port.name[0] == 'p' && port.name[1] == 'i' ? 3
                                                                        : 0;
      EXPECT_EQ(d.least, resisted) << name << " " << port.name;
      // In a minute cylinders bring the platform to singular positions, where less moves.
      EXPECT_GE(d.most, resisted) << name << " " << port.name;
      if (duration < 10.0) {
        EXPECT_EQ(d.most, resisted) << name << " " << port.name;
      }
    }
  }
}

// What the port gains in speed the handle gains, and what the hand's force changes by within a period is foretold.
TEST(Spatial, ADeviceThatDoesWhatItIsToldDoesNotDrift) {
  const describe::Model arm = describe::load_text(kArm, "arm.yaml");
  for (const char* port : {"hold_3", "hold_6", "hold_7"}) {
    const auto mechanism = contact::open(arm, {.step = 1e-3});
    const auto hand = [](double t) {
      return device::Vector6{0.02 * std::sin(t),       0.0,
                             0.02 * std::cos(2.0 * t), 2.0 * std::sin(1.1 * t),
                             1.5 * std::sin(1.7 * t),  2.0 * std::cos(1.3 * t)};
    };
    const Dragged d = drag(*mechanism, mechanism->port(port), device::scripted(hand), 20.0, no_limits());
    // Speeds are equal at the ends of a period. In it the handle has the mean acceleration, so that its place is off by jerk T^3/12; links that turn
    // at some rad/s have jerks of some 100 m/s^3. The coordination, slow, lets a second of that add up.
    constexpr double kJerk = 100.0, kPeriod = 1e-3, kTicks = 1000.0;                       // [m/s^3], [s]
    constexpr double kPlaces = 1.2 * kTicks * kJerk * kPeriod * kPeriod * kPeriod / 12.0;  // 10 um
    // Where the port has the mass m, M_d/m of F' T/2 is not foretold, and moves M_d against a coordination of 2 K/m: F' T/(4 K).
    constexpr double kChange = 4.3, kCoordination = 100.0;  // [N/s] of this hand at most, [N/m]
    constexpr double kForces = kChange * kPeriod / (4.0 * kCoordination);  // 11 um
    EXPECT_LT(d.apart, kPlaces + kForces) << port;
    EXPECT_GT(d.way, 0.2) << port;
  }
}

/// Arm and device as one set of differential equations, by rk4 in small steps: no sampling, no differences,
/// nothing that holds them together but the law (11) itself. The device goes as it is asked to.
struct Together {
  std::vector<double> q, u;  // of the arm, whose speeds are the rates of its joints
  math::Mat3<double> R = math::Mat3<double>::identity();
  math::Vec3<double> p{};
  device::Vector6 V{};

  Together plus(double h, const Together& rate) const {
    Together sum = *this;
    for (std::size_t i = 0; i < q.size(); ++i) {
      sum.q[i] += h * rate.q[i];
      sum.u[i] += h * rate.u[i];
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) sum.R(i, j) += h * rate.R(i, j);
    sum.p = p + h * rate.p;
    for (std::size_t i = 0; i < 6; ++i) sum.V[i] += h * rate.V[i];
    return sum;
  }
};

/// {m, rad} that the device is away from the arm at most, in two seconds; and how far the arm goes [m].
struct Drift {
  double place = 0.0, angle = 0.0, way = 0.0;
};
Drift drift_together(const std::string& port_name, bool turning, double h) {
  const auto arm = contact::open(describe::load_text(kArm, "arm.yaml"), {.step = h});
  const int port = arm->port(port_name);
  control::FourChannel law{.gains = {}, .axes = device::kAllAxes};
  law.gains.coordination = {};
  law.gains.penalties = false;
  law.gains.turning = turning;
  const control::Matrix6 M_d = control::inertia_of(device_of_one_kilogram());
  Together now{arm->state().q, arm->state().u, arm->motion(port).X_WP.R, arm->motion(port).X_WP.p, {}};
  now.V = arm->motion(port).V_WP;
  control::FourChannelMemory memory;
  device::Sample sample;
  sample.X_WH = {now.R, now.p};
  law.engage(memory, sample, arm->motion(port));
  const auto rate = [&](double t, const Together& at) {
    arm->set_state({.t = t, .q = at.q, .u = at.u, .momentum = {}});
    sample.X_WH = {at.R, at.p};
    sample.V_WH = at.V;
    sample.F_H_W = {0.02 * std::sin(t),       0.0,
                    0.02 * std::cos(2.0 * t), 2.0 * std::sin(1.1 * t),
                    1.5 * std::sin(1.7 * t),  2.0 * std::cos(1.3 * t)};
    control::PortState state;
    state.motion = arm->motion(port);
    const device::Vector6 F_pc = law.coordination(memory, sample, state.motion);
    simulate::PortWrench held{port, sample.F_H_W};
    for (std::size_t i = 0; i < 6; ++i) held.wrench[i] -= F_pc[i];
    EXPECT_TRUE(arm->hold({.tau = {}, .ports = {&held, 1}, .wrench = {}}));
    state.acceleration = arm->acceleration(port);
    const std::span<const double> ud = arm->accelerations();
    Together slope{at.u, {ud.begin(), ud.end()}, {}, {}, {}};
    arm->mobility(port, state.L);
    const std::span<const double> Jd = arm->jacobian_rate(port);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < at.u.size(); ++k) state.turning[i] += Jd[i * at.u.size() + k] * at.u[k];
    slope.V = law.demand(memory, sample, state, F_pc, {}, M_d).acceleration;
    slope.p = {at.V[3], at.V[4], at.V[5]};
    const math::Vec3<double> w{at.V[0], at.V[1], at.V[2]};
    for (std::size_t j = 0; j < 3; ++j) {
      const math::Vec3<double> column = cross(w, math::Vec3<double>{at.R(0, j), at.R(1, j), at.R(2, j)});
      for (std::size_t i = 0; i < 3; ++i) slope.R(i, j) = column[i];
    }
    return slope;
  };
  Drift drift;
  const math::Vec3<double> start = now.p;
  const int steps = static_cast<int>(std::lround(2.0 / h));
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const Together a = rate(t, now), b = rate(t + 0.5 * h, now.plus(0.5 * h, a)),
                   c = rate(t + 0.5 * h, now.plus(0.5 * h, b)), d = rate(t + h, now.plus(h, c));
    now = now.plus(h / 6.0, a).plus(h / 3.0, b).plus(h / 3.0, c).plus(h / 6.0, d);
    arm->set_state({.t = t + h, .q = now.q, .u = now.u, .momentum = {}});
    const math::Pose<double>& X = arm->motion(port).X_WP;
    const math::Vec3<double> off = X.p - now.p, turned = math::rotation_vector(X.R * now.R.transposed()),
                             gone = X.p - start;
    drift.place = support::larger(drift.place, std::sqrt(dot(off, off)));
    drift.angle = support::larger(drift.angle, std::sqrt(dot(turned, turned)));
    drift.way = support::larger(drift.way, std::sqrt(dot(gone, gone)));
  }
  return drift;
}

// "No drift beyond rounding", word for word: no sample and hold, and no spring between the two. What the loop
// adds to that is the test above.
TEST(Spatial, ADeviceAndAnArmThatAreIntegratedTogetherDoNotDriftBeyondRounding) {
  constexpr double kStep = 5e-5;       // [s] rk4 errs by less than rounding, at some 10 rad/s
  constexpr double kRounding = 1e-12;  // [m], [rad] of 1 m, and of half a turn
  for (const char* port : {"hold_3", "hold_6", "hold_7"}) {
    const Drift with = drift_together(port, true, kStep), printed = drift_together(port, false, kStep);
    EXPECT_LT(with.place, kRounding) << port;
    EXPECT_LT(with.angle, kRounding) << port;
    EXPECT_GT(with.way, 0.1) << port;
    // As printed, without Jd u, it does.
    EXPECT_GT(printed.place, 1e-3) << port;
  }
}

/// A force sensor that does not see a part of the hand.
class Blind final : public device::Device {
 public:
  Blind(device::HandPointer hand, const device::Vector6& unseen)
      : inner_(device_of_one_kilogram(), std::move(hand)), unseen_(unseen) {}
  const device::Specification& specification() const noexcept override { return inner_.specification(); }
  device::State state() const noexcept override { return inner_.state(); }
  bool enable() noexcept override { return inner_.enable(); }
  void disable() noexcept override { inner_.disable(); }
  void stop() noexcept override { inner_.stop(); }
  bool wait() noexcept override { return inner_.wait(); }
  bool read(device::Sample& sample) noexcept override {
    if (!inner_.read(sample)) return false;
    for (std::size_t i = 0; i < 6; ++i) sample.F_H_W[i] -= unseen_[i];
    return true;
  }
  bool command(const device::Command& command) noexcept override { return inner_.command(command); }

 private:
  device::SimulatedImpedance inner_;
  device::Vector6 unseen_;
};

/// The mechanism at rest, pushed at a port along one of the directions that are resisted there by what the device does not see: how far it is from F/(M_d k_j), as a share of it. In the
/// metric of the device the wrench f M_d n moves it by f/k_j n.
double leak_error(simulate::Mechanism& mechanism, int port, int& directions) {
  const control::Matrix6 M_d = control::inertia_of(device_of_one_kilogram());
  control::Matrix6 L;
  mechanism.mobility(port, L);
  control::ResistedDirections resisted(device::kAllAxes, mechanism.nv());
  const control::FourChannelGains gains;
  const control::Resisted found = resisted.by_mobility(L, M_d, gains.tolerance, gains.fade);
  directions = found.count;
  double worst = 0.0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.count); ++d) {
    constexpr double kForce = 0.2;  // [N kg^-1/2]
    device::Vector6 push{};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) push[i] += kForce * M_d[6 * i + j] * found.n[d][j];
    const auto begin = mechanism.make_snapshot();
    Blind device(device::constant(push), push);
    HapticLoop loop(mechanism, device, port, {}, no_limits());
    loop.use(gains);
    EXPECT_TRUE(loop.enable());
    EXPECT_EQ(run_loop(loop, {.duration = 4.0}).ticks, 4000);
    const device::Sample& last = loop.sample();
    const math::Vec3<double> turned = math::rotation_vector(last.X_WH.R);
    double along = 0.0;  // n^T M_d x
    for (std::size_t i = 0; i < 6; ++i) along += push[i] / kForce * (i < 3 ? turned[i] : last.X_WH.p[i - 3]);
    const double expected = kForce / gains.joint_stiffness;
    worst = support::larger(worst, std::abs(along - expected) / expected);
    EXPECT_TRUE(mechanism.load(*begin));
  }
  return worst;
}

// What the device does not oppose along a resisted direction, it yields to by F/(M_d k_j), and no further.
TEST(Spatial, ADeviceThatLeaksYieldsByTheForceOverItsPenalty) {
  constexpr double kForce = 0.6, kStiffness = 200.0;  // [N], [1/s^2]; M_d is 1 kg
  const auto chain =
      contact::open(describe::load(support::source_dir() + "/models/three_link_chain.yaml"), {.step = 1e-3});
  const device::Vector6 across{0, 0, 0, 0, 0, kForce};  // out of the chain's plane
  Blind device(device::constant(across), across);
  HapticLoop loop(*chain, device, chain->port("middle"), {}, no_limits());
  loop.use(control::FourChannelGains{});
  ASSERT_TRUE(loop.enable());
  ASSERT_EQ(run_loop(loop, {.duration = 5.0}).ticks, 5000);
  EXPECT_NEAR(loop.record().p_H.z, kForce / kStiffness, 0.01 * kForce / kStiffness);
}

TEST(Spatial, ADeviceThatLeaksYieldsSoAtAnyBodyOfArmsAndLoops) {
  constexpr double kClose = 0.01;  // as in the plane
  const describe::Model arm = describe::load_text(kArm, "arm.yaml");
  int directions = 0, all = 0;
  for (int link = 1; link <= 7; ++link) {
    const auto mechanism = contact::open(arm, {.step = 1e-3});
    EXPECT_LT(leak_error(*mechanism, mechanism->port("hold_" + std::to_string(link)), directions), kClose)
        << link;
    EXPECT_EQ(directions, std::max(0, 6 - link)) << link;
    all += directions;
  }
  for (const char* name : {"stewart_platform", "bricard"}) {
    const auto mechanism = contact::open(describe::load_text(without_weight(name), name), {.step = 1e-3});
    mechanism->set_state({.t = 0.0,
                          .q = mechanism->state().q,
                          .u = std::vector<double>(mechanism->nv(), 0.0),
                          .momentum = {}});
    for (const simulate::Port& port : mechanism->ports()) {
      const int at = mechanism->port(port.frame < 0 ? "body:" + port.name : port.name);
      EXPECT_LT(leak_error(*mechanism, at, directions), kClose) << name << " " << port.name;
      all += directions;
    }
  }
  EXPECT_GT(all, 50);
}

}  // namespace
}  // namespace tactus::display
