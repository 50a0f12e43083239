// Where a surface f(x, y, z) = 0 is touched: by a plane, by a sphere. As straight-line formulas.
//
// Both points are where something is stationary on the surface, n.x for a plane across n, |x - p| for a sphere about p, and
// Newton's iteration for that is written out a fixed number of times. That is no approximation where it converges: it doubles the
// digits at each turn. Where it does not, `trusted` is not a number, and with it the row that it is a factor of: nothing
// goes on silently. So it is where the point is stationary and no minimum: a surface that is hollow there, a ball too large for its bowl.
#pragma once

#include <array>

#include <tactus/algebra/expr.h>
#include <tactus/math/vec3.h>

namespace tactus::derive {

struct Touching {
  math::Vec3<algebra::Expr> point;   // on the surface
  math::Vec3<algebra::Expr> normal;  // of the surface there, unit, towards larger f
  algebra::Expr trusted;             // 1 to rounding; not a number where the point was not found
};

/// The point of a closed surface that is lowest along n (unit): min n.x on f = 0. The origin is inside (f < 0); the search begins on an
/// ellipsoid of these semi-axes. f in the symbols x, y, z of the current graph.
Touching lowest_point(algebra::Expr f, const math::Vec3<algebra::Expr>& n,
                      const math::Vec3<algebra::Expr>& semi_axes);

/// The point next to p, which is on the side f > 0 and the centre of a sphere of that radius. Where the sphere does not fit, because the surface bends
/// towards it more than it does itself, the point is not trusted.
Touching nearest_point(algebra::Expr f, const math::Vec3<algebra::Expr>& p, const algebra::Expr& radius);

/// Two unit vectors across the unit vector n and each other, smooth everywhere but at n = (0, 0, -1).
std::array<math::Vec3<algebra::Expr>, 2> tangents(const math::Vec3<algebra::Expr>& n);

}  // namespace tactus::derive
