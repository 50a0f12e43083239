// Parametric coordinates z, in which the holonomic constraints hold by themselves [Faulring2006, (14)-(16)]:
//
//   q = psi(z, t),    u = Y(q, t) qd + Z(q, t) = T(z, t) zd + s(z, t),    udot = T zdd + b
//
// with T = du/dzd and b = (rate of u at zdd = 0). From M udot = Q + A^T lambda and A udot = gamma,
//
//   (T^T M T) zdd = T^T (Q - M b) + (A T)^T lambda,    (A T) zdd = gamma - A b
//
// A T = 0 for the rows that psi satisfies; the rows left are those of rolling. With psi in place of q, all of
// it is one expression graph.
#pragma once

#include <vector>

#include <tactus/derive/constraints/constraints.h>

namespace tactus::derive {

struct ParametricMap {
  std::vector<Expr> z, zd;  // symbols
  std::vector<Expr> q, u;   // psi, and the speeds
  std::vector<Expr> T, b;   // nv x nz by rows, nv
  std::vector<char> left;   // [rows] whether psi leaves the row to be held

  /// Expressions in q, u and t as expressions in z, zd and t.
  std::vector<Expr> in_parameters(const std::vector<Expr>& roots, const Symbols& symbols) const;
};

/// The model gives psi. Throws InputError where psi breaks a constraint that is active from the start, or has
/// more or fewer parameters than the constraints leave freedoms.
ParametricMap derive_parametric(const describe::Model& model, const Symbols& symbols, const SpeedMap& speeds,
                                const ConstraintEquations& constraints, const Numbers& numbers);

struct ParametricProblem {
  std::vector<Expr> M, Q;      // T^T M T, T^T (Q - M b)
  std::vector<Expr> A, gamma;  // of the given rows: A T, gamma - A b
};
ParametricProblem reduce(const ParametricMap& map, const Symbols& symbols, const algebra::SparseRows& M,
                         const std::vector<Expr>& Q, const algebra::SparseRows& A,
                         const std::vector<Expr>& gamma);

}  // namespace tactus::derive
