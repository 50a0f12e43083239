// Contact, stops and transitions as the reader understands them.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/describe/check/guard.h>
#include <tactus/describe/check/range.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/contact_text.h>
#include <tactus/describe/words/report.h>

namespace tactus::describe {
namespace {

// Two arms on the ground, a hand welded to the second, a ball in the air.
const std::string kMechanism = R"(
name: x
parameters: {mu: 0.3}
bodies:
  world: {geometry: [{shape: plane, size: [1, 1], name: floor, contact: true}]}
  upper: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
  lower: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
  hand:
    mass: 1
    inertia: [1, 1, 1]
    geometry:
      - {shape: sphere, radius: 0.1, name: palm, contact: true}
      - {shape: sphere, radius: 0.1, name: thumb, contact: true}
      - {shape: sphere, radius: 0.1, name: glove}
  ball: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  q1: {type: revolute, parent: world, child: upper, limits: [-1, 2]}
  q2: {type: prismatic, parent: upper, child: lower, limits: [~, 0.5]}
  wrist: {type: weld, parent: lower, child: hand}
  air: {type: free, parent: world, child: ball}
constraints:
  stick: {type: lock, joint: q1, active: false}
  loop: {type: spherical, a: world, b: hand, active: false}
)";

Model read(const std::string& text) { return load_text(kMechanism + text, "text"); }

std::vector<std::string> pair_names(const Model& model) {
  std::vector<std::string> names;
  for (const ContactPair& pair : model.contact.pairs) names.push_back(pair.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Contact, NothingTouchesWithoutASection) {
  const Model model = read("");
  EXPECT_TRUE(model.contact.pairs.empty());
  EXPECT_NE(report_text(model).find("6 shapes can be touched, but"), std::string::npos);
}

TEST(Contact, AllTouchAllButWhatIsJoined) {
  // upper and lower are joined by q2, lower and hand are one; the ground may be touched by upper although q1
  // joins them.
  const Model model = read("contact: {}\n");
  EXPECT_EQ(pair_names(model), (Names{"world-upper", "world-lower", "world-hand", "world-ball", "upper-ball",
                                      "lower-ball", "hand-ball"}));
}

TEST(Contact, AClosureThatIsActiveJoins) {
  const std::string closed = "contact: {}\n";
  std::string text = kMechanism + closed;
  text.replace(text.find("a: world, b: hand, active: false"), 32, "a: ball, b: hand");
  EXPECT_EQ(pair_names(load_text(text, "text")),
            (Names{"world-upper", "world-lower", "world-hand", "world-ball", "upper-ball"}));
}

TEST(Contact, IgnoredPairsAreLeftOut) {
  const Model model = read("contact: {ignore: [[hand, world], [ball, upper]]}\n");
  EXPECT_EQ(pair_names(model),
            (Names{"world-upper", "world-lower", "world-ball", "lower-ball", "hand-ball"}));
  ASSERT_EQ(model.contact.ignored.size(), 2u);
}

TEST(Contact, OnlyNamedPairsTouchWhereTheFileSaysSo) {
  const Model model = read(R"(
contact:
  only_pairs: true
  pairs:
    clap: {between: [hand.palm, upper]}
)");
  ASSERT_EQ(model.contact.pairs.size(), 1u);
  const ContactPair& pair = model.contact.pairs[0];
  EXPECT_EQ(pair.name, "clap");
  EXPECT_EQ(model.bodies[static_cast<std::size_t>(pair.body_a)].name, "hand");
  EXPECT_EQ(pair.geometry_a, 0);
  EXPECT_EQ(pair.geometry_b, -1);
}

TEST(Contact, LawsTakeTheDefaultsAndTheirOwn) {
  const Model model = read(R"(
contact:
  defaults: {restitution: 0.5, restitution_law: poisson, friction: mu, static_friction: 2*mu, rest_speed: 5 mm/s}
  pairs:
    slippery: {between: [world, ball], friction: 0.1, render: stepping}
    soft: {between: [ball, hand], render: compliant, stiffness: 15000 N/m, damping: 300 N s/m, slip_speed: 1 cm/s}
)");
  const ContactLaw& slippery = model.contact.pairs[0].law;
  EXPECT_EQ(slippery.rendering, Rendering::stepping);
  EXPECT_EQ(slippery.restitution, 0.5);
  EXPECT_EQ(slippery.restitution_law, RestitutionLaw::poisson);
  EXPECT_EQ(slippery.friction, 0.1);
  EXPECT_EQ(slippery.static_friction, 0.1);  // not that of the defaults
  EXPECT_EQ(slippery.rest_speed, 0.005);
  const ContactLaw& soft = model.contact.pairs[1].law;
  EXPECT_EQ(soft.stiffness, 15000.0);
  EXPECT_EQ(soft.damping, 300.0);
  EXPECT_EQ(soft.slip_speed, 0.01);
  const ContactLaw& other = model.contact.pairs.back().law;
  EXPECT_EQ(other.rendering, Rendering::rigid);
  EXPECT_EQ(other.friction, 0.3);
  EXPECT_EQ(other.static_friction, 0.6);
}

/// Which pair holds for two shapes, by index into the bodies' geometry; fails where several do.
std::string holder(const Model& model, const char* a, int shape_a, const char* b, int shape_b) {
  std::string found;
  const auto fits = [](int in_pair, int shape) { return in_pair < 0 || in_pair == shape; };
  for (const ContactPair& pair : model.contact.pairs) {
    const bool straight = pair.body_a == model.body_index(a) && pair.body_b == model.body_index(b) &&
                          fits(pair.geometry_a, shape_a) && fits(pair.geometry_b, shape_b);
    const bool exchanged = pair.body_a == model.body_index(b) && pair.body_b == model.body_index(a) &&
                           fits(pair.geometry_a, shape_b) && fits(pair.geometry_b, shape_a);
    if (!straight && !exchanged) continue;
    EXPECT_EQ(found, "") << "and " << pair.name;
    found = pair.name;
  }
  return found;
}

TEST(Contact, TheMostSpecialPairHoldsAndNoShapesAreCoveredTwice) {
  const Model model = read(R"(
contact:
  pairs:
    special: {between: [ball, hand.thumb], friction: 0.5}
    general: {between: [hand, ball], friction: 0.1}
    floor: {between: [hand.palm, world.floor]}
)");
  EXPECT_EQ(holder(model, "hand", 1, "ball", 0), "special");
  EXPECT_EQ(holder(model, "hand", 0, "ball", 0), "general:hand.palm-ball.1");
  EXPECT_EQ(holder(model, "hand", 0, "world", 0), "floor");
  EXPECT_EQ(holder(model, "hand", 1, "world", 0), "world.floor-hand.thumb");
  EXPECT_EQ(holder(model, "upper", 0, "world", 0), "world-upper");
  EXPECT_EQ(holder(model, "upper", 0, "lower", 0), "");
}

TEST(Contact, RepeatedPairsJoinTheOthers) {
  const Model model = load_text(R"(
name: x
bodies: {world: {geometry: [{shape: plane, size: [1, 1], contact: true}]}}
contact: {only_pairs: true, pairs: {top: {between: [b2, b3]}}}
repeat:
  count: 3
  bodies: {"b{i}": {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}}
  joints: {"j{i}": {type: free, parent: world, child: "b{i}"}}
  contact: {pairs: {"floor_{i}": {between: [world, "b{i}"]}}}
  constraints: {"k{i}": {type: on_plane, a: world, b: "b{i}", active: false}}
  transitions: {"t{i}": {when: "j{i}.z < 0", activate: "k{i}"}}
)",
                                "text");
  EXPECT_EQ(pair_names(model), (Names{"top", "floor_1", "floor_2", "floor_3"}));
  ASSERT_EQ(model.contact.transitions.size(), 3u);
  EXPECT_EQ(model.contact.transitions[2].activate, std::vector<int>{2});
}

TEST(Contact, HollowShapesAreRead) {
  const Model model = load_text(R"(
name: x
bodies:
  world: {geometry: [{shape: sphere, radius: 1, hollow: true, contact: true, name: bowl}]}
  ball: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints: {air: {type: free, parent: world, child: ball}}
contact: {}
)",
                                "text");
  EXPECT_TRUE(model.bodies[0].geometry[0].hollow);
  EXPECT_FALSE(model.bodies[1].geometry[0].hollow);
}

TEST(Stops, AreTheLimitsOfTheJoints) {
  const Model model = read("contact: {only_pairs: true, stops: {restitution: 0.2}}\n");
  ASSERT_EQ(model.contact.stops.size(), 3u);
  const JointStop& stop = model.contact.stops[2];
  EXPECT_EQ(stop.name, "q2.upper");
  EXPECT_EQ(stop.coordinate, 1);
  EXPECT_TRUE(stop.upper);
  EXPECT_EQ(stop.limit, 0.5);
  EXPECT_EQ(stop.restitution, 0.2);
  EXPECT_EQ(model.contact.stops[0].limit, -1.0);
  EXPECT_TRUE(model.contact.pairs.empty());
}

TEST(Stops, DifferByJoint) {
  const Model model =
      read("contact: {stops: [{joints: [q2], rest_speed: 1 cm/s}, {joints: [q1], restitution: 1}]}\n");
  ASSERT_EQ(model.contact.stops.size(), 3u);
  EXPECT_EQ(model.contact.stops[0].name, "q2.upper");
  EXPECT_EQ(model.contact.stops[0].rest_speed, 0.01);
  EXPECT_EQ(model.contact.stops[1].restitution, 1.0);
}

TEST(Stops, WithoutNamesAreThoseOfAllOthers) {
  const Model model = read("contact: {stops: [{restitution: 0.5}, {joints: [q1], restitution: 1}]}\n");
  ASSERT_EQ(model.contact.stops.size(), 3u);
  EXPECT_EQ(model.contact.stops[0].name, "q1.lower");
  EXPECT_EQ(model.contact.stops[0].restitution, 1.0);
  EXPECT_EQ(model.contact.stops[2].name, "q2.upper");
  EXPECT_EQ(model.contact.stops[2].restitution, 0.5);
}

/// The guard of one transition that switches `stick`.
Model guarded(const std::string& when) {
  return read("transitions:\n  s: {when: \"" + when + "\", activate: stick}\n");
}

TEST(Transitions, AGuardIsAboveZeroWhereItHolds) {
  for (const char* when : {"q1_dot - q1*q1_dot > 0.5", "q1_dot - q1*q1_dot >= 0.5",
                           "0.5 < q1_dot - q1*q1_dot", "0.5 <= q1_dot - q1*q1_dot"}) {
    const Model model = guarded(when);
    const Expr guard = model.contact.transitions.at(0).guard;
    const double value = algebra::evaluate(
        guard, [&](Expr symbol) { return model.graph->symbol_name(symbol) == "q1" ? 0.25 : 2.0; });
    EXPECT_EQ(value, 2.0 - 0.25 * 2.0 - 0.5) << when;
  }
}

TEST(Transitions, GuardsUseTimeCoordinatesRatesSpeedsForcesAndParameters) {
  for (const char* when : {"t > 3", "q2 > 3 mm", "abs(q1_dot) < 0.01", "air.z < mu", "air.z_dot < 0",
                           "air.qw < 0.9", "air.wx > 3 rad/s", "air.vz < -1 m/s", "force.stick > 20"})
    EXPECT_NO_THROW(guarded(when)) << when;
}

TEST(Transitions, SayWhatTheySwitchAndWhen) {
  const Model model = read(R"(
transitions:
  sticks: {when: abs(q1_dot) < 0.01, if_inactive: stick, activate: [stick, loop], once: true}
  slips: {when: force.stick^2 + force.loop.x^2 > 4, if_active: [stick, loop], release: [stick, loop]}
)");
  const Transition& sticks = model.contact.transitions.at(0);
  EXPECT_EQ(sticks.if_inactive, std::vector<int>{0});
  EXPECT_EQ(sticks.activate, (std::vector<int>{0, 1}));
  EXPECT_TRUE(sticks.once);
  EXPECT_EQ(sticks.guard_text, "abs(q1_dot) < 0.01");
  const Transition& slips = model.contact.transitions.at(1);
  EXPECT_EQ(slips.release, (std::vector<int>{0, 1}));
  EXPECT_EQ(force_rows(model, slips.guard), (Names{"stick", "loop.x"}));
  EXPECT_EQ(transition_meaning(model, slips),
            "when force.stick^2 + force.loop.x^2 > 4 while stick, loop on: releases stick, loop");
  EXPECT_TRUE(model.warnings.empty());
}

TEST(Transitions, ThatCanNeverActAgainAreWarnedOf) {
  const Model model = read("transitions: {s: {when: q1 > 1, release: stick}}\n");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_NE(model.warnings[0].find("off from the start"), std::string::npos);
}

TEST(Transitions, ForcesAreThoseOfRowsThatExist) {
  const Model model =
      read("transitions: {s: {when: force.loop > 1, release: loop}, t: {when: q1 > 1, activate: loop}}\n");
  const Names rows = {"stick", "loop.x", "loop.y"};
  try {
    require_force_rows(model, rows);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(error.remedy().find("force.loop.x, force.loop.y"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(require_force_rows(guarded("force.stick > 1"), rows));
  EXPECT_NO_THROW(require_force_rows(guarded("force.loop.y > 1"), rows));
}

// Two thousand of everything that `repeat` can make.
TEST(Transitions, ManyAreReadQuickly) {
  const Model model = load_text(R"(
name: x
bodies: {world: {geometry: [{shape: plane, size: [1, 1], contact: true}]}}
contact: {only_pairs: true, stops: {}}
repeat:
  count: 2000
  bodies: {"b{i}": {mass: 1, geometry: [{shape: sphere, radius: 0.1, contact: true}]}}
  joints: {"j{i}": {type: prismatic, parent: world, child: "b{i}", limits: [-1, 1]}}
  contact: {pairs: {"p{i}": {between: [world, "b{i}"]}}}
  constraints: {"k{i}": {type: lock, joint: "j{i}", active: false}}
  transitions: {"t{i}": {when: "j{i} < force.k{i}", activate: "k{i}"}}
)",
                                "text");
  EXPECT_EQ(model.contact.transitions.size(), 2000u);
  EXPECT_EQ(model.contact.stops.size(), 4000u);
}

// Every value the expression takes on random symbols lies in the range that interval arithmetic gives.
TEST(Range, HoldsEveryValue) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const Expr x = algebra::symbol("x"), y = algebra::symbol("y");
  const Range range_x{-1.5, 2.0}, range_y{0.25, 0.75};
  const std::vector<Expr> expressions = {x * x - y,
                                         x * y + x,
                                         x / y,
                                         y / x,
                                         abs(x) - 3.0 * y,
                                         sqrt(y) * sin(x),
                                         exp(x) - cosh(x),
                                         max(x, y) - x,
                                         min(x, -y) + y,
                                         floor(x) * y,
                                         pow(x, Expr(4.0)),
                                         pow(y, x),
                                         select(x, y, -y),
                                         atan(x) - acos(y),
                                         log(y) * tanh(x),
                                         log(y) - 1.0,
                                         sign(x) - y,
                                         sinh(x) + atan2(x, y),
                                         -x * x};
  constexpr int kSteps = 60;
  constexpr double kRounding = 1e-12;
  for (const Expr expression : expressions) {
    const Range range = range_of(expression, [&](Expr symbol) { return symbol == x ? range_x : range_y; });
    for (int i = 0; i <= kSteps; ++i) {
      for (int k = 0; k <= kSteps; ++k) {
        const double at_x = range_x.lower + (range_x.upper - range_x.lower) * i / kSteps;
        const double at_y = range_y.lower + (range_y.upper - range_y.lower) * k / kSteps;
        const double value =
            algebra::evaluate(expression, [&](Expr symbol) { return symbol == x ? at_x : at_y; });
        if (!std::isfinite(value)) continue;
        EXPECT_GE(value, range.lower - kRounding) << algebra::to_text(expression, graph);
        EXPECT_LE(value, range.upper + kRounding) << algebra::to_text(expression, graph);
      }
    }
  }
}

TEST(Range, IsSharpWhereItMatters) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const Expr x = algebra::symbol("x");
  const auto of = [&](Expr e) { return range_of(e, [](Expr) { return Range{}; }); };
  EXPECT_EQ(of(x * x).lower, 0.0);
  EXPECT_EQ(of(abs(x) + 1.0).lower, 1.0);
  EXPECT_EQ(of(cos(x) - 2.0).upper, -1.0);
  EXPECT_EQ(of(exp(x)).lower, 0.0);
  EXPECT_EQ(of(x - 1.0).lower, -std::numeric_limits<double>::infinity());
}

TEST(ContactReport, SaysPairsLawsStopsAndTransitions) {
  const Model model = read(R"(
contact:
  defaults: {restitution: 0.5, friction: 0.2, static_friction: 0.3}
  pairs: {soft: {between: [ball, world.floor], render: compliant, stiffness: 100}}
  stops: {restitution: 0.2}
transitions: {s: {when: q1 > 1, if_inactive: stick, activate: stick}}
)");
  const std::string text = report_text(model);
  for (const char* line :
       {"Contact (7 pairs of bodies or shapes)",
        "ball and world.floor: compliant, 100 N/m, 0 N s/m, friction 0.2\n",
        "world and upper: rigid, restitution 0.5 (newton) above 0.001 m/s, friction 0.2 (sticking 0.3)",
        "q2.upper  q2 <= 0.5, restitution 0.2 above 0.001", "when q1 > 1 while stick off: activates stick"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis missing in\n" << text;
  }
  const auto json = nlohmann::json::parse(report_json(model));
  EXPECT_EQ(json["contact"]["pairs"][0]["name"], "soft");
  EXPECT_EQ(json["contact"]["pairs"][0]["render"], "compliant");
  EXPECT_EQ(json["contact"]["pairs"][0]["between"][1], "world.floor");
  EXPECT_EQ(json["contact"]["stops"][0]["coordinate"], "q1");
  EXPECT_EQ(json["transitions"][0]["activate"][0], "stick");
}

}  // namespace
}  // namespace tactus::describe
