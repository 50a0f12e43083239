// A solid cylinder in the world.
#pragma once

#include <cmath>

#include <tactus/collide/collector.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

struct SolidCylinder {
  Party party;
  const Shape* shape;
  Vec3d centre, axis;
  double radius, half_length;

  SolidCylinder(const Party& p, const Shape& s)
      : party(p),
        shape(&s),
        centre(transformed(*p.X_WB, s.centre)),
        axis(p.X_WB->R * s.axis),
        radius(s.radius),
        half_length(s.half_length) {}

  /// How far it reaches along a unit vector: the largest n.x over all its points.
  double reach(const Vec3d& n) const {
    return dot(n, centre) + half_length * std::abs(dot(n, axis)) + radius * norm(cross(n, axis));
  }
  /// A point of it that reaches so far.
  Vec3d furthest(const Vec3d& n) const {
    return centre + ((dot(n, axis) < 0.0 ? -1.0 : 1.0) * half_length) * axis +
           radius * direction_of(cross(axis, cross(n, axis)), Vec3d::zero());  // normal to the axis exactly
  }
  Vec3d end(int i) const { return centre + ((i == 0 ? -1.0 : 1.0) * half_length) * axis; }
  /// The plane with normal n that touches it, in the axes of its body.
  Feature tangent(const Vec3d& n) const {
    const Posed& X = *party.X_WB;
    return {FeatureKind::plane, math::transpose_times(X.R, furthest(n) - X.p), math::transpose_times(X.R, n),
            0.0};
  }
  /// The point of a rim in a direction, in the axes of its body.
  Feature rim_at(const Vec3d& outward, int i) const {
    const Posed& X = *party.X_WB;
    const Vec3d point = end(i) + radius * direction_of(outward, any_normal_to(axis));
    return {FeatureKind::point, math::transpose_times(X.R, point - X.p), Vec3d::unit(2), 0.0};
  }
};

}  // namespace tactus::collide
