// Cholesky's factorisation of small matrices, row by row in place, without memory of its own. Rows of mass
// matrices begin with zeros where bodies have no joint in common, and stay so: the zeros are skipped.
#pragma once

#include <cmath>
#include <cstddef>

#include <tactus/math/dot.h>

namespace tactus::math {

/// A pivot below this part of its diagonal element is rounding: the matrix is not positive definite.
inline constexpr double kLeastPivot = 1e-14;

/// The column of the first entry of row i that is not zero; i where there is none before it.
inline std::size_t first_entry(std::size_t i, const double* row) {
  std::size_t first = 0;
  while (first < i && row[first] == 0.0) ++first;
  return first;
}

/// a = L L^T, L in the lower triangle. False where a is not positive definite.
inline bool cholesky(std::size_t n, double* a) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a + i * n;
    const double diagonal = row[i];
    const std::size_t first = first_entry(i, row);
    for (std::size_t j = first; j <= i; ++j) {
      const double* other = a + j * n;
      const double sum = row[j] - dot(row + first, other + first, j - first);
      if (j < i) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > kLeastPivot * diagonal)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

/// x <- L^-1 x
inline void solve_lower(std::size_t n, const double* L, double* x) {
  for (std::size_t i = first_entry(n, x); i < n; ++i) x[i] = (x[i] - dot(L + i * n, x, i)) / L[i * n + i];
}

/// x <- L^-T x
inline void solve_lower_transposed(std::size_t n, const double* L, double* x) {
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    if (x[i] == 0.0) continue;
    for (std::size_t k = 0; k < i; ++k) x[k] -= L[i * n + k] * x[i];
  }
}

/// y = L x
inline void times_lower(std::size_t n, const double* L, const double* x, double* y) {
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = 0.0;
    for (std::size_t k = 0; k <= i; ++k) y[i] += L[i * n + k] * x[k];
  }
}

}  // namespace tactus::math
