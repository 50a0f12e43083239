#include <tactus/derive/linear/motion_derivatives.h>

#include <tactus/derive/equations_implementation.h>
#include <tactus/derive/linear/square_matrix.h>
#include <tactus/derive/recursion/articulated_derivatives.h>
#include <tactus/derive/recursion/derivatives.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

std::vector<Expr> load_forces(const Derivation& self, bool with_wrench) {
  Motion<Expr> motion = motion_at(self.tree, self.symbols->q);
  const std::vector<Expr>& rates = self.speeds.rates;
  std::vector<Expr> loads = self.loads_at_joints(self.tree, motion, rates);
  const std::vector<OutsideWrench<Expr>> wrenches = self.loads_on(self.tree, motion, rates, with_wrench);
  if (wrenches.empty()) return loads;
  // Carried to the joints by a tree without mass, at rest.
  Tree<Expr> bare = self.tree;
  bare.gravity = Vec3<Expr>::zero();
  for (Link<Expr>& link : bare.links) {
    link.m = link.spin = Expr(0.0);
    link.h = Vec3<Expr>::zero();
    link.sigma = {};
    link.armature = {};
  }
  const std::vector<Expr> still(rates.size());
  std::vector<Expr> tau(rates.size());
  newton_euler(bare, still.data(), still.data(), wrenches, Policy{}, motion, tau.data());
  for (std::size_t k = 0; k < loads.size(); ++k) loads[k] += tau[k];
  return loads;
}

namespace {

using Matrix = SquareMatrix;

/// Trees deeper than this are not differentiated on the graph to compare: the recursion has fewer operations there, and making both
/// takes time. Measured on chains (docs/benchmarks.md).
constexpr int kComparedDepth = 8;
/// The same for the derivatives of forward dynamics: up to this depth those by factors run faster, unless those by articulated bodies have clearly fewer
/// operations, as in a plane; each of these waits for the one before.
constexpr int kFactoredDepth = 15;
constexpr double kFewer = 0.85;

void add(Matrix& A, const Matrix& B) {
  for (std::size_t k = 0; k < A.size(); ++k) A[k] += B[k];
}

ForceDerivatives by_graph(const Derivation& self, bool with_wrench) {
  const Symbols& symbols = *self.symbols;
  const std::vector<Expr> tau =
      self.joint_forces_for(self.speeds.rates, self.speeds.accelerations, with_wrench);
  ForceDerivatives result;
  result.mass = self.rate_mass_matrix();
  result.by_acceleration =
      self.speeds.identity ? result.mass : times(result.mass, self.speeds.W, symbols.u.size());
  result.by_speed = algebra::jacobian(tau, symbols.u);
  result.by_place = derivatives_by_place(self, tau);
  return result;
}

ForceDerivatives by_recursion(const Derivation& self, bool with_wrench) {
  const Symbols& symbols = *self.symbols;
  const SpeedMap& speeds = self.speeds;
  const std::size_t n = symbols.u.size();
  ForceDerivatives result;
  const Motion<Expr> motion = motion_at(self.tree, symbols.q);
  DerivativeMotion<Expr> work(self.tree);
  result.mass.resize(n * n);
  result.by_speed.resize(n * n);
  result.by_place.resize(n * n);
  derivatives(self.tree, speeds.rates.data(), speeds.accelerations.data(), motion, work, result.mass.data(),
              result.by_speed.data(), result.by_place.data());
  result.by_acceleration = result.mass;
  if (!speeds.identity) {
    // tau(q, qd(q, u), qdd(q, u, udot))
    const Matrix by_rate = result.by_speed;
    result.by_acceleration = times(result.mass, speeds.W, n);
    result.by_speed = times(by_rate, speeds.W, n);
    add(result.by_speed, times(result.mass, algebra::jacobian(speeds.accelerations, symbols.u), n));
    add(result.by_place, times(by_rate, derivatives_by_place(self, speeds.rates), n));
    add(result.by_place, times(result.mass, derivatives_by_place(self, speeds.accelerations), n));
  }
  const std::vector<Expr> loads = load_forces(self, with_wrench);
  add(result.by_speed, algebra::jacobian(loads, symbols.u));
  add(result.by_place, derivatives_by_place(self, loads));
  return result;
}

int cost(const std::vector<Expr>& roots) {
  const algebra::OperationCount count = algebra::count_operations(roots);
  return count.mul + count.add + Derivation::kTrigCost * count.trig;
}
int cost(const ForceDerivatives& x) {
  std::vector<Expr> roots = x.by_acceleration;
  roots.insert(roots.end(), x.by_speed.begin(), x.by_speed.end());
  roots.insert(roots.end(), x.by_place.begin(), x.by_place.end());
  return cost(roots);
}

Block square(const char* name, const char* meaning, int n, Matrix entries) {
  return block(name, meaning, n, n, std::move(entries));
}

}  // namespace

std::vector<Expr> derivatives_by_place(const Derivation& self, const std::vector<Expr>& roots) {
  const std::size_t n = self.symbols->u.size(), nq = self.symbols->q.size();
  const Matrix J = algebra::jacobian(roots, self.symbols->q);
  if (nq == n) return J;  // no quaternions: the coordinates' rates are the joint rates
  Matrix result(roots.size() * n);
  std::vector<Expr> unit(n);
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = Expr(1.0);
    const std::vector<Expr> along = coordinate_rates(self.model, *self.symbols, unit);
    unit[k] = Expr(0.0);
    for (std::size_t c = 0; c < nq; ++c) {
      if (algebra::is_zero(along[c])) continue;
      for (std::size_t i = 0; i < roots.size(); ++i) result[i * n + k] += J[i * nq + c] * along[c];
    }
  }
  return result;
}

ForceDerivatives force_derivatives(const Derivation& self, bool with_wrench, DerivativeMethod method) {
  self.require_a_matrix();
  const bool compare = method == DerivativeMethod::automatic && depth_of(self.raw) <= kComparedDepth;
  if (method != DerivativeMethod::graph && !compare) return by_recursion(self, with_wrench);
  // The graph's first: readers get its terms in the order in which inverse dynamics made them.
  ForceDerivatives graph = by_graph(self, with_wrench);
  if (!compare) return graph;
  ForceDerivatives recursion = by_recursion(self, with_wrench);
  return cost(graph) <= cost(recursion) ? graph : recursion;
}

Function inverse_derivatives(const Equations& equations, DerivativeMethod method) {
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  ForceDerivatives d = force_derivatives(self, true, method);
  return self.function(
      "inverse_derivatives", "Derivatives of the actuator forces for a motion.",
      symbols.inputs(true, {symbols.accelerations_block()}, true),
      {square("tau_udot", "d tau / d udot", self.nv(), std::move(d.by_acceleration)),
       square("tau_u", "d tau / d u", self.nv(), std::move(d.by_speed)),
       square("tau_q", "d tau / d q, along the joint rates", self.nv(), std::move(d.by_place))});
}

namespace {

/// udot and its derivatives, nv x nv by rows each; by_force: M^-1 at the joints that have actuators.
struct AccelerationDerivatives {
  std::vector<Expr> udot;
  Matrix by_place, by_speed, by_force;

  std::vector<Expr> roots() const {
    std::vector<Expr> all = udot;
    for (const Matrix* part : {&by_place, &by_speed, &by_force})
      all.insert(all.end(), part->begin(), part->end());
    return all;
  }
};

/// Columns of joints without actuators are zero.
void leave_actuated(const Derivation& self, Matrix& by_force) {
  const std::vector<Expr> forces = self.actuator_forces();
  const std::size_t n = forces.size();
  for (std::size_t k = 0; k < n; ++k)
    if (algebra::is_zero(forces[k]))
      for (std::size_t i = 0; i < n; ++i) by_force[i * n + k] = Expr(0.0);
}

/// By the derivatives of inverse dynamics and the factors of M, which keep the tree's zeros.
AccelerationDerivatives by_factors(const Derivation& self, DerivativeMethod method) {
  const auto n = static_cast<std::size_t>(self.nv());
  AccelerationDerivatives result;
  result.udot = self.accelerations();
  ForceDerivatives d = force_derivatives(self, true, method);
  for (Matrix* part : {&d.by_speed, &d.by_place})
    *part = algebra::substitute(*part, *self.graph, self.symbols->udot, result.udot);
  const std::vector<int> parents = speed_parents(self.raw);
  factorise(parents, self.nv(), d.mass.data());
  const auto solved = [&](const Matrix& right) {
    Matrix X(n * n);
    std::vector<Expr> x(n);
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < n; ++i) x[i] = right[i * n + c];
      solve(parents, self.nv(), d.mass.data(), x.data());
      for (std::size_t i = 0; i < n; ++i) X[i * n + c] = x[i];
    }
    return self.speeds.identity ? X : times(self.speeds.Y, X, n);
  };
  result.by_place = solved(d.by_place);
  result.by_speed = solved(d.by_speed);
  for (Matrix* part : {&result.by_place, &result.by_speed})
    for (Expr& x : *part) x = -x;
  Matrix unit(n * n);
  for (std::size_t k = 0; k < n; ++k) unit[k * n + k] = Expr(1.0);
  leave_actuated(self, unit);
  result.by_force = solved(unit);
  return result;
}

/// A -= B C, where C has few entries.
void subtract_product(Matrix& A, const Matrix& B, const Matrix& C, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      if (algebra::is_zero(C[j * n + k])) continue;
      for (std::size_t i = 0; i < n; ++i) {
        const Expr product = B[i * n + j] * C[j * n + k];
        A[i * n + k] -= product;
      }
    }
}

/// By articulated bodies; springs, friction, laws and wrenches by differentiating their expressions. For joint rates as speeds.
AccelerationDerivatives by_articulated_bodies(const Derivation& self) {
  const Symbols& symbols = *self.symbols;
  const std::size_t n = symbols.u.size();
  const std::vector<Expr> loads = load_forces(self, true);
  std::vector<Expr> forces = self.actuator_forces();
  for (std::size_t k = 0; k < n; ++k) forces[k] -= loads[k];
  const Motion<Expr> motion = motion_at(self.tree, symbols.q);
  ArticulatedDerivatives<Expr> work(self.tree);
  AccelerationDerivatives result;
  result.udot.resize(n);
  for (Matrix* part : {&result.by_place, &result.by_speed, &result.by_force}) part->resize(n * n);
  articulated_derivatives(self.tree, symbols.u.data(), forces.data(), motion, work, result.udot.data(),
                          result.by_place.data(), result.by_speed.data(), result.by_force.data());
  subtract_product(result.by_place, result.by_force, derivatives_by_place(self, loads), n);
  subtract_product(result.by_speed, result.by_force, algebra::jacobian(loads, symbols.u), n);
  leave_actuated(self, result.by_force);
  return result;
}

AccelerationDerivatives acceleration_derivatives(const Derivation& self, DerivativeMethod method) {
  if (method == DerivativeMethod::graph || !self.speeds.identity) return by_factors(self, method);
  self.require_a_matrix();
  if (method == DerivativeMethod::recursion || depth_of(self.raw) > kFactoredDepth)
    return by_articulated_bodies(self);
  AccelerationDerivatives factors = by_factors(self, method), articulated = by_articulated_bodies(self);
  return cost(articulated.roots()) < kFewer * cost(factors.roots()) ? articulated : factors;
}

}  // namespace

Function forward_derivatives(const Equations& equations, DerivativeMethod method) {
  describe::require_inertia(equations.model(), "forward dynamics");
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  AccelerationDerivatives d = acceleration_derivatives(self, method);
  return self.function(
      "forward_derivatives", "Rates of the speeds for given forces, and their derivatives.",
      symbols.inputs(true, {symbols.forces_block()}, true),
      {block("udot", "rates of the speeds [rad/s^2, m/s^2]", self.nv(), 1, d.udot),
       square("udot_q", "d udot / d q, along the joint rates", self.nv(), std::move(d.by_place)),
       square("udot_u", "d udot / d u", self.nv(), std::move(d.by_speed)),
       square("udot_tau", "d udot / d tau", self.nv(), std::move(d.by_force))});
}

}  // namespace tactus::derive
