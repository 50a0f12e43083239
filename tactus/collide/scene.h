// Collision detection: which shapes of a model are near each other (broad phase), and where (narrow phase).
//
//   Scene scene(model);
//   scene.update(poses);                       // X_WB of every body, ground included
//   for (const Proximity& p : scene.near(0.01)) ...
//
// A plane is the half-space on and below it: its +z side is outside, and it has no end, whatever its size in
// drawings. Where both bodies of a pair can only move in one common plane (planar.h), the contact is that of
// the sections of their shapes, in the middle of the thickness they share: one point where in space there
// would be two. Hollow shapes touch on the inside only.
//
// Features are those of the shapes (corners, edges, faces, rims), with the same numbers in every call. Where
// no pair of features has a closed form (the rim of a cylinder against an edge), a point of one and the
// tangent plane of the other stand in, chosen anew in each call under the same id: gap, normal and velocity
// are right, curvature is not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/collide/feature.h>
#include <tactus/describe/model/model.h>

namespace tactus::collide {

/// Two features that are near each other. The normal points from a to b: moving b along it opens the gap.
struct Proximity {
  int pair = 0;                // index into ContactSection::pairs
  std::uint64_t id = 0;        // the same features of the same shapes have the same id in every call
  int body_a = 0, body_b = 0;  // may be exchanged with respect to the ContactPair
  FeaturePair kind = FeaturePair::plane_point;
  Feature a, b;      // in the axes of body_a and body_b
  double gap = 0.0;  // [m] negative: penetration
  Vec3d point{};     // midway between the two surfaces, world axes
  Vec3d normal{};    // unit, world axes
};

class Scene {
 public:
  /// Reads mesh files (STL, OBJ) named by the model, relative to its file. Throws InputError for meshes that
  /// are missing, broken, open or degenerate. `most` bounds the number of proximities.
  explicit Scene(const describe::Model& model, std::size_t most = 1024);
  ~Scene();
  Scene(Scene&&) noexcept;

  /// X_WB = [R | p] by rows, 12 numbers per body of the model in order, the ground first.
  void update(std::span<const double> poses);
  /// All feature pairs with gap < margin at the last update, ordered by pair and id: several per pair of
  /// shapes where faces meet (up to four corners, the deepest and the most spread). No allocation.
  /// `still` [bodies of the model], unless empty: pairs of bodies that are both still are left out.
  std::span<const Proximity> near(double margin, std::span<const char> still = {});
  /// Whether more were found than there is room for since the last update.
  bool overflowed() const;
  /// Bodies that any pair names, in order: the ground's index is 0.
  const std::vector<int>& bodies() const;
  /// [m] How far a body's shapes reach from its origin: no point of them is further away. Infinite with a half-space; 0 without
  /// shapes that may touch.
  double reach(int body) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::collide
