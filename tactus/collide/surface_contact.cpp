#include <tactus/collide/surface_contact.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/collide/half_space.h>
#include <tactus/collide/solid_cylinder.h>
#include <tactus/collide/surface_points.h>

namespace tactus::collide {

namespace {

constexpr double kDeepestEdge = 0.1;  // part of the smaller shape's size
constexpr double kParallel = 0.05;    // sine

/// An edge of a surface and an edge of another shape, `reaches(n)`: whether that one is furthest along n.
/// All in the surface's axes.
template <class Reaches>
void add_edges(const Party& p, const Surface& S, int e, const Party& q, const Feature& other_B, Code code,
               const Posed& X, double low, double high, const Reaches& reaches, Collector& out) {
  const SurfaceEdge& edge = S.edge(e);
  const Vec3d from = transformed(X, other_B.p), v = X.R * other_B.axis;
  const Vec3d c = cross(edge.direction, v);
  const double sine = norm(c);
  if (sine < kParallel) return;
  Vec3d n = (1.0 / sine) * c;
  if (dot(n, S.normal(edge.triangle[0]) + S.normal(edge.triangle[1])) < 0.0) n = -n;
  if (!edge_reaches(S, edge, n, kBeyondTriangles) || !reaches(-n)) return;
  const Vec3d d = from - S.vertex(edge.from);
  const double s = dot(cross(d, v), c) / (sine * sine), t = dot(cross(d, edge.direction), c) / (sine * sine);
  if (s < 0.0 || s > edge.length || t < low || t > high) return;
  if (dot(n, d) - other_B.radius < -kDeepestEdge * out.size()) return;
  Feature line = S.edge_feature(e);
  if (dot(c, n) < 0.0) line.axis = -line.axis;
  out.add(FeaturePair::line_line, p, line, Code::edge(e), q, other_B, code);
}

/// A corner of the surface against a polytope, in the world.
void add_vertex_polytope(const Party& p, const Surface& S, int v, const PlacedParty& q, Collector& out,
                         Nearest& nearest) {
  const PlacedPolytope& Q = *q.core;
  const Vec3d x = transformed(*p.X_WB, S.vertex(v));
  const Feature point = S.vertex_feature(v);
  if (Q.face_count() == 0) {
    if (Q.edge_count() == 0) return;
    const double at = nearest_on_segment(Q.corner(0), Q.corner(1), x);
    const Vec3d w = Q.corner(0) + at * (Q.corner(1) - Q.corner(0)) - x;
    if (at <= 0.0 || at >= 1.0 ||
        !vertex_reaches(S, v, math::transpose_times(p.X_WB->R, w), kBeyondTriangles * norm(w)))
      return;
    out.add(FeaturePair::line_point, q.party, Q.shape->edge(0), Code::edge(0), p, point, Code::corner(v));
    return;
  }
  const double slack = kOverSurface * out.size();
  int outermost = 0;
  double most = -std::numeric_limits<double>::infinity();
  bool over = false;
  for (int f = 0; f < Q.face_count(); ++f) {
    const double height = dot(Q.normal(f), x - Q.corner(Q.face(f).corners[0]));
    if (height > most) {
      most = height;
      outermost = f;
    }
    if (height >= 0.0 && height < out.margin() && Q.over_face(f, x, slack)) {
      over = true;
      out.add(FeaturePair::plane_point, q.party, Q.shape->face(f), Code::face(f), p, point, Code::corner(v));
    }
  }
  if (over) return;
  if (most < 0.0) {
    out.add(FeaturePair::plane_point, q.party, Q.shape->face(outermost), Code::face(outermost), p, point,
            Code::corner(v));
    return;
  }
  if (most >= out.margin()) return;
  for (int j = 0; j < Q.edge_count(); ++j) {
    const Vec3d &from = Q.corner(Q.edge(j).from), &to = Q.corner(Q.edge(j).to);
    const double at = nearest_on_segment(from, to, x), gap = norm(from + at * (to - from) - x);
    if (at > 0.0 && at < 1.0) {
      nearest.consider(gap, FeaturePair::line_point, q.party, Q.shape->edge(j), Code::edge(j), p, point,
                       Code::corner(v));
    } else {
      const int corner = at <= 0.0 ? Q.edge(j).from : Q.edge(j).to;
      nearest.consider(gap, FeaturePair::point_point, p, point, Code::corner(v), q.party,
                       Q.shape->corner(corner), Code::corner(corner));
    }
  }
}

struct Box {
  Vec3d low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::infinity()};
  Vec3d high = -low;

  void hold(const Vec3d& x) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  void widen(double by) {
    low = low - cube_of(by);
    high = high + cube_of(by);
  }
};

/// vertex(v) for corners and edge(e) for edges that stand out, in a box. Each is met from every triangle it
/// belongs to: the collector knows copies by their ids.
template <class VisitVertex, class VisitEdge>
void search_features(const Surface& S, const Box& box, const VisitVertex& vertex, const VisitEdge& edge) {
  S.overlapping(box.low, box.high, [&](int t) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (S.is_corner(S.triangle(t)[k])) vertex(S.triangle(t)[k]);
      if (S.edge(S.edges_of(t)[k]).stands_out) edge(S.edges_of(t)[k]);
    }
  });
}

}  // namespace

void add_surface_half_space(const Party& ground, const Feature& plane, const Party& q, const Surface& surface,
                            Collector& out) {
  const Posed X = math::inverse(*q.X_WB) * *ground.X_WB;
  const Vec3d n = X.R * plane.axis, p = transformed(X, plane.p);
  const auto near = [&](const Vec3d& low, const Vec3d& high) {
    double lowest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) lowest += n[k] * ((n[k] > 0.0 ? low[k] : high[k]) - p[k]);
    return lowest < out.margin();
  };
  surface.search(near, [&](int t) {
    for (const int v : surface.triangle(t)) {
      if (surface.is_corner(v))
        out.add(FeaturePair::plane_point, ground, plane, Code::face(0), q, surface.vertex_feature(v),
                Code::corner(v));
    }
  });
}

void add_surface_inside(const Party& wall, const Shape& hollow, const Party& q, const Surface& surface,
                        Collector& out) {
  const bool ball = hollow.kind == ShapeKind::hollow_ball;
  const Feature inside{ball ? FeatureKind::point : FeatureKind::line, hollow.centre, hollow.axis,
                       -hollow.radius};
  const Vec3d centre = transformed(*wall.X_WB, hollow.centre), axis = wall.X_WB->R * hollow.axis;
  for (int v = 0; v < static_cast<int>(surface.vertices().size()); ++v) {
    if (!surface.is_corner(v)) continue;
    if (!ball && std::abs(dot(transformed(*q.X_WB, surface.vertex(v)) - centre, axis)) > hollow.half_length)
      continue;
    out.add(ball ? FeaturePair::point_point : FeaturePair::line_point, wall, inside, Code::face(0), q,
            surface.vertex_feature(v), Code::corner(v));
  }
}

void add_surface_polytope(const Party& p, const Surface& S, const PlacedParty& q, Collector& out) {
  const Polytope& Q = *q.core->shape;
  Nearest nearest;
  PointsOnSurface points(p, S, q.party, out, nearest);
  Box box;
  for (int i = 0; i < static_cast<int>(Q.corners.size()); ++i) {
    points.add(Q.corner(i), Code::corner(i));
    box.hold(transformed(points.relative(), Q.corner(i).p));
  }
  box.widen(out.margin() + Q.radius);
  const Mat3d to_world = p.X_WB->R;
  search_features(
      S, box, [&](int v) { add_vertex_polytope(p, S, v, q, out, nearest); },
      [&](int e) {
        for (int j = 0; j < static_cast<int>(Q.edges.size()); ++j) {
          const PolytopeEdge& edge = Q.edges[static_cast<std::size_t>(j)];
          const double length = norm(q.core->corner(edge.to) - q.core->corner(edge.from));
          add_edges(
              p, S, e, q.party, Q.edge(j), Code::edge(j), points.relative(), 0.0, length,
              [&](const Vec3d& n) { return q.core->edge_reaches(j, to_world * n, kBeyondTriangles); }, out);
        }
      });
  nearest.add_to(out);
}

void add_surface_cylinder(const Party& p, const Surface& S, const Party& q, const Shape& cylinder,
                          Collector& out) {
  Nearest nearest;
  PointsOnSurface points(p, S, q, out, nearest);
  const SolidCylinder C(q, cylinder);
  const Posed& X = points.relative();
  const Vec3d centre = transformed(X, cylinder.centre), axis = X.R * cylinder.axis;
  Box box;
  for (const double sign : {-1.0, 1.0}) box.hold(centre + sign * cylinder.half_length * axis);
  box.widen(out.margin() + cylinder.radius);
  const double slack = kOverSurface * out.size();

  S.overlapping(box.low, box.high, [&](int t) {
    const Vec3d &n = S.normal(t), lowest = across(n, axis);
    const bool flat = norm(lowest) < kFlat;
    for (const int end : {0, 1}) {
      if (flat && end != (dot(n, axis) > 0.0 ? 0 : 1)) continue;
      if (flat) {
        for (int k = 0; k < 4; ++k) points.add(rim_point(cylinder, end, k), Code::rim(2 + 4 * end + k));
        continue;
      }
      const Vec3d x = centre + ((end == 0 ? -1.0 : 1.0) * cylinder.half_length) * axis -
                      cylinder.radius * direction_of(lowest, axis);
      const double height = dot(n, x - S.vertex(S.triangle(t)[0]));
      if (height < -kDeepestCorner * out.size() || !over_triangle(S, t, x, slack)) continue;
      out.add(FeaturePair::plane_circle, p, S.face_feature(t), Code::face(S.face(t)), q,
              rim_of(cylinder, end), Code::rim(end));
    }
  });
  search_features(
      S, box,
      [&](int v) {
        const Vec3d x = transformed(*p.X_WB, S.vertex(v));
        const double z = dot(x - C.centre, C.axis), rho = norm(across(x - C.centre, C.axis));
        const double over = std::abs(z) - C.half_length, beside = rho - C.radius;
        const int end = z < 0.0 ? 0 : 1;
        const Feature point = S.vertex_feature(v);
        if (over > 0.0 && beside > 0.0) {
          const Feature rim = C.rim_at(across(x - C.centre, C.axis), end);
          nearest.consider(std::hypot(over, beside), FeaturePair::point_point, q, rim, Code::rim(end), p,
                           point, Code::corner(v));
        } else if (over > beside) {
          out.add(FeaturePair::plane_point, q, cap_of(cylinder, end), Code::face(end), p, point,
                  Code::corner(v));
        } else {
          out.add(FeaturePair::line_point, q, side_of(cylinder), Code::edge(0), p, point, Code::corner(v));
        }
      },
      [&](int e) {
        add_edges(
            p, S, e, q, side_of(cylinder), Code::edge(0), X, -C.half_length, C.half_length,
            [](const Vec3d&) { return true; }, out);
      });
  nearest.add_to(out);
}

void add_surfaces(const Party& p, const Surface& P, const Party& q, const Surface& Q, Collector& out) {
  Nearest nearest;
  PointsOnSurface q_on_p(p, P, q, out, nearest), p_on_q(q, Q, p, out, nearest);
  /// The box of one surface in the axes of the other.
  const auto box_in = [&](const Surface& of, const Posed& X) {
    Box box;
    for (int i = 0; i < 8; ++i) {
      box.hold(
          transformed(X, {(i & 1) != 0 ? of.high().x : of.low().x, (i & 2) != 0 ? of.high().y : of.low().y,
                          (i & 4) != 0 ? of.high().z : of.low().z}));
    }
    box.widen(out.margin());
    return box;
  };
  search_features(
      Q, box_in(P, p_on_q.relative()), [&](int v) { q_on_p.add(Q.vertex_feature(v), Code::corner(v)); },
      [](int) {});
  const Posed& X = q_on_p.relative();
  search_features(
      P, box_in(Q, X), [&](int v) { p_on_q.add(P.vertex_feature(v), Code::corner(v)); },
      [&](int e) {
        Box box;
        box.hold(transformed(p_on_q.relative(), P.vertex(P.edge(e).from)));
        box.hold(transformed(p_on_q.relative(), P.vertex(P.edge(e).to)));
        box.widen(out.margin());
        search_features(
            Q, box, [](int) {},
            [&](int f) {
              const SurfaceEdge& other = Q.edge(f);
              add_edges(
                  p, P, e, q, Q.edge_feature(f), Code::edge(f), X, 0.0, other.length,
                  [&](const Vec3d& n) {
                    return edge_reaches(Q, other, math::transpose_times(X.R, n), kBeyondTriangles);
                  },
                  out);
            });
      });
  nearest.add_to(out);
}

}  // namespace tactus::collide
