// How long things took: counts over durations, without allocation while counting.
//
// Durations in nanoseconds, sixteen bins to an octave: a percentile is known to 1/16 of itself, the largest one exactly.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tactus::display {

class Histogram {
 public:
  void add(std::int64_t nanoseconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::int64_t largest() const noexcept { return largest_; }                                       // [ns]
  double mean() const noexcept { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }  // [ns]
  /// [ns] That part of the durations, 0 to 1, is not longer: the upper end of its bin, and never above the largest.
  std::int64_t percentile(double part) const noexcept;

  static constexpr std::size_t kBins = 16 * 61;
  std::uint64_t in_bin(std::size_t bin) const noexcept { return bins_[bin]; }
  /// [ns] The smallest duration that falls into a bin.
  static std::int64_t lower_end(std::size_t bin) noexcept;

  /// A line for each octave that has some: "  1.0 us  ########  1234".
  std::string to_text() const;

 private:
  static std::size_t bin_of(std::uint64_t nanoseconds) noexcept;

  std::array<std::uint64_t, kBins> bins_{};
  std::uint64_t count_ = 0;
  std::int64_t largest_ = 0;
  double sum_ = 0.0;
};

}  // namespace tactus::display
