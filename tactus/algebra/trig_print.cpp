#include <tactus/algebra/trig_form.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace tactus::algebra {
namespace {

/// Words of the target language.
struct Notation {
  bool latex = false;

  std::string name(const std::string& symbol) const {
    if (!latex) return symbol;
    // shoulder_dot -> \dot{...}; q2 -> q_{2}; anything longer stands upright.
    const auto ends_with = [&](std::string_view end) {
      return symbol.ends_with(end) && symbol.size() > end.size();
    };
    if (ends_with("_dot")) return "\\dot{" + name(symbol.substr(0, symbol.size() - 4)) + "}";
    std::size_t digits = symbol.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(symbol[digits - 1]))) --digits;
    std::string stem = symbol.substr(0, digits), index = symbol.substr(digits);
    if (stem.ends_with('_')) stem.pop_back();
    std::string escaped;
    for (const char c : stem) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
    if (escaped.size() > 1) escaped = "\\mathrm{" + escaped + "}";
    return index.empty() || escaped.empty() ? escaped + index : escaped + "_{" + index + "}";
  }
  std::string function(bool sine, const std::string& argument) const {
    if (latex) return fmt::format("\\{}({})", sine ? "sin" : "cos", argument);
    return fmt::format("{}({})", sine ? "sin" : "cos", argument);
  }
  std::string power(const std::string& base, int n) const {
    if (n == 1) return base;
    return latex ? fmt::format("{}^{{{}}}", base, n) : fmt::format("{}^{}", base, n);
  }
  std::string space() const { return latex ? "\\," : " "; }
};

std::string number(double x, int digits, const Notation& notation) {
  std::string text = fmt::format("{:.{}g}", x, digits);
  const std::size_t e = text.find('e');
  if (notation.latex && e != std::string::npos) {
    return fmt::format("{}\\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
  }
  return text;
}

std::string print(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph, int digits,
                  const Notation& notation) {
  if (p.is_zero()) return "0";
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

  std::string text;
  const auto append = [&](double coefficient, const std::vector<std::string>& factors) {
    if (coefficient == 0.0) return;
    const std::string value = number(std::fabs(coefficient), digits, notation);
    if (text.empty()) {
      text += coefficient < 0.0 ? "-" : "";
    } else {
      text += coefficient < 0.0 ? " - " : " + ";
    }
    const bool show = value != "1" || factors.empty();
    if (show) text += value;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (show || i > 0) text += notation.space();
      text += factors[i];
    }
  };
  for (const TrigTerm& term : terms) {
    std::vector<std::string> factors;
    for (std::size_t i = 0; i < variables.variables().size(); ++i) {
      const std::string& name = graph.symbol_name(variables.variables()[i]);
      if (term.key.e[i] > 0) factors.push_back(notation.power(notation.name(name), term.key.e[i]));
    }
    if (!term.key.has_angle()) {
      append(term.c, factors);
      continue;
    }
    std::string argument;
    for (std::size_t i = 0; i < variables.angles().size(); ++i) {
      const int n = term.key.k[i];
      if (n == 0) continue;
      if (argument.empty()) {
        argument += n < 0 ? "-" : "";
      } else {
        argument += n < 0 ? " - " : " + ";
      }
      if (std::abs(n) != 1) argument += fmt::format("{}{}", std::abs(n), notation.space());
      argument += notation.name(graph.symbol_name(variables.angles()[i]));
    }
    factors.push_back(notation.function(false, argument));
    append(term.c, factors);
    factors.back() = notation.function(true, argument);
    append(term.s, factors);
  }
  return text;
}

}  // namespace

std::string to_text(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph, int digits) {
  return print(p, variables, graph, digits, Notation{});
}

std::string to_latex(const TrigPolynomial& p, const TrigVariables& variables, const Graph& graph,
                     int digits) {
  return print(p, variables, graph, digits, Notation{.latex = true});
}

}  // namespace tactus::algebra
