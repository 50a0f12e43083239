// A point of a body that is held, where the model has no frame there: BODY@x,y,z in the body's axes.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::apps {

/// The model gets a frame to be held where `port` is such a point, with the whole text as its name. Nothing
/// where the model has a frame or a body of that name, or `port` has no @. Throws InputError where the body
/// is not there, is the ground, or the point is none.
void add_grasp_point(describe::Model& model, const std::string& port);

}  // namespace tactus::apps
