// Scripts and state files: what they mean, and what is said about mistakes.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/files/instant.h>
#include <tactus/simulate/files/script.h>
#include "support/paths.h"

namespace tactus::simulate {
namespace {

const derive::Equations& puma() {
  static const derive::Equations equations(
      describe::load(tactus::support::source_dir() + "/models/puma560.yaml"));
  return equations;
}
const derive::Equations& flyer() {
  static const derive::Equations equations(
      describe::load(tactus::support::source_dir() + "/models/rigid_body.yaml"));
  return equations;
}

TEST(Script, TakesValuesByNameAsListsAndWithUnits) {
  const Script by_name =
      read_script(puma(), "initial: {t: 2, q: {q2: 90 deg, q3: pi/4}, qd: {q1: 60 rpm}}", "s");
  EXPECT_EQ(by_name.initial.t, 2.0);
  EXPECT_DOUBLE_EQ(by_name.initial.q[1], M_PI / 2);
  EXPECT_DOUBLE_EQ(by_name.initial.q[2], M_PI / 4);
  EXPECT_DOUBLE_EQ(by_name.initial.u[0], 2 * M_PI);
  EXPECT_FALSE(by_name.loads.has_value());
  const Script by_list =
      read_script(puma(), "initial: {q: [0, pi/2, pi/4, 0, 0, 0], u: [2*pi, 0, 0, 0, 0, 0], t: 2}", "s");
  EXPECT_EQ(by_list.initial.q, by_name.initial.q);
  EXPECT_DOUBLE_EQ(by_list.initial.u[0], by_name.initial.u[0]);
}

TEST(Script, ForcesAreFormulasOfTheMotion) {
  const Script script = read_script(puma(),
                                    "parameters: {k: 3, double_k: 2*k}\n"
                                    "tau: {q1: double_k*sin(2*t) - q1_dot, q6: 1 + q2}\n"
                                    "wrenches: [{frame: tool, force: [t, 0, k]}]",
                                    "s");
  ASSERT_TRUE(script.loads.has_value());
  ASSERT_EQ(script.wrenches.size(), 1u);
  generate::Evaluator loads(generate::compile(*script.loads));
  loads.input("t")[0] = 0.7;
  loads.input("q")[1] = 0.25;
  loads.input("u")[0] = 2.0;
  loads.run();
  EXPECT_DOUBLE_EQ(loads.output("tau")[0], 6 * std::sin(1.4) - 2.0);
  EXPECT_DOUBLE_EQ(loads.output("tau")[5], 1.25);
  EXPECT_DOUBLE_EQ(loads.output("wrench")[3], 0.7);
  EXPECT_DOUBLE_EQ(loads.output("wrench")[5], 3.0);
}

TEST(Script, PlacesFreeJoints) {
  const Script script =
      read_script(flyer(), "initial: {q: {body_joint: {xyz: [1, 2, 3 mm], rpy: [0, 0, 90 deg]}}}", "s");
  const double half = std::sqrt(0.5);
  EXPECT_EQ(script.initial.q[1], 2.0);
  EXPECT_DOUBLE_EQ(script.initial.q[2], 0.003);
  EXPECT_NEAR(script.initial.q[3], half, 1e-15);
  EXPECT_NEAR(script.initial.q[6], half, 1e-15);
}

TEST(StateFile, SpeedsComeFromJointRatesForSpeedsOfOnesOwn) {
  const derive::Equations wrist(
      describe::load(tactus::support::source_dir() + "/models/spherical_wrist.yaml"));
  const std::string text =
      "{q: [0.3, 0.8, -0.4], qd: [0.7, -0.3, 0.5], qdd: [18.80320495609367, -20.108749474902716, "
      "-8.414080095352142]}";
  const Instant instant = read_instant(wrist, text, "s");
  // [Gillespie2003, Example 2], recomputed: u and udot.
  const double u[] = {-.3456845972039617, -.4718644320350396, .9876946965430158};
  const double udot[] = {-4.694274793322486, -23.544273064045182, 4.836883733877091};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(instant.u[i], u[i], 1e-15);
    EXPECT_NEAR((*instant.udot)[i], udot[i], 1e-13);
  }
  const std::vector<double> back = joint_accelerations_of(wrist, 0.0, instant.q, instant.u, *instant.udot);
  EXPECT_NEAR(back[1], -20.108749474902716, 1e-13);
}

struct Mistake {
  std::string text;
  int line, column;
  std::string says;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.text; }

class BadScript : public testing::TestWithParam<Mistake> {};

TEST_P(BadScript, IsRefusedWithItsPlace) {
  const Mistake& mistake = GetParam();
  try {
    read_script(puma(), mistake.text, "script.yaml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, mistake.line) << error.what();
    EXPECT_EQ(error.where().column, mistake.column) << error.what();
    EXPECT_NE(std::string(error.what()).find(mistake.says), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, BadScript,
    testing::Values(Mistake{"intial: {}", 1, 1, "initial"},                                                //
                    Mistake{"initial: 3", 1, 10, "map"},                                                   //
                    Mistake{"initial: {q: [1, 2]}", 1, 14, "2 values"},                                    //
                    Mistake{"initial: {q: {q7: 1}}", 1, 15, "q7"},                                         //
                    Mistake{"initial:\n  q: {q1: 3 kg}", 2, 11, "unit"},                                   //
                    Mistake{"initial: {q: {q1: 1/0}}", 1, 19, "finite"},                                   //
                    Mistake{"initial: {q: {q1: t}}", 1, 19, "t"},                                          //
                    Mistake{"initial: {q: 5}", 1, 14, "list or a map"},                                    //
                    Mistake{"initial: {u: [0,0,0,0,0,0], qd: [0,0,0,0,0,0]}", 1, 33, "both"},              //
                    Mistake{"initial: {t: 3 m}", 1, 14, "unit"},                                           //
                    Mistake{"tau: {q1: sin(}", 1, 15, "too early"},                                        //
                    Mistake{"tau: {q1: 3*tt}", 1, 13, "tt"},                                               //
                    Mistake{"tau: {q1: 3 m}", 1, 11, "torque"},                                            //
                    Mistake{"tau: {elbow: 3}", 1, 7, "elbow"},                                             //
                    Mistake{"tau: 3", 1, 6, "list or a map"},                                              //
                    Mistake{"wrenches: {frame: tool}", 1, 11, "list"},                                     //
                    Mistake{"wrenches:\n  - {force: [0, 0, 1]}", 2, 5, "frame"},                           //
                    Mistake{"wrenches:\n  - {frame: tol, force: [0, 0, 1]}", 2, 13, "tool"},               //
                    Mistake{"wrenches:\n  - {frame: tool, force: [0, 1]}", 2, 26, "3"},                    //
                    Mistake{"wrenches:\n  - {frame: tool, axes: body}", 2, 25, "body"},                    //
                    Mistake{"wrenches:\n  - {frame: tool, forces: [0, 0, 1]}", 2, 19, "force"},            //
                    Mistake{"wrenches:\n  - {frame: tool, torque: [1 kg, 0, 0]}", 2, 28, "torque"},        //
                    Mistake{"wrenches:\n  - {frame: tool, force: [if(t, 1, 0), 0, 0]}", 2, 26, "quotes"},  //
                    Mistake{"parameters: {pi: 3}", 1, 14, "pi"},                                           //
                    Mistake{"parameters: {q1: 3}", 1, 14, "q1"},                                           //
                    Mistake{"parameters: {a: b}", 1, 17, "b"},                                             //
                    Mistake{"parameters: {a: 1/0}", 1, 17, "finite"},                                      //
                    Mistake{"initial: {q: {q1: 1, q1: 2}}", 1, 22, "q1"}));

TEST(StateFile, RefusesQuaternionsThatAreNone) {
  try {
    read_instant(flyer(), "q: [0, 0, 0, 1, 1, 0, 0]", "state.yaml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("length 1.41421"), std::string::npos) << error.what();
  }
}

TEST(StateFile, RefusesTwoWordsForOneThing) {
  EXPECT_THROW(read_instant(puma(), "{u: [0,0,0,0,0,0], qd: [0,0,0,0,0,0]}", "s"), InputError);
  EXPECT_THROW(read_instant(puma(), "{udot: [0,0,0,0,0,0], qdd: [0,0,0,0,0,0]}", "s"), InputError);
  EXPECT_THROW(read_instant(puma(), "tau: {q1: q2}", "s"), InputError);  // a state has numbers, no formulas
  EXPECT_THROW(read_instant(puma(), "", "s"), InputError);
}

}  // namespace
}  // namespace tactus::simulate
