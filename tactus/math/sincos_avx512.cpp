// Eight lanes, for processors with AVX-512 F, DQ and VL. Compiled with those instruction sets enabled.
#include <tactus/math/sincos_versions.h>

#if defined(__x86_64__)

#include <immintrin.h>

#include <tactus/math/sincos_kernel.h>

namespace tactus::math {
namespace {

struct EightLanes {
  using V = __m512d;
  static V all(double value) { return _mm512_set1_pd(value); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
  static __m512i bits(V x) { return _mm512_castpd_si512(x); }
  // Both get bit 1 of t as their sign. Where bit 0 is set they change places, and the cosine's sign turns.
  static void quarter_turns(V t, V s, V c, V& sin, V& cos) {
    constexpr int kXorOfAnd = 0x78;  // a ^ (b & c)
    const __m512i sign = _mm512_set1_epi64(static_cast<long long>(0x8000000000000000u));
    const __m512i bit1 = _mm512_slli_epi64(bits(t), 62);
    const V x = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(bits(s), bit1, sign, kXorOfAnd));
    const V y = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(bits(c), bit1, sign, kXorOfAnd));
    const __mmask8 odd = _mm512_test_epi64_mask(bits(t), _mm512_set1_epi64(1));
    sin = _mm512_mask_blend_pd(odd, x, y);
    cos = _mm512_mask_xor_pd(y, odd, x, _mm512_castsi512_pd(sign));
  }
};

[[gnu::noinline, gnu::cold]] void eight_far(__m512d x, double* sin, double* cos) {
  double angles[8];
  _mm512_storeu_pd(angles, x);
  sincos_far<8>(angles, sin, cos);
}

[[gnu::always_inline]] inline bool any_far(__m512d x) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(kSinCosRange), _CMP_NLE_UQ) != 0;
}

void entry_8(__m512d x, double* out) noexcept {
  __m512d s, c;
  sincos_lanes<EightLanes>(x, s, c);
  _mm512_storeu_pd(out, s);
  _mm512_storeu_pd(out + 8, c);
  if (__builtin_expect(any_far(x), 0)) eight_far(x, out, out + 8);
}

void entry_8_and_8(__m512d x, __m512d y, double* out) noexcept {
  __m512d sx, cx, sy, cy;
  sincos_two<EightLanes>(x, y, sx, cx, sy, cy);
  _mm512_storeu_pd(out, sx);
  _mm512_storeu_pd(out + 8, sy);
  _mm512_storeu_pd(out + 16, cx);
  _mm512_storeu_pd(out + 24, cy);
  if (__builtin_expect(any_far(x), 0)) eight_far(x, out, out + 16);
  if (__builtin_expect(any_far(y), 0)) eight_far(y, out + 8, out + 24);
}

}  // namespace

void sincos_avx512(const double* x, double* sin, double* cos, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; i += 8) {
    // Lanes beyond the end are zero, hence never far, and not stored.
    const std::size_t left = n - i;
    const auto lanes = static_cast<__mmask8>(left < 8 ? (1u << left) - 1u : 0xffu);
    const __m512d angles = _mm512_maskz_loadu_pd(lanes, x + i);
    __m512d s, c;
    sincos_lanes<EightLanes>(angles, s, c);
    _mm512_mask_storeu_pd(sin + i, lanes, s);
    _mm512_mask_storeu_pd(cos + i, lanes, c);
    if (__builtin_expect(any_far(angles), 0)) eight_far(angles, sin + i, cos + i);
  }
}

const void* sincos_entry_avx512_pair() noexcept { return reinterpret_cast<const void*>(&entry_8_and_8); }
const void* sincos_entry_avx512() noexcept { return reinterpret_cast<const void*>(&entry_8); }

}  // namespace tactus::math

#endif
