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
// Two rates (display/two_rates.h): what the loop knows of the mechanism is up to u periods old. Its local model moves on by itself, but what it does not know,
// a rigid contact or a path that turns, it meets at the next update only: a wall that is seen u periods late, d + u for the condition above.
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
  int age = 0;           // [periods] u
  double velocity_pole = 0.0;
  double device_mass = 1.0, device_damping = 0.0;              // [kg], [N s/m]
  double port_mass = std::numeric_limits<double>::infinity();  // [kg]; infinite: a wall
};
/// Of the device's rotation (0) or translation (1).
SampledLoop loop_of(const device::Specification& specification, std::size_t k, double port_mass, int age = 0);

/// The least damping of the device with which it is passive in front of a wall, to 1e-4 of itself.
double required_damping(const SampledLoop& loop, double stiffness, double damping);

/// The largest eigenvalue's size, of the map from one tick to the next.
double spectral_radius(const SampledLoop& loop, double stiffness, double damping);

/// Gains that are passive by required_damping and the encoder's bound, and with which the loop is stable both with a wall and
/// with the port's inertia {kg m^2, kg}: `share` of the largest passive stiffness, or less; `age` as in SampledLoop. An axis that is not actuated, and
/// one whose device has no damping, gets none.
CouplerGains design(const device::Specification& specification, const std::array<double, 2>& port_inertia,
                    double share = 0.5, int age = 0);

// The loop of an admittance device, one axis of it: the hand, a spring k_h with damping b_h on the handle, pushes a virtual mass; a position
// servo of lag tau brings the handle after it. In continuous time
//
//   m v' + b v = -k_h x,    tau x'' + x' = v:        m tau s^3 + (m + b tau) s^2 + b s + k_h = 0
//
// whose roots leave the left half at k_h = b (m + b tau)/(m tau) = b/tau + b^2/m: the stiffer the hand, the less damping and the later the
// servo, the sooner. A mass alone, however heavy, bears no hand at all.
// Sampled, F is held for a period, and commands come d periods late.

struct AdmittanceLoop {
  double period = 1e-3;              // [s] T
  int delay = 0;                     // [periods] d
  double lag = 5e-3;                 // [s] tau of the servo
  double mass = 1.0, damping = 0.0;  // [kg], [N s/m] that are rendered
  double hand_damping = 0.0;         // [N s/m]
};
/// The stiffest hand [N/m] with which it is stable, without sampling, delay and the hand's damping.
double continuous_hand_border(const AdmittanceLoop& loop);
/// The largest eigenvalue's size of the sampled map.
double spectral_radius(const AdmittanceLoop& loop, double hand_stiffness);
/// The stiffest hand [N/m] with which the sampled loop is stable, to 1e-9 of itself; infinite where that is above 1e9 N/m.
double sampled_hand_border(const AdmittanceLoop& loop);

/// The gains, all softened by the same factor until the fastest mode of a port with this mobility, 6 x 6, is stable (coupler_at_port.h).
CouplerGains softened(const device::Specification& specification, const CouplerGains& gains,
                      const std::array<double, 36>& mobility);

}  // namespace tactus::control
