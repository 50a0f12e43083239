// Hands by name, for the verb haptic.
#pragma once

#include <string>
#include <vector>

#include <tactus/device/hand.h>

namespace tactus::apps {

/// The way of a hand: mainly `ahead`, `aside` besides; [m] long.
struct HandChoice {
  std::string name = "stroke";
  math::Vec3<double> ahead{}, aside{};
  double force = 2.0;     // [N] of `push` and of tremor
  double duration = 5.0;  // [s] of the run: `let-go` does so in its middle
  std::uint64_t seed = 1;
};

std::vector<std::string> hand_names();
/// Throws InputError where there is no such hand.
device::HandPointer hand_of(const HandChoice& choice);

}  // namespace tactus::apps
