// A tool beyond the force sensor, in a running loop: its weight does not move the mechanism, its inertia is not felt.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/fixture.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/loop.h>

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
  servo.fixture_mass = kTool;
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
