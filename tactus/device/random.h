// Random numbers that are the same everywhere: SplitMix64 [SteeleLeaFlood2014].
#pragma once

#include <cstdint>

namespace tactus::device {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t bits() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1), of 53 bits.
  double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Mean 0, variance 1: the sum of twelve uniform ones, less six; within +-6, and of the same bits everywhere, which a
  /// logarithm is not.
  double normal() noexcept {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace tactus::device
