// An impulse shown by a device that gives forces: as many ticks of the largest force as it takes, none of it lost. [ConstantinescuSalcudeanCroft2005] gives it within one step, which asks for motors
// without an end.
//
//   F = left/T where that is within what the motors have, otherwise as much as they have;     left -= F T
//
// With a clamp F_max an impulse p lasts p/F_max; without one it is over in one tick, with p/T: the shorter the period, the
// larger the force.
#pragma once

#include <array>
#include <cmath>

#include <tactus/device/device.h>

namespace tactus::control {

/// All that is remembered.
struct ImpulseMemory {
  device::Vector6 left{};  // [N m s; N s] still to be given
};

/// The wrench of this tick. `most` {N m, N}; 0: no limit.
inline device::Vector6 give_impulse(ImpulseMemory& memory, const std::array<double, 2>& most,
                                    double period) noexcept {
  device::Vector6 F{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t at = 3 * k;
    const double size = std::hypot(memory.left[at], memory.left[at + 1], memory.left[at + 2]) / period;
    const double share = most[k] > 0.0 && size > most[k] ? most[k] / size : 1.0;
    for (std::size_t i = at; i < at + 3; ++i) {
      F[i] = share * memory.left[i] / period;
      memory.left[i] = share < 1.0 ? memory.left[i] - F[i] * period : 0.0;
    }
  }
  return F;
}

}  // namespace tactus::control
