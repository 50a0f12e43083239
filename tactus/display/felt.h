// What a hand feels along one direction: mass, damping and stiffness that fit the forces best.
//
//   F = m a + b v + k (x - x_0),      least squares over m, b, k, x_0
#pragma once

#include <span>

#include <tactus/display/run_loop.h>

namespace tactus::display {

/// Of equal lengths.
Felt fit_felt(std::span<const double> x, std::span<const double> v, std::span<const double> a,
              std::span<const double> force);

}  // namespace tactus::display
