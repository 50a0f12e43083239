// What the linear model of a mechanism with constraints is made of, as one function: the balances of forces, the constraints at
// three levels, and their exact derivatives.
//
//   F(q, u, udot, lambda, tau, t) = M udot - Q - A^T lambda = 0       Q = W^T tau + wrenches - h
//   G(q, u, udot, t)              = A udot - gamma          = 0
//   V(q, u, t)                    = A u + c                 = 0
//   Phi(q, t)                                               = 0       rows with a position level
//
// Derivatives by q are by its nq numbers; along N(q), qdot = N qd, they are those of the place itself, also where the place has a
// quaternion. lambda is an input: differentiating F at held multipliers is exact, because delta lambda drops out in every
// direction that the constraints allow.
#pragma once

#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::derive {

struct LinearTerms {
  /// inputs t q u udot tau wrench lambda parameters ->
  ///   M [n x n], F [n], F_q [n x nq], F_u [n x n], F_tau [n x n], F_wrench [n x 6 each]
  ///   Phi [m], Phi_q [m x nq] (zero for rows without a position level), V [m], V_q [m x nq], A [m x n]
  ///   G [m], G_q [m x nq], G_u [m x n]
  ///   qd [n], qd_q [n x nq], qd_u [n x n]: the joint rates
  Function function;
  std::vector<std::size_t> rows;  // those of the active constraints, into Equations::constraint_rows()
  bool depends_on_time = false;   // something above is a function of t
};

LinearTerms linear_terms(const Equations& equations);

}  // namespace tactus::derive
