// The slider-crank of section VIII-A by one angle alone: the reference of the study and of the tests.
#pragma once

#include <cmath>
#include <numbers>

namespace tactus::aghili {

/// The acceleration of the branch below.
inline double reduced_acceleration(double g, double f, double angle, double rate) {
  return (f - g * std::cos(angle) - 2.0 * std::sin(2.0 * angle) * rate * rate) /
         (3.0 - 2.0 * std::cos(2.0 * angle));
}

/// The branch q2 = 2 pi - 2 q1 (l = m = 1, driven by the torque f at q1), from rest at q1 = 2 pi/3:
/// (3 - 2 cos 2q) qdd + 2 sin(2q) qd^2 + g cos q = f.
class ReducedCrank {
 public:
  ReducedCrank(double gravity, double torque) : g_(gravity), f_(torque) {}

  /// By Runge-Kutta's method.
  void advance(double duration) {
    constexpr double h = 1e-4;  // truncation far below 1e-12
    for (long left = std::lround(duration / h); left > 0; --left) {
      const double k1 = slope(q, v), l1 = v;
      const double k2 = slope(q + h / 2 * l1, v + h / 2 * k1), l2 = v + h / 2 * k1;
      const double k3 = slope(q + h / 2 * l2, v + h / 2 * k2), l3 = v + h / 2 * k2;
      const double k4 = slope(q + h * l3, v + h * k3), l4 = v + h * k3;
      q += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
      v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }

  double q = 2.0 * std::numbers::pi / 3.0, v = 0.0;

 private:
  double slope(double angle, double rate) const { return reduced_acceleration(g_, f_, angle, rate); }
  double g_, f_;
};

}  // namespace tactus::aghili
