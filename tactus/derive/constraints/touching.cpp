#include <tactus/derive/constraints/touching.h>

#include <vector>

#include <tactus/algebra/calculus.h>

namespace tactus::derive {

using algebra::Expr;
using math::Mat3;
using math::Vec3;

namespace {

// Turns of Newton's iteration: the digits double at each, once there are some. More cost processor time at every step of a motion.
constexpr int kRayTurns = 3, kLowestTurns = 7, kFootTurns = 2, kNearestTurns = 6;
/// Of the size and of the direction: what is less was found. (Newton's next turn would square it.)
constexpr double kFound = 1e-8;

/// f, its slopes g and their slopes H at a point.
struct Local {
  Expr f;
  Vec3<Expr> g;
  Mat3<Expr> H;
};

class Surface {
 public:
  explicit Surface(Expr f) : xyz_{algebra::symbol("x"), algebra::symbol("y"), algebra::symbol("z")} {
    const std::vector<Expr> g = algebra::jacobian(std::span(&f, 1), xyz_), H = algebra::jacobian(g, xyz_);
    all_ = {f};
    all_.insert(all_.end(), g.begin(), g.end());
    all_.insert(all_.end(), H.begin(), H.end());
  }

  Local at(const Vec3<Expr>& x) const { return first(x, all_.size()); }
  /// Without H.
  Local slopes_at(const Vec3<Expr>& x) const { return first(x, 4); }

 private:
  Local first(const Vec3<Expr>& x, std::size_t count) const {
    const std::vector<Expr> place{x.x, x.y, x.z};
    const std::vector<Expr> v =
        algebra::substitute(std::span(all_).first(count), algebra::Graph::current(), xyz_, place);
    Local local{v[0], {v[1], v[2], v[3]}, {}};
    for (std::size_t i = 4; i < count; ++i) local.H((i - 4) / 3, (i - 4) % 3) = v[i];
    return local;
  }

  std::vector<Expr> xyz_, all_;
};

/// Newton's step dx of S dx + c lambda = -r, g.dx = -f, S symmetric. With B = S^-1 and v = B c, w = B r,
///   dx = -(f v + (g.v) w - (g.w) v) / (g.v) = -(f v + g x (w x v)) / (g.v),      w x v = S (r x c) / det S,    v = adj(S) c / det S:
/// det S cancels. S itself may be singular, as the second derivatives of sqrt(x^2 + y^2 + z^2) - 1 are across the sphere, where the
/// whole system is not.
Vec3<Expr> newton_step(const Mat3<Expr>& S, const Vec3<Expr>& c, const Vec3<Expr>& r, const Vec3<Expr>& g,
                       const Expr& f) {
  const Vec3<Expr> s0 = S.col(0), s1 = S.col(1), s2 = S.col(2);
  const Vec3<Expr> adj_c = Mat3<Expr>::from_columns(cross(s1, s2), cross(s2, s0), cross(s0, s1)) * c;
  return (Expr(-1.0) / dot(g, adj_c)) * (f * adj_c + cross(g, S * cross(r, c)));
}

/// 1 where the error is below kFound, not a number where it is above: by so high a power that there is little between.
Expr trust(const Vec3<Expr>& error) {
  const Expr square = Expr(1.0 / (kFound * kFound)) * dot(error, error), fourth = square * square;
  return sqrt(Expr(1.0) - fourth * fourth);
}

/// 1 where a plane or sphere across m touches the surface from one side only, not a number where the point is stationary and no minimum, so
/// that they would cut it: S, the second derivatives, must be positive on the tangent plane. There its determinant is m.adj(S) m, its trace
/// tr S - m.S m. The root for what is no number costs one operation, and conditions have no derivatives.
Expr fits(const Mat3<Expr>& S, const Vec3<Expr>& m, const Expr& slope) {
  const Vec3<Expr> s0 = S.col(0), s1 = S.col(1), s2 = S.col(2);
  const Vec3<Expr> adj_m = Mat3<Expr>::from_columns(cross(s1, s2), cross(s2, s0), cross(s0, s1)) * m;
  const Expr trace = S(0, 0) + S(1, 1) + S(2, 2) - dot(m, S * m);
  const Expr none = sqrt(-slope);
  return select(dot(m, adj_m), select(trace, Expr(1.0), none), none);
}

}  // namespace

Touching lowest_point(Expr f, const Vec3<Expr>& n, const Vec3<Expr>& semi_axes) {
  const Surface surface(f);
  // From the ellipsoid's lowest point along the ray onto the surface ...
  Vec3<Expr> x;
  for (std::size_t k = 0; k < 3; ++k) x[k] = -(semi_axes[k] * semi_axes[k] * n[k]);
  const Expr depth = sqrt(-dot(x, n));
  x = (Expr(1.0) / depth) * x;
  Expr s(1.0);
  for (int turn = 0; turn < kRayTurns; ++turn) {
    const Local at = surface.slopes_at(s * x);
    s = s - at.f / dot(at.g, x);
  }
  // ... and to where g + lambda n = 0 and f = 0: H dx + n lambda = -g, g.dx = -f.
  x = s * x;
  for (int turn = 0; turn < kLowestTurns; ++turn) {
    const Local at = surface.at(x);
    x = x + newton_step(at.H, n, at.g, at.g, at.f);
  }
  const Local at = surface.at(x);
  const Expr slope = sqrt(dot(at.g, at.g));
  const Vec3<Expr> m = (Expr(1.0) / slope) * at.g;
  const Expr off = at.f / (slope * depth);
  return {x, m, fits(at.H, m, slope) * trust(m + n) * trust({off, Expr(0.0), Expr(0.0)})};
}

Touching nearest_point(Expr f, const Vec3<Expr>& p, const Expr& radius) {
  const Surface surface(f);
  Vec3<Expr> x = p;
  for (int turn = 0; turn < kFootTurns; ++turn) {
    const Local at = surface.slopes_at(x);
    x = x - (at.f / dot(at.g, at.g)) * at.g;
  }
  // x - p + lambda g = 0 and f = 0: (1 + lambda H) dx + g lambda' = p - x, g.dx = -f; lambda by least squares.
  for (int turn = 0; turn < kNearestTurns; ++turn) {
    const Local at = surface.at(x);
    const Vec3<Expr> back = x - p;
    const Expr lambda = -(dot(back, at.g) / dot(at.g, at.g));
    Mat3<Expr> S = Mat3<Expr>::identity();
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) S(i, j) = S(i, j) + lambda * at.H(i, j);
    x = x + newton_step(S, at.g, back, at.g, at.f);
  }
  const Local at = surface.at(x);
  const Expr slope = sqrt(dot(at.g, at.g));
  const Vec3<Expr> m = (Expr(1.0) / slope) * at.g, out = p - x;
  const Mat3<Expr> S = Mat3<Expr>::identity() + (radius / slope) * at.H;
  // Across m nothing is left of p - x, by its length, and f is zero on that scale.
  const Expr scale = Expr(1.0) / sqrt(dot(out, out));
  const Vec3<Expr> aside = scale * (out - dot(out, m) * m);
  return {x, m, fits(S, m, slope) * trust(aside) * trust({scale * (at.f / slope), Expr(0.0), Expr(0.0)})};
}

std::array<Vec3<Expr>, 2> tangents(const Vec3<Expr>& n) {
  const Expr k = Expr(1.0) / (Expr(1.0) + n.z);
  return {Vec3<Expr>{Expr(1.0) - k * n.x * n.x, -(k * n.x * n.y), -n.x},
          Vec3<Expr>{-(k * n.x * n.y), Expr(1.0) - k * n.y * n.y, -n.y}};
}

}  // namespace tactus::derive
