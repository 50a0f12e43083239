#include <tactus/simulate/motion/break_times.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <tactus/algebra/calculus.h>

namespace tactus::simulate {

namespace {

using algebra::Expr;
using algebra::Op;

/// a t + b
struct Line {
  double a = 0.0, b = 0.0;
};

std::optional<Line> line_of(Expr e, Expr t) {
  if (e.is_constant()) return Line{0.0, e.value()};
  if (e == t) return Line{1.0, 0.0};
  const auto both = [&](auto combine) -> std::optional<Line> {
    const auto x = line_of(e.a(), t), y = line_of(e.b(), t);
    return x && y ? combine(*x, *y) : std::nullopt;
  };
  switch (e.op()) {
    case Op::neg:
      if (const auto x = line_of(e.a(), t)) return Line{-x->a, -x->b};
      return std::nullopt;
    case Op::add:
      return both([](Line x, Line y) { return std::optional(Line{x.a + y.a, x.b + y.b}); });
    case Op::sub:
      return both([](Line x, Line y) { return std::optional(Line{x.a - y.a, x.b - y.b}); });
    case Op::mul:
      return both([](Line x, Line y) -> std::optional<Line> {
        if (x.a != 0.0 && y.a != 0.0) return std::nullopt;
        return Line{x.a * y.b + y.a * x.b, x.b * y.b};
      });
    case Op::div:
      return both([](Line x, Line y) -> std::optional<Line> {
        if (y.a != 0.0 || y.b == 0.0) return std::nullopt;
        return Line{x.a / y.b, x.b / y.b};
      });
    default:
      return std::nullopt;
  }
}

}  // namespace

double BreakTimes::blur(double at) {
  constexpr double kRoundings = 4e-15;  // some twenty units of rounding, of a second at least
  return kRoundings * std::max(1.0, std::abs(at));
}

void BreakTimes::add(double at, double period) {
  if (!std::isfinite(at) || !std::isfinite(period)) return;
  const bool known = std::any_of(breaks_.begin(), breaks_.end(), [&](const BreakTime& other) {
    return other.at == at && other.period == period;
  });
  if (!known) breaks_.push_back({at, period});
}

BreakTimes::BreakTimes(const algebra::Function& function) {
  const auto time = std::find_if(function.inputs.begin(), function.inputs.end(),
                                 [](const algebra::Block& block) { return block.name == "t"; });
  if (time == function.inputs.end() || time->entries.empty()) return;
  const Expr t = time->entries[0];
  const auto zeros_of = [&](Expr condition) {
    if (const auto line = line_of(condition, t)) {
      if (line->a != 0.0) add(-line->b / line->a, 0.0);
    } else if (condition.op() == Op::sin || condition.op() == Op::cos) {
      const auto angle = line_of(condition.a(), t);
      const double first = condition.op() == Op::cos ? 0.5 * std::numbers::pi : 0.0;
      if (angle && angle->a != 0.0) add((first - angle->b) / angle->a, std::numbers::pi / std::abs(angle->a));
    }
  };
  for (const algebra::Node* node : algebra::needed_nodes(function.roots())) {
    const Expr e(node);
    switch (e.op()) {
      case Op::select:
      case Op::sign:
      case Op::abs:
        zeros_of(e.a());
        break;
      case Op::min:
      case Op::max: {
        const auto x = line_of(e.a(), t), y = line_of(e.b(), t);
        if (x && y && x->a != y->a) add((y->b - x->b) / (x->a - y->a), 0.0);
        break;
      }
      case Op::floor:
        if (const auto line = line_of(e.a(), t); line && line->a != 0.0)
          add(-line->b / line->a, 1.0 / std::abs(line->a));
        break;
      default:
        break;
    }
  }
}

std::shared_ptr<const BreakTimes> break_times_of(const algebra::Function& function) {
  auto breaks = std::make_shared<const BreakTimes>(function);
  return breaks->empty() ? nullptr : breaks;
}

double BreakTimes::next(double t) const {
  double first = std::numeric_limits<double>::infinity();
  for (const BreakTime& time : breaks_) {
    const double at =
        time.period > 0.0 ? time.at + std::ceil((t - time.at) / time.period) * time.period : time.at;
    if (at >= t) first = std::min(first, at);
  }
  return first;
}

}  // namespace tactus::simulate
