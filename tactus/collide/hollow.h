// Feature pairs inside a hollow ball or a hollow cylinder.
//
// From inside, the wall curves towards what touches it: only corners, ends and rims of a convex shape touch.
// A hollow cylinder is open at both ends; what stands out of it can lean on the rim of its mouth.
#pragma once

#include <tactus/collide/collector.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

void add_inside(const Party& wall, const Shape& hollow, const Party& inner, const Shape& content,
                Collector& out);

}  // namespace tactus::collide
