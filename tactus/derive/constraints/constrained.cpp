#include <tactus/derive/constraints/constrained.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace tactus::derive {

using algebra::Expr;

namespace {

/// A vector by its entries that are not known to be zero, in order.
struct Sparse {
  std::vector<std::size_t> at;
  std::vector<Expr> value;

  void append(std::size_t index, Expr x) {
    at.push_back(index);
    value.push_back(x);
  }
};

Sparse sparse(const std::vector<Expr>& x) {
  Sparse result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (algebra::is_zero(x[i])) continue;
    result.append(i, x[i]);
  }
  return result;
}

/// sum_i x_i y_i. Of a longer y only the part is looked at in which x has entries.
Expr dot(const Sparse& x, const Sparse& y) {
  Expr sum(0.0);
  if (x.at.empty()) return sum;
  const auto begin = std::lower_bound(y.at.begin(), y.at.end(), x.at.front());
  for (std::size_t a = 0, b = static_cast<std::size_t>(begin - y.at.begin());
       a < x.at.size() && b < y.at.size();) {
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

ConstrainedSolution solve_constrained(TreeMatrix<Expr> M, std::vector<Expr> Q, const algebra::SparseRows& A,
                                      const std::vector<Expr>& gamma) {
  const std::size_t n = Q.size(), m = gamma.size();
  const int nv = static_cast<int>(n);
  M.factorise();
  const std::vector<int>& parents = M.parents();
  const auto inverse_of_D = [&](std::size_t i) { return M.at(i, i); };
  ConstrainedSolution result;
  for (std::size_t i = 0; i < n; ++i) result.compliances.push_back(inverse_of_D(i));
  // x <- L^-T x
  const auto towards_ground = [&](std::vector<Expr>& x) {
    for (int i = nv - 1; i >= 0; --i) {
      const auto row = static_cast<std::size_t>(i);
      if (algebra::is_zero(x[row])) continue;
      for (int j = parents[row]; j >= 0; j = parents[static_cast<std::size_t>(j)]) {
        x[static_cast<std::size_t>(j)] -= M.at(row, static_cast<std::size_t>(j)) * x[row];
      }
    }
  };
  towards_ground(Q);
  // Row by row: z_k, and z_k / D; row k of S = A M^-1 A^T = G E G^T, G unit lower triangular; forward
  // substitution. The order is that of the generated code: the divisions of G E G^T, each waiting for the one
  // before, stand among the sums that do not wait. Rows of G keep their sparsity where the order of the loops
  // is natural.
  std::vector<Sparse> z(m), y(m), G(m), GE(m);  // of G and G E the entries before the diagonal
  std::vector<Expr> inverse_of_E(m), lambda(m);
  const Sparse q = sparse(Q);
  // S_kl is zero but for rows l that have a speed in common with row k, or whose G has an entry in common with that of row k: these are looked at,
  // in their order, and no others.
  std::vector<std::vector<std::size_t>> rows_of_speed(n), rows_of_G(m);
  // x <- L^-T x of a row has entries at its own speeds and at those on their ways to the ground: from the last to the first, as above.
  std::vector<Expr> x(n);
  std::vector<char> reached(n, 0);
  const auto carried_to_ground = [&](std::span<const algebra::SparseRows::Entry> row) {
    std::vector<std::size_t> at;
    for (const auto& entry : row) {
      x[entry.column] = entry.value;
      for (int j = static_cast<int>(entry.column); j >= 0 && !reached[static_cast<std::size_t>(j)];
           j = parents[static_cast<std::size_t>(j)]) {
        reached[static_cast<std::size_t>(j)] = 1;
        at.push_back(static_cast<std::size_t>(j));
      }
    }
    std::sort(at.begin(), at.end());
    for (auto i = at.rbegin(); i != at.rend(); ++i) {
      if (algebra::is_zero(x[*i])) continue;
      for (int j = parents[*i]; j >= 0; j = parents[static_cast<std::size_t>(j)])
        x[static_cast<std::size_t>(j)] -= M.at(*i, static_cast<std::size_t>(j)) * x[*i];
    }
    Sparse result;
    for (const std::size_t i : at) {
      if (!algebra::is_zero(x[i])) result.append(i, x[i]);
      x[i] = Expr();
      reached[i] = 0;
    }
    return result;
  };
  for (std::size_t k = 0; k < m; ++k) {
    z[k] = carried_to_ground(A.row(k));
    y[k] = z[k];
    for (std::size_t e = 0; e < y[k].at.size(); ++e) y[k].value[e] *= inverse_of_D(y[k].at[e]);
    lambda[k] = gamma[k] - dot(y[k], q);
    const Expr diagonal = dot(z[k], y[k]);
    Expr pivot = diagonal;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> open;
    for (const std::size_t i : z[k].at)
      for (const std::size_t l : rows_of_speed[i]) open.push(l);
    while (!open.empty()) {
      const std::size_t l = open.top();
      while (!open.empty() && open.top() == l) open.pop();
      const Expr s = dot(z[k], y[l]) - dot(GE[k], G[l]);
      if (algebra::is_zero(s)) continue;
      for (const std::size_t later : rows_of_G[l]) open.push(later);
      const Expr g = s * inverse_of_E[l];
      GE[k].append(l, s);
      G[k].append(l, g);
      pivot -= g * s;
      lambda[k] -= g * lambda[l];
    }
    for (const std::size_t i : z[k].at) rows_of_speed[i].push_back(k);
    for (const std::size_t l : G[k].at) rows_of_G[l].push_back(k);
    result.distances.push_back(pivot);
    result.pivots.push_back(pivot / diagonal);
    inverse_of_E[k] = Expr(1.0) / pivot;
  }
  // Back: lambda, and with it udot = L^-1 D^-1 (L^-T Q + sum_k z_k lambda_k), each speed as soon as the
  // multipliers that reach it or its ancestors are known.
  std::vector<std::vector<std::size_t>> complete_at(m + 1);  // by the first row that matters; at m: none does
  std::vector<std::size_t> first(n, m);
  for (std::size_t k = m; k-- > 0;)
    for (const std::size_t i : z[k].at) first[i] = k;
  for (std::size_t i = 0; i < n; ++i) {
    if (parents[i] >= 0) first[i] = std::min(first[i], first[static_cast<std::size_t>(parents[i])]);
    complete_at[first[i]].push_back(i);
  }
  const auto complete = [&](std::size_t i) {
    Q[i] *= inverse_of_D(i);
    for (int j = parents[i]; j >= 0; j = parents[static_cast<std::size_t>(j)]) {
      Q[i] -= M.at(i, static_cast<std::size_t>(j)) * Q[static_cast<std::size_t>(j)];
    }
  };
  for (const std::size_t i : complete_at[m]) complete(i);
  for (std::size_t k = 0; k < m; ++k) lambda[k] *= inverse_of_E[k];
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t e = 0; e < G[k].at.size(); ++e) lambda[G[k].at[e]] -= G[k].value[e] * lambda[k];
    for (std::size_t e = 0; e < z[k].at.size(); ++e) Q[z[k].at[e]] += z[k].value[e] * lambda[k];
    for (const std::size_t i : complete_at[k]) complete(i);
  }
  result.udot = std::move(Q);
  result.lambda = std::move(lambda);
  return result;
}

}  // namespace tactus::derive
