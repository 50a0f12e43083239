// Whether forces determine accelerations: a mass matrix must be positive definite.
//
// M's rows have units of their own. With D = diag(sqrt(M_ii)), D^-1 M D^-1 has none, ones on its diagonal, and a smallest eigenvalue
// that is zero exactly where M is singular.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <tactus/derive/equations.h>

namespace tactus::derive {

/// The speeds that a motion without kinetic energy moves, by index; none where M is regular.
std::vector<int> speeds_without_inertia(const Eigen::MatrixXd& M);

/// Throws InputError where the mass matrix is singular at every position: `what` ("the linear model") needs it.
void require_regular_mass(const Equations& equations, std::string_view what);

}  // namespace tactus::derive
