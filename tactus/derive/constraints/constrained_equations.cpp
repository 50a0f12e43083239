// The functions of Equations that constraints, contact and parametric coordinates need.
#include <tactus/derive/equations_implementation.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

const std::vector<ConstraintRow>& Equations::constraint_rows() const {
  return implementation_->constraints.rows;
}
const std::vector<std::string>& Equations::vanished_rows() const {
  return implementation_->constraints.vanished;
}

Function Equations::constraint_terms() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  return self.function("constraint_terms", "The constraints at position, velocity and acceleration level.",
                       self.symbols->inputs(true, {}, false), self.constraint_blocks());
}

Function Equations::constrained_terms() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  Implementation::Balance balance = self.balance();
  std::vector<Block> outputs{block("M", "mass matrix", nv(), nv(), std::move(balance.M)),
                             block("Q", "W^T tau + wrenches - h", nv(), 1, std::move(balance.Q))};
  for (Block& b : self.constraint_blocks()) outputs.push_back(std::move(b));
  outputs.push_back(block("qdot", "rates of the coordinates", nq(), 1,
                          derive::coordinate_rates(self.model, symbols, self.speeds.rates)));
  return self.function("constrained_terms", "All that a constrained step needs.",
                       symbols.inputs(true, {symbols.forces_block()}, true), std::move(outputs));
}

Function Equations::constrained_dynamics(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  describe::require_inertia(self.model, "the constrained motion");
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  algebra::SparseRows A(static_cast<std::size_t>(nv()));
  std::vector<Expr> gamma;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!active_rows.empty() && !active_rows[k]) continue;
    A.add_row(self.constraints.A.row(k));
    gamma.push_back(self.constraints.gamma[k]);
  }
  const int m = static_cast<int>(gamma.size());
  Implementation::TreeBalance balance = self.tree_balance();
  ConstrainedSolution solution = solve_constrained(std::move(balance.M), std::move(balance.Q), A, gamma);
  return self.function(
      "constrained_dynamics",
      "Constrained rates of the speeds, and multipliers: M udot + h = tau + A^T lambda.",
      symbols.inputs(true, {symbols.forces_block()}, true),
      {block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv(), 1, std::move(solution.udot)),
       block("qdot", "rates of the coordinates", nq(), 1,
             derive::coordinate_rates(self.model, symbols, self.speeds.rates)),
       block("lambda", "multipliers of the active rows [N, N m]", m, 1, std::move(solution.lambda)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows\' own squares", m, 1, std::move(solution.pivots))});
}

Function Equations::constraint_step(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  describe::require_inertia(self.model, "a step of the constrained motion");
  const Graph::Scope scope(*self.graph);
  const auto n = static_cast<std::size_t>(nv());
  algebra::SparseRows A(n);
  std::vector<Expr> error;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!active_rows.empty() && !active_rows[k]) continue;
    A.add_row(self.constraints.A.row(k));
    error.push_back(algebra::symbol("error_" + std::to_string(error.size())));
  }
  const int m = static_cast<int>(error.size());
  // The constrained motion from rest with gamma = error and no forces.
  ConstrainedSolution solution = solve_constrained(self.tree_mass_matrix(), std::vector<Expr>(n), A, error);
  return self.function(
      "constraint_step", "The smallest change of the speeds that changes A u by the error.",
      self.symbols->inputs(false, {block("error", "errors of the active rows", m, 1, error)}, false),
      {block("du", "change of the speeds", nv(), 1, std::move(solution.udot)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows\' own squares", m, 1, std::move(solution.pivots))});
}

const std::vector<SpeedBlock>& Equations::blocks() const { return implementation_->blocks.blocks; }

int Equations::block_of_body(int body) const {
  return implementation_->blocks.block_of_body[static_cast<std::size_t>(body)];
}

Function Equations::contact_terms(const std::vector<int>& bodies) const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  const Symbols& symbols = *self.symbols;
  Implementation::BlockBalance balance = self.block_balance();
  std::vector<Block> outputs{block("qdot", "rates of the coordinates", nq(), 1,
                                   derive::coordinate_rates(self.model, symbols, self.speeds.rates)),
                             block("Q", "W^T tau + wrenches - h", nv(), 1, std::move(balance.Q))};
  for (std::size_t k = 0; k < balance.M.size(); ++k) {
    const int n = static_cast<int>(blocks()[k].speeds.size());
    outputs.push_back(
        block("M_" + std::to_string(k), "mass matrix of a block", n, n, std::move(balance.M[k])));
  }
  for (Block& b : self.constraint_blocks()) {
    if (b.rows > 0 && b.name != "A" && b.name != "c") outputs.push_back(std::move(b));
  }
  for (std::size_t k = 0; k < blocks().size(); ++k) {
    const SpeedBlock& b = blocks()[k];
    if (b.rows.empty()) continue;
    std::vector<Expr> A(b.rows.size() * b.speeds.size());
    for (std::size_t r = 0; r < b.rows.size(); ++r)
      for (const auto& entry : self.constraints.A.row(static_cast<std::size_t>(b.rows[r])))
        A[r * b.speeds.size() + static_cast<std::size_t>(self.blocks.place[entry.column])] = entry.value;
    outputs.push_back(block("A_" + std::to_string(k), "constraint rows of a block in its speeds",
                            static_cast<int>(b.rows.size()), static_cast<int>(b.speeds.size()),
                            std::move(A)));
  }
  const BodyTerms terms(self.raw, motion_at(self.raw, symbols.q), self.speeds, self.blocks);
  for (const int body : bodies) {
    if (body > 0) terms.append(body, outputs);
  }
  return self.function("contact_terms", "All that a step with contact needs, by blocks.",
                       symbols.inputs(true, {symbols.forces_block()}, true), std::move(outputs));
}

bool Equations::has_parametric() const { return implementation_->parametric.has_value(); }

const std::vector<char>& Equations::rows_left_by_parametric() const {
  TACTUS_CHECK(has_parametric());
  return implementation_->parametric->left;
}

Function Equations::parametric_place() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  std::vector<Block> inputs = self.parametric_inputs(false);
  std::erase_if(inputs, [](const Block& b) { return b.name == "zd"; });
  return self.function(
      "parametric_place", "Coordinates that belong to z: q = psi(z, t).", std::move(inputs),
      {block("q", "coordinates [rad, m]", nq(), 1, map.q),
       block("J", "dq/dz", nq(), static_cast<int>(map.z.size()), algebra::jacobian(map.q, map.z))});
}

Function Equations::parametric_motion() const {
  const Implementation& self = *implementation_;
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  return self.function(
      "parametric_motion", "Coordinates and speeds that belong to z: q = psi(z, t).",
      self.parametric_inputs(false),
      {block("q", "coordinates [rad, m]", nq(), 1, map.q),
       block("u", "generalised speeds [rad/s, m/s]", nv(), 1, map.u),
       block("T", "u = T zd + (what does not depend on zd)", nv(), static_cast<int>(map.z.size()), map.T),
       block("b", "udot = T zdd + b", nv(), 1, map.b)});
}

Function Equations::parametric_dynamics(const std::vector<bool>& active_rows) const {
  const Implementation& self = *implementation_;
  describe::require_inertia(self.model, "the motion in parametric coordinates");
  const Graph::Scope scope(*self.graph);
  TACTUS_CHECK(has_parametric());
  const ParametricMap& map = *self.parametric;
  const auto n = static_cast<std::size_t>(nv());
  const std::size_t nz = map.z.size();
  algebra::SparseRows A(n);
  std::vector<Expr> gamma;
  for (std::size_t k = 0; k < self.constraints.rows.size(); ++k) {
    if (!map.left[k] || (!active_rows.empty() && !active_rows[k])) continue;
    A.add_row(self.constraints.A.row(k));
    gamma.push_back(self.constraints.gamma[k]);
  }
  const int m = static_cast<int>(gamma.size());
  const Implementation::SparseBalance balance = self.sparse_balance();
  ParametricProblem problem = reduce(map, *self.symbols, balance.M, balance.Q, A, gamma);
  std::vector<int> chain(nz);  // every parameter couples with every other
  for (std::size_t c = 0; c < nz; ++c) chain[c] = static_cast<int>(c) - 1;
  ConstrainedSolution solution =
      solve_constrained(TreeMatrix<Expr>(std::move(chain), problem.M), std::move(problem.Q),
                        algebra::SparseRows(problem.A, nz), problem.gamma);
  std::vector<Expr> udot = map.b;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < nz; ++c) udot[i] += map.T[i * nz + c] * solution.udot[c];
  std::vector<Expr> qdot = map.in_parameters(
      derive::coordinate_rates(self.model, *self.symbols, self.speeds.rates), *self.symbols);
  const int rows = static_cast<int>(nz);
  return self.function(
      "parametric_dynamics", "Accelerations in parametric coordinates: q = psi(z, t).",
      self.parametric_inputs(true),
      {block("zdd", "accelerations of the parameters", rows, 1, std::move(solution.udot)),
       block("udot", "rates of the speeds [rad/s^2, m/s^2]", nv(), 1, std::move(udot)),
       block("qdot", "rates of the coordinates", nq(), 1, std::move(qdot)),
       block("compliances", "large where T loses its rank", rows, 1, std::move(solution.compliances)),
       block("distances", "squared, of each row from those before it: small where rows depend on each other",
             m, 1, std::move(solution.distances)),
       block("pivots", "the distances by the rows' own squares", m, 1, std::move(solution.pivots))});
}

}  // namespace tactus::derive
