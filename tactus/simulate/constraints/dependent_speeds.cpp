#include <tactus/simulate/constraints/dependent_speeds.h>

#include <algorithm>
#include <cmath>

namespace tactus::simulate {

namespace {

/// A dependent speed stays dependent while its pivot is at least this part of the best one.
constexpr double kKeep = 0.1;

}  // namespace

DependentSpeeds::DependentSpeeds(std::size_t n, std::size_t most_rows)
    : elimination_(most_rows, n), size_(n), set_(n, 0), before_(n, 0) {}

bool DependentSpeeds::choose(const ConstrainedProblem& p) noexcept {
  const std::size_t n = p.n;
  for (std::size_t i = 0; i < n; ++i) {
    size_[i] = std::sqrt(p.M[i * n + i]);
    if (!(size_[i] > 0.0)) return false;
  }
  for (std::size_t k = 0; k < p.m; ++k) {
    double* row = elimination_.row(k, n);
    for (std::size_t i = 0; i < n; ++i) row[i] = p.A[k * n + i] / (p.scale[k] * size_[i]);
  }
  elimination_.factor(p.m, n, p.rank_tolerance, set_.data(), kKeep);
  std::copy(set_.begin(), set_.end(), before_.begin());
  std::fill(set_.begin(), set_.end(), char{0});
  for (std::size_t k = 0; k < elimination_.rank(); ++k) set_[elimination_.pivot_column(k)] = 1;
  choices_ += set_ != before_ ? 1 : 0;
  return true;
}

void DependentSpeeds::reset() noexcept { std::fill(set_.begin(), set_.end(), char{0}); }

}  // namespace tactus::simulate
