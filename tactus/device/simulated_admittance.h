// A simulated admittance device: a force sensor in the handle, which a position servo moves.
//
// The servo is commanded to be at x_c and to move on with v_c. With bandwidth w and compliance c (the leak: how far a force
// pushes it away in the end), e = x - x_c(t) obeys
//
//   ed = -w (e - c F),         so that over h with F held        e(h) = c F + (e - c F) exp(-w h)
//
// in each axis; e is a rotation vector for orientations. A servo that does not look ahead (`leads` off) takes x_c for the place where it shall
// stay, and comes after a moving one with the lag 1/w. The sensor adds a bias and noise, gives its peak at most, and has
// steps. While the device is off it holds where it is.
#pragma once

#include <atomic>
#include <cstdint>

#include <tactus/device/device.h>
#include <tactus/device/hand.h>
#include <tactus/device/random.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

struct Servo {
  double bandwidth = 300.0;            // [rad/s]
  bool leads = true;                   // it moves on with v_c
  std::array<double, 2> compliance{};  // [rad/(N m)], [m/N]
  Vector6 bias{};                      // [N m; N] of the sensor
  std::array<double, 2> noise{};       // [N m], [N] standard deviation
  double fixture_mass =
      0.0;  // [kg] at the handle's origin, beyond the sensor: felt as m (g - a), a of the last period
  std::uint64_t seed = 1;
};

class SimulatedAdmittance final : public Device {
 public:
  /// Throws InputError where the rate or the bandwidth is not above 0.
  SimulatedAdmittance(Specification specification, HandPointer hand, const Servo& servo);

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }
  bool enable() noexcept override;
  void disable() noexcept override;
  void stop() noexcept override { stopped_.store(true, std::memory_order_release); }
  bool wait() noexcept override;
  bool read(Sample& sample) noexcept override;
  bool command(const Command& command) noexcept override;
  double hand_work() const noexcept override { return hand_work_; }

  const Handle& handle() const noexcept { return handle_; }

 private:
  void advance(double t, double since, double h) noexcept;
  void hold_still() noexcept;
  void sense_force() noexcept;
  Handle target(double since) const noexcept;

  Specification specification_;
  HandPointer hand_;
  Servo servo_;
  Sensing sensing_;
  Random random_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Handle handle_{}, commanded_{};
  Vector6 V_before_{};  // at the sample before
  Sample sample_{};
  double hand_work_ = 0.0;
};

}  // namespace tactus::device
