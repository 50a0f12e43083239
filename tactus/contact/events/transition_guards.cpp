#include <tactus/contact/events/transition_guards.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/base/nearest.h>

namespace tactus::contact {

namespace {

/// The multipliers of rows as guards name them: "force.loop.x".
std::string force_name(const std::string& label) { return "force." + label; }

void collect_symbols(const algebra::Node* node, std::set<const algebra::Node*>& seen,
                     std::set<const algebra::Node*>& symbols) {
  if (node == nullptr || !seen.insert(node).second) return;
  if (node->op == algebra::Op::symbol) symbols.insert(node);
  for (const algebra::Node* operand : {node->a, node->b, node->c}) collect_symbols(operand, seen, symbols);
}

}  // namespace

TransitionGuards::TransitionGuards(const describe::Model& model, const TermsKernel& terms)
    : count_(model.contact.transitions.size()),
      nq_(static_cast<std::size_t>(terms.nq)),
      nv_(static_cast<std::size_t>(terms.nv)),
      rows_(terms.rows.size()) {
  if (count_ == 0) return;
  const algebra::Graph::Scope scope(*model.graph);
  std::set<algebra::Expr, decltype([](algebra::Expr a, algebra::Expr b) { return a.id() < b.id(); })> known;
  algebra::Function function{"guards", "guards of the transitions", model.graph, {}, {}};
  const auto block = [&](const std::string& name, const std::vector<std::string>& names) {
    algebra::Block result{name, "", static_cast<int>(names.size()), 1, {}};
    for (const std::string& symbol : names) {
      algebra::Expr entry = algebra::symbol(symbol);
      // Speeds may have the names of coordinates, which then mean those.
      if (!known.insert(entry).second) entry = algebra::symbol(fmt::format("unused {} {}", name, symbol));
      result.entries.push_back(entry);
    }
    function.inputs.push_back(std::move(result));
  };
  std::vector<std::string> rates, forces, parameters;
  for (const std::string& name : model.coordinate_names()) rates.push_back(describe::rate_name(name));
  for (const TermsKernel::Row& row : terms.rows) forces.push_back(force_name(row.label));
  for (const describe::Parameter& parameter : model.parameters) {
    parameters.push_back(parameter.name);
    parameters_.push_back(parameter.value);
  }
  block("t", {"t"});
  block("q", model.coordinate_names());
  block("u", model.speed_names());
  block("qdot", rates);
  block("force", forces);
  block("parameters", parameters);

  algebra::Block guards{"guards", "", static_cast<int>(count_), 1, {}};
  for (const describe::Transition& transition : model.contact.transitions) {
    std::set<const algebra::Node*> seen, symbols;
    collect_symbols(transition.guard.node(), seen, symbols);
    for (const algebra::Node* symbol : symbols) {
      take_forces_ |= std::string(model.graph->symbol_name(symbol->symbol)).starts_with("force.");
      if (known.count(algebra::Expr(symbol)) != 0) continue;
      const std::string name(model.graph->symbol_name(symbol->symbol));
      throw InputError(
          transition.where,
          fmt::format("the guard of `{}` names '{}', which does not exist", transition.name, name),
          name.starts_with("force.") ? suggestion(name, forces)
                                     : "use t, coordinates, rates, speeds or force.<row>");
    }
    guards.entries.push_back(transition.guard);
    true_at_zero_.push_back(transition.guard_text.find('=') !=
                            std::string::npos);  // a guard is one comparison
  }
  function.outputs.push_back(std::move(guards));
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
