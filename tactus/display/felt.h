// What a hand feels along one direction: mass, damping and stiffness that fit the forces best.
//
//   F = m a + b v + k (x - x_0),      least squares over m, b, k, x_0
#pragma once

#include <span>

namespace tactus::display {

struct Felt {
  double mass = 0.0, damping = 0.0, stiffness = 0.0;  // [kg], [N s/m], [N/m]
  double unexplained = 1.0;  // the part of the force's variation that is left over, rms: 0 is a perfect fit
  bool known = false;        // false: the motion does not tell them apart
};

/// Of equal lengths.
Felt fit_felt(std::span<const double> x, std::span<const double> v, std::span<const double> a,
              std::span<const double> force);

}  // namespace tactus::display
