// `speeds: auto`: which definitions are chosen, where the joint rates stay, and what `initial` may say of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::describe {
namespace {

Model shipped(const std::string& name, const std::string& more) {
  std::ifstream file(support::source_dir() + "/models/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return load_text(text.str() + "\n" + more + "\n", name + ".yaml");
}

/// Y of u = Y qd, by rows, where the k-th coordinate is 0.3 + 0.4 k.
std::vector<double> Y_of(const Model& model) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const std::vector<Expr> u = algebra::transplant(model.speeds.equations, *model.graph);
  const std::vector<std::string> coordinates = model.coordinate_names();
  std::vector<Expr> rates;
  for (const std::string& name : coordinates) rates.push_back(algebra::symbol(rate_name(name)));
  return algebra::evaluate(algebra::jacobian(u, rates), [&](Expr symbol) {
    const auto found = std::find(coordinates.begin(), coordinates.end(), graph.symbol_name(symbol));
    return 0.3 + 0.4 * static_cast<double>(found - coordinates.begin());
  });
}

TEST(AutomaticSpeeds, OfParallelAxesAreTheBodiesOwnTurning) {
  const Model arm = shipped("planar_3r", "speeds: auto");
  EXPECT_EQ(arm.speeds.names, (std::vector<std::string>{"u_q1", "u_q2", "u_q3"}));
  EXPECT_EQ(Y_of(arm), (std::vector<double>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  // Against each other: the second joint counts the other way round.
  const Model model = load_text(
      "name: m\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n  p: {type: revolute, parent: world, child: a, axis: z}\n"
      "  q: {type: revolute, parent: a, child: b, axis: x, placement: {rpy: [0, 90 deg, 0]}}\n"
      "speeds: {auto: efficient}\n",
      "m.yaml");
  EXPECT_EQ(Y_of(model), (std::vector<double>{1, 0, -1, 1}));
}

TEST(AutomaticSpeeds, OfAWristAreItsAngularVelocityAlongItsOwnAxes) {
  const std::vector<double> chosen = Y_of(shipped("spherical_wrist_joint_rates", "speeds: auto")),
                            written = Y_of(shipped("spherical_wrist", ""));
  EXPECT_LT(support::difference(chosen, written), 1e-15);
}

TEST(AutomaticSpeeds, AreTheJointRatesWhereThoseAreAsGood) {
  for (const char* name : {"general_6r", "puma560", "chain_30", "rigid_body", "joint_gallery", "rolling_disk",
                           "pendulum", "gantry", "single_track"})
    EXPECT_EQ(shipped(name, "speeds: auto").speeds.definition, Speeds::Definition::joint_rates) << name;
}

TEST(AutomaticSpeeds, OfABodyOfRevolutionOrWithRotorsOrArmsStayRates) {
  const std::string head = "name: m\nbodies: {A: {mass: 0}, B: {mass: 0}, C: {mass: 2, inertia: ";
  const std::string joints =
      "joints:\n  q1: {type: revolute, parent: world, child: A, axis: z}\n"
      "  q2: {type: revolute, parent: A, child: B, axis: y}\n  q3: {type: revolute, parent: B, child: C, "
      "axis: z";
  const auto definition = [&](const std::string& inertia, const std::string& last) {
    return load_text(head + inertia + "}}\n" + joints + last + "}\nspeeds: auto\n", "m.yaml")
        .speeds.definition;
  };
  EXPECT_EQ(definition("[1, 1.5, 1.2]", ""), Speeds::Definition::from_rates);
  EXPECT_EQ(definition("[1, 1, 1.2]", ""), Speeds::Definition::joint_rates);
  EXPECT_EQ(definition("[1, 1.5, 1.2]", ", armature: 0.1"), Speeds::Definition::joint_rates);
  EXPECT_EQ(definition("[1, 1.5, 1.2]", ", placement: {xyz: [0.1, 0, 0]}"), Speeds::Definition::joint_rates);
}

TEST(AutomaticSpeeds, TakeInitialValuesOfRatesUnderTheJointsNames) {
  const Model model =
      shipped("spherical_wrist_joint_rates",
              "speeds: auto\ninitial: {q: [0.3, 0.8, -0.4], u: {q1: 0.7, q2: -0.3, q3: 0.5}}");
  // Of the golden state of [Gillespie2003, Example 2].
  const double u[] = {-0.3456845972039617, -0.4718644320350396, 0.9876946965430158};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(model.initial_u[k], u[k], 1e-15) << k;
  const Model listed = shipped("spherical_wrist_joint_rates",
                               "speeds: auto\ninitial: {q: [0.3, 0.8, -0.4], qd: [0.7, -0.3, 0.5]}");
  EXPECT_EQ(listed.initial_u, model.initial_u);
  const Model own = shipped("spherical_wrist_joint_rates", "speeds: auto\ninitial: {u: {u_q2: 3}}");
  EXPECT_EQ(own.initial_u, (std::vector<double>{0.0, 3.0, 0.0}));
}

TEST(InitialRates, AreTakenWhateverTheSpeedsAre) {
  const std::string at = "initial: {q: [0.3, 0.8, -0.4], qd: {q1: 0.7, q2: -0.3, q3: 0.5}}";
  const Model from = shipped("spherical_wrist", at), to = shipped("spherical_wrist_rates", at),
              plain = shipped("spherical_wrist_joint_rates", at);
  EXPECT_EQ(plain.initial_u, (std::vector<double>{0.7, -0.3, 0.5}));
  const double u[] = {-0.3456845972039617, -0.4718644320350396, 0.9876946965430158};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(from.initial_u[k], u[k], 1e-15) << k;
    EXPECT_NEAR(to.initial_u[k], u[k], 1e-14) << k;  // by a linear solution
  }
}

TEST(AutomaticSpeeds, KeepTheRatesThatParametricCoordinatesGive) {
  const Model plain = shipped("four_bar", ""), chosen = shipped("four_bar", "speeds: auto");
  ASSERT_EQ(chosen.speeds.definition, Speeds::Definition::from_rates);
  EXPECT_DOUBLE_EQ(chosen.initial_u[1], plain.initial_u[0] + plain.initial_u[1]);
}

TEST(AutomaticSpeeds, FindNamesThatAreFree) {
  const Model model = load_text(
      "name: m\nparameters: {u_b: 0.4}\nbodies: {x: {mass: 1, inertia: [1, 1, 1]}, y: {mass: 1, inertia: [1, "
      "1, 1]}}\n"
      "joints:\n  b: {type: revolute, parent: world, child: x}\n  c: {type: revolute, parent: x, child: "
      "y}\nspeeds: auto\n",
      "m.yaml");
  EXPECT_EQ(model.speeds.names, (std::vector<std::string>{"u_b_", "u_c"}));
}

TEST(AutomaticSpeeds, OfPlanarJointsWorkOnTheirNames) {
  const Model model = load_text(
      "name: m\nbodies: {x: {mass: 1, inertia: [1, 1, 1]}, y: {mass: 1, com: [1, 0, 0], inertia: [1, 1, "
      "1]}}\n"
      "joints:\n  p: {type: planar, parent: world, child: x, axis: z}\n  c: {type: revolute, parent: x, "
      "child: y, axis: z}\n"
      "speeds: auto\ninitial: {u: {p.angle: 2, c: 1}}\n",
      "m.yaml");
  EXPECT_EQ(model.speeds.names, (std::vector<std::string>{"u_p.x", "u_p.y", "u_p.angle", "u_c"}));
  EXPECT_EQ(Y_of(model), (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(model.initial_u, (std::vector<double>{0, 0, 2, 3}));
}

TEST(DiagonalSpeeds, SayWhereTheyWouldBeTooLong) {
  for (const char* name : {"general_6r", "chain_30", "gantry"}) {
    try {
      shipped(name, "speeds: {auto: diagonal}");
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("tied together by the mass matrix"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace tactus::describe
