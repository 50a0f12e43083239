// The readers of meshes: what they take, what they refuse, and that no bytes break them.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include <collide/meshes.h>
#include <collide/shapes.h>
#include "support/paths.h"

namespace {

using namespace tactus::collide;
using namespace tactus::collide::test;

std::string refusal_of(std::string_view bytes, const std::string& name) {
  try {
    require_solid(parse_mesh(bytes, name), name);
  } catch (const tactus::InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

TEST(Meshes, TheSameCubeFromEveryFormat) {
  for (const auto& [bytes, name] :
       {std::pair{stl_text(cube(0.5)), "cube.stl"}, std::pair{stl_binary(cube(0.5)), "cube.STL"},
        std::pair{obj_text(cube(0.5)), "cube.obj"}}) {
    const TriangleMesh mesh = parse_mesh(bytes, name);
    EXPECT_EQ(mesh.vertices.size(), 8u) << name;
    EXPECT_EQ(mesh.triangles.size(), 12u);
    EXPECT_NO_THROW(require_solid(mesh, name));
    EXPECT_NEAR(volume_of(mesh), 1.0, 1e-12);
  }
}

TEST(Meshes, AnObjMayHaveSquaresNormalsAndNegativeIndices) {
  const TriangleMesh mesh = parse_mesh(
      "# a tetrahedron and comments\nvn 0 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
      "f 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\r\nf -3 -2 -1\nf 1 4 3\n",
      "t.obj");
  EXPECT_NO_THROW(require_solid(mesh, "t.obj"));
  EXPECT_NEAR(volume_of(mesh), 1.0 / 6.0, 1e-15);
  const TriangleMesh square = parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "s.obj");
  EXPECT_EQ(square.triangles.size(), 2u);
}

TEST(Meshes, ScaleStretchesAndMirrorsKeepTheOutside) {
  TriangleMesh mesh = cube(0.5);
  scale_mesh(mesh, {2.0, 1.0, -3.0}, "m");
  EXPECT_NEAR(volume_of(mesh), 6.0, 1e-12);
  EXPECT_NO_THROW(require_solid(mesh, "m"));
  EXPECT_THROW(scale_mesh(mesh, {1.0, 0.0, 1.0}, "m"), tactus::InputError);
}

TEST(Meshes, APipeIsRefusedAndNotWaitedFor) {
  const std::string pipe =
      (std::filesystem::temp_directory_path() / ("tactus_mesh_pipe_" + std::to_string(::getpid()) + ".stl"))
          .string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(read_mesh(pipe), tactus::InputError);
  std::filesystem::remove(pipe);
}

TEST(Meshes, RefusalsSayWhatIsWrong) {
  const auto says = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  EXPECT_THROW(read_mesh("no_such_file.stl"), tactus::InputError);
  EXPECT_THROW(read_mesh(tactus::support::source_dir() + "/models"), tactus::InputError);  // a directory
  EXPECT_THROW(read_mesh("/dev/zero"), tactus::InputError);                                // never ends
  says(refusal_of("", "x.obj"), "no triangles");
  says(refusal_of("", "x.stl"), "not an STL");
  says(refusal_of("anything", "x.ply"), "not known");
  says(refusal_of(stl_text(cube(0.5)), "x"), "not known");  // shorter than any ending
  says(refusal_of("v 0 0\n", "x.obj"), "x.obj:1: error: `` is not a coordinate");
  says(refusal_of("v 0 0 nan\n", "x.obj"), "`nan` is not a coordinate");
  says(refusal_of("v 0 0 1e999\n", "x.obj"), "not a coordinate");
  says(refusal_of("v 0 0 0\nf 1 2 3\n", "x.obj"), "no vertex");
  says(refusal_of("v 0 0 0\nv 1 0 0\nf 1 2\n", "x.obj"), "2 corners");
  says(refusal_of("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n", "x.stl"),
       "1 vertices");
  says(refusal_of("solid x\nvertex 0 0 0\n", "x.stl"), "outside a facet");
  says(refusal_of("solid x\nfacet normal 0 0 1\n", "x.stl"), "ends inside");
  says(refusal_of("solid x\nrabbit\n", "x.stl"), "`rabbit`");
  const std::string binary = stl_binary(cube(0.5));
  says(refusal_of(binary.substr(0, binary.size() - 1), "x.stl"), "12 triangles and has bytes for 11");
  std::string infinite = binary;
  const float value = std::numeric_limits<float>::infinity();
  std::memcpy(infinite.data() + 84 + 12, &value, 4);
  says(refusal_of(infinite, "x.stl"), "not finite");

  TriangleMesh mesh = cube(0.5);
  mesh.triangles.pop_back();
  says(refusal_of(obj_text(mesh), "x.obj"), "open at the edge");
  mesh = cube(0.5);
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  says(refusal_of(obj_text(mesh), "x.obj"), "the same way");
  mesh = cube(0.5);
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  says(refusal_of(obj_text(mesh), "x.obj"), "inside out");
  mesh = cube(0.5);
  mesh.triangles.push_back({0, 1, 0});
  says(refusal_of(obj_text(mesh), "x.obj"), "no area");
  mesh = cube(0.5);
  mesh.triangles.push_back(mesh.triangles[0]);
  says(refusal_of(obj_text(mesh), "x.obj"), "the same way");
  // Two sides of one triangle.
  says(refusal_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n", "x.obj"), "no volume");
}

TEST(Meshes, NoBytesBreakTheReaders) {
  const std::array<std::pair<std::string, std::string>, 3> files{
      {{stl_text(cube(0.5)), "x.stl"}, {stl_binary(cube(0.5)), "x.stl"}, {obj_text(cube(0.5)), "x.obj"}}};
  Random random(31);
  int accepted = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    auto [bytes, name] = files[static_cast<std::size_t>(trial % 3)];
    const int changes = 1 + static_cast<int>(random.uniform(0, 6));
    for (int k = 0; k < changes && !bytes.empty(); ++k) {
      const auto at = static_cast<std::size_t>(random.uniform(0, static_cast<double>(bytes.size()) - 1e-9));
      const double what = random.uniform(0, 4);
      if (what < 2) {
        bytes[at] = static_cast<char>(random.uniform(0, 256));
      } else if (what < 2.6) {
        bytes.resize(at);
      } else if (what < 3.3) {
        bytes.insert(at, bytes.substr(0, static_cast<std::size_t>(random.uniform(0, 60))));
      } else {
        bytes.erase(at, static_cast<std::size_t>(random.uniform(1, 30)));
      }
    }
    try {
      const TriangleMesh mesh = parse_mesh(bytes, name);
      require_solid(mesh, name);
      ++accepted;
    } catch (const tactus::InputError&) {
    }
  }
  EXPECT_LT(accepted, 3000);
}

}  // namespace
