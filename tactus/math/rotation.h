// Rotations over any scalar. All matrices are R_AB: they turn B's components of a vector into A's.
#pragma once

#include <cmath>

#include <tactus/math/vec3.h>

namespace tactus::math {

template <class S>
Mat3<S> rotation_x(const S& c, const S& s) {
  Mat3<S> R = Mat3<S>::identity();
  R(1, 1) = c;
  R(1, 2) = -s;
  R(2, 1) = s;
  R(2, 2) = c;
  return R;
}
template <class S>
Mat3<S> rotation_y(const S& c, const S& s) {
  Mat3<S> R = Mat3<S>::identity();
  R(0, 0) = c;
  R(0, 2) = s;
  R(2, 0) = -s;
  R(2, 2) = c;
  return R;
}
template <class S>
Mat3<S> rotation_z(const S& c, const S& s) {
  Mat3<S> R = Mat3<S>::identity();
  R(0, 0) = c;
  R(0, 1) = -s;
  R(1, 0) = s;
  R(1, 1) = c;
  return R;
}

/// Rodrigues: rotation about the unit axis e by the angle with cosine c and sine s.
template <class S>
Mat3<S> rotation_about(const Vec3<S>& e, const S& c, const S& s) {
  const S v = S(1.0) - c;
  Mat3<S> R;
  R.m[0] = {c + v * e.x * e.x, v * e.x * e.y - s * e.z, v * e.x * e.z + s * e.y};
  R.m[1] = {v * e.x * e.y + s * e.z, c + v * e.y * e.y, v * e.y * e.z - s * e.x};
  R.m[2] = {v * e.x * e.z - s * e.y, v * e.y * e.z + s * e.x, c + v * e.z * e.z};
  return R;
}

/// A quaternion (w, x, y, z), scalar first.
template <class S>
struct Quaternion {
  S w{1.0}, x{0.0}, y{0.0}, z{0.0};
};

/// Hamilton's product: R(a b) = R(a) R(b).
template <class S>
Quaternion<S> operator*(const Quaternion<S>& a, const Quaternion<S>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// R of a unit quaternion.
template <class S>
Mat3<S> rotation_of(const Quaternion<S>& q) {
  const S two(2.0), one(1.0);
  const S xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const S xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const S wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  Mat3<S> R;
  R.m[0] = {one - two * (yy + zz), two * (xy - wz), two * (xz + wy)};
  R.m[1] = {two * (xy + wz), one - two * (xx + zz), two * (yz - wx)};
  R.m[2] = {two * (xz - wy), two * (yz + wx), one - two * (xx + yy)};
  return R;
}

/// The unit quaternion that turns by |v| about v: exp(v/2). Exact to rounding also for tiny v.
inline Quaternion<double> exponential(const Vec3<double>& v) {
  const double angle = std::sqrt(dot(v, v));
  const double half = 0.5 * angle;
  // sin(half)/angle = 1/2 (1 - angle^2/24 + angle^4/1920 ...); the cut keeps the next term below 1e-18.
  const double a2 = angle * angle;
  const double k = angle < 1e-3 ? 0.5 - a2 * (1.0 / 48.0) + a2 * a2 * (1.0 / 3840.0) : std::sin(half) / angle;
  return {std::cos(half), k * v.x, k * v.y, k * v.z};
}

inline Quaternion<double> normalized(const Quaternion<double>& q) {
  const double n = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {n * q.w, n * q.x, n * q.y, n * q.z};
}

}  // namespace tactus::math
