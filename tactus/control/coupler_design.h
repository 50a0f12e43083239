// How stiff a virtual coupler may be: the sampled loop of a device, a coupler and a mechanism, one axis of it.
//
// Every period T the handle is read, F = K (x_H - x_P) + B (vhat_H - v_P) is computed, and held for a period: at once on
// the mechanism, d periods late on the device, whose estimate vhat is the difference of two readings through two poles a.
//
// Passivity [ColgateSchenkel1997]: the device of damping b stays passive in front of a fixed port (a wall) where
//
//   b > sup over 0 < w T <= pi of  T/2 Re{(1 - 1/z) H(z)}/(1 - cos w T),       z = exp(j w T)
//   H(z) = z^-d (K + B ((1 - a)/(1 - a/z))^2 (1 - 1/z)/T)
//
// which is K T/2 + B for d = 0 and a = 0, and K (T/2 + d T) for B = 0. Encoder steps D ask for K <= 2 f_c/D besides
// [AbbottOkamura2005]: device::largest_stiffness has both bounds for B = 0.
//
// Stability: with the mass and damping of the device and the mass that the port has, the loop is a linear map from one tick to
// the next, exact within the period; its eigenvalues must lie within the unit circle.
#pragma once

#include <array>
#include <limits>

#include <tactus/control/coupler.h>

namespace tactus::control {

struct SampledLoop {
  double period = 1e-3;  // [s] T
  int delay = 0;         // [periods] d
  double velocity_pole = 0.0;
  double device_mass = 1.0, device_damping = 0.0;              // [kg], [N s/m]
  double port_mass = std::numeric_limits<double>::infinity();  // [kg]; infinite: a wall
};
/// Of the device's rotation (0) or translation (1).
SampledLoop loop_of(const device::Specification& specification, std::size_t k, double port_mass);

/// The least damping of the device with which it is passive in front of a wall, to 1e-4 of itself.
double required_damping(const SampledLoop& loop, double stiffness, double damping);

/// The largest eigenvalue's size, of the map from one tick to the next.
double spectral_radius(const SampledLoop& loop, double stiffness, double damping);

/// Gains that are passive by required_damping and the encoder's bound, and with which the loop is stable both with a wall and
/// with the port's inertia {kg m^2, kg}: `share` of the largest passive stiffness, or less. An axis that is not actuated, and
/// one whose device has no damping, gets none.
CouplerGains design(const device::Specification& specification, const std::array<double, 2>& port_inertia,
                    double share = 0.5);

}  // namespace tactus::control
