// Robot files as people have them: one small file for each habit of exporters. What is odd is a warning; the numbers are compared in
// tests/derive/robot_files_test.cpp.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tactus/algebra/print.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

std::string robot_file(const std::string& name) {
  return tactus::support::source_dir() + "/tests/describe/robots/" + name;
}

Model robot(const std::string& name, const Reading& reading = {}) {
  return load(robot_file(name), {}, reading);
}

const Joint& joint_named(const Model& model, const std::string& name) {
  const auto found =
      std::find_if(model.joints.begin(), model.joints.end(), [&](const Joint& j) { return j.name == name; });
  if (found == model.joints.end()) throw std::runtime_error("there is no joint " + name);
  return *found;
}

/// The number of warnings that say this.
int count(const Model& model, const std::string& said) {
  return static_cast<int>(
      std::count_if(model.warnings.begin(), model.warnings.end(),
                    [&](const std::string& w) { return w.find(said) != std::string::npos; }));
}

InputError refusal(const std::string& name, const Reading& reading = {}) {
  try {
    robot(name, reading);
  } catch (const InputError& error) {
    return error;
  }
  ADD_FAILURE() << name << " is read";
  return InputError({}, "");
}

TEST(Robots, FixedJointsHaveNoAxis) {
  const Model model = robot("fixed_axis_zero.urdf");
  EXPECT_TRUE(model.warnings.empty());
  EXPECT_EQ(model.coordinate_names(), std::vector<std::string>{"turn"});
}

TEST(Robots, NamesThatMeetAreToldApartAndSaid) {
  const Model model = robot("names_that_meet.urdf");
  // A name that needs no change keeps it; what the reader gives itself comes last.
  EXPECT_EQ(joint_named(model, "base_link_base_2").type, JointType::weld);
  EXPECT_EQ(joint_named(model, "base_link_base").child, model.body_index("base"));
  EXPECT_EQ(model.coordinate_names(),
            (std::vector<std::string>{"turn_1_2", "turn_1", "turn_1_dot_2", "t_2"}));
  for (const char* name : {"arm_1", "arm_1_2", "arm_1_3", "_7th"})
    EXPECT_GE(model.body_index(name), 0) << name;
  EXPECT_EQ(count(model, "the joint `base_link-base` is called `base_link_base`"), 1);
  EXPECT_EQ(count(model, "the joint `turn-1` is called `turn_1_2`"), 1);
  EXPECT_EQ(count(model, "the joint `turn_1_dot` is called `turn_1_dot_2`"),
            1);  // the rate of turn_1 has that name
  EXPECT_EQ(count(model, "the joint `t` is called `t_2`"), 1);
  EXPECT_EQ(count(model, "the link `arm.1` is called `arm_1_3`"), 1);
}

TEST(Robots, WithoutInertiaAreReadAndSayWhatTheyLack) {
  const Model model = robot("no_inertia.urdf");
  ASSERT_TRUE(missing_inertia(model).has_value());
  EXPECT_EQ(model.warnings.size(), 1u);
  EXPECT_EQ(count(model, "motions cannot"), 1);
  EXPECT_EQ(missing_inertia(model)->remedy.find("armature") != std::string::npos, true);
  EXPECT_NE(missing_inertia(model)->remedy.find("include"),
            std::string::npos);  // URDF itself has no armature
  EXPECT_EQ(model.frames.size(), 5u);
  EXPECT_EQ(model.constraints.size(), 1u);
  EXPECT_THROW(require_inertia(model, "a motion"), InputError);
  EXPECT_FALSE(missing_inertia(robot("arm.urdf")).has_value());
}

TEST(Robots, MassThatIsWeldedOnCountsForTheLineThatItTurnsAbout) {
  // A point mass on the axis has no inertia about it; with another one welded on, off the axis, the link has.
  const auto with = [](const std::string& where) {
    const std::string point =
        "<inertial><mass value=\"1\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/></inertial>";
    return load_text("<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + point +
                         "</link><link name=\"c\">" + point +
                         "</link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child "
                         "link=\"b\"/><axis xyz=\"0 0 "
                         "1\"/></joint><joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
                         "link=\"c\"/><origin xyz=\"" +
                         where + "\"/></joint></robot>",
                     "welded.urdf");
  };
  EXPECT_FALSE(missing_inertia(with("0.1 0 0")).has_value());
  ASSERT_TRUE(missing_inertia(with("0 0 0.1")).has_value());
  EXPECT_NE(missing_inertia(with("0 0 0.1"))->wrong.find("about a line without inertia"), std::string::npos);
}

TEST(Robots, ShapesThatCannotBeAreLeftOutWithAWarning) {
  const Model model = robot("odd_shapes.urdf");
  const std::vector<Geometry>& shapes = model.bodies[1].geometry;
  ASSERT_EQ(shapes.size(), 3u);  // the capsule, the flat box that is only shown, the mesh with one scale
  EXPECT_EQ(shapes[0].shape, Geometry::Shape::capsule);
  EXPECT_TRUE(shapes[0].contact);
  EXPECT_EQ(shapes[1].shape, Geometry::Shape::box);
  EXPECT_EQ(shapes[2].size.y.value(), 0.001);
  for (const char* said : {"its `radius` is 0", "its `length` is 0", "read as a cylinder with round ends",
                           "no shape of URDF", "an edge of it is 0", "<visual> has no shape",
                           "one number instead of 3", "2 numbers instead of 3", "it has no `filename`"})
    EXPECT_GE(count(model, said), 1) << said;
}

TEST(Robots, CollisionMeshesThatCannotBeTouchedAreSaid) {
  const Model model = robot("missing_meshes.urdf");
  EXPECT_EQ(count(model,
                  "2 collision meshes cannot be touched, because there is no such file: package://elsewhere"),
            1);
  EXPECT_EQ(count(model, "1 collision mesh cannot be touched, because contact reads STL and OBJ"), 1);
  const std::vector<Geometry>& shapes = model.bodies[1].geometry;
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_TRUE(shapes[0].contact);  // found in the folder that has the package's name
  EXPECT_NE(shapes[0].file.find("robots/tetrahedron.stl"), std::string::npos);
  EXPECT_EQ(shapes[0].file[0], '/');
  EXPECT_TRUE(shapes[1].visual);
  // Where no files may be looked at, nothing is said about them.
  EXPECT_EQ(count(robot("missing_meshes.urdf", {.files = false}), "collision mesh"), 0);
}

TEST(Robots, OddInertiaIsSaidAndKept) {
  const Model model = robot("odd_inertia.urdf");
  EXPECT_EQ(count(model, "the inertia of `a` is impossible"), 1);  // -2.4e-35 is the rounding of a zero
  EXPECT_EQ(count(model, "<inertia> has no ixy, ixz, iyz: taken as zero"), 1);
  EXPECT_EQ(count(model, "<inertial> has no <inertia>"), 1);
  EXPECT_EQ(count(model, "<inertial> has no <mass>"), 1);
  const Body& b = model.bodies[static_cast<std::size_t>(model.body_index("b"))];
  EXPECT_EQ(b.inertia(0, 0).value(), 0.02);
  EXPECT_EQ(b.inertia(0, 1).value(), 0.0);
}

TEST(Robots, NegativeMomentsMatterOnlyWhereSomethingTurnsAboutThem) {
  const auto with = [](const std::string& moments, const std::string& axis) {
    return load_text(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia " +
            moments +
            " ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent "
            "link=\"a\"/><child link=\"b\"/><axis xyz=\"" +
            axis + "\"/></joint></robot>",
        "negative.urdf");
  };
  const std::string moments = "ixx=\"1\" iyy=\"1\" izz=\"-0.5\"";
  EXPECT_EQ(count(with(moments, "1 0 0"), "cannot be negative"), 1);
  EXPECT_FALSE(missing_inertia(with(moments, "1 0 0")).has_value());
  EXPECT_TRUE(missing_inertia(with(moments, "0 0 1")).has_value());
}

TEST(Robots, TheGroundNeedsNoLink) {
  const Model model = load_text(
      "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
      "izz=\"1\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent link=\"world\"/><child "
      "link=\"a\"/></joint></robot>",
      "ground.urdf");
  EXPECT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].parent, 0);
  EXPECT_EQ(count(model, "taken for the ground"), 1);
}

TEST(Robots, WhatXacroLeftIsSaid) {
  const Model model = load_text(
      "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"a\"/><xacro:sensors "
      "port=\"1\"/></robot>",
      "left.urdf");
  EXPECT_EQ(count(model, "<xacro:sensors> was not expanded"), 1);
}

TEST(Robots, OddLimitsAreNone) {
  const Model model = robot("odd_joints.urdf");
  const JointAxis& reversed = joint_named(model, "reversed").axes[0];
  EXPECT_FALSE(reversed.lower || reversed.upper || reversed.effort_limit || reversed.velocity_limit);
  const JointAxis& unlimited = joint_named(model, "unlimited").axes[0];
  EXPECT_FALSE(unlimited.lower || unlimited.upper);
  EXPECT_EQ(unlimited.direction.z.value(), 1.0);
  const JointAxis& half = joint_named(model, "half_limited").axes[0];
  EXPECT_EQ(half.lower->value(), -1.0);
  EXPECT_FALSE(half.effort_limit);
  EXPECT_EQ(joint_named(model, "no_axis").axes[0].direction.x.value(), 1.0);
  EXPECT_EQ(joint_named(model, "ball").type, JointType::spherical);
  for (const char* said : {"lies above the upper limit", "`effort` is negative", "has no <limit>",
                           "neither damping nor friction", "<axis> has no `xyz`", "<limit> has no `velocity`",
                           "length 2 and was normalised", "ball joint"})
    EXPECT_EQ(count(model, said), 1) << said;
}

TEST(Robots, OddMimicsAreLeftOut) {
  const Model model = robot("odd_mimics.urdf");
  EXPECT_EQ(count(model, "the joint `stiff` is fixed: <mimic> is left out"), 1);
  EXPECT_EQ(count(model, "the joint `lonely` mimics `gone`, but there is no such joint"), 1);
  EXPECT_EQ(count(model, "the joint `held` mimics `stiff`, which is fixed"), 1);
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0].name, "held_mimic");
  EXPECT_EQ(algebra::to_text(model.constraints[0].equations[0], *model.graph), "held - 0.25");
}

TEST(Robots, AnglesAreMultiplesOf15DegreesOnlyWithinTheirDigits) {
  using Angles = Reading::Angles;
  const auto turn = [](const Model& model, const char* joint) {
    return joint_named(model, joint).X_PJ.R(1, 1).value();
  };
  const Model near = robot("angles.urdf");
  EXPECT_EQ(turn(near, "ten"), 0.0);
  EXPECT_NEAR(turn(near, "five"), -std::cos(1.5708) * std::cos(3.14159) * -1.0, 1e-15);
  EXPECT_NE(turn(near, "five"), 0.0);
  EXPECT_EQ(turn(near, "all"), 0.0);
  EXPECT_EQ(count(near, "1 angle is taken as multiples of 15 degrees (changed by 2e-10 rad at most)"), 1);
  EXPECT_EQ(count(near, "2 angles such as 1.5708 are kept as written"), 1);

  const Model meant = robot("angles.urdf", {.angles = Angles::meant});
  for (const char* joint : {"ten", "five", "all"}) EXPECT_EQ(turn(meant, joint), 0.0) << joint;
  EXPECT_EQ(count(meant, "3 angles are taken as multiples of 15 degrees (changed by 4e-06 rad at most)"), 1);

  const Model written = robot("angles.urdf", {.angles = Angles::written});
  EXPECT_EQ(turn(written, "ten"), std::cos(1.570796327));
  EXPECT_EQ(count(written, "15 degrees"), 0);
}

TEST(Robots, AnAngleNeverChangesByMoreThanTheRulePromises) {
  // Every multiple, written with every number of digits.
  for (int k = -24; k <= 24; ++k) {
    for (int digits = 1; digits <= 17; ++digits) {
      const double exact = k * std::numbers::pi / 12.0;
      char text[40];
      std::snprintf(text, sizeof text, "%.*f", digits, exact);
      const Model model = load_text(
          std::string("<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" "
                      "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><origin rpy=\"0 0 ") +
              text + "\"/></joint></robot>",
          "angle.urdf");
      const Mat3& R = model.joints[1].X_PJ.R;
      const double read = std::atan2(R(1, 0).value(), R(0, 0).value()), written = std::strtod(text, nullptr);
      EXPECT_LT(std::abs(std::remainder(read - written, 2.0 * std::numbers::pi)), 1.0001e-9) << text;
    }
  }
}

TEST(Robots, WithoutANameAreRead) {
  const Model model = robot("unnamed.urdf");
  EXPECT_EQ(model.name, "robot");
  EXPECT_EQ(model.warnings.size(), 1u);
}

const std::string kWeight =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
    "izz=\"1\"/></inertial>";

/// Two links and a joint between them, with this in its place.
std::string pair_of(const std::string& head, const std::string& joint, const std::string& visual = "") {
  return head + "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + kWeight + visual + "</link>" +
         joint + "</robot>";
}

TEST(Robots, BytesOfLatin1AreReadWhereverTheyStand) {
  const std::string joint =
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>";
  for (const char* head : {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- Autor: Jos\xe9 -->",
                           "<?xml version=\"1.0\"?>\n<!-- 90\xb0 -->"}) {
    const Model model = load_text(pair_of(head, joint), "r.urdf");
    EXPECT_EQ(model.nv(), 1);
    EXPECT_EQ(count(model, "read as ISO 8859-1"), 1) << head;
  }
  EXPECT_EQ(count(load_text(pair_of("<!-- Jos\xc3\xa9 -->", joint), "r.urdf"), "ISO 8859"), 0);
  // Names that hold them are names.
  const Model named = load_text(
      pair_of("",
              "<joint name=\"j\xfc\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
      "r.urdf");
  EXPECT_EQ(named.coordinate_names(), std::vector<std::string>{"j__"});
  EXPECT_THROW(load_text(pair_of(std::string("<!-- \x01 -->"), joint), "r.urdf"), InputError);
}

TEST(Robots, NegativeDampingIsTakenAsZeroWithAWarning) {
  for (const char* type : {"fixed", "continuous"}) {
    const Model model = load_text(
        pair_of("",
                fmt::format("<joint name=\"j\" type=\"{}\"><parent link=\"a\"/><child link=\"b\"/><dynamics "
                            "damping=\"-1\" friction=\"-2\"/></joint>",
                            type)),
        "r.urdf");
    EXPECT_EQ(count(model, "is negative"), 2) << type;
    EXPECT_EQ(count(model, "taken as zero"), 2) << type;
    for (const JointAxis& axis : joint_named(model, "j").axes) {
      EXPECT_EQ(axis.damping.value(), 0.0);
      EXPECT_EQ(axis.friction.coulomb_positive.value(), 0.0);
    }
  }
}

TEST(Robots, OfDoubledElementsTheFirstIsTakenWithAWarning) {
  const Model model = load_text(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"c\"/><link name=\"b\"><inertial><origin xyz=\"0 0 "
      "1\"/><origin "
      "xyz=\"0 0 2\"/><mass value=\"7\"/><mass value=\"8\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial><inertial><mass value=\"1\"/></inertial></link>"
      "<joint name=\"f\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>"
      "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><parent link=\"c\"/><child link=\"b\"/><axis "
      "xyz=\"0 0 "
      "1\"/><axis xyz=\"0 1 0\"/><origin xyz=\"1 0 0\"/><origin xyz=\"2 0 0\"/><limit lower=\"-1\" "
      "upper=\"1\" "
      "effort=\"1\" velocity=\"1\"/><limit lower=\"-2\" upper=\"2\" effort=\"1\" "
      "velocity=\"1\"/></joint></robot>",
      "r.urdf");
  for (const char* twice :
       {"<inertial> has another <origin>", "<inertial> has another <mass>", "<link> has another <inertial>",
        "<joint> has another <parent>", "<joint> has another <axis>", "<joint> has another <origin>",
        "<joint> has another <limit>"})
    EXPECT_EQ(count(model, twice), 1) << twice;
  const Body& body = model.bodies[static_cast<std::size_t>(model.body_index("b"))];
  EXPECT_EQ(body.mass.value(), 7.0);
  EXPECT_EQ(body.com.z.value(), 1.0);
  EXPECT_EQ(joint_named(model, "j").parent, model.body_index("a"));
}

TEST(Robots, WhatIsOfLaterVersionsIsSaidToHaveNoEffect) {
  const auto robot = [](const char* attributes, const char* origin) {
    return load_text(
        fmt::format("<robot name=\"r\"{}><link name=\"a\"/><link name=\"b\">{}</link><joint name=\"j\" "
                    "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>{}</joint></robot>",
                    attributes, kWeight, origin),
        "r.urdf");
  };
  EXPECT_EQ(count(robot(" version=\"2.0\"", ""), "version 2.0: it is read as URDF 1.0"), 1);
  EXPECT_EQ(count(robot(" version=\"1.0\"", ""), "version"), 0);
  const Model turned = robot("", "<origin xyz=\"0 0 1\" quat_xyzw=\"0 0 0.6 0.8\"/>");
  EXPECT_EQ(count(turned, "`quat_xyzw` is no attribute of URDF 1.0"), 1);
  EXPECT_EQ(count(robot("", "<origin xyz=\"0 0 1\"/>"), "quat_xyzw"), 0);
}

TEST(Robots, PropertiesThatNothingUsesAreNoTemplate) {
  const auto with = [](const char* joint) {
    return load_text(
        fmt::format("<robot name=\"r\"><xacro:property name=\"p\" value=\"1\"/><xacro:arg name=\"q\" "
                    "default=\"\"/><link "
                    "name=\"a\"/><link name=\"b\">{}</link><joint name=\"{}\" type=\"continuous\"><parent "
                    "link=\"a\"/><child link=\"b\"/></joint></robot>",
                    kWeight, joint),
        "r.urdf");
  };
  const Model model = with("j");
  EXPECT_EQ(model.nv(), 1);
  EXPECT_EQ(count(model, "is left from a template: nothing uses it"), 2);
  // Used anywhere, also in a name, they are.
  for (const char* name : {"${p}j", "$(arg q)"}) EXPECT_THROW(with(name), InputError) << name;
}

TEST(Robots, MimicsThatMeanNothingAreLeftOutWithAWarning) {
  const auto robot = [](const char* first, const char* second) {
    return load_text(
        fmt::format(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{0}</link><link name=\"c\">{0}</link>"
            "<joint name=\"j\" type=\"{1}\"><parent link=\"a\"/><child link=\"b\"/></joint>"
            "<joint name=\"k\" {2}</joint></robot>",
            kWeight, first, second),
        "r.urdf");
  };
  const Model itself =
      robot("continuous", "type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"k\"/>");
  EXPECT_EQ(count(itself, "the joint `k` mimics itself: <mimic> is left out"), 1);
  EXPECT_TRUE(itself.constraints.empty());
  for (const Model& model :
       {robot("floating", "type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"j\"/>"),
        robot("planar", "type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"j\"/>"),
        robot("continuous",
              "type=\"floating\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"j\"/>")}) {
    EXPECT_EQ(count(model, "has no single coordinate: <mimic> is left out, `k` moves on its own"), 1);
    EXPECT_TRUE(model.constraints.empty());
  }
}

TEST(Robots, AColourThatIsNoneIsLeftOutWithAWarning) {
  const std::string joint =
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>";
  for (const char* rgba : {"1 0 x 1", "", "1 0 0"}) {
    const Model model = load_text(
        pair_of("", joint,
                fmt::format("<visual><geometry><box size=\"1 1 1\"/></geometry><material name=\"m\"><color "
                            "rgba=\"{}\"/></material></visual>",
                            rgba)),
        "r.urdf");
    EXPECT_EQ(count(model, "the color is left out"), 1) << rgba;
    EXPECT_EQ(model.bodies.back().geometry.size(), 1u);
  }
}

TEST(Robots, AnInnerLinkCalledWorldIsALinkLikeOthers) {
  const Model model = load_text(
      "<robot name=\"r\"><link name=\"base\"/><link name=\"world\">" + kWeight + "</link><link name=\"b\">" +
          kWeight +
          "</link><joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"world\"/></joint>"
          "<joint name=\"k\" type=\"continuous\"><parent link=\"world\"/><child link=\"b\"/></joint></robot>",
      "r.urdf");
  EXPECT_EQ(count(model, "the link `world` is called `world_2`"), 1);
  ASSERT_GE(model.body_index("world_2"), 0);
  EXPECT_EQ(joint_named(model, "k").parent, model.body_index("world_2"));
  EXPECT_EQ(joint_named(model, "base_base").parent, 0);
}

TEST(Robots, MisspeltAttributesAreSaidWithTheirPlace) {
  const Model model = load_text(
      pair_of("",
              "\n<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<origin "
              "xzy=\"0 0 1\" ryp=\"0 0 1\"/>\n"
              "<limit lowr=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/><dynamics dampng=\"1\"/></joint>"),
      "r.urdf");
  EXPECT_EQ(
      count(model, "r.urdf:3:1: <origin> has no attribute `xzy`: it has no effect; did you mean `xyz`?"), 1);
  EXPECT_EQ(
      count(model, "r.urdf:3:1: <origin> has no attribute `ryp`: it has no effect; did you mean `rpy`?"), 1);
  EXPECT_EQ(count(model, "did you mean `lower`?"), 1);
  EXPECT_EQ(count(model, "did you mean `damping`?"), 1);
  const std::string mimic =
      "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"j\" "
      "multipler=\"-1\"/></joint><link name=\"c\">" +
      kWeight + "</link>";
  EXPECT_EQ(count(load_text(pair_of("",
                                    "<joint name=\"j\" type=\"continuous\" note=\"mine\"><parent "
                                    "link=\"a\"/><child link=\"b\"/></joint>" +
                                        mimic),
                            "r.urdf"),
                  "did you mean"),
            1);
}

TEST(Robots, TemplatesAreNoRobotsYet) {
  const InputError error = refusal("template.xacro");
  EXPECT_EQ(error.where().line, 3);
  EXPECT_NE(
      error.remedy().find("xacro " + robot_file("template.xacro") + " > " + robot_file("template") + ".urdf"),
      std::string::npos);
}

TEST(Robots, FloatWhereTheyAreToldTo) {
  const Model model = robot("arm.urdf", {.floating = true});
  EXPECT_EQ(model.joints[0].type, JointType::free);
  EXPECT_EQ(model.joints[0].name, "base_base");
  EXPECT_EQ(model.nv(), 8);
  EXPECT_EQ(model.speed_names()[0], "base_base.wx");
  // YAML, too: the weld on the ground becomes free. What moves already cannot.
  const auto yaml = [](const std::string& type) {
    return load_text("name: x\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: " + type +
                         ", parent: world, child: b}}\n",
                     "x.yaml", {}, {.floating = true});
  };
  EXPECT_EQ(yaml("weld").nv(), 6);
  EXPECT_EQ(yaml("free").nv(), 6);
  EXPECT_THROW(yaml("revolute"), InputError);
}

TEST(Overlay, AddsWhatARobotsFileCannotSay) {
  const Model model = robot("overlay.yaml");
  EXPECT_EQ(model.name, "arm_at_a_table");
  EXPECT_EQ(value_of(model, model.gravity.z), -1.62);
  const JointAxis& shoulder = joint_named(model, "shoulder").axes[0];
  EXPECT_EQ(value_of(model, shoulder.armature), 0.02);
  EXPECT_EQ(shoulder.damping.value(), 0.1);  // of the robot's file
  EXPECT_EQ(shoulder.lower->value(), -1.0);
  const JointAxis& elbow = joint_named(model, "elbow_1").axes[0];  // named as in the file: elbow/1
  EXPECT_EQ(elbow.armature.value(), 0.01);
  EXPECT_EQ(elbow.friction.coulomb_positive.value(), 0.1);
  EXPECT_EQ(elbow.stiffness.value(), 3.0);
  EXPECT_EQ(elbow.lower->value(), -2.0);
  const Body& upper = model.bodies[static_cast<std::size_t>(model.body_index("upper"))];
  EXPECT_EQ(upper.mass.value(), 2.0);
  EXPECT_EQ(upper.com.x.value(), 0.1);
  EXPECT_GE(model.frame_index("hand"), 0);
  EXPECT_GE(model.frame_index("tool_0"), 0);
  EXPECT_EQ(model.constraints.size(), 1u);
  EXPECT_FALSE(model.contact.pairs.empty());
  EXPECT_EQ(model.contact.stops.size(), 4u);
  EXPECT_EQ(model.initial_q, (std::vector<double>{-0.3, 0.4}));
  // Places are those of the file that something stands in.
  EXPECT_EQ(joint_named(model, "shoulder").where.file, robot_file("arm.urdf"));
  EXPECT_EQ(model.frames.back().where.file, robot_file("overlay.yaml"));
}

TEST(Overlay, OfAnOverlayJoinsItsMaps) {
  const Model model = robot("floating_overlay.yaml");
  EXPECT_EQ(model.name, "floating_arm");
  EXPECT_EQ(value_of(model, model.gravity.z), -9.81);
  EXPECT_EQ(model.joints[0].type, JointType::free);
  EXPECT_EQ(value_of(model, joint_named(model, "shoulder").axes[0].armature), 0.5);
  EXPECT_EQ(joint_named(model, "shoulder").axes[0].lower->value(), -1.0);  // of the overlay between
  EXPECT_EQ(joint_named(model, "elbow_1").axes[0].armature.value(), 0.01);
}

TEST(Overlay, GivesInertiaToARobotThatHasNone) {
  const auto with = [](const std::string& joints) {
    return load_text("include: no_inertia.urdf\njoints: {" + joints + "}\n", robot_file("made_up.yaml"));
  };
  EXPECT_TRUE(missing_inertia(with("shoulder: {armature: 1}")).has_value());
  EXPECT_FALSE(
      missing_inertia(with("shoulder: {armature: 1}, elbow: {armature: 1}, left_finger: {armature: 1}, "
                           "right_finger: {armature: 1}"))
          .has_value());
}

TEST(Overlay, RefusesWhatTheRobotsFileSays) {
  const auto refusal_of = [](const std::string& text) {
    try {
      load_text("include: arm.urdf\n" + text, robot_file("made_up.yaml"));
    } catch (const InputError& error) {
      return error;
    }
    ADD_FAILURE() << text << " is read";
    return InputError({}, "");
  };
  const InputError type = refusal_of("joints: {shoulder: {type: weld}}\n");
  EXPECT_EQ(type.where().line, 2);
  EXPECT_NE(type.wrong().find("from the file that is included"), std::string::npos);
  EXPECT_NE(refusal_of("frames: {lower: {body: upper}}\n").wrong().find("a frame of this name already"),
            std::string::npos);
  const InputError misspelt = refusal_of("joints: {sholder: {armature: 1, friction: {coulomb: 1}}}\n");
  EXPECT_EQ(misspelt.wrong(), "there is no joint `sholder` in " + robot_file("arm.urdf"));
  EXPECT_NE(misspelt.remedy().find("did you mean `shoulder`?"), std::string::npos);
  EXPECT_EQ(misspelt.where().line, 2);
  EXPECT_EQ(misspelt.where().column, 10);
  EXPECT_EQ(refusal_of("bodies: {uper: {mass: 1}}\n").remedy().find("did you mean `upper`? "), 0u);
  // What says more than that is a joint of its own.
  EXPECT_NE(refusal_of("joints: {sholder: {parent: upper, armature: 1}}\n").wrong().find("`type`"),
            std::string::npos);
}

TEST(Overlay, IncludesNoFilesWhereNoneMayBeLookedAt) {
  EXPECT_THROW(load_text("include: arm.urdf\n", robot_file("made_up.yaml"), {}, {.files = false}),
               InputError);
}

TEST(Overlay, MayReplaceAMimic) {
  const Model model = load_text(
      "include: no_inertia.urdf\nconstraints: {right_finger_mimic: {type: lock, joint: right_finger, at: "
      "0}}\n",
      robot_file("made_up.yaml"));
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0].kind, "lock");
}

}  // namespace
}  // namespace tactus::describe
