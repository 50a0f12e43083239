// What can only be judged once the tree stands: can the mechanism move, and is it determined how?
#pragma once

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Throws where a joint moves nothing that has inertia (the mass matrix would be singular everywhere); warns
/// of bodies without mass.
void check_mobility(Model& model);

}  // namespace tactus::describe
