// A share of the handle's inertia bolted to the port: against the equations of motion of both together.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/control/kept_inertia.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector = Eigen::Matrix<double, 6, 1>;

constexpr double kRounding = 1e-12;  // of systems of six equations with conditions of some hundreds

/// An inertia that is not diagonal, as a model has as a device.
Matrix inertia(double size) {
  Matrix B;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) B(i, j) = std::sin(1.0 + 3.0 * i + 7.0 * j) + (i == j ? 2.0 : 0.0);
  return size * B * B.transpose();
}

Matrix6 array_of(const Matrix& m) {
  Matrix6 result;
  Eigen::Map<Matrix>(result.data()) = m;
  return result;
}

Vector6 array_of(const Vector& v) {
  Vector6 result;
  Eigen::Map<Vector>(result.data()) = v;
  return result;
}

TEST(KeptInertia, MovesAsPortAndHandleDoTogether) {
  FourChannelGains gains;
  gains.kept = {1.0, 1.0};
  const Matrix M_d = inertia(0.2), m = inertia(0.01);
  const Matrix L = m.inverse();
  Vector F, a_0, under;
  F << 0.1, -0.2, 0.3, 4.0, -5.0, 6.0;
  a_0 << 3.0, 2.0, 1.0, 0.0, 0.0, -9.81;
  under << 0.0, 0.1, 0.0, 1.0, 2.0, -3.0;
  const Matrix6 M_k = kept_inertia(gains, array_of(M_d), device::kAllAxes);
  const Vector6 F_p =
      through_kept_inertia(M_k, array_of(L), array_of(Vector(a_0 + L * under)), array_of(under), array_of(F));
  const Vector a = a_0 + L * Eigen::Map<const Vector>(F_p.data());
  // m (a - a_0) + M_d a = F: a handle without weight on a mechanism that falls
  const Vector expected = (m + M_d).ldlt().solve(F + m * a_0);
  EXPECT_LE((a - expected).norm(), kRounding * expected.norm());
  const Matrix6 both = mobility_with(M_k, array_of(L));
  const Matrix together = (m + M_d).inverse();
  EXPECT_LE((Eigen::Map<const Matrix>(both.data()) - together).norm(), kRounding * together.norm());
}

TEST(KeptInertia, LeavesAloneWhatItHasNoShareIn) {
  FourChannelGains gains;
  EXPECT_FALSE(keeps(gains));
  gains.kept = {0.0, 0.5};
  EXPECT_TRUE(keeps(gains));
  constexpr std::uint8_t kPlanar = 0b011100;  // turns about z, moves along x and y
  const Matrix6 M_k = kept_inertia(gains, array_of(inertia(1.0)), kPlanar);
  const Matrix whole = inertia(1.0);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      const bool moves = i >= 3 && j >= 3 && i < 5 && j < 5;
      EXPECT_EQ(
          M_k[6 * i + j],
          moves ? std::sqrt(0.5) * std::sqrt(0.5) * whole(static_cast<int>(i), static_cast<int>(j)) : 0.0);
    }
  // Along what cannot move nothing changes: joints carry the whole wrench.
  const Vector6 F{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  EXPECT_EQ(through_kept_inertia(M_k, Matrix6{}, Vector6{}, Vector6{}, F), F);
}

TEST(KeptInertia, IsScaledAsTheHandFeelsIt) {
  FourChannelGains gains;
  gains.kept = {1.0, 1.0};
  gains.force_scale = 10.0;
  gains.motion_scale = 0.5;
  Matrix6 M_d{};
  for (std::size_t i = 0; i < 6; ++i) M_d[7 * i] = i < 3 ? 0.01 : 0.2;
  const Matrix6 M_k = kept_inertia(gains, M_d, device::kAllAxes);
  // F_hand = 10 F, a_hand = a/2: 0.2 kg at the handle are 0.01 kg at the port. Angles are not scaled, torques by both.
  EXPECT_NEAR(M_k[21], 0.2 * 0.5 / 10.0, kRounding);
  EXPECT_NEAR(M_k[0], 0.01 / (10.0 * 0.5), kRounding);
}

}  // namespace
}  // namespace tactus::control
