// A model that includes a robot's file names links and joints as that file does. Each name is tried where the model's nearest name is
// another one: `j-1` is called `j_1_2`, because `j_1` is there, too.
#include <string>

#include <gtest/gtest.h>

#include <tactus/algebra/print.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

Model overlay(const std::string& text) {
  return load_text("include: odd_names.urdf\n" + text,
                   tactus::support::source_dir() + "/tests/describe/robots/made_up.yaml");
}

/// The same model by the names of the file and by those of the model.
void expect_same(const std::string& written, const std::string& named) {
  const auto said = [](const std::string& text) {
    const Model model = overlay(text);
    std::string all;
    for (const Frame& frame : model.frames) all += frame.name + " on " + std::to_string(frame.body) + "\n";
    for (const Joint& joint : model.joints)
      all +=
          joint.name + " from " + std::to_string(joint.parent) + " to " + std::to_string(joint.child) + "\n";
    for (const Constraint& constraint : model.constraints) {
      all += constraint.name + " " + std::to_string(constraint.frame_a) + " " +
             std::to_string(constraint.frame_b) + "\n";
      for (const std::string& equation :
           algebra::print(constraint.equations, *model.graph, algebra::Notation::text).roots)
        all += equation + "\n";
    }
    for (const double q : model.initial_q) all += std::to_string(q) + " ";
    for (const double u : model.initial_u) all += std::to_string(u) + " ";
    for (const ForceLaw& law : model.force_laws) all += "at " + std::to_string(law.rate) + "\n";
    for (const Body& body : model.bodies) all += std::to_string(body.mass.value()) + " ";
    return all;
  };
  EXPECT_EQ(said(written), said(named)) << written;
  EXPECT_NE(said(written), said("")) << written;  // it does something
}

TEST(OverlayNames, ThoseOfTheFileAreTakenWhereverSomethingIsNamed) {
  EXPECT_EQ(
      overlay("").coordinate_names(),
      (std::vector<std::string>{"j_1_2", "j_1", "slide_1.x", "slide_1.y", "slide_1.angle", "j_1_dot_2"}));
  expect_same("initial: {q: {\"j-1\": 0.3}}\n", "initial: {q: {j_1_2: 0.3}}\n");
  expect_same("initial: {q: {\"slide-1.y\": 0.3}}\n", "initial: {q: {slide_1.y: 0.3}}\n");
  expect_same("initial: {qd: {\"j-1\": 0.3}}\n", "initial: {qd: {j_1_2: 0.3}}\n");
  expect_same("constraints: {l: {type: lock, joint: \"j-1\", at: 0.1}}\n",
              "constraints: {l: {type: lock, joint: j_1_2, at: 0.1}}\n");
  expect_same("constraints: {g: {type: gear, joints: [\"j-1\", \"slide-1.angle\"], ratio: 2}}\n",
              "constraints: {g: {type: gear, joints: [j_1_2, slide_1.angle], ratio: 2}}\n");
  expect_same("constraints: {c: {type: spherical, a: \"a b\", b: world}}\n",
              "constraints: {c: {type: spherical, a: a_b_3, b: world}}\n");
  expect_same("constraints: {c: {type: spherical, a: {body: \"a b\", at: [0, 0, 1]}, b: world}}\n",
              "constraints: {c: {type: spherical, a: {body: a_b_3, at: [0, 0, 1]}, b: world}}\n");
  expect_same("frames: {hand: {body: \"a b\"}}\n", "frames: {hand: {body: a_b_3}}\n");
  expect_same("bodies: {p: {mass: 1}}\njoints: {w: {type: weld, parent: \"a-b\", child: p}}\n",
              "bodies: {p: {mass: 1}}\njoints: {w: {type: weld, parent: a_b_2, child: p}}\n");
  expect_same("bodies: {\"a-b\": {mass: 3}}\n", "bodies: {a_b_2: {mass: 3}}\n");
  expect_same("forces: {f: {type: joint, joint: \"j-1\", force: 2}}\n",
              "forces: {f: {type: joint, joint: j_1_2, force: 2}}\n");
}

TEST(OverlayNames, TheRateOfAJointIsNotAnotherJoint) {
  // The file has joints `j_1` and `j_1_dot`; among speeds, j_1_dot reads as the rate of j_1, and is refused.
  EXPECT_THROW(overlay("initial: {qd: {j_1_dot: 0.5}}\n"), InputError);
  EXPECT_EQ(overlay("initial: {qd: {j_1_dot_2: 0.5}}\n").initial_u[5], 0.5);
  EXPECT_EQ(overlay("initial: {q: {j_1_dot: 0.5}}\n").initial_q[5], 0.5);
}

TEST(OverlayNames, OfBothNamesOneIsGiven) {
  for (const std::string section : {"initial: {q: {\"j-1\": 0.3, j_1_2: 0.4}}\n",
                                    "joints: {\"j-1\": {armature: 1}, j_1_2: {armature: 2}}\n"}) {
    try {
      overlay(section);
      ADD_FAILURE() << section;
    } catch (const InputError& error) {
      EXPECT_EQ(error.wrong(), "`j-1` is called `j_1_2`, which is given, too");
      EXPECT_EQ(error.where().line, 2);
    }
  }
}

}  // namespace
}  // namespace tactus::describe
