// tactus eval: the thesis' tables, the wrist of [Gillespie2003], and agreement of everything with everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <nlohmann/json.hpp>

#include <studies/clover1996/tables.h>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;
using List = std::vector<double>;
using Rows = std::vector<List>;

Json evaluated(const std::string& name, const std::string& state, const std::string& options = "",
               int code = 0) {
  const Folder folder;
  const Outcome run =
      tactus("eval " + model(name) + " --at " + folder.file("state.yaml", state) + " " + options);
  EXPECT_EQ(run.code, code) << run.err;
  return Json::parse(run.out, nullptr, false);
}

void expect_near(const Json& actual, const List& expected, double tolerance) {
  const List values = actual.get<List>();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

/// Real parts, then imaginary parts of the roots (the largest real part first).
void expect_roots(const Json& linear, const Rows& expected, double tolerance) {
  const Rows roots = linear["eigenvalues"].get<Rows>();
  ASSERT_EQ(roots.size(), expected.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_NEAR(roots[i][0], expected[i][0], tolerance) << i;
    EXPECT_NEAR(std::abs(roots[i][1]), std::abs(expected[i][1]), tolerance) << i;
  }
}

const std::string kSlewPoint =
    "q: [1.510274262, 1.510274262, 1.510274262, 1.510274262, 1.510274262, 1.510274262]\n"
    "qd: [6.560546764, 6.560546764, 6.560546764, 6.560546764, 6.560546764, 6.560546764]\n"
    "qdd: [11.229879698, 11.229879698, 11.229879698, 11.229879698, 11.229879698, 11.229879698]\n";

// [Clover1996, II Table VIII], un-abbreviated, recomputed to six digits. Zero roots are defective: +-1e-8 is
// rounding.
TEST(Eval, FindsTheRootsOfThePumaAtRestAndOnTheSlew) {
  constexpr double kSixDigits = 1e-6;
  expect_roots(evaluated("puma560.yaml", "{q: [0, 0, 0, 0, 0, 0], qdd: [0, 0, 0, 0, 0, 0]}")["linear"],
               {{1.937078, 0},
                {0.064206, 0},
                {0, 0},
                {0, 0},
                {0, 0},
                {-0.099045, 0},
                {-1.118939, 0},
                {-1.155418, 0},
                {-2.032663, 0},
                {-2.041277, 0},
                {-2.441314, 0},
                {-4.470703, 0}},
               kSixDigits);
  expect_roots(evaluated("puma560.yaml", kSlewPoint)["linear"],
               {{5.514440, 0},
                {0, 0},
                {0, 0},
                {-1.030854, 0.655203},
                {-1.030854, 0.655203},
                {-1.118784, 0},
                {-1.176842, 0.576095},
                {-1.176842, 0.576095},
                {-1.636882, 4.589481},
                {-1.636882, 4.589481},
                {-2.658664, 0},
                {-4.805711, 0}},
               kSixDigits);
}

// [Clover1996, II Tables V to VII]: un-abbreviated as printed, up to the finite differences behind some
// entries; the abbreviated ones within half a unit of the last printed digit. Table VIII: the roots.
TEST(Eval, ReproducesTheThesisTables) {
  constexpr double kUnabbreviated = 6e-5, kPrintRounding = 5.05e-5, kPrintedRoots = 8e-5;
  for (const clover::Table& table : clover::kTables) {
    const std::string state = "{q: " + Json(table.q).dump() + ", qd: " + Json(table.qd).dump() +
                              ", qdd: " + Json(table.qdd).dump() + "}";
    const Json result = evaluated("puma560.yaml", state, "--abbreviate 0.01");
    const Json &exact = result["linear"], &shorter = result["abbreviated"]["linear"];
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(exact["M"][i][j].get<double>(), table.M[i][j], kUnabbreviated) << table.name;
        EXPECT_NEAR(exact["C"][i][j].get<double>(), table.C[i][j], kUnabbreviated) << table.name;
        EXPECT_NEAR(exact["K"][i][j].get<double>(), table.K[i][j], kUnabbreviated) << table.name;
        EXPECT_NEAR(shorter["M"][i][j].get<double>(), table.M_abbreviated[i][j], kPrintRounding)
            << table.name;
        EXPECT_NEAR(shorter["C"][i][j].get<double>(), table.C_abbreviated[i][j], kPrintRounding)
            << table.name;
        EXPECT_NEAR(shorter["K"][i][j].get<double>(), table.K_abbreviated[i][j], kPrintRounding)
            << table.name;
      }
    }
    const auto expect_printed_roots = [&](const Json& linear, const auto& printed) {
      Rows found = linear["eigenvalues"].get<Rows>();
      for (const std::complex<double>& root : printed) {
        const auto distance = [&](const List& x) {
          return std::abs(std::complex<double>(x[0], x[1]) - root);
        };
        const auto nearest = std::min_element(found.begin(), found.end(), [&](const List& x, const List& y) {
          return distance(x) < distance(y);
        });
        EXPECT_LE(distance(*nearest), kPrintedRoots) << table.name << ' ' << root;
        found.erase(nearest);
      }
    };
    expect_printed_roots(exact, table.roots);
    expect_printed_roots(shorter, table.roots_abbreviated);
  }
}

// [Clover1996, II Appendix A]: M at rest has these constants, with motors; abbreviated to four digits.
TEST(Eval, AbbreviatesAsTheThesisDoes) {
  const Json result = evaluated("puma560.yaml", "{q: [0, 0, 0, 0, 0, 0]}", "--abbreviate 0.01");
  const Rows M = result["abbreviated"]["linear"]["M"].get<Rows>();
  EXPECT_NEAR(M[3][3], 0.2000, 1e-12);
  EXPECT_NEAR(M[4][4], 0.1790, 1e-12);
  EXPECT_NEAR(M[5][5], 0.1930, 1e-12);
  EXPECT_NEAR(M[2][2], 0.3336 + 0.83, 1e-12);
  EXPECT_NEAR(result["linear"]["M"].get<Rows>()[3][3], 0.20164, 1e-6);
  EXPECT_LT(result["abbreviated"]["terms"]["kept"].get<int>(),
            result["abbreviated"]["terms"]["of"].get<int>());
}

// [Gillespie2003, Example 2], with recomputed numbers: both definitions of the speeds, and joint rates.
TEST(Eval, ReproducesTheSphericalWristWithEveryChoiceOfSpeeds) {
  const std::string state =
      "{q: [0.3, 0.8, -0.4], qd: [0.7, -0.3, 0.5], "
      "wrenches: [{frame: C_o, axes: frame, torque: [0.1, -0.2, 0.05], force: [1, 2, -1]}]}";
  constexpr double kRounding = 1e-13;
  const List qdd{18.80320495609367, -20.108749474902716, -8.414080095352142};
  for (const char* name : {"spherical_wrist.yaml", "spherical_wrist_rates.yaml"}) {
    const Json result = evaluated(name, state);
    expect_near(result["u"], {-.3456845972039617, -.4718644320350396, .9876946965430158}, kRounding);
    expect_near(result["udot"], {-4.694274793322486, -23.544273064045182, 4.836883733877091}, kRounding);
    expect_near(result["qdd"], qdd, kRounding);
  }
  expect_near(evaluated("spherical_wrist_joint_rates.yaml", state)["qdd"], qdd, kRounding);
}

TEST(Eval, ForwardAndInverseDynamicsAreInverse) {
  const std::string motion = "{q: [0.1, -0.7, 1.2, 0.4, -1.1, 0.6], qd: [1, -2, 0.5, 3, -1, 2], ";
  const std::string load = "wrenches: [{frame: tool, force: [10, -5, 3], torque: [0.1, 0.2, -0.3]}], ";
  const Json inverse = evaluated("puma560.yaml", motion + load + "qdd: [1, 2, -3, 4, -5, 6]}");
  const Json forward = evaluated("puma560.yaml", motion + load + "tau: " + inverse["tau"].dump() + "}");
  expect_near(forward["qdd"], {1, 2, -3, 4, -5, 6}, 1e-11);
  expect_near(forward["frames"]["tool"]["acceleration"],
              inverse["frames"]["tool"]["acceleration"].get<List>(), 1e-11);
}

// Rods without friction: h = C u + g.
TEST(Eval, GivesTheMatrixOfChristoffelsSymbolsWhereItIsAskedFor) {
  const std::string state = "{q: [0.3, 0.8, -0.5], qd: [1, -2, 0.5]}";
  const Json r = evaluated("planar_3r.yaml", state, "--coriolis");
  EXPECT_FALSE(evaluated("planar_3r.yaml", state).contains("coriolis"));
  const Rows C = r["coriolis"].get<Rows>();
  const List u = r["u"].get<List>(), h = r["h"].get<List>(), g = r["gravity"].get<List>();
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = g[i];
    for (std::size_t j = 0; j < 3; ++j) sum += C[i][j] * u[j];
    EXPECT_NEAR(h[i], sum, 1e-12);
  }
}

// tau = M qdd + h - J^T F, V = J u, and kinetic = 1/2 u^T M u: blocks that come from different recursions.
TEST(Eval, BlocksFitTogether) {
  const std::string state =
      "{q: [0.1, -0.7, 1.2, 0.4, -1.1, 0.6], qd: [1, -2, 0.5, 3, -1, 2], qdd: [1, 2, -3, 4, -5, 6], "
      "wrenches: [{frame: tool, force: [10, -5, 3], torque: [0.1, 0.2, -0.3]}]}";
  const Json r = evaluated("puma560.yaml", state);
  const Rows M = r["M"].get<Rows>(), J = r["frames"]["tool"]["jacobian"].get<Rows>();
  const List u = r["u"].get<List>(), udot = r["udot"].get<List>(), h = r["h"].get<List>(),
             tau = r["tau"].get<List>();
  const List F{0.1, 0.2, -0.3, 10, -5, 3};
  double kinetic = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = h[i], V = 0.0;
    for (std::size_t j = 0; j < 6; ++j) {
      sum += M[i][j] * udot[j] - J[j][i] * F[j];
      V += J[i][j] * u[j];
      kinetic += 0.5 * u[i] * M[i][j] * u[j];
    }
    EXPECT_NEAR(tau[i], sum, 1e-11);
    EXPECT_NEAR(r["frames"]["tool"]["velocity"][i].get<double>(), V, 1e-12);
  }
  EXPECT_NEAR(r["energy"]["kinetic"].get<double>(), kinetic, 1e-11);
}

TEST(Eval, SaysOrderAndMeaningOfCoordinates) {
  const Json r = evaluated("rigid_body.yaml", "{q: {body_joint: {xyz: [1, 2, 3]}}, u: [1, 0, 0, 0, 2, 0]}");
  ASSERT_EQ(r["coordinates"].size(), 7u);
  ASSERT_EQ(r["speeds"].size(), 6u);
  EXPECT_EQ(r["coordinates"][3]["name"], "body_joint.qw");
  EXPECT_EQ(r["speeds"][0]["name"], "body_joint.wx");
  EXPECT_FALSE(r["speeds"][0]["meaning"].get<std::string>().empty());
  expect_near(r["momentum"]["linear"], {0, 2, 0}, 1e-15);
  expect_near(r["momentum"]["angular_about_world_origin"], {1 - 3 * 2, 0, 1 * 2}, 1e-15);
  EXPECT_FALSE(r.contains("linear"));  // a quaternion has no small displacement of its own
}

TEST(Eval, NamesListsAndUnitsSayTheSame) {
  const Json by_list = evaluated("planar_2r.yaml", "{q: [0.5235987755982988, 0], qd: [0, 2]}");
  const auto names = by_list["coordinates"];
  const std::string q1 = names[0]["name"], q2 = names[1]["name"];
  const Json by_name = evaluated("planar_2r.yaml", "{q: {" + q1 + ": 30 deg}, qd: {" + q2 + ": 2 rad/s}}");
  EXPECT_EQ(by_list["M"], by_name["M"]);
  EXPECT_EQ(by_list["h"], by_name["h"]);
}

TEST(Eval, TellsWhereAStateFileIsWrong) {
  const Folder folder;
  const std::string state = folder.file("state.yaml", "q: [0, 0, 0, 0, 0, 0]\nqd:\n  q9: 1\n");
  const Outcome run = tactus("eval " + model("puma560.yaml") + " --at " + state);
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find(state + ":3:3: error: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("help: "), std::string::npos) << run.err;
}

TEST(Eval, GivesTheSameReactionsInParametricCoordinates) {
  for (const char* name : {"two_link_on_circle.yaml", "rolling_disk.yaml", "four_bar.yaml"}) {
    const Json reference = evaluated(name, "t: 0", "--formulation multipliers"),
               z = evaluated(name, "t: 0", "--formulation parametric");
    EXPECT_EQ(z["formulation"], "parametric");
    EXPECT_EQ(z["rank"], reference["rank"]);
    EXPECT_EQ(z["redundant_rows"], reference["redundant_rows"]);
    EXPECT_EQ(z["parameters"]["names"].size(), z["parameters"]["z"].size());
    // Roundings of forces of up to 100 N.
    expect_near(z["udot"], reference["udot"].get<List>(), 1e-10);
    for (const auto& [constraint, reaction] : reference["reactions"].items()) {
      expect_near(z["reactions"][constraint]["lambda"], reaction["lambda"].get<List>(), 1e-10);
      expect_near(z["reactions"][constraint]["force"], reaction["force"].get<List>(), 1e-10);
    }
  }
}

TEST(Eval, SaysWhatOfAGivenAccelerationTheConstraintsDoNotAllow) {
  // On its branch q2 = 2 pi - 2 q1 the slider's height is l (sin q1 + sin(q1 + q2)); any qdd = (a, -2 a) is
  // allowed.
  const std::string at = "{q: [0.7, 4.883185307179586], qd: [0.9, -1.8], qdd: [1.3, ";
  const auto error = [&](const std::string& qdd2, bool fits) {
    const Json result = evaluated("slider_crank.yaml", at + qdd2 + "]}", "", fits ? 0 : 1);
    EXPECT_EQ(result["motion_fits_constraints"].get<bool>(), fits);
    return result["reactions"]["slider"]["acceleration_error"][0].get<double>();
  };
  EXPECT_NEAR(error("-2.6", true), 0.0, 1e-14);
  EXPECT_NEAR(error("5", false), 7.6 * std::cos(0.7), 1e-13);  // of q2 alone
}

// Of the PUMA's joints at rest only the second breaks away under its weight: M_22 qdd_2 = gravity less friction, the others stand.
TEST(Eval, JointsThatDryFrictionHoldsStandStill) {
  const Json result = evaluated("puma560.yaml", "{}");
  const List udot = result["udot"].get<List>();
  EXPECT_EQ(result["dry_friction_at_rest"]["joints"].size(), 6u);
  for (const std::size_t i : {0u, 2u, 3u, 4u, 5u}) EXPECT_NEAR(udot[i], 0.0, 1e-12) << i;
  EXPECT_GT(udot[1], 1.0);
  // The second is the one joint that the equations, in which all of them slide, have right: by its own row.
  const Rows M = result["M"].get<Rows>();
  const double alone = -result["h"].get<List>()[1] / M[1][1];
  EXPECT_NEAR(udot[1], alone, 1e-9 * std::abs(alone));
  // Pushed beyond their bounds they move.
  EXPECT_GT(evaluated("puma560.yaml", "{tau: [50, 0, 0, 0, 0, 0]}")["udot"].get<List>()[0], 1.0);
}

TEST(Eval, ConstrainedModelsHaveNoEigenvaluesOfTheTree) {
  const Json linear = evaluated("four_bar.yaml", "t: 0")["linear"];
  EXPECT_EQ(linear["M"].size(), 3u);
  EXPECT_EQ(linear["K"].size(), 3u);
  EXPECT_FALSE(linear.contains("A"));
  EXPECT_FALSE(linear.contains("eigenvalues"));
}

TEST(Eval, RefusesParametricCoordinatesThatAreNotGivenOrNotThere) {
  const auto says = [](const std::string& name, const std::string& state, const std::string& fragment) {
    const Folder folder;
    const Outcome run =
        tactus("eval " + model(name) + " --formulation parametric --at " + folder.file("state.yaml", state));
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find(fragment), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("help: "), std::string::npos) << run.err;
  };
  says("pendulum.yaml", "t: 0", "the model gives no parametric coordinates");
  says("sleigh.yaml", "t: 0", "the model gives no parametric coordinates");
  says("two_link_on_circle.yaml", "q: {q1: 0.1}", "no values of the parametric coordinates give this");
  says("particle_on_circle.yaml", "u: {q1: 1, q2: 1}", "the speeds break the constraints");
}

TEST(Eval, GivesTheBranchOfTheVelocityInASingularPositionAndSaysWhereThereIsNone) {
  // One parallelogram on a line: w = 2 g/(2/3 + 1).
  const std::string flat = "q: {theta_0: 0, phi_1: 0, theta_1: 0}\n", name = "four_bar_ladder.yaml";
  const double w = 9.81 * 2.0 / (2.0 / 3.0 + 1.0);
  constexpr double kExact =
      1e-8;  // [rad/s^2] rounding, amplified to where the places of the interpolation are
  const Json moving = evaluated(name, flat + "u: {theta_0: -4, phi_1: 4, theta_1: -4}", "--set N=1");
  expect_near(moving["udot"], {-w, w, -w}, kExact);
  EXPECT_EQ(moving["singular_position"], true);
  EXPECT_EQ(moving["on_branch"], true);
  for (const char* u : {"u: {theta_0: 0, phi_1: 0, theta_1: 0}", "u: {theta_0: 2, phi_1: 1, theta_1: 5}"}) {
    const Folder folder;
    const Outcome run =
        tactus("eval " + model(name) + " --set N=1 --at " + folder.file("state.yaml", flat + u));
    EXPECT_EQ(run.code, 1) << u;
    EXPECT_NE(run.err.find("the velocity is on none of them"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("loop_1"), std::string::npos) << run.err;
    EXPECT_EQ(Json::parse(run.out, nullptr, false)["on_branch"], false);
  }
  const Json regular = evaluated(
      name, "q: {theta_0: 1, phi_1: -1, theta_1: 1}\nu: {theta_0: -4, phi_1: 4, theta_1: -4}", "--set N=1");
  EXPECT_EQ(regular["singular_position"], false);
  EXPECT_EQ(regular.count("on_branch"), 0u);
}

// Three cranks a, b, c of 1 m and 1 kg carry a bar of 2 kg: one crank too many, and rows that follow from others in every position. They move as one
// pendulum of inertia J = 3 (0.1 + 1/4) + 2 with the weight's moment (3/2 + 2) g sin q, a spring of 10 Nm/rad from 0.3 and a damper of 0.5 Nms/rad.
TEST(Eval, CallsNoPositionSingularWhereRowsAreRedundant) {
  const Folder folder;
  const std::string cranks = folder.file("cranks.yaml", R"(
name: cranks
bodies:
  a: &crank {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
  b: *crank
  c: *crank
  bar: {mass: 2, com: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}
joints:
  qa: {type: revolute, parent: world, child: a, axis: y, stiffness: 10, rest: 0.3}
  qb: {type: revolute, parent: world, child: b, axis: y, placement: {xyz: [1, 0, 0]}, damping: 0.5}
  qc: {type: revolute, parent: world, child: c, axis: y, placement: {xyz: [0.5, 0, 0]}}
  qd: {type: revolute, parent: a, child: bar, axis: y, placement: {xyz: [0, 0, -1]}}
constraints:
  right: {type: spherical, a: {body: bar, at: [1, 0, 0]}, b: {body: b, at: [0, 0, -1]}}
  middle: {type: spherical, a: {body: bar, at: [0.5, 0, 0]}, b: {body: c, at: [0, 0, -1]}}
)");
  constexpr double kRounding = 1e-12,
                   kJ = 3.05;  // [rad/s^2] of some 1e-15, a hundredfold by the solution of the rows; [kg m^2]
  for (const double w : {0.0, 2.0}) {
    const std::string state = "{q: {qa: 0.5, qb: 0.5, qc: 0.5, qd: -0.5}, u: {qa: W, qb: W, qc: W, qd: -W}}";
    std::string at = state;
    for (std::size_t i; (i = at.find('W')) != std::string::npos;) at.replace(i, 1, std::to_string(w));
    for (const char* formulation : {"automatic", "multipliers", "embedding", "projection"}) {
      const Outcome run = tactus("eval " + cranks + " --formulation " + formulation + " --at " +
                                 folder.file("state.yaml", at));
      ASSERT_EQ(run.code, 0) << formulation << "\n" << run.err;
      const Json here = Json::parse(run.out, nullptr, false);
      EXPECT_EQ(here["singular_position"], false);
      EXPECT_EQ(here["rank"], 3);
      EXPECT_EQ(here["redundant_rows"].size(), 1u);
      const double udot = -(3.5 * 9.81 * std::sin(0.5) + 10.0 * (0.5 - 0.3) + 0.5 * w) / kJ;
      expect_near(here["udot"], {udot, udot, udot, -udot}, kRounding);
    }
  }
  const Json bricard = evaluated("bricard.yaml", "{}");
  EXPECT_EQ(bricard["singular_position"], false);
  EXPECT_EQ(bricard["redundant_rows"].size(), 1u);
}

// The drag of `air` is a root of zero at rest: it has a value, and no slope.
TEST(Eval, AForceWithoutASlopeLeavesTheMotionKnown) {
  const Json arm = evaluated("muscle_arm.yaml", "{}");
  EXPECT_TRUE(arm["linear"].is_null());
  EXPECT_NE(arm["linear_note"].get<std::string>().find("no derivative"), std::string::npos);
  for (const double udot : arm["udot"].get<List>()) EXPECT_TRUE(std::isfinite(udot));
  const Json moving = evaluated("muscle_arm.yaml", "{u: {shoulder: 1, elbow: 0.5}}");
  EXPECT_TRUE(moving["linear"].is_object());
  EXPECT_EQ(moving.count("linear_note"), 0u);
}

// A parallelogram whose loop is closed twice, on a line: rows are redundant and others are lost, so it is singular.
TEST(Eval, FindsTheBranchOfASingularPositionWhereRowsAreRedundant) {
  const Folder folder;
  const std::string twice = folder.file("twice.yaml", R"(
name: twice
bodies:
  a: &rod {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}
  b: *rod
  c: *rod
joints:
  qa: {type: revolute, parent: world, child: a, axis: -y}
  qb: {type: revolute, parent: a, child: b, axis: -y, placement: {xyz: [1, 0, 0]}}
  qc: {type: revolute, parent: world, child: c, axis: -y, placement: {xyz: [1, 0, 0]}}
constraints:
  once: {type: revolute, a: {body: c, at: [1, 0, 0], axis: y}, b: {body: b, at: [1, 0, 0], axis: y}}
  again: {type: spherical, a: {body: c, at: [1, 0, 0]}, b: {body: b, at: [1, 0, 0]}}
)");
  const auto at = [&](const std::string& state, int code) {
    const Outcome run = tactus("eval " + twice + " --at " + folder.file("state.yaml", state));
    EXPECT_EQ(run.code, code) << run.err;
    return Json::parse(run.out, nullptr, false);
  };
  const Json along = at("{q: {qa: 0, qb: 0, qc: 0}, u: {qa: -4, qb: 4, qc: -4}}", 0);
  EXPECT_EQ(along["singular_position"], true);
  EXPECT_EQ(along["on_branch"], true);
  const double w = 9.81 * 2.0 / (2.0 / 3.0 + 1.0);
  expect_near(along["udot"], {-w, w, -w}, 1e-8);  // rounding, amplified as above
  const Json rest = at("{q: {qa: 0, qb: 0, qc: 0}}", 1);
  EXPECT_EQ(rest["singular_position"], true);
  EXPECT_EQ(rest["on_branch"], false);
  EXPECT_EQ(at("{q: {qa: 1, qb: -1, qc: 1}}", 0)["singular_position"], false);
}

TEST(Eval, SaysWhenTheEquationsAreSingular) {
  const Outcome run =
      tactus("eval " + model("spherical_wrist.yaml"));  // sin q2 = 0: the speeds do not determine the rates
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("singular"), std::string::npos) << run.err;
}

TEST(Eval, NamesTheDefinitionThatHasNoValue) {
  const Folder folder;
  const Outcome run = tactus("eval " + folder.file("d.yaml",
                                                   "name: d\nbodies: {b: {mass: 1}}\njoints: {q: {type: "
                                                   "prismatic, parent: world, child: b}}\n"
                                                   "definitions: {good: 2*q, bad: sqrt(q - 1)}\n"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("the definition `bad`\n"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("singular"), std::string::npos) << run.err;
  EXPECT_TRUE(nlohmann::json::parse(run.out)["definitions"]["bad"].is_null()) << run.out;
}

// [Aghili2005, Proposition 3]: a particle's mass is the same in all directions; the slider-crank's is not. There, along the row (2, 1) and the
// motion (1, -2), both over sqrt 5, M gives 0.1, and |M|^2 is 5.5.
TEST(Eval, SaysHowMuchForcesOfConstraintsDependOnTheMotion) {
  const auto particle = evaluated("particle_on_circle.yaml", "{}", "--assemble"),
             crank = evaluated("slider_crank.yaml", "{}");
  EXPECT_LT(particle["force_motion_coupling"].get<double>(), 1e-15);
  EXPECT_LT(particle["force_motion_mu"].get<double>(), 1e-15);
  EXPECT_EQ(particle["decoupled"], true);
  EXPECT_NEAR(crank["force_motion_coupling"].get<double>(), 0.1 / std::sqrt(5.5), 1e-14);
  // Mc of the seed: [[2, .6], [.4, 1]]; along the row and the motion mu is 0.1/0.8.
  EXPECT_NEAR(crank["force_motion_mu"].get<double>(), 0.125, 1e-14);
  EXPECT_EQ(crank["decoupled"], false);
}

}  // namespace
}  // namespace tactus::apps
