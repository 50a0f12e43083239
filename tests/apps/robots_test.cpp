// Robot files at the command line: kinematics alone, floating bases, models that include them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;

std::string robot(const std::string& name) {
  return tactus::support::source_dir() + "/tests/describe/robots/" + name;
}

TEST(Robots, WithoutInertiaHavePosesJacobiansAndForcesOfNothing) {
  const Folder folder;
  const std::string state =
      folder.file("state.yaml", "q: {shoulder: 0.3, elbow: -0.4, left_finger: 0.1, right_finger: -0.1}\n");
  const Outcome run = tactus("eval " + robot("no_inertia.urdf") + " --at " + state);
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_NE(result["missing_inertia"].get<std::string>().find("moves nothing that has inertia"),
            std::string::npos);
  EXPECT_FALSE(result.contains("udot"));
  EXPECT_EQ(result["frames"]["lower"]["jacobian"].size(), 6u);
  EXPECT_FALSE(result["frames"]["lower"].contains("acceleration"));
  EXPECT_EQ(result["constraint_rows"], Json::array({"right_finger_mimic"}));
  EXPECT_EQ(result["fits_constraints"], true);
  // The upper arm is turned by 0.3 about its own y: seen from the ground, that is the placement times the turn.
  const Json at_rest = Json::parse(tactus("eval " + robot("no_inertia.urdf")).out);
  const auto R = result["frames"]["upper"]["pose"]["R"], R0 = at_rest["frames"]["upper"]["pose"]["R"];
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = R0[i][0], z = R0[i][2];
    EXPECT_NEAR(R[i][0].get<double>(), x * std::cos(0.3) - z * std::sin(0.3), 1e-15);
  }
  // Forces of given accelerations: none.
  const std::string moving = folder.file("moving.yaml", "qdd: [1, 2, 3, -3]\n");
  const Json forces = Json::parse(tactus("eval " + robot("no_inertia.urdf") + " --at " + moving).out);
  for (const double tau : forces["tau"].get<std::vector<double>>()) EXPECT_EQ(tau, 0.0);
  EXPECT_TRUE(forces["frames"]["lower"].contains("acceleration"));
}

TEST(Robots, WithoutInertiaAreCheckedDerivedAndGenerated) {
  const Folder folder;
  const Outcome check = tactus("check " + robot("no_inertia.urdf"));
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("motions cannot"), std::string::npos) << check.out;
  EXPECT_EQ(tactus("derive " + robot("no_inertia.urdf")).code, 0);
  EXPECT_EQ(tactus("derive --counts " + robot("no_inertia.urdf")).code, 0);
  const Outcome made = tactus("generate " + robot("no_inertia.urdf") + " --out " + folder.path("made"));
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_NE(content_of(folder.path("made/no_inertia.hpp")).find("poses"), std::string::npos);
  EXPECT_EQ(tactus("generate " + robot("no_inertia.urdf") + " --what jacobian:lower,constraints --out " +
                   folder.path("made"))
                .code,
            0);
}

TEST(Robots, WithoutInertiaAreRefusedWhereMotionIsAsked) {
  const Folder folder;
  const std::string tau = folder.file("tau.yaml", "tau: [1, 0, 0, 0]\n");
  for (const std::string& arguments :
       {"simulate " + robot("no_inertia.urdf") + " --duration 0.1",
        "eval " + robot("no_inertia.urdf") + " --at " + tau,
        "generate " + robot("no_inertia.urdf") + " --what forward-dynamics --out " + folder.path("made"),
        "generate " + robot("no_inertia.urdf") + " --what constrained-dynamics --out " +
            folder.path("made")}) {
    const Outcome run = tactus(arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_NE(run.err.find("needs inertia"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("<inertial>"), std::string::npos) << run.err;  // what a URDF can be given
    EXPECT_NE(run.err.find("no_inertia.urdf:"), std::string::npos) << run.err;
  }
}

// Inverse kinematics: the end is tied to a place, and assembly finds the angles.
TEST(Robots, WithoutInertiaReachForAPlace) {
  const Folder folder;
  const std::string arm = folder.file(
      "arm.urdf",
      "<robot name='arm'><link name='base'/><link name='upper'/><link name='lower'/><link name='tip'/>"
      "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 1 "
      "0'/></joint>"
      "<joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/><origin xyz='0.5 0 "
      "0'/><axis xyz='0 1 "
      "0'/></joint><joint name='end' type='fixed'><parent link='lower'/><child link='tip'/><origin xyz='0.5 "
      "0 0'/></joint></robot>");
  const std::string reach =
      folder.file("reach.yaml", "include: " + arm +
                                    "\nconstraints: {goal: {type: on_line, a: {body: world, at: [0.5, 0, "
                                    "-0.5], axis: y}, b: tip}}\ninitial: {q: {shoulder: "
                                    "0.1, elbow: 1}}\n");
  const Outcome run = tactus("eval " + reach + " --assemble");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto p = Json::parse(run.out)["frames"]["tip"]["pose"]["p"].get<std::vector<double>>();
  EXPECT_NEAR(p[0], 0.5, 1e-10);
  EXPECT_NEAR(p[2], -0.5, 1e-10);
  EXPECT_EQ(tactus("check " + reach).code, 0);
}

TEST(Robots, FloatAndFall) {
  const Folder folder;
  const std::string table = folder.path("fall.csv");
  const Outcome run = tactus("simulate " + robot("arm.urdf") +
                             " --floating --duration 0.5 --sample 0.5 --json --out " + table);
  ASSERT_EQ(run.code, 0) << run.err;
  const Json end = Json::parse(run.out);
  // Nothing holds it: the centre of mass has fallen by g t^2/2, whatever the joints do.
  const Json start = Json::parse(tactus("eval --floating " + robot("arm.urdf")).out);
  std::string names, first, last, line;
  std::ifstream file(table);
  std::getline(file, names);
  while (std::getline(file, line)) last = line;
  std::string q = "q: [", u = "u: [";
  std::vector<double> row;
  for (std::istringstream cells(last); std::getline(cells, line, ',');) row.push_back(std::stod(line));
  const std::size_t nq = start["q"].size();
  for (std::size_t i = 0; i < nq; ++i) q += (i > 0 ? ", " : "") + Json(row[1 + i]).dump();
  const std::string state = folder.file("end.yaml", q + "]\n");
  const Json at_end = Json::parse(tactus("eval --floating " + robot("arm.urdf") + " --at " + state).out);
  const double fallen = start["center_of_mass"][2].get<double>() - at_end["center_of_mass"][2].get<double>();
  EXPECT_NEAR(fallen, 0.5 * 9.81 * 0.25, 1e-6);
  EXPECT_EQ(tactus("check --floating " + robot("arm.urdf")).code, 0);
  EXPECT_EQ(tactus("derive --counts --floating " + robot("arm.urdf")).code, 0);
  EXPECT_EQ(tactus("generate --floating " + robot("arm.urdf") + " --out " + folder.path("made")).code, 0);
}

TEST(Robots, AreIncludedByModelsThatAddContactAndStops) {
  const Outcome check = tactus("check " + robot("overlay.yaml"));
  EXPECT_EQ(check.code, 0) << check.err;
  const Folder folder;
  const Outcome run = tactus("simulate " + robot("overlay.yaml") + " --duration 2 --json --events " +
                             folder.path("events.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(content_of(folder.path("events.csv")).find("world-lower"),
            std::string::npos);  // it falls on the table
  EXPECT_EQ(tactus("check --set rotor=0.5 " + robot("overlay.yaml")).code, 0);
}

TEST(Robots, ThatAreIncludedAreNotWrittenOver) {
  const Folder folder;
  const std::string arm = folder.file("arm.urdf", content_of(robot("arm.urdf")));
  const std::string model = folder.file("model.yaml", "include: arm.urdf\n");
  const Outcome run = tactus("simulate " + model + " --duration 0.01 --out " + arm);
  EXPECT_EQ(run.code, 2) << run.err;
  EXPECT_EQ(content_of(arm), content_of(robot("arm.urdf")));
}

TEST(Robots, LightFingersThatDriftAreSaid) {
  // A finger of a gram on a stiff spring: 1 ms is too long a step for it.
  const Folder folder;
  const std::string light =
      folder.file("light.yaml",
                  "include: " + robot("arm.urdf") +
                      "\nbodies: {finger: {mass: 1 g, com: [1 cm, 0, 0], inertia: [1e-7, 1e-7, "
                      "1e-7]}}\njoints:\n  finger: {type: revolute, "
                      "parent: lower, child: finger, axis: y, stiffness: 0.2}\ninitial: {q: {finger: 1}}\n");
  const Outcome run = tactus("simulate " + light + " --duration 1");
  EXPECT_NE((run.out + run.err).find("the step is too long"), std::string::npos) << run.out << run.err;
}

TEST(Robots, AnglesAreTakenAsAsked) {
  const auto turned = [](const std::string& options) {
    const Json result = Json::parse(tactus("eval " + options + " " + robot("angles.urdf")).out);
    return result["frames"]["b"]["pose"]["R"][1][2].get<double>();
  };
  // Turns of right angles about x, half a turn about z: cos(first) - cos(second).
  EXPECT_EQ(turned("--angles meant"), 0.0);
  EXPECT_NEAR(turned(""), -std::cos(1.5708), 1e-15);
  EXPECT_NEAR(turned("--angles written"), std::cos(1.570796327) - std::cos(1.5708), 1e-15);
  EXPECT_EQ(tactus("check --angles exact " + robot("angles.urdf")).code, 2);
}

}  // namespace
}  // namespace tactus::apps
