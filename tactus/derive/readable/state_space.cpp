#include <tactus/derive/readable/state_space.h>

#include <algorithm>

#include <tactus/math/decompositions.h>

namespace tactus::derive {

StateSpace state_space(const LinearMatrices& linear) {
  const Eigen::Index n = linear.M.rows();
  if (n == 0) return {};  // nothing moves; Eigen's factorisations want at least one row
  // An abbreviated M is symmetric but need not be positive: L D L^T with pivoting takes either.
  const Eigen::LDLT<Eigen::MatrixXd> M(linear.M);
  StateSpace system{Eigen::MatrixXd::Zero(2 * n, 2 * n), Eigen::MatrixXd::Zero(2 * n, n)};
  system.A.topRightCorner(n, n).setIdentity();
  system.A.bottomLeftCorner(n, n) = -M.solve(linear.K);
  system.A.bottomRightCorner(n, n) = -M.solve(linear.C);
  system.B.bottomRows(n) = M.solve(Eigen::MatrixXd::Identity(n, n));
  return system;
}

std::vector<std::complex<double>> eigenvalues(const StateSpace& system) {
  if (system.A.size() == 0) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(system.A, false);
  std::vector<std::complex<double>> values(solver.eigenvalues().begin(), solver.eigenvalues().end());
  std::sort(values.begin(), values.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
  return values;
}

}  // namespace tactus::derive
