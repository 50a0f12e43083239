#include <tactus/control/coupler_at_port.h>

#include <cmath>

#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

constexpr double kGainMargin = 1.5, kEasier = 4.0;

}  // namespace

bool stable_at_port(const device::Specification& s, const CouplerGains& gains,
                    const std::array<double, 2>& mode) {
  for (std::size_t k = 0; k < 2; ++k) {
    const double K = gains.stiffness[k];
    if ((s.actuated >> (3 * k) & 0b111) == 0 || !(K > 0.0) || !(mode[0] > 0.0)) continue;
    const SampledLoop loop = loop_of(s, k, K / mode[0]);
    const double B = mode[1] * K / mode[0];
    // The two together go on as they do: an eigenvalue of 1 where nothing damps them.
    constexpr double kRounding = 1e-9;
    if (!(spectral_radius(loop, kGainMargin * K, kGainMargin * B) <= 1.0 + kRounding)) return false;
  }
  return true;
}

std::array<double, 2> fastest_mode(const device::Specification& s, const CouplerGains& gains,
                                   const std::array<double, 36>& mobility) {
  const auto largest = [&](const std::array<double, 2>& of) {
    Eigen::Matrix<double, 6, 6> A = Eigen::Matrix<double, 6, 6>::Zero();
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        if (device::has_axis(s.actuated, i) && device::has_axis(s.actuated, j))
          A(static_cast<int>(i), static_cast<int>(j)) =
              std::sqrt(of[i / 3] * of[j / 3]) * 0.5 * (mobility[6 * i + j] + mobility[6 * j + i]);
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>>(A).eigenvalues()[5];
  };
  return {largest(gains.stiffness), largest(gains.damping)};
}

CouplerGains softened(const device::Specification& s, const CouplerGains& given,
                      const std::array<double, 36>& mobility) {
  CouplerGains gains = given;
  for (int i = 0; i < 80; ++i) {
    std::array<double, 2> mode = fastest_mode(s, gains, mobility);
    for (double& m : mode) m *= kEasier;
    if (stable_at_port(s, gains, mode)) break;
    for (std::size_t k = 0; k < 2; ++k) gains.stiffness[k] *= 0.8, gains.damping[k] *= 0.9;
  }
  return gains;
}

}  // namespace tactus::control
