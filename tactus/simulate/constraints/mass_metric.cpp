#include <tactus/simulate/constraints/mass_metric.h>

#include <algorithm>

namespace tactus::simulate {

MassMetric::MassMetric(std::size_t n, std::size_t most_rows, bool with_shortest)
    : n_(n),
      L_(n),
      with_rows_(n * n),
      y_(n),
      scaled_(most_rows),
      columns_(n),
      noted_(n),
      rows_(most_rows, n, with_shortest) {}

bool MassMetric::factor(const ConstrainedProblem& p, const char* late) {
  if (!factor_mass(p)) return false;
  factor_rows(p, late);
  return true;
}

bool MassMetric::factor_mass(const ConstrainedProblem& p) {
  m_ = p.m;
  scale_ = p.scale;
  lent_ = !L_.factor(p.M, p.M_first);
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
  return true;
}

std::span<const std::uint32_t> MassMetric::row(const ConstrainedProblem& p, std::size_t k, double* x) {
  const double* a = p.A + k * n_;
  const std::uint32_t* columns = columns_.data();
  std::size_t count = 0, noted = 0;
  if (p.A_begin != nullptr) {
    columns = p.A_columns + p.A_begin[k];
    count = p.A_begin[k + 1] - p.A_begin[k];
  } else {
    for (std::size_t i = 0; i < n_; ++i)
      if (a[i] != 0.0) columns_[count++] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t e = 0; e < count; ++e)
    if (a[columns[e]] != 0.0) x[columns[e]] = a[columns[e]] / p.scale[k];
  L_.solve_lower(x, columns, count, [&](std::size_t i) { noted_[noted++] = static_cast<std::uint32_t>(i); });
  return {noted_.data(), noted};
}

void MassMetric::factor_rows(const ConstrainedProblem& p, const char* late) {
  for (std::size_t k = 0; k < m_; ++k) {
    const std::span<const std::uint32_t> columns = row(p, k, rows_.zeroed_row(k));
    rows_.note_columns(k, columns.data(), columns.size());
  }
  rows_.factor(m_, p.rank_tolerance, late);
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
