// Feature pairs between convex polytopes with a radius: spheres, capsules, boxes, convex meshes.
#pragma once

#include <limits>

#include <tactus/collide/collector.h>
#include <tactus/collide/polytope.h>

namespace tactus::collide {

struct PlacedParty {
  const PlacedPolytope* core = nullptr;
  Party party;
};

/// The direction, from p to q, along which two polytopes are furthest apart, or overlap least.
struct Separation {
  double distance = 0.0;  // negative: they overlap
  Vec3d normal{};         // from p to q
  int face = -1;          // of p or of q, where it is that of a face
  bool face_of_q = false;
  int edge_p = -1, edge_q = -1;  // otherwise the edges it is normal to
};

/// By the axes of all faces and of all pairs of edge directions: complete where at least one has faces. Ends
/// with the first direction along which they are `enough` apart.
Separation separation(const PlacedPolytope& p, const PlacedPolytope& q,
                      double enough = std::numeric_limits<double>::infinity());

/// All pairs of features: those of the faces that look at each other, and the nearest one. `parted` is a
/// direction along which they were apart, tried first and kept up to date.
void add_convex(const PlacedParty& p, const PlacedParty& q, Vec3d& parted, Collector& out);
/// The same with a direction found by other means.
void add_convex_along(const PlacedParty& p, const PlacedParty& q, const Separation& s, Collector& out);

/// The nearest corners and edges only.
void add_nearest(const PlacedParty& p, const PlacedParty& q, const Vec3d* normal, Collector& out);

}  // namespace tactus::collide
