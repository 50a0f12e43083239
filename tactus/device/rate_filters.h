// Velocity from the readings of an encoder, and what forces are filtered with. All of one axis, each with its memory in it.
//
//   difference      (x_k - x_k-1)/T: no lag but half a period, noise D/T of an encoder of step D
//   second order    the difference through two equal poles exp(-w T): S4's; lag 2/w
//   adaptive window the slope of the longest line through the newest reading and an old one that misses none between by more than a step
//                   [JanabiSharifiHaywardChen2000]: fast motion is seen at once, slow motion over many periods
//   Kalman          the steady filter of x'' = white noise of spectral density q, read with the variance D^2/12 of an encoder:
//                   x, v += (a, b/T) (reading - prediction), with a and b from the tracking index l = T^2 s_a/s_x [Kalata1984]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tactus::device {

class DifferenceRate {
 public:
  explicit DifferenceRate(double period) noexcept : period_(period) {}
  double update(double x) noexcept {
    const double v = begun_ ? (x - last_) / period_ : 0.0;
    last_ = x;
    begun_ = true;
    return v;
  }

 private:
  double period_, last_ = 0.0;
  bool begun_ = false;
};

/// Two equal poles; unit gain at rest. For forces too.
class SecondOrderFilter {
 public:
  SecondOrderFilter(double period, double cut_off) noexcept
      : SecondOrderFilter(std::exp(-cut_off * period)) {}
  /// With the pole itself; 0: nothing is filtered.
  explicit SecondOrderFilter(double pole) noexcept : keep_(pole) {}
  SecondOrderFilter() noexcept = default;
  double update(double x) noexcept {
    once_ = x + keep_ * (once_ - x);
    return twice_ = once_ + keep_ * (twice_ - once_);
  }

 private:
  double keep_ = 0.0, once_ = 0.0, twice_ = 0.0;
};

class SecondOrderRate {
 public:
  SecondOrderRate(double period, double cut_off) noexcept : difference_(period), filter_(period, cut_off) {}
  double update(double x) noexcept { return filter_.update(difference_.update(x)); }

 private:
  DifferenceRate difference_;
  SecondOrderFilter filter_;
};

class AdaptiveWindowRate {
 public:
  static constexpr std::size_t kMost = 32;  // [periods] of a window
  AdaptiveWindowRate(double period, double step, std::size_t most = 15) noexcept
      : period_(period), step_(step), most_(std::min(std::max<std::size_t>(most, 1), kMost)) {}

  double update(double x) noexcept {
    for (std::size_t i = std::min(count_, kMost); i > 0; --i) x_[i] = x_[i - 1];
    x_[0] = x;
    count_ = std::min(count_ + 1, kMost + 1);
    double v = 0.0;
    for (std::size_t n = 1; n < count_ && n <= most_; ++n) {
      const double slope = (x_[0] - x_[n]) / static_cast<double>(n);  // per period
      bool fits = true;
      for (std::size_t i = 1; i < n && fits; ++i)
        fits = std::abs(x_[i] - (x_[0] - slope * static_cast<double>(i))) <= step_;
      if (!fits) break;
      v = slope / period_;
    }
    return v;
  }

 private:
  double period_, step_;
  std::size_t most_, count_ = 0;
  std::array<double, kMost + 1> x_{};  // the newest first
};

class KalmanRate {
 public:
  /// `acceleration` [m/s^2]: of the motion, rms; `step` of the encoder.
  KalmanRate(double period, double step, double acceleration) noexcept : period_(period) {
    const double noise = step / std::sqrt(12.0);
    const double l = acceleration * period * period / std::max(noise, 1e-300);
    const double r = (4.0 + l - std::sqrt(8.0 * l + l * l)) / 4.0;
    a_ = 1.0 - r * r;
    b_ = 2.0 * (2.0 - a_) - 4.0 * std::sqrt(1.0 - a_);
  }
  double update(double x) noexcept {
    if (!begun_) {
      x_ = x;
      begun_ = true;
      return v_;
    }
    const double ahead = x_ + period_ * v_, miss = x - ahead;
    x_ = ahead + a_ * miss;
    return v_ += b_ / period_ * miss;
  }
  double a() const noexcept { return a_; }
  double b() const noexcept { return b_; }

 private:
  double period_, a_ = 1.0, b_ = 1.0, x_ = 0.0, v_ = 0.0;
  bool begun_ = false;
};

}  // namespace tactus::device
