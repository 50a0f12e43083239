#include <tactus/math/row_factor.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tactus/math/dot.h>

namespace tactus::math {

namespace {

/// Among rows of equal size the first is taken: copies are told from originals by their place.
constexpr double kTie = 1.0 + 1e-6;

/// Rows of loops that are far apart have nothing in common, or next to nothing: among rows of size 1 this
/// changes no bit that counts, and keeps numbers out of the range where processors are slow.
constexpr double kNothing = 1e-40;
/// What is left of a squared length is found by subtraction until rounding could show: then it is summed
/// anew.
constexpr double kSubtracted = 1e-6;

}  // namespace

RowFactor::RowFactor(std::size_t most_rows, std::size_t n, bool with_shortest)
    : n_(n),
      x_(most_rows * n),
      diagonal_(most_rows),
      beta_(most_rows),
      norms_(most_rows),
      summed_(most_rows),
      order_(most_rows) {
  if (!with_shortest) return;
  shortest_ = std::make_unique<RowFactor>(std::min(most_rows, n), most_rows);
  shared_.resize(most_rows);
}

// Rows stay where they are; order_ says when each was taken. Row k in order holds R_k0 ... R_k,k-1, then the
// reflection's vector v_k; the diagonal R_kk stands apart.
void RowFactor::factor(std::size_t m, double tolerance, const char* late) {
  m_ = m;
  rank_ = 0;
  std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(m), std::size_t{0});
  for (std::size_t i = 0; i < m; ++i) norms_[i] = summed_[i] = dot(row(i), row(i), n_);
  const double least = tolerance * tolerance;
  const std::size_t most = std::min(m, n_);
  for (std::size_t k = 0; k < most; ++k) {
    std::size_t best = m;
    for (std::size_t j = k; j < m; ++j) {
      const std::size_t i = order_[j];
      if (!(norms_[i] > least)) continue;
      const int sooner = best == m ? 1 : late == nullptr ? 0 : late[order_[best]] - late[i];
      if (sooner > 0 || (sooner == 0 && norms_[i] > kTie * norms_[order_[best]])) best = j;
    }
    if (best == m) return;
    // The rows in between keep their order.
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(k),
                order_.begin() + static_cast<std::ptrdiff_t>(best),
                order_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    double* v = row(order_[k]) + k;
    const double length = std::sqrt(dot(v, v, n_ - k));  // to rounding: or it would be no reflection
    const double alpha = v[0] > 0.0 ? -length : length;
    beta_[k] = 1.0 / (length * (length + std::abs(v[0])));
    v[0] -= alpha;
    diagonal_[k] = alpha;
    rank_ = k + 1;
    for (std::size_t j = k + 1; j < m; ++j) {
      const std::size_t i = order_[j];
      double* x = row(i);
      reflect(k, x);
      norms_[i] -= x[k] * x[k];
      if (norms_[i] < kSubtracted * summed_[i])
        norms_[i] = summed_[i] = dot(x + k + 1, x + k + 1, n_ - k - 1);
    }
  }
}

void RowFactor::reflect(std::size_t k, double* x) const {
  const double* v = x_.data() + order_[k] * n_ + k;
  const double along = beta_[k] * dot(v, x + k, n_ - k);
  if (std::abs(along) < kNothing) return;
  for (std::size_t i = 0; i < n_ - k; ++i) x[k + i] -= along * v[i];
}

void RowFactor::times_q_transposed(double* x) const {
  for (std::size_t k = 0; k < rank_; ++k) reflect(k, x);
}

void RowFactor::times_q(double* x) const {
  for (std::size_t k = rank_; k-- > 0;) reflect(k, x);
}

void RowFactor::solve(const double* b, double* y) const {
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* R = x_.data() + order_[k] * n_;
    y[k] = (b[order_[k]] - dot(R, y, k)) / diagonal_[k];
  }
}

void RowFactor::rest(const double* b, const double* y, double* r) const {
  for (std::size_t k = rank_; k < m_; ++k)
    r[k - rank_] = b[order_[k]] - dot(x_.data() + order_[k] * n_, y, rank_);
}

void RowFactor::combine(const double* y, double* lambda) const {
  for (std::size_t k = rank_; k < m_; ++k) lambda[order_[k]] = 0.0;
  for (std::size_t k = rank_; k-- > 0;) {
    double sum = y[k];
    for (std::size_t i = k + 1; i < rank_; ++i) sum -= x_[order_[i] * n_ + k] * lambda[order_[i]];
    lambda[order_[k]] = sum / diagonal_[k];
  }
}

void RowFactor::combine_shortest(const double* y, double* lambda) {
  if (rank_ == m_) return combine(y, lambda);
  // R^T lambda = y, of full rank: its rows are the columns of R.
  RowFactor& f = *shortest_;
  f.n_ = m_;
  for (std::size_t k = 0; k < rank_; ++k) {
    double* column = f.row(k);
    for (std::size_t i = 0; i < m_; ++i)
      column[i] = i < k ? 0.0 : i == k ? diagonal_[k] : x_[order_[i] * n_ + k];
  }
  f.factor(rank_, 0.0);
  std::fill_n(shared_.begin(), m_, 0.0);
  f.solve(y, shared_.data());
  f.times_q(shared_.data());
  for (std::size_t i = 0; i < m_; ++i) lambda[order_[i]] = shared_[i];
}

}  // namespace tactus::math
