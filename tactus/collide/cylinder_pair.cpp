// Two cylinders: the same search as in cylinder.cpp, with a second reach. The maximum of
//
//   s(n) = n.(c_Q - c_P) - h_P |n.a_P| - R_P |n x a_P| - h_Q |n.a_Q| - R_Q |n x a_Q|
//
// is at the axis of one (flat end), normal to both (side and side), normal to one (side and rim: on a
// circle), or anywhere (rim and rim), where s is smooth.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tactus/collide/circle_search.h>
#include <tactus/collide/cylinder.h>
#include <tactus/collide/half_space.h>
#include <tactus/collide/solid_cylinder.h>

namespace tactus::collide {

namespace {

constexpr double kGapSlack = 1e-7;  // part of the size
constexpr double kParallel = 1e-3;  // sine
constexpr double kFacing = 0.15;    // [rad]
constexpr double kShallow = 0.1;    // overlaps of so small a part of the radius have one best direction

struct Direction {
  Vec3d n{};
  double distance = -std::numeric_limits<double>::infinity();
};

/// Climbs a smooth function of directions by Newton's method on a quadratic through seven values, `step` and
/// in the end `finest` [rad] apart.
template <class Value>
Direction climb(const Value& value, Direction at, double step, double finest) {
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds && step > finest; ++round) {
    const Vec3d x = any_normal_to(at.n), y = cross(at.n, x);
    const auto moved = [&](double i, double j) { return direction_of(at.n + i * x + j * y, at.n); };
    const auto f = [&](double i, double j) { return value(moved(i * step, j * step)); };
    const double f0 = at.distance, xp = f(1, 0), xm = f(-1, 0), yp = f(0, 1), ym = f(0, -1);
    const double fxx = xp + xm - 2.0 * f0, fyy = yp + ym - 2.0 * f0;
    const double fxy = 0.5 * (f(1, 1) + f(-1, -1) - xp - xm - yp - ym + 2.0 * f0);
    const double fx = 0.5 * (xp - xm), fy = 0.5 * (yp - ym), determinant = fxx * fyy - fxy * fxy;
    double i = fx >= 0.0 ? 1.0 : -1.0, j = fy >= 0.0 ? 1.0 : -1.0;
    if (std::abs(fx) > 2.0 * std::abs(fy)) j = 0.0;
    if (std::abs(fy) > 2.0 * std::abs(fx)) i = 0.0;
    if (fxx < 0.0 && determinant > 0.0) {
      i = std::clamp(-(fyy * fx - fxy * fy) / determinant, -2.0, 2.0);
      j = std::clamp(-(fxx * fy - fxy * fx) / determinant, -2.0, 2.0);
    }
    const Vec3d n = moved(i * step, j * step);
    const double found = value(n);
    if (found > at.distance) {
      at = {n, found};
      if (std::abs(i) < 1.0 && std::abs(j) < 1.0) step *= 0.3;
    } else {
      step *= 0.3;
    }
  }
  return at;
}

/// Whether the direction, an axis or the normal of both, is that of two points that face each other: then no
/// other one is better nearby, and if they are apart, or overlap but little, none anywhere.
bool is_local_maximum(const SolidCylinder& P, const SolidCylinder& Q, const Vec3d& n) {
  constexpr double kExactly = 1e-12;
  const auto in_disk = [](const SolidCylinder& C, const Vec3d& x) {
    return norm(across(x - C.centre, C.axis)) < C.radius;
  };
  if (std::abs(dot(n, P.axis)) > 1.0 - kExactly) return in_disk(P, Q.furthest(-n));
  if (std::abs(dot(n, Q.axis)) > 1.0 - kExactly) return in_disk(Q, P.furthest(n));
  const Vec3d c = cross(P.axis, Q.axis), d = Q.centre - P.centre;
  const double c2 = dot(c, c);
  if (std::abs(dot(n, P.axis)) > kExactly || std::abs(dot(n, Q.axis)) > kExactly || c2 < 1e-6) return false;
  return std::abs(dot(cross(d, Q.axis), c)) < P.half_length * c2 &&
         std::abs(dot(cross(d, P.axis), c)) < Q.half_length * c2;
}

/// Ends as soon as a direction is found along which they are `enough` apart.
Direction find_direction(const SolidCylinder& P, const SolidCylinder& Q, double enough) {
  const auto value = [&](const Vec3d& n) { return -Q.reach(-n) - P.reach(n); };
  const double tie = kGapSlack * std::min(P.radius, Q.radius);
  Direction best;
  const auto consider = [&](const Vec3d& n, double found, double by) {
    if (found > best.distance + by) best = {n, found};
  };
  for (const double sign : {-1.0, 1.0}) {
    for (const SolidCylinder* C : {&P, &Q}) consider(sign * C->axis, value(sign * C->axis), 0.0);
    const Vec3d c = cross(P.axis, Q.axis);
    if (norm(c) > 1e-9) {
      const Vec3d n = sign * direction_of(c, P.axis);
      consider(n, value(n), tie);
    }
  }
  const Vec3d between = direction_of(Q.centre - P.centre, best.n);
  consider(between, value(between), tie);
  if (best.distance >= enough) return best;
  if (best.distance > -kShallow * std::min(P.radius, Q.radius) && is_local_maximum(P, Q, best.n)) return best;
  const double steepest = norm(Q.centre - P.centre) + P.half_length + P.radius + Q.half_length +
                          Q.radius;  // two points' distance
  for (const SolidCylinder* C : {&P, &Q}) {
    const Vec3d x = any_normal_to(C->axis), y = cross(C->axis, x);
    const auto normal = [&](double angle) { return std::cos(angle) * x + std::sin(angle) * y; };
    const AngleFound found =
        largest_over_circle([&](double angle) { return value(normal(angle)); }, steepest, best.distance);
    consider(normal(found.angle), found.value, tie);
  }
  if (best.distance >= enough) return best;
  const auto climb_from = [&](const Vec3d& start) {
    const Direction found = climb(value, {start, value(start)}, 0.2, 1e-3);
    consider(found.n, found.distance, tie);
    return best.distance >= enough;
  };
  // At an axis the function has an edge on which climbing gets stuck: begin beside it.
  const Vec3d axis = best.n, x = any_normal_to(axis), y = cross(axis, x);
  if (std::max(std::abs(dot(axis, P.axis)), std::abs(dot(axis, Q.axis))) > 1.0 - 1e-9) {
    for (const Vec3d& aside : {x, y, -x, -y}) {
      if (climb_from(direction_of(axis + 0.05 * aside, axis))) return best;
    }
  }
  for (const Vec3d& start : {best.n, between, direction_of(best.n + between, best.n)}) {
    if (climb_from(start)) return best;
  }
  const Direction found = climb(value, best, 1e-2, 1e-8);
  consider(found.n, found.distance, tie);
  return best;
}

/// A direction with a component below this along the axis is normal to the side.
constexpr double kSide = 1e-9;

/// Which part of a cylinder touches in a direction with this component along its axis.
Code part_at(double lean) {
  if (std::abs(lean) < kSide) return Code::edge(0);
  return Code::rim(lean < 0.0 ? 0 : 1);
}

/// The plane that touches C, at its point nearest to `other` where it touches along the side.
Feature tangent(const SolidCylinder& C, const Vec3d& n, const Vec3d& other) {
  Feature plane = C.tangent(n);
  if (std::abs(dot(n, C.axis)) < kSide) {
    const double along = std::clamp(dot(other - C.centre, C.axis), -C.half_length, C.half_length);
    const Posed& X = *C.party.X_WB;
    plane.p = math::transpose_times(X.R, C.centre + along * C.axis + C.radius * n - X.p);
  }
  return plane;
}

bool in_disk(const SolidCylinder& C, const Vec3d& x, double slack) {
  return norm(across(x - C.centre, C.axis)) < C.radius + slack;
}

/// The rims of Q over an end of P that looks at it.
void add_over_end(const SolidCylinder& P, int end, const SolidCylinder& Q, Collector& out) {
  const Feature cap = cap_of(*P.shape, end);
  const Vec3d up = P.party.X_WB->R * cap.axis;
  const Vec3d lowest = across(up, Q.axis);
  const double slack = 1e-5 * out.size();
  if (norm(lowest) >= kFlat) {
    for (const int other : {0, 1}) {
      if (in_disk(P, Q.end(other) - Q.radius * direction_of(lowest, Q.axis), slack))
        out.add(FeaturePair::plane_circle, P.party, cap, Code::face(end), Q.party, rim_of(*Q.shape, other),
                Code::rim(other));
    }
    return;
  }
  const int other = dot(up, Q.axis) > 0.0 ? 0 : 1;
  for (int k = 0; k < 4; ++k) {
    const Feature point = rim_point(*Q.shape, other, k);
    if (in_disk(P, transformed(*Q.party.X_WB, point.p), slack))
      out.add(FeaturePair::plane_point, P.party, cap, Code::face(end), Q.party, point,
              Code::rim(2 + 4 * other + k));
  }
  // Where the rims cross, seen along the axis: Q's rim there, at distance x along the line of centres.
  const Vec3d apart = across(Q.end(other) - P.centre, P.axis);
  const double d = norm(apart), x = (d * d + P.radius * P.radius - Q.radius * Q.radius) / (2.0 * d);
  const double y2 = P.radius * P.radius - x * x;
  if (!(d > 0.0) || !(y2 > 0.0)) return;
  const Vec3d along = direction_of(apart, up), aside = cross(up, along);
  for (const int k : {0, 1}) {
    const Vec3d on_rim = Q.end(other) + (x - d) * along + ((k == 0 ? -1.0 : 1.0) * std::sqrt(y2)) * aside;
    const Posed& X = *Q.party.X_WB;
    const Feature point{FeatureKind::point, math::transpose_times(X.R, on_rim - X.p), Vec3d::unit(2), 0.0};
    out.add(FeaturePair::plane_point, P.party, cap, Code::rim(16 + 2 * end + k), Q.party, point,
            Code::rim(16 + 2 * other + k));
  }
}

void add_sides(const SolidCylinder& P, const SolidCylinder& Q, const Vec3d& n, Collector& out) {
  const Vec3d c = cross(P.axis, Q.axis), d = Q.centre - P.centre;
  const double sine = norm(c);
  if (sine >= kParallel) {
    const double s = dot(cross(d, Q.axis), c) / (sine * sine), t = dot(cross(d, P.axis), c) / (sine * sine);
    if (std::abs(s) > P.half_length || std::abs(t) > Q.half_length) return;
    Feature line = side_of(*P.shape);
    if (dot(c, n) < 0.0) line.axis = -line.axis;
    out.add(FeaturePair::line_line, P.party, line, Code::edge(0), Q.party, side_of(*Q.shape), Code::edge(0));
    return;
  }
  const auto add_ends = [&](const SolidCylinder& line, const SolidCylinder& ends) {
    for (const int end : {0, 1}) {
      if (std::abs(dot(ends.end(end) - line.centre, line.axis)) > line.half_length) continue;
      Feature point = rim_of(*ends.shape, end);
      point.kind = FeatureKind::point;
      out.add(FeaturePair::line_point, line.party, side_of(*line.shape), Code::edge(0), ends.party, point,
              Code::rim(end));
    }
  };
  add_ends(P, Q);
  add_ends(Q, P);
}

}  // namespace

void add_cylinders(const Party& p, const Shape& shape_p, const Party& q, const Shape& shape_q, Vec3d& parted,
                   Collector& out) {
  const SolidCylinder P(p, shape_p), Q(q, shape_q);
  if (-Q.reach(-parted) - P.reach(parted) >= out.margin()) return;
  const auto [n, distance] = find_direction(P, Q, out.margin());
  const double slack = kGapSlack * out.size();
  if (!(distance < out.margin())) {
    parted = n;
    return;
  }
  out.set_least_gap(distance - slack);
  const double lean_p = dot(n, P.axis), lean_q = -dot(n, Q.axis);
  if (std::abs(lean_p) > std::cos(kFacing)) add_over_end(P, lean_p < 0.0 ? 0 : 1, Q, out);
  if (std::abs(lean_q) > std::cos(kFacing)) add_over_end(Q, lean_q < 0.0 ? 0 : 1, P, out);
  if (std::abs(lean_p) < std::sin(kFacing) && std::abs(lean_q) < std::sin(kFacing)) add_sides(P, Q, n, out);
  if (out.smallest() <= distance + slack) return;
  const Feature plane = tangent(P, n, Q.furthest(-n));
  Feature point = tangent(Q, -n, transformed(*p.X_WB, plane.p));
  point.kind = FeatureKind::point;
  out.add(FeaturePair::plane_point, p, plane, part_at(lean_p), q, point, part_at(lean_q));
}

}  // namespace tactus::collide
