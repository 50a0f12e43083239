// A contact shape of the model as numbers, in the axes of its body.
#pragma once

#include <memory>

#include <tactus/collide/polytope.h>
#include <tactus/collide/surface.h>
#include <tactus/describe/model/model.h>

namespace tactus::collide {

enum class ShapeKind {
  convex,      // sphere, capsule, box, small convex mesh: a polytope with a radius
  cylinder,    // solid
  half_space,  // everything below a plane
  hollow_ball,
  hollow_cylinder,
  surface,  // of a mesh that is not convex, or large
};

struct Shape {
  ShapeKind kind = ShapeKind::convex;
  describe::Geometry::Shape geometry = describe::Geometry::Shape::sphere;
  int body = 0, index = 0;  // of the body in the model, of the geometry on the body
  Polytope core;            // convex
  std::shared_ptr<const Surface> surface;
  Vec3d centre{};                   // of the shape; on the plane of a half-space
  Vec3d axis{0.0, 0.0, 1.0};        // of a cylinder; normal of a half-space
  double radius = 0.0;              // of a ball or cylinder, positive also where it is hollow
  double half_length = 0.0;         // of a cylinder, along its axis
  double size = 0.0;                // a length of its order, for tolerances
  Mat3d frame = Mat3d::identity();  // axes of the geometry in the body
  Vec3d extent{};  // half edges, along them, of the box about the centre that holds the shape

  bool is_hollow() const { return kind == ShapeKind::hollow_ball || kind == ShapeKind::hollow_cylinder; }
};

/// Numbers of a geometry at the model's parameters. Reads mesh files, relative to the model's. Throws
/// InputError where a size is not positive or a mesh is not that of a solid.
Shape shape_of(const describe::Model& model, int body, int geometry);

}  // namespace tactus::collide
