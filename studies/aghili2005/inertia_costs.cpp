// Section V-A: the three constraint inertia matrices beside each other: determinants, condition numbers, and what they cost.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include <studies/compare.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using study::Context;
using study::Result;
using Matrix = Eigen::Matrix2d;

double condition(const Matrix& M) {
  const Eigen::Vector2d s = M.jacobiSvd().singularValues();
  return s[0] / s[1];
}

/// A number that counts what is done with it.
struct Counted {
  double value = 0.0;
  static inline long products = 0, sums = 0;
};
Counted operator*(Counted a, Counted b) { return ++Counted::products, Counted{a.value * b.value}; }
Counted operator/(Counted a, Counted b) { return ++Counted::products, Counted{a.value / b.value}; }
Counted operator+(Counted a, Counted b) { return ++Counted::sums, Counted{a.value + b.value}; }
Counted operator-(Counted a, Counted b) { return ++Counted::sums, Counted{a.value - b.value}; }

constexpr std::size_t kMost = 6;
using Square = std::array<std::array<Counted, kMost>, kMost>;

Square times(const Square& a, const Square& b, std::size_t n) {
  Square c{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      c[i][j] = a[i][0] * b[0][j];
      for (std::size_t k = 1; k < n; ++k) c[i][j] = c[i][j] + a[i][k] * b[k][j];
    }
  return c;
}

/// Elimination of n unknowns with one right side; of a symmetric matrix its lower half alone.
void eliminate(Square& M, std::size_t n, bool symmetric) {
  std::array<Counted, kMost> r{};
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const Counted factor = M[i][k] / M[k][k];
      for (std::size_t j = symmetric ? i : k + 1; j < n; ++j) M[i][j] = M[i][j] - factor * M[k][j];
      r[i] = r[i] - factor * r[k];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) r[i] = r[i] - M[i][j] * r[j];
    r[i] = r[i] / M[i][i];
  }
}

/// Products and sums to make Mc, Mc', Mc'' from P and M, and to solve.
struct Cost {
  long products = 0, sums = 0;
};
Cost cost(int which, std::size_t n) {
  Square P{}, M{}, I_P{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {  // of full rank and symmetric: any will do
      P[i][j].value = (i == j ? 0.5 : 0.0) + 0.1;
      M[i][j].value = i == j ? 3.0 + static_cast<double>(i) : 0.2;
      I_P[i][j].value = (i == j ? 1.0 : 0.0) - P[i][j].value;
    }
  Counted::products = Counted::sums = 0;
  Square C{};
  if (which == 0) {  // (23)
    const Square PM = times(P, M, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) C[i][j] = M[i][j] + PM[i][j] - PM[j][i];
  } else if (which == 1) {  // (28), as printed
    const Square first = times(times(P, M, n), P, n), second = times(times(I_P, M, n), I_P, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) C[i][j] = first[i][j] + second[i][j];
  } else {  // (29) as P (M - gamma I) + gamma I
    const Counted gamma{2.0};
    for (std::size_t i = 0; i < n; ++i) M[i][i] = M[i][i] - gamma;
    C = times(P, M, n);
    for (std::size_t i = 0; i < n; ++i) C[i][i] = C[i][i] + gamma;
  }
  eliminate(C, n, which == 1);
  return {Counted::products, Counted::sums};
}

Result beside_each_other(const Context&) {
  // q = (2 pi/3, 2 pi/3), m = l = 1.
  const double c2 = std::cos(2.0 * std::numbers::pi / 3.0);
  Matrix M, P;
  M << 3.0 + 2.0 * c2, 1.0 + c2, 1.0 + c2, 1.0;
  P << 0.2, -0.4, -0.4, 0.8;
  const Matrix I = Matrix::Identity(), PM = P * M;
  const Matrix Mc = M + PM - PM.transpose(), Mc1 = P * M * P + (I - P) * M * (I - P), Mc2 = PM + (I - P);
  Deviation d;
  // By hand: Mc = [[2, .6], [.4, 1]], Mc' = [[1.92, .56], [.56, 1.08]], Mc'' = [[1, .1], [0, .8]]; of 2 x 2 matrices cond + 1/cond = |M|^2/det.
  const auto compare = [&](const Matrix& here, double det, double square) {
    const double cond = condition(here);
    d.add(here.determinant(), det, 1e-14);
    d.add(cond + 1.0 / cond, square / det, 1e-12);
  };
  compare(Mc, 1.76, 4.0 + 0.36 + 0.16 + 1.0);
  compare(Mc1, 1.76, 1.92 * 1.92 + 2.0 * 0.56 * 0.56 + 1.08 * 1.08);
  compare(Mc2, 0.8, 1.0 + 0.01 + 0.64);
  // Of Mc'': |PM + gamma (I - P)|^2 = |PM|^2 + gamma^2, det = 0.8 gamma: the least condition at gamma = |PM|.
  const double best = PM.norm(), expected = 2.0 * best / 0.8, least = condition(PM + best * (I - P));
  d.add(least + 1.0 / least, expected, 1e-12);
  bool is_least = true;
  for (double gamma = 0.05; gamma < 20.0; gamma *= 1.01)
    is_least = is_least && condition(PM + gamma * (I - P)) >= least * (1.0 - 1e-12);
  const double by_norm = condition(PM + M.norm() * (I - P));
  // Three matrix products more than Mc for Mc' as printed; the least for Mc''.
  std::string costs;
  bool ordered = true;
  for (const std::size_t n : {std::size_t{2}, kMost}) {
    const Cost c[] = {cost(0, n), cost(1, n), cost(2, n)};
    const long cube = static_cast<long>(n * n * n), solving = c[0].products - cube;
    d.add(static_cast<double>(c[2].products), static_cast<double>(c[0].products), 0.0);
    // Mc' has four products of matrices; half of its elimination suffices.
    ordered =
        ordered && c[1].products > 3 * cube && c[1].products <= 4 * cube + solving && c[2].sums < c[0].sums;
    costs += fmt::format("{}n = {}: {} products and {} sums, {} and {}, {} and {}", costs.empty() ? "" : "; ",
                         n, c[0].products, c[0].sums, c[1].products, c[1].sums, c[2].products, c[2].sums);
  }
  return {
      "V-A.3: three constraint inertia matrices; Mc' needs three products of matrices more, Mc'' the least; "
      "a certain gamma is best",
      fmt::format("at q = (2 pi/3, 2 pi/3) determinants 1.76, 1.76, 0.8 and condition numbers {:.3f}, "
                  "{:.3f}, {:.3f} (gamma = m l^2): {}. The best "
                  "gamma is |PM| = {:.4f} with {:.4f}; |M|, which the paper takes, gives {:.3f}. To make and "
                  "solve, {}",
                  condition(Mc), condition(Mc1), condition(Mc2), d.to_string(), best, least, by_norm, costs),
      closed_form(all_within(d) && is_least && ordered,
                  "the matrices by hand, cond + 1/cond = |M|^2/det, and a scan of gamma"),
      "no numbers are printed. Mc'' is the least where it is made as P (M - gamma I) + gamma I; Mc' needs "
      "one product more than Mc, not three, "
      "where it is made as M - PM - (PM)^T + 2 (PM)P",
      {}};
}

}  // namespace

std::vector<study::Case> inertia_cost_cases() {
  return {{"v-a-3", "three constraint inertia matrices beside each other", beside_each_other}};
}

}  // namespace tactus::studies::aghili
