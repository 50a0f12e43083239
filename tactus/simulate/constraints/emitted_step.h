// What source text of a whole step needs: the functions that the library's own step runs, and its limits.
#pragma once

#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/source.h>

namespace tactus::simulate {

/// [rows] The active rows of the model's constraints that are generically independent: those of constrained_dynamics().
std::vector<bool> independent_rows(const describe::Model& model);

/// The step of `rk4` with the constraints held. Throws InputError for models whose step is more than that: orientations by
/// quaternions (which have momenta and charts of their own), contact.
generate::StepProgram step_program(const derive::Equations& equations);

}  // namespace tactus::simulate
