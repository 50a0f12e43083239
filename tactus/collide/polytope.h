// A convex polytope as its corners, edges and faces, and its copy in the world.
//
// The cores of the rounded shapes are polytopes too: a sphere is one corner and a radius, a capsule an edge
// and a radius.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <tactus/collide/vector.h>

namespace tactus::collide {

struct PolytopeEdge {
  int from = 0, to = 0;             // corners
  std::array<int, 2> face{-1, -1};  // the faces it belongs to; -1: a bare edge
};

struct PolytopeFace {
  std::vector<int> corners;  // counter-clockwise seen from outside
  std::vector<int> edges;    // edges[i] joins corners[i] and corners[i + 1]
};

/// Immutable, in the axes of its body.
struct Polytope {
  std::vector<Vec3d> corners;
  std::vector<PolytopeEdge> edges;
  std::vector<Vec3d> edge_directions;  // unit
  std::vector<int> distinct_edges;     // one edge of each direction, not counting its sign
  std::vector<PolytopeFace> faces;
  std::vector<Vec3d> normals;  // of the faces, unit, outward
  double radius = 0.0;
  double size = 0.0;  // a length of its order, for tolerances

  static Polytope point(const Vec3d& p, double radius);
  static Polytope segment(const Vec3d& from, const Vec3d& to, double radius);
  /// The box with the given half edges about the origin of X_BG. Corner i lies on the side of axis k that bit
  /// k of i says; face 2k is at -axis k, face 2k + 1 at +axis k.
  static Polytope box(const Posed& X_BG, const Vec3d& half);
  /// From flat faces, each a loop of corners counter-clockwise from outside; edges are found.
  static Polytope from_faces(std::vector<Vec3d> corners, std::vector<std::vector<int>> loops);

  Feature corner(int i) const {
    return {FeatureKind::point, corners[static_cast<std::size_t>(i)], {0, 0, 1}, radius};
  }
  Feature edge(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {FeatureKind::line, corners[static_cast<std::size_t>(edges[k].from)], edge_directions[k], radius};
  }
  /// Only where the radius is zero.
  Feature face(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {FeatureKind::plane, corners[static_cast<std::size_t>(faces[k].corners[0])], normals[k], 0.0};
  }
};

/// A polytope's corners, edge directions and normals in the world.
struct PlacedPolytope {
  const Polytope* shape = nullptr;
  std::vector<Vec3d> corners, edge_directions, normals;

  explicit PlacedPolytope(const Polytope& polytope);
  void place(const Posed& X_WB);

  const Vec3d& corner(int i) const { return corners[static_cast<std::size_t>(i)]; }
  const Vec3d& normal(int i) const { return normals[static_cast<std::size_t>(i)]; }
  const Vec3d& edge_direction(int i) const { return edge_directions[static_cast<std::size_t>(i)]; }
  const PolytopeEdge& edge(int i) const { return shape->edges[static_cast<std::size_t>(i)]; }
  const PolytopeFace& face(int i) const { return shape->faces[static_cast<std::size_t>(i)]; }
  /// In the world.
  Feature corner_feature(int i) const { return {FeatureKind::point, corner(i), {0, 0, 1}, shape->radius}; }
  Feature edge_feature(int i) const {
    return {FeatureKind::line, corner(edge(i).from), edge_direction(i), shape->radius};
  }
  Feature face_feature(int i) const {
    return {FeatureKind::plane, corner(face(i).corners[0]), normal(i), 0.0};
  }
  int corner_count() const { return static_cast<int>(corners.size()); }
  int edge_count() const { return static_cast<int>(edge_directions.size()); }
  int face_count() const { return static_cast<int>(normals.size()); }

  /// The corner furthest along a direction, the first of several.
  int furthest(const Vec3d& direction) const;
  /// The face whose normal is nearest to a direction; -1 where there is none.
  int facing(const Vec3d& direction) const;
  /// Whether an edge is what reaches furthest along n, a unit vector normal to it: n lies between the normals
  /// of its two faces, or beyond them by at most `beyond` [rad].
  bool edge_reaches(int edge, const Vec3d& n, double beyond) const;
  /// Whether a point lies in the prism over a face, `slack` outside it at most.
  bool over_face(int face, const Vec3d& point, double slack) const;
};

}  // namespace tactus::collide
