#include <tactus/simulate/motion/ended_table.h>

#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>

namespace tactus::simulate {

// Table::at writes   past = x - end:  select(past, log(...), select(early, log(...), pieces)),   early = beginning - x.
std::string ended_table(const describe::Model& model, double t, const std::vector<double>& q,
                        const std::vector<double>& u) {
  using algebra::Expr;
  using algebra::Op;
  std::map<std::string, double> values{{"t", t}};
  const std::vector<std::string> coordinates = model.coordinate_names(), speeds = model.speed_names();
  for (const describe::Parameter& parameter : model.parameters) values[parameter.name] = parameter.value;
  for (std::size_t k = 0; k < u.size() && k < speeds.size(); ++k) {
    values[speeds[k]] = u[k];
    if (model.speeds.definition == describe::Speeds::Definition::joint_rates)
      values[describe::rate_name(speeds[k])] = u[k];
  }
  for (std::size_t k = 0; k < q.size() && k < coordinates.size(); ++k) values[coordinates[k]] = q[k];
  const auto value_of = [&](Expr symbol) {
    const auto found = values.find(model.graph->symbol_name(symbol));
    return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  };
  for (const describe::ForceLaw& law : model.force_laws)
    for (const algebra::Node* node : algebra::needed_nodes(law.component)) {
      if (node->op != Op::select || node->b->op != Op::log) continue;
      const Expr past(node->a);
      const double by = algebra::evaluate(past, value_of);
      if (!(by >= 0.0)) continue;
      // x - end or beginning - x: the part that is no number.
      const bool early = (past.op() == Op::sub) && past.a().is_constant();
      const Expr x = early ? past.b() : past.a().is_constant() ? past.b() : past.a();
      const double at = algebra::evaluate(x, value_of);
      return fmt::format(
          "the table in the force `{}` ({}) has ended: its argument {} is {:.6g}, and it {} {:.6g}; `beyond: "
          "hold` or "
          "`extrapolate` goes on",
          law.name, law.where.to_string(), algebra::to_text(x, *model.graph), at,
          early ? "begins at" : "reaches to", early ? at + by : at - by);
    }
  return "";
}

}  // namespace tactus::simulate
