// Between expressions and trigonometric polynomials, and what the canonical form is good for: simplification.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/trig_polynomial.h>

namespace tactus::algebra {

/// Turns expressions of one graph into polynomials, remembering every node it has seen.
class TrigConverter {
 public:
  explicit TrigConverter(TrigVariables& variables, TrigLimits limits = {})
      : variables_(variables), limits_(limits) {}

  /// Nothing when the expression is not of the class: a division by something not constant, a root, a sine of
  /// something that is not an integer combination of symbols, too many symbols, or more work than the limits
  /// allow.
  std::optional<TrigPolynomial> operator()(Expr expression);

 private:
  std::optional<TrigPolynomial> convert(const Node* node);
  std::optional<TrigPolynomial> convert_circular(const Node* node) const;

  TrigVariables& variables_;
  TrigLimits limits_;
  std::size_t products_ = 0;
  std::unordered_map<const Node*, std::optional<TrigPolynomial>> known_;
};

std::optional<TrigPolynomial> to_trig_polynomial(Expr expression, TrigVariables& variables);

/// d p / d symbol, whether the symbol is an angle, a variable or both.
TrigPolynomial derivative(const TrigPolynomial& p, Expr symbol, const TrigVariables& variables);

/// How a polynomial is written as an expression.
enum class TrigStyle {
  multiple_angles,  // c cos(2 a + b)
  cosine_powers,    // products of sines and cosines of single angles, sin^2 replaced by 1 - cos^2
  sine_powers,      // the same, cos^2 replaced by 1 - sin^2
};
Expr to_expr(const TrigPolynomial& p, const TrigVariables& variables,
             TrigStyle style = TrigStyle::multiple_angles);
/// In the style that needs the fewest operations.
Expr to_cheapest_expr(const TrigPolynomial& p, const TrigVariables& variables);

/// The cheaper of the expression as it is and its canonical form; `cost` is the measure.
Expr simplify(Expr expression);
/// numerator / denominator, divided exactly where the quotient is a trigonometric polynomial.
Expr rational_simplify(Expr numerator, Expr denominator);

/// Weighted operations: additions and products 1, divisions 4, sines, cosines and other functions 8.
int cost(Expr expression);

/// "2.503 + 0.8009*cos(2*q2) - 0.01096*cos(2*q2 + q3)": lower powers and harmonics first, `digits`
/// significant digits (0: as many as read back to the same number). The names of the symbols are those of
/// `graph`. The text is one that the reader of model files understands.
std::string to_text(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph,
                    int digits = 6);
std::string to_latex(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph,
                     int digits = 6);

}  // namespace tactus::algebra
