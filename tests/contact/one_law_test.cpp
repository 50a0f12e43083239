// One law of constraints: a stop that is never touched, a contact pair far away, or a transition that never
// fires leave a mechanism its motion, through singular and redundant configurations; and trees that hang free
// keep their momentum between contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>

#include "support/allocations.h"
#include "support/untouched.h"

namespace tactus::contact {
namespace {

/// [rad, m, rad/s, m/s] Where a change of the start by one rounding makes less of a difference than this.
constexpr double kSameMotion = 1e-9;

/// The whole minute of the motions, instead of some seconds: TACTUS_LONG_TESTS=1.
bool long_tests() { return std::getenv("TACTUS_LONG_TESTS") != nullptr; }
/// [rad, m] What moves at all gets farther than this.
constexpr double kMoves = 0.5;

struct Case {
  const char* name;
  const char* model;
  describe::Settings settings;
  double seconds;  // unless the tests are long; far enough to pass singular positions
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

describe::Model model_of(const Case& c) {
  return describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + c.model + ".yaml", c.settings);
}

State start_of(const simulate::Dynamics& dynamics, const describe::Model& model) {
  return simulate::assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
}

using Path = std::vector<std::vector<double>>;  // q and u, 50 times a second

template <class Motion>
Path path_of(Motion& motion, double seconds) {
  constexpr long kEvery = 20;
  Path path;
  const auto ticks = std::lround(seconds / 1e-3);
  for (long tick = 0; tick < ticks; ++tick) {
    if (const Status status = motion.step(); !status.ok()) {
      ADD_FAILURE() << motion.explain(status);
      break;
    }
    if (tick % kEvery != 0) continue;
    path.push_back(motion.state().q);
    path.back().insert(path.back().end(), motion.state().u.begin(), motion.state().u.end());
  }
  return path;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double result = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= result)) result = std::abs(x[i] - y[i]);
  return result;
}

class OneLaw : public testing::TestWithParam<Case> {};

TEST_P(OneLaw, ContactThatNeverComesLeavesTheMotionAsItIs) {
  const double seconds = long_tests() ? 60.0 : GetParam().seconds;
  const describe::Model model = model_of(GetParam());
  const derive::Equations equations(model);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  const State start = start_of(dynamics, model);
  simulate::Simulation alone(dynamics, {.step = 1e-3});
  alone.set_state(start);
  const Path expected = path_of(alone, seconds);
  ASSERT_FALSE(expected.empty());
  double farthest = 0.0;
  for (const std::vector<double>& place : expected)
    farthest = std::max(farthest, difference(place, expected.front()));
  EXPECT_GT(farthest, kMoves);

  // What a change of the start by one rounding makes of it, here or there.
  std::vector<double> spread(expected.size(), 0.0);
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < std::min<std::size_t>(start.q.size(), 3); ++i) {
      State near = start;
      near.q[i] += sign * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(near.q[i]));
      simulate::Simulation neighbour(dynamics, {.step = 1e-3});
      neighbour.set_state(near);
      const Path path = path_of(neighbour, seconds);
      for (std::size_t k = 0; k < path.size(); ++k)
        spread[k] = std::max({spread[k], k > 0 ? spread[k - 1] : 0.0, difference(path[k], expected[k])});
    }
  }

  const int last = static_cast<int>(model.bodies.size()) - 1;
  for (const bool pair : {false, true}) {
    SCOPED_TRACE(pair ? "a pair far away" : "a stop far away");
    const ContactModel contact_model(pair ? test::with_pair_far_away(model, last)
                                          : test::with_stops_far_away(model, 0));
    Engine engine(contact_model, {.step = 1e-3});
    engine.set_state(start);
    const Path path = path_of(engine, seconds);
    ASSERT_EQ(path.size(), expected.size());
    double worst = 0.0, allowed_there = 0.0;
    for (std::size_t k = 0; k < path.size(); ++k) {
      const double allowed = std::max(kSameMotion, spread[k]), off = difference(path[k], expected[k]);
      EXPECT_LE(off, allowed) << "at t = " << 0.02 * static_cast<double>(k);
      if (!(off <= worst)) worst = off, allowed_there = allowed;
      if (HasFailure()) break;
    }
    RecordProperty(pair ? "pair_off" : "stop_off", std::to_string(worst));
    if (long_tests())
      std::printf("%s, %s: off by %.3g (allowed there %.3g; spread at the end %.3g)\n", GetParam().name,
                  pair ? "pair" : "stop", worst, allowed_there, spread.back());
  }
}

TEST_P(OneLaw, QuietStepsTakeNoMemory) {
  const describe::Model model = model_of(GetParam());
  const ContactModel contact_model(test::with_stops_far_away(
      test::with_pair_far_away(model, static_cast<int>(model.bodies.size()) - 1), 0));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(start_of(contact_model.dynamics, model));
  const long before = test::allocation_count_of_this_thread();
  for (int tick = 0; tick < 2000; ++tick) ASSERT_TRUE(engine.step().ok());
  EXPECT_EQ(test::allocation_count_of_this_thread() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, OneLaw,
                         testing::Values(Case{"slider_crank", "slider_crank", {}, 60.0},
                                         Case{"ladder_1", "four_bar_ladder", {{"N", "1"}}, 60.0},
                                         Case{"ladder_10", "four_bar_ladder", {{"N", "10"}}, 6.0},
                                         Case{"ladder_40", "four_bar_ladder", {{"N", "40"}}, 2.0},
                                         Case{"bricard", "bricard", {}, 60.0}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tactus::contact
