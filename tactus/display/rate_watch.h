// How many samples in a second a device gives that owns the clock.
//
// A loop is made for one rate: the mechanism's step, the coupler's design and the filters belong to it. A device that has another one makes
// masses be felt wrong, and holds forces for longer than they are passive. It is looked at over the first samples, while there is no
// force yet, and over every half second from then on. Nothing here allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <tactus/base/clock.h>

namespace tactus::display {

/// Over the first samples. The shortest and the longest tenth of the times between them do not count: machines hiccup.
class FirstSamples {
 public:
  static constexpr std::size_t kIntervals = 50;

  void add(Nanoseconds when) noexcept {
    if (count_ > 0 && count_ <= kIntervals) intervals_[count_ - 1] = when - last_;
    last_ = when;
    ++count_;
  }
  bool enough() const noexcept { return count_ > kIntervals; }
  /// [Hz] where there are enough.
  double rate() noexcept {
    constexpr std::size_t kLeftOut = kIntervals / 10;
    std::sort(intervals_.begin(), intervals_.end());
    Nanoseconds sum = 0;
    for (std::size_t i = kLeftOut; i < kIntervals - kLeftOut; ++i) sum += intervals_[i];
    return 1e9 * static_cast<double>(kIntervals - 2 * kLeftOut) /
           static_cast<double>(std::max<Nanoseconds>(sum, 1));
  }

 private:
  std::array<Nanoseconds, kIntervals> intervals_{};
  std::size_t count_ = 0;
  Nanoseconds last_ = 0;
};

/// Of the ticks from then on, over half a second at a time.
class TickRate {
 public:
  /// A tick; true where a half second is over, whose rate [Hz] is then known.
  bool add(Nanoseconds when) noexcept {
    if (begun_ == 0) begun_ = when;
    const Nanoseconds gone = when - begun_;
    if (gone < kWindow) {
      ++ticks_;
      return false;
    }
    rate_ = 1e9 * static_cast<double>(ticks_) / static_cast<double>(gone);
    begun_ = when;
    ticks_ = 1;
    return true;
  }
  double rate() const noexcept { return rate_; }

 private:
  static constexpr Nanoseconds kWindow = kSecond / 2;
  Nanoseconds begun_ = 0;
  long ticks_ = 0;
  double rate_ = 0.0;
};

}  // namespace tactus::display
