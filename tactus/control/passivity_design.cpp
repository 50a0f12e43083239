#include <tactus/control/passivity_design.h>

#include <algorithm>
#include <array>
#include <limits>

#include <tactus/control/coupler_design.h>

namespace tactus::control {

namespace {

/// A damper of the share p of M/T on a velocity that is encoder steps D through poles w gives a jump of p M D w/T by
/// one of them. Where the device has neither damping nor friction that takes it, that is no more than a coupler's.
double most_by_steps(const device::Specification& s) {
  constexpr std::array<double, 2> kJump{0.2, 2.0};  // [N m], [N]
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 2; ++k) {
    const double pole = s.velocity_bandwidth > 0.0 ? std::min(s.velocity_bandwidth, s.rate) : s.rate;
    const double step = s.inertia[k] * s.resolution[k] * pole * s.rate;
    if (step > 0.0 && !(s.damping[k] > 0.0) && !(s.friction[k] > 0.0)) most = std::min(most, kJump[k] / step);
  }
  return most;
}

double share_by_lag(const device::Specification& s) {
  constexpr double kHalf = 0.5;
  if (s.kind != device::Kind::impedance || !(s.inertia[0] > 0.0 || s.inertia[1] > 0.0)) return kHalf;
  // Of a unit mass without damping of its own: rotations and translations are equally late.
  SampledLoop loop = loop_of(s, s.inertia[1] > 0.0 ? 1 : 0, std::numeric_limits<double>::infinity());
  loop.device_mass = 1.0;
  loop.device_damping = 0.0;
  // Nothing holds the handle in its place: an eigenvalue is 1, but for rounding.
  constexpr double kRounding = 1e-9;
  const auto stable = [&](double share) {
    return spectral_radius(loop, 0.0, share / loop.period) < 1.0 + kRounding;
  };
  double low = 0.0, high = 1.0;
  if (stable(high)) return kHalf;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return kHalf * low;
}

}  // namespace

double guard_share(const device::Specification& s) { return std::min(share_by_lag(s), most_by_steps(s)); }

}  // namespace tactus::control
