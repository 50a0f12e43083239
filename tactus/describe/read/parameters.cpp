// Named numbers. A parameter given by numbers alone becomes a symbol; one given by a formula in others is
// derived: the formula takes its place wherever it is used. One that decides how many bodies there are is a
// plain number: nothing else could follow a change of it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/order_of_use.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

struct WrittenParameter {
  NamedFormula named;
  const Value* unit = nullptr;
  std::string description;
  bool fixed = false;  // a plain number
};

WrittenParameter read_definition(const Reader& reader, const Value::Entry& entry) {
  WrittenParameter definition;
  const std::string& name = reader.identifier(entry.key, "a parameter");
  if (algebra::is_reserved_name(name) || name == "t") {
    reader.fail(entry.key, fmt::format("`{}` has a meaning of its own in expressions", name),
                "choose another name");
  }
  definition.named.name = &entry.key;
  definition.named.formula = &entry.value;
  if (entry.value.is_map()) {
    const Fields fields(reader, entry.value, "a parameter", keys::kParameter);
    definition.named.formula = &fields.require("value", "write {value: 2.5, unit: kg, description: ...}");
    definition.unit = fields["unit"];
    if (const Value* text = fields["description"])
      definition.description = reader.word(*text, "a description");
  }
  const Value& formula = *definition.named.formula;
  if (!formula.is_scalar()) {
    reader.fail(formula,
                fmt::format("the parameter `{}` must be a number, not {}", name, name_of(formula.kind)),
                "write a number, a formula, or {value: ..., unit: ..., description: ...}");
  }
  return definition;
}

}  // namespace

void read_parameters(Reader& reader, const Value& section, const std::vector<std::string>& fixed) {
  reader.require_map(section, "`parameters`");
  std::vector<WrittenParameter> definitions;
  std::unordered_map<std::string, std::size_t> index;
  for (const Value::Entry& entry : section.entries) {
    index.emplace(entry.key.text, definitions.size());
    definitions.push_back(read_definition(reader, entry));
  }

  std::vector<NamedFormula> formulas;
  for (const WrittenParameter& definition : definitions) formulas.push_back(definition.named);
  find_uses(reader, formulas,
            {[](std::string_view) { return std::nullopt; }, [] { return std::vector<std::string>{}; }});
  for (std::size_t i = 0; i < formulas.size(); ++i) definitions[i].named.uses = formulas[i].uses;
  const std::vector<std::size_t> order =
      in_order_of_use(reader, formulas, "parameters", "give one of them a number");
  for (const std::string& name : fixed) {
    if (const auto found = index.find(name); found != index.end()) definitions[found->second].fixed = true;
  }
  for (auto user = order.rbegin(); user != order.rend(); ++user) {
    if (!definitions[*user].fixed) continue;
    for (const std::size_t used : definitions[*user].named.uses) definitions[used].fixed = true;
  }

  struct Result {
    algebra::Quantity quantity;
    double value = 0.0;
    std::string unit;
  };
  std::vector<Result> results(definitions.size());
  for (const std::size_t at : order) {
    const WrittenParameter& definition = definitions[at];
    Result& result = results[at];
    result.quantity = reader.quantity(*definition.named.formula);
    if (definition.unit != nullptr) {
      result.unit = reader.word(*definition.unit, "a unit");
      const std::optional<algebra::Unit> unit = algebra::parse_unit(result.unit);
      if (!unit) {
        reader.fail(*definition.unit, fmt::format("unknown unit `{}`", result.unit),
                    "write SI units, deg, mm ... as in `kg m^2` or `N/m`");
      }
      if (result.quantity.known == algebra::Quantity::Known::yes) {
        reader.number(*definition.named.formula, unit->dimension);
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
      reader.fail(*definition.named.formula,
                  fmt::format("`{}` is not a finite number", definition.named.formula->text),
                  "a division by zero, or a root or logarithm of a negative number?");
    }
    const std::string& name = definition.named.name->text;
    if (definition.fixed) {
      result.quantity.value = Expr(result.value);
    } else if (definition.named.uses.empty()) {
      reader.model.parameters.push_back({name, result.value, result.unit, definition.description});
      result.quantity.value = algebra::symbol(name);
    }
    reader.parameter_quantities[name] = result.quantity;
  }

  // In the order of the file, whatever the order of use was.
  reader.model.parameters.clear();
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const WrittenParameter& definition = definitions[i];
    const Result& result = results[i];
    if (definition.named.uses.empty() && !definition.fixed) {
      reader.model.parameters.push_back(
          {definition.named.name->text, result.value, result.unit, definition.description});
    } else {
      reader.model.derived_parameters.push_back({definition.named.name->text, result.quantity.value,
                                                 result.value, result.unit, definition.description});
    }
  }
}

}  // namespace tactus::describe
