// Commands on their way to the motors: a latency of whole periods, above the hold of one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <tactus/device/registry.h>

namespace tactus::device {

class CommandDelay {
 public:
  static constexpr std::size_t kMost = kMostDelay;  // [periods]
  static constexpr bool bears(double latency, double rate) noexcept {
    return latency >= 0.0 && latency * rate <= static_cast<double>(kMost);
  }

  /// A latency [s] that it bears, rounded to periods.
  CommandDelay(double latency, double rate) noexcept
      : periods_(static_cast<std::size_t>(std::lround(latency * rate))) {}

  /// The newest; held until the next.
  void give(const Vector6& wrench) noexcept { coming_[0] = wrench; }
  /// Also of what is on its way.
  void forget() noexcept { coming_.fill({}); }
  /// What the motors give in this period.
  const Vector6& due() const noexcept { return coming_[periods_]; }
  /// A period goes by.
  void next() noexcept {
    const auto begin = coming_.begin(), end = begin + static_cast<std::ptrdiff_t>(periods_);
    std::copy_backward(begin, end, end + 1);
  }

 private:
  std::size_t periods_;
  std::array<Vector6, kMost + 1> coming_{};  // [0] is the newest
};

}  // namespace tactus::device
