// The dimension of a formula, as far as its parts say it: sums of equal ones, products, quotients, whole powers and roots. A number that
// stands as a factor may have a dimension that nobody wrote (`0.4*speed` is a force): with one the whole has none that is known.
#pragma once

#include <functional>
#include <optional>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/units.h>

namespace tactus::describe {

/// `of_symbol`: what is known of a symbol.
std::optional<algebra::Dimension> dimension_of(
    algebra::Expr formula, const std::function<std::optional<algebra::Dimension>(algebra::Expr)>& of_symbol);

}  // namespace tactus::describe
