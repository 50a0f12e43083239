#include <tactus/display/felt.h>

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include <tactus/base/check.h>

namespace tactus::display {

Felt fit_felt(std::span<const double> x, std::span<const double> v, std::span<const double> a,
              std::span<const double> force) {
  TACTUS_CHECK(x.size() == v.size() && x.size() == a.size() && x.size() == force.size());
  const Eigen::Index n = static_cast<Eigen::Index>(x.size());
  Felt felt;
  if (n < 8) return felt;
  const auto column = [n](std::span<const double> values) -> Eigen::VectorXd {
    const Eigen::Map<const Eigen::VectorXd> all(values.data(), n);
    return all.array() - all.mean();  // x_0 and a constant force drop out
  };
  Eigen::MatrixXd A(n, 3);
  A << column(a), column(v), column(x);
  const Eigen::VectorXd F = column(force);
  const Eigen::Vector3d size = A.colwise().norm();
  if (!(size.minCoeff() > 0.0) || !(F.norm() > 0.0) || !A.allFinite() || !F.allFinite()) return felt;
  const Eigen::MatrixXd scaled = A * size.cwiseInverse().asDiagonal();
  const Eigen::Matrix3d normal = scaled.transpose() * scaled;
  // Columns that are alike to this much cannot be told apart in forces that carry friction and steps.
  constexpr double kAlike = 1e-3;
  felt.known = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(normal).eigenvalues()[0] > kAlike;
  const Eigen::Vector3d fit = scaled.colPivHouseholderQr().solve(F);
  felt.unexplained = (F - scaled * fit).norm() / F.norm();
  felt.mass = fit[0] / size[0];
  felt.damping = fit[1] / size[1];
  felt.stiffness = fit[2] / size[2];
  return felt;
}

// Mean accelerations of the ticks, under forces that were held: a = (v' - v)/T.
Felt felt_along(std::span<const TickRecord> records, const math::Vec3<double>& d, double period) {
  const auto along = [&](const Vector6& V) { return d.x * V[3] + d.y * V[4] + d.z * V[5]; };
  std::vector<double> x, v, a, F;
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const TickRecord &one = records[i], &two = records[i + 1];
    if (one.stage != control::Stage::on) continue;
    const double v1 = along(one.V_P), v2 = along(two.V_P);
    x.push_back(0.5 * dot(d, one.p_P + two.p_P));
    v.push_back(0.5 * (v1 + v2));
    a.push_back((v2 - v1) / period);
    F.push_back(along(one.on_port));
  }
  return fit_felt(x, v, a, F);
}

}  // namespace tactus::display
