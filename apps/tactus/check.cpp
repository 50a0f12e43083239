// tactus check MODEL: is the model sound, and what does it say?
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/contact/examine.h>
#include <tactus/describe/words/report.h>

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

void check(const ModelChoice& choice, bool json) {
  const describe::Model model = choice.load();
  const contact::Examination found = contact::examine(model);
  if (json) {
    Json report = Json::parse(describe::report_json(model));
    if (found.mobility) report["mobility"] = as_json(*found.mobility);
    std::puts(report.dump(2).c_str());
  } else {
    std::string text = describe::report_text(model);
    if (found.mobility) text += "\nMobility at the initial state\n" + derive::mobility_text(*found.mobility);
    std::fputs(text.c_str(), stdout);
  }
  if (found.refused) throw *found.refused;
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
