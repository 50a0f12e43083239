#include <tactus/derive/speeds.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/error.h>
#include <tactus/derive/build_tree.h>
#include <tactus/math/rotation.h>

namespace tactus::derive {

using algebra::Op;
using describe::Model;
using describe::Speeds;

Fraction as_fraction(Expr expression) {
  std::unordered_map<const algebra::Node*, Fraction> known;
  const Expr one(1.0);
  for (const algebra::Node* n : algebra::needed_nodes(std::span(&expression, 1))) {
    Fraction f{Expr(n), one};
    if (n->op == Op::neg) {
      const Fraction& a = known.at(n->a);
      f = {-a.numerator, a.denominator};
    } else if (n->op == Op::add || n->op == Op::sub) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      const bool minus = n->op == Op::sub;
      if (a.denominator == b.denominator) {
        f = {minus ? a.numerator - b.numerator : a.numerator + b.numerator, a.denominator};
      } else {
        const Expr x = a.numerator * b.denominator, y = b.numerator * a.denominator;
        f = {minus ? x - y : x + y, a.denominator * b.denominator};
      }
    } else if (n->op == Op::mul) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      f = {a.numerator * b.numerator, a.denominator * b.denominator};
    } else if (n->op == Op::div) {
      const Fraction &a = known.at(n->a), &b = known.at(n->b);
      f = {a.numerator * b.denominator, a.denominator * b.numerator};
    }
    known.emplace(n, f);
  }
  return known.at(expression.node());
}

namespace {

/// The factors of a product, constants included.
void collect_factors(Expr product, std::vector<Expr>& factors) {
  if (product.op() == Op::mul) {
    collect_factors(product.a(), factors);
    collect_factors(product.b(), factors);
  } else if (product.op() == Op::neg) {
    factors.emplace_back(-1.0);
    collect_factors(product.a(), factors);
  } else {
    factors.push_back(product);
  }
}

}  // namespace

Expr reduced(Expr expression) {
  if (expression.is_constant() || expression.is_symbol()) return expression;
  const Fraction f = as_fraction(expression);
  if (f.denominator.is_constant(1.0)) return algebra::simplify(expression);
  // Whatever factor of the denominator divides the numerator goes.
  Expr numerator = algebra::simplify(f.numerator), left(1.0);
  std::vector<Expr> factors;
  collect_factors(algebra::simplify(f.denominator), factors);
  for (const Expr factor : factors) {
    const Expr quotient = algebra::rational_simplify(numerator, factor);
    if (as_fraction(quotient).denominator.is_constant(1.0)) {
      numerator = quotient;
    } else {
      left = left * factor;
    }
  }
  const Expr quotient = numerator / left;
  return algebra::cost(quotient) < algebra::cost(expression) ? quotient : expression;
}

namespace {

/// Cofactor expansion of the determinant of the rows and columns listed.
Expr determinant(const std::vector<Expr>& A, std::size_t n, const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& cols) {
  if (rows.empty()) return Expr(1.0);
  const std::vector<std::size_t> below(rows.begin() + 1, rows.end());
  Expr sum(0.0);
  for (std::size_t k = 0; k < cols.size(); ++k) {
    const Expr element = A[rows[0] * n + cols[k]];
    if (algebra::is_zero(element)) continue;
    std::vector<std::size_t> others = cols;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const Expr minor = element * determinant(A, n, below, others);
    sum = k % 2 == 0 ? sum + minor : sum - minor;
  }
  return sum;
}

/// Up to this size a block of the speeds' definition is solved by Cramer's rule, which keeps numerators short.
constexpr std::size_t kCramer = 4;

/// The solution of A x = b, written so that a reader would recognise it: an unknown that stands alone, with a constant
/// factor, in one equation is solved from it last; what remains falls into independent blocks, solved by Cramer's rule
/// or, where large, by elimination.
class LinearSolution {
 public:
  LinearSolution(const std::vector<Expr>& A, std::vector<Expr> b, const Model& model)
      : A_(A), b_(std::move(b)), n_(b_.size()), x_(n_), model_(model) {
    for (std::size_t i = 0; i < n_; ++i) {
      rows_.push_back(i);
      cols_.push_back(i);
    }
    solve();
  }

  const std::vector<Expr>& x() const { return x_; }

 private:
  Expr at(std::size_t i, std::size_t j) const { return A_[i * n_ + j]; }

  void solve() {
    std::vector<std::pair<std::size_t, std::size_t>> last;  // (equation, unknown) to be solved in the end
    while (const auto alone = find_alone()) {
      last.push_back(*alone);
      std::erase(rows_, alone->first);
      std::erase(cols_, alone->second);
    }
    while (!rows_.empty()) solve_block();
    for (auto it = last.rbegin(); it != last.rend(); ++it) {
      const auto [i, j] = *it;
      Expr rest = b_[i];
      for (std::size_t k = 0; k < n_; ++k)
        if (k != j) rest -= at(i, k) * x_[k];
      x_[j] = rest / at(i, j);
    }
  }

  std::optional<std::pair<std::size_t, std::size_t>> find_alone() const {
    for (const std::size_t j : cols_) {
      std::size_t found = 0, equation = 0;
      for (const std::size_t i : rows_) {
        if (algebra::is_zero(at(i, j))) continue;
        ++found;
        equation = i;
      }
      if (found == 1 && at(equation, j).is_constant()) return std::pair{equation, j};
    }
    return std::nullopt;
  }

  /// Takes the equations and unknowns that hang together with the first equation left.
  void solve_block() {
    std::vector<std::size_t> rows{rows_.front()}, cols;
    for (bool grown = true; grown;) {
      grown = false;
      for (const std::size_t j : cols_) {
        if (std::find(cols.begin(), cols.end(), j) != cols.end()) continue;
        for (const std::size_t i : rows) {
          if (algebra::is_zero(at(i, j))) continue;
          cols.push_back(j);
          grown = true;
          break;
        }
      }
      for (const std::size_t i : rows_) {
        if (std::find(rows.begin(), rows.end(), i) != rows.end()) continue;
        for (const std::size_t j : cols) {
          if (algebra::is_zero(at(i, j))) continue;
          rows.push_back(i);
          grown = true;
          break;
        }
      }
    }
    if (rows.size() != cols.size()) refuse();
    std::sort(cols.begin(), cols.end());
    std::sort(rows.begin(), rows.end());
    if (rows.size() <= kCramer) {
      cramer(rows, cols);
    } else {
      eliminate(rows, cols);
    }
    for (const std::size_t i : rows) std::erase(rows_, i);
    for (const std::size_t j : cols) std::erase(cols_, j);
  }

  void cramer(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
    const Expr det = algebra::simplify(determinant(A_, n_, rows, cols));
    if (algebra::is_zero(det)) refuse();
    for (std::size_t c = 0; c < cols.size(); ++c) {
      std::vector<std::size_t> other_cols = cols;
      other_cols.erase(other_cols.begin() + static_cast<std::ptrdiff_t>(c));
      // Where a cofactor shares a factor with the determinant, it is divided out of each element.
      std::vector<Expr> elements;
      bool all_whole = true;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<std::size_t> other_rows = rows;
        other_rows.erase(other_rows.begin() + static_cast<std::ptrdiff_t>(r));
        const Expr cofactor = algebra::simplify(determinant(A_, n_, other_rows, other_cols));
        const Expr element = reduced(((r + c) % 2 == 0 ? cofactor : -cofactor) / det);
        all_whole = all_whole && as_fraction(element).denominator.is_constant(1.0);
        elements.push_back(element);
      }
      // Elements over one denominator: (sum of numerators) / denominator takes a single division.
      Expr sum(0.0), denominator(1.0), numerators(0.0);
      bool common = true;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Fraction f = as_fraction(elements[r]);
        sum += elements[r] * b_[rows[r]];
        if (algebra::is_zero(f.numerator)) continue;
        if (denominator.is_constant(1.0)) denominator = f.denominator;
        common = common && f.denominator == denominator;
        numerators += f.numerator * b_[rows[r]];
      }
      x_[cols[c]] = common && !all_whole ? numerators / denominator : sum;
    }
  }

  void eliminate(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
    std::vector<Expr> A = A_, b = b_;
    std::vector<std::size_t> left = rows;
    std::vector<std::pair<std::size_t, std::size_t>> pivots;
    for (const std::size_t j : cols) {
      std::size_t row = n_;
      int best = 0;
      for (const std::size_t i : left) {
        if (algebra::is_zero(A[i * n_ + j])) continue;
        const int price = A[i * n_ + j].is_constant() ? 0 : 1 + algebra::cost(A[i * n_ + j]);
        if (row == n_ || price < best) {
          row = i;
          best = price;
        }
      }
      if (row == n_) refuse();
      std::erase(left, row);
      pivots.emplace_back(row, j);
      for (const std::size_t i : left) {
        const Expr k = A[i * n_ + j] / A[row * n_ + j];
        if (algebra::is_zero(k)) continue;
        for (const std::size_t c : cols) {
          A[i * n_ + c] = c == j ? Expr(0.0) : reduced(A[i * n_ + c] - k * A[row * n_ + c]);
        }
        b[i] -= k * b[row];
      }
    }
    for (auto it = pivots.rbegin(); it != pivots.rend(); ++it) {
      Expr rest = b[it->first];
      for (auto known = pivots.rbegin(); known != it; ++known) rest -= A[it->first * n_ + known->second] * x_[known->second];
      x_[it->second] = rest / A[it->first * n_ + it->second];
    }
  }

  [[noreturn]] void refuse() const {
    throw InputError(model_.speeds.where, "the generalised speeds do not determine the joint rates (the map is singular)",
                     "define as many independent speeds as there are degrees of freedom");
  }

  const std::vector<Expr>& A_;
  std::vector<Expr> b_;
  std::size_t n_;
  std::vector<Expr> x_;
  std::vector<std::size_t> rows_, cols_;
  const Model& model_;
};

/// Splits equations that are linear in the symbols x: equations = A x + b.
void split_linear(const Model& model, const std::vector<Expr>& equations, const std::vector<Expr>& x,
                  std::vector<Expr>& A, std::vector<Expr>& b) {
  A = algebra::jacobian(equations, x);
  for (const Expr element : A) {
    for (const Expr symbol : algebra::symbols_in(std::span(&element, 1))) {
      for (const Expr unknown : x) {
        if (symbol == unknown) {
          throw InputError(model.speeds.where, "a definition of generalised speeds is not linear in the rates",
                           "write u = Y(q,t) qd + Z(q,t) or qd = W(q,t) u + X(q,t)");
        }
      }
    }
  }
  const std::vector<Expr> zeros(x.size());
  b = algebra::substitute(equations, algebra::Graph::current(), x, zeros);
}

std::vector<Expr> times(const std::vector<Expr>& A, const std::vector<Expr>& x) {
  const std::size_t n = x.size();
  std::vector<Expr> y(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
  return y;
}

}  // namespace

SpeedMap speed_map(const Model& model, const Symbols& symbols, bool keep_parameters) {
  SpeedMap map;
  const std::size_t n = symbols.u.size();
  if (model.speeds.definition == Speeds::Definition::joint_rates) {
    map.rates = symbols.u;
    map.accelerations = symbols.udot;
    map.bias.assign(n, Expr());
    map.X = map.Z = map.bias;
    map.W.assign(n * n, Expr());
    for (std::size_t i = 0; i < n; ++i) map.W[i * n + i] = Expr(1.0);
    map.Y = map.W;
    return map;
  }
  map.identity = false;
  std::vector<Expr> from, to;
  if (!keep_parameters) {
    for (const describe::Parameter& parameter : model.parameters) {
      from.push_back(model.graph->symbol(parameter.name));
      to.emplace_back(parameter.value);
    }
  }
  const std::vector<Expr> equations = algebra::substitute(model.speeds.equations, *model.graph, from, to);
  if (equations.size() != n) {
    throw InputError(model.speeds.where, "there are " + std::to_string(equations.size()) + " speed definitions for " +
                                             std::to_string(n) + " degrees of freedom");
  }
  const auto minus = [n](const std::vector<Expr>& x, const std::vector<Expr>& y) {
    std::vector<Expr> difference(n);
    for (std::size_t i = 0; i < n; ++i) difference[i] = x[i] - y[i];
    return difference;
  };
  if (model.speeds.definition == Speeds::Definition::to_rates) {
    split_linear(model, equations, symbols.u, map.W, map.X);
    map.rates = equations;  // as the user wrote them
    split_linear(model, LinearSolution(map.W, minus(symbols.rates, map.X), model).x(), symbols.rates, map.Y, map.Z);
  } else {
    split_linear(model, equations, symbols.rates, map.Y, map.Z);
    map.rates = LinearSolution(map.Y, minus(symbols.u, map.Z), model).x();
    split_linear(model, map.rates, symbols.u, map.W, map.X);
  }

  // Wd u + Xd: the rate of (W u + X) with u held still.
  std::vector<Expr> moving = symbols.q;
  std::vector<Expr> moving_rates = coordinate_rates(model, symbols, map.rates);
  moving.push_back(symbols.t);
  moving_rates.emplace_back(1.0);
  map.bias = algebra::directional_derivative(map.rates, moving, moving_rates);
  map.accelerations = times(map.W, symbols.udot);
  for (std::size_t i = 0; i < n; ++i) map.accelerations[i] += map.bias[i];
  return map;
}

std::vector<Expr> coordinate_rates(const Model& model, const Symbols& symbols, const std::vector<Expr>& joint_rates) {
  std::vector<Expr> rates;
  std::size_t v = 0;
  for (const describe::Joint& joint : model.joints) {
    const bool is_free = joint.type == describe::JointType::free;
    if (is_free || joint.type == describe::JointType::spherical) {
      const std::size_t at = rates.size() + (is_free ? 3 : 0);
      const math::Quaternion<Expr> q{symbols.q[at], symbols.q[at + 1], symbols.q[at + 2], symbols.q[at + 3]};
      if (is_free) {
        const Vec3<Expr> pd =
            rotation_of(q) * Vec3<Expr>{joint_rates[v + 3], joint_rates[v + 4], joint_rates[v + 5]};
        for (std::size_t k = 0; k < 3; ++k) rates.push_back(pd[k]);
      }
      // qd = 1/2 q (0, w), w in the link's axes
      const Expr half(0.5);
      const math::Quaternion<Expr> w{Expr(0.0), half * joint_rates[v], half * joint_rates[v + 1],
                                     half * joint_rates[v + 2]};
      const math::Quaternion<Expr> qd = q * w;
      for (const Expr x : {qd.w, qd.x, qd.y, qd.z}) rates.push_back(x);
    } else {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) rates.push_back(joint_rates[v + k]);
    }
    v += joint.axes.size();
  }
  return rates;
}

}  // namespace tactus::derive
