// Models in URDF, the format of ROS, by urdfdom.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// The model that a URDF text describes. Throws InputError.
///
/// The root link is the ground where it is named `world`; otherwise it is welded to the ground. Every link
/// becomes a body and a frame of the same name. Angles of placements within 1e-5 rad of a multiple of 15
/// degrees are taken as that multiple (URDF files write 1.5708), so that structural zeros are zeros. Mimic
/// joints are refused.
Model read_urdf(const std::string& text, const std::string& file);

}  // namespace tactus::describe
