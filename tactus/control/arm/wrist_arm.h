// Closed inverse kinematics of arms with six turning joints whose last three axes meet in one point, the wrist's centre [Clover1996,
// IV section IV; Pieper1968]: position with all branches, velocities, accelerations, each in two steps of three joints.
//
// With h_i and o_i the axes and points of them where all coordinates are zero, R_i = R(h_1, q_1) .. R(h_i, q_i), and c the centre,
//
//   c(q) = o_1 + R_1 p_12 + R_2 p_23 + R_3 p_34        p_12 = o_2 - o_1,  p_23 = o_3 - o_2,  p_34 = c - o_3  at zero
//   R(q) = R_6 R(0),    p(q) = c(q) + R_6 (p(0) - c(0))
//
// Position. p and R give c and R_6. From R(h_2, q_2) f = R(h_1, -q_1) (c - o_1) - p_12 with f = p_23 + R(h_3, q_3) p_34 the turn q_2 keeps
// the part along h_2 and the length:
//
//   h_2.f(q_3)  = h_2.(R(h_1, -q_1) (c - o_1) - p_12)                  (i)
//   |f(q_3)|^2  = |R(h_1, -q_1) (c - o_1) - p_12|^2                    (ii)
//
// Of axes 2 and 3 that are parallel (i) is an equation in q_1 alone, of axes 1 and 2 that meet (p_12 = 0) (ii) one in q_3 alone; otherwise
// they are two equations in both, with up to four solutions. q_2 follows. The wrist: h_4.(R(h_5, q_5) h_6) = h_4.(R_3^T R_6 h_6) gives q_5
// twice, q_4 and q_6 follow. Eight branches at most.
//
// Velocity. v_c = v - w x (p - c) is made by the first three joints alone; what is left of w by the last three. Acceleration alike,
// with what the velocities make of it. With z_i and o_i the axes as they are now, w_i the links' angular velocities, s_i the way from o_i to
// o_(i+1) or c, fixed in link i:
//
//   a_c = sum z_i x (c - o_i) qdd_i + sum (alpha_i x s_i + w_i x (w_i x s_i)),    alpha_i = alpha_(i-1) + w_(i-1) x z_i qd_i
//
// The thesis' equations hold for the PUMA only, and some are misprinted (docs/control.md); these are for any such arm. The arithmetic is in
// wrist_kernel.h, which generated controllers carry with them; here are what recognises the arm, and types.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/arm/turns.h>
#include <tactus/control/arm/wrist_kernel.h>
#include <tactus/describe/model/model.h>
#include <tactus/math/vec3.h>

namespace tactus::control {

using Joints = std::array<double, 6>;

/// What is to be known of a solution besides its angles.
enum class Reach : std::uint8_t {
  exact,  // the pose is met
  wrist,  // two of the wrist's axes are one line: only the sum of its turns matters, half of it is taken for each
  shoulder,  // the centre lies on the first axis: its turn does not matter, and stays what it was
  too_far,   // the centre cannot get there; the arm is stretched towards it, or folded
};

struct Branch {
  Joints q{};
  Reach reach = Reach::exact;
  double missed = 0.0;  // [m] how far the wrist's centre is from where it should be
};
struct Branches {
  int count = 0;
  std::array<Branch, 8> all{};
};

/// Moving joints in order from the ground. Nothing is allocated after it was made.
class WristArm {
 public:
  /// The arm that moves a frame of the model. Where it is none, `why` says so in a sentence.
  static std::optional<WristArm> of(const describe::Model& model, std::string_view frame, std::string& why);

  /// What the kernels of wrist_kernel.h are asked with.
  const WristData& data() const noexcept { return data_; }
  /// Numbers of the six joints' coordinates among the model's.
  const std::array<int, 6>& coordinates() const noexcept { return coordinate_; }

  math::Pose<double> pose(const Joints& q) const noexcept;
  /// All ways to a pose, branches that are out of reach left out; where the centre cannot get there, the ways that come nearest. None
  /// where a wrist whose axes are not orthogonal cannot turn so far.
  Branches position(const math::Pose<double>& X_WF) const noexcept;
  /// The way nearest to `near`, its angles within half a turn of those. Turns that do not matter stay as they are there.
  Branch nearest(const math::Pose<double>& X_WF, const Joints& near) const noexcept;
  /// The same, faster where it moves a little: of each pair of angles the nearer one is taken at once. Every other way has one of the angles that
  /// were left: where these are all further off than the whole of the way found, none is nearer; otherwise nearest() is asked.
  Branch follow(const math::Pose<double>& X_WF, const Joints& near) const noexcept;

  /// How the frame moves, [angular; linear] of its origin in world axes, and what the joints do then. Where a singular position
  /// lets no velocity do it, the least of what comes nearest: damped; the result is the part that is missed, by the asked.
  struct Motion {
    std::array<double, 6> V{}, A{};  // velocity and acceleration
  };
  struct Rates {
    Joints qd{}, qdd{};
    double arm = 0.0, wrist = 0.0;  // how far from singular: 1 at best; below kSingular damping sets in
  };
  static constexpr double kSingular = 1e-3;
  /// Angles, rates and accelerations of one pose and its motion, in one call: follow() and rates() of it.
  struct Whole {
    Branch way;
    Rates rates;
  };
  Whole whole(const math::Pose<double>& X_WF, const Motion& motion, const Joints& near) const noexcept;
  Rates rates(const Joints& q, const Motion& motion) const noexcept;
  /// The same, and J^T F as of at_joints().
  Rates rates(const Joints& q, const Motion& motion, const std::array<double, 6>& F,
              Joints& tau) const noexcept;
  /// The motion that these make, by the same recursion: inverse to rates() where that is regular.
  Motion motion(const Joints& q, const Joints& qd, const Joints& qdd) const noexcept;
  /// J^T F: what a wrench [N m; N] on the frame at its origin, world axes, is at the joints.
  Joints at_joints(const Joints& q, const std::array<double, 6>& F) const noexcept;

 private:
  std::array<int, 6> coordinate_{};
  WristData data_{};
};

}  // namespace tactus::control
