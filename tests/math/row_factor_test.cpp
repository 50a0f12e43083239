// Rows by lists of their entries; and mass matrices by their envelopes against full ones, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <tactus/math/cholesky.h>
#include <tactus/math/damped_rows.h>
#include <tactus/math/decompositions.h>
#include <tactus/math/envelope.h>
#include <tactus/math/row_factor.h>
#include "support/allocations.h"

namespace tactus::math {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows like those of loops next to each other: each has a few columns, which it shares with its neighbours. Every seventh is the sum of the two
/// before it where `dependent`.
Matrix loops(int m, int n, bool dependent, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  Matrix rows = Matrix::Zero(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < 5; ++j) rows(i, (i * n / m + j * (1 + i % 3)) % n) = part(random);
  for (int i = 8; i < m && dependent; i += 7) rows.row(i) = rows.row(i - 1) + rows.row(i - 2);
  return rows;
}

void fill(const Matrix& rows, RowFactor& factor) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    double* row = factor.zeroed_row(static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      if (rows(i, j) != 0.0) row[j] = rows(i, j);
  }
}

class ListedRows : public ::testing::TestWithParam<bool> {};

/// Another road: what is left of each row by Gram and Schmidt's method, twice, in the order in which the rows were taken.
TEST_P(ListedRows, HaveTheirDistancesFromThoseBefore) {
  const Matrix rows = loops(140, 150, GetParam(), 5);
  std::vector<char> late(140, 0);
  for (std::size_t i = 0; i < late.size(); i += 3) late[i] = 1;
  for (const char* when : {static_cast<const char*>(nullptr), static_cast<const char*>(late.data())}) {
    RowFactor factor(140, 150);
    fill(rows, factor);
    factor.factor(140, 1e-8, when);
    EXPECT_EQ(static_cast<Eigen::Index>(factor.rank()), Eigen::ColPivHouseholderQR<Matrix>(rows).rank());
    std::vector<Eigen::VectorXd> left;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) left.emplace_back(rows.row(i));
    constexpr double kRounding = 1e-12;
    for (std::size_t k = 0; k < factor.rank(); ++k) {
      const std::size_t taken = factor.order(k);
      const double distance = left[taken].norm();
      ASSERT_NEAR(factor.distance(k), distance, kRounding) << k;
      // Late rows wait until nothing is left of the others.
      for (std::size_t j = k + 1; j < 140 && when != nullptr; ++j) {
        const std::size_t other = factor.order(j);
        ASSERT_TRUE(when[other] >= when[taken] || left[other].norm() < 1e-8) << k;
      }
      // e_k, whose sign is the reflection's, is Q's k-th column.
      Eigen::VectorXd e = Eigen::VectorXd::Zero(150);
      e[static_cast<Eigen::Index>(k)] = 1.0;
      factor.times_q(e.data());
      ASSERT_NEAR(std::abs(e.dot(left[taken])), distance, kRounding * 10.0) << k;
      e = left[taken] / distance;
      for (Eigen::VectorXd& x : left)
        for (int pass = 0; pass < 2; ++pass) x -= e.dot(x) * e;
    }
    for (std::size_t k = factor.rank(); k < 140; ++k) ASSERT_LT(left[factor.order(k)].norm(), 1e-8);
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(150, -1.0, 2.0), y = x;
    factor.times_q_transposed(y.data());
    EXPECT_NEAR(y.norm(), x.norm(), kRounding * x.norm());
    factor.times_q(y.data());
    EXPECT_LT((y - x).lpNorm<Eigen::Infinity>(), 10.0 * kRounding);
  }
}

/// Fill-in is what decides: of a thousand loops in a row it is a few entries per row.
TEST(ListedRows, OfAThousandLoopsStayShort) {
  // Those of models/four_bar_ladder.yaml: of loop i the columns of rod i, coupler i + 1 and rod i + 1.
  const int m = 2000, n = 2001;
  RowFactor factor(m, n);
  const double s = std::sin(1.2), c = std::cos(1.2);
  for (std::size_t i = 0; i < 1000; ++i) {
    double *x = factor.zeroed_row(2 * i), *y = factor.zeroed_row(2 * i + 1);
    x[2 * i] = -s;
    x[2 * i + 2] = s;
    y[2 * i] = 1.0 + c;
    y[2 * i + 1] = 1.0;
    y[2 * i + 2] = -c;
  }
  factor.factor(m, 1e-8);
  EXPECT_EQ(factor.rank(), 2000u);
  EXPECT_LT(factor.entries(), 10u * static_cast<std::size_t>(m));  // of 2001 each
}

TEST_P(ListedRows, SolveAndCombineTheirRows) {
  const Matrix rows = loops(140, 150, GetParam(), 6);
  RowFactor factor(140, 150, true);
  fill(rows, factor);
  factor.factor(140, 1e-8);
  // b of some x: then the shortest solution meets all rows, the dependent ones too.
  const Eigen::VectorXd b = rows * Eigen::VectorXd::LinSpaced(150, -1.0, 1.0);
  std::vector<double> y(150, 0.0), rest(140);
  factor.solve(b.data(), y.data());
  factor.rest(b.data(), y.data(), rest.data());
  constexpr double kRounding = 1e-11;  // of 140 rows whose distances go down to 1e-2
  for (std::size_t k = 0; k < 140 - factor.rank(); ++k) EXPECT_NEAR(rest[k], 0.0, kRounding);
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(y.data(), 150);
  factor.times_q(x.data());
  EXPECT_LT((rows * x - b).lpNorm<Eigen::Infinity>(), kRounding);
  // The combinations of rows that make x.
  Eigen::VectorXd some(140), shortest(140);
  factor.combine(y.data(), some.data());
  factor.combine_shortest(y.data(), shortest.data());
  const double size = 1.0 + some.lpNorm<Eigen::Infinity>();
  EXPECT_LT((rows.transpose() * some - x).lpNorm<Eigen::Infinity>(), kRounding * size);
  EXPECT_LT((rows.transpose() * shortest - x).lpNorm<Eigen::Infinity>(), kRounding * size);
  EXPECT_LE(shortest.norm(), some.norm() * (1.0 + kRounding));
  if (GetParam()) {
    EXPECT_LT(factor.rank(), 140u);
    const Eigen::VectorXd least = rows.transpose().completeOrthogonalDecomposition().solve(x);
    EXPECT_LT((shortest - least).lpNorm<Eigen::Infinity>(), 1e-9 * size);
  } else {
    EXPECT_EQ(factor.rank(), 140u);
  }
}

TEST_P(ListedRows, LeaveNothingBehindForTheNextFactorisation) {
  RowFactor used(140, 150, true), fresh(140, 150, true);
  for (const int m : {140, 100}) {
    fill(loops(m, 150, GetParam(), 7), used);
    const long before = test::allocation_count();
    used.factor(static_cast<std::size_t>(m), 1e-8);
    EXPECT_EQ(test::allocation_count(), before);
  }
  // Full rows in between: by the other door.
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t j = 0; j < 150; ++j) used.row(i)[j] = part(random);
  used.factor(50, 1e-8);
  EXPECT_EQ(used.rank(), 50u);
  const Matrix rows = loops(120, 150, GetParam(), 8);
  for (RowFactor* factor : {&used, &fresh}) {
    fill(rows, *factor);
    factor->factor(120, 1e-8);
  }
  ASSERT_EQ(used.rank(), fresh.rank());
  for (std::size_t k = 0; k < used.rank(); ++k) ASSERT_EQ(used.distance(k), fresh.distance(k));
}

TEST_P(ListedRows, HaveTheSameBitsWhereTheirColumnsAreSaid) {
  RowFactor said(140, 150), found(140, 150);
  for (const unsigned seed : {9u, 10u}) {  // used again
    const Matrix rows = loops(140, 150, GetParam(), seed);
    fill(rows, found);
    fill(rows, said);
    for (Eigen::Index i = 0; i < 140; ++i) {
      std::vector<std::uint32_t> columns;
      for (Eigen::Index j = 0; j < 150; ++j)
        if (rows(i, j) != 0.0 || (i + j) % 11 == 0)
          columns.push_back(static_cast<std::uint32_t>(j));  // some too many
      said.note_columns(static_cast<std::size_t>(i), columns.data(), columns.size());
    }
    for (RowFactor* factor : {&said, &found}) factor->factor(140, 1e-8);
    ASSERT_EQ(said.rank(), found.rank());
    for (std::size_t k = 0; k < said.rank(); ++k) ASSERT_EQ(said.distance(k), found.distance(k));
    EXPECT_EQ(said.entries(), found.entries());
  }
}

INSTANTIATE_TEST_SUITE_P(IndependentAndDependent, ListedRows, ::testing::Bool());

TEST(EnvelopeFactor, HasTheBitsOfTheFullFactorisation) {
  // Blocks of 1 to 20 speeds, and one row that couples with all.
  constexpr std::size_t n = 130;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<double> a(n * n, 0.0);
  for (std::size_t from = 0, size = 1; from < n; from += size, size = size % 20 + 1)
    for (std::size_t i = from; i < std::min(n, from + size); ++i)
      for (std::size_t j = from; j <= i; ++j) a[i * n + j] = i == j ? 30.0 : part(random);
  for (std::size_t j = 3; j + 1 < n; ++j) a[(n - 1) * n + j] = part(random);
  std::vector<double> full = a;
  ASSERT_TRUE(cholesky(n, full.data()));
  EnvelopeFactor envelope(n);
  std::vector<double> wide = a;  // has been used for another matrix before
  for (std::size_t i = 40; i < 60; ++i) wide[i * n] = 1.0;
  ASSERT_TRUE(envelope.factor(wide.data()));
  ASSERT_TRUE(envelope.factor(a.data()));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      ASSERT_EQ(envelope.data()[i * n + j], full[i * n + j]) << i << " " << j;
  for (const std::size_t entry : {0, 17, 64, 100}) {
    std::vector<double> x(n, 0.0), y;
    x[entry] = 1.0;
    x[entry + 3] = -2.0;
    y = x;
    envelope.solve_lower(x.data());
    solve_lower(n, full.data(), y.data());
    EXPECT_EQ(x, y);
    envelope.solve_lower_transposed(x.data());
    solve_lower_transposed(n, full.data(), y.data());
    EXPECT_EQ(x, y);
  }
  a[50 * n + 50] = -1.0;
  EXPECT_FALSE(envelope.factor(a.data()));
}

TEST(EnvelopeFactor, SolvesFewEntriesBlockByBlockWithTheSameBits) {
  constexpr std::size_t n = 130;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<double> a(n * n, 0.0);
  std::vector<std::uint32_t> none_before(n);
  for (std::size_t from = 0, size = 1; from < n; from += size, size = size % 20 + 1)
    for (std::size_t i = from; i < std::min(n, from + size); ++i) {
      none_before[i] = static_cast<std::uint32_t>(from);
      for (std::size_t j = from; j <= i; ++j)
        a[i * n + j] = i == j ? 30.0 : (i + j) % 3 == 0 ? 0.0 : part(random);
    }
  EnvelopeFactor looked(n), told(n);
  ASSERT_TRUE(looked.factor(a.data()));
  ASSERT_TRUE(told.factor(a.data(), none_before.data()));
  for (std::size_t i = 0; i < n * n; ++i) ASSERT_EQ(told.data()[i], looked.data()[i]);
  for (const std::vector<std::uint32_t>& columns :
       {std::vector<std::uint32_t>{0}, {17, 18, 90}, {3, 64, 65, 129}, {100}, {}}) {
    std::vector<double> x(n, 0.0), y;
    for (const std::uint32_t c : columns) x[c] = part(random);
    y = x;
    std::vector<std::uint32_t> noted, entries;
    told.solve_lower(x.data(), columns.data(), columns.size(),
                     [&](std::size_t i) { noted.push_back(static_cast<std::uint32_t>(i)); });
    looked.solve_lower(y.data());
    EXPECT_EQ(x, y);
    for (std::size_t i = 0; i < n; ++i)
      if (y[i] != 0.0) entries.push_back(static_cast<std::uint32_t>(i));
    EXPECT_EQ(noted, entries);
  }
}

TEST(DampedRows, GiveTheShortestStepOfTheDampedProblem) {
  DampedRows damped(140, 150);
  for (const int m : {140, 90}) {  // used again, with fewer rows
    const Matrix rows = loops(m, 150, true, 11);
    const double d = m == 140 ? 1e-2 : 1e-7;
    damped.clear();
    for (Eigen::Index i = 0; i < m; ++i) {
      std::vector<std::uint32_t> columns;
      for (Eigen::Index j = 0; j < 150; ++j)
        if (rows(i, j) != 0.0) columns.push_back(static_cast<std::uint32_t>(j));
      damped.add(rows.row(i).data(), columns);
    }
    ASSERT_TRUE(damped.factor(d));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(m, -1.0, 1.0);
    Eigen::VectorXd x(150);
    damped.solve(b.data(), x.data());
    // Another road: the shortest solution of [X sqrt(d)] [x; w] = b by orthogonal factors.
    Matrix wide(m, 150 + m);
    wide << rows, std::sqrt(d) * Matrix::Identity(m, m);
    const Eigen::VectorXd shortest = wide.completeOrthogonalDecomposition().solve(b);
    const double size = shortest.head(150).lpNorm<Eigen::Infinity>();
    ASSERT_GT(size, 0.1);
    EXPECT_LT((x - shortest.head(150)).lpNorm<Eigen::Infinity>(),
              1e-14 / d * 100.0 * size);  // the condition's square
  }
}

}  // namespace
}  // namespace tactus::math
