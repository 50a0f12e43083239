// Elimination with row exchanges, against what it solves.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <tactus/math/square_factor.h>

#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::math {
namespace {

// Of every size around that of its panels; every second one has no diagonal, so that nothing goes without exchanges.
TEST(SquareFactor, SolvesWhatItFactored) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (std::size_t n = 1; n <= 23; ++n) {
    SquareFactor factor(n);
    std::vector<double> A(n * n), x(n), b(n);
    for (double& a : A) a = part(random);
    for (std::size_t i = 0; n % 2 == 0 && i < n; ++i) A[i * n + i] = 0.0;
    for (double& value : x) value = part(random);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) b[i] += A[i * n + j] * x[j];
    std::copy(A.begin(), A.end(), factor.data());
    const long before = test::allocation_count_of_this_thread();
    ASSERT_TRUE(factor.factor()) << n;
    factor.solve(b.data());
    EXPECT_EQ(test::allocation_count_of_this_thread(), before);
    // Rounding, by the condition of random matrices of this size.
    constexpr double kRounding = 1e-11;
    EXPECT_LE(support::difference(b, x), kRounding) << n;
  }
}

TEST(SquareFactor, SaysWhatItCannotFactor) {
  SquareFactor factor(3);
  const std::vector<double> singular{1, 2, 3, 2, 4, 6, 0, 0, 0};
  std::copy(singular.begin(), singular.end(), factor.data());
  EXPECT_FALSE(factor.factor());
  std::vector<double> no_number{1, 0, 0, 0, 1, 0, 0, 0, 1};
  no_number[0] = std::numeric_limits<double>::infinity();
  std::copy(no_number.begin(), no_number.end(), factor.data());
  EXPECT_FALSE(factor.factor());
}

}  // namespace
}  // namespace tactus::math
