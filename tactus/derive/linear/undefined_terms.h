// What of a linear model has no value at a point: a root of zero has no slope, a quotient by zero no value; and where abs, max, min, sign, floor, if or a
// table's knot switches, a slope or a value is one on this side and another on that.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/linear/linear_terms.h>

namespace tactus::derive {

struct UndefinedTerm {
  Place where;           // of the force, spring or constraint that brings it, or the file alone
  std::string what;      // "the derivative of the force `air` (at shoulder, by the speed elbow)"
  bool is_rate = false;  // of a joint, by the model's own speeds
};

/// The first term that is no number, where the function's symbols have the values `value_of` by name. Which force or spring of the model
/// brings it is found by leaving each of them out in turn.
std::optional<UndefinedTerm> undefined_term(const Equations& equations, const LinearTerms& terms,
                                            const std::function<double(const std::string&)>& value_of);

/// The first term that has one value on one side of the point and another on the other: it jumps, or its slope does. Found by its values at two distances
/// from the point on both sides, in some directions: what is smooth differs by less the nearer they are. A switch at which both sides meet smoothly, as
/// in u*abs(u), is none. Nor is viscous friction of a joint that differs by direction: at rest it is the positive one's [Clover1996].
std::optional<UndefinedTerm> kinked_term(const Equations& equations, const LinearTerms& terms,
                                         const std::function<double(const std::string&)>& value_of);

/// Throws the InputError that says so, of either kind.
void require_defined(const Equations& equations, const LinearTerms& terms,
                     const std::function<double(const std::string&)>& value_of);
void require_smooth(const Equations& equations, const LinearTerms& terms,
                    const std::function<double(const std::string&)>& value_of);

}  // namespace tactus::derive
