// Constraints and initial states as the reader understands them. (What they mean in the equations is tested
// in derive.)
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/constraint_text.h>
#include <tactus/describe/words/report.h>

namespace tactus::describe {
namespace {

const std::string kMechanism = R"(
name: x
parameters: {r: 50 mm, n: 3}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
  s: {mass: 1}
  f: {mass: 1, inertia: [1, 1, 1]}
joints:
  q1: {type: revolute, parent: world, child: a}
  q2: {type: revolute, parent: a, child: b, placement: {xyz: [1, 0, 0]}}
  q3: {type: prismatic, parent: world, child: s}
  ball: {type: free, parent: world, child: f}
frames: {tip: {body: b, placement: {xyz: [1, 0, 0]}}, b: {body: b, placement: {xyz: [0, 0, 2]}}}
)";

Model read(const std::string& text) { return load_text(kMechanism + text, "text"); }
Model read_one(const std::string& constraint) { return read("constraints:\n  c: " + constraint + "\n"); }
std::string formula(const std::string& constraint, std::size_t k = 0) {
  const Model model = read_one(constraint);
  return algebra::to_text(model.constraints.at(0).equations.at(k), *model.graph);
}
const Frame& frame(const Model& model, int index) { return model.frames.at(static_cast<std::size_t>(index)); }

TEST(Constraints, SidesAreFramesBodiesOrWrittenInPlace) {
  const Model model = read_one("{type: revolute, a: {body: world, at: [0, 0, r], axis: y}, b: tip}");
  const Constraint& c = model.constraints.at(0);
  EXPECT_EQ(c.name, "c");
  EXPECT_EQ(c.kind, "revolute");
  EXPECT_EQ(c.type, ConstraintType::closure);
  EXPECT_EQ(c.closure, JointType::revolute);
  EXPECT_TRUE(c.active);
  EXPECT_EQ(frame(model, c.frame_b).name, "tip");
  EXPECT_EQ(frame(model, c.frame_a).name, "c.a");
  EXPECT_EQ(frame(model, c.frame_a).body, 0);
  EXPECT_EQ(value_of(model, frame(model, c.frame_a).X_BF.p.z), 0.05);
  // z along y, with true zeros and ones.
  EXPECT_TRUE(frame(model, c.frame_a).X_BF.R(1, 2).is_constant(1.0));
  EXPECT_TRUE(frame(model, c.frame_a).X_BF.R(2, 2).is_constant(0.0));
}

TEST(Constraints, AFrameGoesBeforeABodyOfTheSameName) {
  const Model model = read_one("{type: spherical, a: f, b: b}");
  EXPECT_EQ(frame(model, model.constraints[0].frame_b).name, "b");
  EXPECT_EQ(frame(model, model.constraints[0].frame_b).X_BF.p.z.value(), 2.0);
  EXPECT_EQ(frame(model, model.constraints[0].frame_a).name, "c.a");
}

TEST(Constraints, EveryAxisGivesARotation) {
  for (const char* axis :
       {"x", "y", "z", "-x", "-y", "-z", "[0.6, 0, 0.8]", "[0, -0.6, 0.8]", "[0.48, 0.64, -0.6]"}) {
    const Model model =
        read_one(std::string("{type: on_line, a: {body: world, axis: ") + axis + "}, b: tip}");
    algebra::Graph graph;
    const algebra::Graph::Scope scope(graph);
    const Mat3& R = frame(model, model.constraints[0].frame_a).X_BF.R;
    const Vec3 third = cross(R.col(0), R.col(1));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(third[i].value(), R(i, 2).value(), 1e-15) << axis;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(dot(R.col(i), R.col(j)).value(), i == j ? 1.0 : 0.0, 1e-15) << axis;
    }
  }
}

TEST(Constraints, CouplingsBecomeEquations) {
  const auto at = [](const std::string& constraint, double q1, double q2, double q3) {
    const Model model = read_one(constraint);
    const Expr phi = model.constraints.at(0).equations.at(0);
    EXPECT_EQ(model.constraints[0].type, ConstraintType::equation);
    const std::map<std::string, double> values = {{"q1", q1}, {"q2", q2}, {"q3", q3}, {"t", 2.0}};
    return algebra::evaluate(phi, [&](Expr symbol) {
      const auto found = values.find(model.graph->symbol_name(symbol));
      return found != values.end() ? found->second : value_of(model, symbol);
    });
  };
  EXPECT_NEAR(at("{type: gear, joints: [q1, q2], ratio: -2, offset: 0.5}", -2.5, 1.5, 0), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: gear, joints: [q1, q2], teeth: [20, 40]}", -2, 1, 0), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: gear, joints: [q1, q2], teeth: [20, 40], internal: true}", 2, 1, 0), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: belt, joints: [q1, q2], radii: [r, 2*r]}", 2, 1, 0), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: belt, joints: [q1, q2], radii: [r, 2*r], crossed: true}", -2, 1, 0), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: rack, joints: [q1, q3], radius: r}", 2, 0, 0.1), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: rack, joints: [q1, q3], radius: r, reversed: true, offset: 0.3}", 2, 0, 0.2), 0.0,
              1e-15);
  EXPECT_NEAR(at("{type: screw, joints: [q2, q3], pitch: -5 mm/rev}", 0, 4 * M_PI, -0.01), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: lock, joint: q3, at: 7 mm}", 0, 0, 0.007), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: motion, joint: q3, equals: 0.2*sin(n*t)}", 0, 0, 0.2 * std::sin(6.0)), 0.0, 1e-15);
  EXPECT_NEAR(at("{type: motion, of: q1 + q3, equals: t^2}", 1, 0, 3), 0.0, 1e-15);
}

TEST(Constraints, EquationsMayBeOneOrMany) {
  EXPECT_EQ(formula("{type: equation, equations: q1 + n*q2}"), "q1 + n*q2");
  EXPECT_EQ(read_one("{type: equation, equations: [q1 + q2, q3*t - 1]}").constraints[0].equations.size(), 2u);
  const Model rates = read_one("{type: rates, equations: [q1_dot + q2*ball.wx - t]}");
  EXPECT_EQ(rates.constraints[0].type, ConstraintType::rates);
  const Model surface = read_one("{type: on_surface, a: world, b: tip, equations: [x^2 + y^2 - r^2, z - t]}");
  EXPECT_EQ(surface.constraints[0].equations.size(), 2u);
}

TEST(Constraints, SurfacesMayHaveSingularPointsKinksAndSteepSlopes) {
  // A cone has a point without slope, a lemniscate one where it crosses itself; the last ones converge
  // slowly, have several sheets, shrink to a point at t = 0, are redundant, or have no solution that can be
  // found.
  for (const char* equations :
       {"x^2 + y^2 - z^2", "(x^2 + z^2)^2 - 4*(x^2 - z^2)", "abs(x) - 1", "abs(x)", "exp(50*x) - 1",
        "tanh(20*(x - 1))", "x*z", "(x - 1)*(x - 2)", "x^2 + z^2 - t^2", "sqrt(x^2 + z^2) - 0.5",
        "(x - 1000)^2 + z^2 - 1", "x^2 + y^2 + 1", "x^2 + y^2 + z^2 - 1, 2*x^2 + 2*y^2 + 2*z^2 - 2",
        "x^2 + y^2 + z^2 - 1, x^2 + y^2 + (z - 1.9)^2 - 1"})
    EXPECT_NO_THROW(
        load_text(fmt::format("name: x\nbodies: {{b: {{mass: 1}}}}\n"
                              "joints: {{j: {{type: prismatic, parent: world, child: b}}}}\n"
                              "constraints: {{c: {{type: on_surface, a: world, b: b, equations: [{}]}}}}\n",
                              equations),
                  "surface.yaml"))
        << equations;
}

TEST(Constraints, ALockWithoutAPlaceHoldsTheInitialOne) {
  const Model model = read("initial: {q: {q2: 0.25}}\nconstraints: {c: {type: lock, joint: q2}}\n");
  EXPECT_EQ(algebra::to_text(model.constraints[0].equations[0], *model.graph), "q2 - 0.25");
}

TEST(Constraints, RollingKnowsItsKinds) {
  const Model ring = read_one(
      "{type: rolling, kind: disk_on_disk, a: world, b: tip, radius: r, radius_a: 0.2, inside: true}");
  EXPECT_EQ(ring.constraints[0].rolling, Rolling::disk_on_disk);
  EXPECT_EQ(value_of(ring, ring.constraints[0].radius_a), -0.2);
  EXPECT_TRUE(ring.constraints[0].keep_contact);
  const Model blade =
      read_one("{type: rolling, kind: knife_edge, b: tip, active: false, description: a blade}");
  EXPECT_EQ(frame(blade, blade.constraints[0].frame_a).body, 0);
  EXPECT_FALSE(blade.constraints[0].active);
  EXPECT_EQ(blade.constraints[0].description, "a blade");
}

TEST(Constraints, AreRepeated) {
  const Model model = read(R"(
repeat:
  count: 2
  constraints: {"hold_{i}": {type: lock, joint: "q{i}"}}
  initial: {q: {"q{i}": "0.{i}"}, u: {"q{i}": "{2*i}"}}
)");
  ASSERT_EQ(model.constraints.size(), 2u);
  EXPECT_EQ(model.constraints[1].name, "hold_2");
  EXPECT_EQ(model.initial_q[1], 0.2);
  EXPECT_EQ(model.initial_u[1], 4.0);
}

TEST(InitialState, IsZeroWithUnitQuaternionsUnlessGiven) {
  const Model rest = read("");
  EXPECT_EQ(rest.initial_q, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(rest.initial_u, std::vector<double>(9, 0.0));
  const Model given = read(
      "initial: {q: {q1: 180 deg, q3: n*10 mm, ball.z: 2, ball.qw: 0.6, ball.qy: 0.8}, u: {ball.wx: 3 rad/s, "
      "q2: 1}}\n");
  EXPECT_EQ(given.initial_q, (std::vector<double>{M_PI, 0, 0.03, 0, 0, 2, 0.6, 0, 0.8, 0}));
  EXPECT_EQ(given.initial_u, (std::vector<double>{0, 1, 0, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(read("initial: {u: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n").initial_u[8], 9.0);
}

TEST(InitialState, BeyondTheLimitsIsAWarning) {
  const Model model = load_text(
      "name: x\nbodies: {b: {mass: 1}}\njoints: {q: {type: prismatic, parent: world, child: b, limits: [0, "
      "1]}}\n"
      "initial: {q: {q: 2}}\n",
      "text");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_NE(model.warnings[0].find("beyond its limits"), std::string::npos);
}

TEST(Constraints, TheReportSaysWhatTheyDo) {
  const Model model = read(R"(
initial: {q: {q1: 0.5}}
constraints:
  loop: {type: revolute, a: {body: f, axis: y}, b: tip}
  gears: {type: gear, joints: [q1, q2], ratio: n}
  blade: {type: rolling, kind: knife_edge, b: tip, active: false}
)");
  const std::string text = report_text(model);
  for (const char* line :
       {"loop   revolute: tip on b turns about the z of loop.a on f", "gears  gear: 0 = q1 - n*q2",
        "tip on b does not move along its own y over blade.a on world (inactive at the start)",
        "q q1 = 0.5"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis missing in\n" << text;
  }
  EXPECT_NE(report_json(model).find("\"active\": false"), std::string::npos);
}

}  // namespace
}  // namespace tactus::describe
