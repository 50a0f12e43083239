#include <tactus/control/arm/decoupling.h>

#include <tactus/math/decompositions.h>

namespace tactus::control {

Decoupling decoupling(const Eigen::MatrixXd& A, Eigen::Index rank, const Eigen::MatrixXd& M) {
  if (rank == 0) return {};  // nothing is held; and a decomposition needs a row
  const Eigen::Index n = M.rows();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  const auto across = svd.matrixV().leftCols(rank);
  const Eigen::MatrixXd held = across * across.transpose(), P = I - held, PM = P * M;
  const Eigen::MatrixXd Mc = M + PM - PM.transpose();
  return {(held * M * P).norm() / M.norm(), (held * M * Mc.partialPivLu().solve(P)).norm()};
}

}  // namespace tactus::control
