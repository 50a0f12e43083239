// tactus simulate, as a user runs it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;

/// A pendulum with definitions, a law and a table, and scripts on it.
constexpr const char* kLawful =
    "name: lawful\nbodies: {bob: {mass: 1, com: [0, 0, -1]}}\n"
    "joints: {q: {type: revolute, parent: world, child: bob, axis: y}}\n"
    "frames: {tip: {body: bob, placement: {xyz: [0, 0, -1]}}}\n"
    "definitions: {height: {value: tip.pz + 1, unit: m}, speed: {value: \"sqrt(tip.vx^2 + tip.vz^2)\", unit: "
    "m/s}, twice: "
    "2*height}\n"
    "initial: {q: {q: 1}}\n";

TEST(Simulate, DefinitionsAreColumnsAndSeriesOfThePlot) {
  const Folder folder;
  const std::string file = folder.file("lawful.yaml", kLawful);
  const Outcome run = tactus("simulate " + file + " --duration 0.5 --sample 0.1 --out " +
                             folder.path("run.csv") + " --plot " + folder.path("run.svg"));
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(folder.path("run.csv")));
  for (std::size_t i = 0; i < table.at("t").size(); ++i) {
    const double q = table.at("q")[i];
    EXPECT_NEAR(table.at("height")[i], 1.0 - std::cos(q), 1e-14);
    EXPECT_NEAR(table.at("speed")[i], std::abs(table.at("q_dot")[i]), 1e-12);
    EXPECT_NEAR(table.at("twice")[i], 2.0 * table.at("height")[i], 1e-14);
  }
  const std::string svg = content_of(folder.path("run.svg"));
  EXPECT_NE(svg.find("definitions [m]"), std::string::npos);
  EXPECT_NE(svg.find("height"), std::string::npos);
  const Outcome some = tactus("simulate " + file + " --duration 0.1 --columns q,definitions --out -");
  EXPECT_EQ(some.out.substr(0, some.out.find('\n')), "t,q,height,speed,twice");
  const Outcome at = tactus("eval " + file);
  EXPECT_NEAR(nlohmann::json::parse(at.out)["definitions"]["height"].get<double>(), 1.0 - std::cos(1.0),
              1e-14);
}

// A frame has its path in the picture where that is asked for, in the plane in which it moves; what rests is no panel.
TEST(Simulate, ThePictureHasThePathsOfFrames) {
  const Folder folder;
  const std::string file = folder.file("lawful.yaml", kLawful);
  const auto picture = [&](const std::string& options) {
    const Outcome run =
        tactus("simulate " + file + " --duration 0.5 " + options + " --plot " + folder.path("run.svg"));
    EXPECT_EQ(run.code, 0) << run.err;
    return content_of(folder.path("run.svg"));
  };
  const std::string with = picture("--plot-path tip"), without = picture("");
  EXPECT_NE(with.find(">paths: z [m] over x [m]<"), std::string::npos) << with;
  EXPECT_NE(with.find(">start<"), std::string::npos);
  EXPECT_EQ(without.find("paths: "), std::string::npos);
  for (const char* wrong : {" --plot-path tip", " --plot-path top --plot run.svg"})
    EXPECT_EQ(tactus("simulate " + file + " --duration 0.01" + wrong).code, 2) << wrong;
  const std::string rests =
      picture("--script " + folder.file("rest.yaml", "initial: {q: {q: 0}, u: {q: 1e-18}}\n"));
  EXPECT_NE(rests.find("zero all the time"), std::string::npos) << rests;
  EXPECT_EQ(rests.find("class=\"curve "), std::string::npos) << rests;
}

// A script that holds the tip up by a spring to a place in the world, by the words of its frame; against J^T f by hand.
TEST(Simulate, ScriptsUseFramesDefinitionsAndTables) {
  const Folder folder;
  const std::string file = folder.file("lawful.yaml", kLawful);
  folder.file("push.csv", "t,f\n0,0\n0.2,5\n0.4,-5\n");
  const auto end_of = [&](const std::string& script) {
    const Outcome run =
        tactus("simulate " + file + " --integrator adaptive --duration 0.5 --sample 0.05 --out - --script " +
               folder.file("script.yaml", script));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.code == 0 ? table_of(run.out).at("q").back() : NAN;
  };
  const double by_words = end_of(
      "tables: {push: {file: push.csv, beyond: hold}}\n"
      "wrenches: [{frame: tip, force: [\"-20*(tip.px - 0.3) - tip.vx + push(t)\", 0, \"-20*height\"]}]\n");
  // p = (-sin q, 0, -cos q): tau = dp/dq . f
  const double by_hand = end_of(
      "parameters: {a: 25, b: 50}\n"
      "tau: {q: \"-cos(q)*(-20*(-sin(q) - 0.3) + cos(q)*q_dot + if(t - 0.4, -5, if(t - 0.2, 5 - b*(t - 0.2), "
      "a*t))) + "
      "sin(q)*(-20)*(1 - cos(q))\"}\n");
  EXPECT_NEAR(by_words, by_hand, 1e-9);
  const auto says = [&](const std::string& script, const std::string& words) {
    const Outcome run = tactus("simulate " + file + " --script " + folder.file("bad.yaml", script));
    EXPECT_EQ(run.code, 2) << script;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("bad.yaml:1:"), std::string::npos) << run.err;
  };
  says("tau: {q: tip.qx}", "unknown name `tip.qx`");
  says("tau: {q: top.px}", "unknown name `top.px`");
  says("parameters: {height: 2}", "`height` already has a meaning");
  says("tau: {q: push(t)}", "unknown function `push`");
  says("initial: {q: {q: tip.px}}", "unknown name `tip.px`");
}

TEST(Simulate, ATableThatEndsEndsTheMotionWithAWord) {
  const Folder folder;
  const Outcome run = tactus(
      "simulate " + folder.file("lawful.yaml", kLawful) + " --script " +
      folder.file("s.yaml", "tables: {f: {points: [[0, 0], [0.3, 1]], beyond: error}}\ntau: {q: f(t)}\n"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("the table `f` in the forces of "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("its argument t is 0.301, and it reaches to 0.3;"), std::string::npos) << run.err;
}

TEST(Simulate, TheDurationNeedNotBeAWholeNumberOfSamples) {
  const Folder folder;
  for (const char* integrator : {"rk4", "adaptive", "stiff"}) {
    const Outcome run = tactus("simulate " + model("pendulum.yaml") + " --integrator " + integrator +
                               " --duration 0.25 --sample 0.1 --out -");
    ASSERT_EQ(run.code, 0) << run.err;
    const std::vector<double> t = table_of(run.out).at("t");
    ASSERT_EQ(t.size(), 4u) << integrator;
    EXPECT_NEAR(t[1], 0.1, 1e-15);
    EXPECT_NEAR(t[2], 0.2, 1e-15);
    EXPECT_EQ(t[3], 0.25);
  }
  const Outcome shorter =
      tactus("simulate " + model("pendulum.yaml") + " --duration 0.05 --sample 0.1 --out -");
  ASSERT_EQ(shorter.code, 0) << shorter.err;
  EXPECT_EQ(table_of(shorter.out).at("t"), (std::vector<double>{0.0, 0.05}));
  const Outcome odd = tactus("simulate " + model("pendulum.yaml") + " --duration 0.25 --step 0.1");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("not a whole number of steps"), std::string::npos) << odd.err;
}

TEST(Simulate, ASingularOrientationIsSaid) {
  const Folder folder;
  const std::string file = folder.file("gimbal.yaml",
                                       "name: gimbal\nbodies: {b: {mass: 1, inertia: [1, 2, 2.5]}}\njoints: "
                                       "{j: {type: euler, order: zyx, parent: world, child: "
                                       "b}}\ninitial: {u: {j.angle2: 1}}\ngravity: [0, 0, 0]\n");
  EXPECT_EQ(tactus("check " + file).out.find("singular"), std::string::npos);
  const Outcome run =
      tactus("simulate " + file + " --duration 3 --step 0.01 --script " +
             folder.file("s.yaml", "initial: {q: {j.angle2: 90 deg}, u: {j.angle1: 1, j.angle3: 0.5}}\n"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("the orientation of `j` is singular"), std::string::npos) << run.err;
}

TEST(Simulate, WritesTheMotionByNameWithEnergiesAndFrames) {
  const Folder folder;
  const std::string script = folder.file("script.yaml", "initial: {q: {q1: 60 deg}}\n");
  const Outcome run =
      tactus("simulate " + model("double_pendulum.yaml") + " --duration 0.5 --step 1e-3 --sample 0.01 " +
             "--script " + script + " --frames tip --out " + folder.path("run.csv") + " --plot " +
             folder.path("run.svg"));
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(folder.path("run.csv")));
  ASSERT_EQ(table.at("t").size(), 51u);
  EXPECT_EQ(table.at("t")[1], 0.01);
  EXPECT_EQ(table.at("t").back(), 0.5);
  EXPECT_DOUBLE_EQ(table.at("q1")[0], M_PI / 3);
  for (const char* name :
       {"q2", "q1_dot", "q2_dot", "tau.q1", "kinetic", "potential", "tip.px", "tip.qw", "tip.vz"})
    EXPECT_EQ(table.count(name), 1u) << name;
  for (const double energy : table.at("energy")) EXPECT_NEAR(energy, table.at("energy")[0], 1e-8);
  // Both rods have 1 m, and angles turn about y from straight down.
  const double q1 = table.at("q1")[20], q2 = table.at("q2")[20];
  EXPECT_NEAR(table.at("tip.px")[20], -std::sin(q1) - std::sin(q1 + q2), 1e-12);
  EXPECT_NEAR(table.at("tip.pz")[20], -std::cos(q1) - std::cos(q1 + q2), 1e-12);
  EXPECT_EQ(content_of(folder.path("run.svg")).substr(0, 4), "<svg");
}

TEST(Simulate, GivesTheSameBytesEveryTime) {
  const std::string arguments = "simulate " + model("puma560.yaml") + " --duration 0.1 --out -";
  const Outcome first = tactus(arguments), second = tactus(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_GT(first.out.size(), 10'000u);
}

/// The double pendulum of the model, two masses of 1 kg on rods of 1 m, by its equations in the absolute angles a and b,
///   2 a'' + cos(a - b) b'' = tau - sin(a - b) b'^2 - 2 g sin a,      b'' + cos(a - b) a'' = sin(a - b) a'^2 - g sin b,
/// from rest with a torque 2 sin 3t - 0.1 a' at the first joint: q at the end, to rounding (Runge-Kutta, 10 us).
std::array<double, 2> double_pendulum_at(double end, double q1, double q2) {
  using Y = std::array<double, 4>;  // a, b and their rates
  const auto slope = [](double t, const Y& y) {
    const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]), g = 9.81;
    const double f = 2.0 * std::sin(3.0 * t) - 0.1 * y[2] - s * y[3] * y[3] - 2.0 * g * std::sin(y[0]);
    const double h = s * y[2] * y[2] - g * std::sin(y[1]);
    const double det = 2.0 - c * c;
    return Y{y[2], y[3], (f - c * h) / det, (2.0 * h - c * f) / det};
  };
  const auto moved = [](const Y& y, double h, const Y& k) {
    return Y{y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2], y[3] + h * k[3]};
  };
  Y y{q1, q1 + q2, 0.0, 0.0};
  const int steps = static_cast<int>(std::lround(end / 1e-5));
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = h * i;
    const Y k1 = slope(t, y), k2 = slope(t + h / 2, moved(y, h / 2, k1)),
            k3 = slope(t + h / 2, moved(y, h / 2, k2)), k4 = slope(t + h, moved(y, h, k3));
    for (std::size_t j = 0; j < 4; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  return {y[0], y[1] - y[0]};
}

TEST(Simulate, EveryIntegratorReachesTheEndThatTheEquationsByHandGive) {
  const Folder folder;
  const std::string script =
      folder.file("script.yaml", "{initial: {q: [1, 0.5]}, tau: {q1: 2*sin(3*t) - 0.1*q1_dot}}");
  const std::array<double, 2> reference = double_pendulum_at(0.3, 1.0, 0.5);
  for (const std::string integrator : {"adaptive", "stiff", "rk4", "implicit", "euler"}) {
    const Outcome run =
        tactus("simulate " + model("double_pendulum.yaml") + " --duration 0.3 --step 1e-4 --sample 0.1 " +
               "--json --script " + script + " --integrator " + integrator);
    ASSERT_EQ(run.code, 0) << run.err;
    const auto summary = nlohmann::json::parse(run.out);
    EXPECT_TRUE(summary["ok"].get<bool>());
    EXPECT_EQ(summary["rows"], 4);
    const auto q = summary["q"].get<std::vector<double>>();
    ASSERT_EQ(q.size(), 2u);
    const double tolerance = integrator == "euler" ? 1e-3 : integrator == "stiff" ? 1e-7 : 1e-8;
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], reference[i], tolerance) << integrator;
  }
}

TEST(Simulate, StopsAtNotANumberWithWhenAndWhereAndKeepsTheRows) {
  const Folder folder;
  const std::string script = folder.file("script.yaml", "tau: {q2: sqrt(0.2 - t)}");
  const Outcome run =
      tactus("simulate " + model("double_pendulum.yaml") + " --duration 1 --step 0.01 --script " + script +
             " --out " + folder.path("run.csv"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("'q2'"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("at t = 0.2"), std::string::npos) << run.err;
  const Table table = table_of(content_of(folder.path("run.csv")));
  EXPECT_NEAR(static_cast<double>(table.at("t").size()), 21.0, 1.0);
}

/// So many bodies that fly, each by itself.
std::string loose(int count) {
  return "name: loose\nrepeat:\n  count: " + std::to_string(count) +
         "\n  bodies: {'b{i}': {mass: 1, inertia: [1, 1, 1]}}\n"
         "  joints: {'j{i}': {type: free, parent: world, child: 'b{i}'}}\n";
}

TEST(Simulate, RefusesMoreFreedomsThanFormulasInOnePieceCanHave) {
  const Folder folder;
  const std::string file = folder.file("loose.yaml", loose(10000));
  for (const char* verb : {"derive", "eval"}) {
    const Outcome run = tactus(std::string(verb) + " " + file);
    EXPECT_EQ(run.code, 2) << verb << run.err;
    EXPECT_NE(run.err.find("60000 freedoms"), std::string::npos) << verb << run.err;
    EXPECT_NE(run.err.find("help:"), std::string::npos) << verb;
  }
}

TEST(Simulate, ThousandsOfBodiesFly) {
  const Folder folder;
  const Outcome run =
      tactus("simulate " + folder.file("loose.yaml", loose(2000)) + " --duration 0.01 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("\"steps\": 10"), std::string::npos) << run.out;
}

TEST(Simulate, StopsWhenTheMotionDiverges) {
  const Folder folder;
  const std::string script = folder.file("script.yaml", "{initial: {u: [0, 1]}, tau: {q2: 50*q2_dot}}");
  const Outcome run = tactus("simulate " + model("double_pendulum.yaml") + " --duration 5 --script " +
                             script + " --out " + folder.path("run.csv"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("diverged in joint"), std::string::npos) << run.err;
  EXPECT_GT(content_of(folder.path("run.csv")).size(), 1000u);
}

TEST(Simulate, WritesTheSameColumnsInParametricCoordinates) {
  const std::string command =
      "simulate " + model("rolling_disk.yaml") + " --duration 0.2 --out - --formulation ";
  const Outcome reference = tactus(command + "automatic"), z = tactus(command + "parametric");
  ASSERT_EQ(z.code, 0) << z.err;
  const auto expected = table_of(reference.out), table = table_of(z.out);
  ASSERT_EQ(table.size(), expected.size());
  for (const auto& [name, column] : expected) {
    ASSERT_EQ(table.count(name), 1u) << name;
    ASSERT_EQ(table.at(name).size(), column.size());
    // Both are within RK4's truncation of the motion.
    for (std::size_t i = 0; i < column.size(); ++i) EXPECT_NEAR(table.at(name)[i], column[i], 1e-7) << name;
  }
  EXPECT_EQ(tactus("simulate " + model("sleigh.yaml") + " --formulation parametric").code, 2);
}

TEST(Simulate, SaysWhichFormulationRan) {
  // The ladder falls through the position where all its links lie on one line.
  const std::string ladder = "simulate " + model("four_bar_ladder.yaml") + " --duration 1 --formulation ";
  for (const auto& [formulation, hands_over] :
       {std::pair{"automatic", true}, std::pair{"embedding", false}}) {
    const Outcome run = tactus(ladder + formulation + " --json");
    ASSERT_EQ(run.code, 0) << run.err;
    const nlohmann::json constraints = nlohmann::json::parse(run.out)["constraints"];
    EXPECT_EQ(constraints["formulation"], formulation);
    EXPECT_EQ(constraints["handed_over"].get<long>() > 0, hands_over) << constraints;
    EXPECT_EQ(constraints["rank"], 4);
    EXPECT_TRUE(constraints["redundant_rows"].empty());
  }
  const Outcome text = tactus(ladder + "automatic");
  EXPECT_NE(text.out.find("4 constraint rows, rank 4 at the start, 1 freedom;"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("accelerations handed over to the rank-revealing multipliers"), std::string::npos)
      << text.out;
}

TEST(Simulate, RefusesWhatCannotBeMeant) {
  const std::string pendulum = "simulate " + model("pendulum.yaml");
  for (const std::string options :
       {" --duration -1", " --duration 0", " --step 0", " --step nan", " --duration 1 --step 0.3",
        " --step 0.01 --sample 0.015", " --integrator rk5", " --frames nothing",
        " --out /no/such/folder/run.csv", " --duration 1e12 --step 1e-3", " --script no_such_script.yaml",
        " --tolerance -1", " --sample -1"}) {
    const Outcome run = tactus(pendulum + options);
    EXPECT_EQ(run.code, 2) << options << run.err;
    EXPECT_NE(run.err.find("error: "), std::string::npos) << options;
  }
}

TEST(Simulate, ATableThatEndsIsNamedWithItsForceAndArgument) {
  const Folder folder;
  const auto with = [&](const std::string& argument) {
    return tactus(
        "simulate " +
        folder.file("t.yaml",
                    "name: x\nbodies: {b: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}}\n"
                    "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n"
                    "tables: {ta: {points: [[0, 0], [1, 2]], beyond: error}, tb: {points: [[0, 0], [1, 1]], "
                    "beyond: error}}\n"
                    "forces: {f: {type: joint, joint: q, force: 30*tb(" +
                        argument + ")}}\ninitial: {q: {q: 0.5}}\n") +
        " --duration 3");
  };
  const Outcome timed = with("t");
  EXPECT_EQ(timed.code, 1);
  EXPECT_NE(timed.err.find("the table `tb` in the force `f`"), std::string::npos) << timed.err;
  EXPECT_NE(timed.err.find("its argument t is 1.001, and it reaches to 1;"), std::string::npos) << timed.err;
  EXPECT_NE(timed.err.find("t.yaml:5:"), std::string::npos) << timed.err;
  EXPECT_EQ(timed.err.find("smaller step"), std::string::npos) << timed.err;
  // Of a file that includes this one.
  const Outcome over =
      tactus("simulate " +
             folder.file("over.yaml",
                         "include: t.yaml\ntables: {tc: {points: [[0, 0], [0.2, 1]], beyond: "
                         "error}}\n"
                         "forces: {f2: {type: joint, joint: q, force: tc(t)}}\n") +
             " --duration 3");
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(over.err.find("the table `tc` in the force `f2`"), std::string::npos) << over.err;
}

}  // namespace
}  // namespace tactus::apps
