// The pace of a device that has none of its own: absolute deadlines, start + k T. A deadline that has passed by more than a
// period is left out, never made up.
#pragma once

#include <time.h>

#include <cerrno>
#include <cmath>
#include <cstdint>

namespace tactus::device {

class Pace {
 public:
  explicit Pace(double rate) noexcept : period_(std::llround(1e9 / rate)) {}

  /// Sleeps until the next deadline; the first one is now.
  void wait() noexcept {
    const std::int64_t before = now();
    if (start_ == 0) {
      start_ = deadline_ = before;
      return;
    }
    deadline_ += period_;
    if (before > deadline_) {
      deadline_ += (before - deadline_) / period_ * period_;
      return;
    }
    const timespec until{.tv_sec = deadline_ / kSecond, .tv_nsec = deadline_ % kSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
  /// [s] since the first deadline.
  double elapsed() const noexcept { return start_ == 0 ? 0.0 : 1e-9 * static_cast<double>(now() - start_); }

  /// [ns] of the clock that does not jump.
  static std::int64_t now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * kSecond + t.tv_nsec;
  }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t period_, start_ = 0, deadline_ = 0;
};

}  // namespace tactus::device
