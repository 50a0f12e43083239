#include <tactus/collide/shape.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace tactus::collide {

namespace {

using describe::Geometry;

Vec3d value_of(const describe::Model& model, const describe::Vec3& v) {
  return {describe::value_of(model, v.x), describe::value_of(model, v.y), describe::value_of(model, v.z)};
}

Posed value_of(const describe::Model& model, const describe::Pose& X) {
  Posed result;
  result.p = value_of(model, X.p);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result.R(i, j) = describe::value_of(model, X.R(i, j));
  return result;
}

std::string path_of(const describe::Model& model, const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_absolute() ? file : (std::filesystem::path(model.file).parent_path() / path).string();
}

/// Convex meshes with more corners than this are searched as surfaces: the directions of their edges, two by
/// two, would be too many.
constexpr std::size_t kMostCorners = 24;

/// Where the model names the file of a mesh: searched from the body on, which is its place where nothing is found.
Place place_of_mesh(const describe::Body& body, const std::string& file) {
  std::ifstream text(body.where.file);
  const std::string name = std::filesystem::path(file).filename().string();
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::size_t at = number < body.where.line ? std::string::npos : line.find(name);
    if (at != std::string::npos) return {body.where.file, number, static_cast<int>(at) + 1};
  }
  return body.where;
}

void take_mesh(Shape& shape, const std::string& path, const Vec3d& scale, const Posed& X) {
  TriangleMesh mesh = read_mesh(path);
  scale_mesh(mesh, scale, path);
  require_solid(mesh, path);
  auto surface = std::make_shared<Surface>(std::move(mesh), X);
  shape.frame = Mat3d::identity();
  shape.centre = 0.5 * (surface->low() + surface->high());
  shape.extent = 0.5 * (surface->high() - surface->low());
  shape.size = surface->size();
  if (std::optional<Polytope> core = surface->convex_core(kMostCorners)) {
    shape.core = std::move(*core);
  } else {
    shape.kind = ShapeKind::surface;
    shape.surface = std::move(surface);
  }
}

}  // namespace

Shape shape_of(const describe::Model& model, int body, int index) {
  const describe::Body& carrier = model.bodies[static_cast<std::size_t>(body)];
  const Geometry& geometry = carrier.geometry[static_cast<std::size_t>(index)];
  const Posed X = value_of(model, geometry.X_BG);
  const Vec3d size = value_of(model, geometry.size);
  const auto require_positive = [&](double length, std::string_view what) {
    if (length > 0.0 && std::isfinite(length)) return;
    throw InputError(carrier.where,
                     fmt::format("{} of a contact shape on `{}` is {}", what, carrier.name, length),
                     "it must be more than zero");
  };
  Shape shape;
  shape.body = body;
  shape.index = index;
  shape.geometry = geometry.shape;
  shape.centre = X.p;
  shape.axis = X.R.col(2);
  shape.frame = X.R;
  switch (geometry.shape) {
    case Geometry::Shape::sphere:
      require_positive(size.x, "the radius");
      shape.kind = geometry.hollow ? ShapeKind::hollow_ball : ShapeKind::convex;
      shape.radius = shape.size = size.x;
      shape.extent = {size.x, size.x, size.x};
      shape.core = Polytope::point(X.p, size.x);
      break;
    case Geometry::Shape::box:
      for (std::size_t k = 0; k < 3; ++k) require_positive(size[k], "an edge");
      shape.core = Polytope::box(X, 0.5 * size);
      shape.extent = 0.5 * size;
      shape.size = std::min({size.x, size.y, size.z});
      break;
    case Geometry::Shape::capsule:
    case Geometry::Shape::cylinder:
      require_positive(size.x, "the radius");
      require_positive(size.y, "the length");
      shape.radius = size.x;
      shape.half_length = 0.5 * size.y;
      shape.size = std::min(size.x, size.y);
      if (geometry.shape == Geometry::Shape::capsule) {
        shape.core = Polytope::segment(X.p - shape.half_length * shape.axis,
                                       X.p + shape.half_length * shape.axis, shape.radius);
        shape.extent = {shape.radius, shape.radius, shape.half_length + shape.radius};
      } else {
        shape.kind = geometry.hollow ? ShapeKind::hollow_cylinder : ShapeKind::cylinder;
        shape.extent = {shape.radius, shape.radius, shape.half_length};
      }
      break;
    case Geometry::Shape::plane:
      shape.kind = ShapeKind::half_space;
      shape.size = std::numeric_limits<double>::infinity();
      break;
    case Geometry::Shape::mesh:
      try {
        take_mesh(shape, path_of(model, geometry.file), size, X);
      } catch (const InputError& error) {
        throw InputError(place_of_mesh(carrier, geometry.file),
                         fmt::format("the mesh of `{}` cannot be used: {}: {}", carrier.name,
                                     error.where().to_string(), error.wrong()),
                         error.remedy());
      }
      break;
  }
  return shape;
}

}  // namespace tactus::collide
