// Elimination of a square matrix with row exchanges: P A = L U, for matrices that are nearly symmetric and whose largest entries stand near the
// diagonal, such as those of implicit steps. elimination.h looks for the largest of all entries instead, which tells the rank and costs far more.
// Nothing is allocated after the constructor.
#pragma once

#include <cstddef>
#include <vector>

namespace tactus::math {

class SquareFactor {
 public:
  explicit SquareFactor(std::size_t n = 0) : n_(n), a_(n * n), exchanged_(n) {}

  std::size_t size() const { return n_; }
  /// [n x n] by rows, to be filled before factor(), which puts the factors there.
  double* data() { return a_.data(); }
  /// False where the matrix is singular or not finite.
  bool factor();
  /// x <- A^-1 x
  void solve(double* x) const;

 private:
  std::size_t n_;
  std::vector<double> a_;
  std::vector<std::size_t> exchanged_;  // with which row the k-th was
};

}  // namespace tactus::math
