// A simulated impedance device: a handle of some inertia on motors, moved by a hand and by what it is told.
//
// Each axis that is sensed moves by itself, exactly within a substep (axis_flow.h): inertia, viscous friction (the hand's
// damping with it), dry friction that truly sticks. The hand's force is taken in the middle of a substep, so that the
// motion is of second order in its length. Commands are held for a period, after a delay of whole periods; motors give
// their peak at most, as a vector. Axes that are not sensed cannot move; those that are not actuated feel the hand alone.
// Where the workspace ends, the handle stops without bouncing, and work is that of the way that was made. A
// force sensor, where there is one, stands between hand and handle (force_sensor.h).
#pragma once

#include <atomic>

#include <tactus/device/command_delay.h>
#include <tactus/device/device.h>
#include <tactus/device/force_sensor.h>
#include <tactus/device/hand.h>
#include <tactus/device/registry.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

class SimulatedImpedance final : public Device {
 public:
  /// Throws InputError where the specification has no inertia, no rate, or a latency that CommandDelay does
  /// not bear. `bias` and `seed` are of its force sensor.
  SimulatedImpedance(Specification specification, HandPointer hand, const Vector6& bias = {},
                     std::uint64_t seed = 1);

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_; }
  bool enable() noexcept override;
  void disable() noexcept override;
  void stop() noexcept override { stopped_.store(true, std::memory_order_release); }
  bool wait() noexcept override;
  bool read(Sample& sample) noexcept override;
  bool command(const Command& command) noexcept override;
  double hand_work() const noexcept override { return hand_work_; }
  /// The least mass's; any damping, which is exact.
  HandLimits hand_limits() const noexcept override;

  /// What it truly does.
  const Handle& handle() const noexcept { return handle_; }
  void set_handle(const Handle& handle) noexcept { handle_ = handle; }

 private:
  void advance(const Vector6& motors, double t, double h) noexcept;
  void sense_force() noexcept;

  Specification specification_;
  HandPointer hand_;
  Sensing sensing_;
  ForceSensor sensor_;
  State state_ = State::off;
  std::atomic<bool> stopped_{false};
  Handle handle_{};
  Sample sample_{};
  CommandDelay coming_;
  double hand_work_ = 0.0;
};

}  // namespace tactus::device
