#include <tactus/derive/readable/formula_writer.h>

#include <algorithm>
#include <utility>

#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/derive/readable/shortest_form.h>

namespace tactus::derive {

namespace {

/// Operations of one formula that shares temporaries: about a line.
constexpr std::size_t kLine = 12;
/// [characters] Of a factor, which stands in one line.
constexpr std::size_t kUnbroken = 80;
/// Numbers in shared terms are used again: with fewer digits sums of them would not be what they should.
constexpr int kSharedDigits = 10;

bool is_sum(const std::string& formula) {
  int depth = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (depth == 0 && (formula.compare(i, 3, " + ") == 0 || formula.compare(i, 3, " - ") == 0)) return true;
  }
  return false;
}

void join(std::string& sum, const std::string& term) {
  if (sum.empty()) {
    sum = term;
  } else {
    sum += term.starts_with("-") ? " - " + term.substr(1) : " + " + term;
  }
}

/// The signs of a notation.
struct Signs {
  const char *times, *open, *close;
};

std::string product(const std::string& factor, const std::string& what, const Signs& signs, bool minus) {
  if (factor == "1" || factor == "-1") return (factor == "1") != minus ? what : "-" + what;
  if (is_sum(factor)) return (minus ? "-" : "") + (signs.open + factor) + signs.close + signs.times + what;
  if (minus && factor.starts_with("-")) return factor.substr(1) + signs.times + what;
  return (minus ? "-" : "") + factor + signs.times + what;
}

}  // namespace

std::size_t FormulaWriter::add(std::vector<Expr> forms, bool factor) {
  formulas_.push_back({std::move(forms), factor});
  return formulas_.size() - 1;
}

SheetSection FormulaWriter::write() {
  ShortestForm form(graph_, digits_);
  written_.resize(formulas_.size());
  std::vector<Expr> roots;
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < formulas_.size(); ++k) {
    const auto& [forms, factor] = formulas_[k];
    bool readable = false;
    for (const Expr one : forms) {
      WrittenEquation equation;
      if (!form.write(one, equation) || (factor && equation.text.size() > kUnbroken)) continue;
      if (readable && equation.text.size() >= written_[k].text.size()) continue;
      written_[k] = std::move(equation);
      readable = true;
    }
    if (readable) continue;
    roots.push_back(*std::min_element(forms.begin(), forms.end(),
                                      [](Expr a, Expr b) { return algebra::cost(a) < algebra::cost(b); }));
    at.push_back(k);
  }
  SheetSection where{"where", "shared terms", {}};
  if (roots.empty()) return where;
  const algebra::PrintOptions options{.digits = digits_ == 0 ? 0 : std::max(digits_, kSharedDigits),
                                      .longest = kLine};
  const algebra::Formulas text = algebra::print(roots, graph_, algebra::Notation::text, options);
  const algebra::Formulas latex = algebra::print(roots, graph_, algebra::Notation::latex, options);
  for (std::size_t n = 0; n < text.temporaries.size(); ++n)
    where.equations.push_back({text.temporaries[n].name,
                               latex.temporaries[n].name,
                               text.temporaries[n].formula,
                               latex.temporaries[n].formula,
                               {}});
  for (std::size_t n = 0; n < at.size(); ++n) {
    written_[at[n]].text = text.roots[n];
    written_[at[n]].latex = latex.roots[n];
  }
  return where;
}

void WrittenSum::add(const WrittenEquation& factor, const std::string& what, const std::string& latex_what,
                     bool minus) {
  join(text_, product(factor.text, what, {"*", "(", ")"}, minus));
  join(latex_, product(factor.latex, latex_what, {"\\,", "\\left(", "\\right)"}, minus));
}

void WrittenSum::add(const WrittenEquation& formula) {
  join(text_, formula.text);
  join(latex_, formula.latex);
}

}  // namespace tactus::derive
