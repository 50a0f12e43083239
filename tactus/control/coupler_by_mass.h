// A coupler for devices that bear none passively, and what is passive at all (coupler_design.h).
#pragma once

#include <tactus/control/coupler_design.h>

namespace tactus::control {

/// For a device without damping, or whose encoder has steps and no dry friction: no stiffness is passive with it, but its mass bears one that is stable. K = m w^2 and
/// B = 1.4 m w with `share` of the largest w with which the loop is stable with a wall and with the port's inertia, half as much again of both
/// gains included, and dies out as fast as a tenth of w. The hand's own damping has to take what the sampling adds, K T/2. Where the encoder has steps none of them is a jump of more than a
/// twentieth of the continuous force, 2 N or 0.2 N m where that has no limit. An axis that is not actuated, and one without mass, gets none.
CouplerGains design_by_mass(const device::Specification& specification,
                            const std::array<double, 2>& port_inertia, double share = 0.5, int age = 0);

/// `age` as in SampledLoop. Whether a coupler is passive on rotation (0) or translation (1) of a device: required_damping and the encoder's bound.
bool is_passive(const device::Specification& specification, const CouplerGains& gains, std::size_t k,
                int age = 0);

}  // namespace tactus::control
