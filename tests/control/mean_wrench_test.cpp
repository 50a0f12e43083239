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

// By a scale of motion c and one of force f the port's mass along a way is f/c times as large in the hand, a moment of inertia f c times.
TEST(MeanWrench, ComparesMassesAsTheHandHasThem) {
  Matrix6 M_d{};
  for (std::size_t i = 0; i < 6; ++i) M_d[7 * i] = i < 3 ? 0.01 : 0.5;
  const Vector6 s{0.0, 0.25, 0.1, 0.0, 0.75, 0.02};
  const Vector6 now{1, 2, 3, 4, 5, 6}, before{0.5, 1, 1, 2, 8, 4};
  constexpr double kRounding = 1e-14;
  for (const double force : {0.1, 1.0, 10.0})
    for (const double motion : {0.1, 1.0, 10.0}) {
      const FourChannelGains gains{.force_scale = force, .motion_scale = motion};
      const Vector6 mean = mean_wrench(gains, now, before, along_axes(M_d, s), M_d);
      for (std::size_t i = 0; i < 6; ++i) {
        const double v = s[i] / (force * (i < 3 ? motion : 1.0 / motion));
        EXPECT_NEAR(mean[i], now[i] + 0.5 * std::clamp(1.0 - v, 0.0, 1.0) * (now[i] - before[i]), kRounding)
            << i << " " << force << " " << motion;
      }
      // A direction that moves and turns at once: no more than the hand's own mass ratios in it allow, n^T M S_h n at most.
      Resisted mixed = along_axes(M_d, s);
      for (std::size_t i = 0; i < 6; ++i) {
        mixed.n[1][i] = std::sqrt(0.5) * (i == 1 || i == 4 ? 1.0 : 0.0) / std::sqrt(M_d[7 * i]);
        mixed.n[4][i] = std::sqrt(0.5) * (i == 1 ? 1.0 : i == 4 ? -1.0 : 0.0) / std::sqrt(M_d[7 * i]);
      }
      Vector6 change{};  // of a wrench along the first of them, as the port has it: C^-1 M n
      for (std::size_t i = 0; i < 6; ++i) change[i] = M_d[7 * i] * mixed.n[1][i] / (i < 3 ? 1.0 : motion);
      const Vector6 more = mean_wrench(gains, change, {}, mixed, M_d);
      const double Dr = 1.0 / (force * motion), Dt = motion / force, both = std::sqrt(Dr * Dt);
      const double diagonal = 0.25 * ((Dr + Dt + 2.0 * both) * s[1] + (Dr + Dt - 2.0 * both) * s[4]);
      for (const std::size_t i : {1u, 4u}) {
        EXPECT_LE(more[i] / change[i] - 1.0, 0.5 * std::max(0.0, 1.0 - diagonal) + kRounding);
        EXPECT_GE(more[i] / change[i] - 1.0, -kRounding);
      }
    }
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
