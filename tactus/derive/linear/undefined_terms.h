// What of a linear model has no value at a point: a root of zero has no slope, a quotient by zero no value.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/linear/linear_terms.h>

namespace tactus::derive {

struct UndefinedTerm {
  Place where;       // of the force, spring or constraint that brings it, or the file alone
  std::string what;  // "the derivative of the force `air` (at shoulder, by the speed elbow)"
};

/// The first term that is no number, where the function's symbols have the values `value_of` by name. Which force or spring of the model
/// brings it is found by leaving each of them out in turn.
std::optional<UndefinedTerm> undefined_term(const Equations& equations, const LinearTerms& terms,
                                            const std::function<double(const std::string&)>& value_of);

/// Throws the InputError that says so.
void require_defined(const Equations& equations, const LinearTerms& terms,
                     const std::function<double(const std::string&)>& value_of);

}  // namespace tactus::derive
