// Which rows of a matrix are independent, and what they span: the orthogonal factorisation of the rows,
// largest remaining row first [BusingerGolub1965].
//
//   X_order(i) = sum_{k <= i} R_ik e_k,    Q = [e_0 e_1 ...] orthonormal, kept as Householder reflections
//
// What is left of a row after the ones before it are taken out is its distance from their span. The first
// distance that does not pass the tolerance ends the factorisation: the rows left over depend on the others.
// The tolerance is absolute, so that a single row can vanish; rows should therefore come with a natural size
// of about 1.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

namespace tactus::math {

class RowFactor {
 public:
  /// Memory for up to that many rows of n numbers; nothing is allocated afterwards. combine_shortest() needs
  /// more.
  RowFactor(std::size_t most_rows, std::size_t n, bool with_shortest = false);

  /// Rows are shorter from now on: n numbers, no more than there is memory for.
  void set_width(std::size_t n) { n_ = n; }
  /// To be filled row by row before factor(), which destroys it.
  double* row(std::size_t i) { return x_.data() + i * n_; }

  /// Factors the first m rows. Rows with a larger late[i] are taken only when no others are left (late may be
  /// null).
  void factor(std::size_t m, double tolerance, const char* late = nullptr);

  std::size_t rank() const { return rank_; }
  std::size_t rows() const { return m_; }
  /// The row that was taken k-th; from rank() on, the dependent ones.
  std::size_t order(std::size_t k) const { return order_[k]; }
  /// Distance of the k-th row from the span of those before it.
  double distance(std::size_t k) const { return std::abs(diagonal_[k]); }

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
  void reflect(std::size_t k, double* x) const;

  std::size_t n_, m_ = 0, rank_ = 0;
  std::vector<double> x_, diagonal_, beta_;
  std::vector<double> norms_, summed_;  // squared: of what is left of the rows, and when last summed
  std::vector<std::size_t> order_;
  std::unique_ptr<RowFactor> shortest_;  // of R^T, for combine_shortest()
  std::vector<double> shared_;
};

}  // namespace tactus::math
