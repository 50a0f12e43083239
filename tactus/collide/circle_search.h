// The largest value of a continuous function over an angle.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tactus::collide {

struct AngleFound {
  double angle = 0.0, value = 0.0;
};

/// The best angle in [low, high], between which the function has one maximum, by golden sections, to about
/// 1e-8 rad: where the function is smooth its value is then right to rounding.
template <class F>
AngleFound largest_between(const F& value, double low, double high) {
  constexpr double kGolden = 0.61803398874989485;
  double x1 = high - kGolden * (high - low), x2 = low + kGolden * (high - low);
  double f1 = value(x1), f2 = value(x2);
  while (high - low > 1e-8) {
    if (f1 > f2) {
      high = x2;
      x2 = x1;
      f2 = f1;
      x1 = high - kGolden * (high - low);
      f1 = value(x1);
    } else {
      low = x1;
      x1 = x2;
      f1 = f2;
      x2 = low + kGolden * (high - low);
      f2 = value(x2);
    }
  }
  return f1 > f2 ? AngleFound{x1, f1} : AngleFound{x2, f2};
}

/// Samples [from, to], then narrows down around every sample that is as high as its neighbours and could
/// still rise above the best and above `beat`, the function's slope being `steepest` at most. `closed`: the
/// two ends are the same angle.
template <int kSamples, class F>
AngleFound largest_over_angle(const F& value, double from, double to, bool closed, double steepest,
                              double beat) {
  const double step = (to - from) / kSamples;
  std::array<double, kSamples + 1> sample;
  AngleFound best{from, -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k <= kSamples; ++k) {
    const double angle = from + step * static_cast<double>(k);
    sample[k] = value(angle);
    if (sample[k] > best.value) best = {angle, sample[k]};
  }
  for (std::size_t k = 0; k <= kSamples; ++k) {
    const std::size_t before = k > 0 ? k - 1 : closed ? kSamples - 1 : 0;
    const std::size_t after = k < kSamples ? k + 1 : closed ? 1 : kSamples;
    if (closed && k == kSamples) break;
    if (sample[k] < sample[before] || sample[k] < sample[after]) continue;
    if (sample[k] + 0.5 * step * steepest < std::max(best.value, beat)) continue;
    const double angle = from + step * static_cast<double>(k);
    const AngleFound found = largest_between(value, closed ? angle - step : std::max(from, angle - step),
                                             closed ? angle + step : std::min(to, angle + step));
    if (found.value > best.value) best = found;
  }
  return best;
}

template <class F>
AngleFound largest_over_circle(const F& value, double steepest, double beat) {
  return largest_over_angle<16>(value, 0.0, 2.0 * std::numbers::pi, true, steepest, beat);
}

}  // namespace tactus::collide
