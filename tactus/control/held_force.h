// A mass with a damper, for a period T under a force that is held: exact. Sampled loops are made of it.
//
//   m vd = F - b v:     x(T) = x + T phi v + (T^2/m) psi F,     v(T) = exp(-z) v + (T/m) phi F
//   z = b T/m,          phi = (1 - exp(-z))/z,                  psi = (1 - phi)/z
#pragma once

#include <cmath>

namespace tactus::control {

struct HeldForce {
  /// [kg], [N s/m], [s]
  HeldForce(double mass, double damping, double period) : m(mass), T(period) {
    const double z = damping * T / m;
    left = std::exp(-z);
    phi = z > 0.0 ? -std::expm1(-z) / z : 1.0;
    psi = z > 1e-4 ? (1.0 - phi) / z : 0.5 - z / 6.0;  // the next term, z^2/24, is 4e-10
  }
  /// [m] covered from the speed v.
  double way(double v, double F) const { return T * phi * v + T * T / m * psi * F; }
  /// [m/s] then.
  double speed(double v, double F) const { return left * v + T / m * phi * F; }

  double m, T, left, phi, psi;
};

}  // namespace tactus::control
