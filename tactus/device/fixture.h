// What a force sensor reads of what hangs beyond it: a handle or a tool (Fixture in device.h).
//
// With the mass m, the centre c and the moments I about it (handle's axes), r = R c, the handle's origin
// accelerated by a and turned by omega, alpha,
//
//   force   f = m (g - a - alpha x r - omega x (omega x r))
//   torque  r x f - R I R^T alpha - omega x (R I R^T omega)
#pragma once

#include <tactus/device/device.h>

namespace tactus::device {

/// At the handle's origin, world axes, while the handle is at R and moves with V and A [rad/s; m/s],
/// [rad/s^2; m/s^2].
inline Vector6 fixture_wrench(const Fixture& fixture, const math::Mat3<double>& R, const Vector6& V,
                              const Vector6& A) noexcept {
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

}  // namespace tactus::device
