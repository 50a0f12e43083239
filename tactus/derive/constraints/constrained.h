// Constrained forward dynamics by multipliers, unrolled for regular configurations [Faulring2006, (11)-(13)].
//
//   M udot = Q + A^T lambda,    A udot = gamma      =>     (A M^-1 A^T) lambda = gamma - A M^-1 Q
//
// With M = L^T D L: z_k = L^-T a_k for each row a_k of A, so (A M^-1 A^T)_kl = sum_i z_ki z_li / D_i. Zeros
// fold away: the matrix of a ladder of loops is block-tridiagonal by itself, and its factors grow in
// proportion to its length. No pivoting: the pivots are outputs. Each is the squared distance of a row from
// the span of those before it, in the metric of the inverse of M; a small one, by the row's natural size,
// says that rows depend on each other or that one vanishes, and the rank-revealing road has to take over.
#pragma once

#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/sparse_rows.h>
#include <tactus/derive/tree/tree_matrix.h>

namespace tactus::derive {

struct ConstrainedSolution {
  std::vector<algebra::Expr> udot, lambda;
  std::vector<algebra::Expr>
      distances;                      // squared, of each row from the span of those before it: 0 if dependent
  std::vector<algebra::Expr> pivots;  // the same by the row's own square: 1 for rows that are alone
  std::vector<algebra::Expr> compliances;  // 1/D: large where M is nearly singular
};

/// M of the speeds and their coupling, Q = tau - h, rows A (m x nv) and gamma.
ConstrainedSolution solve_constrained(TreeMatrix<algebra::Expr> M, std::vector<algebra::Expr> Q,
                                      const algebra::SparseRows& A, const std::vector<algebra::Expr>& gamma);

}  // namespace tactus::derive
