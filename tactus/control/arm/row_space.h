// The space that a few rows span: an orthonormal basis by Gram and Schmidt's method, the longest row first and each taken out twice, in the
// rows' own memory. I - P of [Aghili2005, (15)] is the sum of b b^T over the basis.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

namespace tactus::control {

/// v <- v without what lies along the basis' rows.
inline void take_out(std::size_t rank, std::size_t n, const double* basis, double* v) noexcept {
  for (int again = 0; again < 2; ++again)
    for (std::size_t r = 0; r < rank; ++r) {
      const double* b = basis + r * n;
      double along = 0.0;
      for (std::size_t j = 0; j < n; ++j) along += b[j] * v[j];
      for (std::size_t j = 0; j < n; ++j) v[j] -= along * b[j];
    }
}

/// Of `rows` [m x n, row by row] the basis comes first; how many. Lengths up to `nothing` are none.
inline std::size_t row_space(std::size_t m, std::size_t n, double nothing, double* rows) noexcept {
  std::size_t rank = 0;
  for (; rank < m && rank < n; ++rank) {
    std::size_t longest = rank;
    double most = -1.0;
    for (std::size_t r = rank; r < m; ++r) {
      take_out(rank, n, rows, rows + r * n);
      double square = 0.0;
      for (std::size_t j = 0; j < n; ++j) square += rows[r * n + j] * rows[r * n + j];
      if (square > most) {
        most = square;
        longest = r;
      }
    }
    const double length = std::sqrt(most);
    if (!(length > nothing)) break;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(rows[rank * n + j], rows[longest * n + j]);
      rows[rank * n + j] /= length;
    }
  }
  return rank;
}

}  // namespace tactus::control
