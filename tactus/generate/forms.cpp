#include <tactus/generate/requests.h>

#include <tactus/generate/dialect.h>
#include <tactus/generate/latex.h>
#include <tactus/generate/source.h>

namespace tactus::generate {

namespace {

template <Language language>
std::string source(std::span<const algebra::Function> functions, const FormOptions& options) {
  return write_source(functions, {language, options.name, options.about, options.step, options.programs});
}

std::string latex(std::span<const algebra::Function> functions, const FormOptions& options) {
  return write_latex(functions, {.document = true, .title = options.title, .symbols = options.symbols});
}

}  // namespace

std::span<const Form> forms() {
  static const Form kForms[] = {
      {"cpp", "one C++17 header", suffix_of(Language::cpp), source<Language::cpp>},
      {"c", "one C99 header", suffix_of(Language::c), source<Language::c>},
      {"latex", "a document", ".tex", latex},
  };
  return kForms;
}

const Form* find_form(std::string_view word) {
  for (const Form& form : forms())
    if (form.word == word) return &form;
  return nullptr;
}

}  // namespace tactus::generate
