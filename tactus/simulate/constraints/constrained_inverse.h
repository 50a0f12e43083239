// Inverse dynamics of a constrained mechanism: which joint forces give a motion that the constraints allow?
//
//   M udot + h = W^T tau + A^T lambda
//
// Many do: whatever tau the constraints can take up does not show in the motion. The least |tau| is the
// projection of what an open chain would need onto the motions that are left; passive joints take part with
// nothing [Aghili2005, (43)-(49), (55)-(62)]. With P = 1 - A^+ A, b = M udot + h and B = W^T restricted to
// the actuated joints,
//
//   tau = (P B)^+ P b,        lambda = (A^T)^+ (b - B tau)
//
// A residual that is left says that the actuated joints cannot give this motion.
#pragma once

#include <vector>

#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

struct ConstrainedInverse {
  std::vector<double> tau;  // [nv] least joint forces, 0 at passive joints
  std::vector<double>
      lambda;             // [m] multipliers of all rows, least where they are not unique; 0 for inactive rows
  double residual = 0.0;  // largest component of P (b - B tau): 0 where the motion can be given
};

/// At t, q, u and outside wrenches, with accelerations udot that agree with the constraints. The dynamics
/// must have constraints. Allocates.
ConstrainedInverse constrained_inverse(const Dynamics& dynamics, double t, const std::vector<double>& q,
                                       const std::vector<double>& u, const std::vector<double>& udot,
                                       const std::vector<double>& wrench = {});

}  // namespace tactus::simulate
