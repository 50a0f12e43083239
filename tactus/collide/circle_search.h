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

/// The best angle in [low, high], between which the function has one maximum: Brent's method
/// [Brent1973, ch. 5], parabolas through the three best points where they help and golden sections where not,
/// to about 1e-8 rad. Where the function is smooth its value is then right to rounding.
template <class F>
AngleFound largest_between(const F& value, double low, double high) {
  constexpr double kGolden = 0.38196601125010515;
  constexpr double kFinest = 0.5e-8;
  constexpr int kMostSteps = 60;
  double x = low + kGolden * (high - low), w = x, v = x;  // best, second, the second before
  double fx = value(x), fw = fx, fv = fx;
  double step = 0.0, before = 0.0;
  for (int k = 0; k < kMostSteps; ++k) {
    const double middle = 0.5 * (low + high);
    if (std::abs(x - middle) <= 2.0 * kFinest - 0.5 * (high - low)) break;
    bool golden = true;
    if (std::abs(before) > kFinest) {
      // The vertex of the parabola through v, w, x is at x + p / q.
      const double r = (x - w) * (fx - fv);
      double q = (x - v) * (fx - fw);
      double p = (x - v) * q - (x - w) * r;
      q = 2.0 * (q - r);
      if (q > 0.0) p = -p;
      q = std::abs(q);
      const double last = before;
      before = step;
      if (std::abs(p) < std::abs(0.5 * q * last) && p > q * (low - x) && p < q * (high - x)) {
        step = p / q;
        golden = false;
        if (x + step - low < 2.0 * kFinest || high - x - step < 2.0 * kFinest)
          step = middle >= x ? kFinest : -kFinest;
      }
    }
    if (golden) {
      before = x < middle ? high - x : low - x;
      step = kGolden * before;
    }
    const double u = x + (std::abs(step) >= kFinest ? step : step > 0.0 ? kFinest : -kFinest);
    const double fu = value(u);
    if (fu >= fx) {
      (u >= x ? low : high) = x;
      v = w;
      fv = fw;
      w = x;
      fw = fx;
      x = u;
      fx = fu;
    } else {
      (u < x ? low : high) = u;
      if (fu >= fw || w == x) {
        v = w;
        fv = fw;
        w = u;
        fw = fu;
      } else if (fu >= fv || v == x || v == w) {
        v = u;
        fv = fu;
      }
    }
  }
  return {x, fx};
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
