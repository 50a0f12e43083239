// The forms in which functions are written as text, in one table: what `tactus generate --lang` knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tactus/algebra/function.h>

namespace tactus::generate {

struct StepProgram;  // source.h

struct FormOptions {
  std::string name;                   // an identifier: of the file, the namespace, or the prefix
  std::string title;                  // the model's name
  std::string about;                  // the model's name and description, one line
  const StepProgram* step = nullptr;  // of source languages: also a whole step of the integrator
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
