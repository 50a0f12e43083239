// Which shapes of a model are near each other, and where.
//
//   Scene scene(model);
//   scene.update(poses);                       // X_WB of every body, ground included
//   for (const Proximity& p : scene.near(0.01)) ...
//
// Primitive shapes are treated in closed form; meshes, and pairs of primitives without one, by fcl.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/collide/feature.h>
#include <tactus/describe/model.h>

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
  /// shapes where faces meet (up to four corners, the deepest and the most spread). No allocation for
  /// primitives.
  std::span<const Proximity> near(double margin);
  /// Whether more were found than there is room for since the last update.
  bool overflowed() const;
  /// Bodies that any pair names, in order: the ground's index is 0.
  const std::vector<int>& bodies() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::collide
