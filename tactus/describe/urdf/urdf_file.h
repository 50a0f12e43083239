// What a URDF file says, with the place of each thing: numbers as numbers, names as they are written. Nothing is decided here
// but what the text means; urdf.cpp makes a mechanism of it.
//
// The rule of the reader: what would make a wrong answer is an error, what is odd is a warning.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

/// [rad] with the number of decimals that it is written with (1.5708: 4).
struct UrdfAngle {
  double value = 0.0;
  int decimals = 0;
};

struct UrdfOrigin {
  std::array<double, 3> xyz{};
  std::array<UrdfAngle, 3> rpy{};  // roll, pitch, yaw about fixed axes
};

struct UrdfInertial {
  UrdfOrigin origin;
  double mass = 0.0;
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
};

struct UrdfShape {
  UrdfOrigin origin;
  Geometry::Shape shape = Geometry::Shape::sphere;
  std::array<double, 3> size{};  // as Geometry::size
  std::string file;              // mesh: as written
  std::optional<std::array<double, 4>> color;
  std::string material;  // whose color it has, where it gives none itself
  bool collision = false;
  Value where;
};

struct UrdfLink {
  std::string name;
  Value where;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfShape> shapes;
};

enum class UrdfJointType { revolute, continuous, prismatic, fixed, floating, planar, spherical };

/// q = multiplier q_of_joint + offset
struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
  Value where;
};

struct UrdfJoint {
  std::string name;
  UrdfJointType type = UrdfJointType::fixed;
  Value where;
  Value parent, child;  // the names, with their places
  UrdfOrigin origin;
  std::array<double, 3> axis{1.0, 0.0, 0.0};  // unit
  std::optional<double> lower, upper, effort, velocity;
  double damping = 0.0, friction = 0.0;
  std::optional<UrdfMimic> mimic;
};

struct UrdfFile {
  std::string name;             // of the robot
  Value where;                  // of <robot>
  std::vector<UrdfLink> links;  // in the order of the file
  std::vector<UrdfJoint> joints;
  std::vector<std::string> warnings;
};

/// Throws InputError at the first mistake. `source`: Value::source of the places.
UrdfFile parse_urdf(const std::string& text, const std::string& file, int source = 0);

}  // namespace tactus::describe
