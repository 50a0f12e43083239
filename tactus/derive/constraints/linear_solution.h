// Small linear systems over expressions, solved so that a reader would recognise the solution.
#pragma once

#include <functional>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::derive {

/// x with A x = b (A by rows). An unknown that stands alone, with a constant factor, in one equation is
/// solved from it last; what remains falls into independent blocks, solved by Cramer's rule or, where large,
/// by elimination. `refuse` is called where A is singular for all values of its symbols, and must throw.
std::vector<algebra::Expr> solve_linear(const std::vector<algebra::Expr>& A,
                                        const std::vector<algebra::Expr>& b,
                                        const std::function<void()>& refuse);

}  // namespace tactus::derive
