#include <tactus/control/mean_wrench.h>

#include <algorithm>

namespace tactus::control {

Vector6 mean_wrench(const FourChannelGains& gains, const Vector6& now, const Vector6& before,
                    const Resisted& directions, const Matrix6& M_d) noexcept {
  Vector6 mean = now;
  if (now == before) return mean;
  // Directions are the port's; way along x_i at the port is c_i times that at the handle, M_d/m at the handle is up to `lighter` times that at the port.
  const double c = gains.motion_scale;
  const double lighter =
      std::max(gains.motion_scale / gains.force_scale, 1.0 / (gains.force_scale * gains.motion_scale));
  for (std::size_t k = 0; k < 6; ++k) {
    const double p = gains.rank == Rank::mobility ? std::clamp(1.0 - lighter * directions.s[k], 0.0, 1.0)
                                                  : directions.weight[k];
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
