#include <tactus/collide/hollow.h>

#include <cmath>
#include <limits>

#include <tactus/collide/circle_search.h>
#include <tactus/collide/half_space.h>

namespace tactus::collide {

namespace {

/// A circle in the world.
struct Circle {
  Vec3d centre, x, y;  // unit vectors of its plane
  double radius;

  Vec3d at(double angle) const {
    return centre + (radius * std::cos(angle)) * x + (radius * std::sin(angle)) * y;
  }
};

Circle circle_in_world(const Party& party, const Shape& cylinder, int end) {
  const Feature rim = placed(*party.X_WB, rim_of(cylinder, end));
  const Vec3d x = party.X_WB->R * any_normal_to(cylinder.axis);
  return {rim.p, x, cross(rim.axis, x), rim.radius};
}

Feature point_at(const Party& party, const Vec3d& p_W, double radius) {
  return {FeatureKind::point, math::transpose_times(party.X_WB->R, p_W - party.X_WB->p), Vec3d::unit(2),
          radius};
}

/// Where all points of a circle are as good as each other to this part of its radius, four fixed ones stand
/// in for the best.
constexpr double kAllAlike = 1e-6;

/// Adds the point of a rim at which `value` is largest.
template <class Value, class Add>
void add_best_of_rim(const Party& party, const Shape& cylinder, int end, const Value& value, const Add& add) {
  const Circle circle = circle_in_world(party, cylinder, end);
  const AngleFound best = largest_over_circle([&](double angle) { return value(circle.at(angle)); },
                                              circle.radius, -std::numeric_limits<double>::infinity());
  const AngleFound worst = largest_over_circle([&](double angle) { return -value(circle.at(angle)); },
                                               circle.radius, -std::numeric_limits<double>::infinity());
  if (best.value + worst.value < kAllAlike * circle.radius) {
    for (int k = 0; k < 4; ++k) add(rim_point(cylinder, end, k), Code::rim(2 + 4 * end + k));
  } else {
    add(point_at(party, circle.at(best.angle), 0.0), Code::rim(end));
  }
}

void add_inside_ball(const Party& wall, const Shape& ball, const Party& inner, const Shape& content,
                     Collector& out) {
  const Feature hollow{FeatureKind::point, ball.centre, Vec3d::unit(2), -ball.radius};
  const auto add = [&](const Feature& point, Code code) {
    out.add(FeaturePair::point_point, wall, hollow, Code::face(0), inner, point, code);
  };
  if (content.kind == ShapeKind::cylinder) {
    const Vec3d centre = transformed(*wall.X_WB, ball.centre);
    const auto distance = [&](const Vec3d& p) { return norm(p - centre); };
    for (const int end : {0, 1}) add_best_of_rim(inner, content, end, distance, add);
    return;
  }
  for (int i = 0; i < static_cast<int>(content.core.corners.size()); ++i)
    add(content.core.corner(i), Code::corner(i));
}

/// The axis of what leans on the mouth of a bore.
struct Rod {
  Feature line;
  Vec3d from, to;  // in the world
};

void add_inside_cylinder(const Party& wall, const Shape& bore, const Party& inner, const Shape& content,
                         Collector& out) {
  const Feature hollow{FeatureKind::line, bore.centre, bore.axis, -bore.radius};
  const Vec3d centre = transformed(*wall.X_WB, bore.centre), axis = wall.X_WB->R * bore.axis;
  const auto along = [&](const Vec3d& p) { return dot(p - centre, axis); };
  const auto add = [&](const Feature& point, Code code) {
    const double height = along(transformed(*inner.X_WB, point.p));
    if (std::abs(height) <= bore.half_length)
      out.add(FeaturePair::line_point, wall, hollow, Code::face(0), inner, point, code);
  };
  /// A rod through the mouth: its side against the nearest point of the mouth's rim.
  const auto lean = [&](const Rod& rod, int end) {
    const double mouth = (end == 0 ? -1.0 : 1.0) * bore.half_length;
    if ((along(rod.from) - mouth) * (along(rod.to) - mouth) >= 0.0) return;
    const Vec3d direction = direction_of(rod.to - rod.from, axis);
    const auto nearness = [&](const Vec3d& p) { return -norm(across(p - rod.from, direction)); };
    add_best_of_rim(wall, bore, end, nearness, [&](const Feature& point, Code code) {
      out.add(FeaturePair::line_point, inner, rod.line, Code::edge(0), wall, point, code);
    });
  };
  if (content.kind == ShapeKind::cylinder) {
    const auto distance = [&](const Vec3d& p) { return norm(across(p - centre, axis)); };
    for (const int end : {0, 1}) add_best_of_rim(inner, content, end, distance, add);
    const Rod rod{side_of(content), transformed(*inner.X_WB, rim_of(content, 0).p),
                  transformed(*inner.X_WB, rim_of(content, 1).p)};
    for (const int end : {0, 1}) lean(rod, end);
    return;
  }
  const Polytope& core = content.core;
  for (int i = 0; i < static_cast<int>(core.corners.size()); ++i) add(core.corner(i), Code::corner(i));
  for (int j = 0; j < static_cast<int>(core.edges.size()); ++j) {
    const auto& edge = core.edges[static_cast<std::size_t>(j)];
    const Feature line = core.edge(j);
    const Vec3d from = transformed(*inner.X_WB, core.corners[static_cast<std::size_t>(edge.from)]);
    const Vec3d to = transformed(*inner.X_WB, core.corners[static_cast<std::size_t>(edge.to)]);
    for (const int end : {0, 1}) {
      if (core.radius > 0.0) {
        lean({line, from, to}, end);
        continue;
      }
      // An edge of a box through the mouth: its point there, as a corner.
      const double mouth = (end == 0 ? -1.0 : 1.0) * bore.half_length;
      const double below = along(from) - mouth, above = along(to) - mouth;
      if (below * above >= 0.0) continue;
      Feature point = line;
      point.kind = FeatureKind::point;
      point.p = line.p + (below / (below - above) * norm(to - from)) * line.axis;
      out.add(FeaturePair::line_point, wall, hollow, Code::rim(end), inner, point, Code::edge(j));
    }
  }
}

}  // namespace

void add_inside(const Party& wall, const Shape& hollow, const Party& inner, const Shape& content,
                Collector& out) {
  if (hollow.kind == ShapeKind::hollow_ball)
    add_inside_ball(wall, hollow, inner, content, out);
  else
    add_inside_cylinder(wall, hollow, inner, content, out);
}

}  // namespace tactus::collide
