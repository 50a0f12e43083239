#include <tactus/contact/impact/delassus.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/check.h>
#include <tactus/contact/events/active_system.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::contact {

namespace {

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Delassus::Delassus(const TermsKernel& kernel, std::size_t most_bilateral, std::size_t most_rows)
    : parents_(kernel.parents),
      n_(static_cast<std::size_t>(kernel.nv)),
      M_(n_ * n_),
      root_(n_),
      basis_(most_bilateral * n_),
      triangle_(most_bilateral * most_bilateral),
      owner_(most_bilateral),
      change_(most_bilateral),
      y_(most_bilateral),
      raw_(most_rows * n_),
      Z_(most_rows * n_),
      W_(most_rows * most_rows),
      work_(2 * n_),
      most_bilateral_(most_bilateral) {}

void Delassus::begin(const Terms& terms) {
  bilateral_ = independent_ = rows_ = 0;
  terms.mass_matrix(M_.data());
  derive::factorise(parents_, static_cast<int>(n_), M_.data());
  for (std::size_t i = 0; i < n_; ++i) root_[i] = std::sqrt(M_[i * n_ + i]);  // D^-1/2
}

void Delassus::transform(const double* row, double* z) const {
  std::copy_n(row, n_, z);
  towards_ground(parents_, n_, M_.data(), z);
  for (std::size_t i = 0; i < n_; ++i) z[i] *= root_[i];
}

void Delassus::back(const double* z, double* du) const {
  for (std::size_t i = 0; i < n_; ++i) du[i] = z[i] / root_[i];  // from_ground() multiplies by 1/D
  from_ground(parents_, n_, M_.data(), du);
}

void Delassus::add_bilateral(const double* row, double change, double natural_size) {
  TACTUS_CHECK(bilateral_ < most_bilateral_ && rows_ == 0);
  const std::size_t k = bilateral_++;
  change_[k] = change;
  double* coefficient = &triangle_[k * most_bilateral_];
  std::fill_n(coefficient, most_bilateral_, 0.0);
  double* z = work_.data();
  transform(row, z);
  const double size = natural_size > 0.0 ? natural_size : std::sqrt(dot(z, z, n_));
  for (int pass = 0; pass < 2; ++pass)  // twice is enough
    for (std::size_t j = 0; j < independent_; ++j) {
      const double* e = &basis_[j * n_];
      const double part = dot(e, z, n_);
      coefficient[j] += part;
      for (std::size_t i = 0; i < n_; ++i) z[i] -= part * e[i];
    }
  const double rest = std::sqrt(dot(z, z, n_));
  if (!(rest > simulate::kRankTolerance * size)) return;
  coefficient[independent_] = rest;
  owner_[independent_] = k;
  for (std::size_t i = 0; i < n_; ++i) basis_[independent_ * n_ + i] = z[i] / rest;
  ++independent_;
}

void Delassus::strike(double* du) {
  double* z = work_.data();
  std::fill_n(z, n_, 0.0);
  for (std::size_t j = 0; j < independent_; ++j) {
    const double* coefficient = &triangle_[owner_[j] * most_bilateral_];
    double y = change_[owner_[j]];
    for (std::size_t i = 0; i < j; ++i) y -= coefficient[i] * y_[i];
    y_[j] = y / coefficient[j];
    for (std::size_t i = 0; i < n_; ++i) z[i] += y_[j] * basis_[j * n_ + i];
  }
  back(z, du);
}

void Delassus::add_row(const double* row) {
  const std::size_t k = rows_++;
  TACTUS_CHECK((k + 1) * n_ <= Z_.size());
  std::copy_n(row, n_, &raw_[k * n_]);
  double* z = &Z_[k * n_];
  transform(row, z);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t j = 0; j < independent_; ++j) {
      const double part = dot(&basis_[j * n_], z, n_);
      for (std::size_t i = 0; i < n_; ++i) z[i] -= part * basis_[j * n_ + i];
    }
  assemble();
}

/// The rows of W stand without a gap: each new row shifts those before it.
void Delassus::assemble() {
  const std::size_t m = rows_;
  for (std::size_t k = m - 1; k-- > 0;)
    for (std::size_t l = m - 1; l-- > 0;) W_[k * m + l] = W_[k * (m - 1) + l];
  for (std::size_t k = 0; k < m; ++k)
    W_[k * m + m - 1] = W_[(m - 1) * m + k] = dot(&Z_[k * n_], &Z_[(m - 1) * n_], n_);
}

void Delassus::apply(const double* p, double* du) {
  double* z = work_.data();
  std::fill_n(z, n_, 0.0);
  for (std::size_t k = 0; k < rows_; ++k)
    for (std::size_t i = 0; i < n_; ++i) z[i] += Z_[k * n_ + i] * p[k];
  back(z, du);
}

void Delassus::bilateral_impulses(const double* p, const double* du, double* impulses) {
  // D^1/2 L du = Z_raw^T p + sum_k z_k impulse_k, seen along the e: an upper triangular system.
  double* x = work_.data();
  double* z = work_.data() + n_;
  for (std::size_t i = 0; i < n_; ++i) {
    x[i] = du[i];
    for (int j = parents_[i]; j >= 0; j = parents_[static_cast<std::size_t>(j)])
      x[i] += M_[i * n_ + static_cast<std::size_t>(j)] * du[j];
    x[i] /= root_[i];
  }
  for (std::size_t k = 0; k < rows_; ++k) {
    if (p[k] == 0.0) continue;
    transform(&raw_[k * n_], z);
    for (std::size_t i = 0; i < n_; ++i) x[i] -= p[k] * z[i];
  }
  std::fill_n(impulses, bilateral_, 0.0);
  for (std::size_t j = independent_; j-- > 0;) {
    double sum = dot(&basis_[j * n_], x, n_);
    for (std::size_t l = j + 1; l < independent_; ++l)
      sum -= triangle_[owner_[l] * most_bilateral_ + j] * impulses[owner_[l]];
    impulses[owner_[j]] = sum / triangle_[owner_[j] * most_bilateral_ + j];
  }
}

}  // namespace tactus::contact
