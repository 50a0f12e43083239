// What motors can give.
#pragma once

#include <cmath>

#include <tactus/device/device.h>

namespace tactus::device {

/// A wrench as the motors make it: nothing along axes without one, and the peak at most, force and torque each as a vector.
inline Vector6 saturated(const Specification& specification, Vector6 wrench) noexcept {
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t at = 3 * k;
    const double size = std::sqrt(wrench[at] * wrench[at] + wrench[at + 1] * wrench[at + 1] +
                                  wrench[at + 2] * wrench[at + 2]);
    const double most = specification.peak[k];
    for (std::size_t i = at; i < at + 3; ++i) {
      if (!has_axis(specification.actuated, i)) wrench[i] = 0.0;
      if (most > 0.0 && size > most) wrench[i] *= most / size;
    }
  }
  return wrench;
}

}  // namespace tactus::device
