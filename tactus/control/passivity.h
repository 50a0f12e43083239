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
// so that T a V^T M V = -W is burnt at the speed that the handle has now; at most half of its momentum is taken in a tick, and what is
// still missing is taken later. The damper stands between the handle and the ground: the mechanism does not feel it.
//
// An admittance device is given motion: W is the work of the sensed F_h along the sensed way (along the commanded one a virtual mass
// is always passive: what feeds the hand is the servo's lag), and the command yields to the hand instead,
// V += c C F_h with c = -W/(T F_h^T C F_h), C from newtons to metres per second.
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

/// The damper's wrench of the next period; zero where W is not negative.
inline device::Vector6 passivity_wrench(double W, const device::Vector6& V, const std::array<double, 36>& M,
                                        double period) noexcept {
  device::Vector6 F{};
  if (!(W < 0.0)) return F;
  const double power = quadratic(M, V);
  if (!(power > 0.0)) return F;
  constexpr double kMost = 0.5;  // of the momentum
  const double a = std::min(-W / (period * power), kMost / period);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) F[i] -= a * M[6 * i + j] * V[j];
  return F;
}

/// The motion that an admittance device yields besides, in the next period. C is diagonal {rotation, translation}
/// [rad/s/(N m)], [m/s/N]: with C the hand is not led faster than c <= 1.
inline device::Vector6 passivity_motion(double W, const device::Vector6& F_h, const std::array<double, 2>& C,
                                        double period) noexcept {
  device::Vector6 V{};
  if (!(W < 0.0)) return V;
  double power = 0.0;
  for (std::size_t i = 0; i < 6; ++i) power += C[i / 3] * F_h[i] * F_h[i];
  if (!(power > 0.0)) return V;
  const double c = std::min(-W / (period * power), 1.0);
  for (std::size_t i = 0; i < 6; ++i) V[i] = c * C[i / 3] * F_h[i];
  return V;
}

}  // namespace tactus::control
