#include <tactus/algebra/trig_form.h>

#include <algorithm>
#include <cmath>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/factor.h>
#include <tactus/base/check.h>

namespace tactus::algebra {
namespace {

std::optional<std::size_t> slot_of(std::vector<Expr>& symbols, Expr symbol) {
  const auto it = std::find(symbols.begin(), symbols.end(), symbol);
  if (it != symbols.end()) return static_cast<std::size_t>(it - symbols.begin());
  if (symbols.size() == kMaxTrigVariables) return std::nullopt;
  symbols.push_back(symbol);
  return symbols.size() - 1;
}

/// phase + sum of factor * symbol.
struct LinearForm {
  double phase = 0.0;
  std::vector<std::pair<Expr, double>> parts;

  void add(Expr symbol, double factor) {
    for (auto& [known, sum] : parts) {
      if (known == symbol) {
        sum += factor;
        return;
      }
    }
    parts.emplace_back(symbol, factor);
  }
};

/// Adds factor * e to the form; false where e is not linear.
bool add_linear(const Expr e, double factor, LinearForm& form) {
  switch (e.op()) {
    case Op::constant:
      form.phase += factor * e.value();
      return true;
    case Op::symbol:
      form.add(e, factor);
      return true;
    case Op::neg:
      return add_linear(e.a(), -factor, form);
    case Op::add:
      return add_linear(e.a(), factor, form) && add_linear(e.b(), factor, form);
    case Op::sub:
      return add_linear(e.a(), factor, form) && add_linear(e.b(), -factor, form);
    case Op::mul:
      return e.a().is_constant() && add_linear(e.b(), factor * e.a().value(), form);
    default:
      return false;
  }
}

}  // namespace

std::optional<std::size_t> TrigVariables::angle_slot(Expr symbol) { return slot_of(angles_, symbol); }
std::optional<std::size_t> TrigVariables::variable_slot(Expr symbol) { return slot_of(variables_, symbol); }

std::optional<TrigPolynomial> TrigConverter::convert_circular(const Node* node) const {
  LinearForm form;
  if (!add_linear(Expr(node->a), 1.0, form)) return std::nullopt;
  // sin(k.q + p) = cos p sin(k.q) + sin p cos(k.q), cos(k.q + p) = cos p cos(k.q) - sin p sin(k.q)
  TrigTerm term;
  const double c = exact_cos(form.phase), s = exact_sin(form.phase);
  term.c = node->op == Op::sin ? s : c;
  term.s = node->op == Op::sin ? c : -s;
  for (const auto& [symbol, factor] : form.parts) {
    if (factor != std::round(factor) || std::fabs(factor) > kMaxTrigDegree) return std::nullopt;
    const auto slot = variables_.angle_slot(symbol);
    if (!slot) return std::nullopt;
    term.key.k[*slot] = static_cast<std::int8_t>(factor);
  }
  return TrigPolynomial::from_terms({term});
}

std::optional<TrigPolynomial> TrigConverter::convert(const Node* node) {
  switch (node->op) {
    case Op::constant:
      return std::isfinite(node->value) ? std::optional<TrigPolynomial>(node->value) : std::nullopt;
    case Op::symbol: {
      const auto slot = variables_.variable_slot(Expr(node));
      if (!slot) return std::nullopt;
      return TrigPolynomial::variable(*slot);
    }
    case Op::sin:
    case Op::cos:
      return convert_circular(node);
    default:
      break;
  }
  const auto operand = [&](const Node* n) -> const TrigPolynomial* {
    if (n == nullptr) return nullptr;
    const auto it = known_.find(n);
    return it != known_.end() && it->second ? &*it->second : nullptr;
  };
  const TrigPolynomial* a = operand(node->a);
  const TrigPolynomial* b = operand(node->b);
  if (a == nullptr) return std::nullopt;
  if (node->op == Op::neg) return -*a;
  if (b == nullptr) return std::nullopt;
  switch (node->op) {
    case Op::add:
      return *a + *b;
    case Op::sub:
      return *a - *b;
    case Op::mul:
      if (a->degree() + b->degree() > kMaxTrigDegree) return std::nullopt;
      products_ += a->terms().size() * b->terms().size();
      if (products_ > limits_.products) return std::nullopt;
      return *a * *b;
    case Op::div:
      return divide(*a, *b);
    default:
      return std::nullopt;
  }
}

namespace {

/// All nodes that the root needs, without those inside the arguments of sines and cosines: a symbol that
/// stands only there is an angle, not a variable.
std::vector<const Node*> nodes_outside_arguments(Expr root) {
  std::vector<const Node*> stack{root.node()}, found;
  std::unordered_map<const Node*, bool> seen;
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (!seen.emplace(n, true).second) continue;
    found.push_back(n);
    if (n->op == Op::sin || n->op == Op::cos) continue;
    for (const Node* operand : {n->a, n->b, n->c}) {
      if (operand != nullptr) stack.push_back(operand);
    }
  }
  std::sort(found.begin(), found.end(), [](const Node* x, const Node* y) { return x->id < y->id; });
  return found;
}

}  // namespace

std::optional<TrigPolynomial> TrigConverter::operator()(Expr expression) {
  for (const Node* n : nodes_outside_arguments(expression)) {
    if (known_.contains(n)) continue;
    std::optional<TrigPolynomial> p = convert(n);
    if (p && p->terms().size() > limits_.terms) p.reset();
    known_.emplace(n, std::move(p));
  }
  const std::optional<TrigPolynomial>& p = known_.at(expression.node());
  if (!p) return std::nullopt;
  return p->cleaned();
}

std::optional<TrigPolynomial> to_trig_polynomial(Expr expression, TrigVariables& variables) {
  return TrigConverter(variables)(expression);
}

TrigPolynomial derivative(const TrigPolynomial& p, Expr symbol, const TrigVariables& variables) {
  TrigPolynomial d;
  const auto& angles = variables.angles();
  const auto& others = variables.variables();
  const auto angle = std::find(angles.begin(), angles.end(), symbol);
  if (angle != angles.end()) d += p.angle_derivative(static_cast<std::size_t>(angle - angles.begin()));
  const auto other = std::find(others.begin(), others.end(), symbol);
  if (other != others.end()) d += p.variable_derivative(static_cast<std::size_t>(other - others.begin()));
  return d;
}

// --- back to expressions
// ------------------------------------------------------------------------------------------

namespace {

/// k.q as an expression.
Expr phase_of(const TrigKey& key, std::span<const Expr> angles) {
  Expr sum = 0.0;
  for (std::size_t i = 0; i < angles.size(); ++i) sum += static_cast<double>(key.k[i]) * angles[i];
  return sum;
}

Expr multiple_angle_form(const TrigPolynomial& p, const TrigVariables& variables) {
  std::vector<Expr> atoms(variables.variables());
  const std::size_t others = atoms.size();
  const auto atom_index = [&](Expr atom) {
    const auto it = std::find(atoms.begin() + static_cast<std::ptrdiff_t>(others), atoms.end(), atom);
    if (it != atoms.end()) return static_cast<std::size_t>(it - atoms.begin());
    atoms.push_back(atom);
    return atoms.size() - 1;
  };
  struct Product {
    const TrigKey* key;
    std::optional<std::size_t> atom;
    double coefficient;
  };
  std::vector<Product> products;
  for (const TrigTerm& term : p.terms()) {
    if (!term.key.has_angle()) {
      products.push_back({&term.key, std::nullopt, term.c});
      continue;
    }
    const Expr phase = phase_of(term.key, variables.angles());
    // A harmonic such as a - b may be known to the graph as b - a: the sign then belongs to the sine.
    const bool flipped = phase.op() == Op::neg;
    const Expr argument = flipped ? phase.a() : phase;
    if (term.c != 0.0) products.push_back({&term.key, atom_index(cos(argument)), term.c});
    if (term.s != 0.0) products.push_back({&term.key, atom_index(sin(argument)), flipped ? -term.s : term.s});
  }
  AtomPolynomial sum;
  for (const Product& product : products) {
    AtomPowers powers(atoms.size(), 0);
    for (std::size_t i = 0; i < others; ++i) powers[i] = product.key->e[i];
    if (product.atom) powers[*product.atom] = 1;
    sum[powers] += product.coefficient;
  }
  return nested_form(sum, atoms);
}

void add_to(AtomPolynomial& sum, const AtomPowers& powers, double coefficient) {
  const auto [it, is_new] = sum.try_emplace(powers, coefficient);
  if (!is_new) it->second += coefficient;
  if (it->second == 0.0) sum.erase(it);
}

/// cos(n a) and sin(n a) in powers of cos a and sin a, one of them at most once (its square replaced by 1
/// minus the other's): powers (of cosine, of sine) -> coefficient.
class SingleAngle {
 public:
  using Sum = std::map<std::pair<int, int>, double>;

  SingleAngle(int degree, bool reduce_sine) {
    cosines_ = {{{{0, 0}, 1.0}}};
    sines_ = {{}};
    for (int n = 1; n <= degree; ++n) {
      // (cos + i sin)^n = (cos + i sin)^(n-1) (cos + i sin)
      Sum c, s;
      add_product(c, cosines_.back(), 1, 0, 1.0, reduce_sine);
      add_product(c, sines_.back(), 0, 1, -1.0, reduce_sine);
      add_product(s, sines_.back(), 1, 0, 1.0, reduce_sine);
      add_product(s, cosines_.back(), 0, 1, 1.0, reduce_sine);
      cosines_.push_back(std::move(c));
      sines_.push_back(std::move(s));
    }
  }
  const Sum& cosine(int n) const { return cosines_[static_cast<std::size_t>(n)]; }
  const Sum& sine(int n) const { return sines_[static_cast<std::size_t>(n)]; }

 private:
  static void add(Sum& sum, int c, int s, double value) {
    const double now = sum[{c, s}] += value;
    if (now == 0.0) sum.erase({c, s});
  }
  static void add_product(Sum& sum, const Sum& x, int c, int s, double factor, bool reduce_sine) {
    for (const auto& [powers, value] : x) {
      const int pc = powers.first + c, ps = powers.second + s;
      if (reduce_sine && ps == 2) {
        add(sum, pc, 0, factor * value);
        add(sum, pc + 2, 0, -factor * value);
      } else if (!reduce_sine && pc == 2) {
        add(sum, 0, ps, factor * value);
        add(sum, 0, ps + 2, -factor * value);
      } else {
        add(sum, pc, ps, factor * value);
      }
    }
  }

  std::vector<Sum> cosines_, sines_;
};

/// Sines and cosines of single angles: cos(k.q) and sin(k.q) multiplied out, angle by angle.
Expr single_angle_form(const TrigPolynomial& p, const TrigVariables& variables, bool reduce_sine) {
  const std::size_t others = variables.variables().size(), angles = variables.angles().size();
  const std::size_t cosines = others, sines = others + angles;
  std::vector<Expr> atoms(variables.variables());
  for (const Expr angle : variables.angles()) atoms.push_back(cos(angle));
  for (const Expr angle : variables.angles()) atoms.push_back(sin(angle));
  const SingleAngle table(p.degree(), reduce_sine);

  AtomPolynomial sum;
  for (const TrigTerm& term : p.terms()) {
    AtomPowers start(atoms.size(), 0);
    for (std::size_t i = 0; i < others; ++i) start[i] = term.key.e[i];
    // c cos(k.q) + s sin(k.q): real part of (c - i s) exp(i k.q), built one angle after the other.
    AtomPolynomial real{{start, term.c}}, imaginary{{start, -term.s}};
    for (std::size_t j = 0; j < angles; ++j) {
      const int n = std::abs(static_cast<int>(term.key.k[j]));
      if (n == 0) continue;
      const double sign = term.key.k[j] < 0 ? -1.0 : 1.0;
      AtomPolynomial next_real, next_imaginary;
      const auto add_product = [&](AtomPolynomial& to, const AtomPolynomial& x, const SingleAngle::Sum& y,
                                   double f) {
        for (const auto& [powers, coefficient] : x) {
          if (coefficient == 0.0) continue;
          for (const auto& [pair, value] : y) {
            AtomPowers product = powers;
            product[cosines + j] = pair.first;
            product[sines + j] = pair.second;
            add_to(to, product, f * coefficient * value);
          }
        }
      };
      add_product(next_real, real, table.cosine(n), 1.0);
      add_product(next_real, imaginary, table.sine(n), -sign);
      add_product(next_imaginary, imaginary, table.cosine(n), 1.0);
      add_product(next_imaginary, real, table.sine(n), sign);
      real = std::move(next_real);
      imaginary = std::move(next_imaginary);
    }
    for (const auto& [powers, coefficient] : real) add_to(sum, powers, coefficient);
  }
  double largest = 0.0;
  for (const auto& [powers, coefficient] : sum) largest = std::max(largest, std::fabs(coefficient));
  std::erase_if(sum, [&](const auto& entry) { return std::fabs(entry.second) <= kTrigDust * largest; });
  return nested_form(sum, atoms);
}

}  // namespace

Expr to_expr(const TrigPolynomial& p, const TrigVariables& variables, TrigStyle style) {
  switch (style) {
    case TrigStyle::multiple_angles:
      return multiple_angle_form(p, variables);
    case TrigStyle::cosine_powers:
      return single_angle_form(p, variables, true);
    case TrigStyle::sine_powers:
      return single_angle_form(p, variables, false);
  }
  return 0.0;
}

int cost(Expr expression) {
  const OperationCount n = count_operations(std::span(&expression, 1));
  return n.mul + n.add + 4 * n.div + 8 * (n.trig + n.other);
}

Expr to_cheapest_expr(const TrigPolynomial& p, const TrigVariables& variables) {
  Expr best = to_expr(p, variables, TrigStyle::multiple_angles);
  // Multiplying out high harmonics of many angles is hopeless as well as slow.
  if (p.terms().size() > 200 || p.degree() > 6) return best;
  for (const TrigStyle style : {TrigStyle::cosine_powers, TrigStyle::sine_powers}) {
    const Expr other = to_expr(p, variables, style);
    if (cost(other) < cost(best)) best = other;
  }
  return best;
}

Expr simplify(Expr expression) {
  if (expression.is_constant() || expression.is_symbol()) return expression;
  TrigVariables variables;
  const auto p = to_trig_polynomial(expression, variables);
  if (!p) return expression;
  const Expr canonical = to_cheapest_expr(*p, variables);
  return cost(canonical) < cost(expression) ? canonical : expression;
}

Expr rational_simplify(Expr numerator, Expr denominator) {
  TrigVariables variables;
  TrigConverter convert(variables);
  const auto n = convert(numerator), d = convert(denominator);
  if (!n || !d) return numerator / denominator;
  if (n->is_zero()) return 0.0;
  if (const auto quotient = divide(*n, *d)) return to_cheapest_expr(*quotient, variables);
  const auto cheaper = [&](const TrigPolynomial& p, Expr as_it_is) {
    const Expr canonical = to_cheapest_expr(p, variables);
    return cost(canonical) < cost(as_it_is) ? canonical : as_it_is;
  };
  if (const auto inverse = divide(*d, *n)) return Expr(1.0) / to_cheapest_expr(*inverse, variables);
  return cheaper(*n, numerator) / cheaper(*d, denominator);
}

}  // namespace tactus::algebra
