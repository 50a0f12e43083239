// GiNaC, an independent computer algebra system, as the oracle of our own: random expressions are
// differentiated, substituted and expanded by both, and the difference must vanish symbolically.
#include <ginac/ginac.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <unordered_map>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>

/// CLN keeps a few bytes to the end of the program; the leak checker of the address sanitizer must not mind.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcln\n"; }

namespace tactus::algebra {
namespace {

class GinacOracle : public ::testing::Test {
 protected:
  Graph graph_;
  Graph::Scope scope_{graph_};
  std::vector<Expr> symbols_{symbol("x"), symbol("y"), symbol("z")};
  std::vector<GiNaC::symbol> theirs_{GiNaC::symbol("x"), GiNaC::symbol("y"), GiNaC::symbol("z")};
  std::mt19937 random_{11};

  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  /// Constants are dyadic, so that our folding in double is exact, as GiNaC's in rationals is.
  static GiNaC::ex exact(double value) {
    const double scaled = value * 1073741824.0;
    EXPECT_EQ(scaled, std::round(scaled));
    return GiNaC::numeric(static_cast<long>(scaled)) / GiNaC::numeric(1073741824L);
  }

  GiNaC::ex theirs(Expr root) const {
    std::unordered_map<const Node*, GiNaC::ex> image;
    for (const Node* n : needed_nodes(std::span(&root, 1))) image[n] = converted(n, image);
    return image.at(root.node());
  }

  GiNaC::ex converted(const Node* n, const std::unordered_map<const Node*, GiNaC::ex>& image) const {
    const auto a = [&] { return image.at(n->a); };
    const auto b = [&] { return image.at(n->b); };
    switch (n->op) {
      case Op::constant:
        return exact(n->value);
      case Op::symbol:
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
          if (symbols_[i].node() == n) return theirs_[i];
        }
        break;
      case Op::add:
        return a() + b();
      case Op::sub:
        return a() - b();
      case Op::mul:
        return a() * b();
      case Op::div:
        return a() / b();
      case Op::neg:
        return -a();
      case Op::sqrt:
        return GiNaC::sqrt(a());
      case Op::sin:
        return GiNaC::sin(a());
      case Op::cos:
        return GiNaC::cos(a());
      case Op::atan:
        return GiNaC::atan(a());
      case Op::tanh:
        return GiNaC::tanh(a());
      case Op::exp:
        return GiNaC::exp(a());
      case Op::log:
        return GiNaC::log(a());
      default:
        break;
    }
    ADD_FAILURE() << "no counterpart of " << name_of(n->op);
    return 0;
  }

  Expr leaf() {
    return pick(4) == 0 ? Expr(0.25 * (1 + pick(12)) - 1.5) : symbols_[static_cast<std::size_t>(pick(3))];
  }

  Expr random_polynomial(int depth) {
    if (depth == 0) return leaf();
    const Expr a = random_polynomial(depth - 1), b = random_polynomial(depth - 1 - pick(depth));
    switch (pick(4)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return -a * b;
      default:
        return a * b;
    }
  }

  Expr random_expression(int depth) {
    if (depth == 0) return leaf();
    Expr a = random_expression(depth - 1), b = random_expression(depth - 1 - pick(depth));
    // Functions of constants fold to numbers that are not dyadic.
    if (a.is_constant()) a += symbols_[0];
    if (b.is_constant()) b += symbols_[1];
    switch (pick(11)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return sin(a);
      case 3:
        return cos(a);
      case 4:
        return a / (Expr(2.0) + b * b);
      case 5:
        return exp(Expr(0.5) * a);
      case 6:
        return log(Expr(1.0) + a * a);
      case 7:
        return sqrt(Expr(1.0) + a * a);
      case 8:
        return atan(a);
      case 9:
        return tanh(a);
      default:
        return a * b;
    }
  }

  /// Zero as a rational function, or (where functions hide an identity) at three points to thirty digits.
  void expect_zero(const GiNaC::ex& difference) const {
    if (difference.is_zero() || difference.expand().is_zero()) return;
    // Rounding of thirty digits through a few dozen operations.
    const GiNaC::numeric tolerance("1e-20");
    GiNaC::Digits = 30;
    for (int k = 1; k <= 3; ++k) {
      GiNaC::lst at;
      for (std::size_t i = 0; i < theirs_.size(); ++i) {
        at.append(theirs_[i] == GiNaC::numeric(3 * k + 2 * static_cast<long>(i) - 4) / 7);
      }
      const GiNaC::ex value = GiNaC::evalf(difference.subs(at));
      ASSERT_TRUE(GiNaC::is_a<GiNaC::numeric>(value)) << value;
      EXPECT_LT(GiNaC::abs(GiNaC::ex_to<GiNaC::numeric>(value)), tolerance) << difference;
    }
  }
};

TEST_F(GinacOracle, ExpandsPolynomialsAlike) {
  for (int round = 0; round < 60; ++round) {
    const Expr e = random_polynomial(5);
    TrigVariables variables;
    const auto p = to_trig_polynomial(e, variables);
    ASSERT_TRUE(p.has_value());
    GiNaC::ex sum = 0;
    for (const TrigTerm& term : p->terms()) {
      GiNaC::ex product = exact(term.c);
      for (std::size_t i = 0; i < variables.variables().size(); ++i) {
        product *= GiNaC::pow(theirs(variables.variables()[i]), static_cast<int>(term.key.e[i]));
      }
      sum += product;
    }
    EXPECT_TRUE((theirs(e).expand() - sum).expand().is_zero());
  }
}

TEST_F(GinacOracle, DifferentiatesPolynomialsAlike) {
  for (int round = 0; round < 100; ++round) {
    const Expr e = random_polynomial(5);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      EXPECT_TRUE((theirs(derivative(e, symbols_[i])) - theirs(e).diff(theirs_[i])).expand().is_zero());
    }
  }
}

TEST_F(GinacOracle, DifferentiatesFunctionsAlike) {
  for (int round = 0; round < 100; ++round) {
    const Expr e = random_expression(1 + round % 4);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      expect_zero(theirs(derivative(e, symbols_[i])) - theirs(e).diff(theirs_[i]));
    }
  }
}

TEST_F(GinacOracle, SubstitutesAlike) {
  for (int round = 0; round < 60; ++round) {
    const Expr e = random_expression(1 + round % 4), image = random_expression(2);
    const Expr made = substitute(e, graph_, std::span(&symbols_[0], 1), std::span(&image, 1));
    expect_zero(theirs(made) - theirs(e).subs(theirs_[0] == theirs(image)));
  }
}

TEST_F(GinacOracle, EvaluatesAlike) {
  // A few dozen operations in double against thirty digits.
  constexpr double kRounding = 1e-11;
  const double at[] = {0.5, -0.75, 1.25};
  for (int round = 0; round < 100; ++round) {
    const Expr e = random_expression(1 + round % 5);
    GiNaC::lst point;
    for (std::size_t i = 0; i < theirs_.size(); ++i) point.append(theirs_[i] == exact(at[i]));
    const GiNaC::ex value = GiNaC::evalf(theirs(e).subs(point));
    ASSERT_TRUE(GiNaC::is_a<GiNaC::numeric>(value));
    const double expected = GiNaC::ex_to<GiNaC::numeric>(value).to_double();
    const double found = evaluate(e, [&](Expr s) {
      return s == symbols_[0] ? at[0] : s == symbols_[1] ? at[1] : at[2];
    });
    EXPECT_NEAR(found, expected, kRounding * (1.0 + std::fabs(expected)));
  }
}

TEST_F(GinacOracle, CanonicalFormIsTheSameFunction) {
  // exp(i x) is an unknown of its own for GiNaC's rational normal form: cos x = (e + 1/e)/2, sin x = (e -
  // 1/e)/(2 i).
  for (int round = 0; round < 40; ++round) {
    Expr e = 0.0;
    for (int n = 0; n < 3; ++n) {
      const Expr x = symbols_[static_cast<std::size_t>(pick(2))],
                 y = symbols_[static_cast<std::size_t>(pick(2))];
      e += Expr(0.25 * (1 + pick(7))) * sin(x + y) * cos(Expr(1.0 + pick(2)) * x - y) *
           (pick(2) ? symbols_[2] : sin(y));
    }
    TrigVariables variables;
    const auto p = to_trig_polynomial(e, variables);
    ASSERT_TRUE(p.has_value());
    const GiNaC::symbol ex("ex"), ey("ey");
    struct ToExponentials : GiNaC::map_function {
      const GiNaC::symbol &x, &y, &ex, &ey;
      ToExponentials(const GiNaC::symbol& a, const GiNaC::symbol& b, const GiNaC::symbol& c,
                     const GiNaC::symbol& d)
          : x(a), y(b), ex(c), ey(d) {}
      GiNaC::ex operator()(const GiNaC::ex& f) override {
        const bool sine = GiNaC::is_the_function<GiNaC::sin_SERIAL>(f),
                   cosine = GiNaC::is_the_function<GiNaC::cos_SERIAL>(f);
        if (!sine && !cosine) return f.map(*this);
        const GiNaC::ex argument = f.op(0).expand();
        const GiNaC::ex power = GiNaC::pow(ex, argument.coeff(x, 1)) * GiNaC::pow(ey, argument.coeff(y, 1));
        return cosine ? (power + 1 / power) / 2 : (power - 1 / power) / (2 * GiNaC::I);
      }
    } to_exponentials(theirs_[0], theirs_[1], ex, ey);
    const GiNaC::ex difference = theirs(e) - theirs(to_expr(*p, variables));
    EXPECT_TRUE(to_exponentials(difference).expand().is_zero());
  }
}

}  // namespace
}  // namespace tactus::algebra
