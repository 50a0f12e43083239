// What errors of the model do to laws: against the exact values behind [Clover1996, III], differences of the laws themselves, and the eigenvalue
// problems whose solutions the limits are.
#include <tactus/control/arm/robustness.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <unsupported/Eigen/KroneckerProduct>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

describe::Model puma() { return describe::load(support::source_dir() + "/models/puma560.yaml"); }

/// Chapter III, Table I.
const std::vector<double> kQ{2.44, 4.901836, 1.059789, 1.604163, 5.804762, 4.49},
    kQd{-10, -10, -10, 10, 10, -10}, kQdd{-100, -100, -100, -100, 100, 100};

constexpr ArmLaw kLaws[] = {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque,
                            ArmLaw::diagonal,       ArmLaw::gravity, ArmLaw::inverse_dynamics};

LawAnalysis of_puma(ArmLaw law, double p, double h) {
  LawAnalysis analysis(puma(), {law, {PolePair::complex(-p, p)}, h, true}, h);
  analysis.at(0.0, kQ, kQd, kQdd);
  return analysis;
}

TEST(Robustness, LimitsOfThePumaAreTheExactOnes) {
  const auto kinds = model_errors();
  const LawAnalysis slow = of_puma(ArmLaw::pole_placement, 4.5, 0.005),
                    fast = of_puma(ArmLaw::pole_placement, 45.0, 0.005);
  // 1 - 2 p^2/30.958543, 1 + 2 p^2/25.7733, 1 + 2 p/2.373712, by the eigenvalues of M^-1 K and M^-1 C.
  EXPECT_NEAR(*slow.range(kinds[0], false).lower, -0.308201, 1e-6);
  EXPECT_NEAR(*slow.range(kinds[0], false).upper, 2.571394, 1e-5);
  EXPECT_NEAR(*fast.range(kinds[0], false).lower, -129.8201, 1e-3);
  EXPECT_NEAR(*fast.range(kinds[0], false).upper, 158.1394, 1e-3);
  EXPECT_NEAR(*slow.range(kinds[1], false).upper, 4.791530, 1e-5);
  EXPECT_NEAR(*fast.range(kinds[1], false).upper, 38.915304, 1e-4);
  EXPECT_FALSE(fast.range(kinds[1], false).lower);
  EXPECT_FALSE(fast.range(kinds[2], false).upper);
  EXPECT_EQ(*fast.range(kinds[2], false).lower, 0.0);
  // Sampled at 200 and 500 Hz, by gains for a continuous loop and for a sampled one.
  EXPECT_NEAR(*fast.range(kinds[2], true).upper, 4.455, 1e-3);
  const LawAnalysis made = of_puma(ArmLaw::sampled, 45.0, 0.005);
  EXPECT_NEAR(*made.range(kinds[2], true).upper, 4.522845, 1e-6);
  EXPECT_NEAR(*made.range(kinds[2], true).lower, 0.000973, 1e-6);
  EXPECT_NEAR(*of_puma(ArmLaw::pole_placement, 45.0, 0.002).range(kinds[2], true).upper, 11.122, 1e-3);
  EXPECT_NEAR(*of_puma(ArmLaw::sampled, 45.0, 0.002).range(kinds[2], true).upper, 11.15, 5e-3);
}

TEST(Robustness, ALawIsKnownByItsOwnDerivative) {
  // Central differences of the forces that the controller gives, in angles and rates.
  const describe::Model model = puma();
  constexpr double kStep = 1e-5;
  for (const ArmLaw law : kLaws) {
    const ArmControl control{law, {PolePair::complex(-12.0, 45.0)}, 0.002, false};
    LawAnalysis analysis(model, control, 0.002);
    analysis.at(0.0, kQ, kQd, kQdd);
    const PoleGains gains = analysis.gains({});
    ArmController controller(model, control);
    std::vector<double> more(6), less(6);
    double apart = 0.0, size = 0.0;
    for (const bool rates : {false, true})
      for (std::size_t j = 0; j < 6; ++j) {
        std::vector<double> q = kQ, qd = kQd;
        double& moved = rates ? qd[j] : q[j];
        const double at = moved;
        moved = at + kStep;
        ASSERT_TRUE(controller.torque(0.0, q, qd, kQ, kQd, kQdd, more));
        moved = at - kStep;
        ASSERT_TRUE(controller.torque(0.0, q, qd, kQ, kQd, kQdd, less));
        for (std::size_t i = 0; i < 6; ++i) {
          const double slope = (more[i] - less[i]) / (2.0 * kStep);
          const Matrix& own = rates ? gains.velocity : gains.position;
          apart = support::larger(
              apart, std::abs(slope + own(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))));
          size = support::larger(size, std::abs(slope));
        }
      }
    EXPECT_LT(apart, 1e-7 * size) << name_of(law);  // differences of forces of 1e4 N m/rad, curved by 1e-10
    EXPECT_GT(size, 100.0) << name_of(law);
  }
}

/// Two joints with a skew axis, moving fast: nothing is symmetric or small.
LawAnalysis of_two_joints(ArmLaw law, double h) {
  const describe::Model model = describe::load_text(
      "name: arm\nbodies:\n  a: {mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
      "  b: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.01, 0.03, 0.03]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: y, damping: 0.1}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0]}}\n",
      "arm.yaml");
  LawAnalysis analysis(model, {law, {PolePair::complex(-6.0, 8.0)}, h, true}, h);
  analysis.at(0.0, std::vector<double>{0.3, 0.7}, std::vector<double>{5.0, -7.0},
              std::vector<double>{30.0, -20.0});
  return analysis;
}

Matrix loop_of(const LawAnalysis& analysis, const ModelError& kind, double factor, bool sampled) {
  ModelErrors errors;
  errors.*kind.factor = factor;
  const PoleGains gains = analysis.gains(errors);
  const auto n = static_cast<Eigen::Index>(analysis.joints());
  if (sampled) {
    const SampledArm arm = sampled_arm(analysis.arm(), analysis.period());
    Matrix all(n, 2 * n);
    all << gains.position, gains.velocity;
    return arm.F - arm.E * all;
  }
  Matrix A = Matrix::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  const Matrix inverse = analysis.arm().M.inverse();
  A.bottomLeftCorner(n, n) = -inverse * (analysis.arm().K + gains.position);
  A.bottomRightCorner(n, n) = -inverse * (analysis.arm().C + gains.velocity);
  return A;
}

/// The real numbers at which two roots s_i + s_j, or products z_i z_j, are 0 or 1: only there can the loop begin or cease to be stable. With
/// A(x) = A_0 + x A_1 they solve det(A(x) (+) A(x)) = 0, or det(A(x) (x) A(x) - I) = 0, which is quadratic in x.
std::vector<double> candidates(const LawAnalysis& analysis, const ModelError& kind, bool sampled) {
  const Matrix A0 = loop_of(analysis, kind, 0.0, sampled), A1 = loop_of(analysis, kind, 1.0, sampled) - A0;
  const Eigen::Index m = A0.rows(), N = m * m;
  const Matrix I = Matrix::Identity(m, m);
  const auto product = [](const Matrix& a, const Matrix& b) -> Matrix {
    return Eigen::kroneckerProduct(a, b);
  };
  Matrix P, Q;  // P y = x Q y
  if (!sampled) {
    P = product(A0, I) + product(I, A0);
    Q = -(product(A1, I) + product(I, A1));
  } else {
    P = Q = Matrix::Zero(2 * N, 2 * N);
    P.topRightCorner(N, N).setIdentity();
    P.bottomLeftCorner(N, N) = -(product(A0, A0) - Matrix::Identity(N, N));
    P.bottomRightCorner(N, N) = -(product(A0, A1) + product(A1, A0));
    Q.topLeftCorner(N, N).setIdentity();
    Q.bottomRightCorner(N, N) = product(A1, A1);
  }
  const Eigen::GeneralizedEigenSolver<Matrix> solver(P, Q, false);
  std::vector<double> real;
  for (Eigen::Index i = 0; i < P.rows(); ++i) {
    if (std::abs(solver.betas()[i]) < 1e-12) continue;
    const Complex x = solver.alphas()[i] / solver.betas()[i];
    if (std::abs(x.imag()) < 1e-6 * (1.0 + std::abs(x))) real.push_back(x.real());
  }
  return real;
}

TEST(Robustness, LimitsSolveTheEigenvalueProblemsOfTheBorder) {
  int limits = 0;
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::inverse_dynamics})
    for (const bool sampled : {false, true}) {
      const LawAnalysis analysis = of_two_joints(law, 0.01);
      for (const ModelError& kind : model_errors()) {
        const StabilityRange range = analysis.range(kind, sampled);
        ASSERT_TRUE(range.stable);
        const std::vector<double> all = candidates(analysis, kind, sampled);
        for (const auto& limit : {range.lower, range.upper}) {
          if (!limit || range.marginal) continue;
          double nearest = HUGE_VAL;
          for (const double x : all) nearest = std::min(nearest, std::abs(x - *limit));
          EXPECT_LT(nearest, 1e-5 * (1.0 + std::abs(*limit)))
              << name_of(law) << kind.name << sampled << *limit;
          ++limits;
        }
        // Within the range there is none at which stability is lost and won again unseen.
        for (const double x : all)
          if ((!range.lower || x > *range.lower + 1e-3) && (!range.upper || x < *range.upper - 1e-3) &&
              std::abs(x) < 1e3) {
            ModelErrors errors;
            errors.*kind.factor = x;
            EXPECT_LT(stability(analysis.poles(errors, sampled)), 1e-6) << kind.name << x;
          }
      }
    }
  EXPECT_GE(limits, 10);
}

TEST(Robustness, WhatALawDoesNotUseDoesNotMatter) {
  const auto kinds = model_errors();
  for (const ArmLaw law : {ArmLaw::computed_torque, ArmLaw::diagonal}) {
    const LawAnalysis analysis = of_puma(law, 15.0, 0.002);
    EXPECT_FALSE(analysis.range(kinds[0], false).matters);
    EXPECT_FALSE(analysis.range(kinds[1], true).matters);
    EXPECT_TRUE(analysis.range(kinds[2], true).matters);
  }
  // Slow poles do not hold an arm whose weight and speeds are not known: there is no range about it.
  const StabilityRange range = of_puma(ArmLaw::computed_torque, 0.5, 0.002).range(kinds[2], false);
  EXPECT_FALSE(range.stable);
  EXPECT_FALSE(range.lower || range.upper);
}

TEST(Robustness, WhatCannotBeAnalysedIsRefused) {
  const ArmControl control{ArmLaw::pole_placement, {PolePair::complex(-12.0, 45.0)}, 0.002, true};
  EXPECT_THROW(LawAnalysis(puma(), control, 0.0), InputError);
  EXPECT_THROW(LawAnalysis(puma(), control, std::nan("")), InputError);
  EXPECT_THROW(LawAnalysis(puma(), {ArmLaw::diagonal, {PolePair::complex(12.0, 45.0)}, 0.0, true}, 0.002),
               InputError);
  EXPECT_THROW(LawAnalysis(describe::load(support::source_dir() + "/models/four_bar.yaml"), control, 0.002),
               InputError);
  LawAnalysis analysis(puma(), control, 0.002);
  std::vector<double> q = kQ;
  q[1] = std::nan("");
  EXPECT_THROW(analysis.at(0.0, q, kQd, kQdd), InputError);
  // Nothing but a point has a mass: stretched, the two links cannot move it along themselves. Where they begin they are bent.
  const describe::Model light = describe::load_text(
      "name: light\nbodies:\n  a: {mass: 0}\n  b: {mass: 1, com: [0.2, 0, 0]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: y}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: y, placement: {xyz: [0.3, 0, 0]}}\n"
      "initial: {q: {q2: 1}}\n",
      "light.yaml");
  LawAnalysis singular(light, control, 0.002);
  const std::vector<double> none{0.0, 0.0};
  EXPECT_THROW(singular.at(0.0, none, none, none), InputError);
}

}  // namespace
}  // namespace tactus::control
