// What hangs beyond the force sensor of an admittance device: a handle or a tool, whose weight and inertia the sensor takes for the hand's
// [Faulring2006, after Algorithm 1: "required, not shown"].
//
// With the mass m, the centre c and the moments I about it (handle's axes), r = R c, the sensor reads F_s = F_hand + W at the handle's origin,
//
//   force   f = m (g - a - alpha x r - omega x (omega x r))
//   torque  r x f - R I R^T alpha - omega x (R I R^T omega)
//
// of which the hand's part is F_s - W. The acceleration is the commanded one of the period that the sensor has just seen, not one that is estimated
// from what was measured: with the virtual mass m_v and mu = m/m_v the tick is  a_k = F_hand/m_v - mu a_{k-1} + mu a^_{k-1}, and
//
//   no compensation                     z + mu = 0               unstable for m > m_v, and the hand feels m_v + m
//   an estimate that is a sample old    z^2 + mu z - mu = 0      unstable for m > m_v/2
//   the commanded acceleration          the terms cancel
#pragma once

#include <tactus/device/device.h>

namespace tactus::control {

using device::Fixture;

/// What the sensor reads of it while the handle is at R and moves with V and A [rad/s; m/s], [rad/s^2; m/s^2].
inline device::Vector6 fixture_wrench(const Fixture& fixture, const math::Mat3<double>& R,
                                      const device::Vector6& V, const device::Vector6& A) noexcept {
  using Vec3 = math::Vec3<double>;
  const Vec3 r = R * fixture.centre, w{V[0], V[1], V[2]}, alpha{A[0], A[1], A[2]}, a{A[3], A[4], A[5]};
  const auto moments = [&](const Vec3& x) {
    const Vec3 own = R.transposed() * x;
    return R * Vec3{fixture.inertia.x * own.x, fixture.inertia.y * own.y, fixture.inertia.z * own.z};
  };
  const Vec3 f = fixture.mass * (fixture.gravity - a - cross(alpha, r) - cross(w, cross(w, r)));
  const Vec3 torque = cross(r, f) - moments(alpha) - cross(w, moments(w));
  return {torque.x, torque.y, torque.z, f.x, f.y, f.z};
}

}  // namespace tactus::control
