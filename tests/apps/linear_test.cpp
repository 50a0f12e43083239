// tactus linear, and derive --linear --at, as users run them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/compare.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;
using Complex = std::complex<double>;

std::vector<Complex> roots(const Json& point) {
  std::vector<Complex> values;
  for (const Json& one : point["eigenvalues"])
    values.emplace_back(one[0].get<double>(), one[1].get<double>());
  return values;
}

/// The distance of the nearest one, by its size.
double distance(const std::vector<Complex>& here, Complex wanted) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Complex& value : here)
    if (std::abs(value - wanted) < nearest) nearest = std::abs(value - wanted);
  return nearest / std::abs(wanted);
}

// [Meijaard2007, Table 2 (b) and (c)]: capsize, weave, caster at 0, 1, ... 10 m/s.
TEST(Linear, OneCommandGivesThePublishedEigenvaluesOfTheBicycle) {
  const double published[][4] = {
      {-3.13423125066578, 3.52696170990070, 0.80774027519930, -7.11008014637442},
      {-3.07158645641514, 2.68234517512745, 1.68066296590675, -8.67387984831735},
      {-2.63366137253667, 1.70675605663975, 2.31582447384325, -10.35101467245920},
      {-1.42944427361326, 0.41325331521125, 3.07910818603206, -12.15861426576447},
      {-0.32286642900409, -0.77534188219585, 4.46486771378823, -14.07838969279822},
      {-0.00406690076970, -1.52644486584142, 5.87673060598709, -16.08537123098026},
      {0.10268170574766, -2.13875644258362, 7.19525913329805, -18.15788466125262},
      {0.14327879765713, -2.69348683581097, 8.46037971396931, -20.27940894394569},
      {0.15790184030917, -3.21675402252485, 9.69377351531791, -22.43788559040858},
      {0.16105338653172, -3.72016840437287, 10.90681139476287, -24.62459635017404}};
  constexpr double kPublished = 1e-10;
  // A parameter that the model starts with, and a speed: the same motions.
  for (const char* swept : {"v", "frame.vx"}) {
    SCOPED_TRACE(swept);
    const Outcome run =
        tactus("linear " + model("single_track.yaml") + " --sweep " + swept + "=0:10:1 --json");
    ASSERT_EQ(run.code, 0) << run.err;
    const Json points = Json::parse(run.out)["points"];
    ASSERT_EQ(points.size(), 11u);
    for (const double standing : {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393})
      EXPECT_LT(distance(roots(points[0]), standing), kPublished);
    for (std::size_t v = 1; v <= 10; ++v) {
      SCOPED_TRACE(v);
      const auto& p = published[v - 1];
      EXPECT_TRUE(points[v]["is_steady"].get<bool>());
      for (const Complex wanted : {Complex(p[0]), Complex(p[3]), Complex(p[1], p[2]), Complex(p[1], -p[2])})
        EXPECT_LT(distance(roots(points[v]), wanted), kPublished) << wanted;
    }
  }
}

// [Meijaard2007, Table 2 (a)]: the weave speed and the capsize speed. A real part passes through zero with a slope of about 1 there: the
// place is as sharp as the eigenvalues. At the capsize speed a stiffness passes through zero, and looks like a symmetry where it is zero to
// rounding: some 1e-9 m/s.
TEST(Linear, FindsTheSpeedsBetweenWhichTheBicycleIsStable) {
  const Outcome run = tactus("linear " + model("single_track.yaml") + " --sweep v=0:10:1 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json changes = Json::parse(run.out)["stability_changes"];
  ASSERT_EQ(changes.size(), 2u) << changes;
  EXPECT_EQ(changes[0]["becomes"], "stable");
  EXPECT_NEAR(changes[0]["value"].get<double>(), 4.29238253634111, 1e-10);
  EXPECT_EQ(changes[1]["becomes"], "unstable");
  EXPECT_NEAR(changes[1]["value"].get<double>(), 6.02426201538837, 1e-9);
}

TEST(Linear, PrintsATableAndAPicture) {
  const Folder folder;
  const std::string picture = folder.path("roots.svg");
  const Outcome run = tactus("linear " + model("single_track.yaml") + " --sweep v=4:6:0.5 --plot " + picture);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("-0.322866429004"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("ignorable"), std::string::npos);
  EXPECT_NE(content_of(picture).find("<svg"), std::string::npos);
  const Outcome one = tactus("linear " + model("single_track.yaml") + " --matrices");
  EXPECT_EQ(one.code, 0);
  EXPECT_NE(one.out.find("a steady motion"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("damping ratio"), std::string::npos);
  EXPECT_NE(one.out.find("80.81722"), std::string::npos);
}

TEST(Linear, SolvesForSteadyMotions) {
  const Outcome circle =
      tactus("linear " + model("rolling_coin.yaml") + " --steady --hold lean,spin_dot,lean_dot --json");
  ASSERT_EQ(circle.code, 0) << circle.err;
  const Json found = Json::parse(circle.out);
  EXPECT_TRUE(found["is_steady"].get<bool>());
  EXPECT_FALSE(found["is_equilibrium"].get<bool>());
  EXPECT_LT(found["acceleration"].get<double>(), 1e-8);
  const Outcome held =
      tactus("linear " + model("rolling_coin.yaml") + " --steady");  // all that moves is `fixed`
  EXPECT_EQ(held.code, 2);
  EXPECT_NE(held.err.find("no steady motion was found"), std::string::npos) << held.err;
  EXPECT_NE(held.err.find("held: lean"), std::string::npos) << held.err;
}

// From a state that turns to the motion next to it, and what else could be chosen (closed forms: tests/simulate/steady_test.cpp).
TEST(Linear, FindsTheSteadyMotionNextToAMovingStateAndTellsItsFamily) {
  const Outcome sleigh = tactus("linear " + model("sleigh.yaml") + " --steady --json");
  ASSERT_EQ(sleigh.code, 0) << sleigh.err;
  const Json straight = Json::parse(sleigh.out);
  EXPECT_FALSE(straight["is_equilibrium"].get<bool>());
  EXPECT_NEAR(std::hypot(straight["point"]["u"]["sleigh.x"].get<double>(),
                         straight["point"]["u"]["sleigh.y"].get<double>()),
              1.0, 1e-9);
  EXPECT_EQ(straight["family"], Json({"sleigh.x_dot", "sleigh.angle"}));
  const Outcome cart = tactus("linear " + model("shopping_cart.yaml") + " --steady");
  EXPECT_EQ(cart.code, 0) << cart.err;
  for (const char* words :
       {"about a steady motion", "q4 = 0\n", "u1 = 1.2, u2 = 0", "family     by u1", "  -8\n"})
    EXPECT_NE(cart.out.find(words), std::string::npos) << words << cart.out;
  EXPECT_EQ(tactus("linear " + model("shopping_cart.yaml") + " --steady --hold u1").code, 0);
}

TEST(Linear, SaysWhatIsWrong) {
  const Outcome falling = tactus("linear " + model("rolling_coin.yaml"));
  EXPECT_EQ(falling.code, 1);
  EXPECT_NE(falling.err.find("no equilibrium and no steady motion"), std::string::npos) << falling.err;
  const auto expect_bad = [](const std::string& arguments, const std::string& words) {
    const Outcome run = tactus(arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  };
  const std::string bicycle = "linear " + model("single_track.yaml");
  expect_bad(bicycle + " --sweep vv=0:1:1", "no parameter, coordinate, speed or force");
  expect_bad(bicycle + " --sweep v=0:1", "three numbers");
  expect_bad(bicycle + " --sweep v=0:1:-1", "does not lead");
  expect_bad(bicycle + " --sweep v=0x0:1:1", "`0x0` is no number");
  expect_bad(bicycle + " --sweep 'v=0: 1:1'", "` 1` is no number");
  expect_bad(bicycle + " --plot x.svg", "--sweep");
  expect_bad(bicycle + " --hold steer", "--steady");
  expect_bad(bicycle + " --independent nothing", "no coordinate and no speed");
  expect_bad("linear " + model("four_bar.yaml") + " --independent q1,q2", "cannot be independent");
}

/// A chain of two links about parallel axes; `first` is what the first of them says of its inertia.
std::string robot_of_two(const std::string& first) {
  return "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + first +
         "</link><link name=\"c\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"1\"/><inertia "
         "ixx=\"0.01\" ixy=\"0\" "
         "ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>"
         "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 "
         "0\"/></joint>"
         "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><axis xyz=\"0 1 "
         "0\"/></joint></robot>";
}

TEST(Linear, OfAMechanismWithoutInertiaIsRefused) {
  const Folder folder;
  const std::string bare = folder.file("bare.urdf",
                                       "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint "
                                       "name=\"j\" type=\"continuous\"><parent link=\"a\"/>"
                                       "<child link=\"b\"/></joint></robot>");
  // M = 0.02 [1 1; 1 1]: each joint moves inertia, and their difference none.
  const std::string singular = folder.file("singular.urdf", robot_of_two(""));
  const std::string whole = folder.file(
      "whole.urdf",
      robot_of_two("<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                   "izz=\"1\"/></inertial>"));
  const std::string out = " --out '" + folder.path("source") + "'";
  for (const std::string& file : {bare, singular})
    for (const std::string& command :
         {"linear " + file, "derive " + file + " --linear", "derive " + file + " --linear --at initial",
          "generate " + file + " --what linear" + out,
          "generate " + file + " --what forward-dynamics" + out}) {
      const Outcome run = tactus(command);
      EXPECT_EQ(run.code, 2) << command << run.out;
      EXPECT_NE(run.err.find("needs inertia"), std::string::npos) << command << run.err;
      EXPECT_TRUE(file != singular ||
                  run.err.find("nothing resists a motion of j and k") != std::string::npos)
          << command << run.err;
    }
  EXPECT_EQ(tactus("linear " + whole).code, 0);
  EXPECT_EQ(tactus("derive " + whole + " --linear").code, 0);
  EXPECT_EQ(tactus("generate " + whole + " --what linear" + out).code, 0);
}

TEST(Linear, SaysWhatHasNoDerivativeAndWhere) {
  // speed = sqrt(vx^2 + vz^2) at rest
  for (const std::string& command :
       {"linear " + model("muscle_arm.yaml"),
        "derive " + model("muscle_arm.yaml") + " --linear --at shoulder=0,elbow=0"}) {
    const Outcome run = tactus(command);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_EQ(run.out.find("nan"), std::string::npos) << run.out;
    EXPECT_NE(run.err.find("of `air` has no derivative by"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("muscle_arm.yaml:31:"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("singular"), std::string::npos) << run.err;
  }
  const Outcome moving =
      tactus("derive " + model("muscle_arm.yaml") + " --linear --at shoulder=0,elbow=0,shoulder_dot=1");
  EXPECT_EQ(moving.code, 0) << moving.err;
  EXPECT_EQ(moving.out.find("nan"), std::string::npos) << moving.out;
  for (const char* value : {"1/0", "log(-1)", "0/0"}) {
    const Outcome run = tactus("derive " + model("pendulum.yaml") + " --linear --at 'q=" + value + "'");
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find("no finite number"), std::string::npos) << run.err;
  }
  const Outcome twice = tactus("derive " + model("pendulum.yaml") + " --linear --at q=0,q=1");
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("--at gives `q` twice"), std::string::npos) << twice.err;
}

TEST(Linear, ErrorsOfConstraintsNameTheirLine) {
  const Outcome tied = tactus("linear " + model("four_bar.yaml") + " --independent q1,q2");
  EXPECT_NE(tied.err.find("four_bar.yaml:"), std::string::npos) << tied.err;
  const Outcome off = tactus("derive " + model("four_bar.yaml") + " --linear --at q1=0.1,q2=0.2,q3=0.3");
  EXPECT_EQ(off.code, 2);
  EXPECT_NE(off.err.find("four_bar.yaml:"), std::string::npos) << off.err;
}

TEST(Linear, PrintsTheMotionThatASearchHasFound) {
  const Outcome run =
      tactus("linear " + model("slider_crank.yaml") + " --steady --hold q1,q1_dot --solve q1");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* words : {"found\n", "  at         q1 = ", "  speeds     q1 = ", "  forces     q1 = "})
    EXPECT_NE(run.out.find(words), std::string::npos) << words << run.out;
  const Outcome json =
      tactus("linear " + model("slider_crank.yaml") + " --steady --hold q1,q1_dot --solve q1 --json");
  const Json point = Json::parse(json.out)["point"];
  EXPECT_TRUE(std::isfinite(point["tau"]["q1"].get<double>()));
  EXPECT_TRUE(point["q"].contains("q1"));
}

TEST(Linear, AnEquilibriumIsOneAtLaterTimesToo) {
  const Folder folder;
  const auto with = [&](const std::string& force) {
    return tactus("linear " + folder.file("td.yaml",
                                          "name: td\nbodies: {b: {mass: 1, com: [0, 0, -1]}}\n"
                                          "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n"
                                          "forces: {f: {type: joint, joint: q, force: \"" +
                                              force + "\"}}\n"));
  };
  const Outcome swinging = with("sin(10*t)");
  EXPECT_EQ(swinging.code, 1);
  EXPECT_EQ(swinging.out.find("about an equilibrium"), std::string::npos) << swinging.out;
  EXPECT_NE(swinging.err.find("depend on time"), std::string::npos) << swinging.err;
  EXPECT_EQ(with("-q*(1 + t)").code,
            1);  // a spring that stiffens: the place stays, the linear model does not
  const Outcome still = with("q*0 + 0*sin(t)");
  EXPECT_EQ(still.code, 0) << still.err;
  EXPECT_NE(still.out.find("about an equilibrium"), std::string::npos) << still.out;
}

TEST(Linear, FindsWhereMechanismsHang) {
  for (const char* name : {"puma560.yaml", "double_pendulum.yaml"}) {
    const Outcome run = tactus("linear " + model(name) + " --steady --json");
    EXPECT_EQ(run.code, 0) << name << run.err;
    EXPECT_TRUE(run.code == 0 && Json::parse(run.out)["is_steady"].get<bool>()) << name;
  }
  for (const char* name : {"egg.yaml", "rattleback.yaml"}) {
    const Outcome run = tactus("linear " + model(name) + " --steady");
    EXPECT_TRUE(run.code == 0 || run.err.find("--steady searches") == std::string::npos) << name << run.err;
  }
}

// From stretched out to hanging straight down; of the search's slopes none is a difference where nothing moves.
TEST(Linear, FindsWhereLongChainsHang) {
  for (const char* name : {"chain_30.yaml", "chain_100.yaml"}) {
    const Outcome run = tactus("linear " + model(name) + " --steady");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("about an equilibrium"), std::string::npos) << run.out.substr(0, 200);
    EXPECT_NE(run.out.find("at         q1 = 1.57079632679, q2 = 0, q3 = 0, "), std::string::npos)
        << run.out.substr(0, 4000);
  }
}

// In axes that do not turn with it; tests/simulate/turning_axes_test.cpp has the closed forms.
TEST(Linear, ABallThatRollsStraightIsSteadyAndSaysInWhichAxes) {
  const Folder folder;
  const std::string ball =
      folder.file("ball.yaml",
                  "name: ball\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                  "joints: {j: {type: free, parent: world, child: a}}\nframes: {c: {body: a}}\n"
                  "constraints: {roll: {type: rolling, kind: sphere_on_plane, b: c, radius: 0.5}}\n"
                  "initial: {q: {j.z: 0.5}}\n");
  const Outcome run = tactus("linear " + ball + " --sweep j.wx=0:2:1");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("         2   0   0   0\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("do not turn with it"), std::string::npos) << run.out;
  const Outcome json = tactus("linear " + ball + " --sweep j.wx=1:2:1 --steady --json");
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_NE(json.out.find("\"keep_direction\": true"), std::string::npos) << json.out;
}

TEST(Linear, OfThousandSpeedsIsRefusedAtOnce) {
  const Outcome run = tactus("linear " + model("many_bodies.yaml"));
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("1200 speeds"), std::string::npos) << run.err;
}

TEST(Derive, TakesTheLinearModelAboutAPointAsFormulas) {
  const Outcome run = tactus("derive " + model("single_track.yaml") +
                             " --linear --keep v --at frame.vx=v,rear_dot=v/r_R,front_dot=v/r_F --digits 10");
  ASSERT_EQ(run.code, 0) << run.err;
  // [Meijaard2007]: M, v C1, g K0 + v^2 K2 (steer to the left).
  for (const char* line :
       {"M[1,1] = 80.81722", "M[1,3] = -2.319413322", "M[3,3] = 0.297841882", "C[1,3] = -33.86641391*v",
        "C[3,1] = 0.8503564146*v", "C[3,3] = 1.685403974*v", "- 76.5973459*v^2", "2.654315238*v^2"})
    EXPECT_NE(run.out.find(line), std::string::npos) << line << "\n" << run.out;
  const Outcome latex =
      tactus("derive " + model("pendulum.yaml") + " --linear --keep-parameters --at q=0 --latex");
  EXPECT_EQ(latex.code, 0);
  EXPECT_NE(latex.out.find("K_{11}"), std::string::npos) << latex.out;
  EXPECT_EQ(tactus("derive " + model("pendulum.yaml") + " --at q=0").code, 2);
  EXPECT_EQ(tactus("derive " + model("pendulum.yaml") + " --linear --at q").code, 2);
  EXPECT_EQ(tactus("derive " + model("pendulum.yaml") + " --linear --keep nothing").code, 2);
}

}  // namespace
}  // namespace tactus::apps
