// Forces of few contacts that act along a step, from a matrix of answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <tactus/contact/mechanism/press_solver.h>

namespace tactus::contact {
namespace {

constexpr double kEnough = 1e-13;  // [m]

PressSolver without_friction(const Eigen::MatrixXd& R, const Eigen::VectorXd& e) {
  PressSolver solver(static_cast<std::size_t>(e.size()));
  solver.begin(static_cast<std::size_t>(e.size()));
  for (Eigen::Index i = 0; i < e.size(); ++i) {
    solver[static_cast<std::size_t>(i)] = {.rows = 1, .excess = {e[i], 0.0, 0.0}};
    for (Eigen::Index k = 0; k < e.size(); ++k)
      solver.answer(static_cast<std::size_t>(i), 0, static_cast<std::size_t>(k), 0) = R(i, k);
  }
  return solver;
}

TEST(PressSolver, BearsWhatComesInAndLetsGoWhatLeaves) {
  const Eigen::Matrix2d R = Eigen::Vector2d(2e-3, 1e-3).asDiagonal();
  PressSolver solver = without_friction(R, Eigen::Vector2d(-1e-3, 1e-4));
  solver[1].force[0] = 0.05;  // pulled off by more than this
  ASSERT_TRUE(solver.solve(kEnough));
  EXPECT_NEAR(solver[0].force[0], 0.5, 1e-12);
  EXPECT_EQ(solver[1].force[0], 0.0);
}

// A column between two hands: each of them alone would push it aside, further and further.
TEST(PressSolver, BearsWhatOnlyStandsUnderAllForces) {
  Eigen::Matrix2d R;
  R << -1e-3, 2e-3, 2e-3, -1e-3;
  PressSolver solver = without_friction(R, Eigen::Vector2d(-1e-3, -1e-3));
  ASSERT_TRUE(solver.solve(kEnough));
  EXPECT_NEAR(solver[0].force[0], 1.0, 1e-12);
  EXPECT_NEAR(solver[1].force[0], 1.0, 1e-12);
}

// A plate on four corners, whose rows depend on each other: heave, roll and pitch.
TEST(PressSolver, BearsAPlateOnFourCorners) {
  Eigen::Matrix<double, 4, 3> J;
  J << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1;
  const Eigen::Matrix4d R = 1e-3 * J * Eigen::Vector3d(1.0, 0.5, 0.3).asDiagonal() * J.transpose();
  for (const Eigen::Vector3d& way :
       {Eigen::Vector3d(-1e-3, 0, 0), Eigen::Vector3d(-1e-3, 3e-4, 2e-4), Eigen::Vector3d(-1e-3, 2e-3, 0)}) {
    const Eigen::Vector4d e = J * way;
    PressSolver solver = without_friction(R, e);
    ASSERT_TRUE(solver.solve(kEnough));
    Eigen::Vector4d f;
    for (std::size_t i = 0; i < 4; ++i) f[static_cast<Eigen::Index>(i)] = solver[i].force[0];
    const Eigen::Vector4d left = e + R * f;
    EXPECT_GE(f.minCoeff(), 0.0);
    EXPECT_GE(left.minCoeff(), -1e-12);
    EXPECT_LE(std::abs(left.dot(f)), 1e-12);
  }
}

TEST(PressSolver, RubsUpToItsLimitAgainstTheWay) {
  constexpr double kAnswer = 1e-3, kMu = 0.5;  // [m/N], [1]
  for (const double slip : {1e-4, 1e-3}) {     // [m] within the limit, beyond it
    PressSolver solver(1);
    solver.begin(1);
    solver[0] = {.rows = 3, .mu = kMu, .excess = {-1e-3, 0.6 * slip, -0.8 * slip}};
    for (std::size_t r = 0; r < 3; ++r) solver.answer(0, r, 0, r) = kAnswer;
    ASSERT_TRUE(solver.solve(kEnough));
    const double friction = std::min(slip / kAnswer, kMu * 1.0);
    EXPECT_NEAR(solver[0].force[0], 1.0, 1e-12);
    EXPECT_NEAR(solver[0].force[1], -0.6 * friction, 1e-12);
    EXPECT_NEAR(solver[0].force[2], 0.8 * friction, 1e-12);
  }
}

}  // namespace
}  // namespace tactus::contact
