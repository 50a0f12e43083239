#include <tactus/describe/check/range.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include <tactus/algebra/calculus.h>

namespace tactus::describe {

namespace {

using algebra::Op;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Infinity minus infinity can be anything.
Range made(double lower, double upper) {
  return {std::isnan(lower) ? -kInfinity : lower, std::isnan(upper) ? kInfinity : upper};
}

Range sum(Range a, Range b) { return made(a.lower + b.lower, a.upper + b.upper); }
Range negative(Range a) { return {-a.upper, -a.lower}; }

/// At the ends of ranges zero times infinity is zero: infinity is never reached.
double product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

Range product(Range a, Range b) {
  const auto [lower, upper] = std::minmax({product(a.lower, b.lower), product(a.lower, b.upper),
                                           product(a.upper, b.lower), product(a.upper, b.upper)});
  return {lower, upper};
}

Range magnitude(Range a) {
  if (a.lower >= 0.0) return a;
  if (a.upper <= 0.0) return negative(a);
  return {0.0, std::max(-a.lower, a.upper)};
}

Range quotient(Range a, Range b) {
  if (b.lower <= 0.0 && b.upper >= 0.0) return {};
  return product(a, {1.0 / b.upper, 1.0 / b.lower});
}

Range power(Range base, Range exponent) {
  const double n = exponent.lower;
  const bool is_even = exponent.lower == exponent.upper && n == std::floor(n) && std::fmod(n, 2.0) == 0.0;
  if (is_even && n > 0.0) {
    const Range size = magnitude(base);
    return {std::pow(size.lower, n), std::pow(size.upper, n)};
  }
  return is_even || base.lower >= 0.0 ? Range{0.0, kInfinity} : Range{};
}

template <typename F>
Range rising(Range a, F f) {
  return made(f(a.lower), f(a.upper));
}

Range apply(const algebra::Node& node, Range a, Range b, Range c) {
  constexpr double pi = std::numbers::pi;
  switch (node.op) {
    case Op::constant:
      return {node.value, node.value};
    case Op::add:
      return sum(a, b);
    case Op::sub:
      return sum(a, negative(b));
    case Op::mul:
      if (node.a == node.b) return product(magnitude(a), magnitude(a));
      return product(a, b);
    case Op::div:
      return quotient(a, b);
    case Op::neg:
      return negative(a);
    case Op::sqrt:
      return rising({std::max(a.lower, 0.0), std::max(a.upper, 0.0)}, [](double x) { return std::sqrt(x); });
    case Op::sin:
    case Op::cos:
      return {-1.0, 1.0};
    case Op::asin:
      return {-pi / 2, pi / 2};
    case Op::acos:
      return {0.0, pi};
    case Op::atan:
      return rising(a, [](double x) { return std::atan(x); });
    case Op::atan2:
      return {-pi, pi};
    case Op::sinh:
      return rising(a, [](double x) { return std::sinh(x); });
    case Op::cosh:
      return rising(magnitude(a), [](double x) { return std::cosh(x); });
    case Op::tanh:
      return rising(a, [](double x) { return std::tanh(x); });
    case Op::exp:
      return rising(a, [](double x) { return std::exp(x); });
    case Op::log:
      return rising({std::max(a.lower, 0.0), std::max(a.upper, 0.0)}, [](double x) { return std::log(x); });
    case Op::pow:
      return power(a, b);
    case Op::abs:
      return magnitude(a);
    case Op::sign:
      return rising(a, [](double x) { return x >= 0.0 ? 1.0 : -1.0; });
    case Op::min:
      return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    case Op::max:
      return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    case Op::floor:
      return rising(a, [](double x) { return std::floor(x); });
    case Op::select:
      return {std::min(b.lower, c.lower), std::max(b.upper, c.upper)};
    case Op::symbol:
    case Op::tan:
      break;
  }
  return {};
}

}  // namespace

Range range_of(algebra::Expr expression, const std::function<Range(algebra::Expr)>& range_of_symbol) {
  std::unordered_map<const algebra::Node*, Range> ranges;
  for (const algebra::Node* node : algebra::needed_nodes(std::span(&expression, 1))) {
    const auto at = [&](const algebra::Node* operand) {
      return operand == nullptr ? Range{} : ranges.at(operand);
    };
    ranges[node] = node->op == Op::symbol ? range_of_symbol(algebra::Expr(node))
                                          : apply(*node, at(node->a), at(node->b), at(node->c));
  }
  return ranges.at(expression.node());
}

}  // namespace tactus::describe
