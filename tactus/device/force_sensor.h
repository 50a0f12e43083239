// A simulated force sensor: it stands in the handle, and its bias, noise, end and steps are along the
// handle's axes.
//
//   r = quantised(clamp(R_WH^T F + bias + noise)),         what is told is R r, by the R that the device sees
//
// It measures along all six of them: a handle that has turned lays an axis of the world, along which the
// device senses, between them. What is told is along the device's axes alone, and those are the world's.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tactus/device/device.h>
#include <tactus/device/random.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

/// Force and torque along other axes.
inline Vector6 turned(const math::Mat3<double>& R, const Vector6& F) noexcept {
  const math::Vec3<double> torque = R * math::Vec3<double>{F[0], F[1], F[2]},
                           force = R * math::Vec3<double>{F[3], F[4], F[5]};
  return {torque.x, torque.y, torque.z, force.x, force.y, force.z};
}

class ForceSensor {
 public:
  /// Steps and noise are the specification's, and so is the end, `most` [N m; N] of each axis; 0: none.
  ForceSensor(const Specification& s, const std::array<double, 2>& most, const Vector6& bias,
              std::uint64_t seed) noexcept
      : axes_(s.sensed),
        steps_(s.force_resolution),
        noise_(s.force_noise),
        most_(most),
        bias_(bias),
        random_(seed) {}

  /// Of F, world axes, on a handle that stands at R and is seen at R_seen.
  Vector6 read(const Vector6& F, const math::Mat3<double>& R, const math::Mat3<double>& R_seen) noexcept {
    Vector6 r = turned(R.transposed(), F);
    for (std::size_t i = 0; i < 6; ++i) {
      const double noise = random_.normal(), most = most_[i / 3];
      r[i] += bias_[i] + noise_[i / 3] * noise;
      if (most > 0.0) r[i] = std::clamp(r[i], -most, most);
      r[i] = quantised(r[i], steps_[i / 3]);
    }
    Vector6 told = turned(R_seen, r);
    for (std::size_t i = 0; i < 6; ++i)
      if (!has_axis(axes_, i)) told[i] = 0.0;
    return told;
  }

 private:
  std::uint8_t axes_;
  std::array<double, 2> steps_, noise_, most_;
  Vector6 bias_;
  Random random_;
};

}  // namespace tactus::device
