// A mass on a spring with a damper, along x; free to turn and to move nowhere else. And a disk that turns about z instead.
#pragma once

#include <memory>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

namespace tactus::display {

constexpr double kMass = 3.0, kDamping = 4.0, kStiffness = 60.0;  // [kg], [N s/m], [N/m]

inline std::unique_ptr<simulate::Mechanism> mass_on_spring(
    double step, simulate::Integrator integrator = simulate::Integrator::rk4) {
  return contact::open(describe::load_text(R"(
name: mass_on_spring
gravity: [0, 0, 0]
bodies:
  world:  # a wall for proxies, which nothing else meets
    geometry: [{shape: plane, size: [1, 1], contact: true, placement: {xyz: [0.1 mm, 0, 0], axis_angle: {axis: y, angle: -90 deg}}}]
  block: {mass: 3}
joints: {x: {type: prismatic, parent: world, child: block, axis: x, damping: 4, stiffness: 60}}
)",
                                           "mass_on_spring.yaml"),
                       {.step = step, .integrator = integrator});
}

constexpr double kDisk = 0.18;  // [kg m^2]

inline std::unique_ptr<simulate::Mechanism> disk_on_spring(
    double step, simulate::Integrator integrator = simulate::Integrator::rk4) {
  return contact::open(describe::load_text(R"(
name: disk_on_spring
gravity: [0, 0, 0]
bodies: {disk: {mass: 3, inertia: [0.09, 0.09, 0.18]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.2, stiffness: 4}}
)",
                                           "disk_on_spring.yaml"),
                       {.step = step, .integrator = integrator});
}

/// The same with something on a spring in it, which a hand at the port does not see.
inline std::unique_ptr<simulate::Mechanism> with_inner_load(double step, bool turns) {
  return contact::open(describe::load_text(turns ? R"(
name: disk_with_load
gravity: [0, 0, 0]
bodies: {disk: {mass: 3, inertia: [0.09, 0.09, 0.18]}, load: {mass: 1, inertia: [0.03, 0.03, 0.06]}}
joints:
  turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.2, stiffness: 4}
  inside: {type: revolute, parent: disk, child: load, axis: z, stiffness: 6}
)"
                                                 : R"(
name: mass_with_load
gravity: [0, 0, 0]
bodies: {block: {mass: 3}, load: {mass: 1}}
joints:
  x: {type: prismatic, parent: world, child: block, axis: x, damping: 4, stiffness: 60}
  inside: {type: prismatic, parent: block, child: load, axis: x, stiffness: 100}
)",
                                           "with_load.yaml"),
                       {.step = step});
}

}  // namespace tactus::display
