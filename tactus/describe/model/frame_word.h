// Words for how a frame moves, as formulas write them after the frame's name and a dot:
//
//   tip.px tip.py tip.pz              position of its origin in the world [m]
//   tip.Rxx tip.Rxy ... tip.Rzz       orientation: R_WF, the first letter the world's axis, the second the frame's
//   tip.roll tip.pitch tip.yaw        the same as angles of R = Rz(yaw) Ry(pitch) Rx(roll) [rad]
//   tip.wx tip.wy tip.wz              angular velocity in world axes [rad/s]
//   tip.vx tip.vy tip.vz              velocity of its origin in world axes [m/s]
//   tip.body.wx ... tip.body.vz       the same two in the frame's own axes
//
// Coordinates and speeds go first: where a free joint is called `tip`, too, `tip.vx` is its speed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/units.h>
#include <tactus/describe/model/model.h>

namespace tactus::describe {

struct FrameWord {
  enum class Kind { position, rotation, roll, pitch, yaw, angular_velocity, velocity };
  int frame = 0;  // index into Model::frames
  Kind kind = Kind::position;
  std::size_t i = 0, j = 0;  // component; of a rotation row and column
  bool own_axes = false;     // of velocities

  bool is_velocity() const { return kind == Kind::angular_velocity || kind == Kind::velocity; }
  algebra::Dimension dimension() const;
};

/// Nothing where the name is no frame's and no such word.
std::optional<FrameWord> find_frame_word(const Model& model, std::string_view name);
/// All of one frame, for "did you mean".
std::vector<std::string> words_of_frame(const std::string& frame);

/// What the word stands for, from the frame's orientation R_WF, position, angular velocity and velocity in world axes.
template <class S>
S meaning_of(const FrameWord& word, const math::Mat3<S>& R, const math::Vec3<S>& p, const math::Vec3<S>& w,
             const math::Vec3<S>& v) {
  using Kind = FrameWord::Kind;
  switch (word.kind) {
    case Kind::position:
      return p[word.i];
    case Kind::rotation:
      return R(word.i, word.j);
    case Kind::roll:
      return atan2(R(2, 1), R(2, 2));
    case Kind::pitch:
      return atan2(-R(2, 0), sqrt(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2)));
    case Kind::yaw:
      return atan2(R(1, 0), R(0, 0));
    case Kind::angular_velocity:
      return word.own_axes ? dot(w, R.col(word.i)) : w[word.i];
    case Kind::velocity:
      return word.own_axes ? dot(v, R.col(word.i)) : v[word.i];
  }
  return S(0.0);
}

}  // namespace tactus::describe
