// The haptic loop: what a tick takes, for mechanisms, rates and controllers.
#pragma once

namespace tactus::bench {

void measure_haptic(bool quick);

}  // namespace tactus::bench
