// tactus check MODEL: is the model sound, and what does it say?
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/collide/scene.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/describe/check/guard.h>
#include <tactus/describe/words/report.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/dynamics.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;

Json as_json(const derive::Mobility& m) {
  Json errors = Json::array();
  for (const derive::Mobility::Error& error : m.errors)
    errors.push_back({{"row", error.row}, {"position", error.position}, {"velocity", error.velocity}});
  return {{"assembled", m.assembled},
          {"speeds", m.speeds},
          {"rows", m.rows},
          {"rank", m.rank},
          {"rank_nearby", m.rank_nearby},
          {"freedoms", m.freedoms()},
          {"redundant", m.redundant},
          {"singular", m.singular},
          {"impossible", m.impossible},
          {"driven", m.driven},
          {"errors", errors}};
}

/// Where a few of Newton's steps do not meet the constraints, assembly tries harder: the mobility becomes
/// that of the configuration it finds, or it says what cannot be met.
std::optional<InputError> assembled(const derive::Equations& equations, derive::Mobility& mobility) {
  if (mobility.assembled && mobility.impossible.empty()) return std::nullopt;
  const describe::Model& model = equations.model();
  const simulate::Dynamics dynamics =
      simulate::compile(equations, std::nullopt, generate::Backend::interpreter);
  try {
    const simulate::State state = simulate::assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
    std::vector<derive::Mobility::Error> errors = std::move(mobility.errors);
    mobility = derive::mobility(equations, 0.0, state.q, state.u);
    mobility.errors = std::move(errors);
  } catch (const InputError& error) {
    return error;
  }
  return std::nullopt;
}

void check(const ModelChoice& choice, bool json) {
  const describe::Model model = choice.load();
  if (!model.contact.pairs.empty()) collide::Scene{model};  // refuses meshes that cannot touch
  if (model.constraints.empty()) {
    std::fputs((json ? describe::report_json(model) + "\n" : describe::report_text(model)).c_str(), stdout);
    return;
  }
  const derive::Equations equations(model);
  std::vector<std::string> rows;
  for (const derive::ConstraintRow& row : equations.constraint_rows()) rows.push_back(row.label);
  describe::require_force_rows(model, rows);
  derive::Mobility mobility = derive::mobility(equations);
  const std::optional<InputError> refused = assembled(equations, mobility);
  if (json) {
    Json report = Json::parse(describe::report_json(model));
    report["mobility"] = as_json(mobility);
    std::puts(report.dump(2).c_str());
  } else {
    std::fputs(
        (describe::report_text(model) + "\nMobility at the initial state\n" + derive::mobility_text(mobility))
            .c_str(),
        stdout);
  }
  if (refused) throw *refused;
}

}  // namespace

void add_check(CLI::App& program) {
  struct Options {
    ModelChoice model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* verb =
      program.add_subcommand("check", "Read a model: its tree, freedoms, parameters, constraints, warnings");
  options->model.add_to(*verb);
  verb->add_flag("--json", options->json, "print JSON");
  verb->callback([options] { check(options->model, options->json); });
}

}  // namespace tactus::apps
