#include <tactus/describe/check/formula_dimension.h>

#include <cmath>

namespace tactus::describe {

using algebra::Dimension;
using algebra::Expr;
using algebra::Op;

std::optional<Dimension> dimension_of(Expr formula,
                                      const std::function<std::optional<Dimension>(Expr)>& of_symbol) {
  const auto of = [&](Expr x) { return dimension_of(x, of_symbol); };
  // Terms of a sum have one dimension; a bare number goes with the other.
  const auto same = [&](Expr x, Expr y) -> std::optional<Dimension> {
    if (x.is_constant()) return of(y);
    if (y.is_constant()) return of(x);
    const std::optional<Dimension> first = of(x), second = of(y);
    return first && second && *first == *second ? first : std::nullopt;
  };
  switch (formula.op()) {
    case Op::symbol:
      return of_symbol(formula);
    case Op::neg:
    case Op::abs:
      return of(formula.a());
    case Op::add:
    case Op::sub:
    case Op::min:
    case Op::max:
      return same(formula.a(), formula.b());
    case Op::select:
      return same(formula.b(), formula.c());
    case Op::mul: {
      const std::optional<Dimension> first = of(formula.a()), second = of(formula.b());
      return first && second ? std::optional(*first + *second) : std::nullopt;
    }
    case Op::div: {
      const std::optional<Dimension> first = of(formula.a()), second = of(formula.b());
      return first && second ? std::optional(*first - *second) : std::nullopt;
    }
    case Op::sqrt: {
      const std::optional<Dimension> inside = of(formula.a());
      if (!inside || inside->kilogram % 2 != 0 || inside->metre % 2 != 0 || inside->second % 2 != 0)
        return std::nullopt;
      return Dimension{inside->kilogram / 2, inside->metre / 2, inside->second / 2};
    }
    case Op::pow: {
      const std::optional<Dimension> base = of(formula.a());
      const double power = formula.b().is_constant() ? formula.b().value() : 0.5;
      if (!base || power != std::round(power) || std::abs(power) > 12.0) return std::nullopt;
      return static_cast<int>(power) * *base;
    }
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::atan2:
      return of(formula.a()) ? std::optional(Dimension{}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace tactus::describe
