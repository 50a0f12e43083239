// Inverse kinematics of any mechanism: in closed form where there is one (wrist_arm.h: six joints with a spherical wrist, all branches),
// otherwise one place by iteration (numeric_ik.h), its loops closed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/math/vec3.h>

namespace tactus::control {

/// Where a frame should be; how it should be turned, if that counts: a matrix, or see the two below.
struct Target {
  math::Vec3<double> p{};
  std::optional<math::Mat3<double>> R{};
};
/// Angles about x, y, z of the world, one after the other, as in model files and URDF.
math::Mat3<double> rotation_by_rpy(const std::array<double, 3>& rpy);
/// w, x, y, z; made a unit one.
math::Mat3<double> rotation_by_quaternion(const std::array<double, 4>& q);

struct InverseOptions {
  bool closed_form = true;  // where there is one
  bool limits = true;       // of the joints, while iterating
};

struct InverseWay {
  std::vector<double> q;  // all coordinates of the model
  bool met = false;
  double missed_way = 0.0, missed_turn = 0.0;  // [m], [rad]
  double constraint_error = 0.0;
  std::string words;  // what is to be known of it
};

struct InverseAnswer {
  bool closed = false;
  std::string why_not{};           // there is no closed form
  int steps = 0;                   // of the iteration
  std::vector<InverseWay> ways{};  // the nearest to q first

  bool met() const;
};

/// From q, which is also what the ways are sorted by. Throws InputError.
InverseAnswer inverse_kinematics(const describe::Model& model, const std::string& frame, const Target& target,
                                 const std::vector<double>& q, const InverseOptions& options = {});

}  // namespace tactus::control
