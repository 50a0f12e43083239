// What the recursions need to know of their scalar besides arithmetic.
#pragma once

#include <cmath>
#include <numbers>

#include <tactus/algebra/expr.h>

namespace tactus::derive {

/// Known to vanish whatever the state. For double nothing is known (branches would depend on the state).
inline bool known_zero(double) { return false; }
inline bool known_zero(algebra::Expr x) { return algebra::is_zero(x); }

/// sine and cosine of sign q + offset; for Expr an offset of k pi/2 costs nothing.
inline void sine_cosine(double q, double sign, double offset, double& s, double& c) {
  const double angle = sign * q + offset;
  s = std::sin(angle);
  c = std::cos(angle);
}

inline void sine_cosine(algebra::Expr q, double sign, algebra::Expr offset, algebra::Expr& s,
                        algebra::Expr& c) {
  using algebra::Expr;
  const Expr angle = sign < 0.0 ? -q : q;
  if (offset.is_constant()) {
    const double so = algebra::exact_sin(offset.value()), co = algebra::exact_cos(offset.value());
    if (so == 0.0 || co == 0.0) {
      s = algebra::sin(angle) * Expr(co) + algebra::cos(angle) * Expr(so);
      c = algebra::cos(angle) * Expr(co) - algebra::sin(angle) * Expr(so);
      return;
    }
  }
  s = algebra::sin(angle + offset);
  c = algebra::cos(angle + offset);
}

}  // namespace tactus::derive
