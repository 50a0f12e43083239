#include <tactus/control/passivity_design.h>

#include <limits>

#include <tactus/control/coupler_design.h>

namespace tactus::control {

double guard_share(const device::Specification& s) {
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

}  // namespace tactus::control
