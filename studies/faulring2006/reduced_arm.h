// Example C by one angle alone, that of the end point on its circle: the reference of the study's cases. The equal links are l long, the
// base is s from the circle's centre along -x. With D^2 = X^2 + Y^2 the distance of the end point (X, Y) from the base,
//
//   cos q2 = D^2/(2 l^2) - 1,   q1 = atan2(Y, X) - q2/2
//   m(z) = q'^T M q',   m zdd + m'/2 zd^2 + b |q'|^2 zd = F
//
// where ' is d/dz, M the printed (34), and F the generalised force on z. Derivatives of m and q' are taken by complex steps: no differences.
#pragma once

#include <cmath>
#include <complex>

namespace tactus::studies::faulring {

struct ReducedArm {
  static constexpr double kLength = 0.15, kMass = 2.0, kRadius = 0.05, kBase = 0.21;  // [m], [kg]
  double damping = 0.01;                                                              // [N m s/rad]

  /// dq/dz, and cos q2.
  template <class T>
  struct Rates {
    T q1, q2, c2;
  };
  template <class T>
  static Rates<T> rates(const T& z) {
    using std::cos, std::sin, std::sqrt;
    const T X = kBase + kRadius * cos(z), Y = kRadius * sin(z), dX = -kRadius * sin(z), dY = kRadius * cos(z);
    const T D2 = X * X + Y * Y, c2 = D2 / (2.0 * kLength * kLength) - 1.0, s2 = sqrt(1.0 - c2 * c2);
    const T q2 = -(X * dX + Y * dY) / (kLength * kLength * s2);
    return {(X * dY - Y * dX) / D2 - 0.5 * q2, q2, c2};
  }
  template <class T>
  static T mass(const T& z) {
    constexpr double k = kMass * kLength * kLength / 3.0;
    const Rates<T> r = rates(z);
    return k * ((5.0 + 3.0 * r.c2) * r.q1 * r.q1 + (2.0 + 3.0 * r.c2) * r.q1 * r.q2 + r.q2 * r.q2);
  }
  /// m'(z).
  static double mass_slope(double z) { return mass(at(z)).imag() / kStep; }
  /// d2q/dz2 of either joint.
  static double slope_1(double z) { return rates(at(z)).q1.imag() / kStep; }
  static double slope_2(double z) { return rates(at(z)).q2.imag() / kStep; }

  double resistance(double z) const {
    const Rates<double> r = rates(z);
    return damping * (r.q1 * r.q1 + r.q2 * r.q2);
  }
  double acceleration(double z, double zd, double force) const {
    return (force - 0.5 * mass_slope(z) * zd * zd - resistance(z) * zd) / mass(z);
  }
  static double kinetic(double z, double zd) { return 0.5 * mass(z) * zd * zd; }
  /// Of the kinetic energy, at any speed: what link 2 has. Link 1 turns about its end.
  static double share_of_link_2(double z) {
    const double q1 = rates(z).q1;
    return 1.0 - kMass * kLength * kLength / 3.0 * q1 * q1 / mass(z);
  }
  /// The hand's tangential force that keeps a speed zd.
  double steady_force(double z, double zd) const {
    return (0.5 * mass_slope(z) * zd * zd + resistance(z) * zd) / kRadius;
  }

  /// Without a hand, by Runge-Kutta's method.
  void coast(double& z, double& zd, double h) const {
    const double k1 = acceleration(z, zd, 0.0), v1 = zd;
    const double v2 = zd + h / 2 * k1, k2 = acceleration(z + h / 2 * v1, v2, 0.0);
    const double v3 = zd + h / 2 * k2, k3 = acceleration(z + h / 2 * v2, v3, 0.0);
    const double v4 = zd + h * k3, k4 = acceleration(z + h * v3, v4, 0.0);
    z += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    zd += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

 private:
  static constexpr double kStep = 1e-30;
  static std::complex<double> at(double z) { return {z, kStep}; }
};

}  // namespace tactus::studies::faulring
