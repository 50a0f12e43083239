// The haptic loop: what a tick takes, for mechanisms, rates and controllers.
#pragma once

#include <string>

namespace tactus::bench {

/// `only`: the model with this name; all where it is empty. False where there is none.
bool measure_haptic(bool quick, const std::string& only);
/// The same for every model in models/, as `tactus haptic MODEL` holds it.
bool measure_haptic_models(bool quick, const std::string& only);

}  // namespace tactus::bench
