// What the YAML format means.
#include <cmath>
#include <numbers>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

namespace tactus::describe {
namespace {

/// Rounding of a few products of sines and cosines.
constexpr double kRounding = 1e-15;

const std::string kBody = "name: x\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";

Model read(const std::string& text) { return load_text(text, "test.yaml"); }

Model with_placement(const std::string& placement) {
  return read(kBody + "joints: {j: {type: revolute, parent: world, child: b, placement: " + placement +
              "}}\n");
}

TEST(Yaml, DefaultsAreFilledIn) {
  const Model model = read(kBody + "joints: {j: {type: revolute, parent: world, child: b}}\n");
  EXPECT_EQ(model.gravity.z.value(), -9.81);
  EXPECT_EQ(model.joints[0].axes[0].direction.z.value(), 1.0);
  EXPECT_EQ(model.joints[0].axes[0].name, "j");
  EXPECT_FALSE(model.joints[0].axes[0].lower.has_value());
  EXPECT_EQ(model.bodies[0].name, "world");
  EXPECT_EQ(model.bodies[0].joint, -1);
  EXPECT_EQ(model.bodies[1].joint, 0);
  EXPECT_EQ(model.joints[0].where.line, 3);
  EXPECT_TRUE(model.warnings.empty());
}

TEST(Yaml, JointsMayStandInAnyOrderAndKeepItWherePossible) {
  const Model model = read(R"(
name: x
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}, d: {mass: 1, inertia: [1, 1, 1]}}
joints:
  on_b: {type: revolute, parent: b, child: a}
  on_world: {type: revolute, parent: world, child: b}
  second: {type: prismatic, parent: world, child: c}
  on_a: {type: revolute, parent: a, child: d}
)");
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"on_world", "on_b", "second", "on_a"}));
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    EXPECT_EQ(model.joints[i].child, static_cast<int>(i) + 1);
    EXPECT_LT(model.joints[i].parent, model.joints[i].child);
  }
}

TEST(Yaml, DerivedParametersFollowTheirFormula) {
  Model model = read(R"(
name: x
parameters:
  area: width*height        # used before its parts are given
  width: {value: 200, unit: mm, description: across}
  height: 3 * width
bodies: {b: {mass: 10*area, com: [width, 0, 0]}}
joints: {j: {type: revolute, parent: world, child: b}}
)");
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].name, "width");
  EXPECT_EQ(model.parameters[0].value, 0.2);
  ASSERT_EQ(model.derived_parameters.size(), 2u);
  EXPECT_EQ(model.derived_parameters[0].name, "area");
  EXPECT_DOUBLE_EQ(model.derived_parameters[0].value, 0.12);
  EXPECT_DOUBLE_EQ(value_of(model, model.bodies[1].mass), 1.2);
  model.parameters[0].value = 1.0;
  EXPECT_DOUBLE_EQ(value_of(model, model.bodies[1].mass), 30.0);
}

TEST(Yaml, AllWaysToWriteAnOrientationAgree) {
  const Model models[] = {
      with_placement("{xyz: [1, 2, 3], rpy: [0, 0, 30 deg]}"),
      with_placement("{xyz: [1, 2, 3], axis_angle: {axis: z, angle: pi/6}}"),
      with_placement("{xyz: [1, 2, 3], quaternion: [0.9659258262890683, 0, 0, 0.2588190451025207]}"),
      with_placement("{xyz: [1, 2, 3], rows: [[sqrt(3)/2, -0.5, 0], [0.5, sqrt(3)/2, 0], [0, 0, 1]]}"),
      with_placement("{xyz: [1, 2, 3], rows: [[0.8660254, -0.5, 0], [0.5, 0.8660254, 0], [0, 0, 1]]}"),
  };
  const double c = std::sqrt(3.0) / 2.0;
  const double expected[3][3] = {{c, -0.5, 0.0}, {0.5, c, 0.0}, {0.0, 0.0, 1.0}};
  int number = 0;
  for (const Model& model : models) {
    const double tolerance = ++number == 5 ? 5e-8 : kRounding;  // the last is written with seven digits
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(model.joints[0].X_PJ.R(i, j).value(), expected[i][j], tolerance) << number;
      }
    }
    EXPECT_EQ(model.joints[0].X_PJ.p.y.value(), 2.0);
  }
}

TEST(Yaml, ARotationWrittenWithSevenDigitsIsMadeExact) {
  const Model model = with_placement("{rows: [[0.8660254, -0.5, 0], [0.5, 0.8660254, 0], [0, 0, 1]]}");
  const Mat3& R = model.joints[0].X_PJ.R;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::hypot(R(i, 0).value(), R(i, 1).value(), R(i, 2).value()), 1.0, 4e-16);
  }
}

TEST(Yaml, RollPitchYawTurnAboutFixedAxes) {
  const Model model = with_placement("{rpy: [90 deg, 0, 90 deg]}");
  // First about x: y -> z. Then about the fixed z: x -> y. So the frame's x is y, its y is z, its z is x.
  const Mat3& R = model.joints[0].X_PJ.R;
  EXPECT_TRUE(R.col(0).y.is_constant(1.0));
  EXPECT_TRUE(R.col(1).z.is_constant(1.0));
  EXPECT_TRUE(R.col(2).x.is_constant(1.0));
}

TEST(Yaml, InertiaAboutTheOriginIsMovedToTheCentreOfMass) {
  const Model model = read(R"(
name: x
bodies:
  b: {mass: 2, com: [0.3, 0.4, 0], inertia: [1, 2, 3, 0.1, 0, 0], inertia_about: origin}
joints: {j: {type: revolute, parent: world, child: b}}
)");
  const Mat3& I = model.bodies[1].inertia;  // I - m (c.c 1 - c c^T)
  EXPECT_NEAR(I(0, 0).value(), 1.0 - 2.0 * 0.16, kRounding);
  EXPECT_NEAR(I(1, 1).value(), 2.0 - 2.0 * 0.09, kRounding);
  EXPECT_NEAR(I(2, 2).value(), 3.0 - 2.0 * 0.25, kRounding);
  EXPECT_NEAR(I(0, 1).value(), 0.1 + 2.0 * 0.12, kRounding);
  EXPECT_NEAR(I(1, 0).value(), 0.1 + 2.0 * 0.12, kRounding);
}

TEST(Yaml, FreedomsCarryWhatTheFileSays) {
  const Model model = read(R"(
name: x
bodies: {b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  j:
    type: revolute
    parent: world
    child: b
    axis: -y
    limits: [-90 deg, ~]
    velocity_limit: 60 rpm
    effort_limit: 20 N m
    armature: 0.1
    damping: 0.2
    friction: {viscous: 0.3, coulomb: {positive: 0.4, negative: 0.5}}
    stiffness: 6
    rest: 7 deg
  k:
    type: cylindrical
    parent: b
    child: c
    freedoms: {angle: {damping: 1}, slide: {limits: [0, 5 cm], armature: 2 kg}}
)");
  const JointAxis& j = model.joints[0].axes[0];
  EXPECT_EQ(j.direction.y.value(), -1.0);
  EXPECT_EQ(j.lower->value(), -std::numbers::pi / 2.0);
  EXPECT_FALSE(j.upper.has_value());
  EXPECT_DOUBLE_EQ(j.velocity_limit->value(), 2.0 * std::numbers::pi);
  EXPECT_EQ(j.effort_limit->value(), 20.0);
  EXPECT_EQ(j.armature.value(), 0.1);
  EXPECT_EQ(j.damping.value(), 0.2);
  EXPECT_EQ(j.friction.viscous_positive.value(), 0.3);
  EXPECT_EQ(j.friction.viscous_negative.value(), 0.3);
  EXPECT_EQ(j.friction.coulomb_positive.value(), 0.4);
  EXPECT_EQ(j.friction.coulomb_negative.value(), 0.5);
  EXPECT_EQ(j.stiffness.value(), 6.0);
  EXPECT_DOUBLE_EQ(j.rest.value(), 7.0 * std::numbers::pi / 180.0);
  const std::vector<JointAxis>& k = model.joints[1].axes;
  EXPECT_EQ(k[0].name, "k.angle");
  EXPECT_EQ(k[0].damping.value(), 1.0);
  EXPECT_EQ(k[1].name, "k.slide");
  EXPECT_FALSE(k[1].is_rotation);
  EXPECT_EQ(k[1].upper->value(), 0.05);
  EXPECT_EQ(k[1].armature.value(), 2.0);
}

TEST(Yaml, EveryTypeOfJointHasItsFreedoms) {
  std::vector<Model> models;  // kept: the axes' numbers live in their graphs
  const auto axes = [&](const std::string& joint) {
    models.push_back(read(kBody + "joints: {j: {parent: world, child: b, " + joint + "}}\n"));
    return models.back().joints[0].axes;
  };
  EXPECT_EQ(axes("type: weld").size(), 0u);
  EXPECT_EQ(axes("type: helical, pitch: 5 mm/rev").size(), 1u);
  const auto universal = axes("type: universal, axes: [z, x]");
  EXPECT_EQ(universal[0].direction.z.value(), 1.0);
  EXPECT_EQ(universal[1].direction.x.value(), 1.0);
  EXPECT_EQ(universal[1].name, "j.angle2");
  const auto planar = axes("type: planar, axis: y");
  EXPECT_EQ(planar[0].direction.z.value(), 1.0);
  EXPECT_EQ(planar[1].direction.x.value(), 1.0);
  EXPECT_EQ(planar[2].direction.y.value(), 1.0);
  EXPECT_FALSE(planar[0].is_rotation);
  EXPECT_TRUE(planar[2].is_rotation);
  const auto slanted = axes("type: planar, axes: [[0.8, 0, -0.6], y]");
  EXPECT_NEAR(slanted[2].direction.x.value(), 0.6, kRounding);
  EXPECT_NEAR(slanted[2].direction.z.value(), 0.8, kRounding);
  EXPECT_EQ(axes("type: spherical").size(), 3u);
  EXPECT_EQ(axes("type: free")[5].name, "j.vz");
}

TEST(Yaml, RepeatsCountAndComputeWithTheirIndex) {
  const Model model = read(R"(
name: x
repeat:
  - count: 3
    from: 0
    index: k
    bodies:
      link_{k}: {mass: "{k+1}/2", inertia: [1, 1, 1]}
    joints:
      q{2*k}: {type: revolute, parent: world, child: "link_{k}"}
    frames:
      end_{k}: {body: "link_{k}"}
  - count: 2
    bodies:
      tip_{i}: {mass: 1, inertia: [1, 1, 1]}
    joints:
      t{i}: {type: prismatic, parent: "link_{i-1}", child: "tip_{i}"}
)");
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"q0", "q2", "q4", "t1", "t2"}));
  EXPECT_EQ(model.bodies[3].name, "link_2");
  EXPECT_EQ(model.bodies[3].mass.value(), 1.5);
  EXPECT_EQ(model.bodies[static_cast<std::size_t>(model.joints[4].parent)].name, "link_1");
  EXPECT_EQ(model.frame_index("end_2"), 2);
}

TEST(Yaml, AParameterSaysHowOftenToRepeat) {
  const std::string text = R"(
name: x
parameters:
  rows: 2
  N: {value: 2*rows - 1, description: links}
  L: 3
repeat:
  count: N
  from: rows
  bodies:
    link_{i}: {mass: L/N, inertia: [1, 1, 1]}
  joints:
    q{i}: {type: revolute, parent: world, child: "link_{i}"}
)";
  const Model model = read(text);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"q2", "q3", "q4"}));
  // What decides about the bodies is no symbol: a change of it could not be followed.
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].name, "L");
  ASSERT_EQ(model.derived_parameters.size(), 2u);
  EXPECT_EQ(model.derived_parameters[0].formula.value(), 2.0);
  EXPECT_EQ(model.derived_parameters[1].formula.value(), 3.0);

  EXPECT_EQ(load_text(text, "x.yaml", {{"rows", "4"}}).nv(), 7);
  EXPECT_EQ(load_text(text, "x.yaml", {{"N", "rows + 3"}}).nv(), 5);
  EXPECT_THROW(load_text(text, "x.yaml", {{"N", "rows/3"}}), InputError);
  EXPECT_THROW(load_text(text, "x.yaml", {{"N", "1 m"}}), InputError);
}

TEST(Yaml, ParametersCanBeSetFromOutside) {
  const std::string text = R"(
name: x
parameters: {m: 2, L: {value: 0.5, unit: m}}
bodies: {b: {mass: m, com: [L, 0, 0], inertia: [1, 1, 1]}}
joints: {j: {type: revolute, parent: world, child: b}}
)";
  const Model model = load_text(text, "x.yaml", {{"L", "20 cm"}, {"m", "3"}});
  EXPECT_EQ(model.parameters[0].value, 3.0);
  EXPECT_NEAR(model.parameters[1].value, 0.2, kRounding);
  // A bare number has the unit that the file gives the parameter; one with a unit its own.
  const std::string in_cm = std::regex_replace(text, std::regex("unit: m\\}"), "unit: cm}");
  EXPECT_NEAR(load_text(in_cm, "x.yaml", {{"L", "20"}}).parameters[1].value, 0.2, kRounding);
  EXPECT_NEAR(load_text(in_cm, "x.yaml", {{"L", "2 m"}}).parameters[1].value, 2.0, kRounding);
  try {
    load_text(text, "x.yaml", {{"LL", "1"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no parameter `LL`"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("`L`"), std::string::npos) << error.what();
  }
}

TEST(Yaml, MergedMapsGiveWayToWhatIsWrittenHere) {
  const Model model = read(R"(
name: x
bodies:
  a: &rod {mass: 1, inertia: [1, 1, 1]}
  b: {<<: *rod, mass: 5}
joints:
  j: &hinge {type: revolute, parent: world, child: a, damping: 3}
  k: {<<: *hinge, child: b}
)");
  EXPECT_EQ(model.bodies[2].mass.value(), 5.0);
  EXPECT_EQ(model.bodies[2].inertia(0, 0).value(), 1.0);
  EXPECT_EQ(model.joints[1].axes[0].damping.value(), 3.0);
}

TEST(Yaml, SpringsFindTheirEnds) {
  const Model model = read(kBody + R"(
joints: {j: {type: prismatic, parent: world, child: b}}
frames: {hook: {body: world, placement: {xyz: [0, 0, 1]}}, eye: {body: b}}
springs:
  coil: {type: points, a: hook, b: {body: b, at: [0, 0, 0.1]}, stiffness: 100, damping: 2, rest_length: 20 cm}
  bush: {type: frames, a: hook, b: eye, linear_stiffness: 3, angular_stiffness: 4, linear_damping: 5, angular_damping: 6}
  stop: {type: joint, joint: j, stiffness: 7 N/mm, rest: 1 mm, damping: 8}
)");
  ASSERT_EQ(model.point_springs.size(), 1u);
  EXPECT_EQ(model.point_springs[0].body_a, 0);
  EXPECT_EQ(model.point_springs[0].body_b, 1);
  EXPECT_EQ(model.point_springs[0].point_a.z.value(), 1.0);
  EXPECT_EQ(model.point_springs[0].rest_length.value(), 0.2);
  ASSERT_EQ(model.frame_springs.size(), 1u);
  EXPECT_EQ(model.frame_springs[0].frame_b, 1);
  EXPECT_EQ(model.frame_springs[0].angular_damping.value(), 6.0);
  EXPECT_EQ(model.joints[0].axes[0].stiffness.value(), 7000.0);
  EXPECT_EQ(model.joints[0].axes[0].rest.value(), 0.001);
  EXPECT_EQ(model.joints[0].axes[0].damping.value(), 8.0);
}

TEST(Yaml, SpeedsMayDependOnTimeAndParameters) {
  const Model model = read(R"(
name: x
parameters: {w: 2}
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {q: {type: revolute, parent: world, child: b}}
speeds:
  from_rates: {u: w*q_dot*cos(q) + sin(w*t)}
)");
  EXPECT_EQ(model.speeds.names, std::vector<std::string>{"u"});
  EXPECT_EQ(model.speed_names(), std::vector<std::string>{"u"});
}

TEST(Yaml, ADifferentCaseOfLettersIsADifferentName) {
  EXPECT_NO_THROW(
      read("name: x\nparameters: {m: 1, M: 2}\nbodies: {b: {mass: m + M, com: [1, 0, 0]}}\n"
           "joints: {j: {type: revolute, parent: world, child: b}}\n"));
}

TEST(Yaml, WindowsLineEndsAndAByteOrderMarkAreText) {
  EXPECT_NO_THROW(
      read("\xef\xbb\xbfname: x\r\nbodies: {b: {mass: 1, com: [1, 0, 0]}}\r\n"
           "joints: {j: {type: revolute, parent: world, child: b}}\r\n"));
}

TEST(Yaml, AliasesStandForWhatTheirAnchorsHold) {
  const Model model = read(R"(
name: x
bodies:
  a: {mass: &heavy 3 kg, inertia: &round [1, 2, 2]}
  b: {mass: *heavy, inertia: *round}
joints:
  first: {type: revolute, parent: world, child: a, limits: &swing [-1, 2]}
  second: {type: revolute, parent: a, child: b, limits: *swing}
)");
  EXPECT_EQ(model.bodies[2].mass.value(), 3.0);
  EXPECT_EQ(model.bodies[2].inertia(1, 1).value(), 2.0);
  EXPECT_EQ(model.joints[1].axes[0].upper->value(), 2.0);
}

TEST(Yaml, TooManyBracketsAreRefusedWhereTheyStand) {
  // A thousand may be open; the one that is too many is the 1001st, after `a: `.
  const std::string text = "# " + std::string(5000, '-') + "\na: " + std::string(2000, '[');
  try {
    read(text);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 2);
    EXPECT_EQ(error.where().column, 3 + 1001);
  }
}

}  // namespace
}  // namespace tactus::describe
