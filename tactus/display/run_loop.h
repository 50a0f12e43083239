// Runs a haptic loop for a while: in simulated time, or in real time.
//
// Simulated time: tick after tick, as fast as they go. Real time: absolute deadlines, start + k T; a tick
// whose deadline has passed by more than a period is counted as missed and left out: ticks are never made up
// in a burst. Where the system allows it, the thread gets SCHED_FIFO, a processor of its own and locked
// memory; a note says where it does not.
//
// The thread is awake a little before its deadline: the system may wake it late, and while it slept others
// had the caches. It rehearses a step of the mechanism (HapticLoop::rehearse) where there is time for two of
// them, and waits for the deadline by looking at the clock.
//
// A device that owns the clock (hardware) is in real time, whatever is asked for, and sets the pace itself.
// Its rate is measured over its first samples, before there is a force, and looked at from then on: a loop
// that was made for another one ends with Fault::wrong_rate. Periods that went by without a tick are missed,
// by the clock and the rate of the loop.
//
// However a run ends, the device is off when run_loop() comes back, and was switched off while the watchdog
// still looked; a simulation's thread has ended by then, where its step came back (RunReport::mechanism_busy).
// enable() begins again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/display/histogram.h>
#include <tactus/display/loop.h>

namespace tactus::display {

class TickLog;

/// What may be shown while it runs.
struct LiveStatus {
  TickRecord record;
  long ticks = 0, missed = 0;
};
/// From the loop to another thread, which neither waits for the other.
class LiveView {
 public:
  LiveView();
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;
  void publish(const LiveStatus& status) noexcept;
  /// False where there is nothing new.
  bool take(LiveStatus& status) noexcept;

 private:
  struct Slots;
  std::unique_ptr<Slots> slots_;
};

struct RunOptions {
  double duration = 5.0;  // [s]
  bool realtime = false;  // also where the device owns the clock
  /// Of a device that owns the clock: how far its rate may be from the loop's over its first samples; two and a half times as far in
  /// any half second of the run. 0: it is not looked at.
  double rate_tolerance = 0.2;
  int priority = 80;  // of SCHED_FIFO, below the kernel's own threads
  int cpu = -1;       // to stay on; -1: any
  /// [s] Real time: awake so long before a deadline, and no longer than an eighth of a period. 0: asleep until then, and nothing is rehearsed.
  double ahead = 1e-4;
  double watchdog =
      0.1;  // [s] in real time: a loop that stands still for longer is stopped from outside; 0: none
  /// By the watchdog's thread, once, after it stopped the motors: run_loop() may never come back from a
  /// driver that hangs.
  void (*barked)(double patience) noexcept = nullptr;
  TickLog* log =
      nullptr;  // gets every tick (display/log/tick_log.h); in simulated time alone the loop waits for room
  LiveView* live = nullptr;  // for another thread's eyes
  /// In the loop, with the record of each tick: what it calls neither allocates nor waits.
  struct Each {
    void (*tick)(void* context, const TickRecord& record) noexcept = nullptr;
    void* context = nullptr;
  };
  Each each{};
  const std::atomic<bool>* stop = nullptr;  // true: enough, from another thread or a signal's handler
};

struct RunReport {
  long ticks = 0;
  long missed = 0;           // periods that were left out
  long not_logged = 0;       // ticks for which the log had no room
  double seconds = 0.0;      // of real time
  bool realtime = false;     // by the clock: as asked for, or by a device that owns it
  double device_rate = 0.0;  // [Hz] as measured of a device that owns the clock; 0: not looked at
  bool stopped = false;      // as RunOptions::stop asked for, and there is no fault
  /// A step of a simulation's thread did not come back: the mechanism is not the caller's (HapticLoop::rest).
  bool mechanism_busy = false;
  /// Real time: how much later the thread woke up than it asked for, which is `ahead` before a deadline; of
  /// those ticks before which it slept.
  Histogram woken;
  /// Real time: from a deadline to the tick's beginning, after what being awake ahead of it made good; of a
  /// device that owns the clock, what a sample came later than a period after the one before.
  Histogram wake;
  Histogram compute;  // of a tick, from the sample to the command
  std::vector<std::string> notes;
};

/// Ends before its time where a tick is faulted: loop.safety() says why; or where it is told to stop. Writes
/// the records of every `stride`-th tick, as many as there is room for.
RunReport run_loop(HapticLoop& loop, const RunOptions& options, std::span<TickRecord> records = {},
                   long stride = 1);

/// What a hand feels along one direction: mass, damping and stiffness that fit the forces best; about it, moment of inertia and what belongs to it, that fit the torques.
struct Felt {
  bool turning = false;  // about the direction
  double mass = 0.0, damping = 0.0,
         stiffness = 0.0;  // [kg], [N s/m], [N/m]; [kg m^2], [N m s/rad], [N m/rad]
  /// Of mass, damping and stiffness: standard errors, with residuals that hang together from sample to sample counted as the fewer that they are.
  std::array<double, 3> error{};
  double unexplained = 1.0;  // the part of the force's variation that is left over, rms: 0 is a perfect fit
  bool told_apart = false;   // the motion tells mass, damper and spring apart
  bool known = false;        // it does, and no more is left over than kMostUnexplained
  /// Dry friction on a sine, which a damper explains but for sqrt(1 - 8/pi^2) = 0.43, and walls, stops and loads that change must not pass for a mass, a damper and a spring:
  /// nine tenths of the force's square are what those must explain.
  static constexpr double kMostUnexplained = 0.3;
};
enum class End : std::uint8_t { handle, port };
/// [m] Where that end is along d at each record; or [rad] by how much it has turned about d since the first, as a sum of what it turns from one to the next.
std::vector<double> way_of(std::span<const TickRecord> records, const math::Vec3<double>& d, End end,
                           bool turning);
/// Of the port along the unit vector d, or about it where it is turned, from records of all ticks.
Felt felt_along(std::span<const TickRecord> records, const math::Vec3<double>& d, double period,
                bool turning = false);
/// What the hand itself feels: its force on the handle against the handle's motion along the unit vector d, from records of all ticks; its torque against the turning about d. Scales,
/// coupler, delays and the device are in it.
///
/// With a force sensor the force is the sensed one. Without, it is what the motors gave, -F, and the device's own inertia and damping
/// (as its specification has them) are added: F_hand = m_d a + b_d v - F. Dry friction of the device is felt besides.
Felt felt_at_handle(std::span<const TickRecord> records, const math::Vec3<double>& d,
                    const device::Specification& device, bool turning = false);

}  // namespace tactus::display
