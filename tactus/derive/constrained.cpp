#include <tactus/derive/constrained.h>

#include <tactus/derive/sparse_factor.h>

namespace tactus::derive {

using algebra::Expr;

namespace {

/// A vector by its entries that are not known to be zero.
struct Sparse {
  std::vector<std::size_t> at;
  std::vector<Expr> value;
};

Sparse sparse(const std::vector<Expr>& x) {
  Sparse result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (algebra::is_zero(x[i])) continue;
    result.at.push_back(i);
    result.value.push_back(x[i]);
  }
  return result;
}

/// sum_i x_i y_i
Expr dot(const Sparse& x, const Sparse& y) {
  Expr sum(0.0);
  for (std::size_t a = 0, b = 0; a < x.at.size() && b < y.at.size();) {
    if (x.at[a] == y.at[b]) {
      sum += x.value[a++] * y.value[b++];
    } else if (x.at[a] < y.at[b]) {
      ++a;
    } else {
      ++b;
    }
  }
  return sum;
}

}  // namespace

ConstrainedSolution solve_constrained(const std::vector<int>& parents, std::vector<Expr> M, std::vector<Expr> Q,
                                      const std::vector<Expr>& A, const std::vector<Expr>& gamma) {
  const std::size_t n = Q.size(), m = gamma.size();
  const int nv = static_cast<int>(n);
  factorise(parents, nv, M.data());
  const auto inverse_of_D = [&](std::size_t i) { return M[i * n + i]; };
  // x <- L^-T x
  const auto towards_ground = [&](std::vector<Expr>& x) {
    for (int i = nv - 1; i >= 0; --i) {
      const auto row = static_cast<std::size_t>(i);
      if (algebra::is_zero(x[row])) continue;
      for (int j = parents[row]; j >= 0; j = parents[static_cast<std::size_t>(j)]) {
        x[static_cast<std::size_t>(j)] -= M[row * n + static_cast<std::size_t>(j)] * x[row];
      }
    }
  };
  towards_ground(Q);
  std::vector<Sparse> z(m), y(m);  // z_k, and z_k / D
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<Expr> row(A.begin() + static_cast<std::ptrdiff_t>(k * n),
                          A.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    towards_ground(row);
    z[k] = sparse(row);
    y[k] = z[k];
    for (std::size_t e = 0; e < y[k].at.size(); ++e) y[k].value[e] *= inverse_of_D(y[k].at[e]);
  }
  // S = A M^-1 A^T, lower triangle, and the right-hand side.
  std::vector<Expr> S(m * m), lambda(m);
  const Sparse q = sparse(Q);
  for (std::size_t k = 0; k < m; ++k) {
    lambda[k] = gamma[k] - dot(y[k], q);
    for (std::size_t l = 0; l <= k; ++l) S[k * m + l] = dot(z[k], y[l]);
  }
  // S = G E G^T, G unit lower triangular; rows keep their sparsity where the order of the loops is natural.
  ConstrainedSolution result;
  std::vector<Expr> diagonal(m);
  for (std::size_t k = 0; k < m; ++k) diagonal[k] = S[k * m + k];
  for (std::size_t k = 0; k < m; ++k) {
    result.pivots.push_back(S[k * m + k] / diagonal[k]);
    const Expr inverse = Expr(1.0) / S[k * m + k];
    std::vector<std::size_t> below;
    for (std::size_t i = k + 1; i < m; ++i)
      if (!algebra::is_zero(S[i * m + k])) below.push_back(i);
    for (std::size_t b = 0; b < below.size(); ++b) {
      const std::size_t i = below[b];
      const Expr g = S[i * m + k] * inverse;
      for (std::size_t c = 0; c <= b; ++c) S[i * m + below[c]] -= g * S[below[c] * m + k];
    }
    for (const std::size_t i : below) S[i * m + k] *= inverse;
    S[k * m + k] = inverse;
  }
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (!algebra::is_zero(S[k * m + l])) lambda[k] -= S[k * m + l] * lambda[l];
  for (std::size_t k = m; k-- > 0;) {
    lambda[k] *= S[k * m + k];
    for (std::size_t i = k + 1; i < m; ++i)
      if (!algebra::is_zero(S[i * m + k])) lambda[k] -= S[i * m + k] * lambda[i];
  }
  // udot = L^-1 D^-1 (L^-T Q + sum_k z_k lambda_k)
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t e = 0; e < z[k].at.size(); ++e) Q[z[k].at[e]] += z[k].value[e] * lambda[k];
  for (std::size_t i = 0; i < n; ++i) {
    Q[i] *= inverse_of_D(i);
    for (int j = parents[i]; j >= 0; j = parents[static_cast<std::size_t>(j)]) {
      Q[i] -= M[i * n + static_cast<std::size_t>(j)] * Q[static_cast<std::size_t>(j)];
    }
  }
  result.udot = std::move(Q);
  result.lambda = std::move(lambda);
  return result;
}

}  // namespace tactus::derive
