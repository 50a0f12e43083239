// The passivity observer and controller in time domain [HannafordRyu2002]: whatever the controller does, a hand gets no more
// work out of the handle than it has put in.
//
// Observer: a wrench is held for a period, and the encoders tell how far the handle went in it, so that the energy which went
// into the display up to now is known, not estimated:
//
//   W = - sum F_k . (x_{k+1} - x_k)             F on the handle
//
// Controller: where W < 0, a damper of the next period gives back what is missing, in the metric of the device's inertia M,
//
//   F += -a M V,      a = -W/(T V^T M V),       a <= 1/(2 T)
//
// so that T a V^T M V = -W is burnt at the speed that the handle has now; at most half of its momentum is taken in a tick, less where motors are late (passivity_design.h), and what is
// still missing is taken later. The damper stands between the handle and the ground: the mechanism does not feel it.
//
// An admittance device is given motion: W is the work of the sensed F_h along the sensed way (along the commanded one a virtual mass
// is always passive: what feeds the hand is the servo's lag), and the command yields to the hand instead, towards
//
//   V* = c C F_h,     c = -W/(T F_h^T C F_h) <= 1          C from newtons to metres per second
//
// A hand with damping B answers the yield by -B V one period later: V* itself, taken at once, has the gain c C B from tick to tick, and
// shakes every hand with B > 1/C. So the yield is a mass of T/(a C) on a damper of 1/C,
//
//   V += a (V* - V),      V_{k+1} = (1 - a (1 + c C B)) V_k + ...
//
// whose pole lies within the unit circle for a (1 + C B) < 2; late by d periods it is stable for a C B < 2 sin(pi/(4 d + 2)), which is above
// 1/(1 + d). With a = 1/((1 + d)(1 + C B)) it bears every hand up to B. A mass on a damper is passive itself, also to springs and masses of a hand.
#pragma once

#include <algorithm>
#include <array>

#include <tactus/device/device.h>

namespace tactus::control {

/// Twice the kinetic energy, or what stands for it.
inline double quadratic(const std::array<double, 36>& M, const device::Vector6& x) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) sum += x[i] * M[6 * i + j] * x[j];
  return sum;
}

/// The damper's wrench of the next period; zero where W is not negative. `most` of the momentum is taken.
inline device::Vector6 passivity_wrench(double W, const device::Vector6& V, const std::array<double, 36>& M,
                                        double period, double most = 0.5) noexcept {
  device::Vector6 F{};
  if (!(W < 0.0)) return F;
  const double power = quadratic(M, V);
  if (!(power > 0.0)) return F;
  const double a = std::min(-W / (period * power), most / period);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) F[i] -= a * M[6 * i + j] * V[j];
  return F;
}

/// A damper on a port with the mobility L [6 x 6], by which the mechanism gives back a surplus [J] that it was fed: in the metric of M as above, and as strong at most as takes half of what the port's
/// velocity loses by a wrench M V. L may be a tick old.
inline device::Vector6 port_brake(double surplus, const device::Vector6& V, const std::array<double, 36>& M,
                                  const std::array<double, 36>& L, double period) noexcept {
  // No eigenvalue of L M is larger than its trace: both are symmetric and none of theirs is negative.
  double trace = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) trace += L[6 * i + j] * M[6 * j + i];
  device::Vector6 F = passivity_wrench(-surplus, V, M, period);
  for (double& f : F) f /= std::max(1.0, trace);
  return F;
}

/// How an admittance device yields. Pairs are {rotation, translation}.
struct Yielding {
  /// [rad/s/(N m)], [m/s/N] as fast as a hand leads a light handle.
  std::array<double, 2> C{0.5, 0.03};
  /// [N m s/rad], [N s/m] of the hand that it bears, and twice that at the border: 1400 N s/m have both hands of a strong man, 1000 N/m, who leads what weighs a
  /// ton, well damped.
  std::array<double, 2> hand_damping{100.0, 1000.0};
  double periods = 2.0;  // 1 + d: from the sensed wrench to the motion that answers it
};

/// All that it remembers, beside the books (display/energy_books.h) that W is read from: the damper has no memory.
struct PassivityMemory {
  device::Vector6 V{};  // [rad/s; m/s] by which an admittance device yields in this period
};

/// The motion that an admittance device yields besides, in the next period, from the one in this; it fades where W is not negative.
inline const device::Vector6& passivity_motion(PassivityMemory& memory, const Yielding& yielding, double W,
                                               const device::Vector6& F_h, double period) noexcept {
  double power = 0.0;
  for (std::size_t i = 0; i < 6; ++i) power += yielding.C[i / 3] * F_h[i] * F_h[i];
  const double c = W < 0.0 && power > 0.0 ? std::min(-W / (period * power), 1.0) : 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double C = yielding.C[i / 3];
    const double a = 1.0 / (yielding.periods * (1.0 + C * yielding.hand_damping[i / 3]));
    memory.V[i] += a * (c * C * F_h[i] - memory.V[i]);
  }
  return memory.V;
}

}  // namespace tactus::control
