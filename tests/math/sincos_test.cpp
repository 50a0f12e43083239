#include <tactus/math/sincos.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <tactus/math/sincos_versions.h>

#include "support/compare.h"

namespace tactus::math {
namespace {

// The documented bound, in units of the last place of the exact result.
constexpr double kUlps = 1.0;

double ulps(double got, long double exact) {
  const double nearest = static_cast<double>(exact);
  const double unit =
      std::nextafter(std::fabs(nearest), std::numeric_limits<double>::infinity()) - std::fabs(nearest);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::vector<double> angles() {
  std::vector<double> x{0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-30, -1e-9, kSinCosRange, -kSinCosRange};
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> small(-4.0, 4.0), wide(-kSinCosRange, kSinCosRange),
      exponent(-60.0, 20.0);
  for (int k = 0; k < 20000; ++k) {
    x.push_back(small(rng));
    x.push_back(wide(rng));
    x.push_back(std::exp2(exponent(rng)));
  }
  // Doubles next to multiples of pi/4, where the reduction cancels most or the nearest quarter turn changes.
  for (int n = -2000; n <= 2000; ++n) {
    double near = static_cast<double>(n * (std::numbers::pi_v<long double> / 4));
    for (int k = 0; k < 3; ++k) {
      x.push_back(near);
      near = std::nextafter(near, 1e9);
    }
  }
  for (int k = 0; k < 2000; ++k) {
    const auto n = static_cast<long double>(std::uniform_int_distribution<int>(0, 667000)(rng));
    x.push_back(static_cast<double>(n * (std::numbers::pi_v<long double> / 2)));
  }
  x.push_back(355.0);  // 113 pi + 3e-5
  return x;
}

TEST(SinCos, IsWithinOneUlpOfTheExactValue) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type to compare with";
  double worst_sin = 0.0, worst_cos = 0.0;
  for (const double x : angles()) {
    const SinCos got = sincos(x);
    worst_sin = support::larger(worst_sin, ulps(got.sin, std::sin(static_cast<long double>(x))));
    worst_cos = support::larger(worst_cos, ulps(got.cos, std::cos(static_cast<long double>(x))));
  }
  EXPECT_LT(worst_sin, kUlps);
  EXPECT_LT(worst_cos, kUlps);
  RecordProperty("worst_sin", std::to_string(worst_sin));
  RecordProperty("worst_cos", std::to_string(worst_cos));
}

TEST(SinCos, IsOddAndEvenToTheLastBit) {
  for (const double x : angles()) {
    const SinCos plus = sincos(x), minus = sincos(-x);
    ASSERT_EQ(bits(minus.sin), bits(-plus.sin)) << x;
    ASSERT_EQ(bits(minus.cos), bits(plus.cos)) << x;
  }
}

TEST(SinCos, OutsideTheRangeIsTheLibrarys) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {std::nextafter(kSinCosRange, inf), -1e7, 1e22, 1e300, -1e300}) {
    EXPECT_EQ(sincos(x).sin, std::sin(x));
    EXPECT_EQ(sincos(x).cos, std::cos(x));
  }
  for (const double x : {inf, -inf, nan}) {
    EXPECT_TRUE(std::isnan(sincos(x).sin));
    EXPECT_TRUE(std::isnan(sincos(x).cos));
  }
}

TEST(SinCos, IsTheSameWithoutTheProcessorsFusedMultiplyAdd) {
  for (const double x : angles()) {
    const SinCos one = sincos(x), portable = sincos_portable(x);
    ASSERT_EQ(bits(one.sin), bits(portable.sin)) << x;
    ASSERT_EQ(bits(one.cos), bits(portable.cos)) << x;
  }
}

TEST(SinCos, SideBySideGivesTheSameBitsAsOneByOne) {
  std::vector<double> x = angles();
  // Far and undefined angles in between must not disturb their neighbours.
  for (std::size_t k = 3; k < x.size(); k += 101) x[k] = 1e9;
  for (std::size_t k = 5; k < x.size(); k += 1001) x[k] = std::numeric_limits<double>::infinity();
  for (std::size_t n : {x.size(), std::size_t{1}, std::size_t{3}, std::size_t{6}, std::size_t{13}}) {
    std::vector<double> s(n + 1, 7.0), c(n + 1, 7.0);
    sincos(x.data(), s.data(), c.data(), n);
    for (std::size_t k = 0; k < n; ++k) {
      const SinCos one = sincos(x[k]);
      ASSERT_TRUE(bits(s[k]) == bits(one.sin) || (std::isnan(s[k]) && std::isnan(one.sin))) << x[k];
      ASSERT_TRUE(bits(c[k]) == bits(one.cos) || (std::isnan(c[k]) && std::isnan(one.cos))) << x[k];
    }
    EXPECT_EQ(s[n], 7.0);
    EXPECT_EQ(c[n], 7.0);
  }
}

}  // namespace
}  // namespace tactus::math
