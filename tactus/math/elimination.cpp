#include <tactus/math/elimination.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tactus::math {

Elimination::Elimination(std::size_t most_rows, std::size_t most_columns)
    : a_(most_rows * most_columns),
      rows_(most_rows),
      columns_(most_columns),
      w_(std::max(most_rows, most_columns)) {}

void Elimination::factor(std::size_t m, std::size_t n, double tolerance, const char* preferred, double keep) {
  m_ = m;
  n_ = n;
  rank_ = 0;
  std::iota(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(m), std::size_t{0});
  std::iota(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(n), std::size_t{0});
  for (std::size_t k = 0; k < std::min(m, n); ++k) {
    double best = tolerance, kept = tolerance;
    std::size_t best_i = m, best_j = n, kept_i = m, kept_j = n;
    for (std::size_t i = k; i < m; ++i) {
      for (std::size_t j = k; j < n; ++j) {
        const double size = std::abs(at(i, j));
        if (size > best) {
          best = size;
          best_i = i;
          best_j = j;
        }
        if (preferred != nullptr && preferred[columns_[j]] != 0 && size > kept) {
          kept = size;
          kept_i = i;
          kept_j = j;
        }
      }
    }
    if (kept_i < m && kept >= keep * best) {
      best_i = kept_i;
      best_j = kept_j;
    }
    if (best_i == m) return;
    std::swap(rows_[k], rows_[best_i]);
    std::swap(columns_[k], columns_[best_j]);
    rank_ = k + 1;
    const double* pivot_row = a_.data() + rows_[k] * n_;
    const double inverse = 1.0 / pivot_row[columns_[k]];
    for (std::size_t i = k + 1; i < m; ++i) {
      double* row = a_.data() + rows_[i] * n_;
      const double factor = row[columns_[k]] * inverse;
      row[columns_[k]] = factor;
      if (factor == 0.0) continue;
      for (std::size_t j = k + 1; j < n; ++j) row[columns_[j]] -= factor * pivot_row[columns_[j]];
    }
  }
}

void Elimination::substitute_back(double* x) const {
  for (std::size_t k = rank_; k-- > 0;) {
    for (std::size_t j = k + 1; j < rank_; ++j) x[k] -= at(k, j) * x[j];
    x[k] /= at(k, k);
  }
}

void Elimination::solve(const double* b, double* x) const {
  for (std::size_t k = 0; k < rank_; ++k) {
    x[k] = b[rows_[k]];
    for (std::size_t j = 0; j < k; ++j) x[k] -= at(k, j) * x[j];
  }
  substitute_back(x);
}

void Elimination::follow(std::size_t column_place, double* x) const {
  for (std::size_t k = 0; k < rank_; ++k) x[k] = -at(k, column_place);
  substitute_back(x);
}

void Elimination::depend(std::size_t row_place, double* x) const {
  // A_i = sum_k L_ik U_k and A_k = sum_{j <= k} L_kj U_j with L_kk = 1: c^T L = L_i, then x = -c.
  for (std::size_t k = 0; k < m_; ++k) x[k] = 0.0;
  for (std::size_t k = rank_; k-- > 0;) {
    double c = at(row_place, k);
    for (std::size_t j = k + 1; j < rank_; ++j) c += x[rows_[j]] * at(j, k);
    x[rows_[k]] = -c;
  }
  x[rows_[row_place]] = 1.0;
}

void Elimination::combine(const double* f, double* lambda) const {
  // U^T w = f, then L^T lambda = w.
  for (std::size_t k = 0; k < rank_; ++k) {
    w_[k] = f[columns_[k]];
    for (std::size_t j = 0; j < k; ++j) w_[k] -= at(j, k) * w_[j];
    w_[k] /= at(k, k);
  }
  for (std::size_t k = 0; k < m_; ++k) lambda[k] = 0.0;
  for (std::size_t k = rank_; k-- > 0;) {
    double sum = w_[k];
    for (std::size_t i = k + 1; i < rank_; ++i) sum -= at(i, k) * lambda[rows_[i]];
    lambda[rows_[k]] = sum;
  }
}

}  // namespace tactus::math
