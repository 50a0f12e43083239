// A tool beyond the force sensor, in a running loop: its weight does not move the mechanism, its inertia is not felt.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/fixture.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_cobot.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/loop.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

constexpr double kVirtual = 1.0, kTool = 0.3;  // [kg]

/// A free mass of three freedoms.
std::unique_ptr<simulate::Mechanism> mass() {
  return contact::open(describe::load_text(R"(
name: mass
gravity: [0, 0, 0]
bodies: {a: {mass: 0}, b: {mass: 0}, block: {mass: 1}}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x}
  y: {type: prismatic, parent: a, child: b, axis: y}
  z: {type: prismatic, parent: b, child: block, axis: z}
)",
                                           "mass.yaml"),
                       {.step = 1e-3});
}

/// The mass that a hand feels along x by a sine of 1 Hz: force over the true handle's acceleration, in phase.
double felt(bool compensated) {
  const double omega = 2.0 * std::numbers::pi;
  device::Specification s;
  s.name = "servo";
  s.kind = device::Kind::admittance;
  device::Servo servo;
  servo.bandwidth = 2000.0;
  servo.fixture = {.mass = kTool, .centre = {}, .inertia = {}};
  device::SimulatedAdmittance device(
      s, device::scripted([omega](double t) { return Vector6{0, 0, 0, std::cos(omega * t), 0, 0}; }), servo);
  const auto block = mass();
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*block, device, block->port("block"), {}, limits);
  if (compensated) loop.compensate({.mass = kTool, .centre = {}, .inertia = {}});
  EXPECT_TRUE(loop.enable());
  double in_phase = 0.0;
  for (int k = 0; k < 4000; ++k) {
    EXPECT_TRUE(device.wait() && loop.tick(1e-3));
    // v = F/(m omega) sin: its part over the last three turns.
    if (k >= 1000) in_phase += device.handle().V[3] * std::sin(omega * 1e-3 * k) * 2.0 / 3000.0;
  }
  if (compensated) {
    EXPECT_LT(std::abs(block->state().q[2]), 1e-6);  // its weight moves nothing
  } else {
    EXPECT_LT(block->state().q[2], -1.0);
  }
  return 1.0 / (omega * in_phase);
}

TEST(FixtureInTheLoop, IsFeltAsItsMassUnlessItIsCompensated) {
  // The mean of a velocity that changes by steps of a period, and a tick's delay: 6 mrad, in squares.
  constexpr double kSampled = 1e-3;
  EXPECT_NEAR(felt(false), kVirtual + kTool, kSampled * kVirtual);
  EXPECT_NEAR(felt(true), kVirtual, kSampled * kVirtual);
}

/// What a hand feels of a mechanism along one axis by a sine of 1 Hz: the size of its force over that of the
/// true handle's acceleration. A display that comes late turns the one against the other, and changes no size
/// but by squares.
template <class D>
double felt_along(D& device, simulate::Mechanism& mechanism, const char* port, std::size_t axis,
                  double amplitude, const device::Fixture* compensated) {
  const double omega = 2.0 * std::numbers::pi;
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(mechanism, device, mechanism.port(port), {}, limits);
  if (compensated != nullptr) loop.compensate(*compensated);
  EXPECT_TRUE(loop.enable());
  double in_phase = 0.0, behind = 0.0;
  for (int k = 0; k < 4000; ++k) {
    EXPECT_TRUE(device.wait() && loop.tick(1e-3)) << k;
    if (k < 1000) continue;
    in_phase += device.handle().V[axis] * std::sin(omega * 1e-3 * k) * 2.0 / 3000.0;
    behind += device.handle().V[axis] * std::cos(omega * 1e-3 * k) * 2.0 / 3000.0;
  }
  return amplitude / (omega * std::hypot(in_phase, behind));
}

/// A sine along one axis.
device::HandPointer shaking(std::size_t axis, double amplitude) {
  return device::scripted([axis, amplitude](double t) {
    Vector6 F{};
    F[axis] = amplitude * std::cos(2.0 * std::numbers::pi * t);
    return F;
  });
}

// The cobot's sensor reads what hangs beyond it, too. Its servo is late, so that it is the sizes that are
// compared.
TEST(FixtureInTheLoop, OnACobotItIsFeltAsItsMassUnlessItIsCompensated) {
  const auto felt = [](double tool, bool compensated, double gravity) {
    device::Specification s;
    s.name = "cobot";
    s.kind = device::Kind::admittance;
    device::CobotOptions options;
    options.fixture = {.mass = tool, .centre = {}, .inertia = {}, .gravity = {0.0, 0.0, gravity}};
    device::SimulatedCobot cobot(s, shaking(3, 0.5), options);
    const auto block = mass();
    const double m = felt_along(cobot, *block, "block", 3, 0.5, compensated ? &options.fixture : nullptr);
    // By its weight the wheels creep, the servo steers against it, and the mechanism feels nothing of either.
    EXPECT_LT(std::abs(block->state().q[2]), 1e-6);
    EXPECT_LT(std::abs(cobot.handle().p.z), 1e-6);
    return m;
  };
  const double bare = felt(0.0, false, 0.0);
  constexpr double kOwn = 0.01;  // of the cobot's servo (tests/device/cobot_test.cpp)
  EXPECT_NEAR(bare, kVirtual, kOwn * kVirtual);
  constexpr double kLate = 1e-3;
  EXPECT_NEAR(felt(kTool, false, 0.0) - bare, kTool, kLate * kVirtual);
  EXPECT_NEAR(felt(kTool, true, 0.0), bare, kLate * kVirtual);
  EXPECT_NEAR(felt(kTool, true, -9.81), bare, kLate * kVirtual);
}

// Turned about z beside its centre a tool has I_zz + m c^2.
TEST(FixtureInTheLoop, TurningItIsFeltAsItsMomentOfInertiaUnlessItIsCompensated) {
  constexpr double kWheel = 0.02, kMoment = 4e-3;  // [kg m^2]
  const device::Fixture tool{.mass = kTool, .centre = {0.03, -0.04, 0.1}, .inertia = {3e-3, 5e-3, kMoment}};
  const double added = kMoment + kTool * 0.05 * 0.05;
  const auto felt = [&](bool hangs, bool compensated) {
    device::Specification s;
    s.name = "servo";
    s.kind = device::Kind::admittance;
    device::Servo servo;
    servo.bandwidth = 2000.0;
    if (hangs) servo.fixture = tool;
    device::SimulatedAdmittance device(s, shaking(2, 0.02), servo);
    const auto wheel = contact::open(describe::load_text(R"(
name: wheel
gravity: [0, 0, 0]
bodies: {disk: {mass: 1, inertia: [0.01, 0.01, 0.02]}}
joints: {q: {type: revolute, parent: world, child: disk, axis: z}}
)",
                                                         "wheel.yaml"),
                                     {.step = 1e-3});
    return felt_along(device, *wheel, "disk", 2, 0.02, compensated ? &tool : nullptr);
  };
  constexpr double kSampled = 1e-3;
  EXPECT_NEAR(felt(false, false), kWheel, kSampled * kWheel);
  EXPECT_NEAR(felt(true, false), kWheel + added, kSampled * kWheel);
  EXPECT_NEAR(felt(true, true), kWheel, kSampled * kWheel);
}

// In 100 orientations of the handle, by the device's own sensor, whose steps are along its axes, and what the
// loop makes of it: of weight and torque of a tool with a centre of its own less than half a step is left.
TEST(FixtureInTheLoop, AtRestNothingIsLeftOfItsWeightInAnyOrientation) {
  const device::Fixture tool{.mass = 0.8, .centre = {0.01, -0.02, 0.06}, .inertia = {1e-3, 2e-3, 5e-4}};
  device::Specification s;
  s.name = "servo";
  s.kind = device::Kind::admittance;
  s.force_resolution = {6e-3, 0.11};
  device::Servo servo;
  servo.fixture = tool;
  constexpr double kRounding = 1e-12;
  device::Random random(7);
  double most = 0.0;
  for (int i = 0; i < 100; ++i) {
    device::SimulatedAdmittance device(s, device::none(), servo);
    device.set_handle(
        {.p = {},
         .orientation = math::exponential(
             {6.0 * random.uniform() - 3.0, 6.0 * random.uniform() - 3.0, 6.0 * random.uniform() - 3.0}),
         .V = {}});
    const auto block = mass();
    HapticLoop loop(*block, device, block->port("block"), {}, {});
    loop.compensate(tool);
    ASSERT_TRUE(loop.enable());
    ASSERT_TRUE(device.wait() && loop.tick(1e-3));
    const TickRecord& record = loop.record();
    const Vector6 left = device::turned(device.handle().pose().R.transposed(), record.F_H);
    for (std::size_t k = 0; k < 6; ++k) {
      ASSERT_LE(std::abs(left[k]), 0.5 * s.force_resolution[k / 3] + kRounding) << i << " " << k;
      most = support::larger(most, std::abs(left[k]) / s.force_resolution[k / 3]);
    }
    // Not compensated, it is the tool's weight.
    device::Sample sample;
    ASSERT_TRUE(device.read(sample));
    const double weight = std::hypot(sample.F_H_W[3], sample.F_H_W[4], sample.F_H_W[5]);
    ASSERT_NEAR(weight, 0.8 * 9.81, 0.11);
  }
  EXPECT_GT(most, 0.4);  // steps there are
}

TEST(FixtureInTheLoop, IsRefusedForADeviceThatSensesMotion) {
  device::Specification s;
  s.inertia = {0.01, 1.0};
  device::SimulatedImpedance device(s, device::none());
  const auto block = mass();
  HapticLoop loop(*block, device, block->port("block"), {}, {});
  EXPECT_THROW(loop.compensate({.mass = 1.0, .centre = {}, .inertia = {}}), InputError);
}

}  // namespace
}  // namespace tactus::display
