#include <algorithm>
#include <array>
#include <string_view>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/describe/source.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion_reader.h>
#include <tactus/simulate/state_file.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using describe::Fields;
using describe::Value;
using Vector = std::vector<double>;

constexpr std::array<std::string_view, 8> kKeys{"t", "q", "u", "qd", "udot", "qdd", "tau", "wrenches"};

bool has_own_speeds(const derive::Equations& equations) {
  return equations.model().speeds.definition != describe::Speeds::Definition::joint_rates;
}

void append(Vector& to, const Vector& values) { to.insert(to.end(), values.begin(), values.end()); }

Vector values_of(const std::vector<Expr>& roots, const Function& function, const Vector& inputs) {
  std::vector<std::pair<Expr, double>> given;
  std::size_t k = 0;
  for (const Block& block : function.inputs)
    for (const Expr& symbol : block.entries) given.emplace_back(symbol, inputs[k++]);
  TACTUS_CHECK(k == inputs.size());
  return algebra::evaluate(roots, [&](Expr symbol) {
    for (const auto& [known, value] : given)
      if (known == symbol) return value;
    TACTUS_CHECK(!"an input of the function");
    return 0.0;
  });
}

/// The function's first output and its rate of change, when its inputs t, x, y move with 1, x_rate, y_rate.
struct ValueAndRate {
  Vector value, rate;
};
ValueAndRate along_motion(const Function& function, double t, const Vector& x, const Vector& y,
                          const Vector& x_rate, const Vector& y_rate) {
  algebra::Graph::Scope scope(*function.graph);
  std::vector<Expr> symbols, rates;
  Vector inputs{t};
  append(inputs, x);
  append(inputs, y);
  Vector input_rates{1.0};
  append(input_rates, x_rate);
  append(input_rates, y_rate);
  std::size_t k = 0;
  for (const Block& block : function.inputs)
    for (const Expr& symbol : block.entries) {
      symbols.push_back(symbol);
      rates.emplace_back(input_rates[k++]);
    }
  const std::vector<Expr>& roots = function.outputs[0].entries;
  return {values_of(roots, function, inputs),
          values_of(algebra::directional_derivative(roots, symbols, rates), function, inputs)};
}

}  // namespace

Vector speeds_of(const derive::Equations& equations, double t, const Vector& q, const Vector& qd) {
  if (!has_own_speeds(equations)) return qd;
  const Vector none(q.size(), 0.0), none_v(qd.size(), 0.0);
  return along_motion(equations.speeds_from_rates(), t, q, qd, none, none_v).value;
}

Vector joint_rates_of(const derive::Equations& equations, double t, const Vector& q, const Vector& u) {
  if (!has_own_speeds(equations)) return u;
  const Vector none(q.size(), 0.0), none_v(u.size(), 0.0);
  return along_motion(equations.coordinate_rates(), t, q, u, none, none_v).value;
}

Vector speed_rates_of(const derive::Equations& equations, double t, const Vector& q, const Vector& qd,
                      const Vector& qdd) {
  if (!has_own_speeds(equations)) return qdd;
  return along_motion(equations.speeds_from_rates(), t, q, qd, qd, qdd).rate;
}

Vector joint_accelerations_of(const derive::Equations& equations, double t, const Vector& q, const Vector& u,
                              const Vector& udot) {
  if (!has_own_speeds(equations)) return udot;
  return along_motion(equations.coordinate_rates(), t, q, u, joint_rates_of(equations, t, q, u), udot).rate;
}

Instant read_instant(const derive::Equations& equations, const std::string& text, const std::string& name) {
  const MotionReader file(equations, text, name);
  const Fields fields(file.reader(), file.document(), "a state", kKeys);
  const auto refuse_both = [&](std::string_view one, std::string_view other) {
    if (fields[one] != nullptr && fields[other] != nullptr)
      file.reader().fail(*fields[other],
                         "both `" + std::string(one) + "` and `" + std::string(other) + "` are given",
                         "keep one of them");
  };
  refuse_both("u", "qd");
  refuse_both("udot", "qdd");

  Instant instant;
  if (const Value* t = fields["t"]) instant.t = file.number(*t, algebra::dimension::kTime);
  instant.q = fields["q"] != nullptr ? file.coordinates(*fields["q"]) : file.rest();
  instant.u.assign(static_cast<std::size_t>(equations.nv()), 0.0);
  if (const Value* u = fields["u"]) instant.u = file.speeds(*u, "`u`");
  if (const Value* qd = fields["qd"])
    instant.u = speeds_of(equations, instant.t, instant.q, file.joint_rates(*qd, "`qd`"));
  if (const Value* udot = fields["udot"]) instant.udot = file.accelerations(*udot, "`udot`", false);
  if (const Value* qdd = fields["qdd"])
    instant.udot = speed_rates_of(equations, instant.t, instant.q,
                                  joint_rates_of(equations, instant.t, instant.q, instant.u),
                                  file.accelerations(*qdd, "`qdd`", true));
  if (const Value* tau = fields["tau"]) {
    instant.tau.emplace();
    for (const Expr& force : file.efforts(*tau)) instant.tau->push_back(force.value());
  }
  if (const Value* wrenches = fields["wrenches"]) {
    for (const WrenchEntry& entry : file.wrenches(*wrenches)) {
      instant.wrenches.push_back(entry.input);
      for (const Expr& component : entry.components) instant.wrench.push_back(component.value());
    }
  }
  return instant;
}

Instant load_instant(const derive::Equations& equations, const std::string& path) {
  return read_instant(equations, describe::read_source(path), path);
}

}  // namespace tactus::simulate
