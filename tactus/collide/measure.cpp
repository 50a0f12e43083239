#include <tactus/collide/measure.h>

#include <cmath>

namespace tactus::collide {

namespace {

/// Midway between the surface of a ball or cylinder about p_a and that about p_b, along the normal.
Vec3d midway(const Vec3d& p_a, double r_a, const Vec3d& p_b, double r_b, const Vec3d& n) {
  return 0.5 * (p_a + p_b + (r_a - r_b) * n);
}

Measure plane_point(const Feature& a, const Feature& b) {
  const Vec3d n = a.axis;
  const double gap = dot(n, b.p - a.p) - b.radius;
  return {gap, n, b.p - (b.radius + 0.5 * gap) * n};
}

Measure plane_circle(const Feature& a, const Feature& b) {
  const Vec3d n = a.axis;
  const Vec3d radial = across(n, b.axis);  // towards the highest point of the rim
  const double gap = dot(n, b.p - a.p) - b.radius * norm(radial);
  const Vec3d lowest = b.p - b.radius * direction_of(radial, any_normal_to(b.axis));
  return {gap, n, lowest - 0.5 * gap * n};
}

Measure point_point(const Feature& a, const Feature& b) {
  const Vec3d d = b.p - a.p;
  const double r = a.radius + b.radius, s = a.radius < 0.0 ? -1.0 : 1.0;
  const Vec3d n = s * direction_of(d, Vec3d::unit(2));
  return {s * norm(d) - r, n, midway(a.p, a.radius, b.p, b.radius, n)};
}

Measure line_point(const Feature& a, const Feature& b) {
  const Vec3d foot = a.p + dot(b.p - a.p, a.axis) * a.axis;
  const Vec3d d = across(b.p - a.p, a.axis);
  const double r = a.radius + b.radius, s = a.radius < 0.0 ? -1.0 : 1.0;
  const Vec3d n = s * direction_of(d, any_normal_to(a.axis));
  return {s * norm(d) - r, n, midway(foot, a.radius, b.p, b.radius, n)};
}

Measure line_line(const Feature& a, const Feature& b) {
  const Vec3d c = cross(a.axis, b.axis), d = b.p - a.p;
  const double c2 = dot(c, c);
  const Vec3d n = direction_of(c, any_normal_to(a.axis));
  // Feet of the common normal: p_a + s axis_a and p_b + t axis_b.
  const double s = c2 > 0.0 ? dot(cross(d, b.axis), c) / c2 : dot(d, a.axis);
  const double t = c2 > 0.0 ? dot(cross(d, a.axis), c) / c2 : 0.0;
  return {dot(n, d) - a.radius - b.radius, n,
          midway(a.p + s * a.axis, a.radius, b.p + t * b.axis, b.radius, n)};
}

}  // namespace

Feature placed(const Posed& X_WB, const Feature& feature) {
  return {feature.kind, transformed(X_WB, feature.p), X_WB.R * feature.axis, feature.radius};
}

Measure measure(FeaturePair kind, const Feature& a, const Feature& b) {
  switch (kind) {
    case FeaturePair::plane_point:
      return plane_point(a, b);
    case FeaturePair::plane_circle:
      return plane_circle(a, b);
    case FeaturePair::point_point:
      return point_point(a, b);
    case FeaturePair::line_point:
      return line_point(a, b);
    case FeaturePair::line_line:
      return line_line(a, b);
  }
  return {};
}

}  // namespace tactus::collide
