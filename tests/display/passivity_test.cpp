// The passivity observer and controller: a hand gains nothing, whatever the controller does.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/control/passivity.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/run_loop.h>
#include "support/compare.h"

namespace tactus::display {
namespace {

std::unique_ptr<simulate::Mechanism> mass(double kilograms, double step) {
  return contact::open(
      describe::load_text(
          "name: mass\ngravity: [0, 0, 0]\nbodies: {block: {mass: " + std::to_string(kilograms) +
              "}}\njoints: {x: {type: prismatic, parent: world, child: block, "
              "axis: x}}\n",
          "mass.yaml"),
      {.step = step});
}

TEST(Passivity, TheDamperBurnsWhatIsMissing) {
  std::array<double, 36> M{};
  for (std::size_t i = 0; i < 6; ++i) M[7 * i] = i < 3 ? 0.01 : 2.0;
  const device::Vector6 V{0, 0, 3.0, 0.5, 0, 0};
  constexpr double T = 1e-3, kMissing = 1e-4;  // [J]
  EXPECT_EQ(control::passivity_wrench(1.0, V, M, T), device::Vector6{});
  EXPECT_EQ(control::passivity_wrench(-1.0, {}, M, T), device::Vector6{});
  const device::Vector6 F = control::passivity_wrench(-kMissing, V, M, T);
  double burnt = 0.0;
  for (std::size_t i = 0; i < 6; ++i) burnt -= T * F[i] * V[i];
  EXPECT_NEAR(burnt, kMissing, 1e-15);
  // However much is missing, at most half of the momentum goes in a tick.
  const device::Vector6 most = control::passivity_wrench(-1e3, V, M, T);
  EXPECT_NEAR(T * most[3], -0.5 * 2.0 * 0.5, 1e-12);
  const device::Vector6 yields = control::passivity_motion(-1e-5, {0, 0, 0, 2.0, 0, 0}, {0.5, 0.02}, T);
  EXPECT_NEAR(T * 2.0 * yields[3], 1e-5, 1e-18);
}

struct Swing {
  double largest = 0.0;  // [m]
  double drawn = 0.0;    // [J] most that the hand ever had from the handle, net
  double guarded = 0.0;  // [J]
};

/// A handle thrown at a spring to a mass of a hundred tons, three times as stiff as its sampled border allows.
Swing thrown(bool guarded, std::size_t steps) {
  device::Specification s;
  s.name = "bare";
  s.inertia = {1e-3, 0.2};
  s.damping = {1e-3, 1.5};
  s.resolution = {0.0, steps > 0 ? 1e-5 : 0.0};
  device::SimulatedImpedance device(s, device::none());
  device.set_handle({.p = {}, .orientation = {}, .V = {0, 0, 0, 0.05, 0, 0}});
  const auto wall = mass(1e5, 1e-3);
  constexpr double kStiffness = 3.0 * 3000.0;  // [N/m] 2 b/T is 3000
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*wall, device, wall->port("block"), {{0, kStiffness}, {0, 0}}, limits);
  loop.guard_passivity(guarded);
  EXPECT_TRUE(loop.enable());
  Swing swing;
  for (int k = 0; k < 3000; ++k) {
    device.wait();
    if (!loop.tick(1e-3)) break;
    swing.largest = support::larger(swing.largest, std::abs(loop.record().p_H.x));
    swing.drawn = support::larger(swing.drawn, -loop.record().out_of_handle);
  }
  swing.guarded = loop.record().guarded;
  return swing;
}

TEST(Passivity, TheGuardHoldsAWallThatFeedsTheHandleWithoutIt) {
  const double energy = 0.5 * 0.2 * 0.05 * 0.05;  // [J] with which the handle comes
  for (const std::size_t steps : {0u, 1u}) {
    const Swing wild = thrown(false, steps), tame = thrown(true, steps);
    EXPECT_GT(wild.drawn, 10.0 * energy) << steps;  // it feeds itself
    // Between two steps of the encoder no speed is seen that could be damped: the guard then comes late.
    EXPECT_LT(tame.drawn, steps > 0 ? 10.0 * energy : energy) << steps;
    EXPECT_LT(tame.drawn, 0.01 * wild.drawn) << steps;
    EXPECT_LT(tame.largest, 0.1 * wild.largest) << steps;
    EXPECT_GT(tame.guarded, 0.0) << steps;
  }
}

// A passive loop is left alone.
TEST(Passivity, TheGuardDoesNothingWhereNothingIsGained) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    std::array<std::vector<TickRecord>, 2> records{std::vector<TickRecord>(1000),
                                                   std::vector<TickRecord>(1000)};
    for (const bool guarded : {false, true}) {
      const auto block = mass(3.0, 1e-3);
      const auto device = device::open(s.name, device::following(device::strokes({0.02, 0, 0}, 0.7)));
      HapticLoop loop(*block, *device, block->port("block"), {{0, 50.0}, {0, 0.3}},
                      control::limits_for(device->specification()));
      loop.guard_passivity(guarded);
      ASSERT_TRUE(loop.enable());
      ASSERT_EQ(run_loop(loop, {.duration = 1.0}, records[guarded ? 1 : 0]).ticks, 1000);
    }
    double net = 0.0;
    for (const TickRecord& r : records[0]) net = std::min(net, r.out_of_handle);
    if (net < 0.0) continue;  // encoder steps alone may show less than nothing: then it acts
    for (std::size_t k = 0; k < 1000; ++k)
      ASSERT_EQ(records[0][k].on_handle, records[1][k].on_handle) << s.name;
  }
}

// A spring that was wound before the hand came gives more than the hand put in: the guarded device yields to the hand instead.
TEST(Passivity, TheGuardYieldsOnAnAdmittanceDevice) {
  std::array<double, 2> drawn{};
  for (const bool guarded : {false, true}) {
    const auto device = device::open("simulated:admittance", device::hold());
    const auto block = contact::open(describe::load_text(R"(
name: wound
gravity: [0, 0, 0]
bodies: {block: {mass: 3}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x, stiffness: 200}}
)",
                                                         "wound.yaml"),
                                     {.step = 1e-3});
    block->set_state({.t = 0.0, .q = {0.05}, .u = {0.0}, .momentum = {}});
    control::SafetyLimits limits = control::limits_for(device->specification());
    limits.ramp = 0.0;
    HapticLoop loop(*block, *device, block->port("block"), {}, limits);
    loop.guard_passivity(guarded);
    ASSERT_TRUE(loop.enable());
    for (int k = 0; k < 1000; ++k) {
      device->wait();
      ASSERT_TRUE(loop.tick(1e-3)) << name_of(loop.safety().fault);
      drawn[guarded ? 1 : 0] = support::larger(drawn[guarded ? 1 : 0], -loop.record().out_of_handle);
    }
    EXPECT_EQ(loop.record().guarded > 0.0, guarded);
  }
  EXPECT_GT(drawn[0], 0.02);  // [J] of 0.25 in the spring
  EXPECT_LT(drawn[1], 0.5 * drawn[0]);
}

}  // namespace
}  // namespace tactus::display
