#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include <tactus/algebra/latex_names.h>
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

thread_local const LatexNames* current_names = nullptr;

/// The letter with an index of digits.
bool is_element(std::string_view latex, std::string_view letter) {
  if (!latex.starts_with(letter) || !latex.ends_with("}")) return false;
  latex.remove_prefix(letter.size());
  if (!latex.starts_with("_{")) return false;
  const std::string_view index = latex.substr(2, latex.size() - 3);
  return std::all_of(index.begin(), index.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Shared terms are z_{1}, multipliers \lambda_{1}: no other name looks like one of them, nor like one of the letters.
bool looks_made(std::string_view latex, const std::vector<std::string>& letters) {
  return is_element(latex, "z") || is_element(latex, "\\lambda") ||
         std::any_of(letters.begin(), letters.end(),
                     [&](const std::string& letter) { return latex == letter || is_element(latex, letter); });
}

}  // namespace

LatexNames::LatexNames(const std::vector<std::string>& names, const std::vector<std::string>& letters) {
  const LatexNames* const outer = std::exchange(current_names, nullptr);  // each by itself
  std::map<std::string, std::vector<std::string>> by_symbol;
  for (const std::string& name : names) by_symbol[latex_name(name)].push_back(name);
  current_names = outer;
  for (auto& [symbol, all] : by_symbol) {
    std::sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    for (const std::string& name : all)
      if (name != all.front() || looks_made(symbol, letters)) literal_.insert(name);
  }
}

LatexNames::Scope::Scope(const LatexNames& names) : previous_(std::exchange(current_names, &names)) {}
LatexNames::Scope::~Scope() { current_names = previous_; }

bool LatexNames::is_literal(std::string_view name) {
  return current_names != nullptr && current_names->literal_.contains(std::string(name));
}

std::string latex_name(std::string_view name) {
  const bool literal = LatexNames::is_literal(name);
  // Rates of one letter: udot, qddot.
  if (!literal && std::isalpha(static_cast<unsigned char>(name.empty() ? ' ' : name[0])) != 0) {
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
  if (literal) {
    const std::string word = "\\mathrm{" + escaped(name) + "}";
    return accent.empty() ? word : accent + "{" + word + "}";
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
