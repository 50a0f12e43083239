#include <tactus/derive/constraints/constrained_derivatives.h>

#include <string>
#include <utility>

#include <tactus/derive/constraints/constrained.h>
#include <tactus/derive/equations_implementation.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

namespace {

using Matrix = std::vector<Expr>;  // by rows

/// F - tau by place and by speeds, as expressions of the accelerations, without the constraints' forces.
struct Balance {
  Matrix by_place, by_speed;
};

Balance balance_derivatives(const Derivation& self, DerivativeMethod method) {
  const Symbols& symbols = *self.symbols;
  if (self.speeds.identity) {
    ForceDerivatives d = force_derivatives(self, true, method);
    return {std::move(d.by_place), std::move(d.by_speed)};
  }
  const std::size_t n = symbols.u.size();
  const Derivation::Balance terms = self.balance();
  std::vector<Expr> F(n);
  for (std::size_t i = 0; i < n; ++i) {
    F[i] = -terms.Q[i];
    for (std::size_t j = 0; j < n; ++j) F[i] += terms.M[i * n + j] * symbols.udot[j];
  }
  return {derivatives_by_place(self, F), algebra::jacobian(F, symbols.u)};
}

}  // namespace

Function constrained_derivatives(const Equations& equations, const std::vector<bool>& active_rows,
                                 DerivativeMethod method) {
  describe::require_inertia(equations.model(), "the constrained motion");
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  const auto n = static_cast<std::size_t>(self.nv());
  algebra::SparseRows A(n);
  std::vector<Expr> gamma, lambda;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!active_rows.empty() && !active_rows[k]) continue;
    A.add_row(self.constraints.A.row(k));
    gamma.push_back(self.constraints.gamma[k]);
    lambda.push_back(algebra::symbol("lambda_" + std::to_string(k + 1)));
  }
  const std::size_t m = gamma.size();

  // The motion, and what its equations change by at fixed accelerations and multipliers.
  const auto terms = self.tree_balance();
  const ConstrainedSolution motion = solve_constrained(terms.M, terms.Q, A, gamma);
  Balance F = balance_derivatives(self, method);
  std::vector<Expr> pull(n), off(m);
  for (std::size_t k = 0; k < m; ++k) {
    off[k] = gamma[k];
    for (const auto& [i, a] : A.row(k)) {
      pull[i] += a * lambda[k];
      off[k] -= a * symbols.udot[i];
    }
  }
  Matrix off_q = derivatives_by_place(self, off), off_u = algebra::jacobian(off, symbols.u);
  const Matrix pull_q = derivatives_by_place(self, pull);
  Matrix force_q(n * n), force_u(n * n), force_tau = algebra::jacobian(terms.Q, symbols.tau);
  for (std::size_t k = 0; k < n * n; ++k) {
    force_q[k] = pull_q[k] - F.by_place[k];
    force_u[k] = -F.by_speed[k];
  }
  std::vector<Expr> unknowns = symbols.udot, values = motion.udot;
  unknowns.insert(unknowns.end(), lambda.begin(), lambda.end());
  values.insert(values.end(), motion.lambda.begin(), motion.lambda.end());
  for (Matrix* part : {&off_q, &off_u, &force_q, &force_u})
    *part = algebra::substitute(*part, *self.graph, unknowns, values);

  // Column by column. The factors are the same expressions each time, and hence made once.
  struct Columns {
    Matrix udot, lambda;
  };
  const auto solved = [&](const Matrix& force, const Matrix& rows) {
    Columns result{Matrix(n * n), Matrix(m * n)};
    for (std::size_t c = 0; c < n; ++c) {
      std::vector<Expr> Q(n), g(m);
      for (std::size_t i = 0; i < n; ++i) Q[i] = force[i * n + c];
      for (std::size_t k = 0; k < m && !rows.empty(); ++k) g[k] = rows[k * n + c];
      const ConstrainedSolution column = solve_constrained(terms.M, std::move(Q), A, g);
      for (std::size_t i = 0; i < n; ++i) result.udot[i * n + c] = column.udot[i];
      for (std::size_t k = 0; k < m; ++k) result.lambda[k * n + c] = column.lambda[k];
    }
    return result;
  };
  Columns by_q = solved(force_q, off_q), by_u = solved(force_u, off_u), by_tau = solved(force_tau, {});
  const int nv = self.nv(), rows = static_cast<int>(m);
  return self.function(
      "constrained_derivatives", "Constrained rates of the speeds and multipliers, and their derivatives.",
      symbols.inputs(true, {symbols.forces_block()}, true),
      {block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv, 1, motion.udot),
       block("lambda", "multipliers of the active rows [N, N m]", rows, 1, motion.lambda),
       block("udot_q", "d udot / d q, along the joint rates", nv, nv, std::move(by_q.udot)),
       block("udot_u", "d udot / d u", nv, nv, std::move(by_u.udot)),
       block("udot_tau", "d udot / d tau", nv, nv, std::move(by_tau.udot)),
       block("lambda_q", "d lambda / d q, along the joint rates", rows, nv, std::move(by_q.lambda)),
       block("lambda_u", "d lambda / d u", rows, nv, std::move(by_u.lambda)),
       block("lambda_tau", "d lambda / d tau", rows, nv, std::move(by_tau.lambda))});
}

}  // namespace tactus::derive
