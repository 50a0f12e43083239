#include <tactus/algebra/trig_polynomial.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>

namespace tactus::algebra {
namespace {

/// Values of a few dozen operations on numbers of size one, computed in two ways.
constexpr double kRoundingOfSmallSums = 1e-12;

class TrigForm : public ::testing::Test {
 protected:
  Graph graph_;
  Graph::Scope scope_{graph_};
  Expr a_ = symbol("a"), b_ = symbol("b"), c_ = symbol("c"), u_ = symbol("u"), v_ = symbol("v");
  std::mt19937 random_{7};

  /// A random expression that is a trigonometric polynomial by construction.
  Expr random_expression(int depth) {
    std::uniform_int_distribution<int> pick(0, 9);
    const Expr angles[] = {a_, b_, c_};
    const auto angle = [&] { return angles[pick(random_) % 3]; };
    if (depth == 0) {
      switch (pick(random_)) {
        case 0:
          return u_;
        case 1:
          return v_;
        case 2:
          return 0.25 * pick(random_) - 1.0;
        case 3:
          return sin(angle() - angle());
        case 4:
          return cos(Expr(2.0) * angle() + angle() + 0.5);
        case 5:
          return sin(angle());
        case 6:
          return sin(angle());
        default:
          return cos(angle());
      }
    }
    const Expr x = random_expression(depth - 1), y = random_expression(depth - 1);
    switch (pick(random_) % 4) {
      case 0:
        return x - y;
      case 1:
        return x + y;
      default:
        return x * y;
    }
  }

  std::function<double(Expr)> random_point() {
    std::uniform_real_distribution<double> value(-2.0, 2.0);
    const double va = value(random_), vb = value(random_), vc = value(random_), vu = value(random_),
                 vv = value(random_);
    return [=, this](Expr s) { return s == a_ ? va : s == b_ ? vb : s == c_ ? vc : s == u_ ? vu : vv; };
  }

  static double evaluate_at(const TrigPolynomial& p, const TrigVariables& variables,
                            const std::function<double(Expr)>& at) {
    std::vector<double> angles, others;
    for (const Expr e : variables.angles()) angles.push_back(at(e));
    for (const Expr e : variables.variables()) others.push_back(at(e));
    return p.evaluate(angles, others);
  }
};

TEST_F(TrigForm, KnowsTheTheoremsOfTrigonometry) {
  TrigVariables variables;
  TrigConverter convert(variables);
  const auto equal = [&](Expr x, Expr y) {
    const auto difference = convert(x - y);
    return difference && difference->is_zero();
  };
  EXPECT_TRUE(equal(sin(a_) * sin(a_) * u_ + u_ * cos(a_) * cos(a_), u_));
  EXPECT_TRUE(equal(sin(a_ + b_), sin(a_) * cos(b_) + cos(a_) * sin(b_)));
  EXPECT_TRUE(equal(cos(Expr(3.0) * a_), Expr(4.0) * cos(a_) * cos(a_) * cos(a_) - Expr(3.0) * cos(a_)));
  EXPECT_TRUE(equal(cos(a_ + std::acos(-1.0) / 2.0), -sin(a_)));
  EXPECT_FALSE(equal(sin(a_ + b_), sin(a_ - b_)));
}

TEST_F(TrigForm, KeepsTheValueOfRandomExpressions) {
  for (int round = 0; round < 100; ++round) {
    const Expr e = random_expression(1 + round % 4);
    TrigVariables variables;
    const auto p = to_trig_polynomial(e, variables);
    ASSERT_TRUE(p.has_value());
    const auto at = random_point();
    const double expected = evaluate(e, at), scale = 1.0 + p->norm() * 64.0;
    EXPECT_NEAR(evaluate_at(*p, variables, at), expected, kRoundingOfSmallSums * scale);
    for (const TrigStyle style :
         {TrigStyle::multiple_angles, TrigStyle::cosine_powers, TrigStyle::sine_powers}) {
      EXPECT_NEAR(evaluate(to_expr(*p, variables, style), at), expected, kRoundingOfSmallSums * scale);
    }
    EXPECT_NEAR(evaluate(simplify(e), at), expected, kRoundingOfSmallSums * scale);
    EXPECT_LE(cost(simplify(e)), cost(e));
  }
}

TEST_F(TrigForm, DifferentiatesLikeTheGraph) {
  for (int round = 0; round < 60; ++round) {
    const Expr e = random_expression(3) * (round % 2 ? a_ : Expr(1.0));
    TrigVariables variables;
    TrigConverter convert(variables);
    const auto p = convert(e);
    ASSERT_TRUE(p.has_value());
    for (const Expr s : {a_, b_, u_}) {
      const auto d = convert(derivative(e, s));
      ASSERT_TRUE(d.has_value());
      EXPECT_LE((derivative(*p, s, variables) - *d).norm(), kRoundingOfSmallSums * (1.0 + p->norm()));
    }
  }
}

TEST_F(TrigForm, RefusesWhatIsNotOfItsClass) {
  TrigVariables variables;
  TrigConverter convert(variables);
  EXPECT_FALSE(convert(u_ / v_));
  EXPECT_FALSE(convert(sqrt(u_)));
  EXPECT_FALSE(convert(sin(Expr(0.5) * a_)));
  EXPECT_FALSE(convert(sin(a_ * b_)));
  EXPECT_FALSE(convert(Expr(1.0) / cos(a_)));
  EXPECT_TRUE(convert(sin(Expr(2.0) * a_) / cos(a_)));
  EXPECT_TRUE(convert(u_ / 3.0));
  EXPECT_FALSE(convert(pow(u_ + cos(a_), 64.0) * pow(u_ + cos(a_), 64.0)));
}

TEST_F(TrigForm, DividesExactly) {
  int divided = 0;
  for (int round = 0; round < 200; ++round) {
    TrigVariables variables;
    TrigConverter convert(variables);
    const auto q = convert(random_expression(1 + round % 3)), d = convert(random_expression(1 + round % 2));
    ASSERT_TRUE(q && d);
    if (d->is_zero()) continue;
    const auto found = divide(*q * *d, *d);
    ASSERT_TRUE(found.has_value());
    EXPECT_LE((*found - *q).norm(), kRoundingOfSmallSums * (1.0 + q->norm()) * 100.0);
    divided += d->constant() ? 0 : 1;
    // One coefficient off, and it must not go.
    if (d->constant() || q->is_zero()) continue;
    EXPECT_FALSE(divide(*q * *d + TrigPolynomial(0.37 * q->norm()), *d).has_value());
  }
  EXPECT_GT(divided, 100);
}

TEST_F(TrigForm, CollapsesTheWristsInverseToItsSpeeds) {
  // Space-three angles a, b, c and body rates w = Y(q) qd [Gillespie2003, example 2]: Y adj(Y)/det(Y) is the
  // identity.
  const Expr zero = 0.0;
  const Expr Y[3][3] = {
      {cos(b_) * cos(c_), sin(c_), zero}, {-(cos(b_) * sin(c_)), cos(c_), zero}, {sin(b_), zero, 1.0}};
  const auto minor = [&](int r0, int r1, int c0, int c1) {
    return Y[r0][c0] * Y[r1][c1] - Y[r0][c1] * Y[r1][c0];
  };
  Expr adjugate[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      adjugate[c][r] = minor((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
    }
  }
  const Expr determinant = Y[0][0] * adjugate[0][0] + Y[0][1] * adjugate[1][0] + Y[0][2] * adjugate[2][0];
  EXPECT_EQ(simplify(determinant), cos(b_));
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      const Expr product = Y[r][0] * adjugate[0][c] + Y[r][1] * adjugate[1][c] + Y[r][2] * adjugate[2][c];
      EXPECT_TRUE(rational_simplify(product, determinant).is_constant(r == c ? 1.0 : 0.0)) << r << c;
    }
  }
  EXPECT_EQ(rational_simplify(adjugate[1][0], determinant), sin(c_));
  const Expr tangent = rational_simplify(adjugate[2][0], determinant);
  EXPECT_EQ(count_operations(std::span(&tangent, 1)).div, 1);
}

TEST_F(TrigForm, PrintsReadably) {
  TrigVariables variables;
  const auto p = to_trig_polynomial(
      Expr(2.5) - sin(a_) * sin(a_) * 1.6 + cos(a_ + b_) * u_ * u_ * 0.25 - v_ * u_, variables);
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(to_text(*p, variables, graph_), "1.7 + 0.8*cos(2*a) + 0.25*u^2*cos(a + b) - u*v");
  EXPECT_EQ(to_latex(*p, variables, graph_),
            "1.7 + 0.8\\,\\cos(2\\,a) + 0.25\\,u^{2}\\,\\cos(a + b) - u\\,v");
}

}  // namespace
}  // namespace tactus::algebra
