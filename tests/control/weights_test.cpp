// Weights of forces and torques, against closed forms, scans, and the same mechanism in other units.
#include <tactus/control/arm/weights.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/projected.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

std::string sliding_arm() { return support::source_dir() + "/models/sliding_arm.yaml"; }

/// With lengths in another unit, of which a metre has so many; masses and times stay.
describe::Model in_units(double metre) {
  const auto number = [&](double value) { return fmt::format("{}", value * metre); };
  return describe::load(
      sliding_arm(), {{"l1", number(0.4)}, {"l2", number(0.3)}, {"rise", number(0.1)}, {"g", number(9.81)}});
}

TEST(Weights, OfOneSlideAndOneTurnHaveTheLengthOfTheirInertias) {
  // Equal diagonals: M_W has the eigenvalues J (1 +- c), c = m12/sqrt(m J).
  const double m = 5.0, J = 0.2, coupled = 0.4, c = coupled / std::sqrt(m * J);
  const std::array<double, 4> M{m, coupled, coupled, J};
  const CharacteristicLength found = characteristic_length(M, {true, false});
  EXPECT_NEAR(found.length, std::sqrt(J / m), 1e-14);
  EXPECT_NEAR(found.condition, (1.0 + c) / (1.0 - c), 1e-13);
}

TEST(Weights, HaveTheLeastConditionOfAllLengths) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::Index n = 2 + trial % 5;
    const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    const Eigen::MatrixXd M = B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    std::vector<bool> slides(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < slides.size(); ++i)
      slides[i] = i < 1 + static_cast<std::size_t>(trial) % (slides.size() - 1);
    const auto condition = [&](double length) {
      Eigen::VectorXd D(n);
      for (Eigen::Index i = 0; i < n; ++i) D[i] = slides[static_cast<std::size_t>(i)] ? length : 1.0;
      const Eigen::VectorXd s = (D.asDiagonal() * M * D.asDiagonal()).eval().jacobiSvd().singularValues();
      return s[0] / s[n - 1];
    };
    const CharacteristicLength found =
        characteristic_length({M.data(), static_cast<std::size_t>(M.size())}, slides);
    EXPECT_NEAR(found.condition, condition(found.length), 1e-9 * found.condition);
    for (double factor = 1e-3; factor < 1e3; factor *= 1.1)
      EXPECT_GE(condition(factor * found.length), found.condition * (1.0 - 1e-9)) << trial << " " << factor;
    // In millimetres it is a thousand times as long.
    Eigen::MatrixXd other = M;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        other(i, j) *= (slides[static_cast<std::size_t>(i)] ? 1.0 : 1e3) *
                       (slides[static_cast<std::size_t>(j)] ? 1.0 : 1e3);
    EXPECT_NEAR(characteristic_length({other.data(), static_cast<std::size_t>(other.size())}, slides).length /
                    found.length,
                1e3, 1e-9)
        << trial;
  }
}

/// Least forces at one state, in newtons and newton metres whatever the unit.
std::array<double, 3> forces(double metre, bool weighted, double* length = nullptr) {
  const describe::Model model = in_units(metre);
  ProjectedControl control;
  control.led = {"x", "q1"};
  if (weighted) {
    const double kappa = characteristic_length(model).length;
    control.weight = weights_by_length(model, kappa);
    if (length != nullptr) *length = kappa / metre;
  }
  ProjectedController controller(model, control);
  ProjectedMemory memory = controller.memory();
  const std::array<double, 3> q{0.0, model.initial_q[1], model.initial_q[2]}, u{0.2 * metre, -0.5, 0.9};
  const std::array<double, 2> x{0.1 * metre, 1.0}, xd{0.3 * metre, 0.2}, xdd{1.5 * metre, -2.0}, none{};
  std::array<double, 3> f{};
  EXPECT_EQ(controller.force(memory, 0.0, q.data(), u.data(), x.data(), xd.data(), xdd.data(), none.data(),
                             none.data(), f.data()),
            Led::well);
  return {f[0] / metre, f[1] / (metre * metre), f[2] / (metre * metre)};
}

TEST(Weights, GiveTheSameTorquesInMillimetresAndMetres) {
  double length = 0.0, same = 0.0;
  const std::array<double, 3> f = forces(1.0, true, &length), in_mm = forces(1000.0, true, &same),
                              plain = forces(1.0, false), plain_mm = forces(1000.0, false);
  EXPECT_NEAR(same, length, 1e-13);
  EXPECT_GT(length, 0.1);
  EXPECT_LT(length, 0.5);
  EXPECT_LT(support::relative_difference(f, in_mm), 1e-12);
  EXPECT_GT(support::difference(plain, plain_mm), 0.1);  // [N, N m] without weights the unit decides
}

TEST(Weights, MakeTheirOwnNormLeast) {
  // (47): of all forces that move alike, f + s A^T.
  const describe::Model model = in_units(1.0);
  const double kappa = characteristic_length(model).length;
  const std::array<double, 3> f = forces(1.0, true), plain = forces(1.0, false);
  const auto norm = [&](const std::array<double, 3>& g) {  // (48)
    return std::sqrt(kappa * kappa * g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  };
  std::array<double, 3> row{};  // they differ along A^T
  for (std::size_t i = 0; i < 3; ++i) row[i] = plain[i] - f[i];
  ASSERT_GT(support::largest(row), 0.1);
  for (const double s : {-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0}) {
    std::array<double, 3> other = f;
    for (std::size_t i = 0; i < 3; ++i) other[i] += s * row[i];
    EXPECT_GT(norm(other), norm(f)) << s;
  }
}

TEST(Weights, AreRefusedWhereTheyCannotBe) {
  const std::string text = describe::read_source(sliding_arm());
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    const std::size_t at = changed.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    changed.replace(at, what.size(), by);
    return describe::load_text(changed, "arm.yaml");
  };
  const std::vector<double> limits = weights_by_limits(describe::load(sliding_arm()));
  EXPECT_EQ(limits, (std::vector<double>{80.0, 20.0, 10.0}));
  EXPECT_THROW(weights_by_limits(with(", effort_limit: 80 N", "")), InputError);
  EXPECT_THROW(weights_by_limits(with("80 N", "0 N")), InputError);
  EXPECT_EQ(weights_by_limits(with("effort_limit: 80 N", "passive: true"))[0], 1.0);
  const describe::Model model = in_units(1.0);
  for (const double kappa : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(weights_by_length(model, kappa), InputError);
  EXPECT_THROW(characteristic_length(describe::load(support::source_dir() + "/models/slider_crank.yaml")),
               InputError);
  EXPECT_THROW(characteristic_length(model, std::array<double, 2>{}), InputError);
  EXPECT_THROW(characteristic_length(std::array<double, 4>{1.0, 2.0, 2.0, 1.0}, {true, false}), InputError);
  EXPECT_THROW(ProjectedController(model, {.led = {"x", "q1"}, .weight = {1.0, 0.0, 1.0}}), InputError);
}

}  // namespace
}  // namespace tactus::control
