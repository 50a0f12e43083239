// The projection operator and the three constraint inertia matrices [Aghili2005, (22)-(29)].
//
// P = I - A^+ A takes any vector to the motions that the constraints leave; a = A^+ gamma is the acceleration
// that they demand (the paper's C qd; its gamma is -Ad qd). Each of
//
//   Mc   = M + PM - (PM)^T         Mc   udot = P Q + M a                       (22)-(24)
//   Mc'  = PMP + (I-P) M (I-P)     Mc'  udot = P Q + (I - 2P) M a              (27)-(28)
//   Mc'' = PM + s (I-P)            Mc'' udot = P Q + s a                       (29)
//
// is regular whatever the rank of A is, as long as M is positive definite. The constraint force is
// A^T lambda = (I-P)(M udot - Q): always unique; lambda = A^+T of it is the shortest multiplier.
//
// Units: P of (metres, radians) has no meaning by itself. The speeds are scaled first, u_i -> sqrt(w_i) u_i,
// so that A -> A W^-1/2 and M -> W^-1/2 M W^-1/2 (II-A.1 prints A W^1/2; VII-B has it right).
//
// Sign: the paper's F and lambda are those that the mechanism feels with a minus.
#include <algorithm>
#include <cmath>

#include <tactus/math/elimination.h>
#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::simulate {

namespace {

class Projection : public FormulationSolver {
 public:
  Projection(std::size_t n, std::size_t most_rows, ProjectionOptions options)
      : options_(std::move(options)),
        rows_(most_rows, n, true),
        elimination_(n, n),
        root_(n),
        M_(n * n),
        P_(n * n),
        PM_(n * n),
        a_(n),
        rhs_(n),
        x_(n),
        gamma_(most_rows) {}

  bool solve(const ConstrainedProblem& p, ConstrainedMotion& motion) override {
    const std::size_t n = p.n;
    for (std::size_t i = 0; i < n; ++i) {
      root_[i] = std::sqrt(options_.weights.empty() ? p.M[i * n + i] : options_.weights[i]);
      if (!(root_[i] > 0.0)) return false;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) M_[i * n + j] = p.M[i * n + j] / (root_[i] * root_[j]);
    project(p);
    assemble(p);
    elimination_.factor(n, n, 0.0);
    if (elimination_.rank() < n) return false;
    elimination_.solve(rhs_.data(), x_.data());
    for (std::size_t k = 0; k < n; ++k) motion.udot[elimination_.pivot_column(k)] = x_[k];

    // (I - P)(M udot - Q), in the scaled speeds, and its multipliers.
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = -p.Q[i] / root_[i];
      for (std::size_t j = 0; j < n; ++j) x_[i] += M_[i * n + j] * motion.udot[j];
    }
    rows_.times_q_transposed(x_.data());
    const std::size_t rank = rows_.rank();
    std::fill(x_.begin() + static_cast<std::ptrdiff_t>(rank), x_.end(), 0.0);
    rows_.combine_shortest(x_.data(), motion.lambda.data());
    rows_.times_q(x_.data());
    for (std::size_t i = 0; i < n; ++i) {
      motion.force[i] = x_[i] * root_[i];
      motion.udot[i] /= root_[i];
    }
    for (std::size_t k = 0; k < p.m; ++k) {
      motion.lambda[k] /= p.scale[k];
      motion.redundant[rows_.order(k)] = k >= rank;
    }
    motion.rank = rank;
    motion.used = Formulation::projection;
    return true;
  }

 private:
  /// P and a = A^+ gamma of the scaled speeds.
  void project(const ConstrainedProblem& p) {
    const std::size_t n = p.n;
    for (std::size_t k = 0; k < p.m; ++k) {
      double* row = rows_.row(k);
      for (std::size_t i = 0; i < n; ++i) row[i] = p.A[k * n + i] / (p.scale[k] * root_[i]);
      gamma_[k] = p.gamma[k] / p.scale[k];
    }
    rows_.factor(p.m, p.rank_tolerance);
    const std::size_t rank = rows_.rank();
    std::fill(a_.begin(), a_.end(), 0.0);
    rows_.solve(gamma_.data(), a_.data());
    rows_.times_q(a_.data());
    // P = Q [0; I] Q^T, column by column.
    for (std::size_t j = 0; j < n; ++j) {
      double* column = P_.data() + j * n;
      std::fill_n(column, n, 0.0);
      column[j] = 1.0;
      rows_.times_q_transposed(column);
      std::fill_n(column, rank, 0.0);
      rows_.times_q(column);
    }
  }

  /// The constraint inertia matrix and its right-hand side.
  void assemble(const ConstrainedProblem& p) {
    const std::size_t n = p.n;
    for (std::size_t i = 0; i < n; ++i) {
      double* row = PM_.data() + i * n;
      std::fill_n(row, n, 0.0);
      rhs_[i] = 0.0;
      x_[i] = 0.0;  // M a
      for (std::size_t k = 0; k < n; ++k) {
        const double P_ik = P_[i * n + k];
        rhs_[i] += P_ik * p.Q[k] / root_[k];
        x_[i] += M_[i * n + k] * a_[k];
        for (std::size_t j = 0; j < n; ++j) row[j] += P_ik * M_[k * n + j];
      }
    }
    double scale = 0.0;
    for (std::size_t i = 0; i < n; ++i) scale += M_[i * n + i] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      double* row = elimination_.row(i, n);
      switch (options_.inertia) {
        case ConstraintInertia::skew:
          for (std::size_t j = 0; j < n; ++j) row[j] = M_[i * n + j] + PM_[i * n + j] - PM_[j * n + i];
          rhs_[i] += x_[i];
          break;
        case ConstraintInertia::symmetric: {
          // PMP + (I-P)M(I-P) = M - PM - MP + 2 PMP
          for (std::size_t j = 0; j < n; ++j) row[j] = M_[i * n + j] - PM_[i * n + j] - PM_[j * n + i];
          double PMa = 0.0;
          for (std::size_t k = 0; k < n; ++k) {
            const double PM_ik = PM_[i * n + k];
            PMa += PM_ik * a_[k];
            for (std::size_t j = 0; j < n; ++j) row[j] += 2.0 * PM_ik * P_[k * n + j];
          }
          rhs_[i] += x_[i] - 2.0 * PMa;
          break;
        }
        case ConstraintInertia::scaled:
          for (std::size_t j = 0; j < n; ++j)
            row[j] = PM_[i * n + j] + scale * ((i == j ? 1.0 : 0.0) - P_[i * n + j]);
          rhs_[i] += scale * a_[i];
          break;
      }
    }
  }

  ProjectionOptions options_;
  math::RowFactor rows_;
  math::Elimination elimination_;
  std::vector<double> root_;  // square roots of the weights
  std::vector<double> M_, P_, PM_, a_, rhs_, x_, gamma_;
};

}  // namespace

std::unique_ptr<FormulationSolver> make_projection(std::size_t n, std::size_t most_rows,
                                                   ProjectionOptions options) {
  return std::make_unique<Projection>(n, most_rows, std::move(options));
}

}  // namespace tactus::simulate
