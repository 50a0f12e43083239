#include <tactus/control/arm/turns.h>

#include <algorithm>
#include <complex>

#include <Eigen/Eigenvalues>

namespace tactus::control {

namespace {

/// Lengths below this part of the largest are none.
constexpr double kNothing = 1e-12;
/// Roots of a polynomial whose size is this near to one are angles; double ones come out to the root of rounding.
constexpr double kOnCircle = 1e-5;
/// Angles nearer than this are one.
constexpr double kSame = 1e-7;

}  // namespace

// cos q = (A C -+ B s)/r^2, sin q = (B C +- A s)/r^2 with r^2 = A^2 + B^2, s = sqrt(r^2 - C^2).
TwoTurns turns_of(double A, double B, double C) noexcept {
  TwoTurns turns;
  const double square = A * A + B * B, r = std::sqrt(square);
  turns.any = !(r > kNothing * std::max(1.0, std::abs(C)));
  if (!(std::abs(C) <= r)) {
    turns.missed = std::abs(C) - r;
    turns.q.fill(std::atan2(std::copysign(1.0, C) * B, std::copysign(1.0, C) * A));
    return turns;
  }
  const double s = std::sqrt((r - C) * (r + C));
  turns.q = {std::atan2(B * C + A * s, A * C - B * s), std::atan2(B * C - A * s, A * C + B * s)};
  return turns;
}

// Where the equations fix (cos s, sin s) = g + G (cos q, sin q), the unit circle gives an equation of second order in (cos q, sin q):
// with z = e^iq a polynomial of degree four, whose roots of size one are wanted.
FourTurns turns_of_two(const CoupledTurns& equations) noexcept {
  using Complex = std::complex<double>;
  const auto& [a, c, e] = equations;
  const double determinant = c[0][0] * c[1][1] - c[0][1] * c[1][0];
  FourTurns turns;
  // (cos s, sin s)_i = g_i + G_i0 cos q + G_i1 sin q
  std::array<double, 2> g{};
  std::array<std::array<double, 2>, 2> G{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto solve = [&](double x, double y) {
      return (i == 0 ? x * c[1][1] - y * c[0][1] : y * c[0][0] - x * c[1][0]) / determinant;
    };
    g[i] = solve(e[0], e[1]);
    for (std::size_t j = 0; j < 2; ++j) G[i][j] = -solve(a[0][j], a[1][j]);
  }
  // |g + G x|^2 = 1:  k0 + k1 cos q + k2 sin q + k3 cos 2q + k4 sin 2q = 0
  double k0 = -1.0, k1 = 0.0, k2 = 0.0, k3 = 0.0, k4 = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    k0 += g[i] * g[i] + 0.5 * (G[i][0] * G[i][0] + G[i][1] * G[i][1]);
    k1 += 2.0 * g[i] * G[i][0];
    k2 += 2.0 * g[i] * G[i][1];
    k3 += 0.5 * (G[i][0] * G[i][0] - G[i][1] * G[i][1]);
    k4 += G[i][0] * G[i][1];
  }
  const auto value = [&](double q) {
    return k0 + k1 * std::cos(q) + k2 * std::sin(q) + k3 * std::cos(2.0 * q) + k4 * std::sin(2.0 * q);
  };
  const auto slope = [&](double q) {
    return -k1 * std::sin(q) + k2 * std::cos(q) - 2.0 * k3 * std::sin(2.0 * q) + 2.0 * k4 * std::cos(2.0 * q);
  };
  // times 2 z^2: (k3 - i k4) z^4 + (k1 - i k2) z^3 + 2 k0 z^2 + (k1 + i k2) z + (k3 + i k4)
  const Complex p4(k3, -k4), p3(k1, -k2), p2(2.0 * k0, 0.0), p1(k1, k2), p0(k3, k4);
  std::array<double, 4> found{};
  int roots = 0;
  const auto keep = [&](Complex z) {
    if (!(std::abs(std::abs(z) - 1.0) < kOnCircle)) return;
    double q = std::arg(z);
    for (int round = 0; round < 3; ++round) {
      const double df = slope(q);
      if (df == 0.0) break;
      const double step = value(q) / df;
      if (!(std::abs(step) < 1e-3)) break;
      q -= step;
    }
    if (roots < 4) found[static_cast<std::size_t>(roots++)] = q;
  };
  const double largest = std::max({std::abs(p4), std::abs(p3), std::abs(p2)});
  if (!std::isfinite(largest) || largest == 0.0) return turns;
  if (std::abs(p4) > kNothing * largest) {
    Eigen::Matrix4cd companion = Eigen::Matrix4cd::Zero();
    companion(0, 3) = -p0 / p4;
    companion(1, 3) = -p1 / p4;
    companion(2, 3) = -p2 / p4;
    companion(3, 3) = -p3 / p4;
    for (int i = 0; i < 3; ++i) companion(i + 1, i) = 1.0;
    const Eigen::Vector4cd z = Eigen::ComplexEigenSolver<Eigen::Matrix4cd>(companion, false).eigenvalues();
    for (int i = 0; i < 4; ++i) keep(z[i]);
  } else {
    const TwoTurns two = turns_of(k1, k2, -k0);
    if (two.missed == 0.0 && !two.any)
      for (const double q : two.q) found[static_cast<std::size_t>(roots++)] = q;
  }
  for (int i = 0; i < roots; ++i) {
    const double q = found[static_cast<std::size_t>(i)];
    bool again = false;
    for (int j = 0; j < turns.count; ++j)
      again = again || std::abs(std::remainder(q - turns.q[static_cast<std::size_t>(j)], 2.0 * M_PI)) < kSame;
    if (again) continue;
    const double cosine = g[0] + G[0][0] * std::cos(q) + G[0][1] * std::sin(q);
    const double sine = g[1] + G[1][0] * std::cos(q) + G[1][1] * std::sin(q);
    turns.q[static_cast<std::size_t>(turns.count)] = q;
    turns.s[static_cast<std::size_t>(turns.count++)] = std::atan2(sine, cosine);
  }
  return turns;
}

}  // namespace tactus::control
