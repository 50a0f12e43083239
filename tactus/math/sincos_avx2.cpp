// One and four lanes, for processors with AVX2 and FMA3. Compiled with those instruction sets enabled.
#include <tactus/math/sincos_versions.h>

#if defined(__x86_64__)

#include <immintrin.h>

#include <tactus/math/sincos_kernel.h>

namespace tactus::math {
namespace {

struct FourLanes {
  using V = __m256d;
  static V all(double value) { return _mm256_set1_pd(value); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
  static __m256i bits(V x) { return _mm256_castpd_si256(x); }
  // Bit 0 of t moved to the sign says which is which; bit 1 is the sine's sign, bit 1 and bit 0 together the cosine's.
  static void quarter_turns(V t, V s, V c, V& sin, V& cos) {
    const V bit0 = _mm256_castsi256_pd(_mm256_slli_epi64(bits(t), 63));
    const V minus = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(bits(t), 62)), _mm256_set1_pd(-0.0));
    sin = _mm256_xor_pd(blend(s, c, bit0), minus);
    cos = _mm256_xor_pd(blend(c, s, bit0), _mm256_xor_pd(minus, bit0));
  }
  /// `b` where the sign is set, else `a`. (Of the intrinsic GCC 12 makes a comparison with zero, and then this.)
  static V blend(V a, V b, V sign) {
    V result;
    __asm__("vblendvpd %3, %2, %1, %0" : "=x"(result) : "x"(a), "x"(b), "x"(sign));
    return result;
  }
};

[[gnu::noinline, gnu::cold]] void four_far(__m256d x, double* sin, double* cos) {
  double angles[4];
  _mm256_storeu_pd(angles, x);
  sincos_far<4>(angles, sin, cos);
}

/// The sign is set in lanes outside the range.
[[gnu::always_inline]] inline __m256d far(__m256d x) {
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  return _mm256_cmp_pd(size, _mm256_set1_pd(kSinCosRange), _CMP_NLE_UQ);
}

[[gnu::always_inline]] inline void four(__m256d x, double* sin, double* cos) {
  __m256d s, c;
  sincos_lanes<FourLanes>(x, s, c);
  _mm256_storeu_pd(sin, s);
  _mm256_storeu_pd(cos, c);
  if (__builtin_expect(_mm256_movemask_pd(far(x)) != 0, 0)) four_far(x, sin, cos);
}

void entry_4_and_4(__m256d x, __m256d y, double* out) noexcept {
  __m256d sx, cx, sy, cy;
  sincos_two<FourLanes>(x, y, sx, cx, sy, cy);
  _mm256_storeu_pd(out, sx);
  _mm256_storeu_pd(out + 4, sy);
  _mm256_storeu_pd(out + 8, cx);
  _mm256_storeu_pd(out + 12, cy);
  if (__builtin_expect(_mm256_movemask_pd(_mm256_or_pd(far(x), far(y))) != 0, 0)) {
    four_far(x, out, out + 8);
    four_far(y, out + 4, out + 12);
  }
}

void entry_4(__m256d x, double* out) noexcept { four(x, out, out + 4); }

}  // namespace

SinCos sincos_fma(double x) noexcept { return sincos_one(x); }

void sincos_avx2(const double* x, double* sin, double* cos, std::size_t n) noexcept {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) four(_mm256_loadu_pd(x + i), sin + i, cos + i);
  for (; i < n; ++i) {
    const SinCos value = sincos_one(x[i]);
    sin[i] = value.sin;
    cos[i] = value.cos;
  }
}

const void* sincos_entry_avx2_pair() noexcept { return reinterpret_cast<const void*>(&entry_4_and_4); }
const void* sincos_entry_avx2() noexcept { return reinterpret_cast<const void*>(&entry_4); }

}  // namespace tactus::math

#endif
