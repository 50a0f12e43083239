// Sizes over a run, in which what is no number cannot hide.
#pragma once

#include <algorithm>
#include <cmath>

namespace tactus::studies::faulring {

/// NaN stays.
inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// Root mean square and largest size.
struct Size {
  double sum = 0.0, largest = 0.0;
  long count = 0;
  void add(double x) {
    sum += x * x;
    largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : INFINITY;
    ++count;
  }
  double rms() const { return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : INFINITY; }
};

/// From the least to the most: everything, where one of them is no number.
struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double x) {
    least = std::isnan(x) ? -INFINITY : std::min(least, x);
    most = std::isnan(x) ? INFINITY : std::max(most, x);
  }
  double width() const { return most - least; }
};

}  // namespace tactus::studies::faulring
