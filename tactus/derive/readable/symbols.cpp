// The list of symbols of a model's equations.
#include <algorithm>

#include <fmt/format.h>

#include <tactus/algebra/latex_lines.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/units.h>
#include <tactus/derive/readable/sheet.h>

namespace tactus::derive {

namespace {

std::string with_unit(const std::string& words, const std::string& unit) {
  return unit.empty() ? words : fmt::format("{} [{}]", words, unit);
}

/// "0.5 m, length of the rod": in the unit of the file where that is known.
std::string value_text(double value, const std::string& unit, const std::string& description) {
  const std::optional<algebra::Unit> known = algebra::parse_unit(unit);
  const double shown = known ? value * known->divisor / known->factor : value;
  std::string text = fmt::format("{:.12g}", shown);
  if (!unit.empty()) text += " " + unit;
  return description.empty() ? text : text + ", " + description;
}

}  // namespace

std::vector<SymbolGroup> symbols_of(const describe::Model& model, const Options& options) {
  SymbolGroup coordinates{"Coordinates", {}}, speeds{"Speeds", {}},
      kept{"Parameters (SI where no unit is given)", {}},
      folded{"Parameters, as numbers in the formulas (SI where no unit is given)", {}},
      multipliers{"Multipliers", {}};
  const std::vector<std::string> coordinate_names = model.coordinate_names();
  for (const describe::Meaning& one : describe::coordinate_meanings(model))
    coordinates.symbols.push_back({algebra::latex_name(one.name), with_unit(one.meaning, one.unit)});
  for (const describe::Meaning& one : describe::speed_meanings(model)) {
    const bool same =
        std::find(coordinate_names.begin(), coordinate_names.end(), one.name) != coordinate_names.end();
    speeds.symbols.push_back({algebra::latex_name(same ? describe::rate_name(one.name) : one.name),
                              with_unit(one.meaning, one.unit)});
  }
  for (const describe::Parameter& parameter : model.parameters) {
    const bool stays = options.keep_parameters &&
                       (options.kept.empty() || std::find(options.kept.begin(), options.kept.end(),
                                                          parameter.name) != options.kept.end());
    (stays ? kept : folded)
        .symbols.push_back({algebra::latex_name(parameter.name),
                            value_text(parameter.value, parameter.unit, parameter.description)});
  }
  if (!model.constraints.empty()) {
    const Equations equations(model, options);
    for (std::size_t k = 0; k < equations.constraint_rows().size(); ++k)
      multipliers.symbols.push_back({fmt::format("\\lambda_{{{}}}", k + 1),
                                     "of the constraint " + equations.constraint_rows()[k].label});
  }
  std::vector<SymbolGroup> groups;
  for (SymbolGroup* group : {&coordinates, &speeds, &kept, &folded, &multipliers})
    if (!group->symbols.empty()) groups.push_back(std::move(*group));
  return groups;
}

std::string latex_of(const std::vector<SymbolGroup>& groups) {
  constexpr double kColumn = 80.0;  // [pt] for the symbols
  std::string text;
  for (const SymbolGroup& group : groups) {
    if (group.symbols.empty()) continue;
    text += fmt::format("\\par\\medskip\\noindent\\textbf{{{}}}\\nopagebreak\n",
                        algebra::latex_text(group.title));
    for (const SheetSymbol& symbol : group.symbols) {
      const bool fits = algebra::latex_width(symbol.latex) < kColumn;
      text += fmt::format("\\par\\noindent\\hangindent={0}pt\\hangafter=1\\relax{1} {2}\n", kColumn,
                          fits ? fmt::format("\\makebox[{}pt][l]{{${}$}}", kColumn, symbol.latex)
                               : fmt::format("${}$\\quad", symbol.latex),
                          algebra::latex_text(symbol.meaning));
    }
  }
  return text.empty() ? text : text + "\\par\n";
}

}  // namespace tactus::derive
