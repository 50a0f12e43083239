// What a step of the implicit midpoint rule asks of a mechanism, as functions of their own: none computes what another is asked for.
//
//   M (u1 - u0) = h Q + A^T lambda - a M u_m           at the place and the speeds in the middle of the step
//
// The matrix of its Newton step, with c = h/2 and u1 - u0 = h udot, is that of inverse dynamics F = M udot - Q:
//
//   J = F_udot + c F_u + c^2 F_place B,        B: what u does to the place in the middle, over c
//
// M is differentiated, too: at the middle it changes by as much as the mean of both ends does, but for terms of third order in h.
//
// Where the speeds are joint rates B is E of recursion/step_matrix.h, and J comes whole from there, or from the differentiated graph where that is
// shorter. Speeds of the model's own have qd = W u + X, and the place in the middle obeys dplace = c E (W du + D dplace) with D = d qd/d place:
//
//   B = (1 - c E D)^-1 E W
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
  /// inputs t q u tau wrench udot c [1] D [9 for each quaternion] ->
  ///   J_0, J_1, ... [n_k x n_k] of the blocks, where the speeds are joint rates
  ///   G = F_udot + c F_u, K = F_place, W, D_rates = D [nv x nv], rates = qd [nv] where they are not
  Function matrix;
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
