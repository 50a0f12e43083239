// What stands between a controller and a hand.
//
// Forces are off until they are enabled, and then ramp up. While on, a wrench is clamped: its size, how fast it changes, the power that it
// gives to the handle, and how fast that grows. A coupler's wrench shrinks as fast as it likes, and what the clamp keeps from it while it grows, its springs do not hold either (coupler.h): a
// spring that lags behind makes energy. Power has the last word: where the handle is suddenly faster than before, the wrench shrinks at
// once, however fast that is; it grows again by its rate. A guard's wrench (passivity.h) comes on top, within what the clamps leave: what of it is
// cut is lost to the handle alone. Anything that should not be ends in the safe state within the same tick, without regard
// to the clamp on changes: no force, or no motion. The first reason is kept. Recovery is explicit: clear(), then enable().
//
//   off --enable--> ramping --ramp over--> on        any of them --trip--> faulted --clear--> off
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <tactus/device/device.h>

namespace tactus::control {

using device::Vector6;

/// Pairs are {rotation, translation}. 0: no limit.
struct SafetyLimits {
  std::array<double, 2> force{};       // [N m], [N]
  std::array<double, 2> force_rate{};  // [N m/s], [N/s]
  double power = 0.0;                  // [W] given to the handle
  double power_rate = 0.0;             // [W/s]
  math::Vec3<double> workspace{};      // [m] half a box
  double workspace_angle = 0.0;        // [rad] from the handle's own zero; half a turn and more is no limit
  std::array<double, 2> speed{};       // [rad/s], [m/s]
  std::array<double, 2>
      plausible{};      // [rad/s], [m/s] beyond which a sample is no motion; `speed`, where that is larger
  double ramp = 0.25;   // [s] from nothing to all
  double late = 20e-3;  // [s] a tick may come after the one before, besides the period
  double apart = 0.0;   // [m] handle and port, since they were coupled
  std::array<double, 2> on_port{};  // [N m], [N] that no hand gives to the mechanism
  double made = 0.0;                // [J] from nowhere, besides a share of the work that goes to and fro
  double made_share = 0.0;
  double made_most = 0.0;  // [J] however much goes to and fro
};
/// What suits a device: its continuous force, that within 10 ms, its workspace, and speeds that no hand has in it; the power of that force at 1 m/s and 10 rad/s, which
/// quick strokes have. An admittance device is moved, not pushed: its speed is limited, not its power. The port may be ten times as far from
/// the handle as one end of the workspace from the other, and be pushed by ten times the peak force; 20 m, 100 N m and 1 kN where the device has no end.
SafetyLimits limits_for(const device::Specification& specification);

enum class Fault : std::uint8_t {
  none,
  no_sample,       // the device did not answer
  stale_sample,    // the same number again, or one from before
  skipped_sample,  // a number is missing
  bad_sample,      // not finite
  implausible,     // moved, or was to move, further than any speed within the limits explains
  clock_stopped,   // its time does not go on
  late,            // the tick came too late
  out_of_workspace,
  too_fast,
  bad_force,        // the controller's wrench or motion is not finite
  mechanism,        // its status was not ok
  refused,          // the device did not carry out the command
  simulation_late,  // of two rates: the slow one fell behind
  watchdog,         // the loop stood still
  apart,            // the port is far beyond what the handle reaches
  too_strong,       // the port would be pushed harder than any hand can
  singular,         // the port cannot follow the handle from where it is
  wrong_rate,       // the device's clock has another rate than the loop was made for
  unbalanced,       // energy came from nowhere
  turned_too_far,   // the handle was, or was to be, beyond the workspace's angle
};
std::string_view name_of(Fault fault);
/// A sentence for the user.
std::string_view meaning_of(Fault fault);

enum class Stage : std::uint8_t { off, ramping, on, faulted };
std::string_view name_of(Stage stage);

/// How a wrench comes on after it is enabled.
enum class Entry : std::uint8_t {
  ramped,     // by the ramp
  by_itself,  // a coupler's: its springs slip (coupler.h); it may shrink as fast as it likes
  sensed,  // the hand's, of an admittance device: it is all there at once, and what the mechanism gives comes on
};

/// What tripped a limit, and the limit.
struct Found {
  double value = 0.0, limit = 0.0;
  const char* unit = "";  // none: the fault is not about a number
};

/// All that the safety remembers.
struct SafetyMemory {
  Stage stage = Stage::off;
  Fault fault = Fault::none;
  double fault_time = 0.0;  // [s]
  Found found{};
  double ramped = 0.0;  // [0, 1]
  Vector6 wrench{};     // the last one let through
  Vector6 own{};        // of it without the guard's
  Vector6 taken{};      // what the clamp on changes took of a wrench that comes on by itself
  double power = 0.0;   // [W] that it gave to the handle
  device::Sample last{};
  bool seen = false;          // `last` is one
  math::Pose<double> told{};  // the last place that the handle was sent to, since it was enabled
  bool is_told = false;       // there is one
};
/// Of a fault: its sentence, and the numbers, where it is about some.
std::string said_of(const SafetyMemory& memory);

class Safety {
 public:
  Safety(const SafetyLimits& limits, double period) noexcept : limits_(limits), period_(period) {}

  /// False while faulted.
  bool enable() noexcept;
  void disable() noexcept;
  /// After a fault: off again.
  void clear() noexcept;

  // In a tick, in this order.
  /// Looks at a sample; `elapsed` [s] since the tick before, by a clock that can be trusted. False: faulted.
  bool observe(const device::Sample& sample, double elapsed) noexcept;
  /// The part of a sensed wrench that may act, by the ramp; 0 while off or faulted.
  double share() const noexcept;
  /// The wrench that may go to the handle: clamped, ramped; zero while off or faulted. memory().own is its part without the guard's, by the
  /// same clamps: what the mechanism may get the opposite of.
  /// Of a coupler's wrench memory().taken is what the clamp on changes took. A sensed wrench goes to the port: its size and changes are clamped as such, and not by the ramp's share.
  Vector6 limited(const Vector6& wrench, const Vector6& guard = {}, Entry entry = Entry::ramped) noexcept;
  /// The share of the ramp that the next call of limited() has; 0 while off or faulted.
  double next_share() const noexcept;
  /// Looks at how far the port is from the handle, and at the wrench that is to act on it, both in the handle's scale.
  void observe_distance(double apart) noexcept;
  void observe_port(const Vector6& wrench) noexcept;
  /// Looks at the motion that an admittance device is to make, before it is told: at its speeds, its place, and how far that is from the place before: the one that was told last, at first the
  /// one that was sensed.
  void observe_motion(const math::Pose<double>& X, const Vector6& V) noexcept;
  /// Looks at energy [J] that came from nowhere, beside that which went to and fro, and what springs held at most. What is known only roughly gets `room` times as much.
  void observe_energy(double made, double turned, double stored, double room = 1.0) noexcept;
  /// Faults, for a reason that the caller found.
  void trip(Fault fault, const Found& found = {}) noexcept;

  const SafetyMemory& memory() const noexcept { return memory_; }
  const SafetyLimits& limits() const noexcept { return limits_; }
  bool faulted() const noexcept { return memory_.stage == Stage::faulted; }

 private:
  struct Finding {
    Fault fault = Fault::none;
    Found found{};
  };
  Finding look_at(const device::Sample& sample, double elapsed) const noexcept;
  Finding look_at_place(const math::Pose<double>& X) const noexcept;
  Finding look_at_way(const math::Pose<double>& from, const math::Pose<double>& to,
                      double time) const noexcept;

  SafetyLimits limits_;
  double period_;
  SafetyMemory memory_{};
};

}  // namespace tactus::control
