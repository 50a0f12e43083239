// Constraints embedded symbolically: dependent speeds eliminated from given equations, without deriving anew.
//
//   A_i u_i + A_d u_d + c = 0   =>   u_d = D u_i + d,    udot_d = D udot_i + delta
//   M~ = T^T M T,   Q~ = T^T (Q - M [0; delta]),   T = [1; D]                     [Gillespie2003, (44), (45)]
//
// Kane's F~_r = F_r + sum_s D_sr F_s is the same recombination, of active and of inertia forces.
#pragma once

#include <functional>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::derive {

struct Embedded {
  std::vector<algebra::Expr> D;         // dependent x independent
  std::vector<algebra::Expr> d, delta;  // per dependent speed
  std::vector<algebra::Expr> M, Q;      // of the independent speeds: M~ udot_i = Q~
};

/// M (n x n), Q, the rows A (m x n), c, gamma, and the speeds u as symbols; `dependent` lists m of them. All
/// results are free of the dependent speeds. `refuse` is called where those cannot be solved for, and must
/// throw.
Embedded embed(const std::vector<algebra::Expr>& M, const std::vector<algebra::Expr>& Q,
               const std::vector<algebra::Expr>& A, const std::vector<algebra::Expr>& c,
               const std::vector<algebra::Expr>& gamma, const std::vector<algebra::Expr>& u,
               const std::vector<int>& dependent, const std::function<void()>& refuse);

}  // namespace tactus::derive
