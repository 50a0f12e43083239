// tactus generate MODEL: the equations as source text.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
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
};

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
                                                    step ? &*step : nullptr}));

  fmt::print("wrote {}\n", path.string());
  for (const algebra::Function& function : functions) {
    const algebra::OperationCount count = generate::operations_of(function);
    fmt::print("  {:<28} {:>5} mul {:>5} add {:>3} div {:>4} trig\n", generate::identifier(function.name),
               count.mul, count.add, count.div, count.trig);
  }
  if (step) fmt::print("  step\n");
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
  std::string footer = "--what knows:\n";
  for (const generate::Word& word : generate::words())
    footer += fmt::format("  {:<20} {}\n", word.name, word.meaning);
  footer += "for models with constraints:\n";
  for (const generate::Word& word : generate::constraint_words())
    footer += fmt::format("  {:<20} {}\n", word.name, word.meaning);
  footer +=
      "Without --what: inverse-dynamics,forward-dynamics,mass-matrix, with constraints "
      "constrained-dynamics,constraints,mass-matrix, without inertia poses,coordinate-rates.\n";
  verb->footer(footer);
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
