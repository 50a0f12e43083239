// The haptic loop: what a tick takes, for mechanisms, rates and controllers.
#pragma once

#include <string>

#include "haptic_ticks.h"

namespace tactus::bench {

/// `only`: the model with this name; all where it is empty.
Outcome measure_haptic(bool quick, const std::string& only);
/// The same for every model in models/, as `tactus haptic MODEL` holds it.
Outcome measure_haptic_models(bool quick, const std::string& only);
/// The loops of measure_haptic() by the clock, for so many seconds each.
Outcome measure_haptic_by_the_clock(double seconds, const std::string& only);

}  // namespace tactus::bench
