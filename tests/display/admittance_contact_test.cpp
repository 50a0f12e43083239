// Contact shown by motion: a box is pressed on a floor through an admittance device, dragged over it, held
// where friction holds it, and lifted. It does not turn: two corners that meet the floor one after the other
// would share an impact between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/admittance_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_cobot.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

constexpr double kPeriod = 1e-3;                   // [s]
constexpr double kMass = 2.0, kFriction = 0.3;     // [kg]
constexpr double kRestitution = 0.2, kGap = 5e-3;  // [m] that the box begins above the floor
constexpr double kPress = 20.0;                    // [N]
constexpr double kCorners = 2.0;                   // that carry the box: it moves in a plane
constexpr double kSpring = 40000.0,
                 kDamper = 400.0;  // [N/m], [N s/m] of the compliant contact at all corners together
constexpr double kSlip = 5e-3;     // [m/s] slower than that its friction is in proportion to the speed

enum class By { events, whole_steps, springs };
constexpr const char* kNames[] = {"events", "whole_steps", "springs"};

std::unique_ptr<simulate::Mechanism> box(By by) {
  const std::string law =
      by == By::springs       ? fmt::format("render: compliant, stiffness: {}, damping: {}, slip_speed: {}",
                                            kSpring / kCorners, kDamper / kCorners, kSlip)
      : by == By::whole_steps ? fmt::format("render: stepping, restitution: {}", kRestitution)
                              : fmt::format("restitution: {}", kRestitution);
  return contact::open(describe::load_text(fmt::format(R"(
name: box_on_floor
gravity: [0, 0, 0]
bodies:
  world: {{geometry: [{{shape: plane, name: floor, size: [4, 1], contact: true}}]}}
  slide: {{mass: 0}}
  box: {{mass: {0}, geometry: [{{shape: box, size: [0.1, 0.1, 0.04], contact: true}}]}}
joints:
  x: {{type: prismatic, parent: world, child: slide, axis: x}}
  z: {{type: prismatic, parent: slide, child: box, axis: z}}
contact: {{defaults: {{{1}, friction: {2}}}}}
initial: {{q: {{z: {3}}}}}
)",
                                                       kMass, law, kFriction, 0.02 + kGap),
                                           "box.yaml"),
                       {.step = kPeriod});
}

// What the hand does, and when: it presses, drags until the box has some speed, lets it slide to rest, pulls
// less than friction holds, and lifts.
constexpr double kDrag = 0.5, kSlide = 0.8, kPull = 1.2, kLift = 1.5, kEnd = 1.7;  // [s] when that begins
constexpr double kDragging = 10.0, kPulling = 4.0, kLifting = 5.0;                 // [N]

device::HandPointer hand() {
  return device::scripted([](double t) {
    const double x = t < kDrag ? 0.0 : t < kSlide ? kDragging : t < kPull ? 0.0 : t < kLift ? kPulling : 0.0;
    return Vector6{0, 0, 0, x, 0, t < kLift ? -kPress : kLifting};
  });
}

struct Seen {
  math::Vec3<double> p{}, v{};          // [m], [m/s] of the handle where the tick begins, as it truly is
  math::Vec3<double> p_P{}, v_P{};      // of the port where the tick ends, from where it was at first
  double normal = 0.0, friction = 0.0;  // [N] of the floor, where the tick ends
  double felt = 0.0;                    // [N] of the handle on the hand, upwards
};

struct Shown {
  device::Specification device;
  std::vector<Seen> ticks;

  std::size_t at(double t) const {
    return std::min(ticks.size() - 1, static_cast<std::size_t>(std::lround(t / kPeriod)));
  }
  double mean(double from, double to, const std::function<double(const Seen&)>& of) const {
    double sum = 0.0;
    for (std::size_t k = at(from); k < at(to); ++k) sum += of(ticks[k]);
    return sum / static_cast<double>(at(to) - at(from));
  }
  double largest(double from, double to, const std::function<double(const Seen&)>& of) const {
    double most = 0.0;
    for (std::size_t k = at(from); k < at(to); ++k) most = support::larger(most, std::abs(of(ticks[k])));
    return most;
  }
  /// [m/s^2] of the handle: the mean.
  double acceleration(double from, double to, double math::Vec3<double>::*along) const {
    return (ticks[at(to)].v.*along - ticks[at(from)].v.*along) / (to - from);
  }
};

Shown shown(const std::string& name, By by) {
  const auto device = device::open(name, hand(), {.rate = 1.0 / kPeriod});
  const auto mechanism = box(by);
  const int port = mechanism->port("box");
  HapticLoop loop(*mechanism, *device, port, {}, control::limits_for(device->specification()));
  EXPECT_TRUE(loop.enable());
  const math::Vec3<double> start = mechanism->motion(port).X_WP.p;
  Shown all{device->specification(), {}};
  const auto way = [](const Vector6& V) { return math::Vec3<double>{V[3], V[4], V[5]}; };
  for (int k = 0; k < static_cast<int>(std::lround(kEnd / kPeriod)); ++k) {
    if (!device->wait() || !loop.tick(kPeriod)) {
      ADD_FAILURE() << control::said_of(loop.safety()) << " in tick " << k;
      break;
    }
    Seen seen;
    if (const auto* servo = dynamic_cast<const device::SimulatedAdmittance*>(device.get()))
      seen.p = servo->handle().p, seen.v = way(servo->handle().V);
    if (const auto* cobot = dynamic_cast<const device::SimulatedCobot*>(device.get()))
      seen.p = cobot->handle().p, seen.v = way(cobot->handle().V);
    seen.p_P = mechanism->motion(port).X_WP.p - start;
    seen.v_P = way(mechanism->motion(port).V_WP);
    for (const simulate::PairReport& pair : mechanism->contact_report().pairs)
      seen.normal += pair.normal, seen.friction += pair.friction;
    seen.felt = on_hand(loop.record())[5];
    all.ticks.push_back(seen);
  }
  return all;
}

class AdmittanceContact : public ::testing::TestWithParam<std::tuple<const char*, By>> {
 protected:
  const char* name_ = std::get<0>(GetParam());
  By by_ = std::get<1>(GetParam());
  Shown shown_ = shown(name_, by_);
  void SetUp() override {
    ASSERT_EQ(shown_.ticks.size(), static_cast<std::size_t>(std::lround(kEnd / kPeriod)));
  }
  /// [m] of its place under the press, once it is at rest: what the servo yields by, and a step of the
  /// encoder.
  double yields() const { return kPress / shown_.device.stiffness + shown_.device.resolution[1]; }
  /// [m/s] with which the box comes to the floor.
  static double fall() { return std::sqrt(2.0 * kPress / kMass * kGap); }
};

constexpr double kShare = 0.01;  // of a force or an acceleration
constexpr double kRested = 0.3;  // [s] when the bounces are over, and the servos have come to rest

// Handle and port are apart by what the servo yields, and by the way that it goes until it knows better: with
// the speed of the impact for as long as the display is late.
TEST_P(AdmittanceContact, TheHandlePenetratesByTheCompliancesAndAStep) {
  const double step = fall() * control::display_lag(shown_.device);
  // Into a spring at its damping the box comes no deeper than without the damper.
  const double spring =
      by_ == By::springs
          ? kPress / kSpring + std::hypot(kPress / kSpring, fall() * std::sqrt(kMass / kSpring))
          : 0.0;
  for (const Seen& seen : shown_.ticks) {
    ASSERT_GE(seen.p.z, -kGap - spring - yields() - step);
    ASSERT_GE(seen.p_P.z, -kGap - spring - 1e-6) << "the port itself";
  }
  const double rests = by_ == By::springs ? -kPress / kSpring : 0.0;
  EXPECT_NEAR(shown_.mean(kRested, kDrag, [](const Seen& s) { return s.p_P.z; }), -kGap + rests, 1e-6);
  EXPECT_LT(shown_.largest(kRested, kDrag, [&](const Seen& s) { return s.p.z + kGap - rests; }), yields());
}

TEST_P(AdmittanceContact, TheHandFeelsWhatTheFloorGives) {
  for (const Seen& seen : shown_.ticks) ASSERT_GE(seen.normal, 0.0) << "no floor pulls";
  const auto normal = [](const Seen& s) { return s.normal; };
  const auto friction = [](const Seen& s) { return s.friction; };
  EXPECT_NEAR(shown_.mean(kRested, kDrag, normal), kPress, kShare * kPress);
  EXPECT_NEAR(shown_.mean(kRested, kDrag, [](const Seen& s) { return s.felt; }), kPress, kShare * kPress);
  EXPECT_NEAR(shown_.mean(kDrag + 0.1, kSlide, friction), kFriction * kPress, kShare * kFriction * kPress);
  EXPECT_NEAR(shown_.mean(kPull + 0.1, kLift, friction), kPulling, kShare * kPulling);
}

// In the tick of the impact, by the law: by events from where in the tick it is; by whole steps from where
// the step began.
TEST_P(AdmittanceContact, ItsSpeedJumpsAtTheImpact) {
  if (by_ == By::springs) return;  // nothing jumps
  std::size_t k = 1;
  while (k + 1 < shown_.ticks.size() && !(shown_.ticks[k].v_P.z > 0.0)) ++k;
  const Seen &before = shown_.ticks[k - 1], &after = shown_.ticks[k];
  const double v = before.v_P.z, a = shown_.ticks[k - 1].v_P.z - shown_.ticks[k - 2].v_P.z;  // in a tick
  constexpr double kNoise = 0.2 / kMass * kPeriod;  // [m/s] ten times what the sensor's is worth in a tick
  EXPECT_NEAR(v, -fall(), 1.5 * kPress / kMass * kPeriod) << "one tick before it";
  if (by_ == By::whole_steps) {
    EXPECT_NEAR(after.v_P.z, -kRestitution * v, kNoise);
  } else {
    const double to_go = -kGap - before.p_P.z;  // [m], with v t + a t^2/2 in ticks
    const double t = 2.0 * to_go / kPeriod / (v - std::sqrt(v * v + 2.0 * a * to_go / kPeriod));
    EXPECT_NEAR(after.v_P.z, -kRestitution * (v + a * t) + a * (1.0 - t), kNoise);
  }
  // The handle turns round as well, as soon as the display can, and no faster than the box came.
  const std::size_t late =
      static_cast<std::size_t>(std::ceil(2.0 * control::display_lag(shown_.device) / kPeriod));
  double back = shown_.ticks[k].v.z, fastest = 0.0;
  for (std::size_t i = k; i < shown_.ticks.size() && i < shown_.at(kDrag); ++i) {
    if (i <= k + late) back = support::larger(back, shown_.ticks[i].v.z);
    fastest = support::larger(fastest, shown_.ticks[i].v.z);
  }
  EXPECT_GT(back, 0.0);
  EXPECT_LT(fastest, fall());
}

TEST_P(AdmittanceContact, ItSlidesWithItsFrictionAndSticksBelowIt) {
  constexpr auto x = &math::Vec3<double>::x;
  constexpr double kBrake = kFriction * kPress;
  const double drives = (kDragging - kBrake) / kMass, brakes = kBrake / kMass;
  EXPECT_NEAR(shown_.acceleration(kDrag + 0.1, kSlide - 0.01, x), drives, kShare * drives);
  // Of the port: while it brakes the cobot's servo still takes out what the turn of the force left.
  EXPECT_NEAR((shown_.ticks[shown_.at(0.95)].v_P.x - shown_.ticks[shown_.at(kSlide + 0.05)].v_P.x) /
                  (0.95 - kSlide - 0.05),
              -brakes, kShare * brakes);
  const double speed = drives * (kSlide - kDrag), slid = 0.5 * speed * speed * (1.0 / drives + 1.0 / brakes);
  EXPECT_NEAR(shown_.mean(1.1, kPull, [](const Seen& s) { return s.p.x; }), slid, kShare * slid);
  // A compliant contact creeps.
  const double creeps = by_ == By::springs ? kSlip * kPulling / kBrake * (kLift - kPull) : 0.0;
  const double begins = shown_.ticks[shown_.at(kPull)].p.x;
  EXPECT_LT(shown_.largest(kPull, kLift, [&](const Seen& s) { return s.p.x - begins; }),
            (1.0 + kShare) * creeps + yields());
}

TEST_P(AdmittanceContact, ItLeavesWhenItIsPulled) {
  constexpr auto z = &math::Vec3<double>::z;
  // At once; what a spring holds it gives within its time.
  const double holds = by_ == By::springs ? kDamper / kSpring : 0.0;
  EXPECT_EQ(shown_.largest(kLift + holds + 2.0 * kPeriod, kEnd, [](const Seen& s) { return s.normal; }), 0.0);
  const double lifts = kLifting / kMass;
  EXPECT_NEAR(shown_.acceleration(kLift + 0.1, kEnd - 0.01, z), lifts, kShare * lifts);
  EXPECT_GT(shown_.ticks.back().p.z, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Contact, AdmittanceContact,
                         ::testing::Combine(::testing::Values("simulated:admittance", "simulated:cobot"),
                                            ::testing::Values(By::events, By::whole_steps, By::springs)),
                         [](const auto& info) {
                           std::string name = std::string(std::get<0>(info.param)).substr(10) + "_" +
                                              kNames[static_cast<std::size_t>(std::get<1>(info.param))];
                           return name;
                         });

}  // namespace
}  // namespace tactus::display
