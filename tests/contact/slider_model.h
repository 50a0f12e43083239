// A mass of 2 kg on a line, with a lock that holds it at 0.1 m and one that stops it anywhere: for the tests of transitions.
#pragma once

#include <string>

#include <tactus/describe/read/load.h>

namespace tactus::contact {

inline describe::Model slider(const std::string& more) {
  return describe::load_text(R"(
name: slider
gravity: [0, 0, 0]
bodies: {slider: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: slider, axis: x, limits: [~, 0.3]}}
constraints:
  held: {type: lock, joint: x, at: 0.1, active: false}
  other: {type: rates, equations: [x_dot], active: false}
)" + more,
                             "slider");
}

}  // namespace tactus::contact
