// Feature pairs of a solid cylinder with other shapes.
#pragma once

#include <tactus/collide/collector.h>
#include <tactus/collide/convex.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

/// A ball: against the flat end, the side or the rim, whichever is nearest.
void add_cylinder_ball(const Party& p, const Shape& cylinder, const Party& q, const Polytope& ball,
                       Collector& out);
/// A capsule, a box or another polytope. `parted`: a direction along which they were apart the last time;
/// where they still are, that saves the search. It changes no result.
void add_cylinder_polytope(const Party& p, const Shape& cylinder, const PlacedParty& q, Vec3d& parted,
                           Collector& out);
void add_cylinders(const Party& p, const Shape& P, const Party& q, const Shape& Q, Vec3d& parted,
                   Collector& out);

}  // namespace tactus::collide
