// A simulated admittance device: a force sensor in the handle, which a position servo moves.
//
// The servo is commanded to be at x_c and to move on with v_c. With bandwidth w and compliance c (the leak: how far a force
// pushes it away in the end), e = x - x_c(t) obeys
//
//   ed = -w (e - c F),         so that over h with F held        e(h) = c F + (e - c F) exp(-w h)
//
// in each axis; e is a rotation vector for orientations. A servo that does not look ahead (`leads` off) takes x_c for the place where it shall
// stay, and comes after a moving one with the lag 1/w. Its sensor (force_sensor.h) gives the specification's
// peak at most, and reads what hangs beyond it (fixture.h), too. While the device is off it holds where it
// is.
//
// A hand K, B on what yields is asked at the beginning of each substep: with g_K = (1 - exp(-w h)) c K and
// g_B = (1 - exp(-w h)) c B/h its error goes on by e' = (exp(-w h) - g_K - g_B) e + g_B e_before, which is
// stable below g_K + 2 g_B = 1 + exp(-w h). A quarter of that is borne by the spring,
// and six tenths by the damper.
#pragma once

#include <atomic>
#include <cstdint>

#include <tactus/device/device.h>
#include <tactus/device/force_sensor.h>
#include <tactus/device/hand.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

struct Servo {
  double bandwidth = 300.0;            // [rad/s]
  bool leads = true;                   // it moves on with v_c
  std::array<double, 2> compliance{};  // [rad/(N m)], [m/N]
  Vector6 bias{};                      // [N m; N] of the sensor
  Fixture fixture{};                   // hangs beyond the sensor; its acceleration is that of the last period
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
  HandLimits hand_limits() const noexcept override;

  /// What it truly does.
  const Handle& handle() const noexcept { return handle_; }
  /// It stands there.
  void set_handle(const Handle& handle) noexcept {
    handle_ = handle;
    hold_still();
  }

 private:
  void advance(double t, double since, double h) noexcept;
  void hold_still() noexcept;
  void sense_force() noexcept;
  Handle target(double since) const noexcept;

  Specification specification_;
  HandPointer hand_;
  Servo servo_;
  Sensing sensing_;
  ForceSensor sensor_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Handle handle_{}, commanded_{};
  Vector6 V_before_{};  // at the sample before
  Sample sample_{};
  double hand_work_ = 0.0;
};

}  // namespace tactus::device
