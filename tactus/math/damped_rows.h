// Levenberg's and Marquardt's step for rows with few entries each:
//
//   x = X^T (X X^T + d)^-1 b        d > 0
//
// by Cholesky's factors of the matrix of the rows' products, each row of which is used from its first entry on: rows of loops along a mechanism have
// products with their neighbours alone. (Orthogonal factors of [X sqrt(d)] would couple each row with all before it.) The matrix has the square of the
// condition: d should not be much smaller than the root of the rounding error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tactus/math/envelope.h>
#include <tactus/math/lazy_zeros.h>

namespace tactus::math {

class DampedRows {
 public:
  /// Up to that many rows of n numbers.
  DampedRows(std::size_t most_rows, std::size_t n);

  /// Without rows again.
  void clear();
  /// The next row, which has entries in these columns alone.
  void add(const double* row, std::span<const std::uint32_t> columns);
  /// False where rounding leaves no positive definite matrix.
  bool factor(double d);
  /// x [n] of b, a number for every row.
  void solve(const double* b, double* x);

 private:
  struct Entry {
    std::uint32_t at;  // column of a row's entry; row of a column's
    double value;
  };
  std::size_t most_rows_, rows_ = 0;
  std::vector<Entry> entries_;                 // row by row
  std::vector<std::size_t> begin_;             // of each row the first, and the end
  std::vector<std::vector<Entry>> in_column_;  // [n]
  std::vector<std::uint32_t> first_;           // of each row of products
  std::vector<double> y_;
  LazyZeros<double> products_;
  EnvelopeFactor factor_;
};

}  // namespace tactus::math
