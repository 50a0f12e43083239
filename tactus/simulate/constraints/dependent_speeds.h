// Which speeds depend on the others, for equations in the independent ones alone [Gillespie2003, (43)].
//
// Any choice whose columns A_D are regular gives the same motion, but no choice is good everywhere. This one
// is by complete pivoting on A with column i divided by sqrt(M_ii) and each row by its natural size: the
// pivots then compare energies, not metres with radians. The last choice is kept until a pivot of it falls
// below a tenth of the best one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/math/elimination.h>
#include <tactus/simulate/constraints/formulation.h>

namespace tactus::simulate {

class DependentSpeeds {
 public:
  /// Memory for n speeds and up to that many rows.
  DependentSpeeds(std::size_t n, std::size_t most_rows);

  /// False where a speed has no mass. No allocation.
  bool choose(const ConstrainedProblem& problem) noexcept;
  /// Forgets the last choice.
  void reset() noexcept;

  /// Of the rows over their natural sizes and the speeds times size().
  const math::Elimination& elimination() const noexcept { return elimination_; }
  double size(std::size_t i) const noexcept { return size_[i]; }  // sqrt(M_ii)
  /// [n] Whether a speed depends on others: all that is remembered.
  std::span<char> set() noexcept { return set_; }
  /// How often another set was taken than the one before.
  long choices() const noexcept { return choices_; }

 private:
  math::Elimination elimination_;
  std::vector<double> size_;
  std::vector<char> set_, before_;
  long choices_ = 0;
};

}  // namespace tactus::simulate
