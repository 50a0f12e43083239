// What a URDF file says and the reader does not read: said where it changes the robot, passed over where it is of other tools.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tactus/describe/read/load.h>

namespace tactus::describe {
namespace {

/// Two links and a joint, one part to a line: lines 1 to 4 are <robot>, the links and the joint.
struct Parts {
  std::string inertial = "", link = "", joint = "", robot = "", after = "";
  std::string origin = "<origin xyz=\"0 0 0.2\"/>";
};

std::vector<std::string> warnings_of(const Parts& parts) {
  const std::string text = "<robot name=\"r\">" + parts.robot + "\n<link name=\"a\"/>\n<link name=\"b\">" +
                           parts.link + "<inertial>" + parts.inertial +
                           "<mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                           "izz=\"1\"/></inertial></link>\n"
                           "<joint name=\"j\" type=\"continuous\">" +
                           parts.joint + "<parent link=\"a\"/><child link=\"b\"/>" + parts.origin +
                           "</joint>\n</robot>\n" + parts.after;
  return load_text(text, "r.urdf").warnings;
}

/// The one warning, which begins with that place and holds these words.
void expect_said(const Parts& parts, const std::string& place, const std::vector<std::string>& words) {
  const std::vector<std::string> warnings = warnings_of(parts);
  ASSERT_EQ(warnings.size(), 1u) << place;
  EXPECT_EQ(warnings[0].rfind("r.urdf:" + place + ": ", 0), 0u) << warnings[0];
  for (const std::string& word : words)
    EXPECT_NE(warnings[0].find(word), std::string::npos) << word << " in " << warnings[0];
}

TEST(UrdfUnread, APlaceThatIsWrittenOtherwiseIsSaid) {
  EXPECT_TRUE(warnings_of({}).empty());
  expect_said({.origin = "<origin rpy=\"0 0 0\">0 0 0.2</origin>"}, "4:70", {"`0 0 0.2` in <origin>"});
  expect_said({.origin = "<origin rpy=\"0 0 0\"><![CDATA[0 0 0.2]]></origin>"}, "4:70", {"0 0 0.2"});
  expect_said({.origin = "<origin pos=\"0 0 0.2\"/>"}, "4:70",
              {"<origin> has no attribute `pos`", "`xyz` and `rpy`, zeros where they are not given"});
  expect_said({.origin = "<origin><xyz>0 0 0.2</xyz></origin>"}, "4:78", {"<xyz> in <origin> is not read"});
  expect_said({.inertial = "<pose xyz=\"0 0 0.1\"/>"}, "3:26",
              {"<pose> in <inertial> is not read", "the centre of mass is that of <origin>"});
  expect_said({.link = "<mass value=\"3\"/>"}, "3:16", {"<mass> in <link> is not read"});
}

TEST(UrdfUnread, LoopsIncludesAndMisplacedJointsAreSaid) {
  expect_said({.robot = "<loop_joint name=\"l\"><link1 link=\"a\"/></loop_joint>"}, "1:17",
              {"<loop_joint> in <robot> is not read", "constraint"});
  expect_said({.robot = "<include filename=\"x.urdf\"/>"}, "1:17", {"<include>", "is missing"});
  expect_said({.robot = "<xi:include href=\"x.urdf\"/>"}, "1:17", {"<xi:include>", "is missing"});
  expect_said({.robot = "<frame name=\"f\" link=\"a\"/>"}, "1:17", {"<frame> in <robot>", "`frames`"});
  expect_said({.robot = "<gravity>0 0 0</gravity>"}, "1:17", {"<gravity>", "9.81"});
  expect_said({.link = "<joint name=\"k\" type=\"fixed\"/>"}, "3:16",
              {"<joint> in <link> is not read: write it directly under <robot>"});
  expect_said({.after = "<robot name=\"two\"/>"}, "6:1", {"<robot> stands after the end of <robot>"});
}

TEST(UrdfUnread, SpringsAndRotorsAreSaidUnlessTheyAreZero) {
  expect_said({.joint = "<dynamics damping=\"1\" spring_stiffness=\"100\"/>"}, "4:35",
              {"<dynamics> has no attribute `spring_stiffness`", "`stiffness` and `rest` of the joint"});
  expect_said({.joint = "<dynamics damping=\"1\" armature=\"0.3\"/>"}, "4:35", {"`armature` of the joint"});
  expect_said({.joint = "<dynamics damping=\"1\" rotor_inertia=\"2\"/>"}, "4:35",
              {"`armature` of the joint"});
  expect_said({.joint = "<rotor_inertia value=\"0.3\"/>"}, "4:35", {"`armature` of the joint"});
  expect_said({.joint = "<actuator name=\"m\" inertia=\"0.1\"/>"}, "4:35", {"<actuator> in <joint>"});
  EXPECT_TRUE(
      warnings_of({.joint = "<dynamics damping=\"1\" spring_reference=\"0.0\" spring_stiffness=\"0\"/>"})
          .empty());
}

TEST(UrdfUnread, WhatIsAlikeIsSaidOnceWithItsNumber) {
  expect_said({.robot = "<loop_joint/><loop_joint/>\n<loop_joint/>"}, "1:17", {"(and 2 more alike)"});
}

TEST(UrdfUnread, WhatNoMotionDependsOnIsPassedOverWithoutAWord) {
  EXPECT_EQ(
      warnings_of(
          {.link = "<contact><lateral_friction value=\"1\"/></contact><sensor/><self_collision_checking/>",
           .joint = "<calibration rising=\"0\"/><safety_controller k_velocity=\"1\"/>",
           .robot = "<gazebo reference=\"a\"><joint name=\"q\">x</joint></gazebo><material name=\"m\"/>"
                    "<transmission name=\"t\"><type>x</type><joint name=\"j\"/></transmission>"
                    "<ros2_control name=\"x\"/><sensor name=\"s\"/><sensor:camera/><!-- a remark -->"}),
      std::vector<std::string>{});
}

}  // namespace
}  // namespace tactus::describe
