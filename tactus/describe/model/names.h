// The names that a model's equations use: each must mean one thing.
#pragma once

#include <functional>
#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Time `t`, coordinates, rates `q_dot`, accelerations `q_ddot`, actuator forces `tau_q`, defined speeds u
/// and their rates `u_dot`, parametric coordinates z and their rates, definitions and parameters share one
/// space of names. Throws where two of them meet, or one is the name of a function.
void require_distinct_names(const Model& model,
                            const std::function<Place(const std::string&)>& place_of_parameter);

}  // namespace tactus::describe
