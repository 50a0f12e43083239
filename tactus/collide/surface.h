// The closed surface of a mesh, made ready for contact: its flat faces, the edges and corners that stand out,
// and a tree of boxes to find what is near. In the axes of its body.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <tactus/collide/mesh.h>
#include <tactus/collide/polytope.h>

namespace tactus::collide {

struct SurfaceEdge {
  int from = 0, to = 0;
  std::array<int, 2> triangle{-1, -1};
  Vec3d direction{};  // unit
  double length = 0.0;
  bool stands_out = false;  // convex: its two triangles bend away from outside
};

class Surface {
 public:
  static constexpr std::size_t kDeepest = 256;  // levels of the tree

  /// The mesh must be that of a solid (require_solid).
  Surface(TriangleMesh mesh, const Posed& X_BG);

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  const std::array<int, 3>& triangle(int i) const { return triangles_[static_cast<std::size_t>(i)]; }
  const SurfaceEdge& edge(int i) const { return edges_[static_cast<std::size_t>(i)]; }
  const Vec3d& vertex(int i) const { return vertices_[static_cast<std::size_t>(i)]; }
  const Vec3d& normal(int triangle) const { return normals_[static_cast<std::size_t>(triangle)]; }
  /// The flat face a triangle belongs to: the triangles in one plane that hang together.
  int face(int triangle) const { return faces_[static_cast<std::size_t>(triangle)]; }
  /// Edges of a triangle; edge k joins its corners k and k + 1.
  const std::array<int, 3>& edges_of(int triangle) const {
    return triangle_edges_[static_cast<std::size_t>(triangle)];
  }
  /// Whether a vertex is a corner: it does not lie within a flat face or along a straight edge.
  bool is_corner(int vertex) const { return is_corner_[static_cast<std::size_t>(vertex)]; }
  /// Outward, at a vertex: by the angles of its triangles.
  const Vec3d& vertex_normal(int vertex) const { return vertex_normals_[static_cast<std::size_t>(vertex)]; }
  /// The edges at a vertex.
  std::pair<const int*, const int*> edges_at(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {vertex_edges_.data() + vertex_begin_[v], vertex_edges_.data() + vertex_begin_[v + 1]};
  }

  Feature face_feature(int triangle) const;
  Feature edge_feature(int edge) const;
  Feature vertex_feature(int vertex) const;

  const Vec3d& low() const { return nodes_[0].low; }
  const Vec3d& high() const { return nodes_[0].high; }
  double size() const { return size_; }
  /// Its convex polytope with flat faces, where it is convex and has at most so many corners.
  std::optional<Polytope> convex_core(std::size_t most_corners) const;

  /// Calls visit(triangle) for the triangles in the boxes for which `wanted(low, high)` is true. No
  /// allocation.
  template <class Wanted, class Visit>
  void search(const Wanted& wanted, const Visit& visit) const;
  /// Those whose boxes overlap a box.
  template <class Visit>
  void overlapping(const Vec3d& low, const Vec3d& high, const Visit& visit) const;

 private:
  struct Node {
    Vec3d low{}, high{};
    int left = -1, right = -1;  // children
    int triangle = -1;          // of a leaf
  };
  void find_edges();
  void find_faces();
  void find_corners();
  void build_tree();

  std::vector<Vec3d> vertices_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<Vec3d> normals_, vertex_normals_;
  std::vector<std::array<int, 3>> triangle_edges_;
  std::vector<SurfaceEdge> edges_;
  std::vector<int> faces_, vertex_begin_, vertex_edges_;
  std::vector<bool> is_corner_;
  std::vector<Node> nodes_;
  double size_ = 0.0;
  bool convex_ = false;
};

template <class Wanted, class Visit>
void Surface::search(const Wanted& wanted, const Visit& visit) const {
  // Depth first: the stack never holds more than the tree is deep, which the constructor checks.
  std::array<int, kDeepest> stack;
  std::size_t count = 0;
  stack[count++] = 0;
  while (count > 0) {
    const Node& node = nodes_[static_cast<std::size_t>(stack[--count])];
    if (!wanted(node.low, node.high)) continue;
    if (node.triangle >= 0) {
      visit(node.triangle);
    } else {
      stack[count++] = node.left;
      stack[count++] = node.right;
    }
  }
}

template <class Visit>
void Surface::overlapping(const Vec3d& low, const Vec3d& high, const Visit& visit) const {
  search(
      [&](const Vec3d& l, const Vec3d& h) {
        return l.x <= high.x && low.x <= h.x && l.y <= high.y && low.y <= h.y && l.z <= high.z &&
               low.z <= h.z;
      },
      visit);
}

}  // namespace tactus::collide
