#include <tactus/simulate/motion/ended_table.h>

#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/table_files.h>
#include <tactus/describe/read/tables.h>
#include <tactus/simulate/files/recording.h>
#include <tactus/simulate/files/script.h>

namespace tactus::simulate {

namespace {

using algebra::Expr;
using algebra::Op;

/// What is said of the first table in these formulas that has ended; "" where none has.
std::string ended_in(const std::vector<Expr>& formulas, const algebra::Graph& graph, const std::string& file,
                     const std::string& where, const std::map<std::string, double>& values) {
  const auto value_of = [&](Expr symbol) {
    const auto found = values.find(graph.symbol_name(symbol));
    return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  };
  // Table::at writes   past = x - end:  select(past, log(-past - number), select(early, log(...), pieces)),   early = beginning - x.
  for (const algebra::Node* node : algebra::needed_nodes(formulas)) {
    if (node->op != Op::select || node->b->op != Op::log) continue;
    const Expr past(node->a);
    const double by = algebra::evaluate(past, value_of);
    if (!(by >= 0.0)) continue;
    const int number = describe::number_of_ended_table(by, algebra::evaluate(Expr(node->b).a(), value_of));
    const std::vector<std::string> names = describe::table_names(file);
    const std::string name = number > 0 && number <= static_cast<int>(names.size())
                                 ? fmt::format(" `{}`", names[static_cast<std::size_t>(number) - 1])
                                 : "";
    // x - end or beginning - x: the part that is no number.
    const bool early = (past.op() == Op::sub) && past.a().is_constant();
    const Expr x = early ? past.b() : past.a().is_constant() ? past.b() : past.a();
    const double at = algebra::evaluate(x, value_of);
    return fmt::format(
        "the table{} {} has ended: its argument {} is {:.6g}, and it {} {:.6g}; `beyond: hold` or "
        "`extrapolate` goes on",
        name, where, algebra::to_text(x, graph), at, early ? "begins at" : "reaches to",
        early ? at + by : at - by);
  }
  return "";
}

}  // namespace

std::string ended_table(const describe::Model& model, double t, const std::vector<double>& q,
                        const std::vector<double>& u) {
  std::map<std::string, double> values{{"t", t}};
  const std::vector<std::string> coordinates = model.coordinate_names(), speeds = model.speed_names();
  for (const describe::Parameter& parameter : model.parameters) values[parameter.name] = parameter.value;
  for (std::size_t k = 0; k < u.size() && k < speeds.size(); ++k) {
    values[speeds[k]] = u[k];
    if (model.speeds.definition == describe::Speeds::Definition::joint_rates)
      values[describe::rate_name(speeds[k])] = u[k];
  }
  for (std::size_t k = 0; k < q.size() && k < coordinates.size(); ++k) values[coordinates[k]] = q[k];
  for (const describe::ForceLaw& law : model.force_laws)
    if (const std::string ended =
            ended_in(law.component, *model.graph, model.file,
                     fmt::format("in the force `{}` ({})", law.name, law.where.to_string()), values);
        !ended.empty())
      return ended;
  return "";
}

std::string ended_table_of_script(const describe::Model& model, const std::string& script, double t,
                                  const std::vector<double>& q, const std::vector<double>& u) {
  const derive::Equations equations(
      model, {.wrenches = script_wrenches(model, describe::read_source(script), script)});
  const std::optional<algebra::Function> loads = load_script(equations, script).loads;
  if (!loads) return "";
  std::map<std::string, double> values;
  for (const algebra::Block& block : loads->inputs) {
    const std::vector<double> time{t};
    const std::vector<double>& numbers = block.name == "t" ? time : block.name == "q" ? q : u;
    for (std::size_t k = 0; k < block.entries.size() && k < numbers.size(); ++k)
      values[loads->graph->symbol_name(block.entries[k])] = numbers[k];
  }
  return ended_in(loads->roots(), *loads->graph, script, fmt::format("in the forces of {}", script), values);
}

}  // namespace tactus::simulate
