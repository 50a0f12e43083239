// The decomposition that generated controllers carry with them, against Eigen's and against what it must be.
#include <tactus/control/arm/rank_svd.h>

#include <gtest/gtest.h>

#include <random>

#include <tactus/math/decompositions.h>

#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::control {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of the largest singular value: rounding of some hundred operations.
constexpr double kRounding = 1e-14;

/// Tall and wide, some with columns that depend on each other, some with a row of zeros, some tiny.
MatrixXd matrix(std::mt19937& random, int k) {
  std::normal_distribution<double> normal;
  MatrixXd a(1 + static_cast<int>(random() % 7), 1 + static_cast<int>(random() % 7));
  for (double& x : a.reshaped()) x = normal(random);
  if (k % 3 == 0 && a.cols() > 1) a.col(a.cols() - 1) = 2.0 * a.col(0);
  if (k % 5 == 0 && a.rows() > 1) a.row(0).setZero();
  if (k % 7 == 0) a *= 1e-60;
  return a;
}

TEST(RankSvd, IsTheDecompositionThatEigenFinds) {
  std::mt19937 random(3);
  double values = 0.0, product = 0.0, apart = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const MatrixXd a = matrix(random, k);
    const Eigen::JacobiSVD<MatrixXd> theirs(a);
    const double size = theirs.singularValues()[0];
    RankSvd ours(a.rows(), a.cols());
    ours.compute(a);
    values = support::larger(values, (ours.singularValues() - theirs.singularValues()).norm() / size);
    product = support::larger(
        product,
        (ours.matrixU() * ours.singularValues().asDiagonal() * ours.matrixV().transpose() - a).norm() / size);
    for (Eigen::Index i = 0; i < ours.singularValues().size(); ++i) {
      if (i > 0) {
        EXPECT_LE(ours.singularValues()[i], ours.singularValues()[i - 1]);
      }
      // Directions of values that are there are orthogonal.
      for (Eigen::Index j = 0; j <= i; ++j) {
        if (!(ours.singularValues()[i] > 1e-9 * size)) continue;
        for (const MatrixXd* m : {&ours.matrixU(), &ours.matrixV()})
          apart = support::larger(apart, std::abs(m->col(i).dot(m->col(j)) - (i == j ? 1.0 : 0.0)));
      }
    }
  }
  EXPECT_LT(values, kRounding);
  EXPECT_LT(product, kRounding);
  EXPECT_LT(apart, kRounding);
}

TEST(RankSvd, GivesTheLeastOfTheLeastSquares) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 500; ++k) {
    const MatrixXd a = matrix(random, k);
    VectorXd r(a.rows());
    for (double& x : r) x = normal(random);
    Eigen::JacobiSVD<MatrixXd> theirs(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const double size = theirs.singularValues()[0];
    theirs.setThreshold(1e-9);
    const VectorXd wanted = theirs.solve(r);
    RankSvd ours(a.rows(), a.cols());
    ours.compute(a);
    VectorXd x = VectorXd::Zero(a.cols());
    ours.add_solution(r, 1e-9 * size, x);
    const double least = ours.singularValues()[theirs.rank() - 1];
    EXPECT_LT((x - wanted).norm(), 100.0 * kRounding * (size / least) * (size / least) / size * r.norm());
  }
}

TEST(RankSvd, TakesOutWhatLiesAlongItsDirections) {
  const MatrixXd a = MatrixXd::Random(2, 5);
  MatrixXd b = MatrixXd::Random(3, 5);
  RankSvd svd(2, 5);
  svd.compute(a);
  svd.take_out(0.0, b);
  EXPECT_LT((b * a.transpose()).norm(), kRounding * 10.0);
}

TEST(RankSvd, TakesZerosAndNoMemory) {
  MatrixXd a = MatrixXd::Zero(3, 2);
  RankSvd svd(3, 2);
  VectorXd x = VectorXd::Zero(2);
  const VectorXd r = VectorXd::Ones(3);
  const long before = test::allocation_count();
  svd.compute(a);
  svd.add_solution(r, 0.0, x);
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_EQ(svd.singularValues(), VectorXd::Zero(2));
  EXPECT_EQ(x, VectorXd::Zero(2));
}

}  // namespace
}  // namespace tactus::control
