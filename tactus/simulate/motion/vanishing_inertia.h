// Where links have no mass a mass matrix may lose its rank: a wrist of massless rings has two parallel axes in some positions, and turning
// about them against each other moves nothing that weighs. Near such a place no step is short enough.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::simulate {

/// "'q1' and 'q3' together have hardly any inertia in this position, ..."; "" where no body is massless, or none such motion is near. Slow: it derives and evaluates
/// the mass matrix.
std::string vanishing_inertia(const describe::Model& model, double t, const std::vector<double>& q);

}  // namespace tactus::simulate
