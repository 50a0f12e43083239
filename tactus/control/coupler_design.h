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
// The mechanism's side. The mechanism gets the held force at once, and gives back what it does along its way p_k in a tick, exactly. With the handle's way h_k, and with e_k the coupler's, a spring that is held gives
//
//   K e_k (p_k - h_k) = E_k - E_k+1 + K (h_k - p_k)^2/2
//
// K (h_k - p_k)^2/2 more than it holds in every tick. Of a handle that moves the device's damping burns b h_k^2/T, which is the condition above. Where the hand holds the handle, or dry friction does, and the port swings on the spring, nothing
// burns but the coupler's own damper: B v_k p_k. Of a mass that is B p_k^2/T on the mean, u = p/T being the mean of v_k and v_k+1, and
//
//   B > K T/2
//
// With less a mechanism without losses swings up by (K T/2 - B)/2m, and feeds the hand. Motors that are d periods late see another spring than the mechanism: as a two-port with the velocities of both sides, at low frequencies,
//
//   [b + B - K (d + 1/2) T,  K (d + 1) T/2 - B;  the same, B - K T/2] >= 0    or    b (B - K T/2) > (K d T)^2/4
//
// A mode w of the mechanism makes its mean speed tan(w T/2)/(w T/2) times the mean of both ends' speeds, and the estimate of the handle's speed is late by a lag l: b (B - K T/2) > (w l B)^2/4. A tenth more takes modes, those
// of the mechanism on the coupler among them, of up to a quarter of a radian in a tick and a quarter of the estimate's bandwidth; of faster ones the losses must be somewhere else.
//
// A handle that goes from the middle of an encoder's step over its edge goes D/2 and is seen to go D. In front of a wall the force counts, and its way: K <= 2 f_c/D. A port that can move has at once what the spring then holds, K D^2/2, and
// dry friction has burnt f_c D/2 of what the hand gave: K <= f_c/D. (To and fro over one edge in time with a port that swings, the hand feeds it K D times the port's way all the same; the coupler's damper bounds what comes of it.)
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

/// The least damping of the coupler with which a mechanism without losses is passive behind it; a tenth more than the condition says.
double port_damping(const SampledLoop& loop, double stiffness);

/// The largest eigenvalue's size, of the map from one tick to the next.
double spectral_radius(const SampledLoop& loop, double stiffness, double damping);

/// Gains that are passive by required_damping, port_damping and the encoder's bound, and with which the loop is stable both with a wall and
/// with the port's inertia {kg m^2, kg}: `share` of the largest passive stiffness, or less, and no more than f_c/D; `age` as in SampledLoop. An axis that is not actuated, and
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
