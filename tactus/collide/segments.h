// The nearest points of two segments.
#pragma once

#include <tactus/collide/vector.h>

namespace tactus::collide {

struct SegmentPair {
  double s = 0.0, t = 0.0;  // fractions of the first and the second, in [0, 1]
  double distance2 = 0.0;   // square of the distance
};

/// Either may be a point (equal ends).
SegmentPair nearest_on_segments(const Vec3d& p0, const Vec3d& p1, const Vec3d& q0, const Vec3d& q1);

/// The point of a segment nearest to x, as a fraction of it in [0, 1].
double nearest_on_segment(const Vec3d& p0, const Vec3d& p1, const Vec3d& x);

}  // namespace tactus::collide
