// The faces that a virtual proxy (control/proxy.h) meets: of the boxes and planes with `contact: true` that stand on the ground.
#pragma once

#include <string>
#include <vector>

#include <tactus/control/proxy.h>
#include <tactus/describe/model/model.h>

namespace tactus::display {

/// Throws InputError where there is none, or where a contact shape on the ground has no plane faces.
std::vector<control::ProxyFace> world_faces(const describe::Model& model);

/// What on the ground has this point [m] inside, by more than rounding, for an error; empty where nothing has. Throws as world_faces() does.
std::string solid_around(const describe::Model& model, const math::Vec3<double>& p);

}  // namespace tactus::display
