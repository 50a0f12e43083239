// Chapter III, (9)-(33): gains by pole placement, equation by equation, as printed and as mended, at the point of Table I.
//
// With x = q - q*, which (9)-(16) need where the text below (4) has q* - q. Determinants are compared at complex numbers off all poles, the closed
// loop's state matrix on one side, polynomials of the second degree with matrices as coefficients on the other. Misprints:
//
//   (12)       u = -Gamma x, printed -B Gamma, which has twelve rows where there are six forces
//   (21)       Phi - Psi Gamma, printed A - B Gamma
//   (24)-(26)  Gamma in two meanings: (26) has M in it, so that M stands in (24) twice and M^-1 is missing in (25)
#include <array>
#include <cmath>

#include <Eigen/LU>

#include <studies/clover1996/tables.h>
#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/poles.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using control::Complex;
using control::LinearPoint;
using control::Matrix;
using control::ModelErrors;
using control::PolePair;
using study::Context;
using study::Result;
using ComplexMatrix = Eigen::MatrixXcd;

constexpr Eigen::Index n = 6;
constexpr double kWrong = 0.1;  // by size: what a misprint does is no rounding

LinearPoint table_i(const Context& context) {
  control::ArmController controller(
      load(context, "puma560"),
      {control::ArmLaw::pole_placement, {PolePair::complex(-1.0, 1.0)}, 0.0, false});
  const tactus::clover::Table& table = tactus::clover::kTables[2];
  std::vector<double> tau(6);
  controller.torque(0.0, table.q, table.qd, table.q, table.qd, table.qdd, tau);
  return controller.point();
}

Complex determinant(const ComplexMatrix& m) { return m.determinant(); }

/// det(s I - X).
Complex characteristic(const Matrix& X, Complex s) {
  return determinant(s * ComplexMatrix::Identity(X.rows(), X.cols()) - X.cast<Complex>());
}

/// |s^2 I + X s + Y|.
Complex quadratic(Complex s, const Matrix& X, const Matrix& Y) {
  return determinant(s * s * ComplexMatrix::Identity(n, n) + s * X.cast<Complex>() + Y.cast<Complex>());
}

double apart(Complex a, Complex b) { return std::abs(a - b) / std::abs(b); }

/// S and P of the law: diagonal matrices of sums and products.
struct Poles {
  explicit Poles(const std::vector<PolePair>& pairs) : S(Matrix::Zero(n, n)), P(Matrix::Zero(n, n)) {
    for (Eigen::Index i = 0; i < n; ++i) {
      S(i, i) = pairs[static_cast<std::size_t>(i)].sum;
      P(i, i) = pairs[static_cast<std::size_t>(i)].product;
    }
  }
  /// det(s I - Lambda).
  Complex wanted(Complex s) const {
    Complex product = 1.0;
    for (Eigen::Index i = 0; i < n; ++i) product *= s * s - S(i, i) * s + P(i, i);
    return product;
  }
  Matrix S, P;
};

Result gains(const Context& context) {
  const LinearPoint point = table_i(context);
  const Matrix &M = point.M, &C = point.C, &K = point.K, I = Matrix::Identity(n, n), Minv = M.inverse();
  Matrix A = Matrix::Zero(2 * n, 2 * n), B = Matrix::Zero(2 * n, n);
  A.topRightCorner(n, n) = I;
  A.bottomLeftCorner(n, n) = -Minv * K;
  A.bottomRightCorner(n, n) = -Minv * C;
  B.bottomRows(n) = Minv;

  // Poles that differ from joint to joint, so that nothing hides; sampled at 200 Hz.
  std::vector<PolePair> pairs, sampled;
  const double h = 1.0 / 200.0;
  for (int i = 0; i < 6; ++i) {
    pairs.push_back(PolePair::complex(-12.0 - i, 20.0 + 3.0 * i));
    sampled.push_back(pairs.back().sampled(h));
  }
  const Poles poles(pairs), z(sampled);
  constexpr double kRounding = 1e-9;  // of determinants of twelve rows, by their size
  Deviation d;
  double e21 = HUGE_VAL, e24 = HUGE_VAL, e25 = HUGE_VAL;

  // (9)-(16).
  const Matrix G1 = -K + M * poles.P, G2 = -C - M * poles.S;
  Matrix G(n, 2 * n);
  G << G1, G2;
  const control::PoleGains own = control::pole_gains(point, pairs);
  d.add((own.position - G1).norm() / G1.norm(), 0.0, kRounding);
  d.add((own.velocity - G2).norm() / G2.norm(), 0.0, kRounding);
  Matrix by_13 = Matrix::Zero(2 * n, 2 * n);
  by_13.topRightCorner(n, n) = I;
  by_13.bottomLeftCorner(n, n) = -Minv * (K + G1);
  by_13.bottomRightCorner(n, n) = -Minv * (C + G2);
  d.add((A - B * G - by_13).norm() / by_13.norm(), 0.0, kRounding);
  const bool sizes = (B * G).rows() != n && G.rows() == n;  // (12)
  for (const Complex s : {Complex(3.0, 1.0), Complex(-5.0, 40.0), Complex(-60.0, 7.0)}) {
    d.add(apart(characteristic(A - B * G, s), poles.wanted(s)), 0.0, kRounding);                    // (14)
    d.add(apart(quadratic(s, Minv * (C + G2), Minv * (K + G1)), poles.wanted(s)), 0.0, kRounding);  // (15)
    // (24)-(26): computed torque, on an arm without C and K, with Gamma of (26).
    const Matrix T1 = M * poles.P, T2 = -M * poles.S;
    d.add(apart(quadratic(s, Minv * T2, Minv * T1), poles.wanted(s)), 0.0, kRounding);
    e25 = std::min(e25, apart(quadratic(s, T2, T1), poles.wanted(s)));
    e24 = std::min(e24, apart(quadratic(s, Minv * (M * T2), Minv * (M * T1)), poles.wanted(s)));
  }

  // (17)-(23).
  Matrix Phi(2 * n, 2 * n), Psi(2 * n, n), by_20(2 * n, 2 * n), D(n, 2 * n);
  const Matrix D1 = -K + M / (h * h) * (z.P - z.S + I), D2 = -C + M / h * (2.0 * I - z.S);
  D << D1, D2;
  Phi << I, I * h, -Minv * K * h, -Minv * C * h + I;
  Psi << Matrix::Zero(n, n), Minv * h;
  by_20 << I, I * h, -Minv * h * (K + D1), -Minv * h * (C + D2) + I;
  const control::PoleGains held = control::pole_gains(point, pairs, h);
  d.add((held.position - D1).norm() / D1.norm(), 0.0, kRounding);
  d.add((held.velocity - D2).norm() / D2.norm(), 0.0, kRounding);
  d.add((Phi - (Matrix::Identity(2 * n, 2 * n) + A * h)).norm(), 0.0, kRounding);
  d.add((Psi - B * h).norm(), 0.0, kRounding);
  d.add((Phi - Psi * D - by_20).norm() / by_20.norm(), 0.0, kRounding);
  const ModelErrors errors{1.3, 0.6, 1.4};
  const control::PoleGains wrong = control::pole_gains(point, errors, pairs),
                           wrong_held = control::pole_gains(point, errors, pairs, h);
  Matrix W(n, 2 * n), X(n, 2 * n);
  W << wrong.position, wrong.velocity;
  X << wrong_held.position, wrong_held.velocity;
  const auto& [alpha, beta, gamma] = errors;
  for (const Complex s : {Complex(1.2, 0.3), Complex(0.1, -0.4), Complex(-0.7, 0.2)}) {
    d.add(apart(characteristic(Phi - Psi * D, s), z.wanted(s)), 0.0, kRounding);  // (21) mended
    e21 = std::min(e21, apart(characteristic(A - B * D, s), z.wanted(s)));
    d.add(apart(quadratic(s, -2.0 * I + Minv * C * h + Minv * D2 * h,
                          Minv * h * (-C - D2 + K * h + D1 * h) + I),
                z.wanted(s)),
          0.0, kRounding);  // (22)
    // (27)-(31), with errors of all three matrices.
    const Complex t = 20.0 * s;
    d.add(apart(quadratic(t, (1.0 - beta) * Minv * C - gamma * poles.S,
                          (1.0 - alpha) * Minv * K + gamma * poles.P),
                characteristic(A - B * W, t)),
          0.0, kRounding);
    d.add(apart(quadratic(s, -2.0 * I + gamma * (2.0 * I - z.S) + Minv * C * h * (1.0 - beta),
                          I * (1.0 - gamma) + gamma * z.P + Minv * K * h * h * (1.0 - alpha) -
                              Minv * C * h * (1.0 - beta)),
                characteristic(Phi - Psi * X, s)),
          0.0, kRounding);
  }

  // (32): the example below it, 0.96 +- 0.04j. (33): the series of the exponential.
  Deviation printed;
  const Complex example = std::exp(Complex(-45.0, 45.0) / 1000.0);
  printed.add(example.real(), 0.96, 5.01e-3);
  printed.add(example.imag(), 0.04, 5.01e-3);
  const control::SampledArm arm = control::sampled_arm(point, h);
  Matrix term = Matrix::Identity(2 * n, 2 * n), F = term, E = h * term;
  for (int k = 1; k < 30; ++k) {
    term = term * A * (h / k);
    F += term;
    E += term * (h / (k + 1));
  }
  d.add((arm.F - F).norm(), 0.0, kRounding);
  d.add((arm.E - E * B).norm(), 0.0, kRounding);
  return {
      "(9)-(33): gains by pole placement, continuous and sampled, and what errors of the model do; below "
      "(32) z = 0.96 +- 0.04j",
      fmt::format("mended {}; (12) as printed has 12 rows for 6 forces; by (21) as printed the polynomial "
                  "is off by {:.2g} of it at least, by (24) with (26) by {:.2g}, by (25) with (26) by "
                  "{:.2g}; z: {}",
                  d.to_string(), e21, e24, e25, printed.to_string()),
      corrected(all_within(d) && all_within(printed) && sizes && e21 > kWrong && e24 > kWrong && e25 > kWrong,
                "characteristic polynomials of the state matrices with (9)-(31), as printed and as mended, "
                "at complex numbers; (33) with the exponential's series; 2 printed numbers"),
      "(12) is -Gamma x; (21) has A - B Gamma for Phi - Psi Gamma; (24)-(26) have Gamma in two meanings: "
      "with M in (26), M^-1 is missing in (25) and M stands twice in (24). Below (4) delta q is q* - q, "
      "(9)-(16) need q - q*. All others are right",
      {}};
}

}  // namespace

std::vector<study::Case> pole_placement_cases() {
  return {{"iii-gains", "gains by pole placement, equation by equation", gains}};
}

}  // namespace tactus::studies::clover
