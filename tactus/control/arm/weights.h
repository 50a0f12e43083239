// Weights of forces and torques, of which a least norm can only be taken together once they have one unit [Aghili2005, II-A.1, VII-B]:
//
//   x_W = W^1/2 x,   |x|_W = (x^T W x)^1/2                                          (8)-(10)
//   |f|_W = (f^T W^-1 f)^1/2                                                        (47)
//   W = diag(kappa^-2 for slides, 1 for turns): |f|_W^2 = kappa^2 f_f^2 + f_t^2     (48)
//   W^1/2 = the actuators' limits: each force counts by what its actuator can give
//
// The functions give W^1/2, as ProjectedControl::weight wants it.
//
// Characteristic length. kappa can be one that the mechanism itself has, so that nothing depends on the unit of length: the one with which the
// inertia M_W = W^-1/2 M W^-1/2, all of whose entries are then moments of inertia, has the least condition number. (That of A_W, which
// [Angeles1997] would take of a manipulator's Jacobian, says nothing where there is one row, and depends on units where rows have several.)
// With X = 1 for slides and 0 for turns, t = log kappa, M_W = e^tX M e^tX, and of its eigenvectors v
//
//   d log lambda/dt = 2 v^T X v,    log cond = log lambda_max - log lambda_min is convex in t
//
// (log |B e^tX| is convex because |B e^(t+is)X| = |B e^tX|: three lines). Its slope rises from -2 to 2, and its zero, or the middle of its zeros,
// is found by bisection to rounding. Of one slide and one turn kappa = sqrt(M_turn/M_slide).
#pragma once

#include <span>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::control {

/// (48). Throws InputError where kappa is not above zero.
std::vector<double> weights_by_length(const describe::Model& model, double kappa);

/// By `effort_limit` of the joints that have an actuator. Throws InputError where one has none, or one of zero.
std::vector<double> weights_by_limits(const describe::Model& model);

struct CharacteristicLength {
  double length = 0.0;     // [m] kappa
  double condition = 0.0;  // of M_W
};

/// At the model's initial position, or at q. Throws InputError where all joints slide or all turn, or where the inertia is not positive there.
CharacteristicLength characteristic_length(const describe::Model& model, std::span<const double> q = {});
/// The same of a matrix [n x n], row by row.
CharacteristicLength characteristic_length(std::span<const double> inertia, const std::vector<bool>& slides);

}  // namespace tactus::control
