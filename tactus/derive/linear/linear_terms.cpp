#include <tactus/derive/linear/linear_terms.h>

#include <algorithm>
#include <string>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {

namespace {

using algebra::Block;

const std::vector<Expr>& entries(const std::vector<Block>& blocks, std::string_view name) {
  const Block* block = block_named(blocks, name);
  TACTUS_CHECK(block != nullptr);
  return block->entries;
}

std::vector<Expr> inputs_named(const Function& function, std::string_view name) {
  const Block* block = block_named(function.inputs, name);
  return block != nullptr ? block->entries : std::vector<Expr>{};
}

}  // namespace

LinearTerms linear_terms(const Equations& equations) {
  const describe::Model& model = equations.model();
  const Function terms = equations.constrained_terms();
  const algebra::Graph::Scope scope(*terms.graph);
  const auto n = static_cast<std::size_t>(equations.nv());
  const std::vector<Expr> q = inputs_named(terms, "q"), u = inputs_named(terms, "u"),
                          tau = inputs_named(terms, "tau"), wrench = inputs_named(terms, "wrench");
  const Function inverse = equations.inverse_dynamics();
  const std::vector<Expr> udot = inputs_named(inverse, "udot");

  LinearTerms result;
  for (std::size_t k = 0; k < equations.constraint_rows().size(); ++k) {
    const auto constraint = static_cast<std::size_t>(equations.constraint_rows()[k].constraint);
    if (model.constraints[constraint].active) result.rows.push_back(k);
  }
  const std::size_t m = result.rows.size();
  std::vector<Expr> lambda, Phi, V, A, gamma;
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t row = result.rows[k];
    lambda.push_back(algebra::symbol("lambda_" + std::to_string(k + 1)));
    Phi.push_back(entries(terms.outputs, "Phi")[row]);
    V.push_back(entries(terms.outputs, "velocity")[row]);
    gamma.push_back(entries(terms.outputs, "gamma")[row]);
    const auto first = entries(terms.outputs, "A").begin() + static_cast<std::ptrdiff_t>(row * n);
    A.insert(A.end(), first, first + static_cast<std::ptrdiff_t>(n));
  }

  // With joint rates for speeds Newton and Euler's recursion has fewer operations to differentiate than M udot + h.
  const std::vector<Expr>&M = entries(terms.outputs, "M"), &Q = entries(terms.outputs, "Q");
  const bool joint_rates = model.speeds.definition == describe::Speeds::Definition::joint_rates;
  std::vector<Expr> F(n), G(m);
  const std::vector<Expr> F_tau = algebra::jacobian(Q, tau);
  for (std::size_t i = 0; i < n; ++i) {
    if (joint_rates) {
      F[i] = inverse.outputs.front().entries[i];
      for (std::size_t j = 0; j < n; ++j) F[i] -= F_tau[i * n + j] * tau[j];
    } else {
      F[i] = -Q[i];
      for (std::size_t j = 0; j < n; ++j) F[i] += M[i * n + j] * udot[j];
    }
    for (std::size_t k = 0; k < m; ++k) F[i] -= A[k * n + i] * lambda[k];
  }
  for (std::size_t k = 0; k < m; ++k) {
    G[k] = -gamma[k];
    for (std::size_t i = 0; i < n; ++i) G[k] += A[k * n + i] * udot[i];
  }
  const Function rates = equations.coordinate_rates();
  const std::vector<Expr>& qd = entries(rates.outputs, "qd");

  std::vector<Block> outputs;
  const auto add = [&](const char* name, const char* meaning, std::size_t rows, std::size_t columns,
                       std::vector<Expr> values) {
    outputs.push_back({name, meaning, static_cast<int>(rows), static_cast<int>(columns), std::move(values)});
  };
  std::vector<Expr> minus_tau = F_tau;
  for (Expr& x : minus_tau) x = -x;
  const std::size_t nq = q.size();
  add("M", "mass matrix", n, n, M);
  add("F", "M udot - Q - A^T lambda", n, 1, F);
  add("F_q", "its derivative by q", n, nq, algebra::jacobian(F, q));
  add("F_u", "by u", n, n, algebra::jacobian(F, u));
  add("F_tau", "by tau", n, n, std::move(minus_tau));
  if (!wrench.empty()) add("F_wrench", "by the wrenches", n, wrench.size(), algebra::jacobian(F, wrench));
  add("Phi", "position errors of the active rows", m, 1, Phi);
  add("Phi_q", "their derivative by q", m, nq, algebra::jacobian(Phi, q));
  add("V", "velocity errors A u + c", m, 1, V);
  add("V_q", "their derivative by q", m, nq, algebra::jacobian(V, q));
  add("A", "and by u", m, n, A);
  add("G", "A udot - gamma", m, 1, G);
  add("G_q", "its derivative by q", m, nq, algebra::jacobian(G, q));
  add("G_u", "by u", m, n, algebra::jacobian(G, u));
  add("qd", "joint rates", n, 1, qd);
  add("qd_q", "their derivative by q", n, nq, algebra::jacobian(qd, q));
  add("qd_u", "by u", n, n, algebra::jacobian(qd, u));

  std::vector<Block> inputs;
  for (const Block& block : terms.inputs) {
    if (block.name == "tau") inputs.push_back(*block_named(inverse.inputs, "udot"));
    if (block.name == "parameters")
      inputs.push_back({"lambda", "multipliers", static_cast<int>(m), 1, lambda});
    inputs.push_back(block);
  }
  if (block_named(inputs, "lambda") == nullptr)
    inputs.push_back({"lambda", "multipliers", static_cast<int>(m), 1, lambda});
  result.function = {"linear_terms", "Forces, constraints and their derivatives.", terms.graph,
                     std::move(inputs), std::move(outputs)};
  const std::vector<Expr> symbols = algebra::symbols_in(result.function.roots());
  result.depends_on_time =
      std::find(symbols.begin(), symbols.end(), entries(terms.inputs, "t").front()) != symbols.end();
  return result;
}

}  // namespace tactus::derive
