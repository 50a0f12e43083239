// The point of a triangle nearest to a given one.
#pragma once

#include <tactus/collide/segments.h>

namespace tactus::collide {

enum class TriangleRegion { inside, edge, corner };

struct OnTriangle {
  Vec3d point{};
  double distance2 = 0.0;
  TriangleRegion region = TriangleRegion::inside;
  std::size_t which = 0;  // edge k joins corners k and k + 1
};

/// n: the unit normal.
OnTriangle nearest_on_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& n,
                               const Vec3d& x);

}  // namespace tactus::collide
