// tactus derive MODEL: the equations of motion, to read, to count, to abbreviate.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/budget.h>
#include <tactus/derive/readable/latex_symbols.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/derive/readable/sheet.h>

#include "options.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;
using algebra::Function;
using algebra::OperationCount;

/// Digits of printed coefficients where neither the user nor a rule of abbreviation says.
constexpr int kCanonicalDigits = 6;

struct Request {
  ModelChoice model;
  std::string budget;
  std::vector<std::string> at, keep, independent, activate, release;
  double abbreviate = 0.0;
  int digits = -1;
  bool latex = false, document = false, json = false, counts = false, canonical = false, linear = false;
  bool keep_parameters = false, friction = false, reduced = false, kane = false, coriolis = false;
};

/// What a sheet of a model with constraints must say where it leaves them out; "" for other models.
std::string left_out(const describe::Model& model) {
  std::string names;
  for (const describe::Constraint& constraint : model.constraints)
    names += (names.empty() ? "" : ", ") + constraint.name;
  return names.empty() ? "" : "OF THE OPEN TREE: the constraints are left out (" + names + ")";
}

Json to_json(const OperationCount& n) {
  Json entry = {{"mul", n.mul}, {"add", n.add}, {"div", n.div}, {"trig", n.trig}};
  if (n.other > 0) entry["other"] = n.other;
  return entry;
}

OperationCount count(const Function& function) { return algebra::count_operations(function.roots()); }

/// One function per line.
void print_counts(const Json& counts) {
  fmt::print("{{\n");
  for (auto it = counts.begin(); it != counts.end(); ++it) {
    const bool last = std::next(it) == counts.end();
    fmt::print("  {}: {}{}\n", Json(it.key()).dump(), it.value().dump(), last ? "" : ",");
  }
  fmt::print("}}\n");
}

void exact_counts(const describe::Model& model, const derive::Options& options) {
  const derive::Equations equations(model, options);
  Json counts;
  const std::string open_tree = equations.constraint_rows().empty() ? "" : "_open_tree";
  counts["inverse_dynamics" + open_tree] = to_json(count(equations.inverse_dynamics()));
  counts["mass_matrix"] = to_json(count(equations.mass_matrix()));
  const bool moves = !describe::missing_inertia(model);
  if (moves) counts["forward_dynamics" + open_tree] = to_json(count(equations.forward_dynamics()));
  if (!open_tree.empty()) {
    if (moves) counts["constrained_dynamics"] = to_json(count(equations.constrained_dynamics()));
    counts["constraints"] = to_json(count(equations.constraint_terms()));
  }
  counts["bias"] = to_json(count(equations.bias()));
  counts["gravity"] = to_json(count(equations.gravity()));
  const bool has_linear_model = equations.nq() == equations.nv() &&
                                model.speeds.definition == describe::Speeds::Definition::joint_rates;
  if (has_linear_model) counts["linear" + open_tree] = to_json(count(equations.linear_model()));
  counts["energy"] = to_json(count(equations.energy()));
  print_counts(counts);
}

Json counts_of(const derive::CanonicalModel& model, const Function* linear, bool friction) {
  Json counts;
  counts["inverse_dynamics"] = to_json(count(derive::inverse_dynamics(model, friction)));
  counts["mass_matrix"] = to_json(count(derive::mass_matrix(model)));
  counts["bias"] = to_json(count(derive::bias(model, friction)));
  counts["gravity"] = to_json(count(derive::gravity(model)));
  if (linear != nullptr) counts["linear"] = to_json(count(*linear));
  return counts;
}

void print(derive::Sheet sheet, const describe::Model& model, const derive::Options& options,
           const Request& request, const std::string& warning = "", const Json& more = {}) {
  if (request.latex || request.json) sheet.symbols = derive::symbols_of(model, options);
  if (!warning.empty()) sheet.notes.insert(sheet.notes.begin(), warning);
  if (request.json) {
    Json document = Json::parse(sheet.json());
    for (auto it = more.begin(); it != more.end(); ++it) document[it.key()] = it.value();
    fmt::print("{}\n", document.dump(2));
    return;
  }
  std::fputs((request.latex ? sheet.latex(request.document) : sheet.text()).c_str(), stdout);
}

std::string in_words(const OperationCount& n) {
  return fmt::format("{} multiplications, {} additions, {} sines and cosines", n.mul, n.add, n.trig);
}

/// What a reader should know besides the equations: of the whole, what is left, and what the torques cost.
void add_to_notes(derive::Sheet& sheet, const derive::CanonicalModel& full,
                  const derive::CanonicalModel& shorter, const OperationCount& exact) {
  sheet.notes.push_back(
      fmt::format("{} of {} coefficients are left", shorter.coefficient_count(), full.coefficient_count()));
  sheet.notes.push_back("torques without friction, unrounded: " +
                        in_words(count(derive::inverse_dynamics(shorter, false))));
  sheet.notes.push_back("exact torques by recursion:          " + in_words(exact));
}

void by_threshold(const describe::Model& model, const derive::Options& options, const Request& request) {
  const derive::CanonicalModel full = derive::canonical_form(model, options);
  derive::Abbreviation rule = derive::Abbreviation::thesis(request.abbreviate);
  if (request.digits >= 0) rule.digits = request.digits;
  const derive::Abbreviation unrounded{.threshold = request.abbreviate};
  const derive::CanonicalModel shorter = derive::abbreviated(full, unrounded);
  if (request.counts) {
    const Function linear = derive::LinearCanonical(full, unrounded).function();
    return print_counts(counts_of(shorter, &linear, request.friction));
  }
  const int digits = rule.digits > 0 ? rule.digits : kCanonicalDigits;
  if (request.linear)
    return print(derive::linear_sheet(derive::LinearCanonical(full, rule), digits), model, options, request,
                 left_out(model));

  derive::Options frictionless = options;
  frictionless.friction = false;
  derive::Sheet sheet = derive::canonical_sheet(derive::abbreviated(full, rule), digits);
  sheet.notes.push_back(
      fmt::format("coefficients of the links below {} dropped{} [Clover1996, II App. A]", request.abbreviate,
                  rule.digits > 0 ? fmt::format(", the others rounded to {} digits", rule.digits) : ""));
  add_to_notes(sheet, full, shorter, count(derive::Equations(model, frictionless).inverse_dynamics()));
  print(sheet, model, options, request, left_out(model),
        {{"counts", counts_of(shorter, nullptr, request.friction)}});
}

void by_budget(const describe::Model& model, const derive::Options& options, const Request& request) {
  if (options.keep_parameters) {
    throw InputError({}, "a torque budget needs numbers: with --keep-parameters nothing is bounded",
                     "leave out --keep-parameters");
  }
  const derive::TorqueBudget budget = derive::load_budget(request.budget, model);
  const derive::CanonicalModel full = derive::canonical_form(model, options);
  const derive::BudgetedModel result = derive::abbreviate_to_budget(full, budget);
  if (request.counts) return print_counts(counts_of(result.model, nullptr, request.friction));

  derive::Options frictionless = options;
  frictionless.friction = false;
  const OperationCount exact = count(derive::Equations(model, frictionless).inverse_dynamics());
  derive::Sheet sheet =
      derive::canonical_sheet(result.model, request.digits > 0 ? request.digits : kCanonicalDigits);
  sheet.notes.push_back("dropped: " + result.order);
  add_to_notes(sheet, full, result.model, exact);
  if (result.operations.mul + result.operations.add >= exact.mul + exact.add) {
    sheet.notes.push_back("abbreviation does not pay here: the exact recursion needs fewer operations");
  }
  sheet.notes.push_back(
      fmt::format("{:<16}{:>12}{:>12}{:>12}", "torque error", "allowed", "proven", "sampled"));
  Json errors = Json::array();
  for (std::size_t i = 0; i < result.allowed.size(); ++i) {
    const std::string& name = full.speed_names[i];
    sheet.notes.push_back(fmt::format("{:<16}{:>12.4g}{:>12.4g}{:>12.4g}", name, result.allowed[i],
                                      result.proven[i], result.sampled[i]));
    errors.push_back({{"speed", name},
                      {"allowed", result.allowed[i]},
                      {"proven", result.proven[i]},
                      {"sampled", result.sampled[i]}});
  }
  print(sheet, model, options, request, left_out(model),
        {{"torque_error", errors},
         {"coefficients", {{"kept", result.kept_coefficients}, {"of", result.full_coefficients}}},
         {"order", result.order},
         {"counts",
          {{"inverse_dynamics", to_json(result.operations)}, {"exact_inverse_dynamics", to_json(exact)}}}});
}

/// Words between commas; those within parentheses belong to formulas.
std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    int depth = 0;
    words.emplace_back();
    for (const char c : list) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth <= 0)
        words.emplace_back();
      else
        words.back() += c;
    }
  }
  return words;
}

/// NAME=FORMULA of --at; `initial`: what is not named is as in the model's initial state.
derive::LinearPoint point_of(const Request& request) {
  derive::LinearPoint point =
      derive::point_of_file(request.model.path, request.model.pairs(), request.model.reading());
  for (const std::string& word : split(request.at)) {
    const std::size_t equals = word.find('=');
    if (word == "initial") {
      point.initial = true;
      continue;
    }
    if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
      throw InputError({}, fmt::format("--at {}: a name and its value are expected", word),
                       "write --at NAME=VALUE, such as --at \"q1=90 deg,q2=0\", or --at initial");
    point.values.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return point;
}

/// The linear model about a point: with the constraints eliminated, so that nothing is left out.
void about_a_point(const describe::Model& model, const derive::Options& options, const Request& request) {
  if (!request.linear || request.canonical || request.counts || request.reduced || request.abbreviate > 0.0 ||
      !request.budget.empty())
    throw InputError({}, "--at and --independent belong to --linear alone (--independent to --kane, too)",
                     "write derive --linear --at ..., or derive --kane --independent ...");
  if (request.at.empty())
    throw InputError({}, "--independent needs the point of the linear model",
                     "add --at NAME=VALUE,... or --at initial");
  print(derive::linear_sheet_at(model, options, point_of(request), request.independent,
                                request.digits >= 0 ? request.digits : kCanonicalDigits),
        model, options, request);
}

/// Constraints that the model has, switched on or off for these equations.
void switch_constraints(describe::Model& model, const std::vector<std::string>& names, bool active,
                        const char* option) {
  std::vector<std::string> known;
  for (const describe::Constraint& constraint : model.constraints) known.push_back(constraint.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw InputError({model.file}, fmt::format("{}: `{}` is no constraint of the model", option, name),
                       known.empty() ? "the model has none" : suggestion(name, known));
    model.constraints[static_cast<std::size_t>(found - known.begin())].active = active;
  }
}

/// Kane's method, step by step.
void by_kane(const describe::Model& model, const derive::Options& options, const Request& request) {
  if (request.linear || request.canonical || request.counts || request.reduced || request.abbreviate > 0.0 ||
      !request.budget.empty() || !request.at.empty())
    throw InputError({}, "--kane stands alone: it has the unconstrained and the reduced equations",
                     "leave the others out");
  print(derive::kane_sheet(model, options, request.independent,
                           request.digits >= 0 ? request.digits : kCanonicalDigits),
        model, options, request);
}

void run(const Request& request) {
  describe::Model model = request.model.load();
  switch_constraints(model, request.activate, true, "--activate");
  switch_constraints(model, request.release, false, "--release");
  derive::Options options;
  options.keep_parameters = request.keep_parameters || !request.keep.empty();
  options.kept = request.keep;
  for (const std::string& name : request.keep) {
    std::vector<std::string> known;
    for (const describe::Parameter& parameter : model.parameters) known.push_back(parameter.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError({model.file}, fmt::format("--keep: `{}` is no parameter of the model", name),
                       suggestion(name, known));
  }
  const algebra::LatexNames names = derive::latex_symbols(model);
  const algebra::LatexNames::Scope scope(names);
  if (request.kane) return by_kane(model, options, request);
  if (!request.at.empty() || !request.independent.empty()) return about_a_point(model, options, request);
  if (request.coriolis) {
    if (request.linear || request.canonical || request.counts || request.reduced ||
        request.abbreviate > 0.0 || !request.budget.empty())
      throw InputError({}, "--coriolis stands alone", "leave the others out");
    return print(derive::coriolis_sheet(model, options), model, options, request, left_out(model));
  }
  if (request.counts) options.friction = request.friction;
  if (request.reduced && model.constraints.empty())
    throw InputError({model.file}, "--reduced: the model has no constraints", "leave it out");
  if (request.reduced && (request.linear || request.canonical || request.counts || request.abbreviate > 0.0 ||
                          !request.budget.empty()))
    throw InputError({}, "--reduced stands alone: the other forms are of the open tree",
                     "leave the others out");
  if (!request.budget.empty()) return by_budget(model, options, request);
  if (request.abbreviate > 0.0) return by_threshold(model, options, request);
  if (request.counts) return exact_counts(model, options);
  const int digits = request.digits >= 0 ? request.digits : kCanonicalDigits;
  if (request.canonical) {
    const derive::CanonicalModel canonical = derive::canonical_form(model, options);
    return print(request.linear ? derive::linear_sheet(derive::LinearCanonical(canonical), digits)
                                : derive::canonical_sheet(canonical, digits),
                 model, options, request, left_out(model));
  }
  if (request.linear) {
    const std::string warning = left_out(model);
    return print(derive::linear_sheet(model, options, digits), model, options, request,
                 warning.empty() ? "" : warning + "; --at POINT eliminates them");
  }
  if (model.constraints.empty())
    return print(derive::equations_sheet(model, options), model, options, request);
  print(request.reduced ? derive::reduced_sheet(model, options) : derive::constrained_sheet(model, options),
        model, options, request);
}

}  // namespace

void add_derive(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand(
      "derive", "Derive the equations of motion: M, bias, gravity, constraints, linear model");
  request->model.add_to(*verb);
  CLI::Option* latex = verb->add_flag("--latex", request->latex, "print LaTeX, to be put into a document");
  verb->add_flag("--document", request->document, "with --latex: a whole document, with its head")
      ->needs(latex);
  verb->add_flag("--json", request->json, "print JSON")->excludes(latex);
  verb->add_flag("--counts", request->counts,
                 "count operations instead (JSON; without friction unless --friction)");
  verb->add_flag("--friction", request->friction, "with --counts: count friction, too");
  verb->add_flag("--canonical", request->canonical,
                 "every element as a sum of sines and cosines of multiple angles");
  CLI::Option* threshold =
      verb->add_option("--abbreviate", request->abbreviate, "canonical form without coefficients below this")
          ->check(numbers(Range::positive()));
  verb->add_option(
          "--budget", request->budget,
          "canonical form, the smallest whose proven torque error stays within the budget of this file")
      ->excludes(threshold);
  verb->add_option("--digits", request->digits,
                   "significant digits of coefficients (0: all; default 6, abbreviated 4)")
      ->check(whole_numbers(Range::between(0, 17)));
  verb->add_flag("--linear", request->linear,
                 "linear model about a point of motion: M, C = d tau/d u, K = d tau/d q");
  verb->add_option(
      "--at", request->at,
      "with --linear: about this point, constraints eliminated: NAME=VALUE,... of coordinates, speeds "
      "(NAME_dot), forces (tau_NAME); or `initial`");
  verb->add_option("--independent", request->independent,
                   "with --linear --at: coordinates and speeds that must be among the independent ones; with "
                   "--kane: speeds")
      ->delimiter(',');
  verb->add_flag("--coriolis", request->coriolis,
                 "instead: C(q, u) of Christoffel's symbols, C u the velocity's products, dM/dt - 2 C skew");
  verb->add_flag("--reduced", request->reduced,
                 "with constraints: in independent speeds, the others eliminated, instead of multipliers");
  verb->add_flag("--kane", request->kane,
                 "step by step as Kane does it: Y, Z, W, X, tables of partial velocities, active and inertia "
                 "forces; with constraints also D, E and the constrained ones");
  verb->add_option("--activate", request->activate, "constraints that the model has switched off, on")
      ->delimiter(',');
  verb->add_option("--release", request->release, "constraints that the model has switched on, off")
      ->delimiter(',');
  CLI::Option* all = verb->add_flag("--keep-parameters", request->keep_parameters, "parameters stay symbols");
  verb->add_option("--keep", request->keep, "these parameters stay symbols")->delimiter(',')->excludes(all);
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
