// Definitions, laws of forces and tables as the reader understands them.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/algebra/print.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/report.h>

namespace tactus::describe {
namespace {

Model read(const std::string& rest) {
  return load_text(
      "name: arm\nparameters: {L: 0.5, w: 2}\nbodies: {b: {mass: 1, com: [L, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b, axis: z}}\n"
      "frames: {tip: {body: b, placement: {xyz: [L, 0, 0]}}}\n" +
          rest,
      "arm.yaml");
}

TEST(Definitions, StandInAnyOrderAndForTheirFormulas) {
  const Model model =
      read("definitions:\n  twice: 2*once\n  once: {value: q + w*t, description: an angle}\n");
  ASSERT_EQ(model.definitions.size(), 2u);
  EXPECT_EQ(model.definitions[0].name, "twice");  // in the order of the file
  EXPECT_EQ(algebra::to_text(model.definitions[0].formula, *model.graph),
            algebra::to_text(read("definitions: {d: 2*(q + w*t)}\n").definitions[0].formula, *model.graph));
  EXPECT_EQ(model.definitions[1].description, "an angle");
}

TEST(Definitions, AreInTheReport) {
  const Model model = read(
      "definitions: {reach: {value: tip.px, unit: m, description: how far}}\n"
      "forces: {drag: {type: joint, joint: q, force: -3*q_dot}}\n");
  const std::string text = report_text(model);
  EXPECT_NE(text.find("Definitions\n"), std::string::npos) << text;
  EXPECT_NE(text.find("how far"), std::string::npos) << text;
  EXPECT_NE(text.find("drag: at q"), std::string::npos) << text;
}

TEST(Definitions, AreNumbersWhereAMotionBegins) {
  const Model model = read(
      "definitions: {begin: 0.1 + w*t, turning: w*cos(q), high: tip.px}\n"
      "initial: {q: {q: 2*begin}, u: {q: turning + high + q}}\n");
  EXPECT_DOUBLE_EQ(model.initial_q[0], 0.2);
  EXPECT_DOUBLE_EQ(model.initial_u[0], 2 * std::cos(0.2) + 0.5 * std::cos(0.2) + 0.2);
  // Of what is not known yet there is nothing to use.
  EXPECT_THROW(read("definitions: {d: q}\ninitial: {q: {q: d}}\n"), InputError);
  EXPECT_THROW(read("definitions: {d: q_dot}\ninitial: {u: {q: d}}\n"), InputError);
}

TEST(Definitions, GuardsHoldThemAndFramesWrittenOut) {
  const Model model = read(
      "definitions: {height: tip.py}\nconstraints: {hold: {type: rates, equations: q_dot, active: false}}\n"
      "transitions: {stop: {when: height > 0.2 m, activate: hold}}\n");
  EXPECT_EQ(algebra::to_text(model.contact.transitions[0].guard, *model.graph), "L*sin(q) - 0.2");
}

TEST(Definitions, AreRepeated) {
  const Model model = load_text(
      "name: chain\nbodies: {}\nrepeat:\n  count: 3\n  bodies: {\"b{i}\": {mass: 1, com: [1, 0, 0], inertia: "
      "[1, 1, 1]}}\n"
      "  joints: {\"q{i}\": {type: revolute, parent: world, child: \"b{i}\"}}\n"
      "  definitions: {\"d{i}\": \"2*q{i}\"}\n  forces: {\"f{i}\": {type: joint, joint: \"q{i}\", force: "
      "\"-d{i}\"}}\n",
      "chain.yaml");
  EXPECT_EQ(model.definitions.size(), 3u);
  ASSERT_EQ(model.force_laws.size(), 3u);
  EXPECT_EQ(model.force_laws[2].rate, 2);
}

TEST(Definitions, UnitsAreCheckedAsFarAsTheFormulaSaysThem) {
  const auto with = [](const std::string& definition) {
    return load_text(
        "name: x\nparameters: {L: {value: 2, unit: m}, c: 3}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}, f: "
        "{mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {q: {type: revolute, parent: world, child: b}, j: {type: free, parent: world, child: f}}\n"
        "frames: {tip: {body: b, placement: {xyz: [1, 0, 0]}}}\ndefinitions: {d: " +
            definition + "}\n",
        "x.yaml");
  };
  for (const char* right :
       {"{value: tip.px, unit: m}", "{value: q, unit: rad}", "{value: q_dot, unit: rad/s}",
        "{value: j.z, unit: m}", "{value: j.qw, unit: \"1\"}", "{value: j.vx, unit: m/s}",
        "{value: \"sqrt(tip.vx^2 + tip.vz^2)\", unit: m/s}", "{value: tip.px*L, unit: m^2}",
        "{value: 0.4*tip.vx, unit: N}", "{value: c*q, unit: N m}",
        "{value: \"max(0, tip.pz - 0.5)\", unit: m}"})
    EXPECT_NO_THROW(with(right)) << right;
  for (const char* wrong :
       {"{value: tip.px, unit: kg}", "{value: q, unit: kg}", "{value: q_dot, unit: m/s}",
        "{value: tip.vx/tip.px, unit: m}", "{value: \"sqrt(tip.vx^2 + tip.vz^2)\", unit: m}",
        "{value: j.qw, unit: m}", "{value: t, unit: m}"}) {
    try {
      with(wrong);
      ADD_FAILURE() << wrong;
    } catch (const InputError& error) {
      EXPECT_NE(error.wrong().find("wrong unit: the formula is"), std::string::npos) << error.what();
      EXPECT_GT(error.where().line, 0);
    }
  }
}

TEST(Geometry, APlaneNeedsNoSize) {
  const Model model = load_text(
      "name: x\nbodies: {world: {geometry: [{shape: plane, contact: true}]}, b: {mass: 1, com: [1, 0, 0]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b}}\n",
      "x.yaml");
  EXPECT_GT(model.bodies[0].geometry[0].size.x.value(), 0.0);
}

}  // namespace
}  // namespace tactus::describe
