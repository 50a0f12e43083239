// Many contacts that are pressed at once by the passive integrator: a table on light feet with stiff springs, each foot a box on its four corners.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;

/// A table of 0.1 kg that moves up and down, on feet of 1 g with springs of k N/m, half a millimetre above the ground.
std::string table(int feet, double k) {
  std::string text = R"(
name: table
gravity: [0, 0, -9.81]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  top: {mass: 0.1 kg, inertia: [1e-4, 1e-4, 1e-4]}
)",
              joints = "joints:\n  h: {type: prismatic, parent: world, child: top, axis: z}\n";
  for (int i = 0; i < feet; ++i) {
    text += fmt::format(
        "  foot{}: {{mass: 1 g, inertia: [1e-7, 1e-7, 1e-7], geometry: [{{shape: box, size: [20 mm, 20 mm, "
        "20 mm], contact: true}}]}}\n",
        i);
    joints += fmt::format(
        "  s{}: {{type: prismatic, parent: top, child: foot{}, axis: z, placement: {{xyz: [{}, 0, 0]}}, "
        "stiffness: {}, damping: 0.1}}\n",
        i, i, 0.1 * i, k);
  }
  return text + joints +
         "frames: {hand: {body: top, grasp: true}}\ncontact: {defaults: {friction: 0.2}}\ninitial: {q: {h: "
         "10.5 mm}}\n";
}

struct Outcome {
  bool finished = true;
  std::string why{};
  double mean = 0.0;      // [N] by which the ground bears it, over the second half
  double expected = 0.0;  // [N] the same by the hand's force, the weight and the table's momentum
  double deepest = 0.0;   // [m]
  double gained = 0.0, in_play = 0.0;  // [J]
  long allocations = 0;
};

Outcome pressed(int feet, double k, double step, double down) {
  const auto mechanism = open(describe::load_text(table(feet, k), "table.yaml"),
                              {.step = step, .integrator = Integrator::passive});
  const int hand = mechanism->port("hand");
  const auto energy = [&] {
    const simulate::Energies e = mechanism->energies();
    return e.kinetic + e.potential;
  };
  Outcome outcome;
  double last = energy();
  const long ticks = std::lround(1.0 / step);
  std::vector<simulate::ContactPoint> points(64);
  for (long i = 0; i < ticks; ++i) {
    const simulate::PortMotion from = mechanism->motion(hand);
    const double F = -down - 4.0 * from.V_WP[5];
    const simulate::PortWrench held{hand, {0, 0, 0, 0, 0, F}};
    const long before = test::allocation_count_of_this_thread();
    const simulate::Tick tick = mechanism->step({.ports = {&held, 1}});
    outcome.allocations += test::allocation_count_of_this_thread() - before;
    if (!tick.ok()) {
      outcome.finished = false;
      outcome.why = mechanism->explain(tick.status);
      return outcome;
    }
    const double work = F * (mechanism->motion(hand).X_WP.p.z - from.X_WP.p.z), now = energy();
    outcome.gained = support::larger(outcome.gained, now - last - work);
    outcome.in_play = support::larger(outcome.in_play, std::abs(work), std::abs(now));
    last = now;
    if (2 * i < ticks) continue;
    // The sum of all forces over the time is the change of momentum, of the table for the most part.
    const double dp = 0.1 * (mechanism->motion(hand).V_WP[5] - from.V_WP[5]);
    outcome.expected += 2.0 * (dp / step - F + (0.1 + 1e-3 * feet) * 9.81) / static_cast<double>(ticks);
    const std::size_t count = std::min(points.size(), mechanism->contact_points(points));
    for (std::size_t n = 0; n < count; ++n)
      outcome.mean += 2.0 * std::abs(points[n].force.z) / static_cast<double>(ticks);
  }
  outcome.deepest = mechanism->books().deepest;
  return outcome;
}

constexpr double kBalance = 5e-12;  // [1] of the energy in play, per tick: rounding

// Three feet have 12 contacts, five 20, eight 32.
TEST(PassiveFeet, StandOnAllTheirCornersUnderAHand) {
  constexpr double kLanding = 1e-4;  // [m] what sinks in by less in a tick is left to impulses
  constexpr double kMean = 1e-3;     // of the force: the feet have some momentum, too
  for (const int feet : {3, 5, 8})
    for (const double k : {1e5, 1e6})
      for (const double step : {1e-3, 5e-3}) {
        const Outcome run = pressed(feet, k, step, 20.0);
        ASSERT_TRUE(run.finished) << run.why << feet << " feet, " << k << " N/m, " << step << " s";
        EXPECT_NEAR(run.mean, run.expected, kMean * 20.0)
            << feet << " feet, " << k << " N/m, " << step << " s";
        EXPECT_NEAR(run.expected, 20.0, 3.0);
        EXPECT_LE(run.deepest, kLanding) << feet << " feet, " << k << " N/m, " << step << " s";
        EXPECT_LE(run.gained, kBalance * run.in_play) << feet << " feet, " << k << " N/m, " << step << " s";
        EXPECT_EQ(run.allocations, 0);
      }
}

// Twelve have 48, more than there is room for: those that bear have it, one corner of each foot.
TEST(PassiveFeet, StandWhereNotAllCornersHaveRoom) {
  for (const double step : {1e-3, 5e-3}) {
    const Outcome run = pressed(12, 1e5, step, 20.0);
    ASSERT_TRUE(run.finished) << run.why << step << " s";
    EXPECT_NEAR(run.mean, run.expected, 1e-3 * 20.0) << step << " s";
    EXPECT_LE(run.deepest, 1e-4) << step << " s";  // [m] as above
    EXPECT_LE(run.gained, kBalance * run.in_play) << step << " s";
    EXPECT_EQ(run.allocations, 0);
  }
}

}  // namespace
}  // namespace tactus::contact
