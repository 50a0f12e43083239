// The vector of a rotation: axis times angle, at most pi long; exponential() of math/rotation.h turns it back.
#pragma once

#include <cmath>

#include <tactus/math/rotation.h>

namespace tactus::math {

/// log of a unit quaternion: 2 atan2(|v|, w) v/|v|, on the shorter way round.
inline Vec3<double> rotation_vector(const Quaternion<double>& q) noexcept {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const Vec3<double> v{sign * q.x, sign * q.y, sign * q.z};
  const double sine = std::sqrt(dot(v, v)), cosine = sign * q.w;
  // angle/sine = 2 (1 + sine^2/6 + ...) near zero; the cut keeps what is left out below rounding.
  const double k = sine < 1e-6 ? 2.0 * (1.0 + sine * sine / 6.0) : 2.0 * std::atan2(sine, cosine) / sine;
  return k * v;
}

/// The unit quaternion of a rotation matrix, by the largest of its four squares [Shepperd1978].
inline Quaternion<double> quaternion_of(const Mat3<double>& R) noexcept {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  Quaternion<double> q;
  if (trace >= R(0, 0) && trace >= R(1, 1) && trace >= R(2, 2)) {
    q = {1.0 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    q = {R(2, 1) - R(1, 2), 1.0 + R(0, 0) - R(1, 1) - R(2, 2), R(1, 0) + R(0, 1), R(0, 2) + R(2, 0)};
  } else if (R(1, 1) >= R(2, 2)) {
    q = {R(0, 2) - R(2, 0), R(1, 0) + R(0, 1), 1.0 + R(1, 1) - R(2, 2) - R(0, 0), R(2, 1) + R(1, 2)};
  } else {
    q = {R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(2, 1) + R(1, 2), 1.0 + R(2, 2) - R(0, 0) - R(1, 1)};
  }
  return normalized(q);
}

inline Vec3<double> rotation_vector(const Mat3<double>& R) noexcept {
  return rotation_vector(quaternion_of(R));
}

}  // namespace tactus::math
