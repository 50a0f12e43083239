// What can only be judged once the tree stands: can the mechanism move, and is it determined how?
#pragma once

#include <functional>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Throws where a joint moves nothing that has inertia (the mass matrix would be singular everywhere); warns
/// of bodies without mass.
void check_mobility(Model& model);

/// The same for a robot's file, which is read without inertia, too: a warning says what it lacks. `written`: a joint's name in
/// the file.
void note_missing_inertia(Model& model, const std::function<std::string(const std::string&)>& written);

}  // namespace tactus::describe
