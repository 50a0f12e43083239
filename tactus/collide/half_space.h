// Feature pairs of a half-space: everything on and below a plane.
#pragma once

#include <tactus/collide/collector.h>
#include <tactus/collide/polytope.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

/// The plane of a half-space as a feature.
Feature plane_of(const Shape& half_space);

/// Every corner of a polytope with a radius.
void add_corners_above(const Party& ground, const Feature& plane, Code plane_code, const Party& above,
                       const Polytope& core, Collector& out);

/// The rims of a cylinder: each a circle; four points of a rim that lies flat.
void add_rims_above(const Party& ground, const Feature& plane, Code plane_code, const Party& above,
                    const Shape& cylinder, Collector& out);

/// The rim of a cylinder: end 0 at -axis, end 1 at +axis.
Feature rim_of(const Shape& cylinder, int end);
/// A point of the rim, k = 0..3, a quarter apart.
Feature rim_point(const Shape& cylinder, int end, int k);
/// The flat end.
Feature cap_of(const Shape& cylinder, int end);
/// The curved side.
Feature side_of(const Shape& cylinder);

/// A disk whose axis is nearer than this to a plane's normal (as a sine) lies flat on it: the lowest point of
/// its rim then runs round with the smallest motion, so four fixed points stand in. Between them the rim is
/// lower by at most 0.3 kFlat times its radius.
inline constexpr double kFlat = 1e-3;

}  // namespace tactus::collide
