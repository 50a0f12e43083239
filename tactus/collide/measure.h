// Gap, normal and contact point of a pair of features: the closed forms of feature.h, in double.
#pragma once

#include <tactus/collide/feature.h>
#include <tactus/collide/vector.h>

namespace tactus::collide {

struct Measure {
  double gap = 0.0;
  Vec3d normal{};  // unit, from a to b
  Vec3d point{};   // midway between the two surfaces
};

/// A feature of a body, in the world.
Feature placed(const Posed& X_WB, const Feature& feature);

/// Both in the world. Where the closed form has no direction (concentric balls, a ball on the axis of a
/// cylinder, parallel lines, a disk flat on a plane) a fixed one stands in, so that nothing is ever
/// undefined.
Measure measure(FeaturePair kind, const Feature& a, const Feature& b);

}  // namespace tactus::collide
