// Signs of nodes. Arithmetic carries signs outwards (expr.cpp), so that sums which begin with a negative term are minus another sum. Where many
// expressions are to have one form whatever signs they begin with (derive/recursion/articulated_derivatives.h), they begin with these.
#pragma once

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// The same value as a node without a sign in front of it: 0 - x for -x.
Expr without_sign(Expr x);

}  // namespace tactus::algebra
