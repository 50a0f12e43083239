// What each constraint of a model says, for people.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// "revolute: tip turns about the z of pivot", "gear: 0 = q1 + 2*q2".
std::string constraint_meaning(const Model& model, const Constraint& constraint);

}  // namespace tactus::describe
