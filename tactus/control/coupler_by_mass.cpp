#include <tactus/control/coupler_by_mass.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/device/registry.h>

namespace tactus::control {

namespace {

/// [rad/s] The w of K = m w^2, B = 2 z m w with which a step D of the encoder is a jump of force of no more than `most`: K D by the place, and B D c/e by the velocity, whose estimate through two poles c
/// has its largest value, D c/e, a time 1/c after the step. Without friction nothing else keeps it from shaking handle and port.
double quiet_frequency(const device::Specification& s, std::size_t k, double z, double most) {
  const double D = s.resolution[k], m = s.inertia[k];
  if (!(D > 0.0 && most > 0.0)) return std::numeric_limits<double>::infinity();
  const double c = s.velocity_bandwidth > 0.0 ? s.velocity_bandwidth / std::exp(1.0) : s.rate;
  const double half = z * c;  // w^2 + 2 half w = most/(D m)
  return std::sqrt(half * half + most / (D * m)) - half;
}

/// Gain margin: the loop is stable also with so many times the stiffness and damping.
constexpr double kGainMargin = 1.5;

}  // namespace

CouplerGains design_by_mass(const device::Specification& s, const std::array<double, 2>& port_inertia,
                            double share, int age) {
  constexpr double kRatio = 0.7;     // of the critical damping
  constexpr double kDiesOut = 0.1;   // of w
  constexpr double kSlowest = 1e-6;  // of the rate
  CouplerGains gains;
  share = std::clamp(share, 0.0, 1.0);
  for (std::size_t k = 0; k < 2; ++k) {
    const double m = s.inertia[k];
    if ((s.actuated >> (3 * k) & 0b111) == 0 || !(m > 0.0)) continue;
    const SampledLoop wall = loop_of(s, k, std::numeric_limits<double>::infinity(), age);
    const SampledLoop held = loop_of(s, k, port_inertia[k], age);
    const auto good = [&](const SampledLoop& loop, double w) {
      const double K = m * w * w, B = 2.0 * kRatio * m * w;
      return spectral_radius(loop, kGainMargin * K, kGainMargin * B) < 1.0 &&
             spectral_radius(loop, K, B) < std::exp(-kDiesOut * w * loop.period);
    };
    double w = s.rate;
    // With a port that moves the two together go on as they do: nothing dies out of that.
    while (w > kSlowest * s.rate &&
           !(good(wall, w) &&
             spectral_radius(held, kGainMargin * m * w * w, kGainMargin * 2.0 * kRatio * m * w) < 1.0 + 1e-9))
      w *= 0.9;
    if (!(w > kSlowest * s.rate)) continue;
    constexpr double kJump = 0.05;                            // of the continuous force
    constexpr std::array<double, 2> kWithoutLimit{0.2, 2.0};  // [N m], [N]
    const double most = s.continuous[k] > 0.0 ? kJump * s.continuous[k] : kWithoutLimit[k];
    w = std::min(w, quiet_frequency(s, k, kRatio, most)) * share;
    gains.stiffness[k] = m * w * w;
    gains.damping[k] = 2.0 * kRatio * m * w;
  }
  return gains;
}

bool is_passive(const device::Specification& s, const CouplerGains& gains, std::size_t k, int age) {
  if ((s.actuated >> (3 * k) & 0b111) == 0 || !(gains.stiffness[k] > 0.0 || gains.damping[k] > 0.0))
    return true;
  constexpr double kGrid = 1e-4;  // of the condition's supremum
  const SampledLoop wall = loop_of(s, k, std::numeric_limits<double>::infinity(), age);
  const double bound = k == 0 ? device::largest_rotational_stiffness(s) : device::largest_stiffness(s);
  return gains.stiffness[k] <= (1.0 + kGrid) * bound &&
         required_damping(wall, gains.stiffness[k], gains.damping[k]) <= (1.0 + kGrid) * s.damping[k];
}

}  // namespace tactus::control
