// The coupler in the loop where it is not what it was designed to be: forces that come on, clamps that hold them back, a port that grows light.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/energy_books.h>
#include <tactus/display/run_loop.h>

#include "display/mass_on_spring.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

/// A port of 0.5 g that carries 1 kg, until it drops it.
constexpr const char* kGrowsLight = R"(
name: grows_light
gravity: [0, 0, 0]
bodies: {port: {mass: 0.5 g}, load: {mass: 1}}
joints:
  x: {type: prismatic, parent: world, child: port, axis: x}
  y: {type: prismatic, parent: world, child: load, axis: x}
constraints: {carries: {type: rates, equations: [x_dot - y_dot]}}
transitions: {drops: {when: x > 20 mm, if_active: carries, release: carries, once: true}}
)";

struct Outcome {
  control::Fault fault = control::Fault::none;
  double made = 0.0, by_display = 0.0, turned = 0.0, softest = 1.0;
};

Outcome run(simulate::Mechanism& mechanism, int port, device::HandPointer hand, bool follow,
            std::vector<TickRecord>* records = nullptr) {
  const auto device = device::open("simulated:planar", std::move(hand));
  const device::Specification& s = device->specification();
  std::array<double, 36> L{};
  mechanism.mobility(port, L);
  const control::CouplerGains gains = control::softened(
      s, control::design(s, {1.0 / std::max(L[14], 1e-12), 1.0 / std::max(L[21], 1e-12)}), L);
  HapticLoop loop(mechanism, *device, port, gains, control::limits_for(s));
  const bool follows = follow && loop.follow_port();
  EXPECT_EQ(follows, follow);
  EXPECT_TRUE(loop.enable());
  Outcome result;
  const long before = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
  for (int k = 0; k < 4000; ++k) {
    if (!device->wait() || !loop.tick(loop.period())) break;
    result.made = support::larger(result.made, loop.record().made);
    // The port's work of a tick is counted in it, the handle's in the next one: a tick of power lies between them.
    const TickRecord& now = loop.record();
    double power = 0.0;
    for (std::size_t i = 0; i < 6; ++i) power += now.on_port[i] * now.V_P[i];
    result.by_display =
        support::larger(result.by_display, loop.books().made_by_display() - loop.period() * std::abs(power));
    result.softest = std::min(result.softest, loop.record().softness);
    if (records != nullptr) (*records)[static_cast<std::size_t>(k)] = loop.record();
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(test::lock_count_of_this_thread(), locks);
  result.fault = loop.safety().fault;
  result.turned = loop.books().turned();
  return result;
}

TEST(CouplerLoop, HoldsAPortThatDropsItsLoadAndIsTwoThousandTimesAsLight) {
  const describe::Model model = describe::load_text(kGrowsLight, "grows_light.yaml");
  const auto hand = [] { return device::following(device::strokes({0.1, 0, 0}, 1.0)); };
  const auto other = contact::open(model, {.step = 1e-3});
  const Outcome left = run(*other, other->port("port"), hand(), false);
  const auto mechanism = contact::open(model, {.step = 1e-3});
  const Outcome followed = run(*mechanism, mechanism->port("port"), hand(), true);
  EXPECT_EQ(followed.fault, control::Fault::none);
  EXPECT_LT(followed.softest, 0.9);
  // The force that is held in the tick of the drop throws the port: nobody knew. From then on it lies still in the spring, and chatters without following.
  EXPECT_LE(followed.made, left.made);
  EXPECT_LT(followed.turned, 0.1 * left.turned);
}

// A crank of 7 mm with light links that a hand drags beyond its reach: it spins, and its force turns faster than the clamp on changes.
TEST(CouplerLoop, AClampOnChangesMakesNoEnergyWithAndrewsMechanism) {
  const auto mechanism =
      contact::open(describe::load(support::source_dir() + "/models/andrews.yaml"), {.step = 1e-3});
  const Outcome held =
      run(*mechanism, mechanism->port("K2"), device::following(device::strokes({0, 0.1, 0}, 2.0)), true);
  EXPECT_EQ(held.fault, control::Fault::none);
  constexpr double kSampling = 1e-2;  // of what goes to and fro
  EXPECT_LE(held.made, kSampling * held.turned);
}

// A planar device turns about z alone, and an egg that is led on a circle tilts and rolls over.
TEST(CouplerLoop, MakesNoEnergyWhereThePortTiltsAndTheDeviceDoesNot) {
  const auto mechanism =
      contact::open(describe::load(support::source_dir() + "/models/egg.yaml"), {.step = 1e-3});
  const Outcome held =
      run(*mechanism, 0, device::following(device::circles({0.05, 0, 0}, {0, 0.05, 0}, 1.0)), true);
  EXPECT_EQ(held.fault, control::Fault::none);
  constexpr double kSampling = 2e-2;  // of what goes to and fro
  EXPECT_LE(held.by_display, kSampling * held.turned);
  // With the energy that the egg's own rolling gains by its integrator at this step, 36 mJ. In joules, by what it is: a coupler that is better damped turns over less.
  constexpr double kMade = 0.04;  // [J]
  EXPECT_LE(held.made, kMade);
  EXPECT_GT(held.turned, 1.0);
}

TEST(CouplerLoop, FollowingAPortThatStaysAsHeavyChangesNoBit) {
  std::vector<TickRecord> one(4000), two(4000);
  for (std::vector<TickRecord>* records : {&one, &two}) {
    const auto mechanism = mass_on_spring(1e-3);
    const Outcome held = run(*mechanism, mechanism->port("block"),
                             device::following(device::strokes({0.05, 0, 0}, 0.7)), records == &two, records);
    EXPECT_EQ(held.fault, control::Fault::none);
    EXPECT_EQ(held.softest, 1.0);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(std::memcmp(&one[i].p_P, &two[i].p_P, sizeof one[i].p_P), 0) << i;
    ASSERT_EQ(one[i].on_port, two[i].on_port) << i;
  }
}

// From the first tick on the hand finds the whole stiffness, and no more force than the ramp lets through; what slipped meanwhile comes back.
TEST(CouplerLoop, ForcesComeOnByARampAndThePortComesBackToItsPlace) {
  const auto mechanism = mass_on_spring(1e-3);
  const auto device = device::open("simulated:ideal", device::following(device::strokes({0.05, 0, 0}, 0.3)));
  const control::CouplerGains gains{{0.0, 1000.0}, {0.0, 0.5}};
  control::SafetyLimits limits;
  limits.force = {1.0, 8.0};
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains, limits);
  ASSERT_TRUE(loop.enable());
  double largest_apart = 0.0, apart = 0.0;
  for (int k = 1; k <= 6000; ++k) {
    device->wait();
    ASSERT_TRUE(loop.tick(1e-3));
    const TickRecord& r = loop.record();
    const double share = std::min(1.0, k * 1e-3 / limits.ramp);
    const double damper = share * gains.damping[1] * std::abs(r.V_H[3] - r.V_P[3]);
    constexpr double kRounding = 1e-9;
    ASSERT_LE(std::abs(r.on_handle[3]), share * limits.force[1] + damper + kRounding) << k;
    ASSERT_LE(r.made, 1e-3 * loop.books().turned() + 1e-9) << k;
    apart = std::abs(r.p_H.x - r.p_P.x - r.on_port[3] / gains.stiffness[1]);
    if (k < 300) largest_apart = support::larger(largest_apart, apart);
  }
  EXPECT_GT(largest_apart, 1e-3);  // a quick hand: it slipped
  EXPECT_LT(apart, 0.2 * largest_apart);
}

}  // namespace
}  // namespace tactus::display
