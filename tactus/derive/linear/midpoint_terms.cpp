#include <tactus/derive/linear/midpoint_terms.h>

#include <string>
#include <utility>

#include <tactus/derive/linear/midpoint_matrix.h>
#include <tactus/derive/linear/motion_derivatives.h>

namespace tactus::derive {

namespace {

/// The same mechanism without what burns energy. Laws' work counts like that of what acts from outside.
Derivation without_loss(const Derivation& self) {
  Derivation result = self;
  result.options.friction = false;
  for (auto& spring : result.model.point_springs) spring.damping = describe::Expr();
  for (auto& spring : result.model.frame_springs)
    spring.linear_damping = spring.angular_damping = describe::Expr();
  result.model.force_laws.clear();
  return result;
}

/// x . y
Expr dot(const std::vector<Expr>& x, const std::vector<Expr>& y) {
  Expr sum;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

Function forces_of(const Derivation& self) {
  const std::vector<Expr> loads = load_forces(self, false), pushed = load_forces(self, true),
                          stored = load_forces(without_loss(self), false);
  // The part of the joint rates that is the speeds'.
  std::vector<Expr> rates = self.symbols->u;
  const std::size_t n = rates.size();
  for (std::size_t j = 0; j < n && !self.speeds.identity; ++j) {
    rates[j] = Expr();
    for (std::size_t r = 0; r < n; ++r) rates[j] += self.speeds.W_at(j, r) * self.symbols->u[r];
  }
  std::vector<Expr> outside = self.actuator_forces(), lost(n), Q;
  for (std::size_t k = 0; k < n; ++k) {
    outside[k] -= pushed[k] - loads[k];
    lost[k] = loads[k] - stored[k];
  }
  if (self.speeds.identity) {
    Q = self.actuator_forces();
    const std::vector<Expr> h = self.bias(true);
    for (std::size_t k = 0; k < n; ++k) Q[k] -= h[k];
  } else {
    KaneEquations kane = self.kane_equations(true);
    Q = std::move(kane.active);
    for (std::size_t k = 0; k < n; ++k) Q[k] -= kane.h[k];
  }
  const Symbols& symbols = *self.symbols;
  return self.function("midpoint_forces", "All forces, and what of them gives and takes energy.",
                       symbols.inputs(true, {symbols.forces_block()}, true),
                       {block("Q", "W^T tau + wrenches - h", self.nv(), 1, std::move(Q)),
                        block("outside", "power of tau and wrenches [W]", 1, 1, {dot(rates, outside)}),
                        block("loss", "power of dampers, friction and laws [W]", 1, 1, {dot(rates, lost)})});
}

std::vector<Expr> numbered(const char* name, std::size_t count) {
  std::vector<Expr> symbols;
  for (std::size_t k = 0; k < count; ++k)
    symbols.push_back(algebra::symbol(std::string(name) + ":" + std::to_string(k)));
  return symbols;
}

/// M a by inverse dynamics at rest, without weight.
std::vector<Expr> momentum_by_recursion(const Derivation& self, const std::vector<Expr>& a) {
  Tree<Expr> tree = self.tree;
  tree.gravity = Vec3<Expr>::zero();
  Motion<Expr> motion = motion_at(tree, self.symbols->q);
  const std::vector<Expr> still(a.size());
  std::vector<Expr> result(a.size());
  newton_euler(tree, still.data(), a.data(), {}, Policy{}, motion, result.data());
  return result;
}

std::vector<Expr> product(const std::vector<Expr>& M, const std::vector<Expr>& a) {
  const std::size_t n = a.size();
  std::vector<Expr> result(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[i] += M[i * n + j] * a[j];
  return result;
}

int cost(const std::vector<Expr>& x, const std::vector<Expr>& y) {
  std::vector<Expr> roots = x;
  roots.insert(roots.end(), y.begin(), y.end());
  const algebra::OperationCount count = algebra::count_operations(roots);
  return count.mul + count.add + Derivation::kTrigCost * count.trig;
}

/// More speeds than these are not multiplied by a whole matrix to compare.
constexpr std::size_t kMostMultiplied = 24;

Function momenta_of(const Derivation& self) {
  const std::size_t n = self.symbols->u.size();
  const std::vector<Expr> a = numbered("a", n), b = numbered("b", n);
  std::vector<Expr> Ma, Mb;
  if (!self.speeds.identity || n <= kMostMultiplied) {
    const std::vector<Expr> M = self.mass_matrix();
    Ma = product(M, a);
    Mb = product(M, b);
  }
  if (self.speeds.identity) {
    std::vector<Expr> by_a = momentum_by_recursion(self, a), by_b = momentum_by_recursion(self, b);
    if (Ma.empty() || cost(by_a, by_b) < cost(Ma, Mb)) {
      Ma = std::move(by_a);
      Mb = std::move(by_b);
    }
  }
  return self.function(
      "momenta", "What belongs to two sets of speeds as momentum.",
      self.symbols->inputs(
          false, {block("a", "speeds", self.nv(), 1, a), block("b", "others", self.nv(), 1, b)}, false),
      {block("Ma", "M a", self.nv(), 1, std::move(Ma)), block("Mb", "M b", self.nv(), 1, std::move(Mb))});
}

/// A function with these outputs of another alone.
Function part(Function function, const std::vector<std::string>& names) {
  std::erase_if(function.outputs,
                [&](const Block& b) { return std::find(names.begin(), names.end(), b.name) == names.end(); });
  return function;
}

}  // namespace

MidpointTerms midpoint_terms(const Equations& equations, const std::optional<Function>& loads) {
  MidpointTerms result;
  {
    const Derivation self(equations.model(), equations.options());
    const Graph::Scope scope(*self.graph);
    result.forces = forces_of(self);
    result.momenta = momenta_of(self);
  }
  result.rows = part(equations.constraint_terms(), {"velocity", "A", "c"});
  result.potential = part(equations.energy(), {"potential"});
  add_midpoint_matrix(equations, loads, result);
  return result;
}

}  // namespace tactus::derive
