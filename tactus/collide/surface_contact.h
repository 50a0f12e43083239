// Feature pairs of the surface of a mesh with other shapes: corners over faces, edges across edges, and round
// corners at edges and corners that stand out. The surface need not be convex, so each is a contact of its
// own wherever it is a smallest distance locally; overlaps are taken to be small beside the shapes.
#pragma once

#include <tactus/collide/collector.h>
#include <tactus/collide/convex.h>
#include <tactus/collide/shape.h>
#include <tactus/collide/surface.h>

namespace tactus::collide {

void add_surface_half_space(const Party& ground, const Feature& plane, const Party& q, const Surface& surface,
                            Collector& out);
/// The corners of the surface inside a hollow ball or cylinder.
void add_surface_inside(const Party& wall, const Shape& hollow, const Party& q, const Surface& surface,
                        Collector& out);
void add_surface_polytope(const Party& p, const Surface& surface, const PlacedParty& q, Collector& out);
void add_surface_cylinder(const Party& p, const Surface& surface, const Party& q, const Shape& cylinder,
                          Collector& out);
void add_surfaces(const Party& p, const Surface& P, const Party& q, const Surface& Q, Collector& out);

}  // namespace tactus::collide
