#include <tactus/collide/planar.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::collide {

namespace {

/// Directions of a model's joints agree to rounding or not at all.
constexpr double kAligned = 1e-9;

bool parallel(const Vec3d& a, const Vec3d& b) { return norm(cross(a, b)) < kAligned; }
bool normal_to(const Vec3d& a, const Vec3d& b) { return std::abs(dot(a, b)) < kAligned; }

Posed value_of(const describe::Model& model, const describe::Pose& X) {
  Posed result;
  for (std::size_t i = 0; i < 3; ++i) {
    result.p[i] = describe::value_of(model, X.p[i]);
    for (std::size_t j = 0; j < 3; ++j) result.R(i, j) = describe::value_of(model, X.R(i, j));
  }
  return result;
}

/// Whether a joint of this type can move in a plane: no more than one turn, and no slide along its axis.
bool may_be_planar(const describe::JointTraits& traits) {
  if (traits.has_quaternion() || traits.has_pitch) return false;
  int turns = 0;
  for (const describe::JointFreedom& freedom : traits.freedoms()) {
    if (!freedom.is_rotation) continue;
    ++turns;
    for (const describe::JointFreedom& other : traits.freedoms())
      if (!other.is_rotation && other.axis == freedom.axis) return false;
  }
  return turns <= 1;
}

/// Heights along the normal between which a shape has the same section.
struct Thickness {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

struct Sectioned {
  Section section;  // through the shape's centre
  Thickness thickness;
  bool rounded = false;  // beyond the thickness it ends in a ball or has none
};

Section circle(const Vec3d& centre, double radius) {
  Section section;
  section.corner_count = 1;
  section.corners[0] = centre;
  section.radius = radius;
  section.size = std::abs(radius);
  return section;
}

Section rectangle(const Vec3d& centre, const Vec3d& i, const Vec3d& j, double half_i, double half_j) {
  Section section;
  section.corner_count = section.side_count = 4;
  const Vec3d a = half_i * i, b = half_j * j;
  section.corners = {centre - a - b, centre + a - b, centre + a + b, centre - a + b};
  section.normals = {-j, i, j, -i};
  section.size = 2.0 * std::min(half_i, half_j);
  return section;
}

Section stadium(const Shape& capsule, const Vec3d& e) {
  Section section;
  section.corner_count = section.side_count = 2;
  section.corners[0] = capsule.core.corners[0];
  section.corners[1] = capsule.core.corners[1];
  section.normals[0] = cross(e, capsule.axis);
  section.normals[1] = -section.normals[0];
  section.radius = capsule.radius;
  section.size = capsule.size;
  return section;
}

/// e: the normal in the body's axes; height: of the shape's centre.
std::optional<Sectioned> section_of(const Shape& shape, const Vec3d& e, double height) {
  using describe::Geometry;
  const auto thickness = [&](double half) { return Thickness{height - half, height + half}; };
  switch (shape.kind) {
    case ShapeKind::half_space: {
      if (!normal_to(shape.axis, e)) return std::nullopt;
      Section section;
      section.half_plane = Feature{FeatureKind::plane, shape.centre, shape.axis, 0.0};
      section.size = std::numeric_limits<double>::infinity();
      return Sectioned{section, {}, false};
    }
    case ShapeKind::cylinder:
      if (!parallel(shape.axis, e)) return std::nullopt;
      return Sectioned{circle(shape.centre, shape.radius), thickness(shape.half_length), false};
    case ShapeKind::hollow_cylinder:
      if (!parallel(shape.axis, e)) return std::nullopt;
      return Sectioned{circle(shape.centre, -shape.radius), thickness(shape.half_length), false};
    case ShapeKind::hollow_ball:
    case ShapeKind::surface:
      return std::nullopt;
    case ShapeKind::convex:
      break;
  }
  if (shape.geometry == Geometry::Shape::capsule) {
    if (parallel(shape.axis, e))
      return Sectioned{circle(shape.centre, shape.radius), thickness(shape.half_length), true};
    if (normal_to(shape.axis, e)) return Sectioned{stadium(shape, e), thickness(0.0), true};
    return std::nullopt;
  }
  if (shape.geometry != Geometry::Shape::box) return std::nullopt;
  const Vec3d diagonal = shape.core.corners[7] - shape.core.corners[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d &i = shape.core.normals[2 * ((k + 1) % 3) + 1],
                &j = shape.core.normals[2 * ((k + 2) % 3) + 1];
    const Vec3d& axis = shape.core.normals[2 * k + 1];
    if (!parallel(axis, e)) continue;
    return Sectioned{rectangle(shape.centre, i, j, 0.5 * dot(diagonal, i), 0.5 * dot(diagonal, j)),
                     thickness(0.5 * dot(diagonal, axis)), false};
  }
  return std::nullopt;
}

}  // namespace

Feature Section::side(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return {FeatureKind::plane, corners[k] + radius * normals[k], normals[k], 0.0};
}

Feature Section::corner(int i) const {
  return {FeatureKind::point, corners[static_cast<std::size_t>(i)], Vec3d::unit(2), radius};
}

PlanarMotion::PlanarMotion(const describe::Model& model)
    : zero_(model.bodies.size()), bodies_(model.bodies.size()) {
  const auto propose = [this](const Vec3d& e) {
    if (std::none_of(candidates_.begin(), candidates_.end(), [&](const Vec3d& c) { return parallel(c, e); }))
      candidates_.push_back(e);
  };
  for (const describe::Joint& joint : model.joints) {
    const auto parent = static_cast<std::size_t>(joint.parent), child = static_cast<std::size_t>(joint.child);
    const Posed X_WJ = zero_[parent] * value_of(model, joint.X_PJ);
    zero_[child] = X_WJ * value_of(model, joint.X_FB);
    Confinement& motion = bodies_[child] = bodies_[parent];
    if (!may_be_planar(describe::joint_traits(joint.type))) {
      motion.leaves = true;
      continue;
    }
    for (const describe::JointAxis& axis : joint.axes) {
      Vec3d direction;
      for (std::size_t k = 0; k < 3; ++k) direction[k] = describe::value_of(model, axis.direction[k]);
      direction = direction_of(X_WJ.R * direction, Vec3d::unit(2));
      (axis.is_rotation ? motion.rotation_axes : motion.slide_directions).push_back(direction);
      if (axis.is_rotation) propose(direction);
    }
  }
  for (const Confinement& motion : bodies_) {
    for (std::size_t k = 1; k < motion.slide_directions.size(); ++k) {
      const Vec3d c = cross(motion.slide_directions[0], motion.slide_directions[k]);
      if (norm(c) > kAligned) propose(direction_of(c, Vec3d::unit(2)));
    }
  }
  for (const std::size_t k : {2u, 1u, 0u}) propose(Vec3d::unit(k));
}

bool PlanarMotion::moves_normal_to(int body, const Vec3d& normal) const {
  const Confinement& motion = bodies_[static_cast<std::size_t>(body)];
  return !motion.leaves &&
         std::all_of(motion.rotation_axes.begin(), motion.rotation_axes.end(),
                     [&](const Vec3d& a) { return parallel(a, normal); }) &&
         std::all_of(motion.slide_directions.begin(), motion.slide_directions.end(),
                     [&](const Vec3d& d) { return normal_to(d, normal); });
}

std::optional<SectionPair> sections(const PlanarMotion& motion, const Shape& a, const Shape& b) {
  for (const Vec3d& e : motion.candidates()) {
    if (!motion.moves_normal_to(a.body, e) || !motion.moves_normal_to(b.body, e)) continue;
    const auto cut = [&](const Shape& shape) {
      const Posed& X = motion.zero_pose(shape.body);
      return section_of(shape, math::transpose_times(X.R, e), dot(e, transformed(X, shape.centre)));
    };
    std::optional<Sectioned> cut_a = cut(a), cut_b = cut(b);
    if (!cut_a || !cut_b) continue;
    const double low = std::max(cut_a->thickness.low, cut_b->thickness.low);
    const double high = std::min(cut_a->thickness.high, cut_b->thickness.high);
    if (low > high + kAligned) {
      if (cut_a->rounded || cut_b->rounded) continue;
      return SectionPair{{}, {}, true};
    }
    const double middle = std::isfinite(high - low) ? 0.5 * (low + high) : 0.0;
    const auto raise = [&](const Shape& shape, Section& section) {
      if (section.half_plane || !std::isfinite(high - low)) return;
      const Posed& X = motion.zero_pose(shape.body);
      const double up = middle - dot(e, transformed(X, shape.centre));
      for (Vec3d& corner : section.corners) corner = corner + up * math::transpose_times(X.R, e);
    };
    raise(a, cut_a->section);
    raise(b, cut_b->section);
    return SectionPair{cut_a->section, cut_b->section, false};
  }
  return std::nullopt;
}

}  // namespace tactus::collide
