// Rational trigonometric expressions: brought over one denominator, and reduced.
#pragma once

#include <tactus/algebra/expr.h>

namespace tactus::derive {

using algebra::Expr;

/// The expression as one fraction of two expressions without divisions, as far as + - * / reach.
struct Fraction {
  Expr numerator, denominator;
};
Fraction as_fraction(Expr expression);

/// The expression with its numerator divided by its denominator where that is exact.
Expr reduced(Expr expression);

}  // namespace tactus::derive
