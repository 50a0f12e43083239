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
  static V next(V t) { return _mm512_castsi512_pd(_mm512_add_epi64(bits(t), _mm512_set1_epi64(1))); }
  static V pick_if_odd(V t, V odd, V even) {
    return _mm512_mask_blend_pd(_mm512_test_epi64_mask(bits(t), _mm512_set1_epi64(1)), even, odd);
  }
  static V flip_if_bit1(V x, V t) {
    // Operators instead of intrinsics: GCC 12 warns about its own header there.
    using Words = unsigned long long __attribute__((vector_size(64)));
    const Words sign = (reinterpret_cast<Words>(t) >> 1) << 63;
    return _mm512_xor_pd(x, reinterpret_cast<__m512d>(sign));
  }
};

/// Stores the lanes of the mask `stored`.
[[gnu::always_inline]] inline void eight(__m512d x, double* sin, double* cos, __mmask8 stored) {
  __m512d s, c;
  sincos_lanes<EightLanes>(x, s, c);
  const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(kSinCosRange), _CMP_NLE_UQ);
  if (__builtin_expect(far != 0, 0)) {
    double angles[8], sines[8], cosines[8];
    _mm512_storeu_pd(angles, x);
    _mm512_storeu_pd(sines, s);
    _mm512_storeu_pd(cosines, c);
    sincos_far<8>(angles, sines, cosines);
    s = _mm512_loadu_pd(sines);
    c = _mm512_loadu_pd(cosines);
  }
  _mm512_mask_storeu_pd(sin, stored, s);
  _mm512_mask_storeu_pd(cos, stored, c);
}

void entry_8(__m512d x, double* out) noexcept { eight(x, out, out + 8, 0xff); }

}  // namespace

void sincos_avx512(const double* x, double* sin, double* cos, std::size_t n) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) eight(_mm512_loadu_pd(x + i), sin + i, cos + i, 0xff);
  if (i < n) {
    const auto rest = static_cast<__mmask8>((1u << (n - i)) - 1u);
    eight(_mm512_maskz_loadu_pd(rest, x + i), sin + i, cos + i, rest);
  }
}

const void* sincos_entry_avx512() noexcept { return reinterpret_cast<const void*>(&entry_8); }

}  // namespace tactus::math

#endif
