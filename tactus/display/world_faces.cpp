#include <tactus/display/world_faces.h>

#include <array>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/collide/shape.h>

namespace tactus::display {

namespace {

using Vec3 = math::Vec3<double>;

/// A rectangle, its normal u x v.
control::ProxyFace rectangle(const Vec3& centre, const Vec3& u, const Vec3& v) {
  const std::array<Vec3, 4> corners{centre - u - v, centre + u - v, centre + u + v, centre - u + v};
  return control::proxy_face(corners);
}

Vec3 column(const math::Mat3<double>& R, std::size_t j) { return {R(0, j), R(1, j), R(2, j)}; }

}  // namespace

std::vector<control::ProxyFace> world_faces(const describe::Model& model) {
  std::vector<control::ProxyFace> faces;
  const std::vector<describe::Geometry>& shapes = model.bodies.front().geometry;
  for (std::size_t g = 0; g < shapes.size(); ++g) {
    if (!shapes[g].contact) continue;
    const collide::Shape shape = collide::shape_of(model, 0, static_cast<int>(g));
    if (shape.kind == collide::ShapeKind::half_space) {
      // A plane has no end: beyond every workspace.
      constexpr double kFar = 100.0;  // [m]
      const Vec3& n = shape.axis;
      const Vec3 other = std::abs(n.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
      const Vec3 across = cross(n, other), u = (kFar / std::sqrt(dot(across, across))) * across;
      faces.push_back(rectangle(shape.centre, u, cross(n, u)));
    } else if (shape.geometry == describe::Geometry::Shape::box) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
        const Vec3 n = shape.extent[axis] * column(shape.frame, axis);
        const Vec3 u = shape.extent[next] * column(shape.frame, next),
                   v = shape.extent[last] * column(shape.frame, last);
        faces.push_back(rectangle(shape.centre + n, u, v));
        faces.push_back(rectangle(shape.centre - n, v, u));
      }
    } else {
      throw InputError(model.bodies.front().where,
                       fmt::format("the proxy knows plane faces only, and `{}` on the ground has none",
                                   shapes[g].name.empty() ? "a shape" : shapes[g].name),
                       "make it a box or a plane, or take another controller");
    }
  }
  if (faces.empty())
    throw InputError(model.bodies.front().where, "nothing on the ground stops a proxy",
                     "give the world a box or a plane with `contact: true`, or take another controller");
  return faces;
}

}  // namespace tactus::display
