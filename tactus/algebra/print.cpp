#include <tactus/algebra/print.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>

namespace tactus::algebra {

namespace {

// How tightly a piece of formula binds; a looser one inside a tighter one needs parentheses.
enum Binding { kSum, kProduct, kPower, kAtom };

struct Piece {
  std::string text;
  Binding binding = kAtom;
  bool is_function = false;  // a LaTeX function without parentheses, after which no factor may follow
};

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max() / 8;

class Printer {
 public:
  Printer(const Graph& graph, Notation notation, PrintOptions options)
      : graph_(graph), latex_(notation == Notation::latex), options_(options) {}

  Formulas print(std::span<const Expr> roots) {
    choose_names(roots);
    Formulas formulas;
    for (const Node* n : named_) {
      const std::string formula = inside(n).text;
      name_[n->id] = temporary_name(++count_);
      formulas.temporaries.push_back({name_[n->id], formula});
    }
    for (const Expr root : roots) formulas.roots.push_back(piece(root.node()).text);
    return formulas;
  }

 private:
  // --- which nodes get names
  // -----------------------------------------------------------------------------------------

  void choose_names(std::span<const Expr> roots) {
    const std::vector<const Node*> nodes = needed_nodes(roots);
    const std::size_t ids = nodes.empty() ? 1 : std::size_t{nodes.back()->id} + 1;
    name_.assign(ids, {});
    std::vector<std::size_t> size(ids, 0);
    std::vector<std::uint32_t> uses(ids, 0);
    const auto sum_of_operands = [&](const Node* n) {
      std::size_t sum = 1;
      for (const Node* x : {n->a, n->b, n->c}) sum += x == nullptr ? 0 : size[x->id];
      return std::min(sum, kHuge);
    };
    const auto is_leaf = [](const Node* n) { return n->op == Op::constant || n->op == Op::symbol; };
    std::size_t longest = 0;
    for (const Node* n : nodes) {
      size[n->id] = is_leaf(n) ? 0 : sum_of_operands(n);
      for (const Node* x : {n->a, n->b, n->c}) {
        if (x != nullptr) ++uses[x->id];
      }
    }
    for (const Expr root : roots) {
      longest = std::max(longest, size[root.id()]);
      ++uses[root.id()];
    }
    if (longest <= options_.longest) return;

    for (const Node* n : nodes) {
      if (is_leaf(n)) continue;
      size[n->id] = sum_of_operands(n);
      // A sign, or the sine of a symbol, is as short as a name.
      const bool short_enough = n->op == Op::neg || (arity(n->op) == 1 && is_leaf(n->a));
      if ((uses[n->id] > 1 && !short_enough) || size[n->id] > options_.longest) {
        named_.push_back(n);
        size[n->id] = 0;
      }
    }
    choose_prefix();
  }

  /// z, unless a symbol already has such a name.
  void choose_prefix() {
    for (bool taken = true; taken;) {
      taken = false;
      for (std::uint32_t k = 0; k < graph_.symbol_count(); ++k) {
        const std::string& symbol = graph_.symbol_name(k);
        taken = taken || (symbol.size() > prefix_.size() && symbol.starts_with(prefix_) &&
                          symbol.find_first_not_of("0123456789", prefix_.size()) == std::string::npos);
      }
      if (taken) prefix_ += "z";
    }
  }

  std::string temporary_name(std::size_t number) const {
    const std::string name = prefix_ + std::to_string(number);
    return latex_ ? latex_name(name) : name;
  }

  // --- formulas
  // --------------------------------------------------------------------------------------------------------

  Piece piece(const Node* n) {
    if (!name_[n->id].empty()) return {name_[n->id]};
    return inside(n);
  }

  bool is_named(const Node* n) const { return !name_[n->id].empty(); }

  /// The formula of a node, even if it has a name.
  Piece inside(const Node* n) {
    switch (n->op) {
      case Op::constant:
        return number(n->value);
      case Op::symbol: {
        const std::string& name = graph_.symbol_name(n->symbol);
        return {latex_ ? latex_name(name) : name};
      }
      case Op::add:
      case Op::sub:
        return sum(n);
      case Op::neg:
        return n->a->op == Op::add || n->a->op == Op::sub || !is_product(n->a) ? sum(n) : product(n);
      case Op::mul:
        return product(n);
      case Op::div:
        return quotient(n);
      case Op::pow:
        return power(n);
      default:
        return function(n);
    }
  }

  static bool is_product(const Node* n) { return n->op == Op::mul; }

  Piece number(double value) const {
    std::string text = print_number(value, latex_ ? Notation::latex : Notation::text, options_.digits);
    const bool composed = text.find("cdot") != std::string::npos;
    return {std::move(text), value < 0.0 ? kSum : composed ? kProduct : kAtom};
  }

  std::string wrapped(const Piece& piece, Binding at_least) const {
    if (piece.binding >= at_least) return piece.text;
    return parenthesised(piece.text);
  }

  std::string parenthesised(const std::string& text) const {
    return latex_ ? "\\left(" + text + "\\right)" : "(" + text + ")";
  }

  /// The sum of a formula's numbers, without the digits that only rounding has made.
  static double added(const std::vector<double>& numbers) {
    if (numbers.size() == 1) return numbers[0];
    double sum = 0.0, largest = 0.0;
    for (const double x : numbers) {
      sum += x;
      largest = std::max(largest, std::abs(x));
    }
    if (numbers.empty() || !std::isfinite(sum)) return sum;
    constexpr double kRounding = 1e-15;
    if (std::abs(sum) <= kRounding * largest) return 0.0;
    const double rounded = std::stod(fmt::format("{:.15g}", sum));
    return std::abs(rounded - sum) <= kRounding * largest ? rounded : sum;
  }

  Piece sum(const Node* n) {
    // The terms from left to right, with their signs.
    struct Term {
      const Node* node;
      bool minus;
    };
    std::vector<Term> terms, stack{{n, false}};
    while (!stack.empty()) {
      const Term top = stack.back();
      stack.pop_back();
      const bool open = top.node == n || !is_named(top.node);
      if (open && top.node->op == Op::add) {
        stack.push_back({top.node->b, top.minus});
        stack.push_back({top.node->a, top.minus});
      } else if (open && top.node->op == Op::sub) {
        stack.push_back({top.node->b, !top.minus});
        stack.push_back({top.node->a, top.minus});
      } else if (open && top.node->op == Op::neg) {
        stack.push_back({top.node->a, !top.minus});
      } else {
        terms.push_back(top);
      }
    }
    // Terms without a sign first, and a number after the others: the sum of all numbers.
    const auto is_number = [](const Term& t) { return t.node->op == Op::constant; };
    const auto numbers = std::stable_partition(terms.begin(), terms.end(), std::not_fn(is_number));
    std::vector<double> constants;
    for (auto term = numbers; term != terms.end(); ++term)
      constants.push_back(term->minus ? -term->node->value : term->node->value);
    terms.erase(numbers, terms.end());
    std::stable_partition(terms.begin(), terms.end(), [](const Term& t) { return !t.minus; });
    const auto first_minus = std::find_if(terms.begin(), terms.end(), [](const Term& t) { return t.minus; });

    std::string text;
    const auto write = [&](const Piece& part, bool minus) {
      if (text.empty()) {
        text = minus ? "-" : "";
      } else {
        text += minus ? " - " : " + ";
      }
      text += wrapped(part, kProduct);
    };
    const double constant = added(constants);
    for (auto term = terms.begin(); term != first_minus; ++term) write(piece(term->node), false);
    if (constant > 0.0) write(number(constant), false);
    for (auto term = first_minus; term != terms.end(); ++term) write(piece(term->node), true);
    if (!(constant >= 0.0)) write(number(-constant), true);
    if (text.empty()) return number(0.0);
    return {text, kSum};
  }

  Piece product(const Node* n) {
    std::vector<const Node*> factors, stack{n};
    bool minus = false;
    while (!stack.empty()) {
      const Node* top = stack.back();
      stack.pop_back();
      const bool open = top == n || !is_named(top);
      if (open && top->op == Op::mul) {
        stack.push_back(top->b);
        stack.push_back(top->a);
      } else if (open && top->op == Op::neg) {
        minus = !minus;
        stack.push_back(top->a);
      } else {
        factors.push_back(top);
      }
    }
    // Numbers, then names, then the rest; equal factors become powers.
    const auto rank = [&](const Node* f) {
      return f->op == Op::constant ? 0 : f->op == Op::symbol || is_named(f) ? 1 : 2;
    };
    std::stable_sort(factors.begin(), factors.end(),
                     [&](const Node* x, const Node* y) { return rank(x) < rank(y); });
    std::string text;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const Node* factor = factors[k];
      if (std::find(factors.begin(), factors.begin() + static_cast<std::ptrdiff_t>(k), factor) !=
          factors.begin() + static_cast<std::ptrdiff_t>(k)) {
        continue;
      }
      const auto times = std::count(factors.begin(), factors.end(), factor);
      const bool after_number = k > 0 && factors[k - 1]->op == Op::constant && factor->op == Op::constant;
      if (!text.empty()) text += !latex_ ? "*" : after_number ? "\\cdot " : "\\,";
      text += factor_text(factor, static_cast<int>(times), k + 1 == factors.size());
    }
    return {minus ? "-" + text : text, minus ? kSum : kProduct};
  }

  std::string factor_text(const Node* n, int exponent, bool is_last) {
    if (exponent > 1) return power_text(n, std::to_string(exponent));
    const Piece part = piece(n);
    if (part.is_function && !is_last) return part.text;
    // In a product a quotient needs no parentheses in LaTeX, where it is a fraction.
    return wrapped(part, part.binding == kProduct && latex_ ? kProduct : kPower);
  }

  std::string power_text(const Node* base, const std::string& exponent) {
    if (latex_ && (base->op == Op::sin || base->op == Op::cos) && !is_named(base)) {
      return std::string(base->op == Op::sin ? "\\sin" : "\\cos") + "^{" + exponent + "}" +
             latex_argument(base->a);
    }
    const std::string text = wrapped(piece(base), kAtom);
    return latex_ ? text + "^{" + exponent + "}" : text + "^" + exponent;
  }

  Piece quotient(const Node* n) {
    if (latex_) return {"\\frac{" + piece(n->a).text + "}{" + piece(n->b).text + "}", kProduct};
    return {wrapped(piece(n->a), kProduct) + "/" + wrapped(piece(n->b), kPower), kProduct};
  }

  Piece power(const Node* n) {
    if (latex_) return {power_text(n->a, piece(n->b).text), kPower};
    return {power_text(n->a, wrapped(piece(n->b), kAtom)), kPower};
  }

  /// " x" for a plain argument, "\left(x + y\right)" for others.
  std::string latex_argument(const Node* x) {
    const Piece argument = piece(x);
    if (argument.binding == kAtom && !argument.is_function) return " " + argument.text;
    return parenthesised(argument.text);
  }

  Piece function(const Node* n) {
    if (!latex_) {
      std::string text = std::string(n->op == Op::select ? "if" : name_of(n->op)) + "(" + piece(n->a).text;
      if (n->b != nullptr) text += ", " + piece(n->b).text;
      if (n->c != nullptr) text += ", " + piece(n->c).text;
      return {text + ")"};
    }
    const auto a = [&] { return piece(n->a).text; };
    switch (n->op) {
      case Op::sqrt:
        return {"\\sqrt{" + a() + "}"};
      case Op::exp:
        return {"e^{" + a() + "}", kPower};
      case Op::abs:
        return {"\\left|" + a() + "\\right|"};
      case Op::floor:
        return {"\\left\\lfloor " + a() + "\\right\\rfloor"};
      case Op::select:
        return {"\\begin{cases}" + piece(n->b).text + " & " + a() + " \\ge 0 \\\\ " + piece(n->c).text +
                " & \\text{otherwise}\\end{cases}"};
      case Op::atan2:
      case Op::min:
      case Op::max: {
        const std::string name = n->op == Op::atan2 ? "\\operatorname{atan2}"
                                 : n->op == Op::min ? "\\min"
                                                    : "\\max";
        return {name + parenthesised(a() + ",\\, " + piece(n->b).text)};
      }
      default:
        break;
    }
    std::string name = "\\" + std::string(name_of(n->op));
    if (n->op == Op::asin) name = "\\arcsin";
    if (n->op == Op::acos) name = "\\arccos";
    if (n->op == Op::atan) name = "\\arctan";
    if (n->op == Op::sign) name = "\\operatorname{sgn}";
    const std::string argument = latex_argument(n->a);
    return {name + argument, argument[0] == ' ' ? kPower : kAtom, true};
  }

  const Graph& graph_;
  const bool latex_;
  const PrintOptions options_;
  std::vector<std::string> name_;
  std::vector<const Node*> named_;
  std::string prefix_ = "z";
  std::size_t count_ = 0;
};

std::string one(Expr root, const Graph& graph, Notation notation, PrintOptions options) {
  const Formulas formulas = print(std::span(&root, 1), graph, notation, options);
  std::string text = formulas.roots.front();
  const char* separator = notation == Notation::latex ? ",\\quad\\text{where } " : ", where ";
  for (const Formulas::Definition& temporary : formulas.temporaries) {
    text += separator + temporary.name + " = " + temporary.formula;
    separator = notation == Notation::latex ? ",\\; " : ", ";
  }
  return text;
}

}  // namespace

std::string print_number(double value, Notation notation, int digits) {
  if (notation == Notation::latex && !std::isfinite(value)) {
    return std::isnan(value) ? "\\mathrm{NaN}" : value < 0.0 ? "-\\infty" : "\\infty";
  }
  std::string text = digits > 0 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{}", value);
  const std::size_t e = text.find('e');
  if (notation == Notation::text || e == std::string::npos) return text;
  const std::string mantissa = text.substr(0, e),
                    power = fmt::format("10^{{{}}}", std::stoi(text.substr(e + 1)));
  if (mantissa == "1") return power;
  if (mantissa == "-1") return "-" + power;
  return mantissa + "\\cdot " + power;
}

Formulas print(std::span<const Expr> roots, const Graph& graph, Notation notation, PrintOptions options) {
  return Printer(graph, notation, options).print(roots);
}

std::string to_text(Expr root, const Graph& graph, PrintOptions options) {
  return one(root, graph, Notation::text, options);
}

std::string to_latex(Expr root, const Graph& graph, PrintOptions options) {
  return one(root, graph, Notation::latex, options);
}

}  // namespace tactus::algebra
