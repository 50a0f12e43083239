// Whether a device bears a hand: one that is simulated with it is asked for its force some times a period,
// and between them it is blind.
//
// A spring K on the mass m, asked for its force in the middle of a substep h that the handle has foretold, x
// + v h/2, moves by
//
//   [x, v h]' = [1 - s/2, 1 - s/4; -s, 1 - s/2] [x, v h],      s = K h^2/m
//
// of determinant 1 and trace 2 - s: stable to s = 4, and right to s/24 of its frequency. Far beyond that a
// hand gives work out of nothing, and no number of the run means anything. The devices say what they bear
// (Device::hand_limits, with a margin); here a hand's stiffness
// is looked at where it begins (require_borne() in registry.h).
#pragma once

#include <tactus/device/device.h>
#include <tactus/device/hand.h>

namespace tactus::device {

/// s of the stiffest hand that a device bears: its frequency is right to a hundredth, its energies to s/4.
constexpr double kMostOfAStep = 0.25;

/// {N m/rad, N/m}: how much a hand's wrench changes when the handle is moved a little from where it begins,
/// along the axes that move.
std::array<double, 2> stiffness_of(const Hand& hand, std::uint8_t axes);

}  // namespace tactus::device
