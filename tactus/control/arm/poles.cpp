#include <tactus/control/arm/poles.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <tactus/base/error.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

void check(const LinearPoint& point, const std::vector<PolePair>& poles, double h) {
  const auto n = static_cast<std::size_t>(point.M.rows());
  if (poles.size() != n)
    throw InputError({}, fmt::format("poles of {} joints for {}", poles.size(), n),
                     "give a pair for each joint");
  for (std::size_t i = 0; i < n; ++i)
    if (!poles[i].stable())
      throw InputError(
          {},
          fmt::format("the poles of joint {}, of sum {:g} 1/s and product {:g} 1/s^2, are not stable", i + 1,
                      poles[i].sum, poles[i].product),
          "give poles to the left of the axis: a negative sum and a positive product");
  if (!(h >= 0.0) || !std::isfinite(h))
    throw InputError({}, fmt::format("a period of {:g} s", h), "give a positive one, or none");
}

std::vector<Complex> sorted(const Eigen::VectorXcd& values) {
  std::vector<Complex> all(values.begin(), values.end());
  std::sort(all.begin(), all.end(), [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return all;
}

Matrix system(const LinearPoint& point, const Matrix& K, const Matrix& C) {
  const Eigen::Index n = point.M.rows();
  Matrix A = Matrix::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  const Eigen::PartialPivLU<Matrix> factor(point.M);
  A.bottomLeftCorner(n, n) = -factor.solve(K);
  A.bottomRightCorner(n, n) = -factor.solve(C);
  return A;
}

}  // namespace

// z_1 + z_2 = e^(a h) + e^(b h): of a pair 2 e^(re h) cos(im h), of two real ones 2 e^(mean h) cosh(half difference h).
PolePair PolePair::sampled(double h) const {
  const double mean = 0.5 * sum, square = mean * mean - product, root = std::sqrt(std::abs(square));
  const double both = 2.0 * std::exp(mean * h) * (square < 0.0 ? std::cos(root * h) : std::cosh(root * h));
  return {both, std::exp(sum * h)};
}

PolePair PolePair::of_law(double h) const {
  if (!(h > 0.0)) return *this;
  const PolePair z = sampled(h);
  return {-(2.0 - z.sum) / h, (z.product - z.sum + 1.0) / (h * h)};
}

PoleGains pole_gains(const LinearPoint& point, const std::vector<PolePair>& poles, double h) {
  check(point, poles, h);
  const Eigen::Index n = point.M.rows();
  Eigen::VectorXd S(n), P(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PolePair own = poles[static_cast<std::size_t>(i)].of_law(h);
    S[i] = own.sum;
    P[i] = own.product;
  }
  return {-point.K + point.M * P.asDiagonal(), -point.C - point.M * S.asDiagonal()};
}

PoleGains pole_gains(const LinearPoint& point, const ModelErrors& errors, const std::vector<PolePair>& poles,
                     double h) {
  return pole_gains({errors.gamma * point.M, errors.beta * point.C, errors.alpha * point.K}, poles, h);
}

std::vector<Complex> closed_loop_poles(const LinearPoint& point, const PoleGains& gains, double h) {
  if (!(h > 0.0))
    return sorted(
        Eigen::EigenSolver<Matrix>(system(point, point.K + gains.position, point.C + gains.velocity), false)
            .eigenvalues());
  return closed_loop_poles(sampled_arm(point, h), gains);
}

// e^([A B; 0 0] h) = [F E; 0 I].
SampledArm sampled_arm(const LinearPoint& point, double h) {
  const Eigen::Index n = point.M.rows();
  Matrix both = Matrix::Zero(3 * n, 3 * n);
  both.topLeftCorner(2 * n, 2 * n) = system(point, point.K, point.C);
  both.block(n, 2 * n, n, n) = Eigen::PartialPivLU<Matrix>(point.M).inverse();
  const Matrix sampled = (h * both).exp();
  return {sampled.topLeftCorner(2 * n, 2 * n), sampled.topRightCorner(2 * n, n), h};
}

std::vector<Complex> closed_loop_poles(const SampledArm& arm, const PoleGains& gains) {
  const Eigen::Index n = arm.E.cols();
  Matrix loop = arm.F;
  loop.leftCols(n) -= arm.E * gains.position;
  loop.rightCols(n) -= arm.E * gains.velocity;
  Eigen::VectorXcd z = Eigen::EigenSolver<Matrix>(loop, false).eigenvalues();
  for (Complex& value : z) value = std::log(value) / arm.h;
  return sorted(z);
}

std::vector<Complex> open_loop_poles(const LinearPoint& point) {
  return sorted(Eigen::EigenSolver<Matrix>(system(point, point.K, point.C), false).eigenvalues());
}

double stability(const std::vector<Complex>& poles) {
  double largest = -HUGE_VAL;
  for (const Complex& pole : poles) {
    if (std::isnan(pole.real())) return std::nan("");
    largest = std::max(largest, pole.real());
  }
  return largest;
}

std::optional<double> stability_limit(const std::function<std::vector<Complex>(double)>& loop, double stable,
                                      double far, int looks) {
  const auto holds = [&](double error) { return stability(loop(error)) < 0.0; };
  if (!holds(stable))
    throw InputError({}, fmt::format("the loop is not stable where the model is right ({:g})", stable),
                     "choose other poles or a shorter period");
  double inside = stable;
  for (int k = 1; k <= looks; ++k) {
    double outside = stable + (far - stable) * k / looks;
    if (holds(outside)) {
      inside = outside;
      continue;
    }
    constexpr int kHalvings = 80;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (inside + outside);
      (holds(middle) ? inside : outside) = middle;
    }
    return 0.5 * (inside + outside);
  }
  return std::nullopt;
}

RootLocus root_locus(const std::function<std::vector<Complex>(double)>& loop, double from, double to,
                     int looks) {
  RootLocus locus;
  for (int k = 0; k <= looks; ++k) {
    const double error = from + (to - from) * k / looks;
    std::vector<Complex> now = loop(error);
    if (!locus.poles.empty()) {
      // Each the nearest that is left to the one before.
      const std::vector<Complex>& before = locus.poles.back();
      for (std::size_t i = 0; i < now.size(); ++i) {
        std::size_t nearest = i;
        for (std::size_t j = i + 1; j < now.size(); ++j)
          if (std::abs(now[j] - before[i]) < std::abs(now[nearest] - before[i])) nearest = j;
        std::swap(now[i], now[nearest]);
      }
    }
    locus.error.push_back(error);
    locus.poles.push_back(std::move(now));
  }
  return locus;
}

}  // namespace tactus::control
