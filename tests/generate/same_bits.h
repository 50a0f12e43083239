// Equality in the sense of the back ends' law: the same bits, where NaN equals NaN whatever its sign and
// payload.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tactus::generate {

inline bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

}  // namespace tactus::generate
