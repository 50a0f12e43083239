// The `definitions` section: named expressions of the motion. Wherever one is used, its formula stands in its place.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/check/formula_dimension.h>
#include <tactus/describe/model/frame_word.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/motion_names.h>
#include <tactus/describe/read/order_of_use.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

/// Columns of results that have no dot in their names.
constexpr std::array<std::string_view, 6> kColumns = {"kinetic",  "potential",   "energy",
                                                      "contacts", "impact_loss", "friction_loss"};

Definition read_head(const Reader& reader, const Value::Entry& entry, NamedFormula& formula) {
  Definition definition;
  definition.name = reader.identifier(entry.key, "a definition");
  definition.where = reader.place(entry.key);
  if (algebra::is_reserved_name(definition.name) || definition.name == "t") {
    reader.fail(entry.key, fmt::format("`{}` has a meaning of its own in expressions", definition.name),
                "choose another name");
  }
  if (std::find(kColumns.begin(), kColumns.end(), definition.name) != kColumns.end()) {
    reader.fail(entry.key, fmt::format("`{}` is a column of every result already", definition.name),
                "choose another name");
  }
  formula = {&entry.key, &entry.value, {}};
  if (entry.value.is_map()) {
    const Fields fields(reader, entry.value, "a definition", keys::kDefinition);
    formula.formula = &fields.require("value", "write {value: a formula, unit: m, description: ...}");
    if (const Value* text = fields["description"])
      definition.description = reader.word(*text, "a description");
    if (const Value* unit = fields["unit"]) definition.unit = reader.word(*unit, "a unit");
  }
  if (!formula.formula->is_scalar()) {
    reader.fail(*formula.formula,
                fmt::format("the definition `{}` must be a formula, not {}", definition.name,
                            name_of(formula.formula->kind)),
                "write a formula, or {value: ..., unit: ..., description: ...}");
  }
  return definition;
}

/// Of the time, coordinates, rates, words of frames, definitions and parameters with units.
std::optional<algebra::Dimension> known_dimension(const Reader& reader, const std::string& name) {
  namespace dimension = algebra::dimension;
  const Model& model = reader.model;
  if (name == "t") return dimension::kTime;
  const std::vector<std::string> coordinates = model.coordinate_names();
  std::size_t at = 0;
  for (const Joint& joint : model.joints) {
    const bool quaternion = has_quaternion(joint.type);
    for (const JointAxis& axis : joint.axes) {
      if (name == (quaternion ? axis.name : rate_name(axis.name)))
        return axis.is_rotation ? dimension::kAngularSpeed : dimension::kSpeed;
      if (name == axis.name) return axis.is_rotation ? dimension::kNumber : dimension::kLength;
    }
    const std::size_t count = joint_traits(joint.type).nq();
    for (std::size_t k = 0; quaternion && k < count; ++k)
      if (coordinates[at + k] == name) return count == 7 && k < 3 ? dimension::kLength : dimension::kNumber;
    at += count;
  }
  if (const std::optional<FrameWord> word = find_frame_word(model, name)) return word->dimension();
  for (const auto* quantities : {&reader.definition_quantities, &reader.parameter_quantities})
    if (const auto found = quantities->find(name);
        found != quantities->end() && found->second.known == algebra::Quantity::Known::yes)
      return found->second.dimension;
  return std::nullopt;
}

/// Values are SI: so are the units that they are shown with.
void check_unit(const Reader& reader, const Value::Entry& entry, const Definition& definition,
                algebra::Quantity& quantity) {
  if (definition.unit.empty()) return;
  const Value& where = *entry.value.find("unit");
  const std::optional<algebra::Unit> unit = algebra::parse_unit(definition.unit);
  if (!unit) {
    reader.fail(where, fmt::format("unknown unit `{}`", definition.unit),
                "write an SI unit, as in `kg m^2` or `N/m`");
  }
  if (unit->factor != 1.0 || unit->divisor != 1.0) {
    reader.fail(where, fmt::format("`{}` is no SI unit, and values of formulas are SI", definition.unit),
                "write the SI unit, and divide in the formula where another is wanted");
  }
  std::optional<algebra::Dimension> known;
  if (quantity.known == algebra::Quantity::Known::yes)
    known = quantity.dimension;
  else
    known = dimension_of(quantity.value, [&](Expr symbol) {
      return known_dimension(reader, algebra::Graph::current().symbol_name(symbol));
    });
  if (known && !(*known == unit->dimension)) {
    reader.fail(where, fmt::format("wrong unit: the formula is {}", algebra::describe_dimension(*known)),
                "mend the unit or the formula");
  }
  quantity.known = algebra::Quantity::Known::yes;
  quantity.dimension = unit->dimension;
}

/// One that is a number, of parameters alone, has a value. Others may have one along the motion that is meant.
void require_value(const Reader& reader, const Value& where, Expr formula) {
  const std::vector<Expr> symbols = algebra::symbols_in(std::span(&formula, 1));
  const bool is_number = std::all_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
    return reader.parameter_quantities.contains(algebra::Graph::current().symbol_name(symbol));
  });
  if (is_number && !std::isfinite(reader.value_at_parameters(formula)))
    reader.fail(where, "this has no finite value", "a division by zero, or a root of a negative number?");
}

}  // namespace

void read_definitions(Reader& reader, const Value& section) {
  reader.require_map(section, "`definitions`");
  std::vector<Definition> definitions;
  std::vector<NamedFormula> formulas(section.entries.size());
  for (std::size_t i = 0; i < section.entries.size(); ++i)
    definitions.push_back(read_head(reader, section.entries[i], formulas[i]));
  const MotionNames names(reader);
  find_uses(reader, formulas, reader.names());
  for (const std::size_t at :
       in_order_of_use(reader, formulas, "definitions", "write one of them otherwise")) {
    algebra::Quantity quantity = reader.quantity(*formulas[at].formula);
    check_unit(reader, section.entries[at], definitions[at], quantity);
    require_value(reader, *formulas[at].formula, quantity.value);
    definitions[at].formula = quantity.value;
    reader.definition_quantities[definitions[at].name] = quantity;
    reader.local_names.try_emplace(definitions[at].name,
                                   quantity);  // a coordinate of the name is reported later
  }
  reader.model.definitions = std::move(definitions);
}

}  // namespace tactus::describe
