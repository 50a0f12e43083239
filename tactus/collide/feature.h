// The parts of two shapes between which a contact takes place, each fixed in its body.
//
// Where shapes are near each other, their distance is that between two simple features: a corner of a box and
// a face, two edges, a sphere and a face, the rim of a disk and a plane. Each such pair has a closed form for
// its gap, its normal and their rates (contact/law/gap.h), smooth in the motion: that is what is held,
// differentiated and put into generated code; the search for the nearest features is only made once per step.
#pragma once

#include <tactus/math/vec3.h>

namespace tactus::collide {

using Vec3d = math::Vec3<double>;
using Mat3d = math::Mat3<double>;

enum class FeatureKind : unsigned char {
  plane,  // half-space: point p, outward unit normal axis
  point,  // ball of `radius` about p; 0: a corner. Negative: the inside of a hollow ball
  line,   // cylinder of `radius` about the line through p along axis (unit); 0: an edge. Negative: the inside
          // of a hollow cylinder
  circle,  // rim of `radius` about p in the plane normal to axis (unit): the edge of a disk
};

/// In the axes of its body.
struct Feature {
  FeatureKind kind = FeatureKind::point;
  Vec3d p{0.0, 0.0, 0.0};
  Vec3d axis{0.0, 0.0, 1.0};
  double radius = 0.0;
};

/// The pairs that exist: (a, b) = (plane, point), (plane, circle), (point, point), (line, point), (line,
/// line). Collision detection gives every contact as one of them, exchanging the bodies where it must. With
/// d = p_b - p_a, radii r_a, r_b (r = r_a + r_b; s = -1 where r_a < 0: b inside the hollow a, otherwise 1):
///
///   plane_point   n = axis_a                                   gap = n.d - r_b
///   plane_circle  n = axis_a                                   gap = n.d - r_b |n - (n.axis_b) axis_b|
///   point_point   n = s d / |d|                                gap = s |d| - r
///   line_point    n = s d'/|d'|, d' = d - (d.axis_a) axis_a    gap = s |d'| - r
///   line_line     n = axis_a x axis_b / |axis_a x axis_b|      gap = n.d - r
///
/// For two lines, collision detection gives the axes the signs with which n points from a to b, r >= 0.
enum class FeaturePair : unsigned char { plane_point, plane_circle, point_point, line_point, line_line };

}  // namespace tactus::collide
