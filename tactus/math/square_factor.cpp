#include <tactus/math/square_factor.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/dot.h>

namespace tactus::math {

namespace {

/// Columns that are eliminated together: what is left of the matrix is then read and written a quarter as often.
constexpr std::size_t kPanel = 4;

}  // namespace

/// Panel by panel: the columns k .. last of all rows below, with their exchanges; then the rows k .. last beyond the panel; then the rest.
bool SquareFactor::factor() {
  double* const a = a_.data();
  for (std::size_t first = 0; first < n_; first += kPanel) {
    const std::size_t last = std::min(first + kPanel, n_);
    for (std::size_t k = first; k < last; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(a[i * n_ + k]) > std::abs(a[best * n_ + k])) best = i;
      const double pivot = a[best * n_ + k];
      if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return false;
      exchanged_[k] = best;
      if (best != k) std::swap_ranges(a + k * n_, a + k * n_ + n_, a + best * n_);
      for (std::size_t i = k + 1; i < n_; ++i) {
        double* row = a + i * n_;
        const double part = row[k] / pivot;
        row[k] = part;
        for (std::size_t j = k + 1; j < last; ++j) row[j] -= part * a[k * n_ + j];
      }
    }
    if (last == n_) break;
    for (std::size_t k = first + 1; k < last; ++k)
      for (std::size_t l = first; l < k; ++l) {
        const double part = a[k * n_ + l];
        for (std::size_t j = last; j < n_; ++j) a[k * n_ + j] -= part * a[l * n_ + j];
      }
    // Here the panel is whole: it was not the last one.
    const double *r0 = a + first * n_, *r1 = r0 + n_, *r2 = r1 + n_, *r3 = r2 + n_;
    for (std::size_t i = last; i < n_; ++i) {
      double* row = a + i * n_;
      const double p0 = row[first], p1 = row[first + 1], p2 = row[first + 2], p3 = row[first + 3];
      if (p0 == 0.0 && p1 == 0.0 && p2 == 0.0 && p3 == 0.0) continue;
      for (std::size_t j = last; j < n_; ++j) row[j] -= (p0 * r0[j] + p1 * r1[j]) + (p2 * r2[j] + p3 * r3[j]);
    }
  }
  return true;
}

void SquareFactor::solve(double* x) const {
  for (std::size_t k = 0; k < n_; ++k) {
    std::swap(x[k], x[exchanged_[k]]);
    x[k] -= dot(a_.data() + k * n_, x, k);
  }
  for (std::size_t k = n_; k-- > 0;)
    x[k] = (x[k] - dot(a_.data() + k * n_ + k + 1, x + k + 1, n_ - k - 1)) / a_[k * n_ + k];
}

}  // namespace tactus::math
