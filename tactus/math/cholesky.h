// Cholesky's factorisation of small dense matrices, row by row in place, without memory of its own.
#pragma once

#include <cmath>
#include <cstddef>

namespace tactus::math {

/// A pivot below this part of its diagonal element is rounding: the matrix is not positive definite.
inline constexpr double kLeastPivot = 1e-14;

/// a = L L^T, L in the lower triangle. False where a is not positive definite.
inline bool cholesky(std::size_t n, double* a) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a + i * n;
    const double diagonal = row[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = a + j * n;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
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
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (std::size_t k = 0; k < i; ++k) sum -= L[i * n + k] * x[k];
    x[i] = sum / L[i * n + i];
  }
}

/// x <- L^-T x
inline void solve_lower_transposed(std::size_t n, const double* L, double* x) {
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
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
