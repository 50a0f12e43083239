#include <tactus/control/admittance_design.h>

#include <cmath>

namespace tactus::control {

double display_lag(const device::Specification& s) noexcept {
  const double servo = s.inertia[1] > 0.0 && s.stiffness > 0.0 ? std::sqrt(s.inertia[1] / s.stiffness) : 0.0;
  return 1.0 / s.rate + s.latency + servo;
}

std::array<double, 2> least_inertia(const device::Specification& s, const BorneHand& hand) noexcept {
  const double d = display_lag(s);
  std::array<double, 2> least{};
  for (std::size_t k = 0; k < 2; ++k) least[k] = hand.damping[k] * d + 4.0 * hand.stiffness[k] * d * d;
  return least;
}

}  // namespace tactus::control
