// Kane's method, step by step [Gillespie2003, section 3].
//
//   kinematical equations    qd = W u + X
//   partial velocities       w_B = sum_r W_r u_r + W_t,   v_Bo = sum_r V_r u_r + V_t     (in the body's axes)
//   active forces            F_r  = sum_B ( W_r . T_B + V_r . R_B ) + (joint forces through W)
//   inertia forces           F*_r = - sum_B ( W_r . N_B + V_r . F_B )
//   equations of motion      F_r + F*_r = 0,   i.e. M udot + h = W^T tau + ...
//
// with N_B, F_B the rate of the body's momentum (weight included: the ground accelerates upwards with -g).
// The partial velocities are reduced as rational trigonometric functions, so that well chosen speeds give
// short equations: for the wrist of [Gillespie2003, (49)] the angular velocity is (u1, u2, u3) itself.
#pragma once

#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/speeds.h>

namespace tactus::derive {

/// The partial velocities of one link: W_r, V_r for each speed, and the parts W_t, V_t without speeds.
struct PartialVelocities {
  std::vector<Vec3<Expr>> angular, linear;
  Vec3<Expr> angular_t = Vec3<Expr>::zero(), linear_t = Vec3<Expr>::zero();
};

struct KaneEquations {
  std::vector<PartialVelocities> partials;  // one per link
  std::vector<Expr> M;                      // nv x nv by rows
  std::vector<Expr> h;       // generalised inertia forces without udot, minus the active ones but tau
  std::vector<Expr> active;  // W^T tau
};

/// Velocity of link i per unit of each joint rate, in the link's axes: angular, and of its origin.
void joint_rate_partials(const Tree<Expr>& tree, const Motion<Expr>& motion, int i,
                         std::vector<Vec3<Expr>>& w, std::vector<Vec3<Expr>>& v);

/// `outside` are wrenches on the links (link axes); `joint_loads` what springs and friction at the joints
/// take.
KaneEquations kane(const Tree<Expr>& tree, const Motion<Expr>& motion, const describe::Model& model,
                   const Symbols& symbols, const SpeedMap& speeds,
                   const std::vector<OutsideWrench<Expr>>& outside, const std::vector<Expr>& joint_loads,
                   bool push_passive = false);

}  // namespace tactus::derive
