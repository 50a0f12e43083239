// The gap between two features (collide/feature.h) and how it moves, in closed form.
//
// With the feature of body a at P_a (axis d_a, radius r_a) and that of b at P_b, d_b, r_b, d = P_b - P_a:
//
//   plane, point    n = d_a                        gap = n.d - r_b
//   plane, circle   n = d_a, e = n - d_b (d_b.n)   gap = n.d - r_b |e|       lowest point: P_b - r_b e/|e|
//   point, point    n = +-d/|d|                    gap = +-|d| - r_a - r_b   (-: a is hollow, r_a < 0)
//   line,  point    the same with d - d_a (d_a.d) for d
//   line,  line     n = d_a x d_b / |d_a x d_b|    gap = n.d - r_a - r_b
//
// c_a and c_b are the points of the two surfaces that face each other, c_b - c_a = gap n. The relative
// velocity of the two bodies there,
//
//   s = v_b + w_b x (c_b - p_b) - v_a - w_a x (c_a - p_a),
//
// has along n the rate of the gap, exactly (the points slide over the surfaces, at right angles to n), and
// along t1, t2 the slip. What remains of their accelerations without udot is
//
//   bias_k = k'.s + k.(rate of s with udot = 0),   k = n, t1, t2
//
// in which the contact points move as the features do: that is why the geometry is computed with rates
// (dual.h). The tangents are those nearest to a direction fixed in body a.
#pragma once

#include <array>
#include <cmath>

#include <tactus/collide/feature.h>
#include <tactus/contact/law/dual.h>

namespace tactus::contact {

using math::Mat3;
using math::Vec3;

/// A body in the world: pose, velocity of its origin, and accelerations with udot = 0.
template <class S>
struct BodyMotion {
  Mat3<S> R = Mat3<S>::identity();
  Vec3<S> p = Vec3<S>::zero();
  Vec3<S> w = Vec3<S>::zero(), v = Vec3<S>::zero();
  Vec3<S> wd = Vec3<S>::zero(), vd = Vec3<S>::zero();
};

/// A feature's numbers, in the axes of its body.
template <class S>
struct FeatureNumbers {
  Vec3<S> p, axis;
  S radius;
};

/// What decides which formulas run.
struct GapForm {
  collide::FeaturePair kind = collide::FeaturePair::plane_point;
  bool hollow = false;  // a is the inside of a hollow ball or cylinder
};

template <class S>
struct GapMotion {
  S gap;
  Vec3<S> c_a, c_b;                  // world axes
  std::array<Vec3<S>, 3> direction;  // n, t1, t2
  std::array<S, 3> rate;             // of the gap; slip
  std::array<S, 3> bias;             // their rates with udot = 0
};

namespace gap_detail {

template <class S>
Rate<S> length(const RateVec3<S>& v) {
  return sqrt(dot(v, v));
}
template <class S>
RateVec3<S> over(const RateVec3<S>& v, const Rate<S>& k) {
  return {v.x / k, v.y / k, v.z / k};
}

/// A point or a direction fixed in a body, in the world.
template <class S>
RateVec3<S> point_of(const BodyMotion<S>& body, const Vec3<S>& p) {
  const Vec3<S> r = body.R * p;
  return with_rate(body.p + r, body.v + cross(body.w, r));
}
template <class S>
RateVec3<S> direction_of(const BodyMotion<S>& body, const Vec3<S>& d) {
  const Vec3<S> r = body.R * d;
  return with_rate(r, cross(body.w, r));
}

/// Velocity of the body's material at c, and its rate with udot = 0 while c moves as it does.
template <class S>
RateVec3<S> velocity_at(const BodyMotion<S>& body, const RateVec3<S>& c) {
  const RateVec3<S> r = c - with_rate(body.p, body.v);
  return with_rate(body.v, body.vd) + cross(with_rate(body.w, body.wd), r);
}

template <class S>
struct Facing {
  Rate<S> gap;
  RateVec3<S> n, c_a, c_b;
};

template <class S>
Facing<S> facing(const GapForm& form, const RateVec3<S>& P_a, const RateVec3<S>& d_a, const S& radius_a,
                 const RateVec3<S>& P_b, const RateVec3<S>& d_b, const S& radius_b) {
  using collide::FeaturePair;
  const Rate<S> r_a = constant(radius_a), r_b = constant(radius_b);
  const RateVec3<S> d = P_b - P_a;
  Facing<S> f;
  switch (form.kind) {
    case FeaturePair::plane_point:
      f.n = d_a;
      f.gap = dot(f.n, d) - r_b;
      f.c_b = P_b - r_b * f.n;
      f.c_a = f.c_b - f.gap * f.n;
      return f;
    case FeaturePair::plane_circle: {
      f.n = d_a;
      const RateVec3<S> e = f.n - dot(d_b, f.n) * d_b;
      const Rate<S> lean = length(e);
      f.gap = dot(f.n, d) - r_b * lean;
      f.c_b = P_b - (r_b / lean) * e;
      f.c_a = f.c_b - f.gap * f.n;
      return f;
    }
    case FeaturePair::point_point:
    case FeaturePair::line_point: {
      RateVec3<S> foot = P_a;
      if (form.kind == FeaturePair::line_point) foot = foot + dot(d_a, d) * d_a;
      const RateVec3<S> across = P_b - foot;
      const Rate<S> distance = length(across);
      f.n = over(form.hollow ? -across : across, distance);
      f.gap = (form.hollow ? -distance : distance) - r_a - r_b;
      f.c_a = foot + r_a * f.n;
      f.c_b = P_b - r_b * f.n;
      return f;
    }
    case FeaturePair::line_line: {
      const RateVec3<S> m = cross(d_a, d_b);
      const Rate<S> m2 = dot(m, m);
      f.n = over(m, sqrt(m2));
      f.gap = dot(f.n, d) - r_a - r_b;
      f.c_a = P_a + (dot(cross(d, d_b), m) / m2) * d_a + r_a * f.n;
      f.c_b = P_b + (dot(cross(d, d_a), m) / m2) * d_b - r_b * f.n;
      return f;
    }
  }
  return f;
}

}  // namespace gap_detail

/// `tangent`: a direction in body a's axes, not along the normal; t1 is its part across the normal.
template <class S>
GapMotion<S> gap_motion(const GapForm& form, const BodyMotion<S>& body_a, const FeatureNumbers<S>& a,
                        const BodyMotion<S>& body_b, const FeatureNumbers<S>& b, const Vec3<S>& tangent) {
  using namespace gap_detail;
  const Facing<S> f = facing(form, point_of(body_a, a.p), direction_of(body_a, a.axis), a.radius,
                             point_of(body_b, b.p), direction_of(body_b, b.axis), b.radius);
  const RateVec3<S> reference = direction_of(body_a, tangent);
  const RateVec3<S> across = reference - dot(f.n, reference) * f.n;
  const RateVec3<S> t1 = over(across, length(across));
  const RateVec3<S> s = velocity_at(body_b, f.c_b) - velocity_at(body_a, f.c_a);

  GapMotion<S> motion;
  motion.gap = f.gap.value;
  motion.c_a = value_of(f.c_a);
  motion.c_b = value_of(f.c_b);
  const std::array<RateVec3<S>, 3> directions{f.n, t1, cross(f.n, t1)};
  for (std::size_t k = 0; k < 3; ++k) {
    const Rate<S> slip = dot(directions[k], s);
    motion.direction[k] = value_of(directions[k]);
    motion.rate[k] = slip.value;
    motion.bias[k] = slip.rate;
  }
  return motion;
}

}  // namespace tactus::contact
