#include <tactus/derive/constraints/embedding.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/constraints/linear_solution.h>
#include <tactus/derive/readable/fraction.h>

namespace tactus::derive {

Embedded embed(const std::vector<Expr>& M, const std::vector<Expr>& Q, const std::vector<Expr>& A,
               const std::vector<Expr>& c, const std::vector<Expr>& gamma, const std::vector<Expr>& u,
               const std::vector<int>& dependent, const std::function<void()>& refuse) {
  const std::size_t n = u.size(), m = dependent.size();
  std::vector<std::size_t> dep(dependent.begin(), dependent.end()), ind;
  for (std::size_t k = 0; k < n; ++k)
    if (std::find(dep.begin(), dep.end(), k) == dep.end()) ind.push_back(k);

  // u_d from the rows at velocity level.
  std::vector<Expr> A_d(m * m), rhs(m), u_i, u_d;
  for (const std::size_t k : ind) u_i.push_back(u[k]);
  for (const std::size_t k : dep) u_d.push_back(u[k]);
  for (std::size_t row = 0; row < m; ++row) {
    rhs[row] = -c[row];
    for (const std::size_t k : ind) rhs[row] -= A[row * n + k] * u[k];
    for (std::size_t col = 0; col < m; ++col) A_d[row * m + col] = A[row * n + dep[col]];
  }
  const std::vector<Expr> solved = solve_linear(A_d, rhs, refuse);
  Embedded result;
  result.D = algebra::jacobian(solved, u_i);
  for (Expr& x : result.D) x = reduced(x);
  const std::vector<Expr> nothing(u_i.size());
  result.d = algebra::substitute(solved, algebra::Graph::current(), u_i, nothing);
  const auto without_dependent = [&](const std::vector<Expr>& x) {
    return algebra::substitute(x, algebra::Graph::current(), u_d, solved);
  };
  result.delta = solve_linear(A_d, without_dependent(gamma), refuse);

  // T = [1; D] by columns of independent speeds.
  const std::size_t p = ind.size();
  const auto T = [&](std::size_t k, std::size_t r) {
    const auto at = std::find(dep.begin(), dep.end(), k);
    if (at == dep.end()) return Expr(ind[r] == k ? 1.0 : 0.0);
    return result.D[static_cast<std::size_t>(at - dep.begin()) * p + r];
  };
  const std::vector<Expr> Q_free = without_dependent(Q);
  std::vector<Expr> rest(n);  // Q - M [0; delta]
  for (std::size_t k = 0; k < n; ++k) {
    rest[k] = Q_free[k];
    for (std::size_t col = 0; col < m; ++col) rest[k] -= M[k * n + dep[col]] * result.delta[col];
  }
  result.M.assign(p * p, Expr());
  result.Q.assign(p, Expr());
  for (std::size_t r = 0; r < p; ++r) {
    for (std::size_t k = 0; k < n; ++k) {
      const Expr T_kr = T(k, r);
      if (algebra::is_zero(T_kr)) continue;
      result.Q[r] += T_kr * rest[k];
      for (std::size_t s = 0; s < p; ++s)
        for (std::size_t l = 0; l < n; ++l) result.M[r * p + s] += T_kr * M[k * n + l] * T(l, s);
    }
  }
  return result;
}

}  // namespace tactus::derive
