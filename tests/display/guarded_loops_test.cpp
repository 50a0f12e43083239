// The passivity observer and controller with every controller: a handle that each of them feeds by itself is
// held by the guard.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include <tactus/contact/open.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

enum class Shown { coupler, proxy, two_rates, four_channels };
constexpr const char* kNames[] = {"coupler", "proxy", "two_rates", "four_channels"};

constexpr double kPeriod = 1e-3;                      // [s]
constexpr double kInertia = 0.2, kDamping = 1.5;      // [kg], [N s/m] of the handle
constexpr double kSpeed = 0.05;                       // [m/s] with which it comes
constexpr double kBorder = 2.0 * kDamping / kPeriod;  // [N/m] 3000
constexpr double kStiffness = 3.0 * kBorder;

std::unique_ptr<simulate::Mechanism> on_a_line(double mass, const char* world = "") {
  return contact::open(
      describe::load_text("name: behind\ngravity: [0, 0, 0]\nbodies:\n" + std::string(world) +
                              "  block: {mass: " + std::to_string(mass) + "}\n" +
                              "joints: {x: {type: prismatic, parent: world, child: block, axis: x}}\n",
                          "behind.yaml"),
      {.step = kPeriod});
}

/// A hundred tons; a slot for a point.
std::unique_ptr<simulate::Mechanism> behind(Shown shown) {
  return on_a_line(1e5, shown == Shown::proxy ? R"(  world:
    geometry:
      - {shape: plane, name: ahead, size: [1, 1], contact: true, placement: {xyz: [0.05 mm, 0, 0], axis_angle: {axis: y, angle: -90 deg}}}
      - {shape: plane, name: behind, size: [1, 1], contact: true, placement: {xyz: [-0.05 mm, 0, 0], axis_angle: {axis: y, angle: 90 deg}}}
)"
                                              : "");
}

struct Swing {
  double largest = 0.0;  // [m]
  double drawn = 0.0;    // [J] most that the handle ever had from the loop, net
  double guarded = 0.0;  // [J]
  control::Fault fault = control::Fault::none;
};

Swing thrown(Shown shown, bool guarded, double step) {
  device::Specification s;
  s.name = "bare";
  s.inertia = {1e-3, kInertia};
  s.damping = {1e-3, kDamping};
  s.resolution = {0.0, step};
  device::SimulatedImpedance device(s, device::none());
  device.set_handle({.p = {}, .orientation = {}, .V = {0, 0, 0, kSpeed, 0, 0}});
  const auto mechanism = behind(shown);
  control::SafetyLimits limits;  // none: it is meant to be unstable
  limits.ramp = 0.0;
  const control::CouplerGains spring{{0, kStiffness}, {0, 0}};
  HapticLoop loop(*mechanism, device, mechanism->port("block"), spring, limits);
  if (shown == Shown::proxy) loop.use(control::ProxyGains{.stiffness = kStiffness});
  if (shown == Shown::two_rates) loop.use(TwoRateOptions{.every = 7, .delay = 3});
  if (shown == Shown::four_channels) {
    control::FourChannelGains gains;
    gains.coordination = spring;
    gains.penalties = false;
    gains.by_coordination = true;
    loop.use(gains);
  }
  loop.guard_passivity(guarded);
  EXPECT_TRUE(loop.enable());
  Swing swing;
  for (int k = 0; k < 3000; ++k) {
    device.wait();
    if (!loop.tick(kPeriod)) break;
    swing.largest = support::larger(swing.largest, std::abs(loop.record().p_H.x));
    swing.drawn = support::larger(swing.drawn, -loop.record().out_of_handle);
  }
  swing.fault = loop.safety().fault;
  swing.guarded = loop.record().guarded;
  return swing;
}

class EveryGuardedLoop : public ::testing::TestWithParam<Shown> {};

TEST_P(EveryGuardedLoop, IsHeldWhereItFeedsTheHandleWithoutTheGuard) {
  const Shown shown = GetParam();
  const double energy = 0.5 * kInertia * kSpeed * kSpeed;  // [J] with which the handle comes
  for (const double step : {0.0, 1e-5}) {
    const Swing wild = thrown(shown, false, step), tame = thrown(shown, true, step);
    EXPECT_GT(wild.drawn, 10.0 * energy) << step;  // it feeds itself
    EXPECT_LT(tame.drawn, 0.01 * wild.drawn) << step;
    EXPECT_LT(tame.largest, 0.1 * wild.largest) << step;
    EXPECT_GT(tame.guarded, 0.0) << step;
    EXPECT_EQ(wild.guarded, 0.0) << step;
    EXPECT_EQ(tame.fault, control::Fault::none) << step;
    // Motors that mask the handle's inertia and damping give and take what no hand has: of four channels the
    // handle's work says nothing.
    if (shown == Shown::four_channels) continue;
    // Between two steps of the encoder no speed is seen that could be damped: the guard then comes late.
    EXPECT_LT(tame.drawn, step > 0.0 ? 10.0 * energy : energy) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Passivity, EveryGuardedLoop,
                         ::testing::Values(Shown::coupler, Shown::proxy, Shown::two_rates,
                                           Shown::four_channels),
                         [](const auto& info) { return kNames[static_cast<std::size_t>(info.param)]; });

/// A hand that strokes what a handle leads, nine tenths as heavy as that bears.
struct Stroked {
  double gained = 0.0, turned = 0.0;  // [J] most that the hand ever had; all that went to and fro
  control::Fault fault = control::Fault::none;
  bool gave_up = false;
};

Stroked led(const char* name, bool guarded) {
  const auto device =
      device::open(name, device::following(device::strokes({0.03, 0, 0}, 0.8)), {.rate = 1.0 / kPeriod});
  const device::Specification& s = device->specification();
  const control::PrescribedGains gains{.axes = 1 << 3, .drift_rate = 20.0, .bandwidth = 50.0};
  const auto block = on_a_line(0.9 * control::heaviest_borne(s, gains) * s.inertia[1]);
  HapticLoop loop(*block, *device, block->port("block"), {}, control::limits_for(s));
  loop.use(gains);
  loop.guard_passivity(guarded);
  EXPECT_TRUE(loop.enable());
  Stroked stroked;
  double before = 0.0;
  for (int k = 0; k < 3000; ++k) {
    if (!device->wait() || !loop.tick(kPeriod)) break;
    const double work = device->hand_work();
    stroked.gained = support::larger(stroked.gained, -work);
    stroked.turned += std::abs(work - before);
    before = work;
  }
  stroked.fault = loop.safety().fault;
  stroked.gave_up = loop.gave_up();
  return stroked;
}

// A port that is led within what its handle bears feeds nobody, and the guard makes it no worse.
TEST(GuardedPrescribedPort, GivesNoHandMoreThanWithoutTheGuard) {
  for (const char* name : {"simulated:planar", "simulated:spatial", "simulated:ideal"}) {
    const Stroked without = led(name, false), with = led(name, true);
    EXPECT_EQ(without.fault, control::Fault::none) << name;
    EXPECT_EQ(with.fault, control::Fault::none) << name;
    EXPECT_FALSE(with.gave_up) << name;
    EXPECT_GT(without.turned, 1e-2) << name;  // [J]
    constexpr double kNoise = 1e-3;  // of the work to and fro: encoder steps, which the observer believes
    EXPECT_LE(with.gained, without.gained + kNoise * with.turned) << name;
    EXPECT_LT(with.turned, 2.0 * without.turned + 0.01) << name;
  }
}

}  // namespace
}  // namespace tactus::display
