// A cylinder P (centre c, axis a, half length h, radius R) reaches n.c + h |n.a| + R |n x a| along n. It is
// apart from a convex shape Q by the largest over all n of
//
//   s(n) = (least n.x over Q) - n.c - h |n.a| - R |n x a|,
//
// which where they overlap is minus the least motion that parts them. The maximum is at the normal of a face
// of Q, at +-a, normal to the axis and an edge, towards a corner, or, where the rim meets an edge, somewhere
// on the arc between the normals of the edge's faces, where it is searched for.
#include <tactus/collide/cylinder.h>

#include <array>
#include <cmath>
#include <limits>

#include <tactus/collide/circle_search.h>
#include <tactus/collide/half_space.h>
#include <tactus/collide/segments.h>
#include <tactus/collide/solid_cylinder.h>

namespace tactus::collide {

namespace {

constexpr double kOverSlack = 1e-5;  // parts of the size, as in convex.cpp
constexpr double kGapSlack = 1e-7;
constexpr double kParallel = 1e-3;  // sine
/// A face, flat end or side counts as facing within this angle [rad] of the direction.
constexpr double kFacing = 0.15;
constexpr double kBeyondFaces = 1e-2;
constexpr double kShallow = 0.1;  // overlaps of so small a part of the radius have one best direction

double least_along(const PlacedPolytope& q, const Vec3d& n) { return dot(n, q.corner(q.furthest(-n))); }

/// The direction in which a point is furthest from the cylinder, or least deep in it.
Vec3d toward(const SolidCylinder& P, const Vec3d& x) {
  const double z = dot(x - P.centre, P.axis);
  const Vec3d radial = across(x - P.centre, P.axis);
  const double rho = norm(radial);
  const Vec3d outward = direction_of(radial, any_normal_to(P.axis)), up = (z < 0.0 ? -1.0 : 1.0) * P.axis;
  const double over = std::abs(z) - P.half_length, beside = rho - P.radius;
  if (over > 0.0 && beside > 0.0) return direction_of(over * up + beside * outward, up);
  return over > beside ? up : outward;
}

struct Direction {
  Vec3d n{};
  double distance = -std::numeric_limits<double>::infinity();
  int face = -1, corner = -1;  // of Q, where it is theirs
};

/// Whether the direction is that of two points that face each other: then no other one is better nearby, and
/// if the shapes are apart, or overlap but little, none anywhere.
bool is_local_maximum(const SolidCylinder& P, const PlacedPolytope& q, const Direction& d) {
  const int nearest = q.furthest(-d.n);
  if (d.corner >= 0) return d.corner == nearest;
  if (d.face < 0)
    return std::abs(dot(d.n, P.axis)) > 1.0 - 1e-12 &&
           norm(across(q.corner(nearest) - P.centre, P.axis)) < P.radius;
  const Vec3d low = P.furthest(d.n);
  if (q.over_face(d.face, low, 0.0)) return true;
  const double lean = std::abs(dot(d.n, P.axis));
  if (lean > 1.0 - 1e-12) return q.over_face(d.face, P.centre, 0.0);  // flat, its middle over the face
  if (lean > 1e-12) return false;
  // Lying: the other end, or the middle.
  const Vec3d along = 2.0 * dot(P.centre - low, P.axis) * P.axis;
  return q.over_face(d.face, low + along, 0.0) || q.over_face(d.face, low + 0.5 * along, 0.0);
}

/// Ends as soon as a direction is found along which they are `enough` apart.
Direction find_direction(const SolidCylinder& P, const PlacedPolytope& q, double enough) {
  Direction best;
  const auto consider = [&](const Vec3d& n, double tie, int face = -1, int corner = -1) {
    const double distance = least_along(q, n) - P.reach(n);
    if (distance > best.distance + tie) best = {n, distance, face, corner};
  };
  for (int f = 0; f < q.face_count(); ++f) consider(-q.normal(f), 0.0, f);
  // Flat contacts win ties: their directions are exact.
  const double tie = kGapSlack * std::min(P.radius, q.shape->size);
  for (const double sign : {-1.0, 1.0}) consider(sign * P.axis, 0.0);
  for (const int j : q.shape->distinct_edges) {
    const Vec3d c = cross(P.axis, q.edge_direction(j));
    if (norm(c) < 1e-6) continue;
    const Vec3d n = direction_of(c, P.axis);
    consider(n, tie);
    consider(-n, tie);
  }
  for (int i = 0; i < q.corner_count(); ++i) {
    const Vec3d& corner = q.corner(i);
    consider(toward(P, corner), tie, -1, i);
    // Inside, out through the side may be best even where the flat end is nearer: the rest of Q counts.
    consider(direction_of(across(corner - P.centre, P.axis), any_normal_to(P.axis)), tie);
  }
  if (best.distance >= enough) return best;
  if (best.distance > -kShallow * P.radius && is_local_maximum(P, q, best)) return best;
  // Rim and edge. Along the arc of an edge Q's reach is that of the edge.
  for (int j = 0; j < q.edge_count(); ++j) {
    const PolytopeEdge& edge = q.edge(j);
    const Vec3d& from = q.corner(edge.from);
    const bool bare = edge.face[0] < 0;
    const Vec3d x = bare ? any_normal_to(q.edge_direction(j)) : -q.normal(edge.face[0]);
    Vec3d y = cross(q.edge_direction(j), x);
    double arc = 2.0 * std::numbers::pi;
    if (!bare) {
      const Vec3d other = -q.normal(edge.face[1]);
      if (dot(y, other) < 0.0) y = -y;
      arc = std::atan2(dot(y, other), dot(x, other));
    }
    const auto normal = [&](double angle) { return std::cos(angle) * x + std::sin(angle) * y; };
    const auto value = [&](double angle) {
      const Vec3d n = normal(angle);
      return dot(n, from) - P.reach(n);
    };
    const double steepest = norm(from - P.centre) + P.half_length + P.radius;  // two points' distance
    if (value(0.5 * arc) + 0.5 * arc * steepest <= best.distance) continue;
    const AngleFound found = bare ? largest_over_circle(value, steepest, best.distance)
                                  : largest_over_angle<6>(value, 0.0, arc, false, steepest, best.distance);
    if (found.value > best.distance + tie) consider(normal(found.angle), tie);
    if (best.distance >= enough) return best;
  }
  return best;
}

class PolytopeContacts {
 public:
  PolytopeContacts(const SolidCylinder& cylinder, const PlacedParty& other, const Direction& direction,
                   Collector& collector)
      : P(cylinder),
        q(other),
        Q(*other.core),
        n(direction.n),
        out(collector),
        slack(kOverSlack * out.size()) {}

  void add() {
    const int face = Q.facing(-n);
    if (face >= 0 && -dot(Q.normal(face), n) > std::cos(kFacing)) add_over_face(face);
    const double lean = dot(n, P.axis);
    if (std::abs(lean) > std::cos(kFacing)) add_flat_end(lean < 0.0 ? 0 : 1, face);
    if (std::abs(lean) < std::sin(kFacing)) add_side(face);
  }

  /// A point of Q and the tangent plane of the cylinder.
  void add_tangent() {
    const Vec3d touch = P.furthest(n);
    const double least = least_along(Q, n);
    int first = -1, second = -1;
    for (int i = 0; i < Q.corner_count(); ++i) {
      if (dot(n, Q.corner(i)) > least + kGapSlack * out.size()) continue;
      (first < 0 ? first : second) = i;
    }
    Feature point = Q.shape->corner(first);
    Code code = Code::corner(first);
    if (second >= 0) {
      const double t = nearest_on_segment(Q.corner(first), Q.corner(second), touch);
      point.p = point.p + t * (Q.shape->corner(second).p - point.p);
      for (int j = 0; j < Q.edge_count(); ++j) {
        if (std::min(Q.edge(j).from, Q.edge(j).to) == std::min(first, second) &&
            std::max(Q.edge(j).from, Q.edge(j).to) == std::max(first, second))
          code = Code::edge(j);
      }
    }
    out.add(FeaturePair::plane_point, P.party, P.tangent(n), Code::rim(dot(n, P.axis) < 0.0 ? 0 : 1), q.party,
            point, code);
  }

 private:
  /// The cylinder lies or stands on a face of Q.
  void add_over_face(int face) {
    const Feature plane = Q.shape->face(face);
    const Vec3d& up = Q.normal(face);
    const Vec3d lowest = across(up, P.axis);
    if (norm(lowest) < kFlat) {
      const int end = dot(up, P.axis) > 0.0 ? 0 : 1;
      for (int k = 0; k < 4; ++k) {
        const Feature point = rim_point(*P.shape, end, k);
        if (Q.over_face(face, transformed(*P.party.X_WB, point.p), slack))
          out.add(FeaturePair::plane_point, q.party, plane, Code::face(face), P.party, point,
                  Code::rim(2 + 4 * end + k));
      }
    } else {
      for (const int end : {0, 1}) {
        const Vec3d point = P.end(end) - P.radius * direction_of(lowest, P.axis);
        if (Q.over_face(face, point, slack))
          out.add(FeaturePair::plane_circle, q.party, plane, Code::face(face), P.party, rim_of(*P.shape, end),
                  Code::rim(end));
      }
    }
    for (const int j : Q.face(face).edges) add_edge_beside(j);
  }

  /// Corners under the flat end, and where edges leave its disk.
  void add_flat_end(int end, int face) {
    const Feature cap = cap_of(*P.shape, end);
    const auto radial = [&](const Vec3d& x) { return across(x - P.centre, P.axis); };
    const auto add_corner = [&](int i) {
      if (norm(radial(Q.corner(i))) < P.radius + slack)
        out.add(FeaturePair::plane_point, P.party, cap, Code::face(end), q.party, Q.shape->corner(i),
                Code::corner(i));
    };
    const auto add_leaving = [&](int j) {
      const Vec3d &from = Q.corner(Q.edge(j).from), &to = Q.corner(Q.edge(j).to);
      const Vec3d r = radial(from), v = radial(to) - r;
      // |r + t v|^2 = R^2
      const double a = dot(v, v), b = dot(r, v), root = b * b - a * (dot(r, r) - P.radius * P.radius);
      if (!(a > 0.0) || root <= 0.0) return;
      for (const int k : {0, 1}) {
        const double t = (-b + (k == 0 ? -1.0 : 1.0) * std::sqrt(root)) / a;
        if (t <= 0.0 || t >= 1.0) continue;
        Feature point = Q.shape->edge(j);
        point.kind = FeatureKind::point;
        point.p = point.p + t * norm(to - from) * point.axis;
        out.add(FeaturePair::plane_point, P.party, cap, Code::rim(16 + 2 * end + k), q.party, point,
                Code::edge(j));
      }
    };
    if (face >= 0) {
      for (const int i : Q.face(face).corners) add_corner(i);
      for (const int j : Q.face(face).edges) add_leaving(j);
    } else {
      for (int i = 0; i < Q.corner_count(); ++i) add_corner(i);
      for (int j = 0; j < Q.edge_count(); ++j) add_leaving(j);
    }
    add_corner(Q.furthest(-n));
  }

  void add_side(int face) {
    const auto add_corner = [&](int i) {
      if (std::abs(dot(Q.corner(i) - P.centre, P.axis)) > P.half_length + slack) return;
      if (dot(across(Q.corner(i) - P.centre, P.axis), n) <= 0.0) return;
      out.add(FeaturePair::line_point, P.party, side_of(*P.shape), Code::edge(0), q.party, Q.shape->corner(i),
              Code::corner(i));
    };
    if (face >= 0) {
      for (const int i : Q.face(face).corners) add_corner(i);
      for (const int j : Q.face(face).edges) add_edge_beside(j);
    } else {
      for (int i = 0; i < Q.corner_count(); ++i) add_corner(i);
      for (int j = 0; j < Q.edge_count(); ++j) add_edge_beside(j);
    }
    add_corner(Q.furthest(-n));
  }

  /// The side of the cylinder against an edge.
  void add_edge_beside(int j) {
    const Vec3d& v = Q.edge_direction(j);
    const Vec3d c = cross(P.axis, v);
    const Vec3d& from = Q.corner(Q.edge(j).from);
    const double sine = norm(c), length = norm(Q.corner(Q.edge(j).to) - from);
    if (sine < kParallel) {
      // Side by side with a capsule: the ends of the cylinder's axis.
      if (Q.shape->radius == 0.0) return;
      for (const int end : {0, 1}) {
        const double along = dot(P.end(end) - from, v);
        if (along < 0.0 || along > length) continue;
        Feature point = rim_of(*P.shape, end);
        point.kind = FeatureKind::point;
        out.add(FeaturePair::line_point, q.party, Q.shape->edge(j), Code::edge(j), P.party, point,
                Code::rim(end));
      }
      return;
    }
    const double sign = dot(c, n) < 0.0 ? -1.0 : 1.0;
    const Vec3d normal = (sign / sine) * c, d = from - P.centre;
    if (!Q.edge_reaches(j, -normal, kBeyondFaces)) return;
    const double s = dot(cross(d, v), c) / (sine * sine), t = dot(cross(d, P.axis), c) / (sine * sine);
    if (std::abs(s) > P.half_length || t < 0.0 || t > length) return;
    Feature line = side_of(*P.shape);
    line.axis = sign * line.axis;
    out.add(FeaturePair::line_line, P.party, line, Code::edge(0), q.party, Q.shape->edge(j), Code::edge(j));
  }

  const SolidCylinder& P;
  const PlacedParty& q;
  const PlacedPolytope& Q;
  const Vec3d n;
  Collector& out;
  const double slack;
};

}  // namespace

void add_cylinder_ball(const Party& p, const Shape& cylinder, const Party& q, const Polytope& ball,
                       Collector& out) {
  const SolidCylinder P(p, cylinder);
  const Vec3d x = transformed(*q.X_WB, ball.corners[0]);
  const double z = dot(x - P.centre, P.axis), rho = norm(across(x - P.centre, P.axis));
  const double over = std::abs(z) - P.half_length, beside = rho - P.radius;
  const int end = z < 0.0 ? 0 : 1;
  const Feature point = ball.corner(0);
  if (over > 0.0 && beside > 0.0) {
    Feature rim = P.tangent(toward(P, x));  // at the nearest point of the rim
    rim.kind = FeatureKind::point;
    out.add(FeaturePair::point_point, p, rim, Code::rim(end), q, point, Code::corner(0));
  } else if (over > beside) {
    out.add(FeaturePair::plane_point, p, cap_of(cylinder, end), Code::face(end), q, point, Code::corner(0));
  } else {
    out.add(FeaturePair::line_point, p, side_of(cylinder), Code::edge(0), q, point, Code::corner(0));
  }
}

void add_cylinder_polytope(const Party& p, const Shape& cylinder, const PlacedParty& q, Vec3d& parted,
                           Collector& out) {
  const SolidCylinder P(p, cylinder);
  const double enough = out.margin() + q.core->shape->radius;
  if (least_along(*q.core, parted) - P.reach(parted) >= enough) return;
  const Direction direction = find_direction(P, *q.core, enough);
  const double gap = direction.distance - q.core->shape->radius, slack = kGapSlack * out.size();
  if (!(gap < out.margin())) {
    parted = direction.n;
    return;
  }
  out.set_least_gap(gap - slack);
  PolytopeContacts contacts(P, q, direction, out);
  contacts.add();
  if (out.smallest() > gap + slack) contacts.add_tangent();
}

}  // namespace tactus::collide
