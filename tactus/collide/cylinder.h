// Feature pairs of a solid cylinder with other shapes.
#pragma once

#include <tactus/collide/collector.h>
#include <tactus/collide/convex.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

/// A ball: against the flat end, the side or the rim, whichever is nearest.
void add_cylinder_ball(const Party& p, const Shape& cylinder, const Party& q, const Polytope& ball,
                       Collector& out);
/// A capsule, a box or another polytope.
void add_cylinder_polytope(const Party& p, const Shape& cylinder, const PlacedParty& q, Collector& out);
void add_cylinders(const Party& p, const Shape& P, const Party& q, const Shape& Q, Collector& out);

}  // namespace tactus::collide
