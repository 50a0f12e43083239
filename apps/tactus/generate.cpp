// tactus generate MODEL: the equations, and controllers, as source text.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/control/arm/controller_source.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/latex_symbols.h>
#include <tactus/derive/readable/sheet.h>
#include <tactus/generate/requests.h>
#include <tactus/generate/source.h>
#include <tactus/simulate/constraints/emitted_step.h>

#include "options.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

namespace fs = std::filesystem;

struct Request {
  ModelChoice model;
  std::vector<std::string> what;  // empty: the motion's equations
  std::string language = "cpp";
  std::string out = ".";
  std::string name;
  bool keep_parameters = false;
  // Of controllers.
  std::string poles, gains, force_gains, weights;
  std::vector<std::string> lead;
  double period = 2e-3, force_filter = 1.0, abbreviate = 0.0;
  bool no_limits = false;
};

control::ControllerSettings settings_of(const Request& request) {
  control::ControllerSettings settings;
  settings.arm.period = settings.projected.period = request.period;
  settings.arm.limits = !request.no_limits;
  settings.arm.abbreviate = request.abbreviate;
  settings.projected.led = request.lead;
  settings.projected.filter = request.force_filter;
  if (!request.poles.empty()) {
    const std::vector<double> all = listed_numbers("--poles", request.poles, 0, ListedUnit::none);
    if (all.size() % 2 != 0)
      throw InputError({}, fmt::format("--poles {}: {} numbers", request.poles, all.size()),
                       "give RE,IM for all joints, or such a pair for each");
    settings.arm.poles.clear();
    for (std::size_t i = 0; i < all.size(); i += 2)
      settings.arm.poles.push_back(control::PolePair::complex(all[i], all[i + 1]));
  }
  if (!request.gains.empty()) {
    const std::vector<double> pair = listed_numbers("--gains", request.gains, 2, ListedUnit::none);
    settings.projected.G_P = pair[0];
    settings.projected.G_D = pair[1];
  }
  if (!request.force_gains.empty()) {
    const std::vector<double> pair =
        listed_numbers("--force-gains", request.force_gains, 2, ListedUnit::none);
    settings.projected.G_F = pair[0];
    settings.projected.G_I = pair[1];
  }
  if (!request.weights.empty())
    settings.projected.weight = listed_numbers("--weights", request.weights, 0, ListedUnit::none);
  return settings;
}

/// Takes the controllers out of what is asked for.
std::vector<generate::SourceProgram> controllers_of(const Request& request, const describe::Model& model,
                                                    std::vector<std::string>& what) {
  std::vector<generate::SourceProgram> programs;
  for (const std::string& word : what) {
    if (!control::is_controller(word)) continue;
    generate::SourceProgram program = control::controller_program(model, word, settings_of(request));
    if (std::none_of(programs.begin(), programs.end(),
                     [&](const generate::SourceProgram& other) { return other.name == program.name; }))
      programs.push_back(std::move(program));
  }
  std::erase_if(what, [](const std::string& word) { return control::is_controller(word); });
  if (programs.empty()) {
    for (const auto& [option, given] : {std::pair{"--poles", !request.poles.empty()},
                                        {"--lead", !request.lead.empty()},
                                        {"--gains", !request.gains.empty()},
                                        {"--weights", !request.weights.empty()},
                                        {"--force-gains", !request.force_gains.empty()},
                                        {"--abbreviate", request.abbreviate > 0.0},
                                        {"--no-limits", request.no_limits}})
      if (given)
        throw InputError({}, fmt::format("{} is of controllers, and none is asked for", option),
                         "add --what controller:pole-placement, say");
    return programs;
  }
  if (request.language == "latex")
    throw InputError({}, "a controller is a program, not a formula", "take --lang cpp or c");
  if (request.keep_parameters)
    throw InputError({}, "a controller has the model's numbers in it", "leave out --keep-parameters");
  return programs;
}

void print_counts(const std::vector<algebra::Function>& functions) {
  for (const algebra::Function& function : functions) {
    const algebra::OperationCount count = generate::operations_of(function);
    fmt::print("  {:<28} {:>5} mul {:>5} add {:>3} div {:>4} trig\n", generate::identifier(function.name),
               count.mul, count.add, count.div, count.trig);
  }
}

/// The folder is made where it is missing.
void require_folder(const std::string& folder) {
  std::error_code error;
  const std::string remedy = "--out names a folder for the source";
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw InputError({folder}, "this is a file, not a folder", remedy);
  fs::create_directories(folder, error);
  if (error) throw InputError({folder}, "the folder cannot be written: " + error.message(), remedy);
}

void run(const Request& request) {
  const describe::Model model = request.model.load();
  const algebra::LatexNames names = derive::latex_symbols(model);
  const algebra::LatexNames::Scope scope(names);
  derive::Options options;
  options.keep_parameters = request.keep_parameters;
  const derive::Equations equations(model, options);
  std::vector<std::string> what = without_repetition(request.what);
  if (what.empty() && describe::missing_inertia(model))
    what = {"poses", "coordinate-rates"};
  else if (what.empty() && equations.constraint_rows().empty())
    what = {"inverse-dynamics", "forward-dynamics", "mass-matrix"};
  else if (what.empty())
    what = {"constrained-dynamics", "constraints", "mass-matrix"};
  const generate::Form* form = generate::find_form(request.language);
  if (form == nullptr) throw InputError({}, "there is no language `" + request.language + "`");
  std::optional<generate::StepProgram> step;
  if (std::erase(what, "step") > 0) {
    if (request.language == "latex")
      throw InputError({}, "`step` is a program, not a formula", "take --lang cpp or c");
    step = simulate::step_program(equations);
  }
  const std::vector<generate::SourceProgram> controllers = controllers_of(request, model, what);
  const std::vector<algebra::Function> functions =
      generate::requested_functions(equations, what, simulate::independent_rows(model));

  std::string name = request.name.empty() ? model.name : request.name;
  if (name.empty()) name = fs::path(request.model.path).stem().string();
  name = generate::identifier(name);
  const std::string about = model.description.empty() ? model.name : model.name + ", " + model.description;

  const fs::path path = fs::path(request.out) / (name + std::string(form->suffix));
  require_distinct_files(request.model.files(model), {{"the generated source", path.string()}});
  require_folder(request.out);
  write_file(path.string(), form->write(functions, {name, model.name, about,
                                                    derive::latex_of(derive::symbols_of(model, options)),
                                                    step ? &*step : nullptr, controllers}));

  fmt::print("wrote {}\n", path.string());
  print_counts(functions);
  if (step) fmt::print("  step\n");
  for (const generate::SourceProgram& controller : controllers) {
    print_counts(controller.functions);
    fmt::print("  {}\n", controller.name);
  }
}

}  // namespace

void add_generate(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand("generate", "Write the equations as C++, C or LaTeX");
  request->model.add_to(*verb);
  verb->add_option("--what", request->what, "what to write, separated by commas (listed below)")
      ->delimiter(',');
  std::vector<std::string> languages, meanings;
  for (const generate::Form& form : generate::forms()) {
    languages.emplace_back(form.word);
    meanings.push_back(fmt::format("{}: {}", form.word, form.meaning));
  }
  verb->add_option("--lang", request->language, fmt::format("{}", fmt::join(meanings, "; ")))
      ->check(CLI::IsMember(languages))
      ->capture_default_str();
  verb->add_option("--out", request->out, "folder to write to, made if it is missing")->capture_default_str();
  verb->add_option("--name", request->name, "file name and namespace (C: prefix); default: the model's name");
  verb->add_flag("--keep-parameters", request->keep_parameters,
                 "the model's parameters become an input instead of numbers");
  const char* group = "Controllers";
  verb->add_option("--poles", request->poles,
                   "RE,IM of the joints' errors [1/s], for all or a pair for each; -12,45")
      ->group(group);
  verb->add_option("--period", request->period, "of a loop that is sampled [s]")
      ->check(numbers(Range::positive()))
      ->capture_default_str()
      ->group(group);
  verb->add_flag("--no-limits", request->no_limits, "forces are not cut at the actuators' limits")
      ->group(group);
  verb->add_option(
          "--abbreviate", request->abbreviate,
          "coefficients of the links below this are left out of pole placement and computed torque; 0.01, "
          "say")
      ->check(numbers(Range::positive()))
      ->group(group);
  verb->add_option("--lead", request->lead,
                   "coordinates that pidc, hybrid and passive lead, separated by commas")
      ->delimiter(',')
      ->group(group);
  verb->add_option("--gains", request->gains, "G_P,G_D of what is led [1/s^2, 1/s]; 25,10")->group(group);
  verb->add_option("--weights", request->weights,
                   "of the joints' forces, such as their limits: least is the sum of (force/weight)^2")
      ->group(group);
  verb->add_option("--force-gains", request->force_gains, "G_F,G_I of hybrid [1, 1/s]; 0,0")->group(group);
  verb->add_option("--force-filter", request->force_filter, "of hybrid: the part of a new error that counts")
      ->check(numbers(Range::between(0.0, 1.0)))
      ->capture_default_str()
      ->group(group);
  std::string footer = "--what knows:\n";
  for (const generate::Word& word : generate::words())
    footer += fmt::format("  {:<20} {}\n", word.name, word.meaning);
  footer += "for models with constraints:\n";
  for (const generate::Word& word : generate::constraint_words())
    footer += fmt::format("  {:<20} {}\n", word.name, word.meaning);
  footer += "controllers, for a microcontroller or another real-time loop (C++ and C):\n";
  for (const generate::Word& word : control::controller_words())
    footer += fmt::format("  {:<20} {}\n", word.name, word.meaning);
  footer +=
      "Without --what: inverse-dynamics,forward-dynamics,mass-matrix, with constraints "
      "constrained-dynamics,constraints,mass-matrix, without inertia poses,coordinate-rates.\n";
  verb->footer(footer);
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
