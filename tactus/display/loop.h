// The haptic loop: a device, a coupling, a mechanism, and what keeps the hand safe.
//
// A tick, in order:
//
//   1. the device's sample is read, and looked at (control/safety.h)
//   2. impedance device: the coupler's wrench between handle and port, limited, and softer where the port is lighter than it was designed for, if asked to (follow_port); admittance device: the sensed wrench, limited; four
//      channels (control/four_channel.h): the hand's wrench less the coordination, and what the motors make of its answer
//   3. the mechanism makes its step with that wrench at the port. Action is reaction: what the handle does not get, by a clamp or
//      the ramp, the mechanism does not get either. What holds the port when the display begins comes on with the ramp as well: the rest of it is
//      carried meanwhile
//   4. the device is commanded: the opposite wrench, or the port's motion
//   5. anything wrong on the way: the device is commanded to the safe state in this same tick, and switched off
//
// The same tick() serves simulated time, as fast as it goes and with the same bits every time, and real time
// (display/run_loop.h). Nothing in it allocates, throws, locks or calls the system.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include <tactus/control/coupler.h>
#include <tactus/control/four_channel.h>
#include <tactus/control/safety.h>
#include <tactus/device/device.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::control {
class CouplerFollower;
}  // namespace tactus::control

namespace tactus::display {

using device::Vector6;
class Teleoperation;
class PortView;
class EnergyBooks;
class KeptPort;
struct KeptInertia;
struct ResistanceRule;

/// Two rates (display/two_rates.h): the mechanism in a simulation of its own, the loop with a local model of it.
struct TwoRateOptions {
  static constexpr int kMostTicks = 512;  // both together
  int every = 33;                         // [ticks] from update to update
  int delay = 0;        // [ticks] that an update is on its way; with a thread, besides the time that it takes
  bool thread = false;  // for real time; otherwise within the tick at which it is due
  bool told = false;    // instead of a thread: it answers as HapticLoop::answer() says, as a thread did once
  bool even_if_equal = false;      // a local model where rates are equal, too, which otherwise are one rate
  static constexpr int kRoom = 8;  // [contacts] that a local model has room for
};

/// Of two rates with a thread: which messages of the loop the simulation has answered since the answer
/// before, where the last of these answers came in this tick. Each by the tick at whose beginning it was
/// sent.
struct SimulationAnswers {
  /// One was being worked on, one was waiting, and one was sent since the loop last looked.
  static constexpr std::size_t kMost = 3;
  std::array<std::uint64_t, kMost> to{};
  std::size_t count = 0;  // 0: no answer came
};

/// What a tick did.
struct TickRecord {
  double t = 0.0;                   // [s] of the sample
  math::Vec3<double> p_H{}, p_P{};  // [m] handle as sensed, port before the step; world axes
  Vector6 V_H{}, V_P{};
  math::Mat3<double> R_H = math::Mat3<double>::identity();  // of the handle as sensed
  math::Mat3<double> R_P = math::Mat3<double>::identity();  // of the port
  Vector6 F_H{};                   // [N m; N] of the hand, where the device senses it
  Vector6 on_handle{}, on_port{};  // [N m; N] wrenches
  double into_port = 0.0;          // [J] work at the port so far
  double out_of_handle =
      0.0;               // [J] taken from the handle so far, by its sensed motion; by the commanded one of an
                         // admittance device
  double guarded = 0.0;  // [J] of it that the passivity controller took
  double made = 0.0;     // [J] from nowhere (display/energy_books.h); negative: lost or stored
  bool by_motion = false;  // an admittance device: on_handle is nothing
  control::Stage stage = control::Stage::off;
  control::Fault fault = control::Fault::none;
  int events = 0;         // of contact, in this tick
  int resisted = 0;       // directions with a penalty, of four channels
  int age = 0;            // [ticks] of what is known of the mechanism, with two rates
  int left_out = 0;       // compliant contacts that the local model of two rates has no room for
  double softness = 1.0;  // of the coupler: K s^2, B s (control/coupler_follow.h)
  simulate::Status status;
};

/// [N m; N] What the hand got: the wrench of the motors, or, of a device that is moved, the opposite of what it pushed with.
inline Vector6 on_hand(const TickRecord& record) noexcept {
  if (!record.by_motion) return record.on_handle;
  Vector6 F = record.F_H;
  for (double& f : F) f = -f;
  return F;
}

class HapticLoop {
 public:
  /// Mechanism and device must outlive it. The mechanism's step is the device's period: throws InputError otherwise.
  HapticLoop(simulate::Mechanism& mechanism, device::Device& device, int port,
             const control::CouplerGains& gains, const control::SafetyLimits& limits);
  ~HapticLoop();
  HapticLoop(const HapticLoop&) = delete;
  HapticLoop& operator=(const HapticLoop&) = delete;

  /// Four channels instead of the coupler, from the next enable() on. Throws InputError where the device or the gains do not
  /// allow it.
  void use(const control::FourChannelGains& gains);
  /// The handle's motion prescribes the port's instead (control/prescribed_port.h), until the books show that this makes energy, or the port is faster than a handle may be: the coupler holds it from there on. Throws InputError where the device is not of the
  /// impedance kind, does not have those axes, the port has fewer freedoms where it is, or the mechanism is a
  /// thread's already.
  void use(const control::PrescribedGains& gains);
  /// A virtual proxy instead (control/proxy.h): the handle is a point before the boxes and planes that stand on the ground; the mechanism goes
  /// on by itself. Throws InputError where the device cannot push in space, nothing is there to be met, or the port is inside of something: a proxy begins in a free place.
  void use(const control::ProxyGains& gains);
  /// The passivity observer and controller (control/passivity.h): a hand gets no more than it put in, and what the mechanism gave by itself. Four channels that sense the hand brake the port alone,
  /// unless the handle is to be braked, too: a damper there holds it where the port goes on, and then has more to take.
  void guard_passivity(bool on = true, bool handle_too = false) noexcept {
    guarded_ = on;
    handle_guarded_ = on && handle_too;
  }
  /// The coupler softens where the port grows lighter than it bears (control/coupler_follow.h), from now on. False, and nothing is followed, where its gains are not stable with the
  /// port as it is now, or there is no coupler.
  bool follow_port();
  /// What hangs beyond an admittance device's sensor (control/fixture.h) is taken out of what it senses.
  void compensate(const device::Fixture& fixture);
  /// Inertia is bolted to the port that an admittance device shows, where that is lighter than `least` {kg m^2, kg} (display/kept_port.h, control/admittance_design.h): as much as is missing,
  /// or `share` of it all, from 0 to 1, where that is given. Not with two rates. Throws InputError where the
  /// device is not of the admittance kind, or the mechanism is a thread's already.
  void keep_inertia(const std::array<double, 2>& least, double share = -1.0);
  /// Motions that the port does not show along the device's axes are damped unfelt (control/internal_motion.h): [N m s/rad], [N s/m] at the joints, 0 for none. Throws InputError where
  /// the mechanism is none for that, or a thread's already.
  void damp_inside(double damping);
  /// [kg m^2], [kg] that are bolted to the port now.
  std::array<double, 2> kept_inertia() const noexcept;
  /// A local model between updates of the mechanism, from now on. With a thread the mechanism is that thread's while the loop
  /// lives, but from rest() to enable(). Throws InputError where the options do not fit.
  void use(const TwoRateOptions& options);

  /// Switches the device on; forces ramp up from the next tick, from where handle and port then are. False while faulted,
  /// where the device cannot, and of two rates with a thread until the simulation has answered after clear(): try again.
  bool enable() noexcept;
  /// Forces off; the mechanism goes on by itself.
  void disable() noexcept;
  /// disable(), and a simulation's thread ends, as soon as the step that it makes: the mechanism is the
  /// caller's until enable(), which takes it as it then is. False where the step takes longer than `patience`
  /// [s]: the mechanism is not the caller's, and the loop's end waits for it.
  bool rest(double patience = 1.0) noexcept;
  /// After a fault, before enable(): what was seen before does not count. What is on is switched off first.
  void clear() noexcept;

  /// Somebody else moves the mechanism, too, or changes its parameters: its energy is then no part of the books.
  void share_mechanism() noexcept { closed_ = false; }
  /// Wrenches on the mechanism besides the loop's own, from the next tick on until others are given: three at most.
  void beside(std::span<const simulate::PortWrench> wrenches) noexcept;

  /// One tick, after Device::wait(); `elapsed` [s] since the one before. False: faulted, and in the safe state.
  bool tick(double elapsed) noexcept;
  /// Between two ticks, for what comes next to find its code and numbers in the caches: a step of the mechanism, taken back. No bit changes.
  void rehearse() noexcept;
  /// The device did not come back from wait().
  void lost() noexcept { fail(or_watchdog(control::Fault::no_sample)); }
  /// Who stops the device's motors from outside says so there: that is then why the device does not do as it
  /// is told. Null: nobody does.
  void watched_by(const std::atomic<bool>* barked) noexcept { barked_ = barked; }
  /// Ends in the safe state, for a reason that the caller found.
  void fail(control::Fault fault) noexcept;

  const TickRecord& record() const noexcept { return record_; }
  /// Of the last tick: what was read, and what the device was told.
  const device::Sample& sample() const noexcept { return sample_; }
  const device::Command& commanded() const noexcept { return commanded_; }
  /// The device's own dynamics as the last tick used them; null where it did not ask, or the device knows none.
  const device::HandleDynamics* dynamics_used() const noexcept {
    return asked_ == Asked::known ? &dynamics_ : nullptr;
  }
  /// Two rates with a thread, or told: what came in the last tick; null otherwise.
  const SimulationAnswers* answers() const noexcept;
  /// Before a tick, of two rates that are told: the simulation gives these answers in it.
  void answer(const SimulationAnswers& answers) noexcept;
  const control::SafetyMemory& safety() const noexcept { return safety_.memory(); }
  const control::Coupler& coupler() const noexcept { return coupler_; }
  /// A prescribed port made energy, or was faster than a handle may be, and the coupler holds it since.
  bool gave_up() const noexcept;
  const EnergyBooks& books() const noexcept { return *books_; }
  device::Device& device() noexcept { return device_; }
  double period() const noexcept { return period_; }

 private:
  void display() noexcept;
  void display_impedance() noexcept;
  void display_prescribed() noexcept;
  void display_proxy() noexcept;
  void give(const Vector6& wanted, const Vector6& guard,
            control::Entry entry = control::Entry::ramped) noexcept;
  void fit_coupler(const simulate::PortMotion& port) noexcept;
  void teleoperate() noexcept;
  void book_handle() noexcept;
  Vector6 guard_wrench() noexcept;
  const device::HandleDynamics* own_dynamics() noexcept;
  void make_view();
  void book_hand(const Vector6& F_h) noexcept;
  void audit() noexcept;
  void find_support(const simulate::PortMotion& port) noexcept;
  /// [J] that the hand has put in, and the mechanism by itself: below 0 the display has fed it.
  double credit() noexcept;
  void display_admittance() noexcept;
  Vector6 admittance_brake(const Vector6& F_h) noexcept;
  void observe_distance(const simulate::PortMotion& port) noexcept;
  void step_mechanism(const Vector6& on_port) noexcept;
  void no_number() noexcept;
  void require_own_mechanism(const char* what) const;
  control::Fault or_watchdog(control::Fault fault) const noexcept {
    const bool barked = barked_ != nullptr && barked_->load(std::memory_order_acquire);
    return barked ? control::Fault::watchdog : fault;
  }
  void command(const device::Command& command) noexcept;
  void safe_state() noexcept;

  simulate::Mechanism& mechanism_;
  device::Device& device_;
  int port_;
  double period_;
  bool admittance_;
  control::Coupler coupler_;
  control::Safety safety_;
  control::CouplerMemory memory_{};
  std::unique_ptr<control::CouplerFollower> follower_;  // null: the gains stay
  std::unique_ptr<Teleoperation> teleoperation_;        // null: the coupler
  struct Prescribed;
  std::unique_ptr<Prescribed> prescribed_;  // null: the port is not
  struct PointTool;
  std::unique_ptr<PointTool> proxy_;           // null: no proxy
  std::unique_ptr<TwoRateOptions> two_rates_;  // null: one
  std::unique_ptr<KeptInertia> kept_;          // null: none
  std::unique_ptr<PortView> view_;
  double internal_damping_ = 0.0;
  KeptPort* kept_port_ = nullptr;  // the view, where inertia is bolted to it
  const std::atomic<bool>* barked_ = nullptr;
  SimulationAnswers answers_{};
  device::Sample sample_{};
  device::Command commanded_{};
  enum class Asked : std::uint8_t { not_yet, unknown, known };
  Asked asked_ = Asked::not_yet;  // in this tick, for the device's dynamics
  device::HandleDynamics dynamics_{};
  TickRecord record_{};
  math::Vec3<double> p_before_{};  // of the handle, in the tick before: where it is pushed
  math::Mat3<double> R_before_ = math::Mat3<double>::identity();
  bool before_ = false, recovered_ = true;
  Vector6 F_before_{};  // of the hand, where it is sensed or observed
  math::Vec3<double> p_hand_{};
  math::Mat3<double> R_hand_ = math::Mat3<double>::identity();
  bool hand_before_ = false;
  std::unique_ptr<device::Fixture> fixture_;       // null: nothing beyond the sensor
  Vector6 A_commanded_{};                          // of the tick before, admittance devices
  bool guarded_ = false, handle_guarded_ = false;  // the latter of four channels that sense the hand
  std::unique_ptr<EnergyBooks> books_;
  double made_in_ramp_ =
      0.0;       // [J] by the display of four channels, whose books begin anew until their forces are there
  bool closed_;  // nothing but the loop drives the mechanism
  struct Sent;
  std::unique_ptr<Sent> sent_;  // wrenches on their way to the motors
  Vector6 support_{};           // holds the port where the display begins, while forces ramp up
  double guard_share_;          // of the handle's momentum, in a tick
};

}  // namespace tactus::display
