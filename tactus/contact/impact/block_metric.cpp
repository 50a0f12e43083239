#include <tactus/contact/impact/block_metric.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/check.h>
#include <tactus/math/cholesky.h>

namespace tactus::contact {
namespace {

// What is left of a bilateral row, as a part of it, below which it depends on those before.
constexpr double kDependent = 1e-9;

// Up to so many speeds, M_c^-1 is formed: a free body has six and often more contacts than that.
constexpr std::size_t kMostInverted = 12;

double dot(std::size_t n, const double* a, const double* b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

BlockMetric::BlockMetric(std::size_t n, std::size_t most_bilateral)
    : n_(n),
      L_(n * n),
      inverse_(n <= kMostInverted ? n * n : 0),
      basis_(n * std::min(n, most_bilateral)),
      velocity_(std::min(n, most_bilateral)),
      position_(std::min(n, most_bilateral)),
      z_(n),
      parts_(std::min(n, most_bilateral)) {}

bool BlockMetric::factor(const double* M) {
  std::copy_n(M, n_ * n_, L_.data());
  rank_ = 0;
  return math::cholesky(n_, L_.data());
}

void BlockMetric::solve(double* x) const {
  math::solve_lower(n_, L_.data(), x);
  math::solve_lower_transposed(n_, L_.data(), x);
}

void BlockMetric::add_bilateral(const double* row, double velocity, double position) {
  if (rank_ == parts_.size()) return;  // as many as there are speeds: nothing moves
  std::copy_n(row, n_, z_.data());
  math::solve_lower(n_, L_.data(), z_.data());
  const double before = std::sqrt(dot(n_, z_.data(), z_.data()));
  // Twice, so that the basis stays orthonormal to rounding.
  std::fill_n(parts_.data(), rank_, 0.0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < rank_; ++k) {
      const double* e = basis_.data() + k * n_;
      const double part = dot(n_, e, z_.data());
      parts_[k] += part;
      for (std::size_t i = 0; i < n_; ++i) z_[i] -= part * e[i];
    }
  }
  const double left = std::sqrt(dot(n_, z_.data(), z_.data()));
  if (!(left > kDependent * before)) return;
  for (std::size_t k = 0; k < rank_; ++k) {
    velocity -= parts_[k] * velocity_[k];
    position -= parts_[k] * position_[k];
  }
  double* e = basis_.data() + rank_ * n_;
  for (std::size_t i = 0; i < n_; ++i) e[i] = z_[i] / left;
  velocity_[rank_] = velocity / left;
  position_[rank_] = position / left;
  ++rank_;
}

void BlockMetric::add_change(const double* along, double* change) const {
  if (rank_ == 0) return;
  std::fill_n(z_.data(), n_, 0.0);
  for (std::size_t k = 0; k < rank_; ++k)
    for (std::size_t i = 0; i < n_; ++i) z_[i] += along[k] * basis_[k * n_ + i];
  math::solve_lower_transposed(n_, L_.data(), z_.data());
  for (std::size_t i = 0; i < n_; ++i) change[i] += z_[i];
}

void BlockMetric::solve_response(const double* row, double* Y) const {
  std::copy_n(row, n_, Y);
  math::solve_lower(n_, L_.data(), Y);
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* e = basis_.data() + k * n_;
    const double part = dot(n_, e, Y);
    for (std::size_t i = 0; i < n_; ++i) Y[i] -= part * e[i];
  }
  math::solve_lower_transposed(n_, L_.data(), Y);
}

void BlockMetric::finish() {
  if (inverse_.empty()) return;
  std::fill_n(z_.data(), n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    z_[i] = 1.0;
    solve_response(z_.data(), inverse_.data() + i * n_);
    z_[i] = 0.0;
  }
}

void BlockMetric::response(const double* row, double* Y) const {
  if (inverse_.empty()) return solve_response(row, Y);
  std::fill_n(Y, n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    if (row[i] == 0.0) continue;
    for (std::size_t j = 0; j < n_; ++j) Y[j] += row[i] * inverse_[i * n_ + j];
  }
}

}  // namespace tactus::contact
