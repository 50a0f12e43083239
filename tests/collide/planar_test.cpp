// Bodies that move in one plane only: one contact where in space there would be two copies.
#include <gtest/gtest.h>

#include <collide/shapes.h>

namespace {

using namespace tactus::collide;
using namespace tactus::collide::test;
using tactus::math::rotation_z;

constexpr double kRounding = 1e-12;

/// Two bodies with planar joints in the plane z = 0.
tactus::describe::Model planar_model(const std::string& a, const std::string& b,
                                     const std::string& joint = "planar") {
  const std::string text = fmt::format(R"(
name: planar
bodies:
  a: {{mass: 1, inertia: [1, 1, 1], geometry: [{}]}}
  b: {{mass: 1, inertia: [1, 1, 1], geometry: [{}]}}
joints:
  ja: {{type: {}, parent: world, child: a}}
  jb: {{type: {}, parent: world, child: b}}
)",
                                       a, b, joint, joint);
  tactus::describe::Model model = tactus::describe::load_text(text, "planar.yaml");
  let_touch(model, 1, 2);
  return model;
}

struct PlanarScene {
  tactus::describe::Model model;
  Scene scene;
  std::vector<double> poses;

  PlanarScene(const std::string& a, const std::string& b, bool hollow_a = false)
      : model(made(a, b, hollow_a)), scene(model), poses(36) {
    write_pose({}, poses.data());
  }
  std::span<const Proximity> near(const Posed& X_a, const Posed& X_b, double margin) {
    write_pose(X_a, poses.data() + 12);
    write_pose(X_b, poses.data() + 24);
    scene.update(poses);
    return scene.near(margin);
  }
  static tactus::describe::Model made(const std::string& a, const std::string& b, bool hollow_a) {
    tactus::describe::Model model = planar_model(a, b);
    model.bodies[1].geometry[0].hollow = hollow_a;
    return model;
  }
};

Posed at(double x, double y, double angle) {
  return {rotation_z(std::cos(angle), std::sin(angle)), {x, y, 0.0}};
}

const std::string kBox = "{shape: box, size: [0.4, 0.2, 0.1]}";
const std::string kDisk = "{shape: cylinder, radius: 0.1, length: 0.05}";
/// The floor y <= 0.
const std::string kFloor = "{shape: plane, size: [1, 1], placement: {rpy: [-90 deg, 0, 0]}}";
const std::string kCapsule = "{shape: capsule, radius: 0.05, length: 0.3, placement: {rpy: [0, 90 deg, 0]}}";

TEST(Planar, ABoxOnTheFloorStandsOnTwoCorners) {
  PlanarScene scene(kFloor, kBox);
  const auto found = scene.near({}, at(0.3, 0.1, 0.0), 0.01);
  ASSERT_EQ(found.size(), 2u);
  for (const Proximity& p : found) {
    EXPECT_EQ(p.kind, FeaturePair::plane_point);
    EXPECT_NEAR(p.gap, 0.0, kRounding);
    EXPECT_EQ(p.point.z, 0.0);
    EXPECT_NEAR(p.normal.y, 1.0, kRounding);
  }
}

TEST(Planar, ADiskTouchesTheFloorAtOnePoint) {
  PlanarScene scene(kFloor, kDisk);
  const auto found = scene.near({}, at(0.3, 0.105, 0.7), 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FeaturePair::plane_point);
  EXPECT_EQ(found[0].b.radius, 0.1);
  EXPECT_NEAR(found[0].gap, 0.005, kRounding);
}

TEST(Planar, DisksTouchEachOtherAtOnePoint) {
  PlanarScene scene(kDisk, kDisk);
  const auto found = scene.near({}, at(0.12, 0.16, 0.7), 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FeaturePair::point_point);
  EXPECT_NEAR(found[0].gap, 0.0, kRounding);
  EXPECT_NEAR(from_1_to_2(found[0]).y, 0.8, kRounding);
}

TEST(Planar, AStackedBoxHasTwoContacts) {
  PlanarScene scene(kBox, kBox);
  for (const double shift : {0.0, 0.1, -0.3}) {
    const auto found = scene.near({}, at(shift, 0.2, 0.0), 0.01);
    ASSERT_EQ(found.size(), 2u) << shift;
    for (const Proximity& p : found) {
      EXPECT_NEAR(p.gap, 0.0, kRounding);
      EXPECT_NEAR(from_1_to_2(p).y, 1.0, kRounding);
    }
    EXPECT_NEAR(std::abs(found[0].point.x - found[1].point.x), 0.4 - std::abs(shift), 1e-9);
  }
}

TEST(Planar, ADiskInAHollowOneTouchesTheInside) {
  PlanarScene scene("{shape: cylinder, radius: 1, length: 0.05}", kDisk, true);
  const auto found = scene.near({}, at(0.0, -0.895, 0.0), 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 0.005, kRounding);
  EXPECT_NEAR(found[0].normal.y, 1.0, kRounding);
}

TEST(Planar, GapsAreThoseInSpace) {
  const std::vector<std::string> shapes{kBox, kDisk, kCapsule};
  Random random(21);
  for (const std::string& a : shapes) {
    for (const std::string& b : shapes) {
      PlanarScene planar(a, b);
      TwoShapes space(a, b);
      for (int trial = 0; trial < 300; ++trial) {
        const Posed X_a = at(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-3, 3));
        const Posed X_b = at(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-3, 3));
        const auto found = planar.near(X_a, X_b, 1.0);
        ASSERT_FALSE(found.empty());
        EXPECT_LE(found.size(), 4u);
        for (const Proximity& p : found) {
          EXPECT_EQ(p.point.z, 0.0);
          EXPECT_EQ(p.normal.z, 0.0);
        }
        // In space a deep overlap may be shorter to leave across the plane.
        const double gap = deepest(space.near(X_a, X_b, 1.0)).gap;
        if (gap > -0.02) {
          EXPECT_NEAR(deepest(found).gap, gap, 1e-8) << a << b << trial;
        }
      }
    }
  }
}

TEST(Planar, ShapesAtDifferentHeightsNeverTouch) {
  PlanarScene scene(kBox, "{shape: box, size: [0.4, 0.2, 0.1], placement: {xyz: [0, 0, 0.2]}}");
  EXPECT_TRUE(scene.near({}, {}, 0.01).empty());
}

TEST(Planar, TheContactIsInTheMiddleOfTheThicknessTheyShare) {
  PlanarScene scene(kBox, "{shape: box, size: [0.4, 0.2, 0.3], placement: {xyz: [0, 0, 0.16]}}");
  for (const Proximity& p : scene.near({}, at(0.0, 0.2, 0.0), 0.01)) EXPECT_NEAR(p.point.z, 0.03, kRounding);
}

TEST(Planar, OnlyWhereBothBodiesStayInThePlane) {
  tactus::describe::Model model = planar_model(kFloor, kBox, "free");
  Scene scene(model);
  std::vector<double> poses(36);
  write_pose({}, poses.data());
  write_pose({}, poses.data() + 12);
  write_pose(at(0.3, 0.1, 0.0), poses.data() + 24);
  scene.update(poses);
  EXPECT_EQ(scene.near(0.01).size(), 4u);
}

TEST(Planar, AJointThatTurnsAndSlidesAlongItsAxisLeavesThePlane) {
  tactus::describe::Model model = planar_model(kFloor, kBox, "cylindrical");
  Scene scene(model);
  std::vector<double> poses(36);
  write_pose({}, poses.data());
  write_pose({}, poses.data() + 12);
  Posed above = at(0.3, 0.1, 0.0);
  above.p.z = 0.7;  // beside the plane, where only the shapes themselves are
  write_pose(above, poses.data() + 24);
  scene.update(poses);
  EXPECT_EQ(scene.near(0.01).size(), 4u);
}

TEST(Planar, IsFoundFromRevoluteAndPrismaticJoints) {
  // A chain of two links in the plane y = 0, and a sliding block.
  tactus::describe::Model model = tactus::describe::load_text(R"(
name: chain
bodies:
  upper: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: box, size: [0.2, 0.05, 0.02]}]}
  lower: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: box, size: [0.2, 0.05, 0.02]}]}
  block: {mass: 1, inertia: [1, 1, 1], geometry: [{shape: box, size: [0.1, 0.1, 0.1]}]}
joints:
  shoulder: {type: revolute, parent: world, child: upper, axis: y}
  elbow: {type: revolute, parent: upper, child: lower, axis: y, placement: {xyz: [0.2, 0, 0]}}
  slide: {type: prismatic, parent: world, child: block, axis: x}
)",
                                                              "chain.yaml");
  let_touch(model, 2, 3);
  Scene scene(model);
  std::vector<double> poses(48);
  for (int body = 0; body < 4; ++body) write_pose({}, poses.data() + 12 * body);
  poses[24 + 11] = 0.06;  // the lower link on the block
  scene.update(poses);
  EXPECT_EQ(scene.near(0.01).size(), 2u);
}

}  // namespace
