// Models of arms as a device needs them: with other friction, with what the tool carries, and where they may begin.
#pragma once

#include <string>
#include <vector>

#include <tactus/control/arm/arm_device.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/describe/model/model.h>

namespace tactus::control {

/// The arm that moves the frame; where none is named, the first frame marked `grasp` that one moves, otherwise the last. Throws
/// InputError with what is missing.
struct FoundArm {
  WristArm arm;
  int frame = 0;  // index into Model::frames
};
FoundArm find_arm(const describe::Model& model, const std::string& frame);

/// All friction of all joints times a factor.
describe::Model with_friction(describe::Model model, double factor);

/// The gripper's inertia is added to the body that carries the frame.
describe::Model with_gripper(describe::Model model, int frame, const Gripper& gripper);

/// The arm with elastic gears (Drive): a joint that has one becomes two on one axis, the rotor's with armature, friction and actuator, and on a
/// body without mass the deflection's. Throws InputError for joints without a rotor, and for models with what refers to joints by number.
struct DrivenArm {
  describe::Model model;
  std::array<std::size_t, 6> rotor{};  // coordinate
  std::array<int, 6> deflection{};     // coordinate; -1: the gear is rigid
  std::array<double, 6> stiffness{};   // [N m/rad]
};
DrivenArm with_drive(const describe::Model& model, const Drive& drive);

/// One of a list that has one for all, or six; 0 where there is none.
double each_of(const std::vector<double>& list, std::size_t joint);

/// How far from singular: the less of arm and wrist.
double regularity(const WristArm& arm, const Joints& q);

/// The model's own initial angles where they are regular enough; otherwise the most regular of a grid of the four joints that matter,
/// within the joints' ends.
Joints regular_start(const WristArm& arm, const describe::Model& model);

/// [N m] Coulomb friction of the joints, turning either way.
struct DryFriction {
  Joints positive{}, negative{};
};
DryFriction dry_friction(const describe::Model& model);

/// [rad] ends of the joints; infinite where there is none.
struct JointEnds {
  Joints lower{}, upper{};
};
JointEnds joint_ends(const describe::Model& model);

}  // namespace tactus::control
