// Robots in URDF, the format of ROS: links and joints become bodies and joints of a model.
//
// The root link is the ground where it is named `world`; otherwise it is welded to the ground. Every link becomes a body and a
// frame of the same name, every mimicking joint a constraint. What is odd is a warning; docs/urdf.md lists it.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/read/load.h>
#include <tactus/describe/read/sections.h>
#include <tactus/describe/urdf/urdf_file.h>
#include <tactus/describe/urdf/urdf_names.h>

namespace tactus::describe {

/// A robot on the way into a model: its bodies and joints by the names that they have there.
struct Robot {
  std::string name;
  Draft draft;
  std::vector<UrdfJoint> mimicking;
  NameMap links, joints;  // from the names of its file

  /// The name in the file, for messages.
  std::string written_joint(const std::string& name) const;
  std::string written_link(const std::string& name) const;
};

/// The robot that a text describes. `source`: that of the reader's sources it stands in.
Robot read_robot(Reader& reader, const std::string& text, int source, const Reading& reading);
/// Once the tree stands: the frames of its links and the constraints of its mimicking joints, but for those whose names are
/// among `replaced`.
void add_frames(Reader& reader, const Robot& robot);
void add_mimics(Reader& reader, const Robot& robot, const std::vector<std::string>& replaced);

/// The model that a URDF text describes. Throws InputError.
Model read_urdf(const std::string& text, const std::string& file, const Reading& reading = {});

}  // namespace tactus::describe
