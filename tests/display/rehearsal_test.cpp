// Steps that the loop rehearses before its deadline (run_loop.h): they leave nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/port_view.h>
#include <tactus/display/run_loop.h>

#include "display/mass_on_spring.h"
#include "support/allocations.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

struct Held {
  std::string model, device;
  simulate::Integrator integrator = simulate::Integrator::rk4;
};
void PrintTo(const Held& held, std::ostream* out) { *out << held.model << ' ' << name_of(held.integrator); }

/// What a hand's strokes make of it, in simulated time: ticks' numbers one after the other.
std::vector<double> run(const Held& held, int rehearsals, int ticks) {
  constexpr double kRate = 1000.0;  // [Hz]
  const describe::Model model = describe::load(support::source_dir() + "/models/" + held.model + ".yaml");
  const auto mechanism = contact::open(model, {.step = 1.0 / kRate, .integrator = held.integrator});
  mechanism->set_state({0.0, mechanism->state().q, std::vector<double>(mechanism->nv(), 0.0), {}});
  const auto device = device::open(held.device, device::following(device::strokes({0.02, 0.01, 0.0}, 0.7)),
                                   {.rate = kRate, .seed = 1});
  std::array<double, 36> mobility{};
  mechanism->mobility(0, mobility);
  const double easiest = std::max({mobility[21], mobility[28], mobility[35], 1e-3});  // [1/kg]
  const control::CouplerGains gains = control::design(device->specification(), {0.1, 1.0 / easiest}, 0.3);
  HapticLoop loop(*mechanism, *device, 0, gains, control::limits_for(device->specification()));
  EXPECT_TRUE(loop.enable());
  std::vector<double> numbers;
  for (int k = 0; k < ticks; ++k) {
    const long before = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
    for (int i = 0; i < rehearsals; ++i) loop.rehearse();
    EXPECT_EQ(test::allocation_count_of_this_thread(), before) << k;
    EXPECT_EQ(test::lock_count_of_this_thread(), locks) << k;
    EXPECT_TRUE(device->wait());
    if (!loop.tick(loop.period())) {
      ADD_FAILURE() << held.model << " at " << k;
      break;
    }
    const TickRecord& record = loop.record();
    numbers.insert(numbers.end(), record.on_port.begin(), record.on_port.end());
    numbers.insert(numbers.end(), {record.into_port, record.made});
    const simulate::State& state = mechanism->state();
    numbers.push_back(state.t);
    numbers.insert(numbers.end(), state.q.begin(), state.q.end());
    numbers.insert(numbers.end(), state.u.begin(), state.u.end());
  }
  return numbers;
}

class Rehearsal : public ::testing::TestWithParam<Held> {};

TEST_P(Rehearsal, ChangesNoBitOfTheTicks) {
  constexpr int kTicks = 600;
  const std::vector<double> without = run(GetParam(), 0, kTicks);
  EXPECT_EQ(run(GetParam(), 1, kTicks), without);
  EXPECT_EQ(run(GetParam(), 2, kTicks), without);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Rehearsal,
                         testing::Values(Held{"four_bar", "simulated:planar"},
                                         Held{"shopping_cart", "simulated:planar"},
                                         Held{"puma560", "simulated:spatial"},
                                         Held{"four_bar", "simulated:planar", simulate::Integrator::passive},
                                         // By events: nothing is rehearsed.
                                         Held{"chain_in_enclosure_rigid", "simulated:planar"}));

TEST(RehearsalOfAPort, IsAStepTakenBack) {
  const auto mechanism = mass_on_spring(1e-3);
  FullPort port(*mechanism, mechanism->port("block"), {});
  mechanism->set_state({0.0, {0.02}, {0.3}, {}});
  const simulate::State before = mechanism->state();
  port.begin();
  port.rehearse({0, 0, 0, 5.0, 0, 0});
  EXPECT_EQ(mechanism->state().t, before.t);
  EXPECT_EQ(mechanism->state().q, before.q);
  EXPECT_EQ(mechanism->state().u, before.u);
  EXPECT_EQ(port.motion().V_WP[3], 0.3);  // where it is, not where the rehearsal led
}

TEST(RehearsalInRealTime, EveryPeriodIsMadeOrCountedWithAndWithoutIt) {
  for (const double ahead : {0.0, 1e-4, 3600.0}) {  // [s] never more than an eighth of a period
    const auto device = device::open("simulated:ideal", device::constant({0, 0, 0, 1.0, 0, 0}));
    const auto mechanism = mass_on_spring(1e-3);
    control::SafetyLimits limits = control::limits_for(device->specification());
    limits.late = 3600.0;  // [s] a busy machine may be as late as it likes
    control::CouplerGains gains = control::design(device->specification(), {1e12, kMass});
    gains.stiffness[0] = gains.damping[0] = 0.0;
    HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains, limits);
    ASSERT_TRUE(loop.enable());
    const RunReport report =
        run_loop(loop, {.duration = 0.1, .realtime = true, .ahead = ahead, .watchdog = 0.0});
    EXPECT_GE(report.ticks + report.missed, 100) << ahead;
    EXPECT_GE(report.seconds, 0.098) << ahead;  // never faster than the clock
    EXPECT_EQ(report.wake.count(), static_cast<std::uint64_t>(report.ticks)) << ahead;
  }
}

}  // namespace
}  // namespace tactus::display
