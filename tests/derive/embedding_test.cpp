// Recombination against direct derivation: the shopping cart of [Gillespie2003, Example 3].
#include <tactus/derive/constraints/embedding.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// The largest coefficient of the canonical form: zero (to rounding) means that the expression vanishes
/// identically.
double size_of(Expr e) {
  algebra::TrigVariables variables;
  const auto polynomial = algebra::to_trig_polynomial(e, variables);
  return polynomial ? polynomial->norm() : INFINITY;
}

class Cart : public testing::Test {
 protected:
  Cart()
      : model(model_named("shopping_cart")),
        equations(model),
        terms(equations.constrained_terms()),
        scope(*terms.graph) {}

  std::vector<Expr> output(const std::string& name) const {
    for (const algebra::Block& block : terms.outputs)
      if (block.name == name) return block.entries;
    return {};
  }
  Embedded embedded(const std::vector<int>& rows, const std::vector<int>& dependent) const {
    const std::vector<Expr> A_all = output("A"), c_all = output("c"), gamma_all = output("gamma");
    std::vector<Expr> A, c, gamma;
    for (const int row : rows) {
      A.insert(A.end(), A_all.begin() + 4 * row, A_all.begin() + 4 * row + 4);
      c.push_back(c_all[static_cast<std::size_t>(row)]);
      gamma.push_back(gamma_all[static_cast<std::size_t>(row)]);
    }
    return embed(output("M"), output("Q"), A, c, gamma, u(), dependent,
                 [] { throw std::runtime_error("singular"); });
  }
  std::vector<Expr> u() const { return terms.inputs[2].entries; }

  const describe::Model model;
  const Equations equations;
  const Function terms;
  const algebra::Graph::Scope scope;
  // Sums of some ten products of numbers up to 20.
  static constexpr double kVanishes = 1e-12;
  static constexpr double mB = 20, IB = 2.5, mC = 2, L1 = 0.4, L2 = 0.8, L3 = 0.15;
};

TEST_F(Cart, RecombinedWithAFreeCasterGivesThePrintedEquationsSymbolically) {
  // Rows: the back wheels and the front wheel; dependent: u3 and the sideways speed u4.
  const Embedded cart = embedded({0, 1}, {2, 3});
  const Expr q3 = algebra::symbol("q3"), q4 = algebra::symbol("q4"), u1 = algebra::symbol("u1"),
             u2 = algebra::symbol("u2");
  const Expr s4 = sin(q4), c4 = cos(q4);
  const Expr u3 = (Expr(-1.0) * s4 * u1 + Expr(L2) * c4 * u2) * Expr(1.0 / L3);  // (60)
  // (63): F_r + F*_r = 0
  EXPECT_LT(size_of(cart.M[0] - (Expr(mB) + Expr(mC) * c4 * c4)), kVanishes);
  EXPECT_LT(size_of(cart.M[1] - Expr(L2 * mC) * s4 * c4), kVanishes);
  EXPECT_LT(size_of(cart.M[3] - (Expr(IB + mB * L1 * L1) + Expr(mC * L2 * L2) * s4 * s4)), kVanishes);
  const Expr F = cos(q3) * algebra::symbol("tau_q1") + sin(q3) * algebra::symbol("tau_q2");
  const Expr torque = algebra::symbol("tau_q3");
  const Expr Q1 = F + (Expr(L1 * mB) + Expr(L2 * mC) * c4 * c4) * u2 * u2 - Expr(L3 * mC) * c4 * u3 * u3 -
                  Expr(mC) * s4 * c4 * u1 * u2;
  const Expr Q2 = torque + Expr(mC * L2 * L2) * s4 * c4 * u2 * u2 - Expr(L2 * L3 * mC) * s4 * u3 * u3 -
                  (Expr(L1 * mB) + Expr(L2 * mC) * s4 * s4) * u1 * u2;
  // tau_q4 acts on the caster, of which the paper has none.
  const Expr zero(0.0), tau4 = algebra::symbol("tau_q4");
  const auto without = [&](Expr e) {
    return algebra::substitute(e, algebra::Graph::current(), std::span(&tau4, 1), std::span(&zero, 1));
  };
  EXPECT_LT(size_of(without(cart.Q[0]) - Q1), kVanishes * 100);  // coefficients up to 1/L3^2
  EXPECT_LT(size_of(without(cart.Q[1]) - Q2), kVanishes * 100);
}

TEST_F(Cart, StuckCasterFollowsFromTheSameEquationsWithOneMoreRow) {
  const Embedded cart = embedded({0, 1, 2}, {1, 2, 3});
  const State s{0.0, {0, 0, 0.3, 0.4}, {1.2, 0, 0, 0}, {}, {15 * std::cos(0.3), 15 * std::sin(0.3), -3, 0},
                {}};
  Function reduced_equations = terms;
  reduced_equations.outputs = {{"M", "", 1, 1, cart.M}, {"Q", "", 1, 1, cart.Q}};
  const double M = value(reduced_equations, s, "M")[0], Q = value(reduced_equations, s, "Q")[0];
  EXPECT_NEAR(M, 25.05370329870151, kRounding);
  EXPECT_NEAR(Q / M, 0.5192555392944916, kRounding);  // (67) as printed would give 0.9912
}

TEST_F(Cart, AnyChoiceOfDependentSpeedsGivesTheSameMotion) {
  const State s{0.0,
                {0, 0, 0.3, 0.4},
                {1.2, 0.5, -0.6591840877948437, 0},
                {},
                {15 * std::cos(0.3), 15 * std::sin(0.3), -3, 0},
                {}};
  const double golden[] = {0.8112104746208149, -1.4144559951954845, 0.690917879380688};
  for (const int dependent : {0, 1, 2}) {
    const Embedded cart = embedded({0, 1}, {dependent, 3});
    Function f = terms;
    f.outputs = {{"M", "", 2, 2, cart.M}, {"Q", "", 2, 1, cart.Q}};
    const std::vector<double> M = value(f, s, "M"), Q = value(f, s, "Q");
    const double det = M[0] * M[3] - M[1] * M[2];
    const double x = (M[3] * Q[0] - M[1] * Q[1]) / det, y = (M[0] * Q[1] - M[2] * Q[0]) / det;
    const double first = golden[dependent == 0 ? 1 : 0], second = golden[dependent == 2 ? 1 : 2];
    EXPECT_NEAR(x, first, 1e-10) << dependent;
    EXPECT_NEAR(y, second, 1e-10) << dependent;
  }
}

}  // namespace
}  // namespace tactus::derive
