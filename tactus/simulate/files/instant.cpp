#include <tactus/simulate/files/instant.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/files/motion_reader.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;
using describe::Fields;
using describe::Value;
using Vector = std::vector<double>;

constexpr std::array<std::string_view, 9> kKeys{"t",   "q",   "u",        "qd",   "udot",
                                                "qdd", "tau", "wrenches", "fixed"};

bool has_own_speeds(const derive::Equations& equations) {
  return equations.model().speeds.definition != describe::Speeds::Definition::joint_rates;
}

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

const std::vector<Expr>& output(const Function& function, std::string_view name) {
  const auto found = std::find_if(function.outputs.begin(), function.outputs.end(),
                                  [&](const Block& block) { return block.name == name; });
  TACTUS_CHECK(found != function.outputs.end());
  return found->entries;
}

Vector joined(double t, const Vector& q, const Vector& rates) {
  Vector inputs{t};
  inputs.insert(inputs.end(), q.begin(), q.end());
  inputs.insert(inputs.end(), rates.begin(), rates.end());
  return inputs;
}

/// An output of a function of (t, q, x), and how fast it changes when q moves with qdot and x with x_rate.
Vector value_at(const Function& function, std::string_view name, double t, const Vector& q, const Vector& x) {
  return values_of(output(function, name), function, joined(t, q, x));
}
Vector rate_at(const Function& function, std::string_view name, double t, const Vector& q, const Vector& x,
               const Vector& qdot, const Vector& x_rate) {
  algebra::Graph::Scope scope(*function.graph);
  const Vector input_rates = joined(1.0, qdot, x_rate);
  std::vector<Expr> symbols, rates(input_rates.begin(), input_rates.end());
  for (const Block& block : function.inputs)
    symbols.insert(symbols.end(), block.entries.begin(), block.entries.end());
  return values_of(algebra::directional_derivative(output(function, name), symbols, rates), function,
                   joined(t, q, x));
}

}  // namespace

Vector speeds_of(const derive::Equations& equations, double t, const Vector& q, const Vector& qd) {
  return has_own_speeds(equations) ? value_at(equations.speeds_from_rates(), "u", t, q, qd) : qd;
}

Vector joint_rates_of(const derive::Equations& equations, double t, const Vector& q, const Vector& u) {
  return has_own_speeds(equations) ? value_at(equations.coordinate_rates(), "qd", t, q, u) : u;
}

Vector coordinate_rates_of(const derive::Equations& equations, double t, const Vector& q, const Vector& u) {
  return value_at(equations.coordinate_rates(), "qdot", t, q, u);
}

Vector speed_rates_of(const derive::Equations& equations, double t, const Vector& q, const Vector& qd,
                      const Vector& qdd) {
  if (!has_own_speeds(equations)) return qdd;
  const Vector qdot = coordinate_rates_of(equations, t, q, speeds_of(equations, t, q, qd));
  return rate_at(equations.speeds_from_rates(), "u", t, q, qd, qdot, qdd);
}

Vector joint_accelerations_of(const derive::Equations& equations, double t, const Vector& q, const Vector& u,
                              const Vector& udot) {
  if (!has_own_speeds(equations)) return udot;
  return rate_at(equations.coordinate_rates(), "qd", t, q, u, coordinate_rates_of(equations, t, q, u), udot);
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
  instant.q = fields["q"] != nullptr ? file.coordinates(*fields["q"]) : file.initial_q();
  instant.u = file.initial_u();
  if (const Value* u = fields["u"]) instant.u = file.speeds(*u, "`u`");
  if (const Value* qd = fields["qd"])
    instant.u = speeds_of(equations, instant.t, instant.q, file.joint_rates(*qd, "`qd`"));
  instant.marks = file.marks(fields);
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

std::vector<std::string> joints_at_rest_with_friction(const derive::Equations& equations, const Instant& at) {
  const describe::Model& model = equations.model();
  std::vector<std::string> joints;
  const std::shared_ptr<const DryFriction> friction =
      dry_friction_of(model, equations, generate::Backend::interpreter);
  if (friction == nullptr) return joints;
  const std::vector<double> rates = joint_rates_of(equations, at.t, at.q, at.u);
  const std::vector<std::string> names = describe::effort_names(model);
  for (const DryAxis& axis : friction->axes)
    if (rates[static_cast<std::size_t>(axis.rate)] == 0.0)
      joints.push_back(names[static_cast<std::size_t>(axis.rate)]);
  return joints;
}

}  // namespace tactus::simulate
