// What a hand feels along one direction: mass, damping and stiffness that fit the forces best.
//
//   F = m a + b v + k (x - x_0),      least squares over m, b, k, x_0
#pragma once

#include <span>

#include <tactus/display/run_loop.h>

namespace tactus::display {

/// Of equal lengths.
Felt fit_felt(std::span<const double> x, std::span<const double> v, std::span<const double> a,
              std::span<const double> force);

/// What the hand itself feels: its force on the handle against the handle's motion along the unit vector d, from records of all ticks. Scales,
/// coupler, delays and the device are in it.
///
/// With a force sensor the force is the sensed one. Without, it is what the motors gave, -F, and the device's own inertia and damping
/// (as its specification has them) are added: F_hand = m_d a + b_d v - F. Dry friction of the device is felt besides.
Felt felt_at_handle(std::span<const TickRecord> records, const math::Vec3<double>& d,
                    const device::Specification& device);

}  // namespace tactus::display
