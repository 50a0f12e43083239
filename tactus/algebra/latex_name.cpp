#include <algorithm>
#include <array>
#include <cctype>

#include <tactus/algebra/print.h>

namespace tactus::algebra {

namespace {

bool is_greek(std::string_view word) {
  constexpr std::array<std::string_view, 34> kLetters = {
      "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
      "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
      "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
      "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"};
  return std::find(kLetters.begin(), kLetters.end(), word) != kLetters.end();
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// A letter, a Greek letter, or an upright word.
std::string word_in_latex(std::string_view word) {
  if (is_greek(word)) return "\\" + std::string(word);
  if (word.size() == 1 && std::isalpha(static_cast<unsigned char>(word[0]))) return std::string(word);
  return "\\mathrm{" + escaped(word) + "}";
}

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.size() > suffix.size() && name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size())
                                                               : std::string_view{};
}

}  // namespace

std::string latex_name(std::string_view name) {
  // Rates of one letter: udot, qddot.
  if (std::isalpha(static_cast<unsigned char>(name.empty() ? ' ' : name[0])) != 0) {
    if (name.substr(1) == "dot") return std::string("\\dot{") + name[0] + "}";
    if (name.substr(1) == "ddot") return std::string("\\ddot{") + name[0] + "}";
  }
  std::string accent;
  for (const auto& [suffix, command] : {std::pair<std::string_view, const char*>{"_ddot", "\\ddot"},
                                        std::pair<std::string_view, const char*>{"_dot", "\\dot"}}) {
    if (const std::string_view stem = without_suffix(name, suffix); !stem.empty()) {
      accent = command;
      name = stem;
      break;
    }
  }
  // The stem, then an index: after an underscore, or the digits at its end.
  const std::size_t underscore = name.find('_', 1);
  std::string_view stem = name.substr(0, underscore);
  std::string index;
  std::size_t digits = stem.size();
  while (digits > 1 && std::isdigit(static_cast<unsigned char>(stem[digits - 1]))) --digits;
  if (digits < stem.size() && std::isalpha(static_cast<unsigned char>(stem[digits - 1]))) {
    index = stem.substr(digits);
    stem = stem.substr(0, digits);
  }
  if (underscore != std::string_view::npos && underscore + 1 < name.size()) {
    const std::string_view rest = name.substr(underscore + 1);
    const bool number =
        std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!index.empty()) index += ",";
    index += number ? std::string(rest) : latex_name(rest);
  }
  std::string result = word_in_latex(stem);
  if (!accent.empty()) result = accent + "{" + result + "}";
  if (!index.empty()) result += "_{" + index + "}";
  return result;
}

}  // namespace tactus::algebra
