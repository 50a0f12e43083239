// Users' expressions: text -> Expr in the current graph.
//
//   expression: term { (+|-) term }            2*L + 35 deg
//   term:       sign { (*|/) sign }
//   sign:       (-|+) sign | power             -x^2 is -(x^2)
//   power:      atom [ ^ sign ]                right-associative: 2^3^2 = 2^9
//   atom:       number [unit] | name | function(arguments) | (expression)
//
// Functions: sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow abs sign min max floor,
// if(c, a, b) = a where c >= 0, otherwise b, and step(x) = 1 where x >= 0, otherwise 0. The constant pi.
// A unit stands directly after a number (units.h): `12 mm`, `1 kg m^2`, `2.5 N/m`; `/` continues the unit
// only where no space surrounds it, so that `3 m / s` divides by something named s.
//
// Dimensions are followed through the expression as far as units were given: a sum of `3 mm` and `2 kg` is an
// error. A bare number is a pure number in a product, and takes the other side's unit in a sum; names whose
// dimension nobody has said go with everything.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/units.h>

namespace tactus::algebra {

/// An expression and what is known of its dimension.
struct Quantity {
  enum class Known {
    no,    // nobody has said: goes with everything
    bare,  // made of bare numbers and functions: SI of whatever kind is wanted
    yes,
  };
  Expr value;
  Known known = Known::no;
  Dimension dimension;  // where known
};

/// The names an expression may use.
struct Names {
  /// The named quantity, or nothing.
  std::function<std::optional<Quantity>(std::string_view)> find;
  /// All names, for "did you mean".
  std::function<std::vector<std::string>()> known;
  /// The value of a function of one argument that is none of the language's own, or nothing where there is none of the
  /// name; and all such names.
  std::function<std::optional<Quantity>(std::string_view, const Quantity&)> call = {};
  std::function<std::vector<std::string>()> functions = {};
};

/// What is wrong with an expression. `offset` counts characters from the beginning of the text, from 0.
struct ParseError : std::runtime_error {
  ParseError(std::size_t offset_, std::string wrong_, std::string remedy_ = {})
      : std::runtime_error(wrong_), offset(offset_), wrong(std::move(wrong_)), remedy(std::move(remedy_)) {}
  std::size_t offset;
  std::string wrong;
  std::string remedy;
};

/// Longest expression [characters] and deepest nesting that the parser accepts.
inline constexpr std::size_t kLongestExpression = 20'000;
inline constexpr int kDeepestExpression = 200;

/// Parses the whole text into the current graph; throws ParseError.
Quantity parse(std::string_view text, const Names& names);

/// Throws ParseError where the quantity is known to be of another dimension than the expected one.
void require_dimension(const Quantity& quantity, Dimension expected);

/// Names that expressions give a meaning of their own (functions, pi): nothing else may be called so.
bool is_reserved_name(std::string_view name);

}  // namespace tactus::algebra
