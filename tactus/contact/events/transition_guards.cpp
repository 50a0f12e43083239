#include <tactus/contact/events/transition_guards.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>

namespace tactus::contact {

namespace {

/// The multipliers of rows as guards name them: "force.loop.x".
std::string force_name(const std::string& label) { return "force." + label; }

}  // namespace

TransitionGuards::TransitionGuards(const describe::Model& model, const TermsKernel& terms,
                                   const std::shared_ptr<const algebra::Cells>& cells)
    : count_(model.contact.transitions.size()),
      nq_(static_cast<std::size_t>(terms.nq)),
      nv_(static_cast<std::size_t>(terms.nv)),
      rows_(terms.rows.size()) {
  if (count_ == 0) return;
  const auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  graph->set_cells(cells);
  std::set<std::string> known;
  algebra::Function function{"guards", "guards of the transitions", graph, {}, {}};
  const auto block = [&](const std::string& name, const std::vector<std::string>& names) {
    algebra::Block result{name, "", static_cast<int>(names.size()), 1, {}};
    for (const std::string& symbol : names) {
      // Speeds may have the names of coordinates, which then mean those.
      const bool is_new = known.insert(symbol).second;
      result.entries.push_back(algebra::symbol(is_new ? symbol : fmt::format("unused {} {}", name, symbol)));
    }
    function.inputs.push_back(std::move(result));
  };
  std::vector<std::string> rates, forces, parameters;
  for (const std::string& name : model.coordinate_names()) rates.push_back(describe::rate_name(name));
  for (const TermsKernel::Row& row : terms.rows) forces.push_back(force_name(row.label));
  for (const describe::Parameter& parameter : model.parameters) {
    if (cells != nullptr && cells->find(parameter.name) < cells->size()) continue;
    parameters.push_back(parameter.name);
    parameters_.push_back(parameter.value);
  }
  block("t", {"t"});
  block("q", model.coordinate_names());
  block("u", model.speed_names());
  block("qdot", rates);
  block("force", forces);
  block("parameters", parameters);
  if (cells != nullptr) known.insert(cells->names().begin(), cells->names().end());

  std::vector<algebra::Expr> roots;
  for (const describe::Transition& transition : model.contact.transitions) {
    const std::vector<algebra::Expr> symbols = algebra::symbols_in(std::span(&transition.guard, 1));
    for (const algebra::Expr symbol : symbols) {
      const std::string& name = model.graph->symbol_name(symbol);
      take_forces_ |= name.starts_with("force.");
      if (known.contains(name)) continue;
      throw InputError(
          transition.where,
          fmt::format("the guard of `{}` names '{}', which does not exist", transition.name, name),
          name.starts_with("force.") ? suggestion(name, forces)
                                     : "use t, coordinates, rates, speeds or force.<row>");
    }
    roots.push_back(transition.guard);
    true_at_zero_.push_back(transition.true_at_zero);
    names_forces_.push_back(std::any_of(symbols.begin(), symbols.end(), [&](algebra::Expr symbol) {
      return model.graph->symbol_name(symbol).starts_with("force.");
    }));
  }
  function.outputs.push_back(
      {"guards", "", static_cast<int>(count_), 1, algebra::transplant(roots, *model.graph)});
  kernel_ = generate::compile(function);
}

void TransitionGuards::evaluate(double t, const double* q, const double* u, const double* qdot,
                                const double* row_forces, double* in, double* work, double* values) const {
  if (count_ == 0) return;
  double* at = in;
  *at++ = t;
  at = std::copy_n(q, nq_, at);
  at = std::copy_n(u, nv_, at);
  at = std::copy_n(qdot, nq_, at);
  at = std::copy_n(row_forces, rows_, at);
  std::copy(parameters_.begin(), parameters_.end(), at);
  kernel_(in, values, work);
}

}  // namespace tactus::contact
