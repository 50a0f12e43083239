#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>

namespace tactus::algebra {
namespace {

class Printer {
 public:
  Printer(const TrigVariables& variables, const Graph& graph, Notation notation, int digits)
      : variables_(variables), graph_(graph), notation_(notation), digits_(digits) {}

  std::string print(const TrigPolynomial& p) const {
    std::string text;
    const auto append = [&](double coefficient, const std::vector<std::string>& factors) {
      if (coefficient == 0.0) return;
      if (text.empty()) {
        text += coefficient < 0.0 ? "-" : "";
      } else {
        text += coefficient < 0.0 ? " - " : " + ";
      }
      const std::string value = print_number(std::fabs(coefficient), notation_, digits_);
      const bool shown = value != "1" || factors.empty();
      if (shown) text += value;
      for (std::size_t i = 0; i < factors.size(); ++i) text += (shown || i > 0 ? times() : "") + factors[i];
    };
    for (const TrigTerm& term : in_reading_order(p)) {
      std::vector<std::string> factors;
      for (std::size_t i = 0; i < variables_.variables().size(); ++i) {
        if (term.key.e[i] > 0) factors.push_back(power(name(variables_.variables()[i]), term.key.e[i]));
      }
      if (!term.key.has_angle()) {
        append(term.c, factors);
        continue;
      }
      const std::string argument = phase(term.key);
      factors.push_back(function("cos", argument));
      append(term.c, factors);
      factors.back() = function("sin", argument);
      append(term.s, factors);
    }
    return text.empty() ? "0" : text;
  }

 private:
  /// Lower powers first, then lower harmonics.
  static std::vector<TrigTerm> in_reading_order(const TrigPolynomial& p) {
    std::vector<TrigTerm> terms = p.terms();
    const auto rank = [](const TrigKey& key) {
      int powers = 0, harmonics = 0;
      for (const auto n : key.e) powers += n;
      for (const auto n : key.k) harmonics += std::abs(static_cast<int>(n));
      return std::pair(powers, harmonics);
    };
    std::stable_sort(terms.begin(), terms.end(), [&](const TrigTerm& x, const TrigTerm& y) {
      const auto [px, hx] = rank(x.key);
      const auto [py, hy] = rank(y.key);
      if (px != py) return px < py;
      if (x.key.e != y.key.e) return x.key.e > y.key.e;
      if (hx != hy) return hx < hy;
      return x.key.k > y.key.k;
    });
    return terms;
  }

  bool latex() const { return notation_ == Notation::latex; }
  std::string times() const { return latex() ? "\\," : "*"; }
  std::string name(Expr symbol) const {
    const std::string& plain = graph_.symbol_name(symbol);
    return latex() ? latex_name(plain) : plain;
  }
  std::string power(const std::string& base, int n) const {
    if (n == 1) return base;
    return latex() ? fmt::format("{}^{{{}}}", base, n) : fmt::format("{}^{}", base, n);
  }
  std::string function(const char* of, const std::string& argument) const {
    const bool one_symbol = argument.find_first_of(" ,") == std::string::npos && !argument.starts_with('-');
    if (latex() && one_symbol) return fmt::format("\\{} {}", of, argument);
    return latex() ? fmt::format("\\{}({})", of, argument) : fmt::format("{}({})", of, argument);
  }
  std::string phase(const TrigKey& key) const {
    std::string text;
    for (std::size_t i = 0; i < variables_.angles().size(); ++i) {
      const int n = key.k[i];
      if (n == 0) continue;
      if (text.empty()) {
        text += n < 0 ? "-" : "";
      } else {
        text += n < 0 ? " - " : " + ";
      }
      if (std::abs(n) != 1) text += std::to_string(std::abs(n)) + times();
      text += name(variables_.angles()[i]);
    }
    return text;
  }

  const TrigVariables& variables_;
  const Graph& graph_;
  Notation notation_;
  int digits_;
};

}  // namespace

std::string to_text(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph, int digits) {
  return Printer(variables, graph, Notation::text, digits).print(p);
}

std::string to_latex(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph,
                     int digits) {
  return Printer(variables, graph, Notation::latex, digits).print(p);
}

}  // namespace tactus::algebra
