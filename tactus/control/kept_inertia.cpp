#include <tactus/control/kept_inertia.h>

#include <cmath>

#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector = Eigen::Matrix<double, 6, 1>;

}  // namespace

Matrix6 kept_inertia(const FourChannelGains& gains, const Matrix6& M_d, std::uint8_t axes) noexcept {
  Matrix6 M_k{};
  // Wrench and acceleration at the handle by those at the port.
  const auto wrench = [&](std::size_t i) { return gains.force_scale * (i < 3 ? gains.motion_scale : 1.0); };
  const auto share = [&](std::size_t i) { return std::sqrt(gains.kept[i / 3]); };  // M_k stays an inertia
  const auto motion = [&](std::size_t j) { return j < 3 ? 1.0 : gains.motion_scale; };
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      if (device::has_axis(axes, i) && device::has_axis(axes, j))
        M_k[6 * i + j] = share(i) * share(j) * M_d[6 * i + j] * motion(j) / wrench(i);
  return M_k;
}

Vector6 through_kept_inertia(const Matrix6& M_k, const Matrix6& L, const Vector6& acceleration,
                             const Vector6& under, const Vector6& F) noexcept {
  const Eigen::Map<const Matrix> M(M_k.data()), mobility(L.data());
  const Vector a_0 =
      Eigen::Map<const Vector>(acceleration.data()) - mobility * Eigen::Map<const Vector>(under.data());
  const Matrix A = Matrix::Identity() + M * mobility;
  const Vector F_p = A.partialPivLu().solve(Eigen::Map<const Vector>(F.data()) - M * a_0);
  if (!F_p.allFinite()) return F;
  Vector6 result;
  Eigen::Map<Vector>(result.data()) = F_p;
  return result;
}

Matrix6 mobility_with(const Matrix6& M_k, const Matrix6& L) noexcept {
  const Eigen::Map<const Matrix> M(M_k.data()), mobility(L.data());
  // (1 + L M_k) X = L
  const Matrix A = Matrix::Identity() + mobility * M;
  Matrix6 result;
  Eigen::Map<Matrix>(result.data()) = A.partialPivLu().solve(mobility);
  return result;
}

}  // namespace tactus::control
