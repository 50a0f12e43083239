// Triangles for the page: read once, when a mechanism is built, and asked for by their numbers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/collide/mesh.h>
#include <tactus/serve/page/scene.h>

namespace tactus::serve {

namespace {

constexpr std::size_t kMostTriangles = 500'000;  // of one mesh
constexpr std::size_t kMostBytes = 64u << 20;    // of all of them

void append(std::string& to, const void* data, std::size_t size) {
  to.append(static_cast<const char*>(data), size);
}

/// Two counts, corners as three floats each, triangles as three numbers of corners each; the machine's order of bytes is the page's.
MeshData data_of(const collide::TriangleMesh& mesh) {
  MeshData data;
  data.low = data.high = mesh.vertices.front();
  const auto corners = static_cast<std::uint32_t>(mesh.vertices.size()),
             triangles = static_cast<std::uint32_t>(mesh.triangles.size());
  append(data.bytes, &corners, sizeof corners);
  append(data.bytes, &triangles, sizeof triangles);
  for (const collide::Vec3d& v : mesh.vertices)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto one = static_cast<float>(v[i]);
      append(data.bytes, &one, sizeof one);
      data.low[i] = std::min(data.low[i], v[i]);
      data.high[i] = std::max(data.high[i], v[i]);
    }
  for (const std::array<int, 3>& triangle : mesh.triangles)
    for (const int corner : triangle) {
      const auto one = static_cast<std::uint32_t>(corner);
      append(data.bytes, &one, sizeof one);
    }
  return data;
}

}  // namespace

Meshes meshes_of(const describe::Model& model) {
  Meshes meshes;
  std::map<std::string, int> known;  // by file and scale
  std::size_t bytes = 0;
  for (const describe::Body& body : model.bodies) {
    meshes.of.emplace_back(body.geometry.size(), -1);
    for (std::size_t i = 0; i < body.geometry.size(); ++i) {
      const describe::Geometry& g = body.geometry[i];
      if (g.shape != describe::Geometry::Shape::mesh) continue;
      const collide::Vec3d scale{value_of(model, g.size.x), value_of(model, g.size.y),
                                 value_of(model, g.size.z)};
      const std::string key = fmt::format("{} {} {} {}", g.file, scale.x, scale.y, scale.z);
      const auto [place, fresh] = known.emplace(key, -1);
      if (fresh) {
        try {
          const std::filesystem::path file(g.file);
          const std::string path =
              file.is_absolute() ? g.file : (std::filesystem::path(model.file).parent_path() / file).string();
          collide::TriangleMesh mesh = collide::read_mesh(path);
          collide::scale_mesh(mesh, scale, g.file);
          if (mesh.triangles.size() > kMostTriangles)
            throw InputError({},
                             fmt::format("{} triangles are more than the page draws", mesh.triangles.size()));
          MeshData data = data_of(mesh);
          if (bytes + data.bytes.size() > kMostBytes)
            throw InputError({}, "the meshes of this model are too large together");
          bytes += data.bytes.size();
          place->second = static_cast<int>(meshes.data.size());
          meshes.data.push_back(std::move(data));
        } catch (const InputError& error) {
          meshes.notes.push_back(fmt::format("the mesh of `{}` is not drawn: {}", body.name, error.wrong()));
        }
      }
      meshes.of.back()[i] = place->second;
    }
  }
  return meshes;
}

}  // namespace tactus::serve
