#include <tactus/control/mean_wrench.h>

#include <algorithm>
#include <cmath>

namespace tactus::control {

namespace {

/// v of mean_wrench.h: M_d/m at the handle along the port's directions, or more.
Vector6 ratios_at_handle(const FourChannelGains& gains, const Resisted& directions,
                         const Matrix6& M_d) noexcept {
  const double f = gains.force_scale, c = gains.motion_scale;
  Vector6 v{};
  if (c == 1.0) {
    for (std::size_t k = 0; k < 6; ++k) v[k] = directions.s[k] / f;
    return v;
  }
  const std::array<double, 2> D{std::sqrt(1.0 / (f * c)), std::sqrt(c / f)};
  Matrix6 G{};
  for (std::size_t k = 0; k < 6; ++k) {
    Vector6 MDn{};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) MDn[i] += M_d[6 * i + j] * D[j / 3] * directions.n[k][j];
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t i = 0; i < 6; ++i) G[6 * j + k] += directions.n[j][i] * MDn[i];
  }
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t l = 0; l < 6; ++l) {
      double coupled = 0.0;
      for (std::size_t j = 0; j < 6; ++j) coupled += G[6 * j + k] * directions.s[j] * G[6 * j + l];
      v[k] += std::abs(coupled);
    }
  return v;
}

}  // namespace

Vector6 mean_wrench(const FourChannelGains& gains, const Vector6& now, const Vector6& before,
                    const Resisted& directions, const Matrix6& M_d) noexcept {
  Vector6 mean = now;
  if (now == before) return mean;
  // Directions are the port's; way along x_i at the port is c_i times that at the handle.
  const double c = gains.motion_scale;
  const Vector6 v = gains.rank == Rank::mobility ? ratios_at_handle(gains, directions, M_d) : Vector6{};
  for (std::size_t k = 0; k < 6; ++k) {
    const double p = gains.rank == Rank::mobility ? std::clamp(1.0 - v[k], 0.0, 1.0) : directions.weight[k];
    if (!(p > 0.0)) continue;
    const Vector6& n = directions.n[k];
    double along = 0.0;
    for (std::size_t i = 0; i < 6; ++i) along += n[i] * (i < 3 ? 1.0 : c) * (now[i] - before[i]);
    for (std::size_t i = 0; i < 6; ++i) {
      double Mn = 0.0;
      for (std::size_t j = 0; j < 6; ++j) Mn += M_d[6 * i + j] * n[j];
      mean[i] += 0.5 * p * along * Mn / (i < 3 ? 1.0 : c);
    }
  }
  return mean;
}

}  // namespace tactus::control
