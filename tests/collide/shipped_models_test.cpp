// The models that come with Tactus start with their shapes apart, or just touching.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tactus/collide/scene.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include "support/paths.h"

namespace tactus::collide {
namespace {

/// Positions of shapes are sums of a few numbers below 10 m.
constexpr double kRounding = 1e-14;
constexpr double kMargin = 0.01;

/// X_WB of every body at the initial state, the ground first.
std::vector<double> initial_poses(const describe::Model& model) {
  const generate::Kernel kernel = generate::compile(derive::Equations(model).body_poses());
  std::vector<double> in{0.0}, out(kernel.output_size()), work(kernel.work_size());
  in.insert(in.end(), model.initial_q.begin(), model.initial_q.end());
  in.resize(kernel.input_size());
  kernel(in.data(), out.data(), work.data());
  std::vector<double> poses{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  poses.insert(poses.end(), out.begin(), out.end());
  return poses;
}

TEST(ShippedModels, StartWithoutPenetration) {
  int with_contact = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tactus::support::source_dir() + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const describe::Model model = describe::load(entry.path());
    if (model.contact.pairs.empty()) continue;
    ++with_contact;
    Scene scene(model);
    scene.update(initial_poses(model));
    for (const Proximity& near : scene.near(kMargin)) {
      EXPECT_GE(near.gap, -kRounding)
          << model.name << ": " << model.contact.pairs[static_cast<std::size_t>(near.pair)].name;
    }
    EXPECT_FALSE(scene.overflowed()) << model.name;
  }
  EXPECT_GE(with_contact, 10);
}

}  // namespace
}  // namespace tactus::collide
