// Axes of devices in the world.
//
// The world as the one who holds the handle sees it: x to the right, y away from the body, z up. A device's own axes are the
// same up to their order and signs, a proper rotation A:
//
//   p_W = A p_D,     w_W = A w_D,     F_W = A F_D,     R_WH = A R_DH A^T
//
// The handle's own axes are turned with them, so that a handle which its maker calls unturned is unturned in the world.
#pragma once

#include <array>

#include <tactus/math/vec3.h>

namespace tactus::device {

struct AxisMap {
  std::array<std::size_t, 3> from;  // the device's axis that lies along the world's i-th
  std::array<double, 3> sign;       // and its sense

  math::Vec3<double> to_world(const math::Vec3<double>& v) const noexcept {
    return {sign[0] * v[from[0]], sign[1] * v[from[1]], sign[2] * v[from[2]]};
  }
  math::Vec3<double> to_device(const math::Vec3<double>& v) const noexcept {
    math::Vec3<double> result;
    for (std::size_t i = 0; i < 3; ++i) result[from[i]] = sign[i] * v[i];
    return result;
  }
  math::Mat3<double> to_world(const math::Mat3<double>& R) const noexcept {
    math::Mat3<double> result;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) result(i, j) = sign[i] * sign[j] * R(from[i], from[j]);
    return result;
  }
};

/// libdhd: x towards the user, y to the right, z up.
inline constexpr AxisMap kForceDimensionAxes{{1, 0, 2}, {1.0, -1.0, 1.0}};
/// OpenHaptics: x to the right, y up, z towards the user.
inline constexpr AxisMap kOpenHapticsAxes{{0, 2, 1}, {1.0, -1.0, 1.0}};
// Haply's axes are the world's.

}  // namespace tactus::device
