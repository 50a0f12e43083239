#include <tactus/contact/stepping/envelope.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {
namespace {

/// Four sums side by side: the same order on every machine.
double dot(const double* a, const double* b, std::size_t n) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

Envelope::Envelope(std::size_t most_rows, std::size_t most_entries)
    : first_(most_rows), from_(most_rows), entries_(most_entries) {}

void Envelope::clear() {
  rows_ = used_ = 0;
  work_ = 0;
}

bool Envelope::add_row(std::size_t first) {
  const std::size_t length = rows_ - first + 1;
  if (rows_ == first_.size() || used_ + length > entries_.size()) return false;
  first_[rows_] = first;
  from_[rows_] = used_;
  used_ += length;
  work_ += static_cast<long>(length * length / 2);
  ++rows_;
  return true;
}

void Envelope::set_identity() {
  std::fill_n(entries_.begin(), used_, 0.0);
  for (std::size_t i = 0; i < rows_; ++i) row(i)[i] = 1.0;
}

bool Envelope::factor() {
  for (std::size_t i = 0; i < rows_; ++i) {
    double* a = row(i);
    for (std::size_t j = first_[i]; j < i; ++j) {
      const double* l = row(j);
      const std::size_t from = std::max(first_[i], first_[j]);
      a[j] = (a[j] - dot(a + from, l + from, j - from)) / l[j];
    }
    const double pivot = a[i] - dot(a + first_[i], a + first_[i], i - first_[i]);
    if (!(pivot > 0.0)) return false;
    a[i] = std::sqrt(pivot);
  }
  return true;
}

void Envelope::solve(double* x) const {
  for (std::size_t i = 0; i < rows_; ++i) {
    const double* l = row(i);
    x[i] = (x[i] - dot(l + first_[i], x + first_[i], i - first_[i])) / l[i];
  }
  for (std::size_t i = rows_; i-- > 0;) {
    const double* l = row(i);
    x[i] /= l[i];
    for (std::size_t j = first_[i]; j < i; ++j) x[j] -= l[j] * x[i];
  }
}

}  // namespace tactus::contact
