// Sections III to V and VIII-A on the slider-crank: projection, three constraint inertia matrices, constraint force, as the formulas stand.
#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include <studies/aghili2005/reduced_crank.h>
#include <studies/compare.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using study::Context;
using study::Result;
using Matrix = Eigen::Matrix2d;
using Vector = Eigen::Vector2d;
using Row = Eigen::RowVector2d;

/// (66) and (67), m = l = 1, with the Jacobian's rate.
struct Crank {
  Crank(const Vector& q, const Vector& qd, double g) {
    const double c1 = std::cos(q[0]), c2 = std::cos(q[1]), s2 = std::sin(q[1]), c12 = std::cos(q[0] + q[1]),
                 s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]), both = qd[0] + qd[1];
    M << 3 + 2 * c2, 1 + c2, 1 + c2, 1;
    h << -s2 * (qd[1] * qd[1] + 2 * qd[0] * qd[1]) + g * (c12 + 2 * c1), s2 * qd[0] * qd[0] + g * c12;
    A << c1 + c12, c12;
    Adot << -s1 * qd[0] - s12 * both, -s12 * both;
  }
  Matrix M;
  Vector h;
  Row A, Adot;
};

/// The pseudoinverse of a row.
Vector pseudoinverse(const Row& A) { return A.transpose() / A.squaredNorm(); }

/// By the singular value decomposition, (4): singular values below 1e-9 count as none.
Matrix projection_by_svd(const Row& A) {
  Matrix padded = Matrix::Zero();
  padded.row(0) = A;
  const Eigen::JacobiSVD<Matrix> svd(padded, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix P = Matrix::Zero();
  for (int k = 0; k < 2; ++k)
    if (svd.singularValues()[k] < 1e-9) P += svd.matrixV().col(k) * svd.matrixV().col(k).transpose();
  return P;
}

Result inertias(const Context&) {
  Deviation d;
  constexpr double kRounding = 1e-11;
  bool positive = true;
  for (const double g : {0.0, 9.81})
    for (const double q1 : {2.0 * std::numbers::pi / 3.0, 0.3, 4.0}) {
      const double rate = 1.3, force = 1.0;
      const Vector q(q1, 2.0 * std::numbers::pi - 2.0 * q1), qd(rate, -2.0 * rate), f(force, 0.0);
      const Crank crank(q, qd, g);
      const Matrix I = Matrix::Identity(), &M = crank.M;
      const Matrix P = I - pseudoinverse(crank.A) * crank.A;            // (15)
      const Vector C_qd = -pseudoinverse(crank.A) * (crank.Adot * qd);  // (16)
      const Matrix Mc = M + (P * M - (P * M).transpose());              // (23), (24)
      const Matrix Mc1 = P * M * P + (I - P) * M * (I - P);             // (28)
      const double gamma = M.norm();                                    // after (31)
      const Matrix Mc2 = P * M + gamma * (I - P);                       // (29)
      const Vector r = P * (f - crank.h);
      const Vector by[] = {Mc.inverse() * (r + M * C_qd),                   // (22), (25)
                           Mc1.inverse() * (r + (I - 2.0 * P) * M * C_qd),  // (27)
                           Mc2.inverse() * (r + gamma * C_qd)};             // (27) with (29)
      const Matrix mu = (I - P) * M * Mc.inverse();
      const Vector F = (I - P) * (f - crank.h) - mu * r - mu * (M * C_qd);  // (32)
      // One angle alone, and the constraint force that its equation leaves on the first joint.
      const double qdd = tactus::aghili::reduced_acceleration(g, force, q1, rate);
      const double F1 = force - 3.0 * g * std::cos(q1) - qdd;
      for (const Vector& here : by) {
        d.add(here[0], qdd, kRounding);
        d.add(here[1], -2.0 * qdd, kRounding);
        d.add((P * M * here - r).norm(), 0.0, kRounding);       // (21)
        d.add(((I - P) * here - C_qd).norm(), 0.0, kRounding);  // (13)
      }
      // Theorem 2 and Remark 3: Mc has M's quadratic form; Proposition 1: Mc' is symmetric and positive; Proposition 2: Mc'' has an inverse.
      d.add((0.5 * (Mc + Mc.transpose()) - M).norm(), 0.0, kRounding);
      d.add((Mc1 - Mc1.transpose()).norm(), 0.0, kRounding);
      positive =
          positive && Mc1.trace() > 0.0 && Mc1.determinant() > 0.0 && std::fabs(Mc2.determinant()) > 0.1;
      // Remark 2: what is added in the range of A^T changes no acceleration.
      const Vector more = f + 5.0 * crank.A.transpose();
      d.add((Mc.inverse() * (P * (more - crank.h) + M * C_qd) - by[0]).norm(), 0.0, kRounding);
      d.add(F[0], F1, kRounding);
      d.add(F[1], 0.5 * F1, kRounding);
      d.add((P * F).norm(), 0.0, kRounding);                           // (18): F in the range of A^T
      d.add((projection_by_svd(crank.A) - P).norm(), 0.0, kRounding);  // (4)
      d.add(((I - P) * qd).norm(), 0.0, kRounding);                    // (11), (12)
      d.add((f - P * f).squaredNorm() + (P * f).squaredNorm(), f.squaredNorm(), kRounding);  // (7)
    }
  return {"(4)-(32): one acceleration by three constraint inertia matrices, and the constraint force",
          d.to_string() + ", at three positions, without and with gravity",
          closed_form(all_within(d) && positive, "the reduced equation of one angle"),
          "the formulas as printed, but for the display before (16) and (23), of which iii-v-misprints has "
          "the printed forms. The paper prints no numbers",
          {}};
}

Result branches(const Context&) {
  // l = m = 1, as everywhere here; gamma = m l^2.
  const double q1 = 2.0 * std::numbers::pi / 3.0;
  const Vector q(q1, 2.0 * std::numbers::pi - 2.0 * q1);
  const Crank crank(q, Vector::Zero(), 0.0);
  const Matrix I = Matrix::Identity(), P = I - pseudoinverse(crank.A) * crank.A;
  const double c2 = std::cos(q[1]), sigma = crank.A.norm();
  Matrix printed_P, printed_M;
  printed_P << 0.2, -0.4, -0.4, 0.8;
  printed_M << 1.0, (1.0 + c2) / 5.0, 0.0, (3.0 - 2.0 * c2) / 5.0;
  Deviation d;
  d.add((P - printed_P).norm(), 0.0, 1e-14);
  d.add((P * crank.M + (I - P) - printed_M).norm(), 0.0, 1e-14);
  d.add((P * crank.M + (I - P)).determinant(), (3.0 - 2.0 * c2) / 5.0, 1e-14);
  d.add(sigma, std::sqrt(5.0) * std::fabs(std::cos(q1)), 1e-14);
  // Where A vanishes nothing is left to project: P = I, which (68) prints for all other positions.
  const double at_singular = (projection_by_svd(Row::Zero()) - I).norm();
  return {"(68), (69): P of rank one and Mc'' where |c1| < eps/(l sqrt 5), P = I otherwise",
          fmt::format("far from there, at q1 = 2 pi/3 with sigma = {:.3f}: P, Mc'' and its determinant are "
                      "those printed for near; {}; with "
                      "A = 0 P is I within {:.1g}",
                      sigma, d.to_string(), at_singular),
          corrected(all_within(d) && (P - I).norm() > 0.5 && at_singular < 1e-15,
                    "the matrices of (68) and (69), with those of the projection at both kinds of position"),
          "the two branches of (68) and the condition of (69) are exchanged; sigma is sqrt(5) l |c1|, "
          "printed with l under the root",
          {}};
}

Result newton(const Context&) {
  // (37) from a place off the constraint, (65) with l = 1.
  Vector q(2.0, 2.6);
  const auto phi = [](const Vector& x) { return std::sin(x[0]) + std::sin(x[0] + x[1]); };
  double before = std::fabs(phi(q)), largest = 0.0;
  std::string steps = fmt::format("{:.1e}", before);
  int counted = 0;
  for (int k = 0; k < 6 && before > 1e-7; ++k) {
    q -= pseudoinverse(Crank(q, Vector::Zero(), 0.0).A) * phi(q);
    const double now = std::fabs(phi(q));
    largest = std::max(largest, now / (before * before));
    steps += fmt::format(", {:.1e}", now);
    before = now;
    ++counted;
  }
  // The next error is phi''/2 times the square of a step phi/|A|: |phi''| is at most 3, |A| here at least 0.8.
  constexpr double kMost = 0.5 * 3.0 / (0.8 * 0.8);
  return {"Theorem 3: the iteration (37) converges quadratically",
          fmt::format("|Phi| {} m in {} steps: at most {:.2f} of the square of the one before", steps,
                      counted, largest),
          closed_form(counted >= 2 && before < 1e-7 && largest < kMost,
                      "the bound |Phi''|/(2 |A|^2) of the factor K"),
          "no numbers are printed",
          {}};
}

}  // namespace

std::vector<study::Case> inertia_cases() {
  return {{"iii-v-inertias", "three constraint inertia matrices", inertias},
          {"theorem-3", "Newton's correction of the position", newton},
          {"eq-68-69", "the projection near and far from singular positions", branches}};
}

}  // namespace tactus::studies::aghili
