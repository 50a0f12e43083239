#include <tactus/simulate/constraints/mass_metric.h>

#include <algorithm>

namespace tactus::simulate {

MassMetric::MassMetric(std::size_t n, std::size_t most_rows, bool with_shortest)
    : n_(n), L_(n), with_rows_(n * n), y_(n), scaled_(most_rows), rows_(most_rows, n, with_shortest) {}

bool MassMetric::factor(const ConstrainedProblem& p, const char* late) {
  m_ = p.m;
  scale_ = p.scale;
  lent_ = !L_.factor(p.M);
  if (lent_) {
    std::copy_n(p.M, n_ * n_, with_rows_.data());
    for (std::size_t k = 0; k < m_; ++k) {
      const double* a = p.A + k * n_;
      const double weight = 1.0 / (p.scale[k] * p.scale[k]);
      for (std::size_t i = 0; i < n_; ++i) {
        if (a[i] == 0.0) continue;
        for (std::size_t j = 0; j <= i; ++j) with_rows_[i * n_ + j] += weight * a[i] * a[j];
      }
    }
    if (!L_.factor(with_rows_.data())) return false;
  }
  for (std::size_t k = 0; k < m_; ++k) {
    double* x = rows_.zeroed_row(k);
    const double* a = p.A + k * n_;
    for (std::size_t i = 0; i < n_; ++i)
      if (a[i] != 0.0) x[i] = a[i] / p.scale[k];
    L_.solve_lower(x);
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
  L_.solve_lower_transposed(du);
}

void MassMetric::impulses(double* lambda) {
  rows_.combine_shortest(y_.data(), lambda);
  for (std::size_t k = 0; k < m_; ++k) lambda[k] /= scale_[k];
}

}  // namespace tactus::simulate
