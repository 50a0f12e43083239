// Comparisons that a NaN cannot pass. std::max(x, NaN) is x: a test that keeps the largest of its errors so never sees the
// one that is no number. Here it is kept, and every assertion on it fails.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace tactus::support {

/// The larger of two; what is no number is larger than any.
template <class T>
constexpr T larger(T a, T b) {
  return a != a || (!(b != b) && !(a < b)) ? a : b;
}
template <class T, class... More>
constexpr T larger(T a, T b, T c, More... more) {
  return larger(larger(a, b), c, more...);
}

/// The largest size in a list, and at least `least`.
inline double largest(std::span<const double> values, double least = 0.0) {
  for (const double x : values) least = larger(least, std::abs(x));
  return least;
}

/// The largest difference between two lists; of different lengths, or with what is no number in them: infinite or NaN.
inline double difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) result = larger(result, std::abs(a[i] - b[i]));
  return result;
}

/// The same by the largest of `a`, or by 1 where that is more.
inline double relative_difference(std::span<const double> a, std::span<const double> b) {
  return difference(a, b) / largest(a, 1.0);
}

}  // namespace tactus::support
