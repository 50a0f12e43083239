// Between which values an expression lies, whatever its symbols are within their own ranges: interval
// arithmetic. The range found may be wider than the true one, never narrower (up to rounding).
#pragma once

#include <functional>
#include <limits>

#include <tactus/algebra/expr.h>

namespace tactus::describe {

struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// `range_of_symbol` gives each symbol's.
Range range_of(algebra::Expr expression, const std::function<Range(algebra::Expr)>& range_of_symbol);

}  // namespace tactus::describe
