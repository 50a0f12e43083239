// Lengths and directions of 3-vectors.
#pragma once

#include <algorithm>
#include <cmath>

#include <tactus/collide/feature.h>

namespace tactus::collide {

using Posed = math::Pose<double>;

inline double norm(const Vec3d& a) { return std::sqrt(dot(a, a)); }

/// The part of v normal to the unit vector e.
inline Vec3d across(const Vec3d& v, const Vec3d& e) { return v - dot(v, e) * e; }

/// A unit vector normal to the unit vector e; the same one for the same e.
inline Vec3d any_normal_to(const Vec3d& e) {
  const std::size_t least = std::abs(e.x) <= std::abs(e.y) && std::abs(e.x) <= std::abs(e.z) ? 0
                            : std::abs(e.y) <= std::abs(e.z)                                 ? 1
                                                                                             : 2;
  const Vec3d n = across(Vec3d::unit(least), e);
  return (1.0 / norm(n)) * n;
}

/// a / |a|, or `otherwise` where a has no direction. Scaled first, so that tiny and huge vectors have one
/// too.
inline Vec3d direction_of(const Vec3d& a, const Vec3d& otherwise) {
  const double largest = std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
  if (!(largest > 0.0) || !std::isfinite(largest)) return otherwise;
  const Vec3d scaled = (1.0 / largest) * a;
  if (!std::isfinite(scaled.x + scaled.y + scaled.z)) return otherwise;
  return (1.0 / norm(scaled)) * scaled;
}

inline Vec3d transformed(const Posed& X, const Vec3d& point) { return X.p + X.R * point; }

}  // namespace tactus::collide
