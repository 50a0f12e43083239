// One law of constraints: a stop that is never touched, a contact pair far away, or a transition that never
// fires leave a mechanism its motion, through singular and redundant configurations; and trees that hang free
// keep their momentum between contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"
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
  return describe::load(tactus::support::source_dir() + "/models/" + c.model + ".yaml", c.settings);
}

State start_of(const simulate::Dynamics& dynamics, const describe::Model& model) {
  if (!dynamics.constraints)  // any motion
    return {0.0, model.initial_q, std::vector<double>(model.initial_u.size(), 0.7), {}};
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
    farthest = support::larger(farthest, support::difference(place, expected.front()));
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
        spread[k] = support::larger(spread[k], k > 0 ? spread[k - 1] : 0.0,
                                    support::difference(path[k], expected[k]));
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
      const double allowed = std::max(kSameMotion, spread[k]),
                   off = support::difference(path[k], expected[k]);
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
                                         Case{"bricard", "bricard", {}, 60.0},
                                         // Trees without constraints: stops are their only rows.
                                         Case{"double_pendulum", "double_pendulum", {}, 5.0},
                                         Case{"rigid_body", "rigid_body", {}, 20.0},
                                         Case{"gantry", "gantry", {}, 5.0}),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- With a contact on.

/// Angles of a mechanism on a cart that a force presses against a stop are those of the mechanism on the
/// ground. The two reach the same accelerations by different arithmetic. Rows next to a singular position, at a distance d, are known to
/// (rounding)/d^2 (crossing.h); steps of 1 ms come as near as d = 1e-3, so that each of ten crossings may make a difference of 1e-10.
constexpr double kByCrossings = 1e-9;
/// What the motion itself makes of a difference (the slider-crank nearly stands still on its top: some 400 times) is measured: by a second
/// motion on the ground whose speeds are changed by so much of themselves after the first crossing.
constexpr double kNudge = 1e-8;
constexpr int kAfterTheFirstCrossing = 1500;  // ticks

/// The model with everything that hung on the ground on a cart instead, which slides along x up to a stop at 0.
std::string on_a_cart(std::string text) {
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace_all("parent: world", "parent: cart");
  replace_all("body: world", "body: cart");
  replace_all("a: world", "a: cart");
  const auto insert_after = [&](const std::string& key, const std::string& more) {
    text.insert(text.find("\n" + key + ":\n") + key.size() + 3, more);
  };
  insert_after("bodies", "  cart: {mass: 5, inertia: [1, 1, 1]}\n");
  insert_after("joints", "  cart: {type: prismatic, parent: world, child: cart, axis: x, limits: [~, 0]}\n");
  text += "\ncontact: {stops: {joints: [cart]}}\n";
  return text;
}

std::string text_of(const std::string& model) {
  std::ifstream file(tactus::support::source_dir() + "/models/" + model + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::string result = text.str();
  // psi would have to say where the cart is.
  const std::size_t at = result.find("\nparametric:");
  if (at != std::string::npos) result.resize(at + 1);
  return result;
}

class OnACart : public testing::TestWithParam<const char*> {};

TEST_P(OnACart, ThatIsPressedAgainstAStopAMechanismPassesItsSingularPositions) {
  constexpr double kPress = 400.0;  // [N] more than the mechanism pulls
  const describe::Model fixed = describe::load_text(text_of(GetParam()), "fixed.yaml");
  const derive::Equations equations(fixed);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  State start =
      start_of(dynamics, describe::load(tactus::support::source_dir() + "/models/" + GetParam() + ".yaml"));
  simulate::Simulation alone(dynamics, {.step = 1e-3});
  alone.set_state(start);
  simulate::Simulation nudged(dynamics, {.step = 1e-3});

  const describe::Model model = describe::load_text(on_a_cart(text_of(GetParam())), "cart.yaml");
  ASSERT_EQ(model.contact.stops.size(), 1U);
  const ContactModel contact_model(model);
  Engine engine(contact_model, {.step = 1e-3});
  start.q.insert(start.q.begin(), 0.0);
  start.u.insert(start.u.begin(), 0.0);
  start.momentum.clear();
  std::vector<double> press(start.u.size());
  press[0] = kPress;
  engine.set_state(start);
  long before = test::allocation_count_of_this_thread();
  double worst = 0.0, growth = 1.0;
  for (int tick = 0; tick < 10000; ++tick) {
    const Status moved = engine.step({.tau = press}), expected = alone.step();
    ASSERT_TRUE(moved.ok()) << engine.explain(moved);
    ASSERT_TRUE(expected.ok()) << alone.explain(expected);
    if (tick == 0) continue;  // the stop is taken up within the first step
    if (tick == kAfterTheFirstCrossing) {
      const long so_far = test::allocation_count_of_this_thread();
      State aside = alone.state();
      for (double& speed : aside.u) speed *= 1.0 + kNudge;
      nudged.set_state(aside);
      before += test::allocation_count_of_this_thread() - so_far;
    } else if (tick > kAfterTheFirstCrossing) {
      ASSERT_TRUE(nudged.step().ok());
      for (std::size_t i = 0; i < alone.state().q.size(); ++i)
        growth = support::larger(growth, std::abs(nudged.state().q[i] - alone.state().q[i]) / kNudge);
    }
    ASSERT_TRUE(engine.row_on(static_cast<std::size_t>(contact_model.row_of_stop[0]))) << engine.state().t;
    for (std::size_t i = 0; i < alone.state().q.size(); ++i)
      worst = support::larger(worst, std::abs(engine.state().q[i + 1] - alone.state().q[i]));
    ASSERT_LE(worst, kByCrossings * growth) << "at t = " << engine.state().t;
  }
  EXPECT_EQ(test::allocation_count_of_this_thread() - before, 0);
  RecordProperty("worst", fmt::format("{:.3g}", worst));
}

INSTANTIATE_TEST_SUITE_P(Models, OnACart, testing::Values("slider_crank", "four_bar", "bricard"),
                         [](const auto& info) { return std::string(info.param); });

// ---- Momentum.

/// Of the momentum, after thousands of steps: roundings of single steps do not add up.
constexpr double kKept = 1e-13;

/// A brick that tumbles, a chain that swings between stops that it never touches, both weightless; and a ball
/// that a spring draws to the floor, where it bounces and stays.
constexpr const char* kFlying = R"(name: flying
gravity: [0, 0, 0]
bodies:
  world: {geometry: [{shape: plane, name: floor, size: [4, 4], contact: true}]}
  brick: {mass: 2, inertia: [0.3, 0.2, 0.15], geometry: [{shape: box, size: [0.2, 0.1, 0.1], contact: true}]}
  first: {mass: 1, inertia: [0.02, 0.03, 0.04], com: [0.1, 0, 0]}
  second: {mass: 1.5, inertia: [0.03, 0.02, 0.045], com: [0.2, 0.1, 0]}
  third: {mass: 0.5, inertia: [0.01, 0.02, 0.015], com: [0, 0.1, 0.1]}
  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  brick: {type: free, parent: world, child: brick}
  chain: {type: free, parent: world, child: first}
  elbow: {type: revolute, parent: first, child: second, axis: y, placement: {xyz: [0.4, 0, 0]}, limits: [-100, 100]}
  wrist: {type: revolute, parent: second, child: third, axis: z, placement: {xyz: [0.4, 0, 0]}, stiffness: 0.5 N m/rad}
  drop: {type: prismatic, parent: world, child: ball, axis: z, stiffness: 20 N/m, rest: -1}
contact:
  defaults: {restitution: 0.5}
  stops: {joints: [elbow]}
initial:
  q: {brick.z: 5, chain.z: 9, chain.x: 3, drop: 0.5}
  u: {brick.wx: 3, brick.wy: 0.1, brick.wz: 2, brick.vx: 0.2, brick.vz: 0.01, chain.wx: 1, chain.wy: -2, chain.vy: 0.3, elbow: 2, wrist: -1}
)";

TEST(OneLaw, TreesThatNothingTouchesKeepTheirMomentumWhileOthersBounceAndRest) {
  const ContactModel contact_model(describe::load_text(kFlying, "flying.yaml"));
  const describe::Model& model = contact_model.model;
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state({0.0, model.initial_q, model.initial_u, {}});
  const std::vector<double> P0 = engine.state().momentum;
  ASSERT_EQ(P0.size(), 12U) << "brick and chain";
  double size = 0.0;
  for (const double x : P0) size = support::larger(size, std::abs(x));
  // Of u, not only of what is carried: the two agree at the end of each step.
  simulate::Chart chart(contact_model.dynamics);
  std::vector<double> P;
  long impacts = 0, ticks_touching = 0;
  for (int tick = 0; tick < 5000; ++tick) {
    const Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    impacts = engine.books().impacts;
    for (const Touch& touch : engine.touches()) ticks_touching += touch.touching();
    chart.momentum_of(engine.state().t, engine.state().q, engine.state().u, P);
    for (std::size_t i = 0; i < P.size(); ++i) {
      ASSERT_NEAR(engine.state().momentum[i], P0[i], kKept * size) << "at t = " << engine.state().t;
      ASSERT_NEAR(P[i], P0[i], 10.0 * kKept * size) << "at t = " << engine.state().t;
    }
  }
  EXPECT_GT(impacts, 3);
  EXPECT_GT(ticks_touching, 1000);
}

TEST(OneLaw, AnImpulseChangesTheMomentumThatIsCarried) {
  // A free ball falls, bounces and comes to rest: what is carried is what q and u say, all the time.
  const ContactModel contact_model(
      describe::load(tactus::support::source_dir() + "/models/ball_in_bowl.yaml"));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state({0.0, contact_model.model.initial_q, contact_model.model.initial_u, {}});
  simulate::Chart chart(contact_model.dynamics);
  std::vector<double> P;
  for (int tick = 0; tick < 1000; ++tick) {
    ASSERT_TRUE(engine.step().ok());
    chart.momentum_of(engine.state().t, engine.state().q, engine.state().u, P);
    for (std::size_t i = 0; i < P.size(); ++i) ASSERT_NEAR(engine.state().momentum[i], P[i], kKept);
  }
  EXPECT_GT(engine.books().impacts, 0);
}

// ---- The choices that a simulation has.

TEST(OneLaw, TheFormulationAndTheHoldingAreThoseAskedFor) {
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/four_bar.yaml");
  const derive::Equations equations(model);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  const ContactModel contact_model(test::with_stops_far_away(model, 0));
  const State start = start_of(dynamics, model);
  using simulate::Formulation, simulate::Holding;
  const std::pair<Formulation, Holding> choices[] = {{Formulation::multipliers, Holding::projection},
                                                     {Formulation::embedding, Holding::projection},
                                                     {Formulation::projection, Holding::projection},
                                                     {Formulation::automatic, Holding::baumgarte},
                                                     {Formulation::automatic, Holding::none}};
  std::vector<std::vector<double>> paths;
  for (const auto& [formulation, holding] : choices) {
    SCOPED_TRACE(simulate::name_of(formulation));
    simulate::ConstraintOptions constraints;
    constraints.formulation = formulation;
    constraints.holding = holding;
    simulate::Options options;
    options.constraints = constraints;
    options.constraint_limit = 1e-3;  // what is not held drifts
    EngineOptions engine_options;
    engine_options.constraints = constraints;
    engine_options.constraint_limit = 1e-3;
    simulate::Simulation alone(dynamics, options);
    Engine engine(contact_model, engine_options);
    alone.set_state(start);
    engine.set_state(start);
    std::vector<double> path;
    for (int tick = 0; tick < 500; ++tick) {
      ASSERT_TRUE(alone.step().ok());
      ASSERT_TRUE(engine.step().ok());
      ASSERT_EQ(alone.state().q, engine.state().q) << tick;
      ASSERT_EQ(alone.state().u, engine.state().u) << tick;
      path.insert(path.end(), engine.state().u.begin(), engine.state().u.end());
    }
    paths.push_back(path);
  }
  for (std::size_t i = 1; i < paths.size(); ++i)
    EXPECT_TRUE(paths[i] != paths[0]) << "another road, other roundings: " << i;
  EngineOptions parametric;
  parametric.constraints.formulation = Formulation::parametric;
  EXPECT_THROW(Engine(contact_model, parametric), InputError);
}

TEST(OneLaw, MultipliersOfRowsAreThoseOfLeastSizeWhetherAContactIsOnOrNot) {
  // A row of Bricard's linkage is redundant, and set aside; the forces are shared all the same.
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/bricard.yaml");
  const derive::Equations equations(model);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  const State start = start_of(dynamics, model);
  simulate::Simulation alone(dynamics, {.step = 1e-3});
  alone.set_state(start);
  const ContactModel contact_model(test::with_stops_far_away(model, 0));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(start);
  const ContactModel cart_model(describe::load_text(on_a_cart(text_of("bricard")), "cart.yaml"));
  Engine cart(cart_model, {.step = 1e-3});
  State on_cart = start;
  on_cart.q.insert(on_cart.q.begin(), 0.0);
  on_cart.u.insert(on_cart.u.begin(), 0.0);
  cart.set_state(on_cart);
  std::vector<double> press(on_cart.u.size());
  press[0] = 400.0;
  for (int tick = 0; tick < 200; ++tick) {
    ASSERT_TRUE(alone.step().ok());
    ASSERT_TRUE(engine.step().ok());
    ASSERT_TRUE(cart.step({.tau = press}).ok());
  }
  // The cart held for good instead of by a stop: rows have natural sizes that count the cart.
  describe::Model held = describe::load_text(on_a_cart(text_of("bricard")), "held.yaml");
  held.contact = {};
  {
    const algebra::Graph::Scope scope(support::graph_of(held));
    describe::Constraint hold;
    hold.name = hold.kind = "hold";
    hold.type = describe::ConstraintType::equation;
    hold.equations = {algebra::symbol("cart")};
    held.constraints.push_back(hold);
  }
  const simulate::Dynamics held_dynamics = simulate::compile(derive::Equations(held));
  simulate::Simulation on_held(held_dynamics, {.step = 1e-3});
  on_held.set_state(cart.state());
  on_held.hold({.tau = press});
  const auto on_cart_expected = on_held.constraint_state();
  const auto expected = alone.constraint_state();
  EXPECT_GT(expected.redundant, 0U);
  EXPECT_GT(on_cart_expected.redundant, 0U);
  double size = 0.0;
  for (const double x : expected.lambda) size = support::larger(size, std::abs(x));
  EXPECT_GT(size, 1.0);
  constexpr double kSameForces = 1e-8;  // of the largest: both solve rows that depend on each other
  for (std::size_t k = 0; k < expected.lambda.size(); ++k) {
    EXPECT_NEAR(engine.row_force(k), expected.lambda[k], kSameForces * size) << k;
    EXPECT_NEAR(cart.row_force(k), on_cart_expected.lambda[k], kSameForces * size) << k;
  }
}

TEST(OneLaw, SwitchingAConstraintInTheLoopIsAnsweredAndTakesNoMemory) {
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/four_bar.yaml");
  const derive::Equations equations(model);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  const ContactModel contact_model(test::with_stops_far_away(model, 0));
  const State start = start_of(dynamics, model);
  simulate::Simulation alone(dynamics, {.step = 1e-3});
  Engine engine(contact_model, {.step = 1e-3});
  alone.set_state(start);
  engine.set_state(start);
  const auto switches = [](auto& motion) {
    using Answer = simulate::Switching::Answer;
    const long before = test::allocation_count_of_this_thread();
    EXPECT_EQ(motion.request_active(0, true).answer, Answer::as_it_was);
    EXPECT_EQ(motion.request_active(0, false).answer, Answer::done);
    EXPECT_EQ(motion.request_active(0, true).answer, Answer::done);
    for (int tick = 0; tick < 100; ++tick) EXPECT_TRUE(motion.step().ok());
    EXPECT_EQ(motion.request_active(0, false).answer, Answer::done);
    for (int tick = 0; tick < 300; ++tick) EXPECT_TRUE(motion.step().ok());
    const double there = motion.state().q[0];
    const simulate::Switching refused = motion.request_active(0, true);
    EXPECT_EQ(refused.answer, Answer::out_of_place) << "the loop has opened";
    EXPECT_GT(std::abs(refused.error), 1e-4);
    EXPECT_FALSE(motion.is_active(0));
    EXPECT_EQ(motion.state().q[0], there);
    EXPECT_EQ(motion.request_active(17, true).answer, Answer::no_such_constraint);
    EXPECT_EQ(test::allocation_count_of_this_thread() - before, 0);
    EXPECT_THROW(motion.set_active(0, true), InputError);
    EXPECT_THROW(motion.set_active(17, true), InputError);
  };
  switches(alone);
  switches(engine);
  constexpr double kSwitched = 1e-11;  // the impulses round differently
  for (std::size_t i = 0; i < alone.state().q.size(); ++i)
    EXPECT_NEAR(alone.state().q[i], engine.state().q[i], kSwitched);
}

TEST(OneLaw, GoingOnFromASnapshotGivesTheSameBitsAlsoWhereRowsAreSingular) {
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/slider_crank.yaml");
  const ContactModel contact_model(test::with_stops_far_away(model, 0));
  Engine engine(contact_model, {.step = 1e-3}), other(contact_model, {.step = 1e-3});
  engine.set_state(start_of(contact_model.dynamics, model));
  other.set_state(engine.state());
  Snapshot snapshot = engine.make_snapshot();
  for (int piece = 0; piece < 40; ++piece) {
    engine.save(snapshot);
    other.load(snapshot);
    for (int tick = 0; tick < 37; ++tick) {
      ASSERT_TRUE(engine.step().ok());
      ASSERT_TRUE(other.step().ok());
      ASSERT_EQ(engine.state().q, other.state().q) << engine.state().t;
      ASSERT_EQ(engine.state().u, other.state().u) << engine.state().t;
    }
  }
}

}  // namespace
}  // namespace tactus::contact
