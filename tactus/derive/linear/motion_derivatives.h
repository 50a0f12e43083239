// Exact derivatives of inverse and forward dynamics by place, speeds and forces, for any model: also with quaternions and with speeds
// that are no joint rates.
//
// Derivatives by place are along the speeds of the joints: column k is the change for a displacement along joint rate k. For a
// coordinate that is a number of its own, an angle or a length, that is the derivative by this number; at a quaternion it is the change
// for a small turn about an axis of the moved body.
#pragma once

#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::derive {

struct Derivation;

/// How derivatives are made.
enum class DerivativeMethod {
  automatic,  // whichever has fewer operations; of deep trees the recursion
  graph,      // by differentiating the expressions of inverse dynamics
  recursion,  // by recursion/derivatives.h; springs, friction, laws and wrenches by differentiating their expressions
};

/// d tau, nv x nv by rows each.
struct ForceDerivatives {
  std::vector<Expr> by_acceleration, by_speed, by_place;  // d/d udot, d/du, d/dq
  std::vector<Expr> mass;                                 // M in joint rates; by_acceleration = M W
};

/// In the derivation's graph, which must be the current one. `with_wrench`: wrench inputs act.
ForceDerivatives force_derivatives(const Derivation& derivation, bool with_wrench, DerivativeMethod method);

/// What springs, friction, laws and, `with_wrench`, wrench inputs add to the joints' forces.
std::vector<Expr> load_forces(const Derivation& derivation, bool with_wrench);

/// d roots / d q along the joint rates, roots x nv by rows, by differentiating the expressions.
std::vector<Expr> derivatives_by_place(const Derivation& derivation, const std::vector<Expr>& roots);

/// inputs t q u udot wrench parameters -> tau_udot, tau_u, tau_q [nv x nv]: derivatives of the joints' forces. With joint rates for
/// speeds and no quaternions these are M, C and K of Equations::linear_model().
Function inverse_derivatives(const Equations& equations,
                             DerivativeMethod method = DerivativeMethod::automatic);

/// inputs t q u tau wrench parameters -> udot [nv], udot_q, udot_u, udot_tau [nv x nv]: accelerations without constraints and their
/// derivatives. From M W udot + ... = tau:  d udot = Y M^-1 (d tau - tau_q dq - tau_u du), u = Y qd + Z. By recursion: with joint rates for speeds that
/// of recursion/articulated_derivatives.h, which forms neither M nor its factors.
Function forward_derivatives(const Equations& equations,
                             DerivativeMethod method = DerivativeMethod::automatic);

}  // namespace tactus::derive
