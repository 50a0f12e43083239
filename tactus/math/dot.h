// Sums of products by several partial sums: the additions of one do not wait for those of another, and a
// compiler may put them side by side into vector registers. The order of the sum is fixed: same input, same
// bits.
#pragma once

#include <cstddef>

namespace tactus::math {

inline double dot(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t kParts = 8;
  if (n < kParts) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  double parts[kParts] = {};
  std::size_t i = 0;
  for (; i + kParts <= n; i += kParts)
    for (std::size_t k = 0; k < kParts; ++k) parts[k] += a[i + k] * b[i + k];
  double sum = 0.0;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum +
         (((parts[0] + parts[4]) + (parts[1] + parts[5])) + ((parts[2] + parts[6]) + (parts[3] + parts[7])));
}

/// The same where the first `zeros` products are zeros: the same bits.
inline double dot_after(const double* a, const double* b, std::size_t n, std::size_t zeros) {
  constexpr std::size_t kParts = 8;
  if (zeros < kParts) return dot(a, b, n);
  const std::size_t whole = n - n % kParts;
  if (zeros >= whole) {
    double sum = 0.0;
    for (std::size_t i = zeros; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  const std::size_t skipped = zeros - zeros % kParts;
  return dot(a + skipped, b + skipped, n - skipped);
}

}  // namespace tactus::math
