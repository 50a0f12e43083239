// How stiff and how damped penalties (four_channel.h, (17)) may be on a device as it is: the sampled loop of one axis along which the port does not move.
//
// penalty_border() has the ideal device, whose velocity is known and whose motors are at once there: b_j < 2/T, k_j < 2 b_j/T. A device's velocity is a difference of readings through two poles,
// its motors are d periods late, its damping b is masked by that velocity, and where the hand's wrench is sensed the motors take it from the handle as it is foretold
// (mean_wrench.h):
//
//   m vd = -b v + F_h + u,     u = -M_d k_j x - (M_d b_j - b) vhat - (F_h + (F_h - F_h before)/2)          held, d periods late
//   F_h = -B_h v
//
// of a hand that is a damper B_h: its spring is small beside M_d k_j. The motors take the damper from the handle half a period late at least, so that the hand lowers the border, and the more the lighter the handle is.
// Without a sensor nothing is taken; damping is masked by the port's motion, which is none here, and the coordination's K and B (by_coordination) add to the penalty's: the loop is a coupler's before a wall.
#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>

#include <cmath>
#include <limits>

#include <tactus/control/held_force.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x -> A x with x = (x, v, two of the filter, F_h of the tick before, u of the last d ticks).
Eigen::VectorXd next(const SampledLoop& loop, double K, double B, double B_h, const Eigen::VectorXd& x) {
  const double T = loop.period, a = loop.velocity_pole;
  const double F_h = -B_h * x[1];
  const double u = -K * x[0] - (B - loop.device_damping) * x[3] - (1.5 * F_h - 0.5 * x[4]);
  const double late = loop.delay == 0 ? u : x[4 + loop.delay];
  const HeldForce handle(loop.device_mass, loop.device_damping + B_h, T);  // the hand's damper with it
  const double way = handle.way(x[1], late);

  Eigen::VectorXd y(x.size());
  y[0] = x[0] + way;
  y[1] = handle.speed(x[1], late);
  y[2] = (1.0 - a) * way / T + a * x[2];
  y[3] = (1.0 - a) * y[2] + a * x[3];
  y[4] = F_h;
  for (int i = loop.delay; i > 0; --i) y[4 + i] = i == 1 ? u : x[3 + i];
  return y;
}

}  // namespace

double penalty_radius(const device::Specification& s, const FourChannelGains& gains, std::size_t k,
                      double k_j, double b_j, double B_h) {
  const SampledLoop loop = loop_of(s, k, kInfinity);
  const double K = loop.device_mass * k_j, B = loop.device_mass * b_j;
  if (gains.by_coordination)
    return spectral_radius(loop, K + gains.coordination.stiffness[k], B + gains.coordination.damping[k]);
  const int n = 5 + loop.delay;
  Eigen::MatrixXd A(n, n);
  for (int j = 0; j < n; ++j) A.col(j) = next(loop, K, B, B_h, Eigen::VectorXd::Unit(n, j));
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

double stiffest_penalty(const device::Specification& s, const FourChannelGains& gains, std::size_t k,
                        double b_j, double B_h) {
  const auto stable = [&](double k_j) { return penalty_radius(s, gains, k, k_j, b_j, B_h) < 1.0; };
  constexpr double kLeast = 1e-3;  // [1/s^2] of which nobody feels anything
  double low = kLeast, high = penalty_border(1.0 / s.rate, b_j).stiffness + 8.0 * s.rate * s.rate;
  if (!stable(low)) return 0.0;
  while (high / low > 1.0 + 1e-4) {
    const double middle = std::sqrt(low * high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace tactus::control
