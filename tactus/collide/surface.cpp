#include <tactus/collide/surface.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/AABB.h>

#include <tactus/base/check.h>

namespace tactus::collide {

namespace {

/// Triangles whose normals agree so well (as a sine) are in one plane; coordinates of binary STL are rounded
/// to 6e-8.
constexpr double kOnePlane = 1e-5;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Surface::Surface(TriangleMesh mesh, const Posed& X_BG) : triangles_(std::move(mesh.triangles)) {
  for (const Vec3d& p : mesh.vertices) vertices_.push_back(transformed(X_BG, p));
  for (const auto& t : triangles_) {
    normals_.push_back(
        direction_of(cross(vertex(t[1]) - vertex(t[0]), vertex(t[2]) - vertex(t[0])), Vec3d::unit(2)));
  }
  find_edges();
  find_faces();
  find_corners();
  build_tree();
  const Vec3d extent = high() - low();
  size_ = std::min({extent.x, extent.y, extent.z});
}

void Surface::find_edges() {
  std::map<std::pair<int, int>, int> index_of;
  triangle_edges_.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = triangles_[t][k], to = triangles_[t][(k + 1) % 3];
      const auto [place, is_new] =
          index_of.try_emplace({std::min(from, to), std::max(from, to)}, static_cast<int>(edges_.size()));
      if (is_new) {
        const Vec3d along = vertex(to) - vertex(from);
        edges_.push_back(
            {from, to, {static_cast<int>(t), -1}, direction_of(along, Vec3d::unit(2)), norm(along), false});
      } else {
        edges_[index(place->second)].triangle[1] = static_cast<int>(t);
      }
      triangle_edges_[t][k] = place->second;
    }
  }
  convex_ = true;
  for (SurfaceEdge& edge : edges_) {
    TACTUS_CHECK(edge.triangle[1] >= 0);
    // Seen along the edge as its first triangle runs: it bends away where the normals turn to the left.
    const double turn = dot(edge.direction, cross(normal(edge.triangle[0]), normal(edge.triangle[1])));
    const bool flat =
        std::abs(turn) < kOnePlane && dot(normal(edge.triangle[0]), normal(edge.triangle[1])) > 0.0;
    edge.stands_out = !flat && turn > 0.0;
    convex_ = convex_ && (flat || edge.stands_out);
  }
}

void Surface::find_faces() {
  // Every triangle joins the face of its neighbours in the same plane; parts that do not hang together are
  // one surface that is not convex.
  const auto count = triangles_.size();
  std::vector<int> part(count);
  faces_.resize(count);
  std::iota(faces_.begin(), faces_.end(), 0);
  std::iota(part.begin(), part.end(), 0);
  const std::function<int(std::vector<int>&, int)> root = [](std::vector<int>& of, int i) {
    while (of[index(i)] != i) i = of[index(i)] = of[index(of[index(i)])];
    return i;
  };
  const auto join = [&](std::vector<int>& of, int a, int b) {
    const int root_a = root(of, a), root_b = root(of, b);
    of[index(std::max(root_a, root_b))] = std::min(root_a, root_b);
  };
  for (const SurfaceEdge& edge : edges_) {
    join(part, edge.triangle[0], edge.triangle[1]);
    // Against the first triangle of the face, so that a finely divided curve is not one face.
    const int a = root(faces_, edge.triangle[0]), b = root(faces_, edge.triangle[1]);
    if (norm(cross(normal(a), normal(b))) < kOnePlane && dot(normal(a), normal(b)) > 0.0) join(faces_, a, b);
  }
  for (std::size_t t = 0; t < count; ++t) {
    faces_[t] = root(faces_, static_cast<int>(t));
    convex_ = convex_ && root(part, static_cast<int>(t)) == root(part, 0);
  }
}

void Surface::find_corners() {
  const std::size_t count = vertices_.size();
  vertex_normals_.assign(count, Vec3d::zero());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = triangles_[t][k];
      const Vec3d a = vertex(triangles_[t][(k + 1) % 3]) - vertex(v),
                  b = vertex(triangles_[t][(k + 2) % 3]) - vertex(v);
      vertex_normals_[index(v)] =
          vertex_normals_[index(v)] + std::atan2(norm(cross(a, b)), dot(a, b)) * normals_[t];
    }
  }
  for (Vec3d& n : vertex_normals_) n = direction_of(n, Vec3d::unit(2));
  std::vector<std::vector<int>> at(count);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    at[index(edges_[e].from)].push_back(static_cast<int>(e));
    at[index(edges_[e].to)].push_back(static_cast<int>(e));
  }
  vertex_begin_.push_back(0);
  for (std::size_t v = 0; v < count; ++v) {
    // A corner has edges that stand out in more than one line.
    std::vector<Vec3d> standing;
    for (const int e : at[v]) {
      vertex_edges_.push_back(e);
      if (edge(e).stands_out) standing.push_back(edge(e).direction);
    }
    vertex_begin_.push_back(static_cast<int>(vertex_edges_.size()));
    is_corner_.push_back(std::any_of(standing.begin(), standing.end(), [&](const Vec3d& d) {
      return norm(cross(d, standing[0])) > kOnePlane;
    }));
  }
}

/// fcl builds the tree; its boxes are kept.
void Surface::build_tree() {
  std::vector<fcl::Vector3d> points;
  for (const Vec3d& p : vertices_) points.emplace_back(p.x, p.y, p.z);
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : triangles_) triangles.emplace_back(index(t[0]), index(t[1]), index(t[2]));
  fcl::BVHModel<fcl::AABBd> model;
  model.beginModel();
  TACTUS_CHECK(model.addSubModel(points, triangles) == fcl::BVH_OK);
  TACTUS_CHECK(model.endModel() == fcl::BVH_OK);
  for (int i = 0; i < model.getNumBVs(); ++i) {
    const auto& node = model.getBV(i);
    const auto vector = [](const fcl::Vector3d& p) { return Vec3d{p[0], p[1], p[2]}; };
    Node copy{vector(node.bv.min_), vector(node.bv.max_), -1, -1, -1};
    if (node.isLeaf()) {
      copy.triangle = node.primitiveId();
    } else {
      copy.left = node.leftChild();
      copy.right = node.rightChild();
    }
    nodes_.push_back(copy);
  }
  std::vector<std::pair<int, std::size_t>> stack{{0, 1}};
  while (!stack.empty()) {
    const auto [i, depth] = stack.back();
    stack.pop_back();
    TACTUS_CHECK(depth + 1 < kDeepest);
    if (nodes_[index(i)].triangle >= 0) continue;
    stack.emplace_back(nodes_[index(i)].left, depth + 1);
    stack.emplace_back(nodes_[index(i)].right, depth + 1);
  }
}

Feature Surface::face_feature(int triangle) const {
  const int first = face(triangle);
  return {FeatureKind::plane, vertex(this->triangle(first)[0]), normal(first), 0.0};
}

Feature Surface::edge_feature(int i) const {
  return {FeatureKind::line, vertex(edge(i).from), edge(i).direction, 0.0};
}

Feature Surface::vertex_feature(int i) const { return {FeatureKind::point, vertex(i), Vec3d::unit(2), 0.0}; }

std::optional<Polytope> Surface::convex_core(std::size_t most_corners) const {
  if (!convex_) return std::nullopt;
  // The border of a face: the directed edges between it and others, end to end.
  std::map<int, std::map<int, int>> next;  // face -> corner -> the one after it
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const SurfaceEdge& e = edge(triangle_edges_[t][k]);
      const int other = e.triangle[0] == static_cast<int>(t) ? e.triangle[1] : e.triangle[0];
      if (face(other) != faces_[t]) next[faces_[t]][triangles_[t][k]] = triangles_[t][(k + 1) % 3];
    }
  }
  std::map<int, int> corner_of;
  std::vector<Vec3d> corners;
  std::vector<std::vector<int>> loops;
  for (const auto& [face, border] : next) {
    std::vector<int> loop;
    const int begin = border.begin()->first;
    int at = begin;
    do {
      const auto [place, is_new] = corner_of.try_emplace(at, static_cast<int>(corners.size()));
      if (is_new) corners.push_back(vertex(at));
      loop.push_back(place->second);
      const auto after = border.find(at);
      if (after == border.end() || loop.size() > border.size()) return std::nullopt;
      at = after->second;
    } while (at != begin);
    if (loop.size() != border.size() || loop.size() < 3) return std::nullopt;  // more than one border
    loops.push_back(std::move(loop));
  }
  if (corners.size() > most_corners || loops.size() < 4) return std::nullopt;
  return Polytope::from_faces(std::move(corners), std::move(loops));
}

}  // namespace tactus::collide
