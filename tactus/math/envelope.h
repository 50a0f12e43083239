// Cholesky's factorisation of a mass matrix, of which each row is stored and used from its first entry on: blocks of bodies that have no joint in
// common cost what each block costs. The sums are those of cholesky.h without their zeros: the same bits. Nothing is allocated after the
// constructor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tactus/math/cholesky.h>
#include <tactus/math/dot.h>
#include <tactus/math/lazy_zeros.h>

namespace tactus::math {

class EnvelopeFactor {
 public:
  explicit EnvelopeFactor(std::size_t n = 0) : n_(n), L_(n * n), first_(n), end_(n) {}

  /// a = L L^T by the lower triangle of a [n x n]. False where a is not positive definite. `none_before` [n]: columns before which the rows have no
  /// entries; null: they are looked for.
  bool factor(const double* a, const std::uint32_t* none_before = nullptr) {
    for (std::size_t i = 0; i < n_; ++i) {
      double* row = L_.data() + i * n_;
      std::size_t first = none_before != nullptr ? none_before[i] : 0;
      while (first < i && a[i * n_ + first] == 0.0) ++first;
      if (first_[i] < first) std::fill(row + first_[i], row + first, 0.0);
      first_[i] = first;
      std::copy(a + i * n_ + first, a + i * n_ + i + 1, row + first);
      const double diagonal = row[i];
      for (std::size_t j = first; j <= i; ++j) {
        const double* other = L_.data() + j * n_;
        const std::size_t zeros = first_[j] > first ? first_[j] - first : 0;
        const double sum = row[j] - dot_after(row + first, other + first, j - first, zeros);
        if (j < i) {
          row[j] = sum / other[j];
        } else {
          if (!(sum > kLeastPivot * diagonal)) return false;
          row[i] = std::sqrt(sum);
        }
      }
    }
    std::size_t least = n_, end = n_;  // blocks end where no later row reaches back
    for (std::size_t i = n_; i-- > 0;) {
      end_[i] = end;
      least = std::min(least, first_[i]);
      if (least == i) end = least = i;
    }
    return true;
  }

  /// x <- L^-1 x
  void solve_lower(double* x) const {
    std::size_t last = first_entry(n_, x);  // that is not zero
    for (std::size_t i = last; i < n_; ++i) {
      if (x[i] == 0.0 && first_[i] > last) continue;
      const double* row = L_.data() + i * n_;
      x[i] = (x[i] - dot_after(row, x, i, first_[i])) / row[i];
      if (x[i] != 0.0) last = i;
    }
  }

  /// The same for an x with entries in these columns alone, which come in order. note(i) gets those that it has afterwards, in order: what they cost
  /// is the size of their blocks.
  template <class Note>
  void solve_lower(double* x, const std::uint32_t* columns, std::size_t count, const Note& note) const {
    std::size_t done = 0;
    for (std::size_t e = 0; e < count; ++e) {
      if (columns[e] < done || x[columns[e]] == 0.0) continue;
      done = end_[columns[e]];
      std::size_t last = columns[e];
      for (std::size_t i = last; i < done; ++i) {
        if (x[i] == 0.0 && first_[i] > last) continue;
        const double* row = L_.data() + i * n_;
        x[i] = (x[i] - dot_after(row, x, i, first_[i])) / row[i];
        if (x[i] == 0.0) continue;
        last = i;
        note(i);
      }
    }
  }

  /// x <- L^-T x
  void solve_lower_transposed(double* x) const {
    for (std::size_t i = n_; i-- > 0;) {
      const double* row = L_.data() + i * n_;
      x[i] /= row[i];
      if (x[i] == 0.0) continue;
      for (std::size_t k = first_[i]; k < i; ++k) x[k] -= row[k] * x[i];
    }
  }

  const double* data() const { return L_.data(); }

 private:
  std::size_t n_;
  LazyZeros<double> L_;
  std::vector<std::size_t> first_, end_;  // of each row the first entry; and where its block ends
};

}  // namespace tactus::math
