// Random scenes of contact, each by its number alone: all shapes, corners, friction 0 to 2, restitution 0 to 1, jointed,
// looped, piles of up to 20 bodies, cylinders that fall flat.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <fmt/format.h>

namespace tactus::contact {

struct RandomScene {
  const char* family = "";
  std::string text;       // a model
  double duration = 0.3;  // [s]
};

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t number) : number_(number), state_(0x5851f42d4c957f2dull * (number + 1)) {}

  RandomScene make() {
    switch (number_ % 8) {
      case 0:
        return drop();
      case 1:
        return corner();
      case 2:
        return flat_cylinder();
      case 3:
        return chain();
      case 4:
        return loop();
      case 5:
        return pile();
      case 6:
        return planar();
      default:
        return collision();
    }
  }

 private:
  /// splitmix64: the same numbers on every machine.
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
  }
  int count(int low, int high) {
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }

  struct Solid {
    std::string body;  // mass, inertia, geometry
    double reach = 0.0;
  };
  Solid solid(int kind, double size) {
    const double mass = between(0.3, 3.0);
    const double a = size * between(0.7, 1.3), b = size * between(0.7, 1.3), c = size * between(0.7, 1.3);
    const auto text = [&](double ixx, double iyy, double izz, const std::string& shape) {
      return fmt::format("{{mass: {}, inertia: [{}, {}, {}], geometry: [{{{}, contact: true}}]}}", mass,
                         mass * ixx, mass * iyy, mass * izz, shape);
    };
    if (kind == 0) {
      const double i = 0.4 * a * a / 4.0;
      return {text(i, i, i, fmt::format("shape: sphere, radius: {}", a / 2)), a / 2};
    }
    if (kind == 1)
      return {text((b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12,
                   fmt::format("shape: box, size: [{}, {}, {}]", a, b, c)),
              0.5 * std::sqrt(a * a + b * b + c * c)};
    const double r = a / 2, side = (3 * r * r + b * b) / 12;
    if (kind == 2)
      return {text(side + r * r / 3, side + r * r / 3, r * r / 2,
                   fmt::format("shape: capsule, radius: {}, length: {}", r, b)),
              r + b / 2};
    return {text(side, side, r * r / 2, fmt::format("shape: cylinder, radius: {}, length: {}", r, b)),
            std::hypot(r, b / 2)};
  }
  std::string law() {
    // The ends of the ranges as well as what lies between.
    const double mu = count(0, 4) == 0 ? 0.0 : between(0.0, 2.0);
    const int kind = count(0, 3);
    const double e = kind == 0 ? 0.0 : kind == 1 ? 1.0 * between(0.8, 1.0) : between(0.0, 0.8);
    return fmt::format("contact: {{defaults: {{restitution: {}, friction: {}, restitution_law: {}}}}}\n", e,
                       mu, count(0, 1) == 0 ? "newton" : "poisson");
  }
  std::string turned(const std::string& joint) {
    std::array<double, 4> q{};
    double size = 0.0;
    for (double& x : q) {
      x = between(-1.0, 1.0);
      size += x * x;
    }
    size = std::sqrt(size);
    return fmt::format("{0}.qw: {1}, {0}.qx: {2}, {0}.qy: {3}, {0}.qz: {4}", joint, q[0] / size, q[1] / size,
                       q[2] / size, q[3] / size);
  }
  std::string moving(const std::string& joint, double turn, double speed) {
    return fmt::format("{0}.wx: {1}, {0}.wy: {2}, {0}.wz: {3}, {0}.vx: {4}, {0}.vy: {5}, {0}.vz: {6}", joint,
                       between(-turn, turn), between(-turn, turn), between(-turn, turn),
                       between(-speed, speed), between(-speed, speed), between(-speed, speed));
  }
  static std::string floor() { return "{shape: plane, size: [4, 4], contact: true, name: floor}"; }

  RandomScene drop() {
    const Solid one = solid(count(0, 3), 0.1);
    return {"drop",
            fmt::format("name: drop\nbodies:\n  world: {{geometry: [{}]}}\n  b: {}\n"
                        "joints: {{j: {{type: free, parent: world, child: b}}}}\n{}initial:\n"
                        "  q: {{j.z: {}, {}}}\n  u: {{{}}}\n",
                        floor(), one.body, law(), one.reach + between(0.001, 0.1), turned("j"),
                        moving("j", 10.0, 1.0)),
            0.5};
  }
  RandomScene corner() {
    std::string bodies, joints, q, u;
    for (int i = 0; i < 2; ++i) {
      const Solid one = solid(count(0, 3), 0.14);
      const std::string j = fmt::format("j{}", i);
      bodies += fmt::format("  b{}: {}\n", i, one.body);
      joints += fmt::format("  {}: {{type: free, parent: world, child: b{}}}\n", j, i);
      q += fmt::format("{}{}.x: {}, {}.y: {}, {}.z: {}, {}", i == 0 ? "" : ", ", j, 0.35 * (2 * i - 1), j,
                       one.reach + between(0.001, 0.1), j, one.reach + between(0.001, 0.1), turned(j));
      u += (i == 0 ? "" : ", ") + moving(j, 6.0, 0.5);
    }
    return {"corner",
            fmt::format("name: corner\nbodies:\n  world: {{geometry: [{}, {{shape: box, size: [4, 0.2, 2], "
                        "placement: {{xyz: "
                        "[0, -0.1, 0.9]}}, contact: true, name: wall}}]}}\n{}joints:\n{}gravity: [0, {}, "
                        "-9]\n{}initial:\n"
                        "  q: {{{}}}\n  u: {{{}}}\n",
                        floor(), bodies, joints, -between(0.0, 6.0), law(), q, u),
            0.4};
  }
  RandomScene flat_cylinder() {
    const double r = between(0.03, 0.08), l = between(0.03, 0.12), mass = between(0.5, 2.0);
    const double side = mass * (3 * r * r + l * l) / 12;
    const std::string body = fmt::format(
        "{{mass: {}, inertia: [{}, {}, {}], geometry: [{{shape: cylinder, radius: {}, length: {}, contact: "
        "true}}]}}",
        mass, side, side, mass * r * r / 2, r, l);
    const double angle = between(0.02, 0.6), height = std::hypot(r, l / 2) + between(0.0, 0.1);
    if (count(0, 1) == 0)
      return {"flat cylinder",
              fmt::format("name: flat\nbodies:\n  world: {{geometry: [{}]}}\n  b: {}\njoints: {{j: {{type: "
                          "planar, parent: "
                          "world, child: b, axes: [x, z]}}}}\n{}initial: {{q: {{j.y: {}, j.angle: {}}}, u: "
                          "{{j.x: {}}}}}\n",
                          floor(), body, law(), height, angle, between(-0.5, 0.5)),
              0.6};
    return {"flat cylinder",
            fmt::format("name: flat\nbodies:\n  world: {{geometry: [{}]}}\n  b: {}\njoints: {{j: {{type: "
                        "free, parent: world, "
                        "child: b}}}}\n{}initial: {{q: {{j.z: {}, j.qw: {}, j.qx: {}}}, u: {{{}}}}}\n",
                        floor(), body, law(), height, std::cos(angle / 2), std::sin(angle / 2),
                        moving("j", 0.5, 0.3)),
            0.6};
  }
  RandomScene chain() {
    const int links = count(1, 4);
    std::string bodies, joints, q;
    for (int i = 0; i < links; ++i) {
      const double l = between(0.1, 0.25), mass = between(0.3, 2.0), r = 0.02;
      bodies += fmt::format(
          "  b{}: {{mass: {}, com: [0, 0, {}], inertia: [{}, {}, {}], geometry: [{{shape: capsule, radius: "
          "{}, length: {}, placement: {{xyz: [0, 0, {}]}}, contact: true}}]}}\n",
          i, mass, -l / 2, mass * l * l / 12, mass * l * l / 12, mass * r * r, r, l, -l / 2);
      joints += fmt::format(
          "  q{}: {{type: revolute, parent: {}, child: b{}, axis: {}, placement: {{xyz: [0, 0, {}]}}{}}}\n",
          i, i == 0 ? "world" : fmt::format("b{}", i - 1), i, count(0, 3) == 0 ? "x" : "y",
          i == 0 ? 0.175 * links + 0.03 : -0.25, ", limits: [-2.5, 2.5]");
      q +=
          fmt::format("{}q{}: {}", i == 0 ? "" : ", ", i, i == 0 ? between(1.4, 1.75) : between(-0.15, 0.15));
    }
    return {"jointed",
            fmt::format("name: chain\nbodies:\n  world: {{geometry: [{}]}}\n{}joints:\n{}contact: "
                        "{{defaults: {{restitution: "
                        "{}, friction: {}}}, stops: {{restitution: {}}}}}\ninitial: {{q: {{{}}}}}\n",
                        floor(), bodies, joints, between(0.0, 1.0), between(0.0, 2.0), between(0.0, 0.8), q),
            0.6};
  }
  RandomScene loop() {
    const double w = between(0.2, 0.3), h = between(0.1, 0.2), lean = between(-0.5, 0.5);
    const auto rod = [&](double l) {
      const double mass = between(0.3, 1.0);
      return fmt::format(
          "{{mass: {}, com: [{}, 0, 0], inertia: [{}, {}, {}], geometry: [{{shape: capsule, radius: 0.01, "
          "length: "
          "{}, placement: {{xyz: [{}, 0, 0], rpy: [0, 90 deg, 0]}}, contact: true}}]}}",
          mass, l / 2, 1e-4 * mass, mass * l * l / 12, mass * l * l / 12, l, l / 2);
    };
    // A parallelogram that falls: base, left and right side, top; cut between right side and top.
    return {
        "looped",
        fmt::format(
            "name: loop\nbodies:\n  world: {{geometry: [{}]}}\n  base: {}\n  left: {}\n  right: {}\n  top: "
            "{}\n"
            "joints:\n  p: {{type: planar, parent: world, child: base, axes: [x, z]}}\n"
            "  l: {{type: revolute, parent: base, child: left, axis: -y}}\n"
            "  r: {{type: revolute, parent: base, child: right, axis: -y, placement: {{xyz: [{}, 0, 0]}}}}\n"
            "  top: {{type: revolute, parent: left, child: top, axis: -y, placement: {{xyz: [{}, 0, 0]}}}}\n"
            "constraints:\n  close: {{type: revolute, a: {{body: right, at: [{}, 0, 0], axis: -y}}, b: "
            "{{body: top, at: "
            "[{}, 0, 0], axis: -y}}}}\n{}initial:\n  q: {{p.y: {}, p.angle: {}, l: {}, r: {}, top: {}}}\n  "
            "u: {{p.x: {}}}\n",
            floor(), rod(w), rod(h), rod(h), rod(w), w, h, h, w, law(), between(0.15, 0.3),
            between(-0.3, 0.3), std::numbers::pi / 2 + lean, std::numbers::pi / 2 + lean,
            -std::numbers::pi / 2 - lean, between(-0.5, 0.5)),
        0.4};
  }
  RandomScene pile() {
    const int most = count(0, 3) == 0 ? 20 : 6;
    const int bodies_count = count(2, most);
    std::string bodies, joints, q;
    for (int i = 0; i < bodies_count; ++i) {
      const Solid one = solid(count(0, 3), 0.1);
      bodies += fmt::format("  b{}: {}\n", i, one.body);
      joints += fmt::format("  j{}: {{type: free, parent: world, child: b{}}}\n", i, i);
      q += fmt::format("{}j{}.x: {}, j{}.y: {}, j{}.z: {}", i == 0 ? "" : ", ", i, between(-0.03, 0.03), i,
                       between(-0.03, 0.03), i, 0.14 + 0.27 * i);
      if (count(0, 1) == 0) q += ", " + turned(fmt::format("j{}", i));
    }
    return {"pile",
            fmt::format(
                "name: pile\nbodies:\n  world: {{geometry: [{}]}}\n{}joints:\n{}{}initial: {{q: {{{}}}}}\n",
                floor(), bodies, joints, law(), q),
            0.4};
  }
  RandomScene planar() {
    std::string bodies, joints, q, u;
    const int bodies_count = count(1, 3);
    for (int i = 0; i < bodies_count; ++i) {
      const double a = between(0.1, 0.3), b = between(0.1, 0.3), mass = between(0.5, 2.0);
      const bool disk = count(0, 2) == 0;
      bodies +=
          disk
              ? fmt::format(
                    "  b{}: {{mass: {}, inertia: [{}, {}, {}], geometry: [{{shape: cylinder, radius: {}, "
                    "length: "
                    "0.1, placement: {{rpy: [90 deg, 0, 0]}}, contact: true}}]}}\n",
                    i, mass, mass * a * a / 16, mass * a * a / 8, mass * a * a / 16, a / 2)
              : fmt::format(
                    "  b{}: {{mass: {}, inertia: [{}, {}, {}], geometry: [{{shape: box, size: [{}, 0.1, {}], "
                    "contact: true}}]}}\n",
                    i, mass, mass * (b * b + 0.01) / 12, mass * (a * a + b * b) / 12,
                    mass * (a * a + 0.01) / 12, a, b);
      joints += fmt::format("  j{}: {{type: planar, parent: world, child: b{}, axes: [x, z]}}\n", i, i);
      q += fmt::format("{}j{}.x: {}, j{}.y: {}, j{}.angle: {}", i == 0 ? "" : ", ", i, between(-0.05, 0.05),
                       i, 0.22 + 0.45 * i, i, between(-1.5, 1.5));
      u += fmt::format("{}j{}.x: {}, j{}.angle: {}", i == 0 ? "" : ", ", i, between(-1.0, 1.0), i,
                       between(-5.0, 5.0));
    }
    return {"planar",
            fmt::format("name: planar\nbodies:\n  world: {{geometry: [{}]}}\n{}joints:\n{}{}initial: {{q: "
                        "{{{}}}, u: {{{}}}}}\n",
                        floor(), bodies, joints, law(), q, u),
            0.6};
  }
  RandomScene collision() {
    std::string bodies, joints, q, u;
    for (int i = 0; i < 2; ++i) {
      const Solid one = solid(count(0, 3), 0.12);
      bodies += fmt::format("  b{}: {}\n", i, one.body);
      joints += fmt::format("  j{}: {{type: free, parent: world, child: b{}}}\n", i, i);
      q += fmt::format("{}j{}.x: {}, j{}.y: {}, j{}.z: {}, {}", i == 0 ? "" : ", ", i, 0.17 * (2 * i - 1), i,
                       between(-0.03, 0.03), i, between(0.16, 0.2), turned(fmt::format("j{}", i)));
      u += fmt::format("{}j{}.wx: {}, j{}.wy: {}", i == 0 ? "" : ", ", i, between(-8.0, 8.0), i,
                       between(-8.0, 8.0));
    }
    // Speeds of free bodies are in their own axes: they are driven together by gravity that leans, one against the other's rest.
    return {"collision",
            fmt::format("name: collision\nbodies:\n  world: {{geometry: [{}, {{shape: plane, size: [2, 2], "
                        "placement: {{xyz: [0.35, "
                        "0, 0], axis_angle: {{axis: y, angle: -90 deg}}}}, contact: true, name: "
                        "wall}}]}}\n{}joints:\n{}gravity: [{}, 0, "
                        "-6]\n{}initial: {{q: {{{}}}, u: {{{}}}}}\n",
                        floor(), bodies, joints, between(4.0, 12.0), law(), q, u),
            0.4};
  }

  std::uint64_t number_, state_;
};

inline RandomScene random_scene(std::uint64_t number) { return SceneMaker(number).make(); }

}  // namespace tactus::contact
