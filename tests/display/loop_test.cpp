// The haptic loop, and what becomes of it when something goes wrong: every device, every fault, at every sample.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <shared_mutex>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/felt.h>
#include <tactus/display/run_loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

device::HandPointer stroking() { return device::following(device::strokes({0.05, 0, 0}, 0.7)); }

control::CouplerGains gains_for(const device::Specification& s) {
  if (s.kind == device::Kind::admittance) return {};
  control::CouplerGains gains = control::design(s, {1e12, kMass});
  gains.stiffness[0] = gains.damping[0] = 0.0;  // the block does not turn: the hand would push a wall
  return gains;
}

class EveryDevice : public ::testing::TestWithParam<std::string> {
 protected:
  struct Rig {
    Rig(const std::string& name, Injected what, std::uint64_t at)
        : device(device::open(name, stroking()), what, at),
          mechanism(mass_on_spring(1.0 / device.specification().rate)),
          loop(*mechanism, device, mechanism->port("block"), gains_for(device.specification()),
               control::limits_for(device.specification())) {
      EXPECT_TRUE(loop.enable());
    }
    Faulty device;
    std::unique_ptr<simulate::Mechanism> mechanism;
    HapticLoop loop;
  };
};

TEST_P(EveryDevice, RunsWellWithoutAFaultAllocationOrLock) {
  Rig rig(GetParam(), Injected::nothing, 0);
  const long before = test::allocation_count_of_this_thread();
  const long locks = test::lock_count_of_this_thread();
  for (int k = 0; k < 2000; ++k) {
    rig.device.wait();
    ASSERT_TRUE(rig.loop.tick(rig.loop.period())) << name_of(rig.loop.safety().fault) << " at " << k;
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(test::lock_count_of_this_thread(), locks);
  EXPECT_EQ(rig.loop.safety().stage, Stage::on);
  EXPECT_GT(std::abs(rig.mechanism->state().q[0]) + std::abs(rig.mechanism->state().u[0]), 1e-3);
}

TEST(Locks, AreCounted) {
  if (!test::kCountsLocks) GTEST_SKIP() << "the thread sanitizer has these calls for itself";
  std::mutex mutex;
  std::shared_mutex shared;
  const long before = test::lock_count_of_this_thread();
  { const std::lock_guard lock(mutex); }
  { const std::unique_lock lock(mutex, std::try_to_lock); }
  { const std::shared_lock lock(shared); }
  { const std::unique_lock lock(shared); }
  EXPECT_EQ(test::lock_count_of_this_thread(), before + 4);
}

TEST_P(EveryDevice, EveryFaultEndsInTheSafeStateWithinTheTick) {
  const std::pair<Injected, Fault> kFaults[] = {{Injected::lost, Fault::no_sample},
                                                {Injected::gone, Fault::no_sample},
                                                {Injected::late, Fault::late},
                                                {Injected::doubled, Fault::stale_sample},
                                                {Injected::skipped, Fault::skipped_sample},
                                                {Injected::nan, Fault::bad_sample},
                                                {Injected::stopped_clock, Fault::clock_stopped},
                                                {Injected::garbage, Fault::out_of_workspace}};
  for (const auto& [what, fault] : kFaults) {
    for (const std::uint64_t at : {2u, 3u, 50u, 251u, 700u}) {
      Rig rig(GetParam(), what, at);
      const RunReport report = run_loop(rig.loop, {.duration = 1.0});
      EXPECT_EQ(report.ticks, static_cast<long>(what == Injected::gone ? at - 1 : at));
      const bool bounded = rig.device.specification().workspace.x > 0.0;
      EXPECT_EQ(rig.loop.safety().fault, what == Injected::garbage && !bounded ? Fault::implausible : fault)
          << GetParam() << " " << static_cast<int>(what);
      EXPECT_EQ(rig.device.last_command().wrench, device::Vector6{});
      EXPECT_EQ(rig.device.last_command().V_WH, device::Vector6{});
      EXPECT_TRUE(device::finite(rig.device.last_command().X_WH));
      EXPECT_EQ(rig.device.state(), device::State::off);
      EXPECT_EQ(rig.loop.record().stage, Stage::faulted);
      EXPECT_EQ(rig.loop.record().on_handle, device::Vector6{});
      EXPECT_FALSE(rig.loop.enable());  // not by itself
      rig.loop.clear();
      EXPECT_TRUE(rig.loop.enable());
    }
  }
}

TEST_P(EveryDevice, GivesTheSameBitsTwice) {
  std::vector<TickRecord> one(1500), two(1500);
  for (std::vector<TickRecord>* records : {&one, &two}) {
    Rig rig(GetParam(), Injected::nothing, 0);
    EXPECT_EQ(run_loop(rig.loop, {.duration = 1.5}, *records).ticks, 1500);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(std::memcmp(&one[i].p_P, &two[i].p_P, sizeof one[i].p_P), 0) << i;
    ASSERT_EQ(one[i].on_port, two[i].on_port) << i;
    ASSERT_EQ(one[i].into_port, two[i].into_port) << i;
  }
}

// What is behind the port is felt as what it is. The fit uses the wrench that was held and the port's mean motion in a tick.
TEST_P(EveryDevice, TheHandFeelsTheMassTheDamperAndTheSpring) {
  Rig rig(GetParam(), Injected::nothing, 0);
  std::vector<TickRecord> records(4000);
  ASSERT_EQ(run_loop(rig.loop, {.duration = 4.0}, records).ticks, 4000);
  std::vector<double> x, v, a, F;
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const double v1 = records[i].V_P[3], v2 = records[i + 1].V_P[3];
    x.push_back(0.5 * (records[i].p_P.x + records[i + 1].p_P.x));
    v.push_back(0.5 * (v1 + v2));
    a.push_back((v2 - v1) / rig.loop.period());
    F.push_back(records[i].on_port[3]);
  }
  const Felt felt = fit_felt(x, v, a, F);
  constexpr double kMidpoint = 1e-3;  // the means are of second order in the period, and the motion is slow
  EXPECT_NEAR(felt.mass, kMass, kMidpoint * kMass);
  EXPECT_NEAR(felt.damping, kDamping, kMidpoint * kDamping);
  EXPECT_NEAR(felt.stiffness, kStiffness, kMidpoint * kStiffness);
}

// The work at the port is what the mechanism stores and burns: kinetic and spring energy at the end, b v^2 on the way.
TEST_P(EveryDevice, TheWorkAtThePortIsTheMechanismsEnergy) {
  Rig rig(GetParam(), Injected::nothing, 0);
  std::vector<TickRecord> records(2000);
  ASSERT_EQ(run_loop(rig.loop, {.duration = 2.0}, records).ticks, 2000);
  double burnt = 0.0;
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const double v1 = records[i].V_P[3], v2 = records[i + 1].V_P[3];
    burnt += kDamping * (v1 * v1 + v1 * v2 + v2 * v2) / 3.0 * rig.loop.period();  // v changes linearly
  }
  const double x = records.back().p_P.x, v = records.back().V_P[3];
  const double given = records[records.size() - 2].into_port;
  EXPECT_GT(given, 1e-3);
  EXPECT_NEAR(given, 0.5 * kMass * v * v + 0.5 * kStiffness * x * x + burnt, 1e-5 * given);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const device::Specification& s : device::devices())
    if ((s.actuated & device::kTranslation) != 0) all.push_back(s.name);  // the block does not turn
  return all;
}

INSTANTIATE_TEST_SUITE_P(Loop, EveryDevice, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == ':' || c == '-') c = '_';
  return name;
});

TEST(Loop, WantsTheMechanismsStepToBeTheDevicesPeriod) {
  const auto device = device::open("simulated:ideal", stroking());
  const auto mechanism = mass_on_spring(2e-3);
  EXPECT_THROW(HapticLoop(*mechanism, *device, 0, {}, {}), InputError);
}

TEST(Loop, ForcesAreOffUntilEnabledAndTheMechanismGoesOn) {
  const auto device = device::open("simulated:ideal", stroking());
  const auto mechanism = mass_on_spring(1e-3);
  mechanism->set_state({.t = 0.0, .q = {0.1}, .u = {0.0}, .momentum = {}});
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {{0, 100}, {0, 0.1}},
                  control::limits_for(device->specification()));
  for (int k = 0; k < 100; ++k) {
    device->wait();
    ASSERT_TRUE(loop.tick(1e-3));
    EXPECT_EQ(loop.record().on_handle, device::Vector6{});
    EXPECT_EQ(loop.record().on_port, device::Vector6{});
  }
  EXPECT_LT(mechanism->state().q[0], 0.1);
}

TEST(Loop, AMechanismThatFailsSwitchesTheForcesOff) {
  const auto device = device::open("simulated:ideal", device::constant({0, 0, 0, 1e3, 0, 0}));
  const auto mechanism = mass_on_spring(1e-3);
  control::SafetyLimits none;
  none.ramp = 0.0;
  // A coupler far beyond any border: the loop diverges, and its end is a state, not a surprise.
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {{0, 1e9}, {0, 0}}, none);
  ASSERT_TRUE(loop.enable());
  const RunReport report = run_loop(loop, {.duration = 10.0});
  EXPECT_LT(report.ticks, 10000);
  EXPECT_EQ(loop.safety().stage, Stage::faulted);
  EXPECT_EQ(device->state(), device::State::off);
}

// A hand that pushes harder than the clamp: the port gets no more than the clamp, and that by its rate while forces ramp up (0.25 s).
TEST(Loop, AnAdmittanceDevicesForceIsClampedFromTheFirstTick) {
  const auto device = device::open("simulated:admittance", device::constant({0, 0, 0, 290.0, 0, 0}));
  const auto mechanism =
      contact::open(describe::load(support::source_dir() + "/models/shopping_cart.yaml"), {.step = 1e-3});
  const control::SafetyLimits limits = control::limits_for(device->specification());
  ASSERT_GT(limits.force[1], 0.0);
  HapticLoop loop(*mechanism, *device, 0, {}, limits);
  ASSERT_TRUE(loop.enable());
  constexpr double kRounding = 1e-9;
  device::Vector6 last{};
  double largest = 0.0;
  for (int k = 0; k < 235; ++k) {  // the cart is out of the workspace after 240
    device->wait();
    ASSERT_TRUE(loop.tick(1e-3)) << name_of(loop.safety().fault) << " at " << k;
    const device::Vector6& F = loop.record().on_port;
    ASSERT_LE(std::hypot(F[3], F[4], F[5]), limits.force[1] + kRounding) << k;
    ASSERT_LE(std::hypot(F[3] - last[3], F[4] - last[4], F[5] - last[5]),
              1e-3 * limits.force_rate[1] + kRounding)
        << k;
    last = F;
    largest = support::larger(largest, std::hypot(F[3], F[4], F[5]));
  }
  EXPECT_NEAR(largest, limits.force[1], kRounding);  // it was needed
}

// A coin that turns faster than the device may: the tick that would send it ends in the safe state instead.
TEST(Loop, AnAdmittanceDeviceIsNeverToldToTurnFasterThanItsLimit) {
  Faulty device(device::open("simulated:admittance", device::none()), Injected::nothing, 0);
  const auto coin =
      contact::open(describe::load(support::source_dir() + "/models/rolling_coin.yaml"), {.step = 1e-3});
  control::SafetyLimits limits = control::limits_for(device.specification());
  const simulate::PortMotion port = coin->motion(0);
  const double turning = std::hypot(port.V_WP[0], port.V_WP[1], port.V_WP[2]);
  ASSERT_GT(turning, 0.0);
  limits.speed[0] = 0.5 * turning;
  HapticLoop loop(*coin, device, 0, {}, limits);
  ASSERT_TRUE(loop.enable());
  device.wait();
  EXPECT_FALSE(loop.tick(1e-3));
  EXPECT_EQ(loop.safety().fault, Fault::too_fast);
  EXPECT_EQ(device.commands(), 1);
  EXPECT_EQ(device.last_command().V_WH, device::Vector6{});
  EXPECT_EQ(device.state(), device::State::off);
}

// Nothing is known of where the handle is: the safe state is where it stands, and no place that it was never in.
TEST(Loop, AFirstSampleThatIsBadMovesNoAdmittanceDevice) {
  for (const Injected what : {Injected::nan, Injected::lost, Injected::no_rotation}) {
    Faulty device(device::open("simulated:admittance", stroking()), what, 1);
    const auto mechanism = mass_on_spring(1e-3);
    HapticLoop loop(*mechanism, device, mechanism->port("block"), {},
                    control::limits_for(device.specification()));
    ASSERT_TRUE(loop.enable());
    device.wait();
    EXPECT_FALSE(loop.tick(1e-3));
    EXPECT_EQ(device.commands(), 0);
    EXPECT_EQ(device.state(), device::State::off);
  }
}

TEST(Loop, DrivesMechanismsWithLoopsRollingAndContact) {
  for (const char* name : {"four_bar", "shopping_cart", "stiff_wall", "planar_3r", "stewart_platform"}) {
    const auto mechanism =
        contact::open(describe::load(support::source_dir() + "/models/" + name + ".yaml"), {.step = 1e-3});
    const auto device = device::open("simulated:spatial",
                                     device::following(device::circles({0.02, 0, 0}, {0, 0.02, 0}, 0.5)));
    HapticLoop loop(*mechanism, *device, 0, control::design(device->specification(), {1e-2, 1.0}, 0.1),
                    control::limits_for(device->specification()));
    ASSERT_TRUE(loop.enable());
    EXPECT_EQ(run_loop(loop, {.duration = 1.0}).ticks, 1000) << name << ": " << name_of(loop.safety().fault);
    EXPECT_EQ(loop.record().stage, Stage::on) << name;
  }
}

}  // namespace
}  // namespace tactus::display
