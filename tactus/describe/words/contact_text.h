// What a model says about touching, for people.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// "world.ramp": a body, or one of its shapes; "box.2" is the second shape where it has no name.
std::string side_name(const Body& body, int geometry);

/// "rigid, restitution 0.5 (newton) above 0.001 m/s, friction 0.2".
std::string law_text(const ContactLaw& law);
/// "world.ramp and disk: rigid, ...".
std::string pair_meaning(const Model& model, const ContactPair& pair);
/// "q1 >= -0.5, restitution 0.2".
std::string stop_meaning(const Model& model, const JointStop& stop);
/// "when abs(q4_dot) < 0.01 while stick is off: activates stick".
std::string transition_meaning(const Model& model, const Transition& transition);

/// How many shapes can be touched.
int contact_shape_count(const Model& model);

}  // namespace tactus::describe
