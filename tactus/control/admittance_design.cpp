#include <tactus/control/admittance_design.h>

#include <cmath>

#include <tactus/math/decompositions.h>

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

std::array<double, 2> missing_inertia(const std::array<double, 2>& least, const Matrix6& L,
                                      std::uint8_t axes) noexcept {
  std::array<double, 2> missing{};
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d part = Eigen::Matrix3d::Zero();
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (device::has_axis(axes, 3 * k + i) && device::has_axis(axes, 3 * k + j))
          part(static_cast<int>(i), static_cast<int>(j)) =
              0.5 * (L[6 * (3 * k + i) + 3 * k + j] + L[6 * (3 * k + j) + 3 * k + i]);
    if (!part.allFinite()) continue;
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes;
    modes.computeDirect(part, Eigen::EigenvaluesOnly);
    const double easiest = modes.eigenvalues()[2];
    if (easiest * least[k] > 1.0) missing[k] = least[k] - 1.0 / easiest;
  }
  return missing;
}

}  // namespace tactus::control
