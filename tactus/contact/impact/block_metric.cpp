#include <tactus/contact/impact/block_metric.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/cholesky.h>

namespace tactus::contact {
namespace {

// What is left of a bilateral row, as a part of it, below which it depends on those before.
constexpr double kDependent = 1e-9;

// A free body's speeds: their factor is inverted, which makes rows cheap.
constexpr std::size_t kInverted = 6;

double dot(std::size_t n, const double* a, const double* b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

BlockMetric::BlockMetric(std::size_t n, std::size_t most_bilateral)
    : n_(n),
      L_(n * n),
      inverse_(n == kInverted ? n * n : 0),
      basis_(n * std::min(n, most_bilateral)),
      velocity_(std::min(n, most_bilateral)),
      position_(std::min(n, most_bilateral)),
      triangle_(velocity_.size() * velocity_.size()),
      number_(velocity_.size()),
      z_(n),
      parts_(velocity_.size()) {}

bool BlockMetric::factor(const double* M) {
  std::copy_n(M, n_ * n_, L_.data());
  rank_ = 0;
  if (!math::cholesky(n_, L_.data())) return false;
  if (inverse_.empty()) return true;
  // Column by column, from the diagonal down.
  for (std::size_t j = 0; j < kInverted; ++j) {
    inverse_[j * kInverted + j] = 1.0 / L_[j * kInverted + j];
    for (std::size_t i = j + 1; i < kInverted; ++i) {
      double sum = 0.0;
      for (std::size_t k = j; k < i; ++k) sum += L_[i * kInverted + k] * inverse_[k * kInverted + j];
      inverse_[i * kInverted + j] = -sum / L_[i * kInverted + i];
    }
  }
  return true;
}

void BlockMetric::lower_solve(double* x) const {
  if (inverse_.empty()) return math::solve_lower(n_, L_.data(), x);
  for (std::size_t i = kInverted; i-- > 0;) {
    double sum = 0.0;
    for (std::size_t k = 0; k <= i; ++k) sum += inverse_[i * kInverted + k] * x[k];
    x[i] = sum;
  }
}

void BlockMetric::solve(double* y) const {
  lower_solve(y);
  math::solve_lower_transposed(n_, L_.data(), y);
}

void BlockMetric::add_bilateral(int number, const double* row, double velocity, double position) {
  if (rank_ == parts_.size()) return;  // as many as there are speeds: nothing moves
  std::copy_n(row, n_, z_.data());
  lower_solve(z_.data());
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
  double* triangle = triangle_.data() + rank_ * velocity_.size();
  for (std::size_t k = 0; k < rank_; ++k) {
    velocity -= parts_[k] * velocity_[k];
    position -= parts_[k] * position_[k];
    triangle[k] = parts_[k];
  }
  triangle[rank_] = left;
  number_[rank_] = number;
  double* e = basis_.data() + rank_ * n_;
  for (std::size_t i = 0; i < n_; ++i) e[i] = z_[i] / left;
  velocity_[rank_] = velocity / left;
  position_[rank_] = position / left;
  ++rank_;
}

void BlockMetric::add_change(const double* along, double* x) const {
  for (std::size_t k = 0; k < rank_; ++k)
    for (std::size_t i = 0; i < n_; ++i) x[i] += along[k] * basis_[k * n_ + i];
}

void BlockMetric::whiten(double* row) const {
  lower_solve(row);
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* e = basis_.data() + k * n_;
    const double part = dot(n_, e, row);
    for (std::size_t i = 0; i < n_; ++i) row[i] -= part * e[i];
  }
}

void BlockMetric::add_speeds(const double* x, double* u) const {
  std::copy_n(x, n_, z_.data());
  math::solve_lower_transposed(n_, L_.data(), z_.data());
  for (std::size_t i = 0; i < n_; ++i) u[i] += z_[i];
}

/// In x the bilateral impulses are sum_k c_k e_k, with c_k = (what the rows asked for) - e_k . z, z being the
/// contacts' impulses, and sum_i lambda_i (triangle row i) = c.
void BlockMetric::bilateral_impulses(const double* others, double* lambda) const {
  std::copy_n(others, n_, z_.data());
  lower_solve(z_.data());
  const std::size_t width = velocity_.size();
  for (std::size_t k = 0; k < rank_; ++k)
    parts_[k] = velocity_[k] - dot(n_, basis_.data() + k * n_, z_.data());
  for (std::size_t i = rank_; i-- > 0;) {
    const double* triangle = triangle_.data() + i * width;
    const double impulse = parts_[i] / triangle[i];
    for (std::size_t k = 0; k < i; ++k) parts_[k] -= impulse * triangle[k];
    lambda[number_[i]] = impulse;
  }
}

}  // namespace tactus::contact
