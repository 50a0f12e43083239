// The Coriolis matrix of Christoffel's symbols: M udot + C(q, u) u + g = tau, for any model, also with quaternions and with speeds that are no joint rates.
//
// With the rates of the coordinates for speeds, [Faulring2006, (6)-(7)],
//
//   C_ij = sum_k Gamma_ijk u_k,     Gamma_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)
//
// Gamma_ijk = Gamma_ikj, so that the velocity's products b = C u have db_i/du_j = 2 C_ij: half the derivative of what Newton's and Euler's recursion gives without
// weight is C, and no mass matrix is differentiated. Speeds that are no rates of coordinates (the angular velocity of a ball joint, those that a model defines) have fields of
// directions X_k that do not commute, [X_k, X_j] = sum_l c^l_kj X_l. Koszul's formula of the connection that has no torsion and keeps M then adds
//
//   C = 1/2 db/du + 1/2 M c(u),     c(u)_lj = sum_k c^l_kj u_k,     c(u) u = 0
//
// At a ball joint c(u) is the cross product with its angular velocity, at a free joint [w~ 0; v~ w~]. With qd = W u, u = Y qd, and c_q of the joints' rates,
//
//   c(u) = Y (c_q(qd) W + Wd - d(W u)/dplace W)
//
// In every case C u are the velocity's products, and Md - 2 C is skew: forces C u do no work but what changes M.
#pragma once

#include <tactus/derive/equations.h>

namespace tactus::derive {

/// inputs t q u parameters -> C [nv x nv], of the open tree. Throws InputError where speeds have a part that is not u's: qd = W u + X with X, or W of time.
Function coriolis_matrix(const Equations& equations);

}  // namespace tactus::derive
