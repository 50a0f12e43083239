// A disk that turns about z, for devices that only turn.
#pragma once

#include <string>

#include "program.h"

namespace tactus::apps::test {

/// A model's file in the folder.
inline std::string disk_in(const Folder& folder) {
  return folder.file("disk.yaml", R"(
name: disk
bodies: {disk: {mass: 1, inertia: [0.005, 0.005, 0.01]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.05}}
)");
}

}  // namespace tactus::apps::test
