// The vector of a rotation: axis times angle, at most pi long; exponential() of math/rotation.h turns it back.
#pragma once

#include <cmath>

#include <tactus/math/rotation.h>

namespace tactus::math {

/// asin(s)/s for 0 <= s <= kSmallSine, by its series: what is left out is 0.02 s^10.
constexpr double kSmallSine = 0.02;
inline double arc_by_sine(double square) noexcept {
  return 1.0 +
         square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (15.0 / 336.0 + square * (105.0 / 3456.0))));
}

/// log of a unit quaternion: 2 atan2(|v|, w) v/|v|, on the shorter way round.
inline Vec3<double> rotation_vector(const Quaternion<double>& q) noexcept {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const Vec3<double> v{sign * q.x, sign * q.y, sign * q.z};
  const double square = dot(v, v);
  if (square < kSmallSine * kSmallSine) return 2.0 * arc_by_sine(square) * v;
  const double sine = std::sqrt(square);
  return 2.0 * std::atan2(sine, sign * q.w) / sine * v;
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
  // Small turns, which are those of one tick: R - R^T holds the axis times the sine; the trace is 3 - angle^2 + ...
  const Vec3<double> v = 0.5 * Vec3<double>{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  if (const double square = dot(v, v); square < kSmallSine * kSmallSine && R(0, 0) + R(1, 1) + R(2, 2) > 2.0)
    return arc_by_sine(square) * v;
  return rotation_vector(quaternion_of(R));
}

}  // namespace tactus::math
