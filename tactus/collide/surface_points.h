// Points of one shape on the surface of another: the part of surface contact that corners share.
#pragma once

#include <limits>

#include <tactus/collide/collector.h>
#include <tactus/collide/surface.h>
#include <tactus/collide/triangles.h>

namespace tactus::collide {

/// Parts of the smaller shape's size.
inline constexpr double kOverSurface = 1e-5;   // so little outside a triangle is over it
inline constexpr double kDeepestCorner = 0.5;  // corners deeper inside are not found
/// An edge or corner is a contact in the directions between its faces, and so much beyond [rad].
inline constexpr double kBeyondTriangles = 1e-2;

/// A box with these half edges.
inline Vec3d cube_of(double half) { return {half, half, half}; }

/// Of pairs that only count where nothing else is nearer: an edge and a corner, two corners.
struct Nearest {
  double gap = std::numeric_limits<double>::infinity();
  FeaturePair kind = FeaturePair::point_point;
  Party party_a, party_b;
  Feature a, b;
  Code code_a, code_b;

  void consider(double found, FeaturePair k, const Party& pa, const Feature& fa, Code ca, const Party& pb,
                const Feature& fb, Code cb) {
    if (found < gap) *this = {found, k, pa, pb, fa, fb, ca, cb};
  }
  void add_to(Collector& out) const {
    if (gap < out.smallest()) out.add(kind, party_a, a, code_a, party_b, b, code_b);
  }
};

/// Whether an edge that stands out, or a corner, is what reaches furthest along w, `beyond` aside.
bool edge_reaches(const Surface& S, const SurfaceEdge& edge, const Vec3d& w, double beyond);
bool vertex_reaches(const Surface& S, int vertex, const Vec3d& w, double beyond);
/// Whether x is over a triangle, by at most `slack` outside it.
bool over_triangle(const Surface& S, int triangle, const Vec3d& x, double slack);

class PointsOnSurface {
 public:
  PointsOnSurface(const Party& p, const Surface& surface, const Party& q, Collector& collector, Nearest& best)
      : p_(p), S(surface), q_(q), X(math::inverse(*p.X_WB) * *q.X_WB), out(collector), nearest_(best) {}

  /// Q's axes to the surface's.
  const Posed& relative() const { return X; }
  /// A point of Q, in its body's axes, with its radius.
  void add(const Feature& point, Code code);

 private:
  Vec3d outward(int triangle, const OnTriangle& on) const;
  void add_over(int triangle, const Feature& point, Code code);
  void add_outside(const Feature& point, Code code, const Vec3d& x, double near, int closest,
                   const OnTriangle& on);
  void add_round(int triangle, const OnTriangle& on, const Feature& point, Code code, const Vec3d& x);
  void add_inside(const Feature& point, Code code, const Vec3d& x, double reach, int closest,
                  const OnTriangle& on);

  const Party& p_;
  const Surface& S;
  const Party& q_;
  const Posed X;
  Collector& out;
  Nearest& nearest_;
};

}  // namespace tactus::collide
