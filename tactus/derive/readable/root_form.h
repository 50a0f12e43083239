// Formulas with square roots, collected: each root stands in them once at most, and as it is.
#pragma once

#include <tactus/algebra/expr.h>

namespace tactus::derive {

using algebra::Expr;

/// The shortest to read of the expression, its reduced fraction, the sum of its reduced terms and, with roots r = sqrt(R), the form a + b r with reduced a, b:
///
///   (N_0 + N_1 r + N_2 r^2 + ...) / D = (N_0 + N_2 R + ...)/D + (N_1 + N_3 R + ...)/D r
Expr collected(Expr expression);

}  // namespace tactus::derive
