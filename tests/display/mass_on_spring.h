// A mass on a spring with a damper, along x; free to turn and to move nowhere else.
#pragma once

#include <memory>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

namespace tactus::display {

constexpr double kMass = 3.0, kDamping = 4.0, kStiffness = 60.0;  // [kg], [N s/m], [N/m]

inline std::unique_ptr<simulate::Mechanism> mass_on_spring(double step) {
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
                       {.step = step});
}

}  // namespace tactus::display
