// Scenes of a few shapes, and random placements.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/collide/measure.h>
#include <tactus/collide/scene.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/rotation.h>

namespace tactus::collide::test {

/// One shape per body, each on a free body: "{shape: sphere, radius: 0.1}".
inline describe::Model model_of(const std::vector<std::string>& geometries) {
  std::string text = "name: shapes\nbodies:\n";
  for (std::size_t i = 0; i < geometries.size(); ++i) {
    text += fmt::format("  b{}: {{mass: 1, inertia: [1, 1, 1], geometry: [{}]}}\n", i, geometries[i]);
  }
  text += "joints:\n";
  for (std::size_t i = 0; i < geometries.size(); ++i)
    text += fmt::format("  j{}: {{type: free, parent: world, child: b{}}}\n", i, i);
  return describe::load_text(text, "shapes.yaml");
}

/// Lets two bodies touch with all their shapes.
inline void let_touch(describe::Model& model, int a, int b) {
  for (const int body : {a, b}) {
    for (describe::Geometry& geometry : model.bodies[static_cast<std::size_t>(body)].geometry)
      geometry.contact = true;
  }
  describe::ContactPair pair;
  pair.name = fmt::format("{}_{}", a, b);
  pair.body_a = a;
  pair.body_b = b;
  model.contact.pairs.push_back(pair);
}

inline void write_pose(const Posed& X, double* to) {
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) to[4 * row + column] = X.R(row, column);
    to[4 * row + 3] = X.p[row];
  }
}

/// Two bodies, 1 and 2, with one shape each.
struct TwoShapes {
  describe::Model model;
  Scene scene;
  std::vector<double> poses;

  TwoShapes(const std::string& a, const std::string& b, bool hollow_a = false)
      : model(made(a, b, hollow_a)), scene(model), poses(36) {
    for (int body = 0; body < 3; ++body) write_pose({}, poses.data() + 12 * body);
  }
  std::span<const Proximity> near(const Posed& X_a, const Posed& X_b, double margin) {
    write_pose(X_a, poses.data() + 12);
    write_pose(X_b, poses.data() + 24);
    scene.update(poses);
    return scene.near(margin);
  }

 private:
  static describe::Model made(const std::string& a, const std::string& b, bool hollow_a) {
    describe::Model model = model_of({a, b});
    model.bodies[1].geometry[0].hollow = hollow_a;
    let_touch(model, 1, 2);
    return model;
  }
};

/// The one with the smallest gap; the span must not be empty.
inline const Proximity& deepest(std::span<const Proximity> found) {
  return *std::min_element(found.begin(), found.end(),
                           [](const Proximity& p, const Proximity& q) { return p.gap < q.gap; });
}

/// The normal from body 1 to body 2, however the pair was exchanged.
inline Vec3d from_1_to_2(const Proximity& p) { return p.body_a == 1 ? p.normal : -p.normal; }

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3d vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3d direction() {
    std::normal_distribution<double> normal;
    return direction_of({normal(engine_), normal(engine_), normal(engine_)}, Vec3d::unit(0));
  }
  Mat3d rotation() {
    std::normal_distribution<double> normal;
    return math::rotation_of(math::normalized(
        math::Quaternion<double>{normal(engine_), normal(engine_), normal(engine_), normal(engine_)}));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace tactus::collide::test
