// Two convex polytopes P and Q (with radii r_P, r_Q about them) touch along a direction n: that of a face of
// one of them, or normal to an edge of each (separating axes). Along it they are s apart; where they overlap
// that is the least motion that parts them, and what touches lies on the faces that look at each other most:
//
//   corners of one over the face of the other       plane and point
//   edges of both that cross, seen along the face   line and line
//
// each with its own gap, not less than s. Where they are apart, nearest may also be an edge and a corner or
// two corners: then the distance is more than s, and that pair is added.
#include <tactus/collide/convex.h>

#include <algorithm>
#include <cmath>

#include <tactus/collide/segments.h>

namespace tactus::collide {

namespace {

/// Parts of the shapes' size.
constexpr double kOverSlack = 1e-5;   // corners so little outside a face are over it
constexpr double kPreferFace = 1e-7;  // a direction of edges must beat those of the faces by so much
constexpr double kGapSlack = 1e-7;    // rounding of gaps that are equal in theory; > kPreferFace's effect
/// Below this sine two edges are no pair of lines: their common normal would turn with every rounding. A
/// point of one stands in for the crossing.
constexpr double kParallel = 0.05;
constexpr double kExactlyParallel = 1e-9;
/// An edge is a contact in the directions between its two faces, and so much beyond [rad].
constexpr double kBeyondFaces = 1e-2;

double edge_length(const PlacedPolytope& p, int edge) {
  return norm(p.corner(p.edge(edge).to) - p.corner(p.edge(edge).from));
}

/// Adds the crossing of two edges as two lines; `toward` orients the normal.
void add_lines(const PlacedParty& p, int i, const PlacedParty& q, int j, const Vec3d& toward,
               Collector& out) {
  Feature a = p.core->shape->edge(i), in_world = p.core->edge_feature(i);
  if (dot(cross(p.core->edge_direction(i), q.core->edge_direction(j)), toward) < 0.0) {
    a.axis = -a.axis;
    in_world.axis = -in_world.axis;
  }
  out.add(FeaturePair::line_line, p.party, a, in_world, Code::edge(i), q.party, q.core->shape->edge(j),
          q.core->edge_feature(j), Code::edge(j));
}

/// Edge i of the reference face, with normal n of the face, and edge j of the other shape.
void add_crossing(const PlacedParty& p, int face, int i, const PlacedParty& q, int j, Collector& out) {
  const PlacedPolytope &P = *p.core, &Q = *q.core;
  const Vec3d &u = P.edge_direction(i), &v = Q.edge_direction(j), &face_normal = P.normal(face);
  const Vec3d c = cross(u, v);
  const double sine = norm(c);
  if (sine < kExactlyParallel) return;
  const Vec3d &from_p = P.corner(P.edge(i).from), &from_q = Q.corner(Q.edge(j).from);
  const double slack = kOverSlack * out.size();
  const auto inside = [slack](double along, double length) {
    return along > -slack && along < length + slack;
  };
  if (sine >= kParallel) {
    const Vec3d n = (dot(c, face_normal) < 0.0 ? -1.0 / sine : 1.0 / sine) * c;
    if (!P.edge_reaches(i, n, kBeyondFaces) || !Q.edge_reaches(j, -n, kBeyondFaces)) return;
    const Vec3d d = from_q - from_p;
    const double s = dot(cross(d, v), c) / (sine * sine), t = dot(cross(d, u), c) / (sine * sine);
    if (inside(s, edge_length(P, i)) && inside(t, edge_length(Q, j))) add_lines(p, i, q, j, n, out);
    return;
  }
  // Nearly parallel: where edge j passes over edge i, a point of j against the face.
  const Vec3d outward = cross(u, face_normal);
  const double slope = dot(v, outward);
  if (std::abs(slope) < kExactlyParallel) return;
  const double t = dot(from_p - from_q, outward) / slope;
  const double s = dot(from_q + t * v - from_p, u);
  if (!inside(t, edge_length(Q, j)) || !inside(s, edge_length(P, i))) return;
  Feature point = q.core->shape->edge(j);
  point.kind = FeatureKind::point;
  point.p = point.p + t * point.axis;
  point.axis = Vec3d::unit(2);
  out.add(FeaturePair::plane_point, p.party, p.core->shape->face(face), Code::edge(i), q.party, point,
          Code::edge(j));
}

/// Everything between a face of p and what looks at it of q.
void add_face(const PlacedParty& p, int face, const PlacedParty& q, Collector& out) {
  const PlacedPolytope &P = *p.core, &Q = *q.core;
  const Vec3d& n = P.normal(face);
  const double slack = kOverSlack * out.size();
  const auto corner_over = [&](const PlacedParty& below, int f, const PlacedParty& above, int corner) {
    if (!below.core->over_face(f, above.core->corner(corner), slack)) return;
    out.add(FeaturePair::plane_point, below.party, below.core->shape->face(f), below.core->face_feature(f),
            Code::face(f), above.party, above.core->shape->corner(corner), above.core->corner_feature(corner),
            Code::corner(corner));
  };
  corner_over(p, face, q, Q.furthest(-n));
  const int other = Q.facing(-n);
  if (other < 0) {
    for (int i = 0; i < Q.corner_count(); ++i) corner_over(p, face, q, i);
    for (int j = 0; j < Q.edge_count(); ++j) {
      for (const int i : P.face(face).edges) add_crossing(p, face, i, q, j, out);
    }
    return;
  }
  for (const int i : Q.face(other).corners) corner_over(p, face, q, i);
  for (const int i : P.face(face).corners) corner_over(q, other, p, i);
  for (const int j : Q.face(other).edges) {
    for (const int i : P.face(face).edges) add_crossing(p, face, i, q, j, out);
  }
}

struct Extent {
  double least, most;
};
Extent extent(const PlacedPolytope& p, const Vec3d& n) {
  Extent e{dot(n, p.corners[0]), dot(n, p.corners[0])};
  for (const Vec3d& corner : p.corners) {
    const double along = dot(n, corner);
    e.least = std::min(e.least, along);
    e.most = std::max(e.most, along);
  }
  return e;
}

/// Of the edges parallel to edge i, the one furthest along n.
int furthest_parallel(const PlacedPolytope& p, int i, const Vec3d& n) {
  int best = i;
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < p.edge_count(); ++k) {
    if (norm(cross(p.edge_direction(i), p.edge_direction(k))) > 1e-6) continue;
    const double along = dot(n, p.corner(p.edge(k).from) + p.corner(p.edge(k).to));
    if (along > most) {
      most = along;
      best = k;
    }
  }
  return best;
}

/// The feature of a segment at a fraction of its length that was clamped to [0, 1].
struct OnEdge {
  int corner = -1;  // -1: inside the edge
};
OnEdge on_edge(const PlacedPolytope& p, int edge, double fraction) {
  if (edge < 0) return {0};
  if (fraction <= 0.0) return {p.edge(edge).from};
  if (fraction >= 1.0) return {p.edge(edge).to};
  return {};
}

}  // namespace

Separation separation(const PlacedPolytope& p, const PlacedPolytope& q, double enough) {
  Separation best;
  best.distance = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < p.face_count(); ++f) {
    const Vec3d& n = p.normal(f);
    const double distance = extent(q, n).least - dot(n, p.corner(p.face(f).corners[0]));
    if (distance > best.distance) best = {distance, n, f, false, -1, -1};
    if (distance >= enough) return best;
  }
  // Ties between the two shapes' faces go to the first: both are equally good.
  const double tie = kPreferFace * std::min(p.shape->size, q.shape->size);
  for (int f = 0; f < q.face_count(); ++f) {
    const Vec3d& n = q.normal(f);
    const double distance = extent(p, n).least - dot(n, q.corner(q.face(f).corners[0]));
    if (distance > best.distance + tie) best = {distance, -n, f, true, -1, -1};
    if (best.distance >= enough) return best;
  }
  const double faces = best.distance;
  for (const int i : p.shape->distinct_edges) {
    for (const int j : q.shape->distinct_edges) {
      const Vec3d c = cross(p.edge_direction(i), q.edge_direction(j));
      const double sine = norm(c);
      if (sine < 1e-6) continue;
      const Vec3d n = (1.0 / sine) * c;
      const Extent e_p = extent(p, n), e_q = extent(q, n);
      const double forth = e_q.least - e_p.most, back = e_p.least - e_q.most;
      const double distance = std::max(forth, back);
      if (distance > faces + tie && distance > best.distance) {
        const Vec3d direction = forth >= back ? n : -n;
        best = {distance, direction, -1, false, i, j};
        if (distance >= enough) return best;
      }
    }
  }
  if (best.face < 0 && best.edge_p >= 0) {
    best.edge_p = furthest_parallel(p, best.edge_p, best.normal);
    best.edge_q = furthest_parallel(q, best.edge_q, -best.normal);
  }
  return best;
}

void add_convex_along(const PlacedParty& p, const PlacedParty& q, const Separation& s, Collector& out) {
  const double radii = p.core->shape->radius + q.core->shape->radius;
  if (s.distance - radii >= out.margin()) return;
  const double slack = kGapSlack * out.size();
  out.set_least_gap(s.distance - radii - slack);
  if (s.face >= 0) {
    const PlacedParty &below = s.face_of_q ? q : p, &above = s.face_of_q ? p : q;
    add_face(below, s.face, above, out);
    if (s.distance <= 0.0 && out.smallest() > s.distance - radii + slack) {
      const int corner = above.core->furthest(-below.core->normal(s.face));
      out.add(FeaturePair::plane_point, below.party, below.core->shape->face(s.face), Code::face(s.face),
              above.party, above.core->shape->corner(corner), Code::corner(corner));
    }
  } else {
    if (s.edge_p >= 0 && s.distance <= 0.0) add_lines(p, s.edge_p, q, s.edge_q, s.normal, out);
    const int face_p = p.core->facing(s.normal), face_q = q.core->facing(-s.normal);
    const double along_p = face_p < 0 ? -2.0 : dot(p.core->normal(face_p), s.normal);
    const double along_q = face_q < 0 ? -2.0 : -dot(q.core->normal(face_q), s.normal);
    if (along_p >= along_q && face_p >= 0)
      add_face(p, face_p, q, out);
    else if (face_q >= 0)
      add_face(q, face_q, p, out);
  }
  if (s.distance > 0.0 && out.smallest() > s.distance - radii + slack) add_nearest(p, q, &s.normal, out);
}

void add_convex(const PlacedParty& p, const PlacedParty& q, Vec3d& parted, Collector& out) {
  if (p.core->face_count() > 0 || q.core->face_count() > 0) {
    const double enough = out.margin() + p.core->shape->radius + q.core->shape->radius;
    if (extent(*q.core, parted).least - extent(*p.core, parted).most >= enough) return;
    const Separation s = separation(*p.core, *q.core, enough);
    if (s.distance >= enough)
      parted = s.normal;
    else
      add_convex_along(p, q, s, out);
    return;
  }
  if (p.core->corner_count() == 1 && q.core->corner_count() == 1) {
    out.add(FeaturePair::point_point, p.party, p.core->shape->corner(0), p.core->corner_feature(0),
            Code::corner(0), q.party, q.core->shape->corner(0), q.core->corner_feature(0), Code::corner(0));
    return;
  }
  add_nearest(p, q, nullptr, out);
  if (p.core->edge_count() == 0 || q.core->edge_count() == 0) return;
  // Two capsules side by side touch at both ends of the length they share.
  if (norm(cross(p.core->edge_direction(0), q.core->edge_direction(0))) >= kParallel) return;
  const auto corner_beside = [&out](const PlacedParty& line, const PlacedParty& point, int i) {
    const double along = dot(point.core->corner(i) - line.core->corner(0), line.core->edge_direction(0));
    if (along < 0.0 || along > edge_length(*line.core, 0)) return;
    out.add(FeaturePair::line_point, line.party, line.core->shape->edge(0), Code::edge(0), point.party,
            point.core->shape->corner(i), Code::corner(i));
  };
  for (const int i : {0, 1}) {
    corner_beside(p, q, i);
    corner_beside(q, p, i);
  }
}

void add_nearest(const PlacedParty& p, const PlacedParty& q, const Vec3d* normal, Collector& out) {
  const PlacedPolytope &P = *p.core, &Q = *q.core;
  const int edges_p = std::max(1, P.edge_count()), edges_q = std::max(1, Q.edge_count());
  const auto ends = [](const PlacedPolytope& polytope, int edge) {
    return polytope.edge_count() == 0 ? std::pair{polytope.corner(0), polytope.corner(0)}
                                      : std::pair{polytope.corner(polytope.edge(edge).from),
                                                  polytope.corner(polytope.edge(edge).to)};
  };
  SegmentPair best;
  best.distance2 = std::numeric_limits<double>::infinity();
  int best_i = 0, best_j = 0;
  for (int i = 0; i < edges_p; ++i) {
    const auto [p0, p1] = ends(P, i);
    for (int j = 0; j < edges_q; ++j) {
      const auto [q0, q1] = ends(Q, j);
      if (normal != nullptr) {  // no nearer than along the normal
        const double bound =
            std::min(dot(*normal, q0), dot(*normal, q1)) - std::max(dot(*normal, p0), dot(*normal, p1));
        if (bound > 0.0 && bound * bound > best.distance2) continue;
      }
      const SegmentPair found = nearest_on_segments(p0, p1, q0, q1);
      if (found.distance2 < best.distance2) {
        best = found;
        best_i = i;
        best_j = j;
      }
    }
  }
  const OnEdge on_p = on_edge(P, P.edge_count() == 0 ? -1 : best_i, best.s);
  const OnEdge on_q = on_edge(Q, Q.edge_count() == 0 ? -1 : best_j, best.t);
  if (on_p.corner >= 0 && on_q.corner >= 0) {
    out.add(FeaturePair::point_point, p.party, P.shape->corner(on_p.corner), Code::corner(on_p.corner),
            q.party, Q.shape->corner(on_q.corner), Code::corner(on_q.corner));
  } else if (on_p.corner >= 0) {
    out.add(FeaturePair::line_point, q.party, Q.shape->edge(best_j), Code::edge(best_j), p.party,
            P.shape->corner(on_p.corner), Code::corner(on_p.corner));
  } else if (on_q.corner >= 0) {
    out.add(FeaturePair::line_point, p.party, P.shape->edge(best_i), Code::edge(best_i), q.party,
            Q.shape->corner(on_q.corner), Code::corner(on_q.corner));
  } else {
    const double sine = norm(cross(P.edge_direction(best_i), Q.edge_direction(best_j)));
    if (sine >= kParallel) {
      const auto [p0, p1] = ends(P, best_i);
      const auto [q0, q1] = ends(Q, best_j);
      const Vec3d d = q0 + best.t * (q1 - q0) - (p0 + best.s * (p1 - p0));
      add_lines(p, best_i, q, best_j, normal != nullptr ? *normal : d, out);
    } else {
      Feature point = Q.shape->edge(best_j);
      point.kind = FeatureKind::point;
      point.p = point.p + best.t * edge_length(Q, best_j) * point.axis;
      point.axis = Vec3d::unit(2);
      out.add(FeaturePair::line_point, p.party, P.shape->edge(best_i), Code::edge(best_i), q.party, point,
              Code::edge(best_j));
    }
  }
}

}  // namespace tactus::collide
