// Lagrange multipliers [Faulring2006, (11)-(13)]:
//
//   (A M^-1 A^T) lambda = gamma - A M^-1 Q,    udot = M^-1 (Q + A^T lambda)
//
// In the metric of M (mass_metric.h), x = L^T udot and f = L^-1 Q, this is  x = f + X^T lambda',
// X x = gamma'  (primes: divided or multiplied by the rows' scale). With X = R [I 0] Q^T and y = Q^T f the
// two parts separate,
//
//   R y'_1 = gamma'   (independent rows),   y'_2 = y_2,    x = Q [y'_1; y'_2],    R^T lambda' = y'_1 - y_1
//
// which never forms A M^-1 A^T: its condition number is the square of that of X.
#include <algorithm>
#include <cmath>

#include <tactus/simulate/constraints/mass_metric.h>

namespace tactus::simulate {

namespace {

class Multipliers : public FormulationSolver {
 public:
  Multipliers(std::size_t n, std::size_t most_rows)
      : metric_(n, most_rows, true), y_(n), difference_(n), gamma_(most_rows) {}

  bool solve(const ConstrainedProblem& p, ConstrainedMotion& motion) override {
    if (!metric_.factor(p)) return false;
    math::RowFactor& rows = metric_.rows();
    for (std::size_t k = 0; k < p.m; ++k) gamma_[k] = p.gamma[k] / p.scale[k];
    std::copy_n(p.Q, p.n, y_.begin());
    if (metric_.lent()) {
      for (std::size_t k = 0; k < p.m; ++k)
        for (std::size_t i = 0; i < p.n; ++i) y_[i] += p.A[k * p.n + i] / p.scale[k] * gamma_[k];
    }
    metric_.solve_lower(y_.data());
    rows.times_q_transposed(y_.data());
    const std::size_t rank = rows.rank();
    for (std::size_t k = 0; k < rank; ++k) difference_[k] = -y_[k];
    rows.solve(gamma_.data(), y_.data());
    for (std::size_t k = 0; k < rank; ++k) difference_[k] += y_[k];
    std::copy_n(y_.begin(), p.n, motion.udot.begin());
    rows.times_q(motion.udot.data());
    metric_.solve_lower_transposed(motion.udot.data());

    rows.combine_shortest(difference_.data(), motion.lambda.data());
    for (std::size_t k = 0; k < p.m; ++k) motion.lambda[k] /= p.scale[k];
    std::fill_n(motion.force.begin(), p.n, 0.0);
    for (std::size_t k = 0; k < p.m; ++k)
      for (std::size_t i = 0; i < p.n; ++i) motion.force[i] += p.A[k * p.n + i] * motion.lambda[k];
    for (std::size_t k = 0; k < p.m; ++k) motion.redundant[rows.order(k)] = k >= rank;
    motion.rank = rank;
    motion.used = Formulation::multipliers;
    return true;
  }

 private:
  MassMetric metric_;
  std::vector<double> y_, difference_, gamma_;
};

}  // namespace

std::unique_ptr<FormulationSolver> make_multipliers(std::size_t n, std::size_t most_rows) {
  return std::make_unique<Multipliers>(n, most_rows);
}

}  // namespace tactus::simulate
