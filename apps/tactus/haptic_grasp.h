// Where a hand holds a mechanism, and how that can move there: what devices, hands and controllers are chosen by.
#pragma once

#include <array>

#include <tactus/device/device.h>
#include <tactus/simulate/motion/mechanism.h>

#include "haptic_request.h"

namespace tactus::apps {

/// [kg m^2], [kg] What is as heavy cannot move: a wall.
inline constexpr double kWall = 1e3;

/// The mechanism as the hand meets it: at which port, and how that can move.
struct Grasp {
  int port = 0;
  bool planar = false;                  // it stays in a plane z = const
  math::Vec3<double> ahead{}, aside{};  // where it moves most easily, and next
  math::Vec3<double>
      shown{};  // `ahead` as far as the device has it: what is felt is fitted along it; about it where the device only turns
  math::Vec3<double> axis{};          // about which it turns most easily
  std::array<double, 2> inertia{};    // [kg m^2], [kg] in the easiest direction
  std::array<double, 36> mobility{};  // of the port, at the start
  double weight = 0.0;                // [N] at the port that keeps it from falling, at the start
  std::array<double, 6> support{};    // [N m; N] the same, with torques
  std::array<double, 2>
      tamed{};  // [kg m^2], [kg] with which it is not faster by itself than hands are; 0: as it is
  std::array<double, 2>
      beyond{};  // [kg m^2], [kg] the same, for a tool beyond the force sensor to be taken out
};

/// At the port that was asked for, or the one to choose. Throws InputError where the equations have no answer there.
Grasp grasp_of(const HapticRequest& request, simulate::Mechanism& mechanism);

/// A device whose handle goes nowhere.
bool only_turns(const device::Specification& s);

/// The easiest way without what the handle cannot do of it, where the hand goes; the easiest of the handle's own ways where nothing is left. Of a device that only turns the axis.
math::Vec3<double> shown_by(const device::Specification& s, const Grasp& grasp);

/// Whether the port can be moved at all along or about an axis that the device has.
bool moves_with(const device::Specification& s, const Grasp& grasp);

}  // namespace tactus::apps
