#include <tactus/collide/polytope.h>

#include <algorithm>
#include <map>
#include <utility>

#include <tactus/base/check.h>

namespace tactus::collide {

namespace {

double largest_distance(const std::vector<Vec3d>& points) {
  double largest = 0.0;
  for (const Vec3d& p : points) largest = std::max(largest, norm(p - points[0]));
  return largest;
}

}  // namespace

Polytope Polytope::point(const Vec3d& p, double radius) {
  Polytope core;
  core.corners = {p};
  core.radius = radius;
  core.size = radius;
  return core;
}

Polytope Polytope::segment(const Vec3d& from, const Vec3d& to, double radius) {
  Polytope core;
  core.corners = {from, to};
  core.edges = {{0, 1, {-1, -1}}};
  core.edge_directions = {direction_of(to - from, Vec3d::unit(2))};
  core.distinct_edges = {0};
  core.radius = radius;
  core.size = radius + norm(to - from);
  return core;
}

Polytope Polytope::box(const Posed& X_BG, const Vec3d& half) {
  std::vector<Vec3d> corners;
  for (int i = 0; i < 8; ++i) {
    const Vec3d corner{(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                       (i & 4) != 0 ? half.z : -half.z};
    corners.push_back(transformed(X_BG, corner));
  }
  Polytope box =
      from_faces(std::move(corners),
                 {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
  for (std::size_t k = 0; k < 3; ++k) {  // exactly opposite
    box.normals[2 * k] = -X_BG.R.col(k);
    box.normals[2 * k + 1] = X_BG.R.col(k);
  }
  return box;
}

Polytope Polytope::from_faces(std::vector<Vec3d> corners, std::vector<std::vector<int>> loops) {
  Polytope core;
  core.corners = std::move(corners);
  core.size = largest_distance(core.corners);
  std::map<std::pair<int, int>, int> edge_of;
  for (std::vector<int>& loop : loops) {
    const int index = static_cast<int>(core.faces.size());
    PolytopeFace face;
    Vec3d area{0.0, 0.0, 0.0};  // twice the vector area: the normal's direction, also for more than three
    const Vec3d& origin = core.corners[static_cast<std::size_t>(loop[0])];
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int from = loop[i], to = loop[(i + 1) % loop.size()];
      area = area + cross(core.corners[static_cast<std::size_t>(from)] - origin,
                          core.corners[static_cast<std::size_t>(to)] - origin);
      const auto [place, is_new] =
          edge_of.try_emplace({std::min(from, to), std::max(from, to)}, static_cast<int>(core.edges.size()));
      if (is_new) {
        core.edges.push_back({std::min(from, to), std::max(from, to), {index, -1}});
        core.edge_directions.push_back(
            direction_of(core.corners[static_cast<std::size_t>(std::max(from, to))] -
                             core.corners[static_cast<std::size_t>(std::min(from, to))],
                         Vec3d::unit(2)));
      } else {
        core.edges[static_cast<std::size_t>(place->second)].face[1] = index;
      }
      face.edges.push_back(place->second);
    }
    face.corners = std::move(loop);
    core.normals.push_back(direction_of(area, Vec3d::unit(2)));
    core.faces.push_back(std::move(face));
  }
  for (const PolytopeEdge& edge : core.edges) TACTUS_CHECK(edge.face[1] >= 0);
  constexpr double kSameDirection = 1e-6;  // sine of the angle between two edges
  for (std::size_t i = 0; i < core.edges.size(); ++i) {
    const auto same = [&](int j) {
      return norm(cross(core.edge_directions[i], core.edge_directions[static_cast<std::size_t>(j)])) <
             kSameDirection;
    };
    if (std::none_of(core.distinct_edges.begin(), core.distinct_edges.end(), same))
      core.distinct_edges.push_back(static_cast<int>(i));
  }
  return core;
}

PlacedPolytope::PlacedPolytope(const Polytope& polytope)
    : shape(&polytope),
      corners(polytope.corners),
      edge_directions(polytope.edge_directions),
      normals(polytope.normals) {}

void PlacedPolytope::place(const Posed& X_WB) {
  for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = transformed(X_WB, shape->corners[i]);
  for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = X_WB.R * shape->normals[i];
  for (std::size_t i = 0; i < edge_directions.size(); ++i)
    edge_directions[i] = X_WB.R * shape->edge_directions[i];
}

int PlacedPolytope::furthest(const Vec3d& direction) const {
  int best = 0;
  double most = dot(corners[0], direction);
  for (int i = 1; i < corner_count(); ++i) {
    const double along = dot(corner(i), direction);
    if (along > most) {
      most = along;
      best = i;
    }
  }
  return best;
}

int PlacedPolytope::facing(const Vec3d& direction) const {
  // Nearly as well is as well: the choice must not follow the last bit where two faces tie.
  constexpr double kTie = 1e-9;
  int best = -1;
  double most = -2.0;
  for (int i = 0; i < face_count(); ++i) {
    const double along = dot(normal(i), direction);
    if (along > most + kTie) {
      most = along;
      best = i;
    }
  }
  return best;
}

bool PlacedPolytope::edge_reaches(int index, const Vec3d& n, double beyond) const {
  const auto [first, second] = edge(index).face;
  if (first < 0) return true;
  for (const auto& [face, other] : {std::pair{first, second}, std::pair{second, first}}) {
    // From the edge into the face: behind the other face.
    Vec3d inward = cross(normal(face), edge_direction(index));
    if (dot(inward, normal(other)) > 0.0) inward = -inward;
    if (dot(n, inward) > beyond) return false;
  }
  return true;
}

bool PlacedPolytope::over_face(int index, const Vec3d& point, double slack) const {
  const PolytopeFace& loop = face(index);
  for (std::size_t i = 0; i < loop.corners.size(); ++i) {
    const int e = loop.edges[i];
    // Outward in the face's plane: the edge's direction, counter-clockwise, times the normal.
    const double sign = edge(e).from == loop.corners[i] ? 1.0 : -1.0;
    const Vec3d outward = sign * cross(edge_direction(e), normal(index));
    if (dot(outward, point - corner(loop.corners[i])) > slack) return false;
  }
  return true;
}

}  // namespace tactus::collide
