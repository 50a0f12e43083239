// Constraint rows in the metric of the mass matrix: with M = L L^T and x = L^T u, the energy is x.x/2, and
// the rows become X_k = L^-1 a_k / s_k with X X^T = A M^-1 A^T, each of size about 1 where it is regular
// (s_k: Rows::scale).
//
// Where M alone is singular (a joint that only the constraints give inertia) the rows lend it some: for every
// motion with A udot = gamma,
//
//   (M + A^T S^-2 A) udot = Q + A^T S^-2 gamma + A^T lambda
//
// has the same solution and the same multipliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tactus/math/envelope.h>
#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::simulate {

class MassMetric {
 public:
  MassMetric(std::size_t n, std::size_t most_rows, bool with_shortest = false);

  /// Factors M and the rows. False where no positive definite matrix comes out. late: see math::RowFactor.
  bool factor(const ConstrainedProblem& problem, const char* late = nullptr);
  /// Its two parts: M alone, then the rows.
  bool factor_mass(const ConstrainedProblem& problem);
  void factor_rows(const ConstrainedProblem& problem, const char* late = nullptr);
  /// X_k, after factor_mass, into x [n], in which all is zero: where it has entries, in order.
  std::span<const std::uint32_t> row(const ConstrainedProblem& problem, std::size_t k, double* x);

  math::RowFactor& rows() { return rows_; }
  const math::RowFactor& rows() const { return rows_; }
  const double* L() const { return L_.data(); }
  /// x <- L^-1 x and x <- L^-T x
  void solve_lower(double* x) const { L_.solve_lower(x); }
  void solve_lower_transposed(double* x) const { L_.solve_lower_transposed(x); }
  bool lent() const { return lent_; }

  /// The smallest du, in the metric of M, with a_k . du = error_k for all independent rows.
  void smallest_step(const double* error, double* du);
  /// The impulses lambda with M du = A^T lambda for the step just made.
  void impulses(double* lambda);

 private:
  std::size_t n_, m_ = 0;
  bool lent_ = false;
  math::EnvelopeFactor L_;
  math::LazyZeros<double> with_rows_;  // M + A^T S^-2 A, where M alone is singular
  std::vector<double> y_, scaled_;
  std::vector<std::uint32_t> columns_, noted_;  // [n] of a row: of a_k, and of X_k
  const double* scale_ = nullptr;
  math::RowFactor rows_;
};

}  // namespace tactus::simulate
