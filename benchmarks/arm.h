// The force-reflecting arm: inverse kinematics of one pose, and one whole tick [Clover1996, IV Table I].
#pragma once

namespace tactus::bench {

void measure_arm(bool quick);

}  // namespace tactus::bench
