// Contact of meshes: small convex ones against the primitive they are, others against fcl.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <numbers>
#include <tuple>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>

#include <support/allocations.h>

#include <collide/meshes.h>
#include <collide/shapes.h>
#include <tactus/collide/shape.h>

namespace {

using namespace tactus::collide;
using namespace tactus::collide::test;

constexpr double kRounding = 1e-9;
/// Two triangles are at their distance to rounding in fcl; against smooth shapes it iterates.
constexpr double kFclTolerance = 2e-6;

/// Files of this process only, removed at its end: tests run side by side.
class Files {
 public:
  ~Files() {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }
  std::string write(const TriangleMesh& mesh) {
    paths_.push_back(fmt::format("{}tactus_mesh_{}_{}.obj", testing::TempDir(), getpid(), paths_.size()));
    std::ofstream(paths_.back()) << obj_text(mesh);
    return paths_.back();
  }

 private:
  std::vector<std::string> paths_;
};

std::string file_of(const TriangleMesh& mesh) {
  static Files files;
  return files.write(mesh);
}
std::string shape_text(const TriangleMesh& mesh) {
  return fmt::format("{{shape: mesh, file: \"{}\"}}", file_of(mesh));
}

/// A channel with a floor and two walls, open above: along y, outer size 0.8 x 1 x 0.4, 0.1 thick.
TriangleMesh channel() {
  const std::vector<std::pair<double, double>> outline{{-0.4, 0.0}, {0.4, 0.0},  {0.4, 0.4},  {0.3, 0.4},
                                                       {0.3, 0.1},  {-0.3, 0.1}, {-0.3, 0.4}, {-0.4, 0.4}};
  TriangleMesh mesh;
  const int n = static_cast<int>(outline.size());
  for (const double y : {-0.5, 0.5})
    for (const auto& [x, z] : outline) mesh.vertices.push_back({x, y, z});
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  // The ends: floor and walls.
  for (const auto& t : {std::array{0, 4, 1}, std::array{0, 5, 4}, std::array{1, 4, 3}, std::array{1, 3, 2},
                        std::array{0, 7, 6}, std::array{0, 6, 5}}) {
    mesh.triangles.push_back({t[0], t[1], t[2]});
    mesh.triangles.push_back({t[0] + n, t[2] + n, t[1] + n});
  }
  if (volume_of(mesh) < 0.0)
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// An octahedron divided `times`, blown up to a ball of radius r.
TriangleMesh ball(double r, int times) {
  TriangleMesh mesh;
  mesh.vertices = {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (; times > 0; --times) {
    std::map<std::pair<int, int>, int> middle;
    const auto between = [&](int a, int b) {
      const auto [place, is_new] =
          middle.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(mesh.vertices.size()));
      if (is_new) {
        const Vec3d m =
            mesh.vertices[static_cast<std::size_t>(a)] + mesh.vertices[static_cast<std::size_t>(b)];
        mesh.vertices.push_back(r * direction_of(m, m));
      }
      return place->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = between(a, b), bc = between(b, c), ca = between(c, a);
      for (const auto& t :
           {std::array{a, ab, ca}, std::array{ab, b, bc}, std::array{ca, bc, c}, std::array{ab, bc, ca}})
        finer.push_back(t);
    }
    mesh.triangles = finer;
  }
  return mesh;
}

fcl::Transform3d transform_of(const Posed& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      T.linear()(i, j) = X.R(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    T.translation()(i) = X.p[static_cast<std::size_t>(i)];
  }
  return T;
}

std::shared_ptr<fcl::CollisionGeometryd> fcl_mesh(const TriangleMesh& mesh) {
  auto model = std::make_shared<fcl::BVHModel<fcl::RSSd>>();
  std::vector<fcl::Vector3d> points;
  std::vector<fcl::Triangle> triangles;
  for (const Vec3d& p : mesh.vertices) points.emplace_back(p.x, p.y, p.z);
  for (const auto& t : mesh.triangles) {
    triangles.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                           static_cast<std::size_t>(t[2]));
  }
  model->beginModel();
  model->addSubModel(points, triangles);
  model->endModel();
  return model;
}

double fcl_distance(const std::shared_ptr<fcl::CollisionGeometryd>& a, const Posed& X_a,
                    const std::shared_ptr<fcl::CollisionGeometryd>& b, const Posed& X_b) {
  const fcl::CollisionObjectd object_a(a, transform_of(X_a)), object_b(b, transform_of(X_b));
  fcl::DistanceRequestd request;
  request.distance_tolerance = 1e-10;
  fcl::DistanceResultd result;
  return fcl::distance(&object_a, &object_b, request, result);
}

TEST(ConvexMesh, ABoxOfTrianglesTouchesLikeABox) {
  const std::string mesh = shape_text(box_mesh({0.2, 0.3, 0.4})), box = "{shape: box, size: [0.4, 0.6, 0.8]}";
  Random random(41);
  for (const char* other : {"{shape: box, size: [0.5, 0.3, 0.2]}", "{shape: sphere, radius: 0.2}",
                            "{shape: capsule, radius: 0.1, length: 0.5}",
                            "{shape: cylinder, radius: 0.2, length: 0.4}", "{shape: plane, size: [1, 1]}"}) {
    TwoShapes of_mesh(mesh, other), of_box(box, other);
    for (int trial = 0; trial < 300; ++trial) {
      const Posed X_a{random.rotation(), random.vector(0.4)}, X_b{random.rotation(), random.vector(0.4)};
      const auto found = of_mesh.near(X_a, X_b, 0.3);
      const std::vector<Proximity> here(found.begin(), found.end());
      const auto there = of_box.near(X_a, X_b, 0.3);
      ASSERT_EQ(here.size(), there.size()) << other << trial;
      if (there.empty()) continue;
      EXPECT_NEAR(deepest(here).gap, deepest(there).gap, kRounding) << other << trial;
    }
  }
}

TEST(ConvexMesh, FlatFacesOfManyTrianglesAreOne) {
  TwoShapes scene(shape_text(box_mesh({0.2, 0.2, 0.1})), shape_text(box_mesh({0.2, 0.2, 0.1})));
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0.05, 0.0, 0.2}}, 0.01).size(), 4u);
}

/// How often a closed mesh goes round a point: 1 inside, 0 outside. By the solid angles of its triangles
/// [VanOosteromStrackee1983].
double winding(const TriangleMesh& mesh, const Vec3d& point) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles) {
    const Vec3d a = mesh.vertices[static_cast<std::size_t>(t[0])] - point,
                b = mesh.vertices[static_cast<std::size_t>(t[1])] - point,
                c = mesh.vertices[static_cast<std::size_t>(t[2])] - point;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += 2.0 *
           std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4.0 * std::numbers::pi);
}

/// Whether shape b, of which `of_b` is a point on or in it, lies within the mesh a.
bool is_within(const TriangleMesh& mesh, const Posed& X_a, const Posed& X_b, const Vec3d& of_b) {
  return winding(mesh, transpose_times(X_a.R, X_b.p + X_b.R * of_b - X_a.p)) > 0.5;
}

class Surfaces : public testing::TestWithParam<int> {};

TEST_P(Surfaces, GapsOfSeparatedShapesAreTheDistancesOfFcl) {
  static const std::vector<TriangleMesh> meshes{channel(), ball(0.3, 2)};
  const TriangleMesh& mesh = meshes[static_cast<std::size_t>(GetParam())];
  const std::string text = shape_text(mesh);
  const auto geometry = fcl_mesh(mesh);
  const TriangleMesh small = channel();
  TriangleMesh other_mesh = ball(0.15, 2);
  // Each with a point of its own, and the mesh that it is.
  const std::vector<
      std::tuple<std::string, std::shared_ptr<fcl::CollisionGeometryd>, Vec3d, const TriangleMesh*>>
      others{
          {"{shape: sphere, radius: 0.1}", std::make_shared<fcl::Sphered>(0.1), {}, nullptr},
          {"{shape: box, size: [0.2, 0.3, 0.1]}", fcl_mesh(box_mesh({0.1, 0.15, 0.05})), {}, nullptr},
          {"{shape: capsule, radius: 0.05, length: 0.3}",
           std::make_shared<fcl::Capsuled>(0.05, 0.3),
           {},
           nullptr},
          {shape_text(other_mesh), fcl_mesh(other_mesh), {}, &other_mesh},
          {shape_text(small), fcl_mesh(small), small.vertices[0], &small},
      };
  Random random(42);
  for (const auto& [other, other_geometry, point, other_triangles] : others) {
    TwoShapes scene(text, other);
    int compared = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const Posed X_a{random.rotation(), {}}, X_b{random.rotation(), random.vector(0.8)};
      const double reference = fcl_distance(geometry, X_a, other_geometry, X_b);
      if (!(reference > 1e-3) || reference > 0.25) continue;
      const auto found = scene.near(X_a, X_b, 0.3);
      // One may be wholly inside the other: no surfaces cross and fcl sees a distance, but they overlap.
      if (is_within(mesh, X_a, X_b, point) ||
          (other_triangles != nullptr && is_within(*other_triangles, X_b, X_a, mesh.vertices[0]))) {
        ASSERT_FALSE(found.empty()) << other << " " << trial;
        EXPECT_LT(deepest(found).gap, 0.0) << other << " " << trial;
        continue;
      }
      ASSERT_FALSE(found.empty()) << other << " " << trial << " " << reference;
      ASSERT_NEAR(deepest(found).gap, reference, kFclTolerance) << other << " " << trial;
      ++compared;
    }
    EXPECT_GT(compared, 20) << other;
  }
}
INSTANTIATE_TEST_SUITE_P(All, Surfaces, testing::Values(0, 1));

TEST(Surface, ABallInAChannelTouchesFloorAndWall) {
  TwoShapes scene(shape_text(channel()), "{shape: sphere, radius: 0.1}");
  const auto found = scene.near({}, {Mat3d::identity(), {0.202, 0.1, 0.197}}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(std::min(found[0].gap, found[1].gap), -0.003, kRounding);
  EXPECT_NEAR(std::max(found[0].gap, found[1].gap), -0.002, kRounding);
  EXPECT_NEAR(dot(found[0].normal, found[1].normal), 0.0, kRounding);
}

TEST(Surface, ABallOnTwoRailsTouchesBoth) {
  // Between the tops of the walls, resting on the inner edges.
  TwoShapes scene(shape_text(channel()), "{shape: sphere, radius: 0.4}");
  const auto found =
      scene.near({}, {Mat3d::identity(), {0.0, 0.0, 0.4 + std::sqrt(0.16 - 0.09) + 1e-3}}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  for (const Proximity& p : found) {
    EXPECT_EQ(p.kind, FeaturePair::line_point);
    EXPECT_GT(p.gap, 0.0);
    EXPECT_LT(p.gap, 1e-3);
  }
}

TEST(Surface, ABoxInAChannelStandsOnFourCorners) {
  TwoShapes scene(shape_text(channel()), "{shape: box, size: [0.2, 0.3, 0.1]}");
  for (const double gap : {0.005, 0.0, -0.003}) {
    const auto found = scene.near({}, {Mat3d::identity(), {0.05, 0.1, 0.15 + gap}}, 0.01);
    ASSERT_EQ(found.size(), 4u) << gap;
    for (const Proximity& p : found) {
      EXPECT_NEAR(p.gap, gap, kRounding);
      EXPECT_NEAR(from_1_to_2(p).z, 1.0, kRounding);
    }
  }
}

TEST(Surface, ACylinderLiesAndStandsInAChannel) {
  TwoShapes scene(shape_text(channel()), "{shape: cylinder, radius: 0.1, length: 0.3}");
  const Mat3d along_y = tactus::math::rotation_x(0.0, 1.0);
  EXPECT_EQ(scene.near({}, {along_y, {0.05, 0.1, 0.2}}, 0.01).size(), 2u);
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0.05, 0.1, 0.25}}, 0.01).size(), 4u);
}

TEST(Surface, AChannelOnTheFloorStandsOnItsFourCorners) {
  TwoShapes scene("{shape: plane, size: [1, 1]}", shape_text(channel()));
  const auto found = scene.near({}, {Mat3d::identity(), {0.0, 0.0, 0.001}}, 0.01);
  ASSERT_EQ(found.size(), 4u);
  for (const Proximity& p : found) EXPECT_NEAR(p.gap, 0.001, kRounding);
}

TEST(Surface, ScaleAndPlacementAreThoseOfTheModel) {
  const std::string text = fmt::format(
      "{{shape: mesh, file: \"{}\", scale: [0.001, 0.001, -0.001], placement: {{xyz: [0, 0, 1]}}}}",
      file_of(box_mesh({200, 300, 400})));
  TwoShapes scene(text, "{shape: sphere, radius: 0.1}");
  const auto found = scene.near({}, {Mat3d::identity(), {0.0, 0.0, 1.502}}, 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 0.002, kRounding);
}

TEST(Surface, FilesThatAreMissingOrOpenAreRefused) {
  EXPECT_THROW(TwoShapes("{shape: mesh, file: no_such.stl}", "{shape: sphere, radius: 0.1}"),
               tactus::InputError);
  TriangleMesh open = channel();
  open.triangles.pop_back();
  EXPECT_THROW(TwoShapes(shape_text(open), "{shape: sphere, radius: 0.1}"), tactus::InputError);
}

TEST(Surface, NoAllocation) {
  TwoShapes scene(shape_text(channel()), shape_text(ball(0.15, 2)));
  Random random(43);
  std::size_t found = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Posed X_a{random.rotation(), {}}, X_b{random.rotation(), random.vector(0.4)};
    const long before = tactus::test::allocation_count();
    found += scene.near(X_a, X_b, 0.05).size();
    EXPECT_EQ(tactus::test::allocation_count(), before);
  }
  EXPECT_GT(found, 20u);
}

}  // namespace
