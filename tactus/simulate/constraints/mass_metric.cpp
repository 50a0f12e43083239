#include <tactus/simulate/constraints/mass_metric.h>

#include <algorithm>

#include <tactus/math/cholesky.h>

namespace tactus::simulate {

MassMetric::MassMetric(std::size_t n, std::size_t most_rows, bool with_shortest)
    : n_(n), L_(n * n), y_(n), scaled_(most_rows), rows_(most_rows, n, with_shortest) {}

bool MassMetric::factor(const ConstrainedProblem& p, const char* late) {
  m_ = p.m;
  scale_ = p.scale;
  std::copy_n(p.M, n_ * n_, L_.begin());
  lent_ = !math::cholesky(n_, L_.data());
  if (lent_) {
    std::copy_n(p.M, n_ * n_, L_.begin());
    for (std::size_t k = 0; k < m_; ++k) {
      const double* a = p.A + k * n_;
      const double weight = 1.0 / (p.scale[k] * p.scale[k]);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j <= i; ++j) L_[i * n_ + j] += weight * a[i] * a[j];
    }
    if (!math::cholesky(n_, L_.data())) return false;
  }
  for (std::size_t k = 0; k < m_; ++k) {
    double* x = rows_.row(k);
    for (std::size_t i = 0; i < n_; ++i) x[i] = p.A[k * n_ + i] / p.scale[k];
    math::solve_lower(n_, L_.data(), x);
  }
  rows_.factor(m_, p.rank_tolerance, late);
  return true;
}

void MassMetric::smallest_step(const double* error, double* du) {
  for (std::size_t k = 0; k < m_; ++k) scaled_[k] = error[k] / scale_[k];
  std::fill(y_.begin(), y_.end(), 0.0);
  rows_.solve(scaled_.data(), y_.data());
  std::copy(y_.begin(), y_.end(), du);
  rows_.times_q(du);
  math::solve_lower_transposed(n_, L_.data(), du);
}

void MassMetric::impulses(double* lambda) {
  rows_.combine_shortest(y_.data(), lambda);
  for (std::size_t k = 0; k < m_; ++k) lambda[k] /= scale_[k];
}

}  // namespace tactus::simulate
