// Inverse kinematics by iteration: open arms, redundant ones, closed loops; what cannot be reached is said.
#include <tactus/control/arm/numeric_ik.h>

#include <gtest/gtest.h>

#include <random>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/describe/read/load.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

constexpr double kMet = 1e-10;  // as the iteration asks for

describe::Model model_of(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

TEST(NumericIk, FindsTheBranchThatIsNear) {
  const describe::Model puma = model_of("puma560");
  std::string why;
  const std::optional<WristArm> arm = WristArm::of(puma, "tool", why);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  for (int k = 0; k < 50; ++k) {
    Joints wanted{0.3, -0.8, 1.1, 0.4, 0.9, -0.6};
    std::vector<double> start(6);
    for (std::size_t i = 0; i < 6; ++i) {
      wanted[i] += uniform(random);
      start[i] = wanted[i] + uniform(random);
    }
    const NumericIkResult found = numeric_ik(puma, "tool", arm->pose(wanted), start);
    ASSERT_TRUE(found.met) << k;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.q[i], wanted[i], 1e-8) << k;
  }
}

TEST(NumericIk, BringsWhatNothingFixesTowardsTheStart) {
  // Four links in a plane, the place of the tip only: two coordinates too many.
  const describe::Model chain = describe::load_text(
      "name: chain\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: "
      "1, inertia: [1, 1, 1]}, d: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n  q1: {type: revolute, parent: world, child: a, axis: z}\n  q2: {type: revolute, parent: a, "
      "child: b, axis: z, placement: {xyz: [0.3, 0, 0]}}\n"
      "  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [0.3, 0, 0]}}\n  q4: {type: "
      "revolute, parent: c, child: d, axis: z, placement: {xyz: [0.3, 0, 0]}}\n"
      "frames:\n  tip: {body: d, placement: {xyz: [0.3, 0, 0]}}\n",
      "chain.yaml");
  const std::vector<double> start{0.2, 0.4, -0.3, 0.5};
  NumericIkOptions place_only;
  place_only.orientation = false;
  const NumericIkResult found =
      numeric_ik(chain, "tip", {math::Mat3<double>::identity(), {0.7, 0.5, 0.0}}, start, place_only);
  ASSERT_TRUE(found.met);
  // Of all places it is the nearest: its gradient has no part along motions that leave the tip.
  std::array<double, 4> x{}, y{};  // columns of the tip's Jacobian
  double angle = 0.0, px = 0.0, py = 0.0;
  std::array<double, 4> jx{}, jy{};
  for (std::size_t i = 0; i < 4; ++i) {
    jx[i] = px;
    jy[i] = py;
    angle += found.q[i];
    px += 0.3 * std::cos(angle);
    py += 0.3 * std::sin(angle);
  }
  EXPECT_NEAR(px, 0.7, kMet);
  EXPECT_NEAR(py, 0.5, kMet);
  for (std::size_t i = 0; i < 4; ++i) {
    x[i] = -(py - jy[i]);
    y[i] = px - jx[i];
  }
  // q - start = a x + b y, by the normal equations.
  double xx = 0.0, xy = 0.0, yy = 0.0, xd = 0.0, yd = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double d = found.q[i] - start[i];
    xx += x[i] * x[i];
    xy += x[i] * y[i];
    yy += y[i] * y[i];
    xd += x[i] * d;
    yd += y[i] * d;
  }
  const double a = (xd * yy - yd * xy) / (xx * yy - xy * xy), b = (yd * xx - xd * xy) / (xx * yy - xy * xy);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.q[i] - start[i], a * x[i] + b * y[i], 1e-5);
}

TEST(NumericIk, StaysWithinTheLimits) {
  const describe::Model chain = describe::load_text(
      "name: chain\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: "
      "1, inertia: [1, 1, 1]}}\n"
      "joints:\n  q1: {type: revolute, parent: world, child: a, axis: z, limits: [-20 deg, 20 deg]}\n  q2: "
      "{type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.3, 0, 0]}}\n"
      "  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [0.3, 0, 0]}}\n"
      "frames:\n  tip: {body: c, placement: {xyz: [0.3, 0, 0]}}\n",
      "chain.yaml");
  NumericIkOptions options;
  options.orientation = false;
  const math::Pose<double> X{math::Mat3<double>::identity(), {0.2, 0.6, 0.0}};
  const NumericIkResult within = numeric_ik(chain, "tip", X, {0.0, 0.5, 0.5}, options);
  EXPECT_TRUE(within.met);
  EXPECT_LE(std::abs(within.q[0]), 20.0 * M_PI / 180.0 + 1e-12);
}

TEST(NumericIk, ClosesTheLoops) {
  for (const std::string name : {"four_bar", "stewart_platform", "pantograph"}) {
    const describe::Model model = model_of(name);
    ASSERT_FALSE(model.frames.empty()) << name;
    const auto mechanism = contact::open(model, {});
    const int port = mechanism->port(model.frames[0].name);
    if (port < 0) continue;
    // Where it is after a while of moving, seen from where it began.
    const std::vector<double> start = mechanism->state().q;
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(mechanism->step().ok());
    NumericIkOptions options;
    const math::Pose<double> X = mechanism->motion(port).X_WP;
    const NumericIkResult found = numeric_ik(model, model.frames[0].name, X, start, options);
    EXPECT_TRUE(found.met) << name << ": " << found.missed_way << " " << found.missed_turn << " "
                           << found.constraint_error;
    EXPECT_LT(found.constraint_error, kMet) << name;
  }
}

TEST(NumericIk, SaysHowFarIsTooFar) {
  const describe::Model puma = model_of("puma560");
  const NumericIkResult found = numeric_ik(puma, "tool", {math::Mat3<double>::identity(), {3.0, 0.0, 0.0}},
                                           {0.1, -0.5, 0.5, 0.1, 0.5, 0.1});
  EXPECT_FALSE(found.met);
  EXPECT_GT(found.missed_way, 1.5);  // the arm is some 0.9 m long
  for (const double x : found.q) EXPECT_TRUE(std::isfinite(x));
  EXPECT_THROW(numeric_ik(puma, "nothing", {}, std::vector<double>(6, 0.0)), InputError);
}

}  // namespace
}  // namespace tactus::control
