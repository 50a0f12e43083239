// Random mechanisms with constraints that hold by construction: a random tree is put into a random
// configuration, and each constraint gets its frames where they are there. They are written as model files,
// so that a mechanism that fails can be looked at.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/rotation.h>
#include <tactus/simulate/motion/coordinates.h>

namespace tactus::simulate::test {

class RandomMechanism {
 public:
  /// square: quarter turns and places on a grid, where axes meet and rows vanish or depend on each other.
  explicit RandomMechanism(unsigned seed, bool square = false) : random_(seed), square_(square) {
    planar_ = below(3) == 0;
    if (planar_ && below(2) == 0) base_ = placed_anywhere();
    make_tree();
    place();
    make_constraints();
  }

  /// The model as a file.
  std::string text() const {
    std::string q;
    for (const double x : q_) q += fmt::format("{}{:.17g}", q.empty() ? "" : ", ", x);
    return tree_ + "constraints:\n" + constraints_ + "initial:\n  q: [" + q + "]\n";
  }
  /// Whether ideal constraints that do not depend on the time hold it: then its energy stays.
  bool conservative() const { return conservative_; }

  double part() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }

 private:
  using Vec3 = math::Vec3<double>;
  using Mat3 = math::Mat3<double>;
  using Pose = math::Pose<double>;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double between(double a, double b) { return a + (b - a) * 0.5 * (1.0 + part()); }
  double angle(double most) { return square_ ? 0.5 * std::numbers::pi * below(4) : most * part(); }
  double length(double most) { return square_ ? 0.5 * most * (below(5) - 2) : most * part(); }
  Mat3 any_rotation() {
    if (square_) return about(0, angle(2.0)) * about(1, angle(2.0)) * about(2, angle(2.0));
    return math::rotation_of(math::exponential({2.0 * part(), 2.0 * part(), 2.0 * part()}));
  }
  Mat3 about(std::size_t axis, double angle) const {
    Mat3 R = math::rotation_of(math::exponential(angle * Vec3::unit(axis)));
    if (square_)
      for (auto& row : R.m)
        for (double& x : row) x = std::round(x);
    return R;
  }
  Pose placed_anywhere() { return {any_rotation(), {length(0.4), length(0.4), length(0.4)}}; }
  /// A place on a body: in the plane, for a planar mechanism.
  Pose place_on_body() {
    if (planar_) return {about(2, angle(3.0)), {length(0.4), length(0.4), 0.0}};
    return placed_anywhere();
  }

  static std::string write(const Vec3& v) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x, v.y, v.z);
  }
  static std::string write(const Pose& X) {
    return fmt::format("{{xyz: {}, rows: [{}, {}, {}]}}", write(X.p), write(X.R.row(0)), write(X.R.row(1)),
                       write(X.R.row(2)));
  }

  void make_tree() {
    const int links = 2 + std::min(below(7), below(7));  // up to 8, small ones more often
    std::string bodies, joints;
    for (int i = 0; i < links; ++i) {
      const double m = between(0.5, 2.0), a = between(0.1, 0.4), b = between(0.1, 0.4), c = between(0.1, 0.4);
      const Vec3 com{0.1 * part(), 0.1 * part(), planar_ ? 0.0 : 0.1 * part()};
      bodies += fmt::format("  b{}: {{mass: {:.17g}, com: {}, inertia: {}}}\n", i, m, write(com),
                            write(m / 12.0 * Vec3{b * b + c * c, a * a + c * c, a * a + b * b}));
      const int parent = i == 0 || below(4) == 0 ? below(i + 1) - 1 : i - 1;
      const int kind = below(20);
      std::string type = kind < 11 ? "revolute, axis: z" : kind < 15 ? "prismatic, axis: x" : "planar";
      if (!planar_ && kind >= 14)
        type = kind == 14   ? "cylindrical, axis: y"
               : kind == 15 ? "universal"
               : kind == 16 ? "helical, axis: z, pitch: 0.05"
               : kind < 18  ? "spherical"
                            : "free";
      coordinates_of(type, fmt::format("j{}", i));
      const Pose placement = parent < 0 ? base_ * place_on_body() : place_on_body();
      joints += fmt::format("  j{}: {{type: {}, parent: {}, child: b{}, placement: {}}}\n", i, type,
                            body(parent), i, write(placement));
    }
    const Vec3 gravity = below(4) == 0 ? Vec3::zero() : any_rotation() * Vec3{0.0, 0.0, -9.81};
    tree_ = fmt::format("name: random\ngravity: {}\nbodies:\n{}joints:\n{}", write(gravity), bodies, joints);
  }

  static std::string body(int index) { return index < 0 ? "world" : fmt::format("b{}", index); }

  void coordinates_of(const std::string& type, const std::string& joint) {
    if (type.starts_with("revolute")) angles_.push_back(joint);
    if (type.starts_with("prismatic")) lengths_.push_back(joint);
    if (type == "universal") angles_.insert(angles_.end(), {joint + ".angle1", joint + ".angle2"});
    if (type == "planar") lengths_.insert(lengths_.end(), {joint + ".x", joint + ".y"});
  }

  /// A configuration, and where the bodies are in it.
  void place() {
    const describe::Model model = describe::load_text(tree_, "random.yaml");
    const Coordinates coordinates(model);
    q_ = coordinates.rest();
    std::vector<double> theta(static_cast<std::size_t>(coordinates.nv()));
    for (double& x : theta) x = angle(1.5);
    coordinates.displace(q_.data(), theta.data(), q_.data());
    names_ = model.coordinate_names();
    freedoms_ = model.nv();
    generate::Evaluator poses(
        generate::compile(derive::Equations(model).body_poses(), generate::Backend::interpreter));
    std::copy(q_.begin(), q_.end(), poses.input("q").begin());
    poses.run();
    for (std::size_t i = 0; i + 1 < model.bodies.size(); ++i) {
      const auto X = poses.output("X_" + model.bodies[i + 1].name);
      Pose pose;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) pose.R(r, c) = X[4 * r + c];
        pose.p[r] = X[4 * r + 3];
      }
      X_W_.push_back(pose);
    }
  }

  double value_of(const std::string& coordinate) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == coordinate) return q_[i];
    return 0.0;
  }

  void make_constraints() {
    // Mostly fewer rows than freedoms; now and then so many that nothing can move.
    int rows = freedoms_ - 1;
    if (below(8) == 0) rows += 4;
    for (int attempt = 0; attempt < 6 && (attempt == 0 || rows > 0); ++attempt) {
      const int before = rows;
      const std::string constraint = planar_ ? planar_constraint(rows) : spatial_constraint(rows);
      if (rows < 0 && attempt > 0) {
        rows = before;
        continue;
      }
      add(constraint);
      if (below(6) == 0) add(constraint);  // once more: redundant
      if (below(3) == 0) break;
    }
  }

  void add(const std::string& constraint) {
    constraints_ += fmt::format("  c{}: {{{}}}\n", constraint_count_++, constraint);
  }

  /// "type: ..., a: ..., b: ..." with a where it has to be while b is at W_b.
  std::string between_frames(const std::string& type, int body_a, const Pose& W_a, int body_b,
                             const Pose& X_b, const std::string& more = {}) {
    const Pose X_a = body_a < 0 ? W_a : inverse(X_W_[static_cast<std::size_t>(body_a)]) * W_a;
    return fmt::format("type: {}, a: {{body: {}, placement: {}}}, b: {{body: {}, placement: {}}}{}", type,
                       body(body_a), write(X_a), body(body_b), write(X_b), more);
  }

  /// Two bodies of which the second is not the ground.
  void choose_bodies(int& a, int& b) {
    const int n = static_cast<int>(X_W_.size());
    b = below(n);
    a = below(2) == 0 ? -1 : below(n + 1) - 1;
    if (a == b) a = -1;
  }

  std::string between_coordinates(int& rows) {
    rows -= 1;
    std::vector<std::string> all = angles_;
    all.insert(all.end(), lengths_.begin(), lengths_.end());
    if (all.empty()) {
      rows += 1;
      return spatial_constraint(rows);
    }
    const std::string one = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    const std::string other = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    const double q1 = value_of(one), q2 = value_of(other);
    switch (below(one == other ? 2 : 5)) {
      case 0:
        return fmt::format("type: lock, joint: {}, at: {:.17g}", one, q1);
      case 1:
        conservative_ = false;
        return fmt::format("type: motion, joint: {}, equals: {:.17g} + 0.2*sin(3*t)", one, q1);
      case 2:
        return fmt::format("type: rates, equations: [{}_dot - (0.5 + {})*{}_dot]", one, other, other);
      case 3: {
        const double ratio = between(0.5, 2.0);
        return fmt::format("type: equation, equations: [{} - {:.17g}*{} - {:.17g}]", one, ratio, other,
                           q1 - ratio * q2);
      }
      default:
        return fmt::format("type: equation, equations: [sin({}) + 0.5*{}^2 - {:.17g}]", one, other,
                           std::sin(q1) + 0.5 * q2 * q2);
    }
  }

  std::string spatial_constraint(int& rows) {
    int a = 0, b = 0;
    choose_bodies(a, b);
    const Pose X_b = placed_anywhere(), W_b = X_W_[static_cast<std::size_t>(b)] * X_b;
    const Mat3 turned = W_b.R * about(2, angle(2.0)), any = any_rotation();
    const double r = between(0.2, 0.6);
    const auto make = [&](const char* type, int count, const Mat3& R, const Vec3& shift_in_a,
                          const std::string& more = {}) {
      rows -= count;
      return between_frames(type, a, {R, W_b.p - R * shift_in_a}, b, X_b, more);
    };
    const std::string radius = fmt::format(", radius: {:.17g}", r);
    const double s = length(0.3), t = length(0.3);
    switch (below(20)) {
      case 0:
        return make("weld", 6, W_b.R, Vec3::zero());
      case 1:
        return make("revolute", 5, turned, Vec3::zero());
      case 2:
        return make("prismatic", 5, W_b.R, {0.0, 0.0, s});
      case 3:
        return make("cylindrical", 4, turned, {0.0, 0.0, s});
      case 4:
        return make("universal", 4, turned * about(0, 0.5 * std::numbers::pi), Vec3::zero());
      case 5:
        return make("spherical", 3, any, Vec3::zero());
      case 6:
        return make("planar", 3, turned, {s, t, 0.0});
      case 7:
        return make("parallel", 2, turned, {s, t, s});
      case 8:
        return make("on_line", 2, any, {0.0, 0.0, s});
      case 9:
        return make("on_plane", 1, any, {s, t, 0.0});
      case 10:
        return make("on_circle", 2, any, {r * std::cos(s), r * std::sin(s), 0.0}, radius);
      case 11:
        return make("on_sphere", 1, any, r * any.col(0), radius);
      case 12:
        return make("distance", 1, any, r * any.col(1), fmt::format(", length: {:.17g}", r));
      case 13:
        return make("on_surface", 1, any, {s, t, r},
                    fmt::format(", equations: [x^2 + 2*y^2 + 0.5*x*z + z^2 - {:.17g}]",
                                s * s + 2.0 * t * t + 0.5 * s * r + r * r));
      case 14:
        return make("rolling, kind: sphere_on_plane", 3, any, {s, t, r}, radius);
      case 15:
      case 16: {
        const double lean = dot(any.col(2), W_b.R.col(2));
        if (std::abs(lean) > 0.9) return make("spherical", 3, any, Vec3::zero());
        return make("rolling, kind: disk_on_plane", 3, any, {s, t, r * std::sqrt(1.0 - lean * lean)}, radius);
      }
      case 17:
        return make("rolling, kind: knife_edge", 1, any, {s, t, r});
      default:
        return between_coordinates(rows);
    }
  }

  std::string planar_constraint(int& rows) {
    int a = 0, b = 0;
    choose_bodies(a, b);
    const Pose X_b = place_on_body(), W_b = X_W_[static_cast<std::size_t>(b)] * X_b;
    const Mat3 turned = W_b.R * about(2, angle(2.0));
    // z in the plane.
    const Mat3 lying = turned * about(0, 0.5 * std::numbers::pi);
    const double r = between(0.2, 0.6), s = length(0.3);
    const auto make = [&](const char* type, int count, const Mat3& R, const Vec3& shift_in_a,
                          const std::string& more = {}) {
      rows -= count;
      return between_frames(type, a, {R, W_b.p - R * shift_in_a}, b, X_b, more);
    };
    const std::string radius = fmt::format(", radius: {:.17g}", r);
    switch (below(12)) {
      case 0:
      case 1:
        return make("revolute", 2, turned, Vec3::zero());
      case 2:
        return make("spherical", 2, turned, Vec3::zero());
      case 3:
        return make("cylindrical", 2, turned, Vec3::zero());
      case 4:
        return make("weld", 3, W_b.R, Vec3::zero());
      case 5:
        return make("on_line", 1, lying, {0.0, 0.0, s});
      case 6:
        return make("distance", 1, turned, {r, 0.0, 0.0}, fmt::format(", length: {:.17g}", r));
      case 7:
        return make("rolling, kind: disk_on_plane", 2, lying, {s, 0.0, r}, radius);
      case 8:
        return make("rolling, kind: sphere_on_plane", 2, lying, {s, 0.0, r}, radius);
      case 9:
        return make("rolling, kind: disk_on_disk", 2, turned, {r + 0.15, 0.0, 0.0},
                    radius + ", radius_a: 0.15");
      case 10:
        return make("rolling, kind: knife_edge", 1, turned, {s, r, 0.0});
      default:
        return between_coordinates(rows);
    }
  }

  std::mt19937 random_;
  bool square_ = false;
  bool planar_ = false;
  bool conservative_ = true;
  Pose base_;
  std::string tree_, constraints_;
  int constraint_count_ = 0, freedoms_ = 0;
  std::vector<std::string> angles_, lengths_, names_;
  std::vector<double> q_;
  std::vector<Pose> X_W_;  // of the bodies
};

}  // namespace tactus::simulate::test
