// tactus linear and derive --linear: where a linear model is taken, and where none can be.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;

/// From the mass matrix on: without the notes, which say how the point was given.
std::string matrices(const Outcome& run) {
  EXPECT_EQ(run.code, 0) << run.err;
  const std::size_t at = run.out.find("\nM: ");
  EXPECT_NE(at, std::string::npos) << run.out;
  return at == std::string::npos ? run.out : run.out.substr(at);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A bead on a hoop that turns at w: it stands where cos th = g/(w^2 L), and swings about it with w^2 sin^2 th.
const char* const kHoop = R"(
name: hoop
parameters: {w: 5, L: 1, m: 1}
bodies: {hub: {mass: 0}, bob: {mass: m, com: [0, 0, -L]}}
joints:
  spin: {type: revolute, parent: world, child: hub, axis: z}
  th: {type: revolute, parent: hub, child: bob, axis: y}
constraints: {drive: {type: motion, joint: spin, equals: w*t}}
initial: {q: {th: acos(9.81/(w^2*L))}, u: {spin: w}}
)";

TEST(LinearPoint, TheInitialStateHasItsSpeedsToo) {
  const std::string bicycle = "derive " + model("single_track.yaml") + " --linear --keep v --at ";
  const Outcome initial = tactus(bicycle + "initial");
  const std::string formulas = matrices(initial);
  EXPECT_TRUE(says(formulas, "v^2")) << formulas;
  EXPECT_EQ(formulas, matrices(tactus(bicycle + "frame.vx=v,rear_dot=v/r_R,front_dot=v/r_F")));
  EXPECT_TRUE(says(initial.out, "about the initial state: ")) << initial.out;
  EXPECT_TRUE(says(initial.out, "frame.vx = v")) << initial.out;
  // What is named goes before what is initial.
  EXPECT_EQ(matrices(tactus(bicycle + "initial,frame.vx=0,rear_dot=0,front_dot=0")),
            matrices(tactus(bicycle + "frame.vx=0")));
}

TEST(LinearPoint, TheInitialStateOfATreeIsThatOfItsCoordinates) {
  const Folder folder;
  const std::string pendulum = folder.file("p.yaml",
                                           "{name: p, bodies: {b: {mass: 1, com: [0, 0, -1]}}, joints: {q: "
                                           "{type: revolute, parent: world, child: b, axis: y}}, "
                                           "initial: {q: {q: 0.7}}}");
  const Outcome there = tactus("derive " + pendulum + " --linear --at initial --json");
  ASSERT_EQ(there.code, 0) << there.err;
  const Json sheet = Json::parse(there.out, nullptr, false);
  const double K = std::stod(sheet["K"][0]["text"].get<std::string>());
  EXPECT_NEAR(K, 9.81 * std::cos(0.7), 1e-5) << sheet.dump(1);  // six digits are printed
  EXPECT_TRUE(says(tactus("derive " + pendulum + " --linear --at q_dot=0").out, "cos(q)"));
}

TEST(LinearPoint, FormulasOfAnEquilibriumFoldAndNothingHoldsIt) {
  const Folder folder;
  const std::string hoop = folder.file("hoop.yaml", kHoop),
                    derive = "derive " + hoop + " --linear --keep w --at ";
  const Outcome named = tactus(derive + "\"th=acos(9.81/(w^2*L)),spin_dot=w\"");
  const std::string formulas = matrices(named);
  EXPECT_FALSE(says(formulas, "acos")) << formulas;
  EXPECT_FALSE(says(formulas, "\nf: ")) << formulas;
  EXPECT_EQ(formulas, matrices(tactus(derive + "initial")));
  // K = m L^2 w^2 sin^2 th at w = 5: the value of the formula.
  const std::string w5 = matrices(tactus("derive " + hoop + " --linear --at initial"));
  const std::size_t at = w5.find("K[1,1] = ");
  ASSERT_NE(at, std::string::npos) << w5;
  EXPECT_NEAR(std::stod(w5.substr(at + 9)), 25.0 - 9.81 * 9.81 / 25.0, 1e-4);
  // Commas within parentheses belong to the formula.
  const Outcome comma = tactus(derive + "\"th=atan2(sqrt(w^4*L^2-9.81^2),9.81),spin_dot=w\"");
  EXPECT_FALSE(says(matrices(comma), "atan2")) << comma.out;
  EXPECT_FALSE(says(comma.out, "\nf: ")) << comma.out;
}

// A pendulum that swings out from a shaft that turns at w: cos a = g/(w^2 L). Roots are multiplied out, equal terms added, fractions reduced.
TEST(LinearPoint, RootsOfAnEquilibriumAreCollected) {
  const Folder folder;
  const std::string shaft = folder.file("shaft.yaml", R"(
name: shaft
parameters: {g: 9.81, L: 0.4, m: 1, w: 8, J: 0.05}
gravity: [0, 0, -g]
bodies: {shaft: {mass: 1, inertia: [J, J, J]}, bob: {mass: m, com: [0, 0, -L]}}
joints:
  h: {type: revolute, parent: world, child: shaft, axis: z}
  a: {type: revolute, parent: shaft, child: bob, axis: y}
)");
  const std::string formulas =
      matrices(tactus("derive " + shaft + " --linear --keep-parameters --at \"a=acos(g/(w^2*L)),h_dot=w\""));
  EXPECT_TRUE(says(formulas, "M[1,1] = J + L^2*m - m*g^2/(w^4)")) << formulas;
  EXPECT_TRUE(says(formulas, "C[2,1] = -sqrt(1 - (g/(L*w^2))^2)*(2*m*g*L/w)")) << formulas;
  EXPECT_TRUE(says(formulas, "K[2,2] = m*(L^2*w^4 - g^2)/(w^2)")) << formulas;
}

// At a stop that is touched only motions away from it are those of the linear model.
TEST(LinearPoint, StopsAreLeftOutAndThatIsSaid) {
  const Folder folder;
  const auto said = [&](const std::string& contact) {
    return tactus("linear " + folder.file("stop.yaml",
                                          "name: stop\nbodies: {bob: {mass: 1, com: [0, 0, -1]}}\n"
                                          "joints: {q: {type: revolute, parent: world, child: bob, "
                                          "axis: y, limits: [0, 1]}}\n" +
                                              contact));
  };
  const Outcome with = said("contact: {stops: {}}\n"), without = said("");
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_TRUE(says(with.out + with.err, "stops at joints' limits are left out")) << with.out << with.err;
  EXPECT_FALSE(says(without.out + without.err, "stops")) << without.out;
}

TEST(LinearPoint, KinksAreRefusedByNameAndSidesAreNot) {
  const Folder folder;
  const std::string head =
      "name: k\nbodies: {b: {mass: 1, com: [0, 0, -1]}}\njoints: {q: {type: revolute, parent: world, child: "
      "b, axis: y}}\n";
  const auto with = [&](const std::string& force, const std::string& more = "") {
    return folder.file("k.yaml",
                       head + "forces:\n  stop: {type: joint, joint: q, force: \"" + force + "\"}\n" + more);
  };
  const std::string table = "tables: {f: {points: [[-1, 1], [0, 0], [1, -5]]}}\n";
  struct Kink {
    std::string force, more, first, second;
  };
  for (const Kink& kink :
       {Kink{"-max(0, 1000*q)", "", " -1009.81 on one side", " -9.81 on the other"},
        Kink{"-8*abs(q)", "", " -17.81", " -1.81"}, Kink{"f(q)", table, " -14.81", " -10.81"},
        Kink{"-sign(q)", "", " -1 on one side", " 1 on the other"},
        Kink{"if(q_dot, -3*q_dot, 0)", "", "the speed `q`", " -3 on"}}) {
    const std::string file = with(kink.force, kink.more);
    for (const std::string& command : {"linear " + file, "derive " + file + " --linear --at q=0,q_dot=0"}) {
      const Outcome run = tactus(command);
      EXPECT_EQ(run.code, 2) << command << " " << kink.force << run.out;
      EXPECT_TRUE(says(run.err, "k.yaml:5:")) << run.err;
      EXPECT_TRUE(says(run.err, "`stop`")) << run.err;
      EXPECT_TRUE(says(run.err, kink.first) && says(run.err, kink.second)) << run.err;
    }
  }
  // Both sides meet smoothly, or the point is on one of them.
  for (const char* smooth :
       {"-8*q_dot*abs(q_dot)", "-8*max(0, q)^2", "-8*max(0, q - 0.1)", "-8*abs(q - 1e-6) + 8e-6"})
    EXPECT_EQ(tactus("linear " + with(smooth)).code, 0) << smooth;
  // Friction that differs by direction is that of the positive one at rest, and said.
  const Outcome puma = tactus("linear " + model("puma560.yaml") + " --steady");
  EXPECT_EQ(puma.code, 0) << puma.err;
  EXPECT_TRUE(says(puma.out, "viscous friction differs by direction (q1")) << puma.out;
}

TEST(LinearPoint, SaysWhatTheConstraintsChangedOfTheState) {
  const Folder folder;
  const std::string coin = folder.file("coin.yaml", R"(
name: coin
bodies: {c: {mass: 1, inertia: [0.1, 0.2, 0.1]}}
joints: {c: {type: planar, parent: world, child: c, axis: y, names: [z, x, th]}}
constraints:
  roll: {type: rates, equations: ["x_dot - 0.5*th_dot"]}
  h: {type: lock, joint: z, at: 0.5}
initial: {q: {z: 0.5}, u: {x: 3, th: 6}}
)");
  const std::string off = " --at " + folder.file("off.yaml", "q: {z: 0.7}\nu: {x: 1, th: 6}\n");
  const Outcome text = tactus("linear " + coin + off);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(says(text.out, "it was changed: coordinate `z` 0.7 -> 0.5")) << text.out;
  EXPECT_TRUE(says(text.out, "speed `")) << text.out;
  const Json json = Json::parse(tactus("linear " + coin + off + " --json").out, nullptr, false);
  EXPECT_EQ(json["changes"].size(), 2u) << json["changes"];
  const Outcome fits = tactus("linear " + coin);
  EXPECT_FALSE(says(fits.out, "was changed")) << fits.out;
  const Json none = Json::parse(tactus("linear " + coin + " --json").out, nullptr, false);
  EXPECT_EQ(none["changes"].size(), 0u);
}

TEST(LinearPoint, MessagesFitTheCase) {
  const Outcome wrist = tactus("linear " + model("spherical_wrist.yaml"));
  EXPECT_EQ(wrist.code, 2);
  EXPECT_TRUE(says(wrist.err, "spherical_wrist.yaml:") &&
              says(wrist.err, "do not determine the joints' rates"))
      << wrist.err;
  EXPECT_FALSE(says(wrist.err, "sqrt")) << wrist.err;
  const Outcome count = tactus("linear " + model("four_bar_ladder.yaml") + " --sweep N=1:3:1");
  EXPECT_EQ(count.code, 2);
  EXPECT_TRUE(says(count.err, "counts the repeats")) << count.err;
  const Outcome free = tactus("derive " + model("rigid_body.yaml") + " --linear");
  EXPECT_EQ(free.code, 2);
  EXPECT_TRUE(says(free.err, "--linear --at initial")) << free.err;
  EXPECT_EQ(tactus("derive " + model("rigid_body.yaml") + " --linear --at initial").code, 0);
  EXPECT_TRUE(says(tactus("derive " + model("pendulum.yaml") + " --linear --at initial").out,
                   "about the initial state: all 0\n"));
  const Folder folder;
  const std::string file = folder.file("d.yaml",
                                       "name: d\nbodies: {b: {mass: 1}}\njoints: {q: {type: prismatic, "
                                       "parent: world, child: b}}\ndefinitions:\n  x: 1/0\n");
  const Outcome check = tactus("check " + file);
  EXPECT_EQ(check.code, 2);
  EXPECT_TRUE(says(check.err, "d.yaml:5:6") && says(check.err, "no finite value")) << check.err;
}

}  // namespace
}  // namespace tactus::apps
