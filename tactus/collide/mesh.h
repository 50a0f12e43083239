// Triangle meshes from files: STL (text and binary) and OBJ.
//
// Contact needs the surface of a solid: closed, every edge shared by exactly two triangles that run through
// it in opposite directions, the outside on the right-hand side. Anything else is refused with the reason.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/collide/vector.h>

namespace tactus::collide {

struct TriangleMesh {
  std::vector<Vec3d> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

/// The mesh in a file, as written. Throws InputError for files that are missing, broken, empty or too large,
/// and for numbers that are not finite.
TriangleMesh read_mesh(const std::string& path);
/// The mesh in the bytes of a file; `name` is that of the file and tells STL from OBJ.
TriangleMesh parse_mesh(std::string_view bytes, const std::string& name);

/// Stretched along the axes; a mirror image is turned inside out again. Throws InputError for zero.
void scale_mesh(TriangleMesh& mesh, const Vec3d& scale, const std::string& name);

/// Throws InputError unless the mesh is the surface of a solid.
void require_solid(const TriangleMesh& mesh, const std::string& name);

/// Signed volume inside.
double volume_of(const TriangleMesh& mesh);

}  // namespace tactus::collide
