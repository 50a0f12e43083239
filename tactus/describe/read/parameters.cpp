// Named numbers. A parameter given by numbers alone becomes a symbol; one given by a formula in others is
// derived: the formula takes its place wherever it is used. One that decides how many bodies there are is a
// plain number: nothing else could follow a change of it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

struct Definition {
  const Value* name = nullptr;
  const Value* formula = nullptr;
  const Value* unit = nullptr;
  std::string description;
  std::vector<std::size_t> uses;  // other definitions, by index
  bool fixed = false;             // a plain number
};

Definition read_definition(const Reader& reader, const Value::Entry& entry) {
  Definition definition;
  const std::string& name = reader.identifier(entry.key, "a parameter");
  if (algebra::is_reserved_name(name) || name == "t") {
    reader.fail(entry.key, fmt::format("`{}` has a meaning of its own in expressions", name),
                "choose another name");
  }
  definition.name = &entry.key;
  definition.formula = &entry.value;
  if (entry.value.is_map()) {
    const Fields fields(reader, entry.value, "a parameter", keys::kParameter);
    definition.formula = &fields.require("value", "write {value: 2.5, unit: kg, description: ...}");
    definition.unit = fields["unit"];
    if (const Value* text = fields["description"])
      definition.description = reader.word(*text, "a description");
  }
  if (!definition.formula->is_scalar()) {
    reader.fail(
        *definition.formula,
        fmt::format("the parameter `{}` must be a number, not {}", name, name_of(definition.formula->kind)),
        "write a number, a formula, or {value: ..., unit: ..., description: ...}");
  }
  return definition;
}

/// The definitions in an order in which each uses only earlier ones. Iterative: files may chain thousands of
/// them.
std::vector<std::size_t> in_order_of_use(const Reader& reader, const std::vector<Definition>& definitions) {
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks(definitions.size(), Mark::fresh);
  std::vector<std::size_t> order;
  for (std::size_t root = 0; root < definitions.size(); ++root) {
    if (marks[root] != Mark::fresh) continue;
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};  // definition, next of its uses
    marks[root] = Mark::open;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == definitions[at].uses.size()) {
        marks[at] = Mark::done;
        order.push_back(at);
        path.pop_back();
        continue;
      }
      const std::size_t used = definitions[at].uses[next++];
      if (marks[used] == Mark::open) {
        std::string cycle;
        const auto start =
            std::find_if(path.begin(), path.end(), [&](const auto& step) { return step.first == used; });
        for (auto step = start; step != path.end(); ++step)
          cycle += definitions[step->first].name->text + " -> ";
        reader.fail(*definitions[used].name,
                    fmt::format("parameters define each other in a circle: {}{}", cycle,
                                definitions[used].name->text),
                    "give one of them a number");
      }
      if (marks[used] == Mark::fresh) {
        marks[used] = Mark::open;
        path.emplace_back(used, 0);
      }
    }
  }
  return order;
}

}  // namespace

void read_parameters(Reader& reader, const Value& section, const std::vector<std::string>& fixed) {
  reader.require_map(section, "`parameters`");
  std::vector<Definition> definitions;
  std::unordered_map<std::string, std::size_t> index;
  for (const Value::Entry& entry : section.entries) {
    index.emplace(entry.key.text, definitions.size());
    definitions.push_back(read_definition(reader, entry));
  }

  // First which uses which, in a graph that is then thrown away.
  {
    algebra::Graph scratch;
    const algebra::Graph::Scope scope(scratch);
    for (Definition& definition : definitions) {
      const algebra::Names names{[&](std::string_view name) -> std::optional<algebra::Quantity> {
                                   const auto found = index.find(std::string(name));
                                   if (found == index.end()) return std::nullopt;
                                   definition.uses.push_back(found->second);
                                   return algebra::Quantity{Expr(1.0), algebra::Quantity::Known::no, {}};
                                 },
                                 [&] {
                                   std::vector<std::string> all;
                                   for (const Definition& other : definitions)
                                     all.push_back(other.name->text);
                                   return all;
                                 }};
      reader.quantity(*definition.formula, names);
    }
  }

  const std::vector<std::size_t> order = in_order_of_use(reader, definitions);
  for (const std::string& name : fixed) {
    if (const auto found = index.find(name); found != index.end()) definitions[found->second].fixed = true;
  }
  for (auto user = order.rbegin(); user != order.rend(); ++user) {
    if (!definitions[*user].fixed) continue;
    for (const std::size_t used : definitions[*user].uses) definitions[used].fixed = true;
  }

  struct Result {
    algebra::Quantity quantity;
    double value = 0.0;
    std::string unit;
  };
  std::vector<Result> results(definitions.size());
  for (const std::size_t at : order) {
    const Definition& definition = definitions[at];
    Result& result = results[at];
    result.quantity = reader.quantity(*definition.formula);
    if (definition.unit != nullptr) {
      result.unit = reader.word(*definition.unit, "a unit");
      const std::optional<algebra::Unit> unit = algebra::parse_unit(result.unit);
      if (!unit) {
        reader.fail(*definition.unit, fmt::format("unknown unit `{}`", result.unit),
                    "write SI units, deg, mm ... as in `kg m^2` or `N/m`");
      }
      if (result.quantity.known == algebra::Quantity::Known::yes) {
        reader.number(*definition.formula, unit->dimension);
      } else {
        result.quantity.value = result.quantity.value * Expr(unit->factor) / Expr(unit->divisor);
      }
      result.quantity.known = algebra::Quantity::Known::yes;
      result.quantity.dimension = unit->dimension;
    } else if (result.quantity.known == algebra::Quantity::Known::bare) {
      // `L: 0.5` says a number, not of what: it goes with everything.
      result.quantity.known = algebra::Quantity::Known::no;
    }
    result.value = reader.value_at_parameters(result.quantity.value);
    if (!std::isfinite(result.value)) {
      reader.fail(*definition.formula, fmt::format("`{}` is not a finite number", definition.formula->text),
                  "a division by zero, or a root or logarithm of a negative number?");
    }
    const std::string& name = definition.name->text;
    if (definition.fixed) {
      result.quantity.value = Expr(result.value);
    } else if (definition.uses.empty()) {
      reader.model.parameters.push_back({name, result.value, result.unit, definition.description});
      result.quantity.value = algebra::symbol(name);
    }
    reader.parameter_quantities[name] = result.quantity;
  }

  // In the order of the file, whatever the order of use was.
  reader.model.parameters.clear();
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const Definition& definition = definitions[i];
    const Result& result = results[i];
    if (definition.uses.empty() && !definition.fixed) {
      reader.model.parameters.push_back(
          {definition.name->text, result.value, result.unit, definition.description});
    } else {
      reader.model.derived_parameters.push_back(
          {definition.name->text, result.quantity.value, result.value, result.unit, definition.description});
    }
  }
}

}  // namespace tactus::describe
