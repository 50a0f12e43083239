// Do equations hold anything where they hold? phi(x) = 0 binds a motion by the slope of phi. Where that
// vanishes at every solution, as for x^2 + y^2 (a point) or (x - y)^2 (a double root), nothing is left to
// bind by; so it is with two surfaces that only touch, whose curve has no length.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Whether the equations, taken together, lose the rank of their slopes at all solutions that Newton's method
/// finds from places around x. Towards a regular solution it converges quadratically, towards one where the
/// rank is lost by a constant factor. False where no solution is found.
bool is_degenerate(const Model& model, std::span<const Expr> equations, const std::vector<Expr>& variables,
                   const std::vector<double>& x);

/// A place at which the closed surface f(x, y, z) = 0, with the origin inside, is hollow: bent away from its tangent plane to the outside. Looked for
/// along rays from the origin.
std::optional<std::array<double, 3>> hollow_place(const Model& model, Expr f,
                                                  const std::vector<Expr>& variables);

}  // namespace tactus::describe
