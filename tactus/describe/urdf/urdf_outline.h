// A first walk over a URDF file: every mistake that can be seen in the text is reported here with its line,
// before urdfdom (which knows no lines) reads it. The walk also keeps what urdfdom loses: the order of links
// and joints, their places, and the orientations as written.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

using Rpy = std::array<double, 3>;  // roll, pitch, yaw [rad] about fixed axes

struct UrdfLink {
  std::string name;
  Value where;  // place only
  Rpy inertial{};
  std::vector<Rpy> visuals, collisions;
};

/// q = multiplier q_of_joint + offset
struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
  Value where;  // place only
};

struct UrdfJoint {
  std::string name;
  Value where;          // place only
  Value parent, child;  // the names, with their places
  Rpy origin{};
  std::optional<UrdfMimic> mimic;
};

struct UrdfOutline {
  /// The file again with the blanks around its numbers taken away: urdfdom drops an element with `ixx="0.01 "`.
  std::string text;
  std::vector<UrdfLink> links;  // in the order of the file
  std::vector<UrdfJoint> joints;
  std::vector<std::string> warnings;
};

/// Throws InputError at the first mistake.
UrdfOutline outline_urdf(const std::string& text, const std::string& file);

}  // namespace tactus::describe
