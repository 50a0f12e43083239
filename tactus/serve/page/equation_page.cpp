#include <tactus/serve/page/equation_page.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/latex_symbols.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/derive/readable/sheet.h>
#include <tactus/describe/read/load.h>

namespace tactus::serve {

namespace {

using Json = nlohmann::ordered_json;
using Form = say::Equations::Form;

constexpr std::size_t kLongestElement = 6000, kLongestPage = 600000;  // characters of TeX
constexpr int kMostSpeeds = 60;  // written out; what is larger is counted only
constexpr int kDigits = 6;
/// Bounds of a motion within which abbreviations are judged: brisk, for a robot.
constexpr double kSpeed = 2.0, kAcceleration = 10.0, kLength = 1.0;  // [rad/s or m/s], [1/s of that], [m]

Json count_json(const algebra::OperationCount& n) {
  return {{"mul", n.mul}, {"add", n.add}, {"div", n.div}, {"trig", n.trig}, {"other", n.other}};
}

algebra::OperationCount count(const algebra::Function& function) {
  return algebra::count_operations(function.roots());
}

/// Which section's first index is a row of the constraints.
bool is_by_rows(const std::string& key) {
  return key == "Phi" || key == "A" || key == "Adot_u" || key == "multipliers";
}

Json sections_of(const derive::Sheet& sheet, const std::vector<derive::ConstraintRow>& rows) {
  std::size_t length = 0;
  Json sections = Json::array();
  for (const derive::SheetSection& section : sheet.sections) {
    Json elements = Json::array();
    for (const derive::WrittenEquation& equation : section.equations) {
      const bool cut = equation.latex.size() > kLongestElement || length > kLongestPage;
      if (!cut) length += equation.latex.size();
      Json constraint;
      if (is_by_rows(section.key) && !equation.indices.empty())
        if (const auto row = static_cast<std::size_t>(equation.indices[0] - 1); row < rows.size())
          constraint = rows[row].constraint;
      elements.push_back({{"name", equation.latex_name},
                          {"tex", cut ? "" : equation.latex},
                          {"indices", equation.indices},
                          {"constraint", constraint},
                          {"length", equation.latex.size()},
                          {"cut", cut}});
    }
    sections.push_back({{"key", section.key}, {"title", section.title}, {"elements", std::move(elements)}});
  }
  return sections;
}

Json exact_counts(const derive::Equations& equations) {
  Json counts = Json::array();
  const auto add = [&](const char* what, const algebra::Function& function) {
    counts.push_back({{"what", what}, {"exact", count_json(count(function))}, {"abbreviated", Json()}});
  };
  const bool constrained = !equations.constraint_rows().empty();
  add(constrained ? "inverse dynamics of the open tree" : "inverse dynamics", equations.inverse_dynamics());
  add("mass matrix", equations.mass_matrix());
  add("bias", equations.bias());
  const bool moves = !describe::missing_inertia(equations.model());
  if (moves)
    add(constrained ? "forward dynamics of the open tree" : "forward dynamics", equations.forward_dynamics());
  if (constrained) {
    if (moves) add("constrained dynamics", equations.constrained_dynamics());
    add("constraints", equations.constraint_terms());
  }
  return counts;
}

/// The laws of the contacts that touch: g is the gap, along the normal; lambda the force.
Json contacts_of(const describe::Model& model, const std::vector<int>& pairs) {
  Json elements = Json::array();
  for (const int index : pairs) {
    if (index < 0 || static_cast<std::size_t>(index) >= model.contact.pairs.size()) continue;
    const describe::ContactPair& pair = model.contact.pairs[static_cast<std::size_t>(index)];
    std::string name;
    for (const char c : pair.name) name += c == '_' ? std::string("\\_") : std::string(1, c);
    const describe::ContactLaw& law = pair.law;
    std::string tex =
        law.rendering == describe::Rendering::compliant
            ? fmt::format("\\lambda_N = \\max(0, -{:g}\\,g - {:g}\\,\\dot g)", law.stiffness, law.damping)
            : fmt::format("0 \\le g \\perp \\lambda_N \\ge 0,\\quad \\dot g^+ = -{:g}\\,\\dot g^-",
                          law.restitution);
    if (law.friction > 0.0)
      tex += fmt::format(",\\quad \\lVert\\lambda_T\\rVert \\le {:g}\\,\\lambda_N", law.friction);
    elements.push_back({{"name", "\\text{" + name + "}"},
                        {"tex", tex},
                        {"indices", Json::array()},
                        {"constraint", Json()},
                        {"pair", index},
                        {"length", tex.size()},
                        {"cut", false}});
  }
  return {{"key", "contacts"}, {"title", "contacts that act"}, {"elements", std::move(elements)}};
}

}  // namespace

Json equation_page(describe::Model model, const say::Equations& wanted, const ActiveSet& active) {
  for (std::size_t i = 0; i < std::min(active.constraints.size(), model.constraints.size()); ++i)
    model.constraints[i].active = active.constraints[i] != 0;
  derive::Options options;
  options.keep_parameters = wanted.symbols;
  const algebra::LatexNames names = derive::latex_symbols(model);  // as `derive --latex`
  const algebra::LatexNames::Scope scope(names);
  const derive::Equations equations(model, options);
  std::vector<derive::ConstraintRow> rows;  // of what is on, in the order of the sheet
  for (const derive::ConstraintRow& row : equations.constraint_rows())
    if (model.constraints[static_cast<std::size_t>(row.constraint)].active) rows.push_back(row);
  const bool constrained = !rows.empty();
  Json page = {{"type", "equations"},
               {"form", wanted.form == Form::exact       ? "exact"
                        : wanted.form == Form::reduced   ? "reduced"
                        : wanted.form == Form::canonical ? "canonical"
                                                         : "linear"},
               {"threshold", wanted.threshold > 0.0 ? Json(wanted.threshold) : Json()}};
  Json counts = exact_counts(equations), abbreviation;
  derive::Sheet sheet;
  if (model.nv() > kMostSpeeds && wanted.form != Form::canonical) {
    sheet.coordinates = model.coordinate_names();
    sheet.speeds = model.speed_names();
    sheet.notes = {
        fmt::format("{} speeds: too many to be written out; the operations are counted", model.nv())};
  } else if (wanted.form == Form::canonical) {
    const derive::CanonicalModel full = derive::canonical_form(model, options);
    const derive::Abbreviation rule{.threshold = wanted.threshold};
    const derive::CanonicalModel shorter = wanted.threshold > 0.0 ? derive::abbreviated(full, rule) : full;
    sheet = derive::canonical_sheet(shorter, kDigits);
    if (constrained)
      sheet.notes.insert(sheet.notes.begin(), "of the open tree: the constraints are left out here");
    Json entry = {{"what", "torques, without friction"},
                  {"exact", count_json(count(derive::inverse_dynamics(full, false)))},
                  {"abbreviated", count_json(count(derive::inverse_dynamics(shorter, false)))}};
    counts.insert(counts.begin(), std::move(entry));
    Json proven = Json::array();
    if (!wanted.symbols) {
      const auto n = static_cast<std::size_t>(full.size());
      const derive::MotionBounds bounds{std::vector<double>(full.q.size(), kLength),
                                        std::vector<double>(n, kSpeed),
                                        std::vector<double>(n, kAcceleration)};
      const std::vector<double> bound = derive::torque_error_bounds(full, shorter, bounds);
      const std::vector<double> found = derive::sampled_torque_errors(full, shorter, bounds, 500);
      for (std::size_t i = 0; i < n; ++i)
        proven.push_back({{"speed", full.speed_names[i]},
                          {"bound", std::isfinite(bound[i]) ? Json(bound[i]) : Json()},
                          {"measured", std::isfinite(found[i]) ? Json(found[i]) : Json()}});
    }
    abbreviation = {{"kept", shorter.coefficient_count()},
                    {"of", full.coefficient_count()},
                    {"speed", kSpeed},
                    {"acceleration", kAcceleration},
                    {"proven", std::move(proven)}};
  } else if (wanted.form == Form::linear) {
    sheet = derive::linear_sheet(model, options);
    if (constrained)
      sheet.notes.insert(sheet.notes.begin(), "of the open tree: the constraints are left out here");
  } else if (!constrained) {
    if (wanted.form == Form::reduced)
      throw InputError({}, "the model has no constraints: there is nothing to eliminate",
                       "choose the exact form");
    sheet = derive::equations_sheet(model, options);
  } else {
    sheet = wanted.form == Form::reduced ? derive::reduced_sheet(model, options)
                                         : derive::constrained_sheet(model, options);
  }
  page["notes"] = sheet.notes;
  page["coordinates"] = sheet.coordinates;
  page["speeds"] = sheet.speeds;
  page["sections"] = sections_of(sheet, rows);
  if (Json contacts = contacts_of(model, active.pairs); !contacts["elements"].empty())
    page["sections"].push_back(std::move(contacts));
  page["counts"] = std::move(counts);
  page["abbreviation"] = std::move(abbreviation);
  return page;
}

}  // namespace tactus::serve
