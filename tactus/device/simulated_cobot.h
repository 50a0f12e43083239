// A simulated cobotic hand controller: a force sensor in the handle, axes on steered wheels (cobot_drive.h), and the servo of S0's Algorithm 1
// (task_servo.h) between what it is told and how the wheels are steered. A command acts a period after it is given, as in a controller that
// computes while the last command runs.
//
// Its velocity is a difference of encoder readings through one pole at Specification::velocity_bandwidth, as in the computation that it is compared
// with. How late that is decides what feed-forward is worth: a velocity that is late by d looks to the servo like an error d xdd_r of velocity, and is answered
// by K_d d xdd_r/K_p of place, which is left with feed-forward where without it about xdd_r/K_p is: some 1/(K_d d) times as much.
//
// What hangs beyond the sensor (fixture.h) is read by it, accelerated as the handle was over the last period.
// Its weight pulls at the wheels along with the hand, on and off; that it is accelerated with them is not
// laid to what creeps, which is some ten times as heavy as a tool.
#pragma once

#include <atomic>
#include <cstdint>

#include <tactus/device/cobot_drive.h>
#include <tactus/device/force_sensor.h>
#include <tactus/device/hand.h>
#include <tactus/device/sensing.h>
#include <tactus/device/task_servo.h>

namespace tactus::device {

struct CobotOptions {
  CobotDriveOptions drive;
  TaskServoGains servo;
  /// What it does while it is off. Locked: its wheels are straight, and it stands, whatever pushes it; that
  /// is its safe state. Coasting: the motor is off and the drum free, the wheels are as they were steered
  /// last, and who pushes it drives it back (CobotDrive::coast): mass and dry friction, which take energy and
  /// give none.
  enum class Off : std::uint8_t { locked, coasting } off = Off::locked;
  Vector6 steered{};  // tangents of the wheels before it is first enabled, where it coasts
  Fixture fixture{};  // beyond the force sensor
  std::uint64_t seed = 1;
};

class SimulatedCobot final : public Device {
 public:
  /// Throws InputError where the rate is not above 0.
  SimulatedCobot(Specification specification, HandPointer hand, const CobotOptions& options);

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
  const CobotDrive& drive() const noexcept { return drive_; }

 private:
  bool coasts() const noexcept { return off_ == CobotOptions::Off::coasting && state_ == State::off; }
  void hold_still() noexcept;
  void follow(double t, double h) noexcept;
  void coast(double t, double h) noexcept;
  Vector6 hand_force(double t, const math::Pose<double>& X_WH) const noexcept;
  /// The same with what hangs beyond the sensor, while the handle is accelerated by A.
  Vector6 load(const Vector6& hand, const math::Pose<double>& X_WH, const Vector6& A) const noexcept;
  void sense_motion() noexcept;
  void sense_force() noexcept;

  Specification specification_;
  HandPointer hand_;
  CobotDrive drive_;
  TaskServo servo_;
  TaskServoMemory memory_{};
  CobotOptions::Off off_;
  Fixture fixture_;
  Sensing sensing_;
  double velocity_pole_;  // 0: plain differences
  Vector6 V_seen_{};      // [rad/s; m/s]
  ForceSensor sensor_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Handle handle_{};
  Sample sample_{};
  Vector6 now_{}, next_{};  // [rad/s^2; m/s^2] commanded
  Vector6 V_before_{};      // at the sample before
  double hand_work_ = 0.0;
};

}  // namespace tactus::device
