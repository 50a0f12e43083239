#include <tactus/collide/half_space.h>

namespace tactus::collide {

Feature plane_of(const Shape& half_space) {
  return {FeatureKind::plane, half_space.centre, half_space.axis, 0.0};
}

Feature rim_of(const Shape& cylinder, int end) {
  const double sign = end == 0 ? -1.0 : 1.0;
  return {FeatureKind::circle, cylinder.centre + sign * cylinder.half_length * cylinder.axis, cylinder.axis,
          cylinder.radius};
}

Feature rim_point(const Shape& cylinder, int end, int k) {
  const Vec3d x = any_normal_to(cylinder.axis), y = cross(cylinder.axis, x);
  const Vec3d direction = k == 0 ? x : k == 1 ? y : k == 2 ? -x : -y;
  Feature point = rim_of(cylinder, end);
  point.kind = FeatureKind::point;
  point.p = point.p + cylinder.radius * direction;
  point.radius = 0.0;
  return point;
}

Feature cap_of(const Shape& cylinder, int end) {
  const double sign = end == 0 ? -1.0 : 1.0;
  return {FeatureKind::plane, rim_of(cylinder, end).p, sign * cylinder.axis, 0.0};
}

Feature side_of(const Shape& cylinder) {
  return {FeatureKind::line, cylinder.centre, cylinder.axis, cylinder.radius};
}

void add_corners_above(const Party& ground, const Feature& plane, Code plane_code, const Party& above,
                       const Polytope& core, Collector& out) {
  for (int i = 0; i < static_cast<int>(core.corners.size()); ++i)
    out.add(FeaturePair::plane_point, ground, plane, plane_code, above, core.corner(i), Code::corner(i));
}

void add_rims_above(const Party& ground, const Feature& plane, Code plane_code, const Party& above,
                    const Shape& cylinder, Collector& out) {
  const Vec3d n = ground.X_WB->R * plane.axis, axis = above.X_WB->R * cylinder.axis;
  if (norm(cross(n, axis)) >= kFlat) {
    for (const int end : {0, 1})
      out.add(FeaturePair::plane_circle, ground, plane, plane_code, above, rim_of(cylinder, end),
              Code::rim(end));
    return;
  }
  const int end = dot(n, axis) > 0.0 ? 0 : 1;
  for (int k = 0; k < 4; ++k)
    out.add(FeaturePair::plane_point, ground, plane, plane_code, above, rim_point(cylinder, end, k),
            Code::rim(2 + 4 * end + k));
}

}  // namespace tactus::collide
