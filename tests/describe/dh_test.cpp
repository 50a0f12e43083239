// DH tables against their textbook matrices, written out here element by element.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tactus/describe/read/load.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {
namespace {

using Pose3 = math::Pose<double>;

/// Products of a few sines and cosines of order one.
constexpr double kRounding = 1e-14;

struct Row {
  double alpha, a, d, theta;
};

/// T = RotZ(theta) TransZ(d) TransX(a) RotX(alpha), as printed by Denavit and Hartenberg.
Pose3 standard(const Row& r) {
  const double ct = std::cos(r.theta), st = std::sin(r.theta), ca = std::cos(r.alpha), sa = std::sin(r.alpha);
  Pose3 T;
  T.R.m = {{{ct, -st * ca, st * sa}, {st, ct * ca, -ct * sa}, {0.0, sa, ca}}};
  T.p = {r.a * ct, r.a * st, r.d};
  return T;
}

/// T = RotX(alpha) TransX(a) RotZ(theta) TransZ(d), as printed by Craig.
Pose3 modified(const Row& r) {
  const double ct = std::cos(r.theta), st = std::sin(r.theta), ca = std::cos(r.alpha), sa = std::sin(r.alpha);
  Pose3 T;
  T.R.m = {{{ct, -st, 0.0}, {st * ca, ct * ca, -sa}, {st * sa, ct * sa, ca}}};
  T.p = {r.a, -sa * r.d, ca * r.d};
  return T;
}

/// The child's pose on the parent at joint coordinate q, as the model says it.
Pose3 pose(const Model& model, const Joint& joint, double q) {
  const auto numbers = [&](const Pose& X) {
    Pose3 Y;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) Y.R(i, j) = value_of(model, X.R(i, j));
      Y.p[i] = value_of(model, X.p[i]);
    }
    return Y;
  };
  Pose3 X_JF;
  if (joint.type == JointType::revolute) {
    X_JF.R = math::rotation_z(std::cos(q), std::sin(q));
  } else {
    X_JF.p = {0.0, 0.0, q};
  }
  return numbers(joint.X_PJ) * X_JF * numbers(joint.X_FB);
}

void compare(bool is_modified, bool slides) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> between(-2.0, 2.0);
  for (int trial = 0; trial < 20; ++trial) {
    const Row row{between(random), between(random), between(random), between(random)};
    const Model model =
        load_text(fmt::format("name: x\ndh:\n  convention: {}\n  links:\n    - {{type: {}, alpha: {:.17g}, "
                              "a: {:.17g}, d: {:.17g}, "
                              "theta: {:.17g}, mass: 1, inertia: [1, 1, 1]}}\n",
                              is_modified ? "modified" : "standard", slides ? "prismatic" : "revolute",
                              row.alpha, row.a, row.d, row.theta),
                  "dh.yaml");
    const double q = between(random);
    Row moved = row;
    (slides ? moved.d : moved.theta) += q;
    const Pose3 expected = is_modified ? modified(moved) : standard(moved);
    const Pose3 found = pose(model, model.joints[0], q);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.p[i], expected.p[i], kRounding);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found.R(i, j), expected.R(i, j), kRounding);
    }
  }
}

TEST(Dh, StandardRevolute) { compare(false, false); }
TEST(Dh, StandardPrismatic) { compare(false, true); }
TEST(Dh, ModifiedRevolute) { compare(true, false); }
TEST(Dh, ModifiedPrismatic) { compare(true, true); }

TEST(Dh, AChainMayStandOnABodyAndIsNumberedByDefault) {
  const Model model = load_text(R"(
name: x
bodies: {cart: {mass: 3}}
joints: {rail: {type: prismatic, parent: world, child: cart}}
dh:
  convention: standard
  base: cart
  links:
    - {a: 1, mass: 1, inertia: [1, 1, 1]}
    - {a: 1, mass: 1, inertia: [1, 1, 1]}
)",
                                "dh.yaml");
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"rail", "joint_1", "joint_2"}));
  EXPECT_EQ(model.bodies[3].name, "link_2");
}

}  // namespace
}  // namespace tactus::describe
