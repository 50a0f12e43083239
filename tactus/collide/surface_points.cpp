#include <tactus/collide/surface_points.h>

#include <algorithm>
#include <cmath>

namespace tactus::collide {

namespace {

/// From an edge into one of its two triangles.
Vec3d into_triangle(const Surface& S, const SurfaceEdge& edge, std::size_t which) {
  const Vec3d along = which == 0 ? edge.direction : -edge.direction;
  return cross(S.normal(edge.triangle[which]), along);
}

OnTriangle nearest_on(const Surface& S, int t, const Vec3d& x) {
  const auto& corners = S.triangle(t);
  return nearest_on_triangle(S.vertex(corners[0]), S.vertex(corners[1]), S.vertex(corners[2]), S.normal(t),
                             x);
}

}  // namespace

bool edge_reaches(const Surface& S, const SurfaceEdge& edge, const Vec3d& w, double beyond) {
  return edge.stands_out && dot(w, into_triangle(S, edge, 0)) <= beyond &&
         dot(w, into_triangle(S, edge, 1)) <= beyond;
}

bool vertex_reaches(const Surface& S, int v, const Vec3d& w, double beyond) {
  const auto [begin, end] = S.edges_at(v);
  return std::all_of(begin, end, [&](int e) {
    const SurfaceEdge& edge = S.edge(e);
    return dot(w, edge.from == v ? edge.direction : -edge.direction) <= beyond;
  });
}

bool over_triangle(const Surface& S, int t, const Vec3d& x, double slack) {
  for (const int e : S.edges_of(t)) {
    const SurfaceEdge& edge = S.edge(e);
    const std::size_t which = edge.triangle[0] == t ? 0 : 1;
    if (dot(into_triangle(S, edge, which), x - S.vertex(edge.from)) < -slack) return false;
  }
  return true;
}

void PointsOnSurface::add(const Feature& point, Code code) {
  const Vec3d x = transformed(X, point.p);
  const double near = out.margin() + point.radius, reach = std::max(near, kDeepestCorner * out.size());
  int closest = -1;
  OnTriangle on;
  on.distance2 = std::numeric_limits<double>::infinity();
  S.overlapping(x - cube_of(reach), x + cube_of(reach), [&](int t) {
    const OnTriangle found = nearest_on(S, t, x);
    if (found.distance2 < on.distance2) {
      on = found;
      closest = t;
    }
  });
  if (closest < 0) return;
  if (dot(outward(closest, on), x - on.point) >= 0.0)
    add_outside(point, code, x, near, closest, on);
  else
    add_inside(point, code, x, reach, closest, on);
}

Vec3d PointsOnSurface::outward(int t, const OnTriangle& on) const {
  switch (on.region) {
    case TriangleRegion::inside:
      break;
    case TriangleRegion::edge: {
      const SurfaceEdge& edge = S.edge(S.edges_of(t)[on.which]);
      return S.normal(edge.triangle[0]) + S.normal(edge.triangle[1]);
    }
    case TriangleRegion::corner:
      return S.vertex_normal(S.triangle(t)[on.which]);
  }
  return S.normal(t);
}

void PointsOnSurface::add_over(int t, const Feature& point, Code code) {
  out.add(FeaturePair::plane_point, p_, S.face_feature(t), Code::face(S.face(t)), q_, point, code);
}

void PointsOnSurface::add_outside(const Feature& point, Code code, const Vec3d& x, double near, int closest,
                                  const OnTriangle& on) {
  const double slack = kOverSurface * out.size();
  S.overlapping(x - cube_of(near), x + cube_of(near), [&](int t) {
    if (dot(S.normal(t), x - S.vertex(S.triangle(t)[0])) >= -slack && over_triangle(S, t, x, slack))
      add_over(t, point, code);
    if (point.radius > 0.0) add_round(t, nearest_on(S, t, x), point, code, x);
  });
  if (point.radius > 0.0 || on.region == TriangleRegion::inside) return;
  const double gap = std::sqrt(on.distance2);
  if (on.region == TriangleRegion::edge) {
    const int e = S.edges_of(closest)[on.which];
    nearest_.consider(gap, FeaturePair::line_point, p_, S.edge_feature(e), Code::edge(e), q_, point, code);
  } else {
    const int v = S.triangle(closest)[on.which];
    nearest_.consider(gap, FeaturePair::point_point, p_, S.vertex_feature(v), Code::corner(v), q_, point,
                      code);
  }
}

/// A ball at an edge or corner that stands out.
void PointsOnSurface::add_round(int t, const OnTriangle& on, const Feature& point, Code code,
                                const Vec3d& x) {
  const Vec3d w = x - on.point;
  const double beyond = kBeyondTriangles * norm(w);
  if (on.region == TriangleRegion::edge) {
    const int e = S.edges_of(t)[on.which];
    if (edge_reaches(S, S.edge(e), w, beyond))
      out.add(FeaturePair::line_point, p_, S.edge_feature(e), Code::edge(e), q_, point, code);
  } else if (on.region == TriangleRegion::corner) {
    const int v = S.triangle(t)[on.which];
    if (S.is_corner(v) && vertex_reaches(S, v, w, beyond))
      out.add(FeaturePair::point_point, p_, S.vertex_feature(v), Code::corner(v), q_, point, code);
  }
}

/// Out through the nearest face.
void PointsOnSurface::add_inside(const Feature& point, Code code, const Vec3d& x, double reach, int closest,
                                 const OnTriangle& on) {
  if (on.region == TriangleRegion::inside) {
    add_over(closest, point, code);
    return;
  }
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  S.overlapping(x - cube_of(reach), x + cube_of(reach), [&](int t) {
    const double depth = -dot(S.normal(t), x - S.vertex(S.triangle(t)[0]));
    if (depth >= 0.0 && depth < least && over_triangle(S, t, x, kOverSurface * out.size())) {
      best = t;
      least = depth;
    }
  });
  if (best >= 0) {
    add_over(best, point, code);
  } else {
    const Feature plane{FeatureKind::plane, on.point, direction_of(outward(closest, on), S.normal(closest)),
                        0.0};
    out.add(FeaturePair::plane_point, p_, plane, Code::face(S.face(closest)), q_, point, code);
  }
}

}  // namespace tactus::collide
