// Elimination with complete pivoting: independent rows and columns of a matrix at once.
//
//   L^-1 A_(rows, columns) = [U  V],   U upper triangular of size rank
//
// Columns that are preferred are kept as pivots as long as theirs is at least a given part of the best one: a
// choice of dependent unknowns then stays what it was until another is clearly better.
#pragma once

#include <cstddef>
#include <vector>

namespace tactus::math {

class Elimination {
 public:
  Elimination(std::size_t most_rows, std::size_t most_columns);

  /// To be filled before factor(), which destroys it; rows of n numbers each.
  double* row(std::size_t i, std::size_t n) { return a_.data() + i * n; }

  /// Pivots down to the tolerance, which is absolute. `preferred` [n] may be null.
  void factor(std::size_t m, std::size_t n, double tolerance, const char* preferred = nullptr,
              double keep = 1.0);

  std::size_t rank() const { return rank_; }
  std::size_t pivot_row(std::size_t k) const { return rows_[k]; }
  std::size_t pivot_column(std::size_t k) const { return columns_[k]; }
  double pivot(std::size_t k) const { return at(k, k); }

  /// x [rank], in the order of the pivot columns: the pivot rows' A x = b with all other unknowns zero.
  void solve(const double* b, double* x) const;
  /// The same for minus the column of another unknown: how the pivot unknowns follow it.
  void follow(std::size_t column_place, double* x) const;
  /// x [m] with sum_i x_i A_i = 0: the row at a place from rank() on has x = 1, only pivot rows have others.
  void depend(std::size_t row_place, double* x) const;
  /// lambda of the pivot rows (others zero): their combination equals f on the pivot columns; f [n].
  void combine(const double* f, double* lambda) const;

 private:
  double at(std::size_t k, std::size_t j) const { return a_[rows_[k] * n_ + columns_[j]]; }
  void substitute_back(double* x) const;

  std::size_t m_ = 0, n_ = 0, rank_ = 0;
  std::vector<double> a_;
  std::vector<std::size_t> rows_, columns_;
  mutable std::vector<double> w_;
};

}  // namespace tactus::math
