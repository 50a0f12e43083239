// Meshes made for the tests, and files of them.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <tactus/collide/mesh.h>

namespace tactus::collide::test {

/// A box with half edges h about the origin.
inline TriangleMesh box_mesh(const Vec3d& h) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.push_back(
        {(i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z});
  }
  for (const auto& q : {std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}, std::array{0, 1, 5, 4},
                        std::array{2, 6, 7, 3}, std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}}) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  return mesh;
}
inline TriangleMesh cube(double half) { return box_mesh({half, half, half}); }

inline std::string obj_text(const TriangleMesh& mesh) {
  std::string text;
  for (const Vec3d& p : mesh.vertices) text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
  for (const auto& t : mesh.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

inline std::string stl_text(const TriangleMesh& mesh) {
  std::string text = "solid made\n";
  for (const auto& t : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int i : t) {
      const Vec3d& p = mesh.vertices[static_cast<std::size_t>(i)];
      text += fmt::format("  vertex {} {} {}\n", p.x, p.y, p.z);
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid made\n";
}

inline std::string stl_binary(const TriangleMesh& mesh) {
  std::string bytes(80, ' ');
  const auto put = [&bytes](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (const int i : t) {
      const Vec3d& p = mesh.vertices[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < 3; ++k) put(static_cast<float>(p[k]));
    }
    put(std::uint16_t{0});
  }
  return bytes;
}

}  // namespace tactus::collide::test
