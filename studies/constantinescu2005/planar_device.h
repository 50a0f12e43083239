// The device of [Constantinescu2005] as a device of the loop: a planar handle on motors that do what they are told, M_d xdd = F_h + u, with a force sensor. Within a
// period both forces are held, and the motion is exact; velocities are differences over the period, as of all devices whose estimate has no poles.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <tactus/device/device.h>

namespace tactus::studies::constantinescu {

class PlanarDevice final : public device::Device {
 public:
  /// [N] of the hand, by time and the handle's way from where it began.
  using Push = std::function<std::array<double, 2>(double t, double x, double y)>;

  /// `inertia` {kg m^2, kg}.
  PlanarDevice(double rate, const std::array<double, 2>& inertia, Push push) : push_(std::move(push)) {
    specification_.name = "planar";
    specification_.sensed = specification_.actuated = device::kPlanar;
    specification_.inertia = inertia;
    specification_.rate = rate;
    specification_.force_sensor = true;
  }

  const device::Specification& specification() const noexcept override { return specification_; }
  device::State state() const noexcept override { return on_ ? device::State::enabled : device::State::off; }
  bool enable() noexcept override { return on_ = true; }
  void disable() noexcept override {
    on_ = false;
    motors_ = {};
  }
  void stop() noexcept override { disable(); }

  bool wait() noexcept override {
    if (sample_.number > 0) advance(1.0 / specification_.rate);
    sample_.t = static_cast<double>(sample_.number) / specification_.rate;
    ++sample_.number;
    const double c = std::cos(x_[2]), s = std::sin(x_[2]);
    sample_.X_WH.R = math::Mat3<double>::identity();
    sample_.X_WH.R(0, 0) = sample_.X_WH.R(1, 1) = c;
    sample_.X_WH.R(0, 1) = -s;
    sample_.X_WH.R(1, 0) = s;
    sample_.X_WH.p = {x_[0], x_[1], 0.0};
    const std::array<double, 2> F = push_(sample_.t, x_[0], x_[1]);
    sample_.V_WH = {0.0, 0.0, seen_[2], seen_[0], seen_[1], 0.0};
    sample_.F_H_W = {0.0, 0.0, 0.0, F[0], F[1], 0.0};
    return true;
  }
  bool read(device::Sample& sample) noexcept override {
    sample = sample_;
    return sample_.number > 0;
  }
  bool command(const device::Command& command) noexcept override {
    const bool can = on_ && device::finite(command.wrench);
    motors_ = can ? command.wrench : device::Vector6{};
    return can;
  }

  /// x, y, theta from where it began.
  const std::array<double, 3>& place() const noexcept { return x_; }
  /// Puts it elsewhere, its velocity as it is.
  void displace(const std::array<double, 3>& by) noexcept {
    for (std::size_t i = 0; i < 3; ++i) x_[i] += by[i];
  }
  /// An acceleration that the motors do not cancel, until another is given.
  void leak(const std::array<double, 3>& a) noexcept { leak_ = a; }

 private:
  void advance(double h) noexcept {
    constexpr std::size_t kAxis[] = {3, 4, 2};
    for (std::size_t i = 0; i < 3; ++i) {
      const double a =
          (sample_.F_H_W[kAxis[i]] + motors_[kAxis[i]]) / specification_.inertia[i < 2 ? 1 : 0] + leak_[i];
      seen_[i] = v_[i] + 0.5 * h * a;
      x_[i] += h * seen_[i];
      v_[i] += h * a;
    }
  }

  device::Specification specification_;
  Push push_;
  device::Sample sample_{};
  device::Vector6 motors_{};
  std::array<double, 3> x_{}, v_{}, seen_{}, leak_{};
  bool on_ = false;
};

}  // namespace tactus::studies::constantinescu
