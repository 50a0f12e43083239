// The arithmetic behind sincos.h, written once for any number of lanes. Included only by the sources that
// instantiate it, each compiled for its own instruction set; everything here is therefore local to the
// including file.
//
// Range reduction [CodyWaite1980, ch. 8], with fused multiply-add: n is the integer nearest to x 2/pi and
//
//   pi/2 = P1 + P2 + P3 (1 + 2^-54),     P1 = 50 bits, P2 = the next 32 bits, P3 = the next 53 bits
//   r1 = x - n P1     exact: a multiple of 2^-53 below 1 in size
//   r  = r1 - n P2    rounded; n P2 is exact since n < 2^20, so (r - r1) + n P2 is exactly the error
//   e  = that error + n P3
//
// so that x = n pi/2 + r - e with |r| <= pi/4 (1 + 2^-20), to about 2^-107 however near x is to a multiple of
// pi/2. With z = r^2,
//
//   sin(r - e) = r - (r z S(z) + e)
//   cos(r - e) = 1 + r (r z C(z) + (e - r/2))
//
// S and C are minimax polynomials of degree 5 (Remez exchange in 60 digits, coefficients rounded one after
// the other, the rest refitted each time): relative error of the sine 2^-57.9, of the cosine 2^-63.9. They
// are evaluated in pairs of terms, to shorten the chain of dependent operations. n mod 4 exchanges the two and
// sets the signs.
//
// Why the error is below 1 ulp, in units of 2^-53, the last place of results above 1/2 (below, all but the last rounding count for
// less): the last rounding gives 1/2. Of the cosine e - r/2 and the sum behind it are below 1/2 in size and rounded to 1/4 each, both
// times |r| < 0.786; r z C is below 0.021, with three roundings: 0.5 + 0.39 + 0.05 = 0.94. Of the sine r z S is below 0.081, with
// roundings of z, r z and one and a half of S, the sum with e is rounded to 1/16: 0.5 + 0.28 + 0.07 + 0.03 of the polynomial = 0.88.
#pragma once

#include <cmath>
#include <cstdint>

#include <tactus/math/sincos.h>
#include <tactus/math/sincos_numbers.h>

namespace tactus::math {
namespace {

/// `L` says what a vector of lanes is (L::V) and how to do what operators cannot say.
template <class L>
[[gnu::always_inline]] inline void sincos_lanes(typename L::V x, typename L::V& sin, typename L::V& cos) {
  using V = typename L::V;
  const auto all = [](double value) { return L::all(value); };
  const V t = L::fma(x, all(kTwoOverPi), all(kRounder));
  const V n = t - all(kRounder);
  const V r1 = L::fnma(n, all(kP1), x);
  const V r = L::fnma(n, all(kP2), r1);
  const V e = L::fma(n, all(kP3), L::fma(n, all(kP2), r - r1));

  const V z = r * r;
  const V z2 = z * z;
  V s = L::fma(z, all(kSine[5]), all(kSine[4]));
  V c = L::fma(z, all(kCosine[5]), all(kCosine[4]));
  s = L::fma(z2, s, L::fma(z, all(kSine[3]), all(kSine[2])));
  c = L::fma(z2, c, L::fma(z, all(kCosine[3]), all(kCosine[2])));
  s = L::fma(z2, s, L::fma(z, all(kSine[1]), all(kSine[0])));
  c = L::fma(z2, c, L::fma(z, all(kCosine[1]), all(kCosine[0])));
  const V rz = r * z;
  const V sin_r = r - L::fma(rz, s, e);
  const V cos_r = L::fma(r, L::fma(rz, c, L::fnma(all(0.5), r, e)), all(1.0));

  // Quarter turns: n mod 4 = 0, 1, 2, 3 gives sin = s, c, -s, -c and cos = c, -s, -c, s.
  L::quarter_turns(t, sin_r, cos_r, sin, cos);
}

/// Two that go through the same operations in turn: each waits for its own result of the operation before while the other's runs.
/// (Compilers keep one chain behind the other where they are written so, and a processor looks ahead only so far.)
template <class L>
struct Two {
  struct V {
    typename L::V a, b;
    [[gnu::always_inline]] friend V operator*(V x, V y) { return {x.a * y.a, x.b * y.b}; }
    [[gnu::always_inline]] friend V operator-(V x, V y) { return {x.a - y.a, x.b - y.b}; }
  };
  [[gnu::always_inline]] static V all(double value) { return {L::all(value), L::all(value)}; }
  [[gnu::always_inline]] static V fma(V x, V y, V z) {
    return {L::fma(x.a, y.a, z.a), L::fma(x.b, y.b, z.b)};
  }
  [[gnu::always_inline]] static V fnma(V x, V y, V z) {
    return {L::fnma(x.a, y.a, z.a), L::fnma(x.b, y.b, z.b)};
  }
  [[gnu::always_inline]] static void quarter_turns(V t, V s, V c, V& sin, V& cos) {
    L::quarter_turns(t.a, s.a, c.a, sin.a, cos.a);
    L::quarter_turns(t.b, s.b, c.b, sin.b, cos.b);
  }
};

/// Two vectors of angles.
template <class L, class V = typename L::V>
[[gnu::always_inline]] inline void sincos_two(V x, V y, V& sin_x, V& cos_x, V& sin_y, V& cos_y) {
  typename Two<L>::V s, c;
  sincos_lanes<Two<L>>({x, y}, s, c);
  sin_x = s.a, sin_y = s.b;
  cos_x = c.a, cos_y = c.b;
}

/// Lanes outside the range (or not a number) again, by the C library.
template <int kLanes>
[[gnu::noinline, gnu::cold]] void sincos_far(const double* x, double* sin, double* cos) {
  for (int k = 0; k < kLanes; ++k) {
    if (std::fabs(x[k]) <= kSinCosRange) continue;
    sin[k] = std::sin(x[k]);
    cos[k] = std::cos(x[k]);
  }
}

/// One lane, with whatever fused multiply-add the including file is compiled for.
struct OneLane {
  using V = double;
  static V all(double value) { return value; }
  static V fma(V a, V b, V c) { return __builtin_fma(a, b, c); }
  static V fnma(V a, V b, V c) { return __builtin_fma(-a, b, c); }
  static std::uint64_t bits(V x) { return __builtin_bit_cast(std::uint64_t, x); }
  static void quarter_turns(V t, V s, V c, V& sin, V& cos) {
    const std::uint64_t odd = std::uint64_t{0} - (bits(t) & 1);
    const std::uint64_t sin_bits = (bits(c) & odd) | (bits(s) & ~odd);
    const std::uint64_t cos_bits = (bits(s) & odd) | (bits(c) & ~odd);
    sin = __builtin_bit_cast(double, sin_bits ^ ((bits(t) & 2) << 62));
    cos = __builtin_bit_cast(double, cos_bits ^ (((bits(t) + 1) & 2) << 62));
  }
};

[[gnu::always_inline]] inline SinCos sincos_one(double x) {
  SinCos result;
  sincos_lanes<OneLane>(x, result.sin, result.cos);
  if (__builtin_expect(!(std::fabs(x) <= kSinCosRange), 0)) sincos_far<1>(&x, &result.sin, &result.cos);
  return result;
}

}  // namespace
}  // namespace tactus::math
