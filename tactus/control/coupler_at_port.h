// A coupler for the port as it is: rotation and translation of a port are seldom apart (coupler_design.h takes each by itself).
//
// With the mobility L of the port, [6 x 6], and the coupler's springs and dampers as diagonal matrices K and B, the port that the handle holds still swings by
//
//   w^2 = largest eigenvalue of K^1/2 L K^1/2,      beta = largest eigenvalue of B^1/2 L B^1/2
//
// A body on a pivot turns and moves by the same joint: spring and torsion spring add up in w^2, and each alone may be stable where both are not. The fastest mode is taken as the one axis of
// coupler_design.h, with the port's mass K_k/w^2 and the damper beta K_k/w^2; it must be stable with half as much again of the gains, also where the
// port is four times as easy to move as at the start: paths turn.
#pragma once

#include <array>

#include <tactus/control/coupler_design.h>

namespace tactus::control {

/// {w^2 [1/s^2], beta [1/s]} of the axes that the device actuates.
std::array<double, 2> fastest_mode(const device::Specification& specification, const CouplerGains& gains,
                                   const std::array<double, 36>& mobility);

/// Whether half as much again of the gains is stable with a fastest mode like this.
bool stable_at_port(const device::Specification& specification, const CouplerGains& gains,
                    const std::array<double, 2>& mode);

}  // namespace tactus::control
