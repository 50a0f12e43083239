// Four channels between a device and a port (control/four_channel.h), one tick of it.
//
// The hand's wrench is what the device senses, carried on to its mean over the period that comes (control/mean_wrench.h), or what its momentum tells (control/force_observer.h), its own weight and the masked part of its dry
// friction left out of what its motors do; or it is what the coordination holds, a stiff spring then (by_coordination), which comes on by slipping as a coupler's does, holds no more than the motors give,
// and has its opposite on the handle. The mechanism is asked
// for its mobility under F_h - F_pc, and makes its step; what the port's velocity gained in it, over the period, is the acceleration
// that the handle gets in the same period: a device that does what it is told does not drift, however coarse the period. Velocities
// of handle and port are compared as the device sees them, through the same differences and poles. A local model, whose place jumps with
// every update, is taken as it is at the beginning of the tick instead. Impacts, and constraints that are switched on, have no acceleration: the velocity that they add to the
// port in a step goes to the handle as an impulse M_d dV from the next tick on (control/impulse.h). Of a
// mechanism that moves at a slower rate it is known when an update brings it, in the tick that begins then.
//
// While some of an impulse is left, the handle still has the velocity that it will lose by it: W = V_P - M_d^-1 left is expected of it, which an impact does not change.
// Coordination and penalties compare velocities with that: otherwise their dampers would take the same momentum a second time, and the rest of the impulse would throw the handle
// back. It is seen through the same differences and poles, by a place that moves on by W where the port's own way was cut short.
//
// Dry friction of the device is masked by the port's motion, not by the handle's, so that it feeds nothing back:
// f_c tanh(v_P/v_s), nine tenths of it, because a device that is pushed on by more than its friction runs away.
#pragma once

#include <tactus/control/force_observer.h>
#include <tactus/control/four_channel.h>
#include <tactus/control/impulse.h>
#include <tactus/control/passivity.h>
#include <tactus/device/sensing.h>
#include <tactus/display/port_view.h>

namespace tactus::display {

using device::Vector6;

class Teleoperation {
 public:
  /// Throws InputError where the device is not of the impedance kind, or a gain is not what it may be.
  Teleoperation(const device::Specification& specification, const control::FourChannelGains& gains);

  /// What it asks of a view of the port.
  ResistanceRule rule() const noexcept;

  /// Begins without force, from where handle and port are.
  void engage(const device::Sample& sample, const simulate::PortMotion& port) noexcept;

  // In a tick, in this order.
  /// Of what the device sensed while `held` was its motors' wrench; `share` is the part of the hand that may act.
  /// `own` are the device's dynamics where it is; null: its specification's. `surplus` [J] went into the port that no hand gave: a damper takes it back there; below 0 is what the hand gave and
  /// did not get back yet. `room` as of on_handle().
  void look(PortView& port, const device::Sample& sample, const device::HandleDynamics* own,
            const Vector6& held, double share, double surplus, const std::array<double, 2>& room) noexcept;
  const Vector6& on_port() const noexcept { return on_port_; }
  /// After the mechanism's step.
  void stepped(PortView& port) noexcept;
  /// For the motors; `room` {N m, N} is the largest wrench that they may have, 0: any.
  Vector6 on_handle(const std::array<double, 2>& room) noexcept;

  /// [m] in the handle's scale: how far the port is from where the handle would have it.
  double apart(const device::Sample& sample, const simulate::PortMotion& port) const noexcept;
  double force_scale() const noexcept { return controller_.gains.force_scale; }
  /// Power at the handle by that at the port.
  double power_scale() const noexcept {
    return controller_.gains.force_scale * controller_.gains.motion_scale;
  }

  /// As look() found it.
  const control::PortState& port_state() const noexcept { return state_; }
  const control::Resisted& resisted() const noexcept { return resisted_; }
  const control::HandleDemand& demand() const noexcept { return demand_; }
  const Vector6& hand() const noexcept { return sample_.F_H_W; }
  bool senses_force() const noexcept { return senses_force_; }
  /// The hand's wrench is all that is not known of the device, and it is sensed.
  bool exact() const noexcept { return senses_force_ && friction_ == std::array<double, 2>{}; }
  /// The hand's wrench is what the coordination holds.
  bool by_coordination() const noexcept { return controller_.gains.by_coordination; }
  /// Of the last command: what the motors did for the device's own weight and dry friction.
  Vector6 carried() const noexcept;
  /// [J], [W] of the handle's own motion: what it holds, and what its damping takes.
  double kinetic(const Vector6& V) const noexcept { return 0.5 * control::quadratic(M_d_, V); }
  double burnt(const Vector6& V) const noexcept;
  const control::FourChannel& controller() const noexcept { return controller_; }

 private:
  control::Matrix6 kept() const noexcept;
  void strike(const Vector6& jump) noexcept;
  Vector6 expected(const Vector6& V_P) const noexcept;  // W
  double per_port(std::size_t i) const noexcept;
  Vector6 coordinate(const simulate::PortMotion& seen, double share, double paid,
                     const std::array<double, 2>& room) noexcept;

  double period_;
  bool senses_force_;
  bool estimated_;  // velocities come through poles
  control::FourChannel controller_;
  control::Matrix6 metric_;  // of (17): the specification's inertia, the same everywhere
  control::Matrix6 M_d_;     // of the device where it is
  std::array<double, 2> B_d_, friction_;
  Vector6 bias_{}, masked_{};  // of the device where it is; dry friction that the motors take
  control::ForceObserver observer_;
  control::FourChannelMemory memory_{};
  control::ForceObserverMemory observed_{};
  control::ImpulseMemory impulse_{};
  device::Sample sample_{};  // as it was read
  device::Sample acting_{};  // with the hand's wrench that acts until the next one
  Vector6 F_H_before_{};
  double settling_ = 0.0;  // [s] that are left
  control::PortState state_{};
  device::Sensing port_sensing_, fresh_sensing_;
  Vector6 V_before_{};
  Vector6 W_{}, lag_{};  // [rad/s; m/s] expected of the handle; by which it is seen late
  Vector6 beyond_{};     // [rad; m] from the port to the place that moves by W
  math::Pose<double> X_before_{};
  bool giving_ = false;  // of an impulse, in the last period
  device::Sample scaled_{};
  Vector6 F_pc_{};
  control::Resisted resisted_{};
  control::HandleDemand demand_{};
  Vector6 on_port_{};
};

}  // namespace tactus::display
