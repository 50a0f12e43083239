// A law of arm_controller.h as one straight-line function, with numbers for poles and model: what ArmController compiles and runs, and
// what generated controllers are.
//
//   t q qd q_wanted qd_wanted qdd_wanted -> tau              before what is added, and before the limits
//
// Of pole placement also tau_wanted [n], the forces along the path, and the gains G_1, G_2 [n x n] of
//
//   tau = tau* - G_1 x - G_2 v,    G_1 = M P - K,  G_2 = -M S - C                                [Clover1996, III (9), (16)]
//
// Feed-forward, M, C and K are derived apart and meet in one graph: what they share is computed once. Computed torque is
// tau* + M(q*) r = M(q*) (qdd* + r) + h(q*, qd*): inverse dynamics with another acceleration, and no mass matrix.
//
// Abbreviated (ArmControl::abbreviate), feed-forward and M, C, K are those of [Clover1996, II Appendices A and B]: for pole placement and
// computed torque.
#pragma once

#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/control/arm/arm_controller.h>

namespace tactus::control {

struct ArmLawCode {
  ArmControl control;  // with a pair of poles for each joint
  algebra::Function law;
  std::vector<double> most;  // [n] limits of the actuators; infinite where there is none
};

/// For models without constraints whose speeds are the joint rates, and whose joints all move inertia. Throws InputError.
ArmLawCode arm_law_code(const describe::Model& model, const ArmControl& control);

}  // namespace tactus::control
