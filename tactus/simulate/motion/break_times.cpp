#include <tactus/simulate/motion/break_times.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/tree/build_tree.h>

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
  if (std::isfinite(at) && std::isfinite(period)) breaks_.push_back({at, period});
}

void BreakTimes::put_in_order() {
  std::sort(breaks_.begin(), breaks_.end(), [](const BreakTime& a, const BreakTime& b) {
    return a.period != b.period ? a.period > b.period : a.at < b.at;
  });
  const auto same = [](const BreakTime& a, const BreakTime& b) {
    return a.at == b.at && a.period == b.period;
  };
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end(), same), breaks_.end());
  periodic_ = static_cast<std::size_t>(
      std::count_if(breaks_.begin(), breaks_.end(), [](const BreakTime& b) { return b.period > 0.0; }));
}

BreakTimes::BreakTimes(const algebra::Function& function) : BreakTimes(std::span(&function, 1)) {}

BreakTimes::BreakTimes(std::span<const algebra::Function> functions) {
  for (const algebra::Function& function : functions) look_into(function);
  put_in_order();
}

void BreakTimes::look_into(const algebra::Function& function) {
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

std::shared_ptr<const BreakTimes> break_times_of(const describe::Model& model,
                                                 const std::optional<algebra::Function>& loads) {
  std::vector<algebra::Function> functions;
  if (loads) functions.push_back(*loads);
  if (!model.force_laws.empty()) {
    const auto graph = std::make_shared<algebra::Graph>();
    const algebra::Graph::Scope scope(*graph);
    std::vector<Expr> laws;
    for (const describe::ForceLaw& law : model.force_laws)
      laws.insert(laws.end(), law.component.begin(), law.component.end());
    laws = derive::Numbers(model).formulas(laws);
    algebra::Function function{"laws", "forces that the model gives by formulas", graph, {}, {}};
    function.inputs.push_back({"t", "time [s]", 1, 1, {algebra::symbol("t")}});
    const int count = static_cast<int>(laws.size());
    function.outputs.push_back({"laws", "", count, 1, std::move(laws)});
    functions.push_back(std::move(function));
  }
  auto breaks = std::make_shared<const BreakTimes>(functions);
  return breaks->empty() ? nullptr : breaks;
}

double BreakTimes::next(double t) const {
  double first = std::numeric_limits<double>::infinity();
  const auto once = breaks_.begin() + static_cast<std::ptrdiff_t>(periodic_);
  for (auto time = breaks_.begin(); time != once; ++time) {
    const double at = time->at + std::ceil((t - time->at) / time->period) * time->period;
    if (at >= t) first = std::min(first, at);
  }
  const auto next = std::lower_bound(once, breaks_.end(), t,
                                     [](const BreakTime& time, double now) { return time.at < now; });
  return next == breaks_.end() ? first : std::min(first, next->at);
}

}  // namespace tactus::simulate
