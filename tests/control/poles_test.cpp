// Pole placement and its robustness, against the exact values behind [Clover1996, III].
#include <tactus/control/arm/poles.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

/// Table I of chapter III: the point of Table VII of chapter II, whose angles have more digits than printed.
LinearPoint table_i() {
  const describe::Model model = describe::load(support::source_dir() + "/models/puma560.yaml");
  generate::Evaluator linear(generate::compile(derive::Equations(model).linear_model()));
  const double q[] = {2.44, 4.901836, 1.059789, 1.604163, 5.804762, 4.49},
               qd[] = {-10, -10, -10, 10, 10, -10}, qdd[] = {-100, -100, -100, -100, 100, 100};
  for (std::size_t i = 0; i < 6; ++i) {
    linear.input("q")[i] = q[i];
    linear.input("u")[i] = qd[i];
    linear.input("udot")[i] = qdd[i];
  }
  linear.run();
  using Rows = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  const auto matrix = [&](const char* name) -> Matrix {
    return Eigen::Map<const Rows>(linear.output(name).data());
  };
  return {matrix("M"), matrix("C"), matrix("K")};
}

std::vector<PolePair> at(double p) { return std::vector<PolePair>(6, PolePair::complex(-p, p)); }

TEST(Poles, ArePlacedWhereTheyAreWanted) {
  const LinearPoint point = table_i();
  for (const double p : {4.5, 15.0, 45.0})
    for (const Complex& pole : closed_loop_poles(point, pole_gains(point, at(p)))) {
      // Six times the same: rounding enters by its sixth root.
      EXPECT_NEAR(pole.real(), -p, 0.01 * p);
      EXPECT_NEAR(std::abs(pole.imag()), p, 0.01 * p);
    }
  // Different ones are exact.
  std::vector<PolePair> poles;
  for (int i = 0; i < 6; ++i) poles.push_back(PolePair::complex(-3.0 - i, 10.0 + 2.0 * i));
  const std::vector<Complex> found = closed_loop_poles(point, pole_gains(point, poles));
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(found[static_cast<std::size_t>(2 * (5 - i))].real(), -3.0 - i, 1e-9);
    EXPECT_NEAR(std::abs(found[static_cast<std::size_t>(2 * (5 - i))].imag()), 10.0 + 2.0 * i, 1e-9);
  }
}

TEST(Poles, OfComputedTorqueAreThoseOfTableII) {
  const LinearPoint point = table_i();
  const std::vector<std::pair<double, std::vector<Complex>>> printed{{45.0,
                                                                      {{-47.25, 45.11},
                                                                       {-46.19, 43.83},
                                                                       {-46.02, 43.97},
                                                                       {-45.56, 44.43},
                                                                       {-45.42, 44.47},
                                                                       {-44.68, 43.03}}},
                                                                     {15.0,
                                                                      {{-17.70, 15.48},
                                                                       {-16.16, 13.86},
                                                                       {-16.05, 13.97},
                                                                       {-15.56, 14.42},
                                                                       {-15.05, 14.10},
                                                                       {-14.60, 12.98}}},
                                                                     {4.5,
                                                                      {{-8.80, 0.0},
                                                                       {-7.70, 6.63},
                                                                       {-5.63, 3.75},
                                                                       {-5.58, 3.19},
                                                                       {-5.06, 3.86},
                                                                       {-3.25, 4.22},
                                                                       {-1.00, 0.0}}}};
  constexpr double kPrinted = 0.0051;  // two decimals
  for (const auto& [p, roots] : printed) {
    std::vector<Complex> found;
    for (const Complex& pole : closed_loop_poles(point, pole_gains(point, {0.0, 0.0, 1.0}, at(p))))
      if (pole.imag() >= 0.0) found.push_back(pole);
    ASSERT_EQ(found.size(), roots.size()) << p;
    for (std::size_t i = 0; i < roots.size(); ++i)
      EXPECT_LT(std::abs(found[i] - roots[i]), std::numbers::sqrt2 * kPrinted) << p << " " << i;
  }
}

TEST(Poles, StayStableWithinTheExactLimits) {
  const LinearPoint point = table_i();
  const auto limit = [&](double ModelErrors::*which, double p, double far, double h = 0.0) {
    return stability_limit(
        [&](double error) {
          ModelErrors errors;
          errors.*which = error;
          return closed_loop_poles(point, pole_gains(point, errors, at(p), h), h);
        },
        1.0, far);
  };
  // Closed forms by the real eigenvalues of M^-1 K and M^-1 C: 1 - 2 p^2/30.958543, 1 + 2 p^2/25.7733, 1 + 2 p/2.373712.
  for (const double p : {4.5, 45.0}) {
    EXPECT_NEAR(*limit(&ModelErrors::alpha, p, -200.0), 1.0 - 2.0 * p * p / 30.958543, 2e-4 * p);
    EXPECT_NEAR(*limit(&ModelErrors::alpha, p, 200.0), 1.0 + 2.0 * p * p / 25.7733, 2e-4 * p);
    EXPECT_NEAR(*limit(&ModelErrors::beta, p, 60.0), 1.0 + 2.0 * p / 2.373712, 1e-5);
    EXPECT_FALSE(limit(&ModelErrors::beta, p, -1000.0));
    EXPECT_FALSE(limit(&ModelErrors::gamma, p, 100.0));
  }
  // Sampled at 200 Hz, exactly; the thesis read 4.55 from a grid.
  EXPECT_NEAR(*limit(&ModelErrors::gamma, 45.0, 10.0, 0.005), 4.522845, 1e-6);
  EXPECT_NEAR(*limit(&ModelErrors::gamma, 45.0, 0.0, 0.005), 0.000973, 1e-6);
}

TEST(Poles, OfASampledLoopTendToTheContinuousOnes) {
  const PolePair pair = PolePair::complex(-12.0, 45.0), two = PolePair::real(-3.0, -20.0);
  EXPECT_NEAR(pair.sampled(0.002).sum, 2.0 * std::exp(-0.024) * std::cos(0.09), 1e-15);
  EXPECT_NEAR(two.sampled(0.01).sum, std::exp(-0.03) + std::exp(-0.2), 1e-15);
  EXPECT_NEAR(two.sampled(0.01).product, std::exp(-0.23), 1e-15);
  const LinearPoint point = table_i();
  const PoleGains continuous = pole_gains(point, at(15.0)), sampled = pole_gains(point, at(15.0), 1e-6);
  EXPECT_LT((continuous.position - sampled.position).norm(), 1e-3 * continuous.position.norm());
  EXPECT_LT((continuous.velocity - sampled.velocity).norm(), 1e-3 * continuous.velocity.norm());
}

TEST(Poles, ThatAreNotStableAreRefused) {
  const LinearPoint point = table_i();
  EXPECT_THROW(pole_gains(point, std::vector<PolePair>(6, PolePair::complex(1.0, 3.0))), InputError);
  EXPECT_THROW(pole_gains(point, std::vector<PolePair>(5, PolePair::complex(-1.0, 3.0))), InputError);
  EXPECT_THROW(pole_gains(point, at(4.5), std::nan("")), InputError);
}

TEST(Poles, OfARootLocusAreFollowed) {
  const LinearPoint point = table_i();
  const RootLocus locus = root_locus(
      [&](double alpha) {
        return closed_loop_poles(point, pole_gains(point, ModelErrors{alpha, 1.0, 1.0}, at(4.5)));
      },
      -3.0, 3.0, 600);
  ASSERT_EQ(locus.poles.size(), 601u);
  double jump = 0.0;
  for (std::size_t k = 1; k < locus.poles.size(); ++k)
    for (std::size_t i = 0; i < locus.poles[k].size(); ++i)
      jump = support::larger(jump, std::abs(locus.poles[k][i] - locus.poles[k - 1][i]));
  EXPECT_LT(jump, 1.5);  // [1/s] where two meet they part at right angles, as the root of the error
}

}  // namespace
}  // namespace tactus::control
