#include <tactus/control/mean_wrench.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace tactus::control {
namespace {

/// Directions along the axes, with the mass ratios s.
Resisted along_axes(const Matrix6& M_d, const Vector6& s) {
  Resisted directions;
  directions.s = s;
  for (std::size_t i = 0; i < 6; ++i) directions.n[i][i] = 1.0 / std::sqrt(M_d[7 * i]);
  return directions;
}

// All of the change where nothing moves, none of it where the port is as light as the handle or lighter, 1 - s between.
TEST(MeanWrench, IsForetoldAlongWhatIsHeavierThanTheHandle) {
  Matrix6 M_d{};
  for (std::size_t i = 0; i < 6; ++i) M_d[7 * i] = i < 3 ? 0.01 : 0.5;
  const Vector6 s{0.0, 0.25, 1.0, 0.0, 0.75, 3.0};
  const Vector6 now{1, 2, 3, 4, 5, 6}, before{0.5, 1, 1, 2, 8, 4};
  const Vector6 mean = mean_wrench({}, now, before, along_axes(M_d, s), M_d);
  constexpr double kRounding = 1e-14;
  for (std::size_t i = 0; i < 6; ++i) {
    const double p = std::clamp(1.0 - s[i], 0.0, 1.0);
    EXPECT_NEAR(mean[i], now[i] + 0.5 * p * (now[i] - before[i]), kRounding) << i;
  }
  EXPECT_EQ(mean_wrench({}, now, before, {}, M_d), now);  // nothing is known of the port yet
}

// However strong the hand's damping: the speed's polynomial of mean_wrench.h has no root beyond the unit circle.
TEST(MeanWrench, BearsEveryHandsDamping) {
  for (const double a : {1e-3, 0.1, 1.0, 10.0, 1e3})
    for (const double v : {0.0, 0.01, 0.3, 0.7, 1.0}) {
      const double p = 1.0 - v;
      const double z2 = 1.0 + 0.5 * a, z1 = -(1.0 - 0.5 * a + a * (1.0 - v) * (1.0 + 0.5 * p)),
                   z0 = 0.5 * a * (1.0 - v) * p;
      const std::complex<double> root = std::sqrt(std::complex<double>(z1 * z1 - 4.0 * z2 * z0));
      constexpr double kRounding = 1e-12;
      EXPECT_LE(std::abs((-z1 + root) / (2.0 * z2)), 1.0 + kRounding) << a << " " << v;
      EXPECT_LE(std::abs((-z1 - root) / (2.0 * z2)), 1.0 + kRounding) << a << " " << v;
    }
}

}  // namespace
}  // namespace tactus::control
