#include <tactus/derive/linear/undefined_terms.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {

namespace {

using ValueOf = std::function<double(const std::string&)>;

struct Entry {
  std::string output;
  std::size_t row = 0, column = 0;
};

/// Values first, then slopes: an undefined value has no slope either.
constexpr const char* kOrder[] = {"qd",   "Phi",   "V",   "A",   "M",   "G",   "F",   "qd_q",
                                  "qd_u", "Phi_q", "V_q", "G_q", "G_u", "F_q", "F_u", "F_tau"};

std::optional<Entry> undefined_entry(const LinearTerms& terms, const ValueOf& value_of) {
  const algebra::Graph& graph = *terms.function.graph;
  const auto by_name = [&](Expr symbol) { return value_of(graph.symbol_name(symbol)); };
  for (const char* name : kOrder) {
    const algebra::Block* block = block_named(terms.function.outputs, name);
    if (block == nullptr || block->entries.empty()) continue;
    const std::vector<double> values = algebra::evaluate(block->entries, by_name);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        return Entry{name, k / static_cast<std::size_t>(block->cols),
                     k % static_cast<std::size_t>(block->cols)};
  }
  return std::nullopt;
}

/// In words: what the entry is, `whose` being the force or spring that brings it ("" where none was found).
std::string in_words(const Equations& equations, const LinearTerms& terms, const Entry& entry,
                     const std::string& whose) {
  const describe::Model& model = equations.model();
  const std::string kind = entry.output.substr(0, entry.output.find('_'));
  std::string subject;
  if (kind == "F" || kind == "M")
    subject =
        fmt::format("{} on `{}`", kind == "M" ? "the inertia" : "the force", model.speed_names()[entry.row]);
  else if (kind == "qd")
    subject = fmt::format("the rate of `{}`", describe::effort_names(model)[entry.row]);
  else
    subject = fmt::format("the constraint `{}`", equations.constraint_rows()[terms.rows[entry.row]].label);
  if (!whose.empty()) subject = fmt::format("{} of {}", subject, whose);
  const std::size_t underscore = entry.output.find('_');
  if (underscore == std::string::npos) return subject + " has no finite value";
  const std::string by = entry.output.substr(underscore + 1);
  std::string variable = "an actuator's force";
  if (by == "q") variable = fmt::format("`{}`", model.coordinate_names()[entry.column]);
  if (by == "u") variable = fmt::format("the speed `{}`", model.speed_names()[entry.column]);
  return fmt::format("{} has no derivative by {} (the formula of it is 0/0 or infinite)", subject, variable);
}

}  // namespace

std::optional<UndefinedTerm> undefined_term(const Equations& equations, const LinearTerms& terms,
                                            const ValueOf& value_of) {
  const std::optional<Entry> entry = undefined_entry(terms, value_of);
  if (!entry) return std::nullopt;
  const describe::Model& model = equations.model();
  const auto without = [&](const auto& remove) {
    describe::Model less = model;
    remove(less);
    const Equations others(less, equations.options());
    return !undefined_entry(linear_terms(others), value_of).has_value();
  };
  std::string whose;
  Place where{model.file};
  const auto offset = [](auto& list, std::size_t k) { return list.begin() + static_cast<std::ptrdiff_t>(k); };
  for (std::size_t k = 0; k < model.force_laws.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.force_laws.erase(offset(m.force_laws, k)); })) {
      whose = fmt::format("`{}`", model.force_laws[k].name);
      where = model.force_laws[k].where;
    }
  for (std::size_t k = 0; k < model.point_springs.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.point_springs.erase(offset(m.point_springs, k)); }))
      whose = fmt::format("the spring `{}`", model.point_springs[k].name);
  for (std::size_t k = 0; k < model.frame_springs.size() && whose.empty(); ++k)
    if (without([&](describe::Model& m) { m.frame_springs.erase(offset(m.frame_springs, k)); }))
      whose = fmt::format("the spring `{}`", model.frame_springs[k].name);
  const std::string kind = entry->output.substr(0, entry->output.find('_'));
  if (whose.empty() && (kind == "Phi" || kind == "V" || kind == "A" || kind == "G")) {
    const auto row = terms.rows[entry->row];
    where = model.constraints[static_cast<std::size_t>(equations.constraint_rows()[row].constraint)].where;
  }
  return UndefinedTerm{where, in_words(equations, terms, *entry, whose)};
}

void require_defined(const Equations& equations, const LinearTerms& terms, const ValueOf& value_of) {
  if (const std::optional<UndefinedTerm> undefined = undefined_term(equations, terms, value_of))
    throw InputError(undefined->where, fmt::format("at this point {}", undefined->what),
                     "take another point, or write the formula so that it is smooth there: sqrt(x^2 + e^2) "
                     "with a small e in place of sqrt(x^2)");
}

}  // namespace tactus::derive
