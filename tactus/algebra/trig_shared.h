// Several trigonometric polynomials, written together with few operations.
#pragma once

#include <span>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/shared_form.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/algebra/trig_polynomial.h>

namespace tactus::algebra {

/// Expressions of the polynomials that share sub-sums and products (shared_form.h). Two harmonics of equal
/// weight may become one product of sines and cosines,
///
///   cos A + cos B = 2 cos((A+B)/2) cos((A-B)/2)        sin A + sin B = 2 sin((A+B)/2) cos((A-B)/2)
///   cos A - cos B = -2 sin((A+B)/2) sin((A-B)/2)       sin A - sin B = 2 cos((A+B)/2) sin((A-B)/2)
///
/// where that is cheaper.
std::vector<Expr> shared_trig_forms(std::span<const TrigPolynomial> polynomials,
                                    const TrigVariables& variables, const SharedFormOptions& options = {});

}  // namespace tactus::algebra
