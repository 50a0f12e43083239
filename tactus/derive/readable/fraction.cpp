#include <tactus/derive/readable/fraction.h>

#include <unordered_map>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>

namespace tactus::derive {

using algebra::Op;

Fraction as_fraction(Expr expression) {
  std::unordered_map<const algebra::Node*, Fraction> known;
  const Expr one(1.0);
  for (const algebra::Node* n : algebra::needed_nodes(std::span(&expression, 1))) {
    Fraction f{Expr(n), one};
    if (n->op == Op::neg) {
      const Fraction& a = known.at(n->a);
      f = {-a.numerator, a.denominator};
    } else if (n->op == Op::add || n->op == Op::sub) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      const bool minus = n->op == Op::sub;
      if (a.denominator == b.denominator) {
        f = {minus ? a.numerator - b.numerator : a.numerator + b.numerator, a.denominator};
      } else {
        const Expr x = a.numerator * b.denominator, y = b.numerator * a.denominator;
        f = {minus ? x - y : x + y, a.denominator * b.denominator};
      }
    } else if (n->op == Op::mul) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      f = {a.numerator * b.numerator, a.denominator * b.denominator};
    } else if (n->op == Op::div) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      f = {a.numerator * b.denominator, a.denominator * b.numerator};
    }
    known.emplace(n, f);
  }
  return known.at(expression.node());
}

namespace {

/// More factors than a reader would divide out. Quotients of quotients, as Newton's iteration has them, double theirs with each that is nested.
constexpr std::size_t kMostFactors = 64;

/// The factors of a product, constants included; false where there are too many.
bool collect_factors(Expr product, std::vector<Expr>& factors) {
  if (factors.size() > kMostFactors) return false;
  if (product.op() == Op::mul)
    return collect_factors(product.a(), factors) && collect_factors(product.b(), factors);
  if (product.op() == Op::neg) {
    factors.emplace_back(-1.0);
    return collect_factors(product.a(), factors);
  }
  factors.push_back(product);
  return true;
}

}  // namespace

Expr reduced(Expr expression) {
  if (expression.is_constant() || expression.is_symbol()) return expression;
  const Fraction f = as_fraction(expression);
  if (f.denominator.is_constant(1.0)) return algebra::simplify(expression);
  std::vector<Expr> factors;
  if (!collect_factors(f.denominator, factors)) return expression;
  factors.clear();
  if (!collect_factors(algebra::simplify(f.denominator), factors)) return expression;
  // Whatever factor of the denominator divides the numerator goes.
  Expr numerator = algebra::simplify(f.numerator), left(1.0);
  for (const Expr factor : factors) {
    const Expr quotient = algebra::rational_simplify(numerator, factor);
    if (as_fraction(quotient).denominator.is_constant(1.0)) {
      numerator = quotient;
    } else {
      left = left * factor;
    }
  }
  const Expr quotient = numerator / left;
  return algebra::cost(quotient) < algebra::cost(expression) ? quotient : expression;
}

}  // namespace tactus::derive
