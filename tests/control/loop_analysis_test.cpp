// What a law makes of an arm: its gains are those that the law itself has, and its limits those of the thesis' point.
#include <tactus/control/arm/loop_analysis.h>

#include <gtest/gtest.h>

#include <cmath>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using support::larger;

describe::Model puma() { return describe::load(support::source_dir() + "/models/puma560.yaml"); }

constexpr ArmLaw kLaws[] = {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque,
                            ArmLaw::diagonal,       ArmLaw::gravity, ArmLaw::inverse_dynamics};

/// In motion, every joint at its own pace.
MotionPoint point() {
  return {0.3,
          {0.4, -0.7, 0.9, 0.3, 0.8, -0.2},
          {0.5, -0.4, 0.7, 0.9, -0.6, 1.1},
          {1.0, 2.0, -1.5, 0.7, 3.0, -2.0}};
}

// The law itself, its joints moved a little to either side: differences of fourth order of smooth functions, by a step of 1e-3, are right
// to some 1e-9 of the largest.
TEST(LoopAnalysis, GainsAreThoseThatTheLawItselfHas) {
  constexpr double kStep = 1e-3, kRight = 1e-7, kPeriod = 2e-3;
  const describe::Model model = puma();
  LinearArm arm(model);
  const MotionPoint at = point();
  const std::vector<PolePair> poles(6, PolePair::complex(-12.0, 45.0));
  for (const ArmLaw law : kLaws) {
    const LawLoop loop{arm.at(at), arm.known_to(law, at), law, poles, kPeriod};
    const PoleGains gains = loop.gains();
    ArmController controller(model, {.law = law, .poles = poles, .period = kPeriod, .limits = false});
    for (const bool rates : {false, true}) {
      const Matrix& G = rates ? gains.velocity : gains.position;
      double worst = 0.0;
      for (std::size_t j = 0; j < 6; ++j) {
        std::array<double, 6> slope{};
        for (const auto& [away, weight] : {std::pair{-2.0, 1.0 / 12.0}, std::pair{-1.0, -8.0 / 12.0},
                                           std::pair{1.0, 8.0 / 12.0}, std::pair{2.0, -1.0 / 12.0}}) {
          std::vector<double> q = at.q, qd = at.qd;
          (rates ? qd : q)[j] += away * kStep;
          std::array<double, 6> tau{};
          ASSERT_TRUE(controller.torque(at.t, q, qd, at.q, at.qd, at.qdd, tau));
          for (std::size_t i = 0; i < 6; ++i) slope[i] += weight * tau[i] / kStep;
        }
        for (std::size_t i = 0; i < 6; ++i)
          worst = larger(worst,
                         std::abs(slope[i] + G(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))));
      }
      EXPECT_LT(worst, kRight * G.cwiseAbs().maxCoeff()) << name_of(law) << (rates ? " rates" : " positions");
    }
  }
}

TEST(LoopAnalysis, ARightModelPutsThePolesWhereTheyAreWanted) {
  LinearArm arm(puma());
  const MotionPoint at = point();
  const LawLoop loop{arm.at(at), arm.known_to(ArmLaw::pole_placement, at), ArmLaw::pole_placement,
                     std::vector<PolePair>(6, PolePair::complex(-12.0, 45.0)), 1e-3};
  // Six equal pairs: an eigenvalue of multiplicity six is right to a sixth root at worst.
  constexpr double kDouble = 1e-2;
  for (const Complex& pole : loop.closed(false)) {
    EXPECT_NEAR(pole.real(), -12.0, kDouble);
    EXPECT_NEAR(std::abs(pole.imag()), 45.0, kDouble);
  }
}

// A law for half of the arm is a law with alpha = beta = gamma = 1/2.
TEST(LoopAnalysis, ALawThatKnowsAnotherArmHasThatError) {
  LinearArm arm(puma());
  const MotionPoint at = point();
  const LinearPoint all = arm.at(at);
  const std::vector<PolePair> poles(6, PolePair::complex(-20.0, 20.0));
  const LawLoop half{all, {0.5 * all.M, 0.5 * all.C, 0.5 * all.K}, ArmLaw::pole_placement, poles, 1e-3};
  const LawLoop wrong{all, all, ArmLaw::pole_placement, poles, 1e-3};
  const auto a = half.closed(true), b = wrong.closed(true, {0.5, 0.5, 0.5});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-6 * std::abs(b[i]));
}

// One joint of mass 1 kg m^2 with K and C: gains -K' + P, -C' - S of the law; closed forms say where s^2 + (C + G_2) s + K + G_1 has a root
// on the axis. alpha: K - alpha K + P > 0; beta: C - beta C - S > 0; gamma: none, continuous.
TEST(LoopAnalysis, LimitsAreThoseOfTheClosedForm) {
  const auto one = [](double x) { return Matrix::Constant(1, 1, x); };
  for (const double K : {3.0, -7.0}) {
    const LinearPoint arm{one(1.0), one(2.0), one(K)};
    const LawLoop loop{arm, arm, ArmLaw::pole_placement, {PolePair::complex(-4.0, 3.0)}, 1e-3};
    const ErrorLocus alpha = error_locus(loop, ErrorKind::alpha, false);
    const double limit = 1.0 + 25.0 / K;
    ASSERT_TRUE(alpha.stable);
    ASSERT_EQ(alpha.upper.has_value(), K > 0.0);
    ASSERT_EQ(alpha.lower.has_value(), K < 0.0);
    EXPECT_NEAR(K > 0.0 ? *alpha.upper : *alpha.lower, limit, 1e-9);
    EXPECT_LE(alpha.locus.error.front(), 1.0);
    EXPECT_GE(alpha.locus.error.back(), 1.0);
    const ErrorLocus beta = error_locus(loop, ErrorKind::beta, false);
    ASSERT_TRUE(beta.upper);
    EXPECT_NEAR(*beta.upper, 1.0 + 8.0 / 2.0, 1e-9);
    EXPECT_FALSE(beta.lower);
    EXPECT_FALSE(error_locus(loop, ErrorKind::gamma, false).upper) << K;
  }
  // Sampled, a gain that is too large is not stable: sought far beyond the first range.
  const LinearPoint arm{one(1.0), one(0.0), one(0.0)};
  const LawLoop loop{arm, arm, ArmLaw::computed_torque, {PolePair::complex(-4.0, 3.0)}, 0.01};
  const ErrorLocus gamma = error_locus(loop, ErrorKind::gamma, true);
  ASSERT_TRUE(gamma.upper);
  // z^2 + (g P h^2/2 + g D h - 2) z + 1 + g P h^2/2 - g D h with D = 8, P = 25: z = -1 where 4 = 2 g D h.
  EXPECT_NEAR(*gamma.upper, 2.0 / (8.0 * 0.01), 1e-9);
}

TEST(LoopAnalysis, ALoopThatIsNotStableHasNoLimits) {
  const auto one = [](double x) { return Matrix::Constant(1, 1, x); };
  const LinearPoint arm{one(1.0), one(0.0), one(0.0)};
  const LawLoop fast{arm, arm, ArmLaw::computed_torque, {PolePair::complex(-900.0, 0.0)}, 0.01};
  const ErrorLocus gamma = error_locus(fast, ErrorKind::gamma, true);
  EXPECT_FALSE(gamma.stable);
  EXPECT_FALSE(gamma.lower || gamma.upper);
}

TEST(LoopAnalysis, OnlyErrorsOfWhatALawHasCount) {
  EXPECT_TRUE(is_used(ArmLaw::pole_placement, ErrorKind::beta));
  EXPECT_FALSE(is_used(ArmLaw::computed_torque, ErrorKind::alpha));
  EXPECT_TRUE(is_used(ArmLaw::gravity, ErrorKind::alpha));
  EXPECT_FALSE(is_used(ArmLaw::gravity, ErrorKind::beta));
  LinearArm arm(puma());
  const MotionPoint at = point();
  for (const ArmLaw law : kLaws) {
    const LawLoop loop{arm.at(at), arm.known_to(law, at), law,
                       std::vector<PolePair>(6, PolePair::complex(-12.0, 45.0)), 1e-3};
    for (const ErrorKind kind : {ErrorKind::alpha, ErrorKind::beta, ErrorKind::gamma}) {
      ModelErrors errors;
      (kind == ErrorKind::alpha ? errors.alpha : kind == ErrorKind::beta ? errors.beta : errors.gamma) = 1.1;
      const PoleGains right = loop.gains(), wrong = loop.gains(errors);
      const bool moved = right.position != wrong.position || right.velocity != wrong.velocity;
      EXPECT_EQ(moved, is_used(law, kind)) << name_of(law) << " " << name_of(kind);
    }
  }
}

TEST(LoopAnalysis, ConstrainedMechanismsAndPointsOfOtherArmsAreRefused) {
  EXPECT_THROW(LinearArm(describe::load(support::source_dir() + "/models/four_bar.yaml")), InputError);
  LinearArm arm(puma());
  EXPECT_THROW(arm.at({0.0, {1.0}, {0.0}, {0.0}}), InputError);
}

}  // namespace
}  // namespace tactus::control
