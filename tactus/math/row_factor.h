// Which rows of a matrix are independent, and what they span: the orthogonal factorisation of the rows,
// largest remaining row first [BusingerGolub1965].
//
//   X_order(i) = sum_{k <= i} R_ik e_k,    Q = [e_0 e_1 ...] orthonormal, kept as Householder reflections
//
// What is left of a row after the ones before it are taken out is its distance from their span. The first
// distance that does not pass the tolerance ends the factorisation: the rows left over depend on the others.
// The tolerance is absolute, so that a single row can vanish; rows should therefore come with a natural size
// of about 1.
//
// Rows of many loops have few entries each, and a reflection touches only rows that have a column in common with it. Long rows with few entries are
// therefore kept with lists of these, and the k-th reflection leads to a column c_k of the row's own instead of the k-th: it has no entries then but
// those of rows that hang together. Components along e_k stand first in vectors all the same.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tactus/math/lazy_zeros.h>

namespace tactus::math {

class RowFactor {
 public:
  /// Memory for up to that many rows of n numbers; nothing is allocated afterwards. combine_shortest() needs
  /// more.
  RowFactor(std::size_t most_rows, std::size_t n, bool with_shortest = false);

  /// Rows are shorter from now on: n numbers, no more than there is memory for.
  void set_width(std::size_t n) { n_ = n; }
  /// To be filled row by row before factor(), which destroys it.
  double* row(std::size_t i) {
    listed_[i] = kUnknown;
    return at(i);
  }
  /// The same, filled with zeros: only what is not zero need be written.
  double* zeroed_row(std::size_t i);
  /// After it was written: it has entries in these columns alone, which come in order. Need not be said, spares looking for them.
  void note_columns(std::size_t i, const std::uint32_t* columns, std::size_t count);

  /// Factors the first m rows. Rows with a larger late[i] are taken only when no others are left (late may be
  /// null).
  void factor(std::size_t m, double tolerance, const char* late = nullptr);

  std::size_t rank() const { return rank_; }
  std::size_t rows() const { return m_; }
  /// The row that was taken k-th; from rank() on, the dependent ones.
  std::size_t order(std::size_t k) const { return order_[k]; }
  /// Distance of the k-th row from the span of those before it.
  double distance(std::size_t k) const { return std::abs(diagonal_[k]); }

  /// Numbers that the factors are made of, where they are kept by lists; 0 where they are not.
  std::size_t entries() const;

  /// x <- Q^T x and x <- Q x, for n-vectors.
  void times_q_transposed(double* x) const;
  void times_q(double* x) const;

  /// y [rank] such that x = Q [y; 0] is the shortest x with X_i . x = b_i for all independent rows i.
  void solve(const double* b, double* y) const;
  /// b_i - X_i . x of the dependent rows i at that x, in their order: from order(rank()) on.
  void rest(const double* b, const double* y, double* r) const;
  /// The combination of rows sum_i lambda_i X_i = Q [y; 0] by independent rows alone; the others get zero.
  void combine(const double* y, double* lambda) const;
  /// The same by the shortest lambda, in which dependent rows share.
  void combine_shortest(const double* y, double* lambda);

 private:
  double* at(std::size_t i) { return x_.data() + i * stride_; }
  const double* at(std::size_t i) const { return x_.data() + i * stride_; }
  void reflect(std::size_t k, double* x) const;

  // With lists of the rows' entries.
  std::uint32_t* list(std::size_t i) { return lists_.data() + i * stride_; }
  const std::uint32_t* list(std::size_t i) const { return lists_.data() + i * stride_; }
  std::uint32_t* done(std::size_t i) { return done_.data() + i * stride_; }
  const std::uint32_t* done(std::size_t i) const { return done_.data() + i * stride_; }
  bool make_lists(std::size_t m);
  void factor_listed(double tolerance, const char* late);
  void reflect_listed(std::size_t k, std::size_t i);
  void link(std::size_t i, std::uint32_t column);
  void take(std::size_t i);
  double done_dot(std::size_t i, const double* y) const;
  std::size_t next_row(std::size_t k, double least, const char* late) const;

  std::size_t stride_, n_, m_ = 0, rank_ = 0;
  LazyZeros<double> x_;
  std::vector<double> diagonal_, beta_;
  std::vector<double> norms_, summed_;  // squared: of what is left of the rows, and when last summed
  std::vector<std::size_t> order_;
  std::unique_ptr<RowFactor> shortest_;  // of R^T, for combine_shortest()
  std::vector<double> shared_;

  bool by_lists_ = false;  // the last factorisation was made with lists
  enum Listed : char { kUnknown, kListed, kNoted };
  std::vector<char>
      listed_;  // [rows] whether it has no other entries than those of its lists; noted: of the first of them, before factor()
  LazyZeros<std::uint32_t> lists_,
      done_;  // [rows x n] columns of what is left of a row; those of its R_ik, by k
  std::vector<std::uint32_t> length_, done_length_;  // [rows]
  LazyZeros<std::uint32_t> next_in_column_;  // [rows x n] 1 + the next row that has an entry there; 0: none
  std::vector<std::uint32_t> first_in_column_;         // [n]
  std::vector<std::uint32_t> target_, step_, others_;  // c_k; k of c_k; the columns that are none of them
  std::vector<std::uint32_t> marked_;                  // [n] by the last row that had an entry there
  std::vector<std::uint32_t> seen_, taken_;            // [rows] in which step last; whether
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> candidates_;
  std::vector<double> whole_;           // [rows] squared lengths of the rows as they came
  mutable std::vector<double> turned_;  // [n]
};

}  // namespace tactus::math
