// A turn by q about the unit axis k: R p = k (k.p) + cos q (p - k (k.p)) + sin q (k x p).
#pragma once

#include <cmath>

#include <tactus/math/vec3.h>

namespace tactus::control {

using Vec = math::Vec3<double>;

/// R(k, q) p, with the cosine and the sine of q.
inline Vec turned(const Vec& k, double c, double s, const Vec& p) noexcept {
  const Vec along = dot(k, p) * k;
  return along + c * (p - along) + s * cross(k, p);
}
inline Vec turned(const Vec& k, double q, const Vec& p) noexcept {
  return turned(k, std::cos(q), std::sin(q), p);
}

inline math::Mat3<double> turn(const Vec& k, double q) noexcept {
  const double c = std::cos(q), s = std::sin(q);
  return math::Mat3<double>::from_columns(turned(k, c, s, Vec::unit(0)), turned(k, c, s, Vec::unit(1)),
                                          turned(k, c, s, Vec::unit(2)));
}

}  // namespace tactus::control
