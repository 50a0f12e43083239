// A tree of any size, for tests and benchmarks of growth: a free base on whose bodies two others each hang by spherical joints.
#pragma once

#include <string>

#include <fmt/format.h>

namespace tactus::support {

/// `count` bodies in all.
inline std::string tree_text(int count) {
  std::string bodies = "bodies:\n", joints = "joints:\n  j1: {type: free, parent: world, child: b1}\n";
  for (int i = 1; i <= count; ++i) {
    bodies += fmt::format("  b{}: {{mass: 1, com: [0.01, 0.02, -0.1], inertia: [0.02, 0.03, 0.04]}}\n", i);
    if (i > 1)
      joints += fmt::format(
          "  j{0}: {{type: spherical, parent: b{1}, child: b{0}, placement: {{xyz: [{2}, 0.1, -0.2]}}}}\n", i,
          i / 2, i % 2 == 0 ? 0.1 : -0.1);
  }
  return "name: tree\n" + bodies + joints;
}

}  // namespace tactus::support
