#include <tactus/display/world_faces.h>

#include <algorithm>
#include <array>
#include <cmath>

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

/// Those of one shape of the ground; none where it stops nothing. Throws InputError where it has other than planes.
std::vector<control::ProxyFace> faces_of(const describe::Model& model, std::size_t g) {
  std::vector<control::ProxyFace> faces;
  const describe::Geometry& geometry = model.bodies.front().geometry[g];
  if (!geometry.contact) return faces;
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
                                 geometry.name.empty() ? "a shape" : geometry.name),
                     "make it a box or a plane, or take another controller");
  }
  return faces;
}

}  // namespace

std::vector<control::ProxyFace> world_faces(const describe::Model& model) {
  std::vector<control::ProxyFace> faces;
  for (std::size_t g = 0; g < model.bodies.front().geometry.size(); ++g) {
    const std::vector<control::ProxyFace> more = faces_of(model, g);
    faces.insert(faces.end(), more.begin(), more.end());
  }
  if (faces.empty())
    throw InputError(model.bodies.front().where, "nothing on the ground stops a proxy",
                     "give the world a box or a plane with `contact: true`, or take another controller");
  return faces;
}

std::string solid_around(const describe::Model& model, const Vec3& p) {
  const std::vector<describe::Geometry>& shapes = model.bodies.front().geometry;
  for (std::size_t g = 0; g < shapes.size(); ++g) {
    const std::vector<control::ProxyFace> faces = faces_of(model, g);
    const auto is_behind = [&](const control::ProxyFace& face) { return control::Proxy::behind(face, p); };
    if (faces.empty() || !std::all_of(faces.begin(), faces.end(), is_behind)) continue;
    if (!shapes[g].name.empty()) return fmt::format("`{}`", shapes[g].name);
    return fmt::format("shape {} of the ground, a {}", g + 1, faces.size() == 1 ? "plane" : "box");
  }
  return "";
}

}  // namespace tactus::display
