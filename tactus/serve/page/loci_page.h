// The `loci` message of docs/protocol.md: what a law makes of the arm at a point of its motion, in numbers. Made in a workshop, never in
// the loop.
#pragma once

#include <memory>
#include <vector>

#include <tactus/control/arm/loop_analysis.h>
#include <tactus/describe/model/model.h>
#include <tactus/serve/live/leader.h>
#include <tactus/serve/page/scene.h>

namespace tactus::serve {

/// What is asked for.
struct LociWish {
  control::ArmLaw law = control::ArmLaw::pole_placement;
  double re = -12.0, im = 45.0;  // [1/s]
  double period = 1e-3;          // [s] of the loop
  bool sampled = true, now = false;
  control::MotionPoint point;
  std::vector<double> values,
      learned;  // of the adjustable parameters: as they are, and as the law knows them
};

/// Linear models that were derived, the newest two: of the arm as it is and as the law knows it. One thread at a time.
class LociDesk {
 public:
  control::LinearArm& arm(const describe::Model& model, std::span<const std::string> names,
                          const std::vector<double>& values);

 private:
  struct Entry {
    std::vector<double> values;
    std::unique_ptr<control::LinearArm> arm;
  };
  std::vector<Entry> entries_;
};

/// A model with other values of its parameters.
describe::Model with_values(describe::Model model, std::span<const std::string> names,
                            const std::vector<double>& values);

/// Throws InputError.
Json loci_page(LociDesk& desk, const describe::Model& model, std::span<const std::string> names,
               const LociWish& wish);

}  // namespace tactus::serve
