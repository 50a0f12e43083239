// URDF files become the same kind of model.
#include <cmath>

#include <gtest/gtest.h>

#include <tactus/algebra/print.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

Model read(const std::string& inner) {
  return load_text("<robot name=\"r\">" + inner + "</robot>", "test.urdf");
}

const std::string kInertial =
    "<inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1.2\" izz=\"1.4\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>";

TEST(Urdf, TheExampleReadsAsItIsWritten) {
  const Model model = load(tactus::support::source_dir() + "/models/two_link.urdf");
  EXPECT_EQ(model.name, "two_link");
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"shoulder", "elbow"}));
  ASSERT_EQ(model.bodies.size(), 5u);
  EXPECT_EQ(model.joints[0].type, JointType::weld);  // the base on the ground
  const JointAxis& shoulder = model.joints[1].axes[0];
  EXPECT_EQ(shoulder.direction.y.value(), 1.0);
  EXPECT_EQ(shoulder.lower->value(), -2.0);
  EXPECT_EQ(shoulder.effort_limit->value(), 60.0);
  EXPECT_EQ(shoulder.velocity_limit->value(), 3.0);
  EXPECT_EQ(shoulder.damping.value(), 0.1);
  EXPECT_EQ(shoulder.friction.coulomb_negative.value(), 0.2);
  EXPECT_FALSE(model.joints[2].axes[0].lower.has_value());  // continuous
  EXPECT_EQ(model.bodies[2].com.z.value(), -0.25);
  EXPECT_EQ(model.bodies[2].geometry.size(), 2u);
  EXPECT_TRUE(model.bodies[2].geometry[0].visual);
  EXPECT_TRUE(model.bodies[2].geometry[1].contact);
  EXPECT_EQ(model.bodies[1].geometry[0].color[0], 0.5);
  EXPECT_GE(model.frame_index("tool"), 0);
  EXPECT_EQ(model.joints[1].where.line, 42);
}

TEST(Urdf, NumbersTooLargeForADoubleAreRefusedAndTinyOnesAreZero) {
  const auto with = [](const std::string& number) {
    return read("<link name=\"world\"/><link name=\"a\"><inertial><mass value=\"" + number +
                "\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>"
                "<joint name=\"j\" type=\"continuous\"><parent link=\"world\"/><child link=\"a\"/></joint>");
  };
  const std::string zeros(400, '0');
  for (const std::string& large :
       {std::string("1e999"), std::string("-1e400"), "1" + zeros, std::string("0.001e+500"),
        std::string("1e99999999999999999999"), "0." + zeros + "1e900"}) {
    try {
      with(large);
      ADD_FAILURE() << large;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("too large for a double"), std::string::npos) << error.what();
      EXPECT_EQ(error.where().line, 1) << large;
    }
  }
  for (const std::string& tiny : {std::string("1e-999"), "0." + zeros + "1", std::string("1000e-900"),
                                  std::string("1e-99999999999999999999"), "1" + zeros + "e-900"})
    EXPECT_EQ(with(tiny).bodies.back().mass.value(), 0.0) << tiny;
  // Limits and places, too: none becomes zero.
  EXPECT_THROW(read("<link name=\"world\"/><link name=\"a\">" + kInertial +
                    "</link><joint name=\"j\" type=\"revolute\"><parent link=\"world\"/><child link=\"a\"/>"
                    "<limit lower=\"-1e400\" upper=\"1e400\" effort=\"1\" velocity=\"1\"/></joint>"),
               InputError);
  EXPECT_THROW(read("<link name=\"world\"/><link name=\"a\">" + kInertial +
                    "</link><joint name=\"j\" type=\"continuous\"><parent link=\"world\"/><child link=\"a\"/>"
                    "<origin xyz=\"0 0 1e400\"/></joint>"),
               InputError);
}

TEST(Urdf, MassesThatAddUpToNoDoubleAreRefused) {
  const auto error_of = [](const std::string& mass, const std::string& xyz) -> std::string {
    const std::string inertial = "<inertial><mass value=\"" + mass +
                                 "\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                                 "izz=\"1\"/></inertial>";
    try {
      read("<link name=\"a\">" + inertial + "</link>\n<link name=\"b\">" + inertial +
           "</link>\n<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
           "<origin xyz=\"" +
           xyz + "\"/></joint>");
    } catch (const InputError& error) {
      EXPECT_EQ(error.where().line, 2) << error.what();
      EXPECT_FALSE(error.remedy().empty());
      return error.wrong();
    }
    return "";
  };
  EXPECT_EQ(error_of("1e307", "0 0 1"), "");
  EXPECT_EQ(error_of("1e308", "0 0 1"),
            "with the mass of `b`, 1e+308 kg, the masses add up to more than a double holds");
  EXPECT_EQ(error_of("8e307", "0 0 1.01"), "");
  EXPECT_NE(error_of("8e307", "0 0 1.3").find("moments of inertia may exceed"), std::string::npos);
  EXPECT_EQ(error_of("1", "0 0 1e153"), "");
}

TEST(Urdf, NothingIsAllowedAndLessThanNothingIsNone) {
  const auto with = [](const std::string& limit, const std::string& dynamics) {
    return read("<link name=\"world\"/><link name=\"a\">" + kInertial +
                "</link><joint name=\"j\" type=\"revolute\"><parent link=\"world\"/><child link=\"a\"/>"
                "<limit lower=\"-1\" upper=\"1\" " +
                limit + "/><dynamics " + dynamics + "/></joint>");
  };
  const Model model = with("effort=\"0\" velocity=\"0\"", "damping=\"0\" friction=\"0\"");
  EXPECT_EQ(model.joints[0].axes[0].damping.value(), 0.0);
  EXPECT_EQ(model.joints[0].axes[0].friction.coulomb_positive.value(), 0.0);
  const Model negative = with("effort=\"1\" velocity=\"1\"", "damping=\"-1\" friction=\"-1\"");
  EXPECT_EQ(negative.joints[0].axes[0].damping.value(), 0.0);
  EXPECT_EQ(negative.joints[0].axes[0].friction.coulomb_positive.value(), 0.0);
  EXPECT_EQ(negative.warnings.size(), 2u);
  // A negative limit means none.
  const Model unlimited = with("effort=\"-1\" velocity=\"-1\"", "damping=\"1\"");
  EXPECT_FALSE(unlimited.joints[0].axes[0].effort_limit.has_value());
  EXPECT_FALSE(unlimited.joints[0].axes[0].velocity_limit.has_value());
  EXPECT_EQ(unlimited.warnings.size(), 2u);
}

TEST(Urdf, InertiaTurnsWithItsOrigin) {
  const Model model = read(
      "<link name=\"world\"/><link name=\"a\"><inertial><origin xyz=\"0 0 0\" rpy=\"0 0 1.570796327\"/><mass "
      "value=\"2\"/>"
      "<inertia ixx=\"1\" iyy=\"1.2\" izz=\"1.4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
      "<joint name=\"j\" type=\"floating\"><parent link=\"world\"/><child link=\"a\"/></joint>");
  EXPECT_EQ(model.bodies.size(), 2u);  // the root named world is the ground itself
  EXPECT_EQ(model.joints[0].type, JointType::free);
  // 1.570796327 is a right angle to the last digit: the moments change places, to the bit.
  EXPECT_EQ(model.bodies[1].inertia(0, 0).value(), 1.2);
  EXPECT_EQ(model.bodies[1].inertia(1, 1).value(), 1.0);
  EXPECT_EQ(model.bodies[1].inertia(0, 1).value(), 0.0);
}

TEST(Urdf, MimicJointsAreCoupled) {
  const Model model =
      read("<link name=\"world\"/><link name=\"a\">" + kInertial + "</link><link name=\"b\">" + kInertial +
           "</link><joint name=\"j\" type=\"continuous\"><parent link=\"world\"/><child link=\"a\"/></joint>"
           "<joint name=\"k-2\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
           "<mimic joint=\"j\" multiplier=\"-2\" offset=\"0.5\"/></joint>");
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0].name, "k_2_mimic");
  EXPECT_EQ(algebra::to_text(model.constraints[0].equations[0], *model.graph), "2*j + k_2 - 0.5");
}

TEST(Urdf, BlanksAroundNumbersChangeNothing) {
  const Model model = read(
      "<link name=\"world\"/><link name=\"a\"><inertial><origin xyz=\" 1  2\n3 \"/><mass value=\" 5 \"/>"
      "<inertia ixx=\"0.01 \" iyy=\"0.02\t\" izz=\" 0.03\" ixy=\"0 \" ixz=\"0\" iyz=\"0\"/></inertial></link>"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"world\"/><child link=\"a\"/>"
      "<axis xyz=\"0 0 1 \"/><dynamics damping=\"0.5 \"/></joint>");
  const Body& a = model.bodies[1];
  EXPECT_EQ(a.mass.value(), 5.0);
  EXPECT_EQ(a.com.x.value(), 1.0);
  EXPECT_EQ(a.com.y.value(), 2.0);
  EXPECT_EQ(a.com.z.value(), 3.0);
  EXPECT_EQ(a.inertia(0, 0).value(), 0.01);
  EXPECT_EQ(a.inertia(1, 1).value(), 0.02);
  EXPECT_EQ(a.inertia(2, 2).value(), 0.03);
  EXPECT_EQ(model.joints[0].axes[0].direction.z.value(), 1.0);
  EXPECT_EQ(model.joints[0].axes[0].damping.value(), 0.5);
  EXPECT_TRUE(model.warnings.empty());
}

TEST(Urdf, PlanarJointsMoveAcrossTheirNormal) {
  const Model model = read("<link name=\"b\"/><link name=\"a\">" + kInertial +
                           "</link><joint name=\"j\" type=\"planar\"><parent link=\"b\"/><child link=\"a\"/>"
                           "<axis xyz=\"0.6 0 0.8\"/></joint>");
  const std::vector<JointAxis>& axes = model.joints[1].axes;
  ASSERT_EQ(axes.size(), 3u);
  const auto number = [](const Vec3& v) { return math::Vec3<double>{v.x.value(), v.y.value(), v.z.value()}; };
  const math::Vec3<double> e1 = number(axes[0].direction), e2 = number(axes[1].direction),
                           n = number(axes[2].direction);
  const math::Vec3<double> across = cross(e1, e2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(across[i], n[i], 1e-15);
}

TEST(Urdf, NamesAreTidiedAndLongAxesNormalisedWithAWarning) {
  const Model model =
      read("<link name=\"base link\"/><link name=\"7-arm\">" + kInertial +
           "</link><joint name=\"left/elbow\" type=\"continuous\"><parent link=\"base link\"/>"
           "<child link=\"7-arm\"/><axis xyz=\"0 0 2\"/></joint>");
  EXPECT_EQ(model.coordinate_names(), std::vector<std::string>{"left_elbow"});
  EXPECT_EQ(model.bodies[2].name, "_7_arm");
  EXPECT_EQ(model.joints[1].axes[0].direction.z.value(), 1.0);
  EXPECT_EQ(model.warnings.size(), 4u);
}

TEST(Urdf, ImpossibleInertiaIsAWarning) {
  const Model model = read(
      "<link name=\"b\"/><link name=\"a\"><inertial><mass value=\"1\"/>"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/><child link=\"a\"/></joint>");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_NE(model.warnings[0].find("exceeds the sum"), std::string::npos);
}

TEST(Urdf, ElementsOfOtherToolsArePassedOver) {
  EXPECT_NO_THROW(
      read("<link name=\"b\">" + kInertial + "</link><link name=\"a\">" + kInertial +
           "</link><gazebo><plugin/></gazebo><transmission name=\"t\"/>"
           "<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/><child link=\"a\"/></joint>"));
}

}  // namespace
}  // namespace tactus::describe
