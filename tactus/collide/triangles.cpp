#include <tactus/collide/triangles.h>

#include <array>
#include <limits>

namespace tactus::collide {

OnTriangle nearest_on_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& n,
                               const Vec3d& x) {
  const std::array<Vec3d, 3> corner{a, b, c};
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d& from = corner[k];
    inside = inside && dot(cross(n, corner[(k + 1) % 3] - from), x - from) >= 0.0;
  }
  if (inside) {
    const double height = dot(n, x - a);
    return {x - height * n, height * height, TriangleRegion::inside, 0};
  }
  OnTriangle best;
  best.distance2 = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d &from = corner[k], &to = corner[(k + 1) % 3];
    const double t = nearest_on_segment(from, to, x);
    const Vec3d point = from + t * (to - from);
    const double distance2 = dot(x - point, x - point);
    if (!(distance2 < best.distance2)) continue;
    best = {point, distance2, TriangleRegion::edge, k};
    if (t <= 0.0) best.region = TriangleRegion::corner;
    if (t >= 1.0) {
      best.region = TriangleRegion::corner;
      best.which = (k + 1) % 3;
    }
  }
  return best;
}

}  // namespace tactus::collide
