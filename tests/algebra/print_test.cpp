#include <tactus/algebra/latex_names.h>
#include <tactus/algebra/print.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/parse.h>

namespace tactus::algebra {
namespace {

class Print : public testing::Test {
 protected:
  Graph graph;
  Graph::Scope scope{graph};
  Expr a = symbol("a"), b = symbol("b"), c = symbol("c"), q1 = symbol("q1"), q2 = symbol("q2"),
       q1_dot = symbol("q1_dot");
};

TEST_F(Print, WritesFewParentheses) {
  EXPECT_EQ(to_text(a + b - c), "a + b - c");
  EXPECT_EQ(to_text(c - (a + b)), "c - a - b");
  EXPECT_EQ(to_text(a * (b + c)), "a*(b + c)");
  EXPECT_EQ(to_text(a * b + c), "c + a*b");
  EXPECT_EQ(to_text(-(a * b) - c), "-c - a*b");
  EXPECT_EQ(to_text(b - a), "b - a");
  EXPECT_EQ(to_text(a / (b * c)), "a/(b*c)");
  EXPECT_EQ(to_text(a * b / c), "a*b/c");
  EXPECT_EQ(to_text((a + b) / c), "(a + b)/c");
  EXPECT_EQ(to_text(a * a * b), "b*a^2");
  EXPECT_EQ(to_text((a + b) * (a + b)), "(a + b)^2");
  EXPECT_EQ(to_text(Expr(-2.5) * a + 1.0), "1 - 2.5*a");
  EXPECT_EQ(to_text(a - 3.0), "a - 3");
  EXPECT_EQ(to_text(pow(a, b + c)), "a^(b + c)");
  EXPECT_EQ(to_text(sin(q1 + q2) * q1_dot), "q1_dot*sin(q1 + q2)");
  EXPECT_EQ(to_text(atan2(a, -b)), "atan2(a, -b)");
  EXPECT_EQ(to_text(select(a, b, c)), "if(a, b, c)");
  EXPECT_EQ(to_text(Expr(0.0)), "0");
}

TEST_F(Print, WritesLatex) {
  EXPECT_EQ(to_latex(a * sin(q1)), "a\\,\\sin q_{1}");
  EXPECT_EQ(to_latex(sin(q1) * sin(q1)), "\\sin^{2} q_{1}");
  EXPECT_EQ(to_latex(cos(q1 + q2)), "\\cos\\left(q_{1} + q_{2}\\right)");
  EXPECT_EQ(to_latex(a / (b + c)), "\\frac{a}{b + c}");
  EXPECT_EQ(to_latex(q1_dot * q1_dot), "\\dot{q}_{1}^{2}");
  EXPECT_EQ(to_latex(Expr(1.5e-7) * a), "1.5\\cdot 10^{-7}\\,a");
  EXPECT_EQ(to_latex(sqrt(a + b)), "\\sqrt{a + b}");
  EXPECT_EQ(to_latex(a * (b - c)), "a\\,\\left(b - c\\right)");
}

TEST_F(Print, NamesInLatexAreReadable) {
  EXPECT_EQ(latex_name("q1"), "q_{1}");
  EXPECT_EQ(latex_name("theta_2"), "\\theta_{2}");
  EXPECT_EQ(latex_name("q1_dot"), "\\dot{q}_{1}");
  EXPECT_EQ(latex_name("elbow_ddot"), "\\ddot{\\mathrm{elbow}}");
  EXPECT_EQ(latex_name("tau_elbow"), "\\tau_{\\mathrm{elbow}}");
  EXPECT_EQ(latex_name("tau_q1"), "\\tau_{q_{1}}");
  EXPECT_EQ(latex_name("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex_name("m"), "m");
  EXPECT_EQ(latex_name("udot"), "\\dot{u}");
  EXPECT_EQ(latex_name("hand.torque_x"), "\\mathrm{hand.torque}_{x}");
  EXPECT_EQ(latex_name("_dot"), "\\mathrm{\\_dot}");
}

TEST_F(Print, DifferentNamesAreDifferentSymbols) {
  const std::vector<std::string> all = {"q1",      "q_1",   "q1_dot",  "q_1_dot",  "tau_q1",
                                        "tau_q_1", "omega", "omega_",  "lambda_1", "lambda1",
                                        "z1",      "z_1",   "theta_2", "u"};
  const LatexNames names(all);
  {
    const LatexNames::Scope scope(names);
    std::set<std::string> symbols;
    for (const std::string& name : all) EXPECT_TRUE(symbols.insert(latex_name(name)).second) << name;
    EXPECT_EQ(latex_name("q1"), "q_{1}");
    EXPECT_EQ(latex_name("q_1"), "\\mathrm{q\\_1}");
    EXPECT_EQ(latex_name("q_1_dot"), "\\dot{\\mathrm{q\\_1}}");
    EXPECT_EQ(latex_name("theta_2"), "\\theta_{2}");  // alone
    EXPECT_EQ(symbols.count(latex_name("z2")), 0u);   // a shared term
    EXPECT_EQ(latex_name("z2"), "z_{2}");
  }
  EXPECT_EQ(latex_name("q_1"), "q_{1}");
}

TEST_F(Print, TextReadsBackToTheSameExpression) {
  const Names names{
      [&](std::string_view name) { return std::optional(Quantity{.value = symbol(name), .dimension = {}}); },
      [] { return std::vector<std::string>{}; }};
  const Expr d = sin(q1 + q2) * (a - b) / (c * c + 1.0) - Expr(0.1) * exp(-a) * q1_dot * q1_dot;
  for (const Expr e :
       {d, -d, derivative(d, q1), derivative(d, a), select(a, b, min(c, d)), sqrt(d * d) / (a / b)}) {
    const Expr again = parse(to_text(e), names).value;
    const auto value = [](Expr s) { return 0.3 + 0.1 * s.id(); };
    EXPECT_NEAR(evaluate(again, value), evaluate(e, value), 1e-14) << to_text(e);
  }
}

TEST_F(Print, NumbersReadBackToThemselves) {
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> uniform(-1e3, 1e3);
  for (int k = 0; k < 200; ++k) {
    const double x = uniform(rng);
    EXPECT_EQ(std::stod(print_number(x, Notation::text)), x);
  }
  EXPECT_EQ(print_number(0.1, Notation::text), "0.1");
  EXPECT_EQ(print_number(1.0 / 3.0, Notation::text, 3), "0.333");
}

TEST_F(Print, LongExpressionsGetTemporaries) {
  // Written out, x has 2^60 operations.
  Expr x = a;
  for (int k = 0; k < 60; ++k) x = x * (x + b);
  const Formulas formulas = print(std::span(&x, 1), graph, Notation::text);
  EXPECT_LE(formulas.temporaries.size(), 120u);
  std::size_t length = 0;
  for (const Formulas::Definition& t : formulas.temporaries) length += t.formula.size();
  EXPECT_LT(length, 4000u);
  EXPECT_EQ(formulas.temporaries.front().name, "z1");
  EXPECT_EQ(formulas.temporaries.front().formula, "a*(a + b)");
  EXPECT_NE(to_text(x).find(", where z1 = "), std::string::npos);
}

TEST_F(Print, TemporariesDoNotTakeASymbolsName) {
  Expr x = symbol("z1");
  for (int k = 0; k < 60; ++k) x = x * (x + b);
  EXPECT_EQ(print(std::span(&x, 1), graph, Notation::text).temporaries.front().name, "zz1");
}

TEST_F(Print, AVeryDeepExpressionIsCutIntoPieces) {
  Expr x = a;
  for (int k = 0; k < 100000; ++k) x = sin(x) + b;
  EXPECT_GT(print(std::span(&x, 1), graph, Notation::text).temporaries.size(), 900u);
}

TEST_F(Print, NumbersOfASumAreAddedToOne) {
  Graph graph;
  const Graph::Scope scope(graph);
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  EXPECT_EQ(to_text((x + 1.14) + 1.46172955 + 0.00077), "x + 2.60249955");
  EXPECT_EQ(to_text((x + 0.1) + (y + 0.2)), "y + x + 0.3");
  EXPECT_EQ(to_text((x - 1.5) + (y + 1.0)), "y + x - 0.5");
  EXPECT_EQ(to_text((x - 1.2) + (y + 1.2)), "y + x");
  EXPECT_EQ(to_text((0.5003 - x) + (0.150397316 - y)), "0.650697316 - y - x");
  EXPECT_EQ(to_text(y * ((x + 2.0) - (y - 3.0))), "-y*(y - x - 5)");
  EXPECT_EQ(to_latex((x + 1e-6) + (y + 3e-6)), "y + x + 4\\cdot 10^{-6}");
}

}  // namespace
}  // namespace tactus::algebra
