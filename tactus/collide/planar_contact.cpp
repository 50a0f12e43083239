// Two convex sections in a plane, P and Q: the same reasoning as in space (convex.cpp), with sides for faces
// and without crossings of edges.
#include <algorithm>
#include <limits>

#include <tactus/collide/planar.h>
#include <tactus/collide/segments.h>

namespace tactus::collide {

namespace {

constexpr double kOverSlack = 1e-5;  // parts of the size, as in convex.cpp
constexpr double kGapSlack = 1e-7;

/// A section in the world.
struct Placed {
  const Section* section;
  const Party* party;
  std::array<Vec3d, Section::kMost> corners, normals;

  Placed(const Party& p, const Section& s) : section(&s), party(&p) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.corner_count); ++i)
      corners[i] = transformed(*p.X_WB, s.corners[i]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.side_count); ++i)
      normals[i] = p.X_WB->R * s.normals[i];
  }
  const Vec3d& corner(int i) const { return corners[static_cast<std::size_t>(i % section->corner_count)]; }
  const Vec3d& normal(int i) const { return normals[static_cast<std::size_t>(i)]; }
};

/// Adds corner c of q against side i of p if it is over that side.
void add_over(const Placed& p, int i, const Placed& q, int c, double slack, Collector& out) {
  const Vec3d along = p.corner(i + 1) - p.corner(i), d = q.corner(c) - p.corner(i);
  const double length = norm(along), at = dot(d, along) / length;
  if (at < -slack || at > length + slack) return;
  out.add(FeaturePair::plane_point, *p.party, p.section->side(i), Code::face(i), *q.party,
          q.section->corner(c), Code::corner(c));
}

struct BestSide {
  double distance = -std::numeric_limits<double>::infinity();  // without the radii
  const Placed *p = nullptr, *q = nullptr;                     // the side is one of p's
  int side = -1, corner = -1;                                  // and this corner of q is nearest to its line
};

void improve(BestSide& best, const Placed& p, const Placed& q, double tie) {
  for (int i = 0; i < p.section->side_count; ++i) {
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int c = 0; c < q.section->corner_count; ++c) {
      const double distance = dot(p.normal(i), q.corner(c) - p.corner(i));
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    if (least > best.distance + tie) best = {least, &p, &q, i, nearest};
  }
}

/// Corner against corner, or corner against side, whatever is nearest.
void add_nearest_corner(const Placed& p, const Placed& q, Collector& out) {
  double least = std::numeric_limits<double>::infinity();
  const Placed *on = &p, *of = &q;
  int begin = 0, corner = 0;
  double fraction = 0.0;
  const auto search = [&](const Placed& a, const Placed& b) {
    const int sides = std::max(1, a.section->side_count);
    for (int i = 0; i < sides; ++i) {
      for (int c = 0; c < b.section->corner_count; ++c) {
        const double at = nearest_on_segment(a.corner(i), a.corner(i + 1), b.corner(c));
        const double distance = norm(b.corner(c) - a.corner(i) - at * (a.corner(i + 1) - a.corner(i)));
        if (distance < least) {
          least = distance;
          on = &a;
          of = &b;
          begin = i;
          corner = c;
          fraction = at;
        }
      }
    }
  };
  search(p, q);
  search(q, p);
  if (on->section->side_count > 0 && fraction > 0.0 && fraction < 1.0) {
    add_over(*on, begin, *of, corner, 0.0, out);
    return;
  }
  const int end = (fraction >= 1.0 ? begin + 1 : begin) % on->section->corner_count;
  // Always in the same order of the shapes, whichever search found it.
  const bool forth = on == &p;
  const int corner_p = forth ? end : corner, corner_q = forth ? corner : end;
  out.add(FeaturePair::point_point, *p.party, p.section->corner(corner_p), Code::corner(corner_p), *q.party,
          q.section->corner(corner_q), Code::corner(corner_q));
}

}  // namespace

void add_planar(const Party& p, const Section& P, const Party& q, const Section& Q, Collector& out) {
  if (Q.half_plane || (Q.radius < 0.0 && !P.half_plane)) {
    add_planar(q, Q, p, P, out);
    return;
  }
  if (P.half_plane) {
    for (int i = 0; i < Q.corner_count; ++i)
      out.add(FeaturePair::plane_point, p, *P.half_plane, Code::face(0), q, Q.corner(i), Code::corner(i));
    return;
  }
  if (P.radius < 0.0) {
    for (int i = 0; i < Q.corner_count; ++i)
      out.add(FeaturePair::point_point, p, P.corner(0), Code::face(0), q, Q.corner(i), Code::corner(i));
    return;
  }
  const Placed placed_p(p, P), placed_q(q, Q);
  if (P.side_count == 0 && Q.side_count == 0) {
    add_nearest_corner(placed_p, placed_q, out);
    return;
  }
  BestSide best;
  const double gap_slack = kGapSlack * out.size(), over_slack = kOverSlack * out.size();
  improve(best, placed_p, placed_q, 0.0);
  improve(best, placed_q, placed_p, best.side < 0 ? 0.0 : gap_slack);
  const double radii = P.radius + Q.radius;
  if (best.distance - radii >= out.margin()) return;
  out.set_least_gap(best.distance - radii - gap_slack);
  const Placed &ref = *best.p, &other = *best.q;
  for (int c = 0; c < other.section->corner_count; ++c) add_over(ref, best.side, other, c, over_slack, out);
  int facing = -1;
  double most = -2.0;
  for (int i = 0; i < other.section->side_count; ++i) {
    const double along = -dot(other.normal(i), ref.normal(best.side));
    if (along > most + 1e-9) {
      most = along;
      facing = i;
    }
  }
  if (facing >= 0) {
    for (const int c : {best.side, best.side + 1})
      add_over(other, facing, ref, c % ref.section->corner_count, over_slack, out);
  }
  if (out.smallest() > best.distance - radii + gap_slack) {
    if (best.distance > 0.0) {
      add_nearest_corner(placed_p, placed_q, out);
    } else {
      out.add(FeaturePair::plane_point, *ref.party, ref.section->side(best.side), Code::face(best.side),
              *other.party, other.section->corner(best.corner), Code::corner(best.corner));
    }
  }
}

}  // namespace tactus::collide
