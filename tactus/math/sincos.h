// Sine and cosine of one angle, or of several at once, by arithmetic of our own: no branches inside the
// range, so that angles can be evaluated side by side in vector registers, and the same operations in every
// version, so that all of them give the same bits on every processor.
//
//   range     |x| <= kSinCosRange (2^20 rad); outside, and for infinities and NaN, the C library's sin, cos
//   accuracy  error below 1 ulp of the result (0.88 ulp seen), and below 1.1e-16 in absolute terms
//   signs     sin(-0) = -0; sin is odd and cos is even to the last bit
#pragma once

#include <cstddef>

namespace tactus::math {

inline constexpr double kSinCosRange = 1048576.0;

struct SinCos {
  double sin;
  double cos;
};

SinCos sincos(double x) noexcept;

/// sin[i], cos[i] of x[i], i < n; as many at once as the processor's registers hold.
void sincos(const double* x, double* sin, double* cos, std::size_t n) noexcept;

/// How the packed versions are called from machine code: the angles in vector registers, the address of the
/// results in the first integer argument: all sines, then all cosines.
enum class SinCosEntry {
  four,             // angles in ymm0
  four_and_four,    // angles in ymm0 and ymm1
  eight,            // angles in zmm0
  eight_and_eight,  // angles in zmm0 and zmm1
};

/// nullptr where this processor lacks what the version needs (AVX2 and FMA; for eight AVX-512 F, DQ and VL).
const void* sincos_entry(SinCosEntry entry) noexcept;

}  // namespace tactus::math
