#include <tactus/derive/readable/root_form.h>

#include <unordered_map>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/derive/readable/fraction.h>

namespace tactus::derive {

using algebra::Node;
using algebra::Op;

namespace {

constexpr int kMostPowers = 8;             // of a root in a numerator
constexpr std::size_t kMostRoots = 3;      // each doubles the work
constexpr std::size_t kMostNodes = 2'000;  // of an expression that a reader would collect

/// What a reader has before him: operations, each as often as it is written; a division is a line more.
double written(Expr e) {
  std::unordered_map<const Node*, double> known;
  for (const Node* n : algebra::needed_nodes(std::span(&e, 1))) {
    double sum = n->op == Op::symbol || n->op == Op::constant ? 0.0 : n->op == Op::div ? 2.0 : 1.0;
    for (const Node* x : {n->a, n->b, n->c})
      if (x != nullptr) sum += known.at(x);
    known.emplace(n, sum);
  }
  return known.at(e.node());
}

/// The second, unless the first is written shorter.
Expr shorter(Expr a, Expr b) { return written(a) < written(b) ? a : b; }

void collect_terms(Expr sum, bool minus, std::vector<Expr>& terms) {
  if (sum.op() == Op::add || sum.op() == Op::sub) {
    collect_terms(sum.a(), minus, terms);
    collect_terms(sum.b(), minus != (sum.op() == Op::sub), terms);
  } else if (sum.op() == Op::neg) {
    collect_terms(sum.a(), !minus, terms);
  } else {
    terms.push_back(minus ? -sum : sum);
  }
}

/// Without roots: as it is, as one fraction, or each term for itself.
Expr plain(Expr e) {
  std::vector<Expr> terms;
  collect_terms(e, false, terms);
  Expr sum(0.0);
  for (const Expr term : terms) sum = sum + reduced(term);
  return shorter(shorter(e, reduced(e)), sum);
}

Expr at_zero(Expr e, Expr symbol) {
  const Expr zero(0.0);
  return algebra::substitute(e, algebra::Graph::current(), std::span(&symbol, 1), std::span(&zero, 1));
}

/// A polynomial in the symbol r with r^2 = R: even + odd r. False where it is none, or of a high degree.
bool split(Expr polynomial, Expr r, Expr R, Expr& even, Expr& odd) {
  even = odd = Expr(0.0);
  Expr power(1.0), rest = polynomial;
  double factorial = 1.0;
  for (int k = 0; k < kMostPowers; ++k) {
    if (k > 0) factorial *= k;
    const Expr coefficient = at_zero(rest, r) / Expr(factorial) * power;
    (k % 2 == 0 ? even : odd) = (k % 2 == 0 ? even : odd) + coefficient;
    if (k % 2 == 1) power = power * R;
    rest = algebra::derivative(rest, r);
    if (rest.is_constant(0.0)) return true;
  }
  return false;
}

/// A square root that has none within itself.
const Node* a_root(Expr e) {
  for (const Node* n : algebra::needed_nodes(std::span(&e, 1)))
    if (n->op == Op::sqrt) return n;  // operands come first
  return nullptr;
}

Expr collected_with(Expr e, std::size_t roots) {
  const Node* const root = a_root(e);
  if (root == nullptr) return plain(e);
  if (roots == 0) return e;
  const Expr whole(root), R = plain(Expr(root->a)), r = algebra::symbol("root of a formula");
  const Fraction f =
      as_fraction(algebra::substitute(e, algebra::Graph::current(), std::span(&whole, 1), std::span(&r, 1)));
  Expr above_even, above_odd, below_even, below_odd;
  if (!split(f.numerator, r, R, above_even, above_odd) ||
      !split(f.denominator, r, R, below_even, below_odd) || !algebra::is_zero(algebra::simplify(below_odd)))
    return e;
  const Expr a = collected_with(above_even / below_even, roots - 1),
             b = collected_with(above_odd / below_even, roots - 1);
  return shorter(e, a + b * sqrt(R));
}

}  // namespace

Expr collected(Expr expression) {
  if (expression.is_constant() || expression.is_symbol()) return expression;
  if (algebra::needed_nodes(std::span(&expression, 1)).size() > kMostNodes) return reduced(expression);
  return collected_with(expression, kMostRoots);
}

}  // namespace tactus::derive
