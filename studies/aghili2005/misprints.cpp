// Equations that are misprinted and that no other case evaluates: the display before (16), (23), (38), (79); (49), (51), (52) of the force's control.
//
// The slider-crank of (66) and (67) does not show them: on its branch A qd, Adot qd and C qd are zero. Here its slider runs at a height y0 beside the
// crank's axis: Phi = sin q1 + sin(q1 + q2) - y0, m = l = 1. With theta = q1 one angle is left,
//
//   b(q1) = q1 + q2 = asin(y0 - sin q1),    Lambda = [1, b' - 1],
//   m(q1) = Lambda^T M Lambda,    m qdd1 + m' qd1^2/2 + g cos q1 = Lambda^T f          (V = g (y0 + sin q1))
//
// which is what everything is compared with; b' and m' by a complex step, in which no projection occurs.
#include <cmath>
#include <complex>

#include <Eigen/Dense>

#include <studies/compare.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using study::Context;
using study::Result;
using Complex = std::complex<double>;
using Matrix = Eigen::Matrix2d;
using Vector = Eigen::Vector2d;
using Row = Eigen::RowVector2d;

constexpr double kHeight = 0.3, kGravity = 9.81;
constexpr double kTiny = 1e-30;      // of complex steps
constexpr double kRounding = 1e-12;  // of a handful of products of order ten
constexpr double kWrong = 0.1;       // what a misprint does is no rounding

template <class T>
T second_angle(const T& q1) {
  return std::asin(kHeight - std::sin(q1)) - q1;
}

/// d q2/d q1.
template <class T>
T slope(const T& q1) {
  return -std::cos(q1) / std::sqrt(1.0 - (kHeight - std::sin(q1)) * (kHeight - std::sin(q1))) - 1.0;
}

/// Lambda^T M Lambda.
template <class T>
T inertia_of_angle(const T& q1) {
  const T c2 = std::cos(second_angle(q1)), s = slope(q1);
  return 3.0 + 2.0 * c2 + 2.0 * (1.0 + c2) * s + s * s;
}

/// The offset slider-crank at an angle and a rate.
struct OffsetCrank {
  OffsetCrank(double q1, double rate) : q(q1, second_angle(q1)), Lambda(1.0, slope(q1)), qd(rate * Lambda) {
    const double c1 = std::cos(q[0]), c2 = std::cos(q[1]), s2 = std::sin(q[1]), c12 = std::cos(q[0] + q[1]),
                 s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]), both = qd[0] + qd[1];
    M << 3 + 2 * c2, 1 + c2, 1 + c2, 1;
    Mdot << -2 * s2 * qd[1], -s2 * qd[1], -s2 * qd[1], 0;
    h << -s2 * (qd[1] * qd[1] + 2 * qd[0] * qd[1]) + kGravity * (c12 + 2 * c1),
        s2 * qd[0] * qd[0] + kGravity * c12;
    A << c1 + c12, c12;
    Adot << -s1 * qd[0] - s12 * both, -s12 * both;
  }
  /// By the equation of one angle.
  Vector acceleration(const Vector& f) const {
    const double q1 = q[0], rate = qd[0];
    const double m_slope = inertia_of_angle(Complex(q1, kTiny)).imag() / kTiny,
                 bend = slope(Complex(q1, kTiny)).imag() / kTiny;
    const double qdd1 =
        (Lambda.dot(f) - 0.5 * m_slope * rate * rate - kGravity * std::cos(q1)) / inertia_of_angle(q1);
    return {qdd1, Lambda[1] * qdd1 + bend * rate * rate};
  }
  Vector q, Lambda, qd, h;
  Matrix M, Mdot;
  Row A, Adot;
};

/// P, C qd, Mc and mu of (15), (16), (23) and (32), as mended.
struct Projected {
  explicit Projected(const OffsetCrank& crank)
      : plus(crank.A.transpose() / crank.A.squaredNorm()),
        P(Matrix::Identity() - plus * crank.A),
        C_qd(-plus * (crank.Adot * crank.qd)),
        Mc(crank.M + P * crank.M - (P * crank.M).transpose()),
        mu((Matrix::Identity() - P) * crank.M * Mc.inverse()) {}
  Vector plus;
  Matrix P;
  Vector C_qd;
  Matrix Mc, mu;
};

constexpr double kStates[][2] = {{0.4, 1.3}, {0.9, -2.0}, {-0.2, 1.7}};  // q1, its rate

Result dynamics(const Context&) {
  const Vector f(1.0, -0.6);
  Deviation mended;
  double display = HUGE_VAL, e23 = HUGE_VAL, e38 = HUGE_VAL, e79 = HUGE_VAL;
  for (const auto& [q1, rate] : kStates) {
    const OffsetCrank crank(q1, rate);
    const Projected by(crank);
    const Vector qdd = crank.acceleration(f);
    // The display before (16).
    const double right = -(crank.Adot * crank.qd).value(), printed = -(crank.A * crank.qd).value();
    mended.add((crank.A * qdd).value(), right, kRounding);
    display = std::min(display, std::fabs((crank.A * qdd).value() - printed));
    // (22) with Mc of (23).
    const Vector side = by.P * (f - crank.h) + crank.M * by.C_qd;
    mended.add((by.Mc.inverse() * side - qdd).norm(), 0.0, kRounding);
    e23 = std::min(e23, ((crank.M + crank.Mdot).inverse() * side - qdd).norm());
    // (38), with theta = q1: the rates are those that the constraint lets through.
    mended.add((crank.A * (crank.Lambda * rate)).value(), 0.0, kRounding);
    mended.add((crank.Lambda * rate - crank.qd).norm(), 0.0, kRounding);
    e38 = std::min(e38, (crank.Lambda * q1 - crank.qd).norm());
    // (78) and (79). Of A qd = c the rate of c belongs into (79) with a minus; the paper's constraint has none.
    const double c_dot = 0.7;
    const Matrix inverse = crank.M.inverse();
    const double mobility = (crank.A * inverse * crank.A.transpose()).value();
    const auto by_multiplier = [&](double more) {
      const double lambda =
          ((crank.A * inverse * (f - crank.h)).value() + (crank.Adot * crank.qd).value() + more) / mobility;
      return Vector(inverse * (f - crank.h - crank.A.transpose() * lambda));
    };
    mended.add((by_multiplier(0.0) - qdd).norm(), 0.0, kRounding);
    mended.add((crank.A * by_multiplier(-c_dot) + crank.Adot * crank.qd).value(), c_dot, kRounding);
    e79 = std::min(e79, std::fabs((crank.A * by_multiplier(c_dot) + crank.Adot * crank.qd).value() - c_dot));
  }
  return {
      "the display before (16): A qdd = -A qd; (23): Mc = M + Mdot; (38): qd = Lambda theta; (79): + cdot",
      fmt::format("mended {}; as printed off by at least {:.2f} m/s^2, {:.2f} rad/s^2, {:.2f} rad/s, "
                  "{:.2f} m/s^2",
                  mended.to_string(), display, e23, e38, e79),
      corrected(all_within(mended) && display > kWrong && e23 > kWrong && e38 > kWrong && e79 > kWrong,
                "the equation of one angle of a slider-crank whose slider runs beside its axis, at three "
                "states: (16), (23), (38) and (79) as printed and as mended"),
      "the display before (16) lacks the dot of A, (23) has M-dot for M~ of (24), (38) theta for its rate. "
      "(79) has + cdot, which (11) does not have; of a constraint A qd = c it would be - cdot",
      {}};
}

Result forces(const Context&) {
  const Vector u_p(1.1, -0.7);
  const double wanted = 2.5;  // [N] the multiplier
  Deviation mended;
  double e49 = HUGE_VAL, e52 = HUGE_VAL, e51 = HUGE_VAL, as_printed = 0.0;
  for (const auto& [q1, rate] : kStates) {
    const OffsetCrank crank(q1, rate);
    const Projected by(crank);
    const Matrix I = Matrix::Identity();
    const Vector u_F = crank.A.transpose() * wanted, along = by.P * (crank.h + crank.M * u_p);  // (50), (43)
    // The force of the constraint that is left: f - h - M qdd, qdd by the equation of one angle.
    const auto left = [&](const Vector& f) { return Vector(f - crank.h - crank.M * crank.acceleration(f)); };
    const auto law_49 = [&](const Vector& turning) {
      return Vector(along + (I - by.P) * crank.h + by.mu * (along - by.P * crank.h + turning) + u_F);
    };
    const auto law_52 = [&](const Vector& turning) {
      return Vector(crank.h + by.mu * turning + (I + by.mu) * by.P * crank.M * u_p + u_F);
    };
    const Vector C_c = crank.M * by.C_qd;
    mended.add((left(law_49(C_c)) - u_F).norm(), 0.0, kRounding * 10);  // forces of order a hundred
    mended.add((left(law_52(C_c)) - u_F).norm(), 0.0, kRounding * 10);
    mended.add((law_49(C_c) - law_52(C_c)).norm(), 0.0, kRounding * 10);
    e49 = std::min(e49, (left(law_49(by.C_qd)) - u_F).norm());
    e52 = std::min(e52, (left(law_52(by.C_qd)) - u_F).norm());
    // (51): |A^T e| is never below sigma |e|, and here, with one row, always sigma |e|.
    const auto least = [](const auto& square) {
      return std::sqrt(
          std::max(0.0, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(square).eigenvalues().minCoeff()));
    };
    const double by_rows = least(Eigen::MatrixXd(crank.A * crank.A.transpose())),
                 by_columns = least(Eigen::MatrixXd(crank.A.transpose() * crank.A));
    mended.add(by_rows, (crank.A.transpose() * 1.0).norm(), kRounding);
    e51 = std::min(e51, by_rows);
    as_printed = std::max(as_printed, by_columns);
  }
  return {
      "(49), (52): mu C qd in the laws of force; (51): sigma by the eigenvalues of A^T A",
      fmt::format("mended {}: the constraint bears what is wanted; as printed off by at least {:.2f} and "
                  "{:.2f} N m. sigma by A^T A is {:.1g}, by A A^T at least {:.2f}",
                  mended.to_string(), e49, e52, as_printed, e51),
      corrected(all_within(mended) && e49 > kWrong && e52 > kWrong && e51 > kWrong && as_printed < 1e-7,
                "(49), (51) and (52) as printed and as mended, with the force that the equation of one "
                "angle leaves, at three states"),
      "(49) and (52) have C qd where C_c qd = M C qd of (22) and (32) belongs; in section VIII it "
      "is not seen, C qd being zero there. A^T A of (51) has the eigenvalue zero wherever there are fewer "
      "constraints than coordinates: A A^T is meant",
      {}};
}

}  // namespace

std::vector<study::Case> misprint_cases() {
  return {{"iii-v-misprints", "a slider-crank whose slider runs beside its axis", dynamics},
          {"vii-c-forces", "control of the constraint's force on it", forces}};
}

}  // namespace tactus::studies::aghili
