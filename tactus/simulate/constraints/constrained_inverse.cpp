#include <tactus/simulate/constraints/constrained_inverse.h>

#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/math/decompositions.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::simulate {

ConstrainedInverse constrained_inverse(const Dynamics& dynamics, double t, const std::vector<double>& q,
                                       const std::vector<double>& u, const std::vector<double>& udot,
                                       const std::vector<double>& wrench) {
  TACTUS_CHECK(dynamics.constraints != nullptr);
  const Constraints& constraints = *dynamics.constraints;
  const auto n = static_cast<Eigen::Index>(u.size());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Q = W^T tau - h is linear in tau: its columns by unit forces. Passive joints give zero columns.
  std::vector<double> arguments{t};
  arguments.insert(arguments.end(), q.begin(), q.end());
  arguments.insert(arguments.end(), u.begin(), u.end());
  const std::size_t tau_at = arguments.size();
  arguments.resize(tau_at + u.size() + 6 * static_cast<std::size_t>(dynamics.wrench_count), 0.0);
  std::copy(wrench.begin(), wrench.end(), arguments.begin() + static_cast<std::ptrdiff_t>(tau_at + u.size()));
  ConstraintTerms terms(dynamics, constraints);
  terms.evaluate(arguments.data());
  const Eigen::MatrixXd M = Eigen::Map<const RowMajor>(terms.M(), n, n);
  const Eigen::VectorXd Q0 = Eigen::Map<const Eigen::VectorXd>(terms.Q(), n);
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < constraints.size(); ++k)
    if (constraints.active[k]) rows.push_back(k);
  Eigen::MatrixXd A(static_cast<Eigen::Index>(rows.size()), n);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // Rows in their natural size, so that the rank does not depend on units.
    A.row(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Eigen::RowVectorXd>(terms.A(rows[k]), n) / constraints.scale[rows[k]];
  }
  Eigen::MatrixXd B(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    arguments[tau_at + static_cast<std::size_t>(j)] = 1.0;
    terms.evaluate(arguments.data());
    B.col(j) = Eigen::Map<const Eigen::VectorXd>(terms.Q(), n) - Q0;
    arguments[tau_at + static_cast<std::size_t>(j)] = 0.0;
  }

  const Eigen::VectorXd b = M * Eigen::Map<const Eigen::VectorXd>(udot.data(), n) - Q0;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> rows_of_A;
  rows_of_A.setThreshold(kRankTolerance);
  rows_of_A.compute(A);
  const Eigen::MatrixXd P = Eigen::MatrixXd::Identity(n, n) - rows_of_A.pseudoInverse() * A;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> actuated;
  actuated.setThreshold(kRankTolerance);
  actuated.compute(P * B);
  const Eigen::VectorXd tau = actuated.solve(P * b);
  const Eigen::VectorXd rest = b - B * tau;
  const Eigen::VectorXd lambda = rows_of_A.pseudoInverse().transpose() * rest;

  ConstrainedInverse result;
  result.tau.assign(tau.data(), tau.data() + n);
  result.lambda.assign(constraints.size(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    result.lambda[rows[k]] = lambda(static_cast<Eigen::Index>(k)) / constraints.scale[rows[k]];
  }
  result.residual = (P * rest).cwiseAbs().maxCoeff();
  return result;
}

}  // namespace tactus::simulate
