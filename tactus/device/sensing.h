// What a device makes of the handle's true motion: steps of the encoders, velocity from differences.
#pragma once

#include <cmath>

#include <tactus/device/device.h>
#include <tactus/device/rate_filters.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {

/// The nearest whole number of steps; as it is where the step is 0.
inline double quantised(double x, double step) noexcept {
  return step > 0.0 ? step * std::floor(x / step + 0.5) : x;
}

/// A simulated handle: its true place and velocity, and how they are read.
struct Handle {
  math::Vec3<double> p{};
  math::Quaternion<double> orientation{};  // R_WH
  Vector6 V{};

  math::Pose<double> pose() const noexcept { return {math::rotation_of(orientation), p}; }
  /// Moves by a rotation vector and a way.
  void move(const Vector6& by) noexcept {
    orientation = math::normalized(math::exponential({by[0], by[1], by[2]}) * orientation);
    p = p + math::Vec3<double>{by[3], by[4], by[5]};
  }
};

/// The encoders and the velocity's estimate: the difference of two readings over the period, through two equal poles
/// exp(-w T) at the bandwidth w; the difference itself where that is 0.
class Sensing {
 public:
  Sensing(const std::array<double, 2>& resolution, double rate, double bandwidth) noexcept
      : resolution_(resolution), rate_(rate) {
    filters_.fill(SecondOrderFilter(bandwidth > 0.0 ? std::exp(-bandwidth / rate) : 0.0));
  }

  void read(const Handle& handle, Sample& sample) noexcept {
    const math::Vec3<double> theta = math::rotation_vector(handle.orientation);
    math::Vec3<double> theta_read, p_read;
    for (std::size_t i = 0; i < 3; ++i) {
      theta_read[i] = quantised(theta[i], resolution_[0]);
      p_read[i] = quantised(handle.p[i], resolution_[1]);
    }
    const math::Quaternion<double> orientation = math::exponential(theta_read);
    const math::Quaternion<double> back{last_.w, -last_.x, -last_.y, -last_.z};
    const math::Vec3<double> turned = math::rotation_vector(orientation * back), way = p_read - last_p_;
    for (std::size_t i = 0; i < 6; ++i) {
      const double raw = begun_ ? rate_ * (i < 3 ? turned[i] : way[i - 3]) : 0.0;
      sample.V_WH[i] = filters_[i].update(raw);
    }
    last_ = orientation;
    last_p_ = p_read;
    begun_ = true;
    sample.X_WH = {math::rotation_of(orientation), p_read};
  }

 private:
  std::array<double, 2> resolution_;
  double rate_;
  math::Quaternion<double> last_{};
  math::Vec3<double> last_p_{};
  std::array<SecondOrderFilter, 6> filters_{};
  bool begun_ = false;
};

}  // namespace tactus::device
