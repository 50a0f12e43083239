// Whether a mechanism's masses, each of them finite, add up to numbers that a double holds.
#pragma once

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Throws InputError at the body with which the total mass, or a bound of the moments of inertia about any joint, is no longer
/// finite: the equations would hold infinities.
void require_finite_masses(const Model& model);

}  // namespace tactus::describe
