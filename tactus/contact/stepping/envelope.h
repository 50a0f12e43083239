// A symmetric positive definite matrix by rows, each from its first entry that is not zero to the diagonal: the
// envelope (skyline), inside which Cholesky's factor stays [GeorgeLiu1981].
#pragma once

#include <cstddef>
#include <vector>

namespace tactus::contact {

class Envelope {
 public:
  /// Nothing is allocated afterwards.
  Envelope(std::size_t most_rows, std::size_t most_entries);

  void clear();
  /// The next row, from its first column on. False where there is no room.
  bool add_row(std::size_t first);
  std::size_t size() const { return rows_; }
  /// Products in a factorization.
  long work() const { return work_; }

  void set_identity();
  /// Row i, addressed by column: first(i) <= column <= i.
  double* row(std::size_t i) { return entries_.data() + from_[i] - first_[i]; }
  const double* row(std::size_t i) const { return entries_.data() + from_[i] - first_[i]; }
  /// M = L L^T, in place. False where it is not positive definite.
  bool factor();
  /// x = M^-1 x, after factor().
  void solve(double* x) const;

 private:
  std::size_t rows_ = 0, used_ = 0;
  long work_ = 0;
  std::vector<std::size_t> first_, from_;
  std::vector<double> entries_;
};

}  // namespace tactus::contact
