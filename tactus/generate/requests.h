// What a user asks to have generated, and in which form: what `tactus generate --what` and `--lang` know.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::generate {

/// The words that may be asked for, with what they mean: {"inverse-dynamics", "tau = ..."}, ...
struct Word {
  std::string name;  // "jacobian:FRAME" for those that take a frame's name
  std::string meaning;
};
const std::vector<Word>& words();
/// Those for models with constraints.
const std::vector<Word>& constraint_words();

/// The functions asked for, in order. Blocks are as in equations.h, without t where nothing depends on it. Of a model with
/// constraints, those that leave the constraints out say so in their names: forward_dynamics_open_tree. `rows`: of the
/// constraints, those that constrained dynamics takes (independent ones, simulate::independent_rows(); empty: all).
/// Throws InputError for words and frames that do not exist.
std::vector<algebra::Function> requested_functions(const derive::Equations& equations,
                                                   std::span<const std::string> requests,
                                                   const std::vector<bool>& rows = {});

// The forms in which functions are written as text, in one table.

struct StepProgram;    // source.h
struct SourceProgram;  // source.h

struct FormOptions {
  std::string name;                              // an identifier: of the file, the namespace, or the prefix
  std::string title;                             // the model's name
  std::string about;                             // the model's name and description, one line
  std::string symbols = {};                      // of LaTeX: the list of symbols (derive::latex_of)
  const StepProgram* step = nullptr;             // of source languages: also a whole step of the integrator
  std::span<const SourceProgram> programs = {};  // of source languages: and these
};

struct Form {
  std::string_view word;     // on the command line
  std::string_view meaning;  // "one C++17 header"
  std::string_view suffix;   // of the file's name
  std::string (*write)(std::span<const algebra::Function> functions, const FormOptions& options);
};

std::span<const Form> forms();
/// nullptr where there is none of that name.
const Form* find_form(std::string_view word);

}  // namespace tactus::generate
