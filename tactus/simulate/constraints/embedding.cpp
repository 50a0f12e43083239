// Embedding by independent speeds [Gillespie2003, section 4, (41)-(45)].
//
// Split the speeds into dependent ones u_D, as many as there are independent rows, and independent ones u_I
// (coordinate partitioning). From A udot = gamma follows, with T = [I; D]:
//
//   udot_D = D udot_I + g,       D = -A_D^-1 A_I,   g = A_D^-1 gamma
//   udot = T udot_I + [0; g],    (T^T M T) udot_I = T^T (Q - M [0; g]),    A_D^T lambda = (M udot - Q)_D
//
// Any choice with a regular A_D gives the same motion: dependent_speeds.h makes it.
//
// Where rows are redundant, A_r^T = A^T N for the rows r left over: any lambda + [-N; I] nu gives the same
// force. The shortest one, in the rows' natural sizes, is the orthogonal rest of lambda: the same as the
// other formulations give.
#include <algorithm>
#include <cmath>

#include <tactus/math/cholesky.h>
#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/dependent_speeds.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::simulate {

namespace {

class Embedding : public FormulationSolver {
 public:
  Embedding(std::size_t n, std::size_t most_rows)
      : choice_(n, most_rows),
        T_(n * n),
        MT_(n * n),
        reduced_(n * n),
        g_(n),
        rest_(n),
        solved_(n),
        gamma_(most_rows),
        null_(most_rows, most_rows),
        multipliers_(most_rows) {}

  bool solve(const ConstrainedProblem& p, ConstrainedMotion& motion) override {
    const std::size_t n = p.n;
    if (!choice_.choose(p)) return false;
    for (std::size_t k = 0; k < p.m; ++k) gamma_[k] = p.gamma[k] / p.scale[k];
    const math::Elimination& elimination = choice_.elimination();
    const std::size_t rank = elimination.rank(), free = n - rank;

    // Speeds times their sizes: v_i = sqrt(M_ii) u_i. Column c of T belongs to the independent speed at place
    // rank + c.
    std::fill_n(T_.begin(), n * free, 0.0);
    for (std::size_t c = 0; c < free; ++c) {
      T_[elimination.pivot_column(rank + c) * free + c] = 1.0;
      elimination.follow(rank + c, solved_.data());
      for (std::size_t k = 0; k < rank; ++k) T_[elimination.pivot_column(k) * free + c] = solved_[k];
    }
    std::fill(g_.begin(), g_.end(), 0.0);
    elimination.solve(gamma_.data(), solved_.data());
    for (std::size_t k = 0; k < rank; ++k) g_[elimination.pivot_column(k)] = solved_[k];

    for (std::size_t i = 0; i < n; ++i) {
      double* row = MT_.data() + i * free;
      std::fill_n(row, free, 0.0);
      rest_[i] = p.Q[i] / choice_.size(i);
      for (std::size_t j = 0; j < n; ++j) {
        const double M_ij = p.M[i * n + j] / (choice_.size(i) * choice_.size(j));
        rest_[i] -= M_ij * g_[j];
        for (std::size_t c = 0; c < free; ++c) row[c] += M_ij * T_[j * free + c];
      }
    }
    std::fill_n(reduced_.begin(), free * free, 0.0);
    std::fill_n(solved_.begin(), free, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < free; ++a) {
        const double t = T_[i * free + a];
        if (t == 0.0) continue;
        solved_[a] += t * rest_[i];
        for (std::size_t b = 0; b <= a; ++b) reduced_[a * free + b] += t * MT_[i * free + b];
      }
    }
    if (!math::cholesky(free, reduced_.data())) return false;
    math::solve_lower(free, reduced_.data(), solved_.data());
    math::solve_lower_transposed(free, reduced_.data(), solved_.data());

    for (std::size_t i = 0; i < n; ++i) {
      double v = g_[i];
      for (std::size_t c = 0; c < free; ++c) v += T_[i * free + c] * solved_[c];
      motion.udot[i] = v / choice_.size(i);
    }
    // M udot - Q, exact on the dependent speeds; on the others the multipliers say it with less rounding.
    for (std::size_t i = 0; i < n; ++i) {
      double f = -p.Q[i];
      for (std::size_t j = 0; j < n; ++j) f += p.M[i * n + j] * motion.udot[j];
      rest_[i] = f / choice_.size(i);
    }
    elimination.combine(rest_.data(), motion.lambda.data());
    if (rank < p.m) shorten(p.m, rank, motion.lambda.data());
    std::fill_n(motion.redundant.begin(), p.m, char{1});
    for (std::size_t k = 0; k < rank; ++k) motion.redundant[elimination.pivot_row(k)] = 0;
    std::fill_n(motion.force.begin(), n, 0.0);
    for (std::size_t k = 0; k < p.m; ++k) {
      motion.lambda[k] /= p.scale[k];
      for (std::size_t i = 0; i < n; ++i) motion.force[i] += p.A[k * n + i] * motion.lambda[k];
    }
    motion.rank = rank;
    motion.used = Formulation::embedding;
    return true;
  }

  void reset() override { choice_.reset(); }
  std::span<char> memory() override { return choice_.set(); }

 private:
  /// Takes out of lambda what combinations of rows that vanish have of it. Row k of `null_` for the redundant
  /// row at place rank + k: itself less its combination of independent rows.
  void shorten(std::size_t m, std::size_t rank, double* lambda) {
    const std::size_t redundant = m - rank, most = multipliers_.size();
    for (std::size_t k = 0; k < redundant; ++k) {
      std::fill_n(null_.row(k), most, 0.0);
      choice_.elimination().depend(rank + k, null_.row(k));
    }
    null_.factor(redundant, 0.0);
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
    std::copy_n(lambda, m, multipliers_.begin());
    null_.times_q_transposed(multipliers_.data());
    std::fill_n(multipliers_.begin(), null_.rank(), 0.0);
    null_.times_q(multipliers_.data());
    std::copy_n(multipliers_.begin(), m, lambda);
  }

  DependentSpeeds choice_;
  std::vector<double> T_, MT_, reduced_, g_, rest_, solved_, gamma_;
  math::RowFactor null_;  // combinations of rows that vanish
  std::vector<double> multipliers_;
};

}  // namespace

std::unique_ptr<FormulationSolver> make_embedding(std::size_t n, std::size_t most_rows) {
  return std::make_unique<Embedding>(n, most_rows);
}

}  // namespace tactus::simulate
