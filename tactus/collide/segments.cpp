// |p0 + s u - q0 - t v|^2 is convex in (s, t): its least value over the unit square is at the free minimum
// where that lies inside, otherwise on one of the four sides, where one of the segments shrinks to its end.
#include <tactus/collide/segments.h>

#include <algorithm>

namespace tactus::collide {

double nearest_on_segment(const Vec3d& p0, const Vec3d& p1, const Vec3d& x) {
  const Vec3d u = p1 - p0;
  const double length2 = dot(u, u);
  return length2 > 0.0 ? std::clamp(dot(x - p0, u) / length2, 0.0, 1.0) : 0.0;
}

SegmentPair nearest_on_segments(const Vec3d& p0, const Vec3d& p1, const Vec3d& q0, const Vec3d& q1) {
  const Vec3d u = p1 - p0, v = q1 - q0, d = q0 - p0;
  const auto distance2 = [&](double s, double t) {
    const Vec3d e = d + t * v - s * u;
    return dot(e, e);
  };
  const Vec3d c = cross(u, v);
  const double c2 = dot(c, c);
  if (c2 > 1e-24 * dot(u, u) * dot(v, v)) {
    const double s = dot(cross(d, v), c) / c2, t = dot(cross(d, u), c) / c2;
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) return {s, t, distance2(s, t)};
  }
  SegmentPair best{0.0, nearest_on_segment(q0, q1, p0), 0.0};
  best.distance2 = distance2(best.s, best.t);
  const auto consider = [&](double s, double t) {
    const double found = distance2(s, t);
    if (found < best.distance2) best = {s, t, found};
  };
  consider(1.0, nearest_on_segment(q0, q1, p1));
  consider(nearest_on_segment(p0, p1, q0), 0.0);
  consider(nearest_on_segment(p0, p1, q1), 1.0);
  return best;
}

}  // namespace tactus::collide
