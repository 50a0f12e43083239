#include <tactus/algebra/shared_form.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_shared.h>

namespace tactus::algebra {
namespace {

/// Sums of some twenty terms of size one, associated in two ways.
constexpr double kReassociation = 1e-12;

class SharedForm : public ::testing::Test {
 protected:
  Graph graph_;
  Graph::Scope scope_{graph_};
  std::vector<Expr> atoms_{symbol("x"), symbol("y"), symbol("z"), symbol("w")};
};

TEST_F(SharedForm, TakesOutCommonFactors) {
  // x y + x z + x w = x (y + z + w)
  const AtomPolynomial p{{{1, 1, 0, 0}, 1.0}, {{1, 0, 1, 0}, 1.0}, {{1, 0, 0, 1}, 1.0}};
  const auto made = shared_forms(std::span(&p, 1), atoms_);
  const OperationCount n = count_operations(made);
  EXPECT_EQ(n.mul, 1);
  EXPECT_EQ(n.add, 2);
}

TEST_F(SharedForm, FindsASumAgainUnderAnotherFactor) {
  // 0.3 x + 0.7 y in one polynomial, and -2 times it, times z, in another.
  const AtomPolynomial polynomials[] = {{{{1, 0, 0, 0}, 0.3}, {{0, 1, 0, 0}, 0.7}},
                                        {{{1, 0, 1, 0}, -0.6}, {{0, 1, 1, 0}, -1.4}, {{0, 0, 0, 1}, 1.0}}};
  const auto made = shared_forms(polynomials, atoms_);
  const OperationCount n = count_operations(made);
  EXPECT_LE(n.mul, 4);
  EXPECT_LE(n.add, 2);
}

TEST_F(SharedForm, KeepsTheValuesOfRandomPolynomials) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> power(0, 2), count(1, 12), pick(0, 3);
  const double numbers[] = {1.0, 0.5, -0.25, 0.37};
  for (int round = 0; round < 40; ++round) {
    std::vector<AtomPolynomial> polynomials(3);
    for (AtomPolynomial& p : polynomials) {
      for (int n = count(random); n > 0; --n) {
        p[{power(random), power(random), power(random), power(random)}] = numbers[pick(random)];
      }
    }
    const auto made = shared_forms(polynomials, atoms_, {.searches = 4});
    const double at[] = {0.3, -0.8, 0.9, 0.6};
    const auto value_of = [&](Expr s) {
      return at[std::find(atoms_.begin(), atoms_.end(), s) - atoms_.begin()];
    };
    const std::vector<double> values = evaluate(made, value_of);
    std::vector<Expr> nested;
    for (std::size_t i = 0; i < polynomials.size(); ++i) {
      double expected = 0.0;
      for (const auto& [powers, coefficient] : polynomials[i]) {
        double product = coefficient;
        for (std::size_t j = 0; j < 4; ++j) product *= std::pow(at[j], powers[j]);
        expected += product;
      }
      EXPECT_NEAR(values[i], expected, kReassociation);
      nested.push_back(nested_form(polynomials[i], atoms_));
    }
    EXPECT_LE(count_operations(made).total(), count_operations(nested).total());
  }
}

TEST_F(SharedForm, TurnsSumsOfHarmonicsIntoProducts) {
  // sin(2x + y) + sin(y) = 2 sin(x + y) cos(x)
  TrigVariables variables;
  const Expr x = atoms_[0], y = atoms_[1];
  const auto p = to_trig_polynomial(Expr(0.37) * (sin(Expr(2.0) * x + y) + sin(y)), variables);
  ASSERT_TRUE(p.has_value());
  const auto made = shared_trig_forms(std::span(&*p, 1), variables);
  const OperationCount n = count_operations(made);
  EXPECT_EQ(n.trig, 2);
  EXPECT_EQ(n.mul, 2);
  EXPECT_EQ(n.add, 1);
  const auto at = [&](Expr s) { return s == x ? 0.4 : 1.1; };
  EXPECT_NEAR(evaluate(made[0], at), 0.37 * (std::sin(1.9) + std::sin(1.1)), kReassociation);
}

}  // namespace
}  // namespace tactus::algebra
