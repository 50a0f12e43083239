// Exact derivatives of constrained forward dynamics: of accelerations and multipliers by place, speeds and forces.
//
// The motion obeys
//
//   F(q, u, udot) = tau + A^T lambda,     A udot = gamma(q, u)
//
// with inverse dynamics F, whose derivatives come from the recursion (recursion/derivatives.h) at the motion's own accelerations. A change
// of the state changes both equations,
//
//   M d udot = A^T d lambda + d tau - F_q dq - F_u du + (A^T lambda)_q dq
//   A d udot = (gamma - A udot)_q dq + gamma_u du,
//
// which is the constrained motion once more, with other right sides: every column is solved with the factors of M and of A M^-1 A^T that
// udot and lambda are made with (constrained.h), as the graph has them already. Derivatives of the rows, A^T lambda at fixed multipliers
// and A udot - gamma at fixed accelerations, are taken on the graph.
#pragma once

#include <vector>

#include <tactus/derive/linear/motion_derivatives.h>

namespace tactus::derive {

/// inputs t q u tau wrench parameters -> udot [nv], lambda [m], udot_q, udot_u, udot_tau [nv x nv], lambda_q, lambda_u, lambda_tau
/// [m x nv], for the active rows (empty: all). By q along the joint rates, as all derivatives by place. Speeds that are no joint rates
/// have their balance differentiated on the graph.
Function constrained_derivatives(const Equations& equations, const std::vector<bool>& active_rows = {},
                                 DerivativeMethod method = DerivativeMethod::automatic);

}  // namespace tactus::derive
