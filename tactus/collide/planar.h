// Planar scenes: where two bodies only move in one common plane, contact is a matter of that plane.
//
// A box then stands on two corners, not four; a disk touches at one point of its rim, not along a line. Taken
// in space, each of these contacts would have its copy at the other end of the thickness: redundant rows, a
// coupling that is not there.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <tactus/collide/collector.h>
#include <tactus/collide/shape.h>

namespace tactus::collide {

/// The part of a shape in a plane, in the axes of its body: a polygon with a radius about it. One corner: a
/// circle. Two: a capsule's section. Four: a box's. A half-plane has no corner.
struct Section {
  static constexpr std::size_t kMost = 4;
  int corner_count = 0;
  std::array<Vec3d, kMost> corners{};
  int side_count = 0;                  // side i begins at corner i and ends at the next one
  std::array<Vec3d, kMost> normals{};  // outward
  double radius = 0.0;                 // negative: the inside of a circle
  std::optional<Feature> half_plane;
  double size = 0.0;

  /// Side i as the edge of a half-space.
  Feature side(int i) const;
  Feature corner(int i) const;
};

/// Which planes a body cannot leave, from the joints between it and the ground.
class PlanarMotion {
 public:
  explicit PlanarMotion(const describe::Model& model);

  /// A normal, in the world, of planes that neither body can leave or tilt against; several may be tried.
  const std::vector<Vec3d>& candidates() const { return candidates_; }
  bool moves_normal_to(int body, const Vec3d& normal) const;
  /// Pose of a body with all coordinates zero: the normal's direction in its axes, and its height along the
  /// normal, are the same in every other.
  const Posed& zero_pose(int body) const { return zero_[static_cast<std::size_t>(body)]; }

 private:
  struct Confinement {
    bool leaves = false;  // a free, spherical, universal, cylindrical or helical joint on the way
    std::vector<Vec3d> rotation_axes;  // world axes at zero
    std::vector<Vec3d> slide_directions;
  };
  std::vector<Posed> zero_;
  std::vector<Confinement> bodies_;
  std::vector<Vec3d> candidates_;
};

/// The sections of two shapes by the plane in the middle of the thickness that they share.
struct SectionPair {
  Section a, b;
  bool apart = false;  // they share no thickness: they can never touch
};

/// Nothing where the bodies do not move in a common plane, or a shape has no section that stands for it.
std::optional<SectionPair> sections(const PlanarMotion& motion, const Shape& a, const Shape& b);

void add_planar(const Party& p, const Section& P, const Party& q, const Section& Q, Collector& out);

}  // namespace tactus::collide
