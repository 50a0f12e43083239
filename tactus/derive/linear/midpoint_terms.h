// What a step of the implicit midpoint rule asks of a mechanism, as functions of their own: none computes what another is asked for.
//
//   M (u1 - u0) = h Q + A^T lambda - a M u_m,      M = (M(q0) + M(q1))/2,  Q and A at the place q_m and the speeds u_m in the middle
//
// The matrix of its Newton step, with c = h/2 and du = u1 - u0, is
//
//   J = M + c/2 d(M(q1) du)/d place B_1 - (c Q_u + c^2 Q_place B)
//
// where u_m moves by half of what u1 does, the middle by c/2 B and the end by c B_1 times that. Where the speeds are joint rates B = E, B_1 = E_1: one but for
// quaternions. With q_m = q0 exp(phi), q1 = q0 exp(2 phi), phi = c w, a change of w turns them, seen from there, by D(phi) and D(2 phi), D(x) = dexp(-x); a
// free joint moves by R(q_m) v, v in the axes of the body that turns meanwhile:
//
//   E = [ D(phi)         0 ]        E_1 = [ D(2 phi)          0 ]
//       [ -c v~ D(phi)   1 ]              [ -c X v~ D(phi)    X ],   X = R(q1)^T R(q_m)
//
// Both parts of J come whole from recursion/step_matrix.h, or from the differentiated graph where that is shorter. Speeds of the model's own have
// qd = W u + ..., and the middle obeys dplace = c E (W du_m + D dplace) with D = d qd/d place:
//
//   B = E (W + c D B),      B_1 = E_1 (W + c D B)
//
// Forces of a script are functions of the motion, too: what of them depends on it is in J.
#pragma once

#include <optional>
#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::derive {

struct MidpointTerms {
  /// inputs t q u tau wrench -> Q [nv], outside [1], loss [1]: [W] that tau and wrenches give, and that dampers, friction and laws take
  Function forces;
  /// inputs t q a [nv] b [nv] -> Ma [nv], Mb [nv]
  Function momenta;
  /// inputs t q u -> velocity [m], A [m x nv], c [m]
  Function rows;
  /// inputs t q u -> potential [1]
  Function potential;
  /// inputs t q u tau wrench c [1] E [27 for each quaternion: its three blocks but for the zeros] ->
  ///   J_0, J_1, ... [n_k x n_k] of the blocks, -(c Q_u + c^2 Q_place E), where the speeds are joint rates
  ///   G = -c Q_u, K = -Q_place, W, D_rates = D [nv x nv], rates = qd [nv] where they are not
  Function matrix;
  /// inputs t q a [nv] E ->
  ///   M_0, M_1, ... [n_k x n_k], M + d(M a)/d place E, where the speeds are joint rates
  ///   M, K = d(M a)/d place [nv x nv] where they are not
  Function mass;
  /// Speeds that J couples, in order: those of a tree, and of trees that springs, laws or the script's forces join.
  std::vector<std::vector<int>> blocks;
  bool own_speeds = false;
  /// Joints with a quaternion, in order: the first of their three turning speeds, and whether three shifts follow.
  struct Quaternion {
    int speed = 0;
    bool shifts = false;
  };
  std::vector<Quaternion> quaternions;
};

/// `loads` are forces known as functions of the motion: inputs t q u, outputs tau [nv] and, where the equations take wrenches, wrench.
MidpointTerms midpoint_terms(const Equations& equations, const std::optional<Function>& loads);

}  // namespace tactus::derive
