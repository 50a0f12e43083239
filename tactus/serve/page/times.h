// How long the loop's ticks took within the last ten seconds: ten histograms of a second each, one replaced every second.
#pragma once

#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

#include <tactus/base/clock.h>
#include <tactus/display/histogram.h>

namespace tactus::serve {

class RecentTimes {
 public:
  void add(std::int64_t nanoseconds) noexcept { seconds_[at_].add(nanoseconds); }
  /// Once per second.
  void turn() noexcept {
    at_ = (at_ + 1) % seconds_.size();
    seconds_[at_] = {};
  }
  void clear() noexcept { seconds_.fill({}); }

  /// {p50, p99, p999, most} [s]; null without any.
  nlohmann::ordered_json summary() const;
  /// [[lower end in s, count], ...], four bins to an octave.
  nlohmann::ordered_json bins() const;

 private:
  std::array<display::Histogram, 10> seconds_{};
  std::size_t at_ = 0;
};

}  // namespace tactus::serve
