// tactus check MODEL: is the model sound, and what does it say?
#include <cstdio>
#include <memory>
#include <string>

#include <tactus/describe/load.h>
#include <tactus/describe/report.h>

#include "verbs.h"

namespace tactus::apps {

void add_check(CLI::App& program) {
  struct Options {
    std::string model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* verb = program.add_subcommand("check", "Read a model: its tree, freedoms, parameters, warnings");
  verb->add_option("MODEL", options->model, "model file (YAML or URDF)")->required();
  verb->add_flag("--json", options->json, "print JSON");
  verb->callback([options] {
    const describe::Model model = describe::load(options->model);
    std::fputs((options->json ? describe::report_json(model) + "\n" : describe::report_text(model)).c_str(),
               stdout);
  });
}

}  // namespace tactus::apps
