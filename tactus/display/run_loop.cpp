#include <tactus/display/run_loop.h>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include <tactus/base/clock.h>
#include <tactus/base/latest.h>
#include <tactus/display/log/tick_log.h>
#include <tactus/display/rate_watch.h>

namespace tactus::display {

namespace {

/// What a thread in real time gets from the system, given back at the end.
class Privileges {
 public:
  Privileges(const RunOptions& options, std::vector<std::string>& notes) {
    std::string refused;
    const auto refuse = [&](const char* what, int error) {
      refused += fmt::format("{}{} ({})", refused.empty() ? "" : ", ", what, std::strerror(error));
    };
    pthread_getschedparam(pthread_self(), &policy_, &parameters_);
    sched_param wanted{};
    wanted.sched_priority = options.priority;
    if (const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted); error != 0)
      refuse("SCHED_FIFO", error);
    locked_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!locked_) refuse("locked memory", errno);
    if (options.cpu >= 0 && options.cpu < CPU_SETSIZE) {
      sched_getaffinity(0, sizeof affinity_, &affinity_);
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(options.cpu), &one);
      pinned_ = sched_setaffinity(0, sizeof one, &one) == 0;
      if (!pinned_) refuse("a processor of its own", errno);
    }
    if (!refused.empty())
      notes.push_back("the system did not grant " + refused + ": expect late ticks under load");
  }
  ~Privileges() {
    pthread_setschedparam(pthread_self(), policy_, &parameters_);
    if (locked_) munlockall();
    if (pinned_) sched_setaffinity(0, sizeof affinity_, &affinity_);
  }
  Privileges(const Privileges&) = delete;
  Privileges& operator=(const Privileges&) = delete;

 private:
  int policy_ = 0;
  sched_param parameters_{};
  cpu_set_t affinity_{};
  bool locked_ = false, pinned_ = false;
};

/// Looks from a thread of its own whether ticks go on; where they do not, it stops the motors and barks once.
/// A loop that spins at its
/// priority must not keep it from looking: it is one above, where the system allows that, on any processor.
class Watchdog {
 public:
  Watchdog(device::Device& device, const RunOptions& options)
      : device_(device), patience_(options.watchdog), priority_(options.priority + 1), told_(options.barked) {
    if (patience_ > 0.0) thread_ = std::thread([this] { watch(); });
  }
  ~Watchdog() {
    ending_.store(true, std::memory_order_release);
    if (thread_.joinable()) thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// In the loop.
  void pat() noexcept { pats_.fetch_add(1, std::memory_order_relaxed); }
  bool barked() const noexcept { return barked_.load(std::memory_order_acquire); }
  const std::atomic<bool>* bark() const noexcept { return &barked_; }

 private:
  void watch() noexcept {
    sched_param above{};
    above.sched_priority = std::min(priority_, sched_get_priority_max(SCHED_FIFO));
    pthread_setschedparam(pthread_self(), SCHED_FIFO,
                          &above);  // what is refused, Privileges says of the loop
    constexpr int kLooks = 8;       // within its patience
    const auto pause = static_cast<Nanoseconds>(1e9 * patience_ / kLooks);
    std::uint64_t seen = 0;
    Nanoseconds since = now();
    while (!ending_.load(std::memory_order_acquire)) {
      sleep_until(now() + std::min(pause, kSecond / 100));
      const std::uint64_t pats = pats_.load(std::memory_order_relaxed);
      if (pats != seen) {
        seen = pats;
        since = now();
      } else if (static_cast<double>(now() - since) > 1e9 * patience_) {
        barked_.store(true, std::memory_order_release);
        device_.stop();
        if (told_ != nullptr) told_(patience_);
        return;
      }
    }
  }

  device::Device& device_;
  double patience_;
  int priority_;
  void (*told_)(double) noexcept;
  std::atomic<std::uint64_t> pats_{0};
  std::atomic<bool> barked_{false}, ending_{false};
  std::thread thread_;
};

struct Run {
  HapticLoop& loop;
  const RunOptions& options;
  std::span<TickRecord> records;
  long stride;
  RunReport& report;
  long total = 0;
  std::size_t written = 0;
  Nanoseconds last = 0;       // when the tick before began
  Nanoseconds rehearsal = 0;  // what one takes: the longest lately; at first, the first tick
  LogEntry entry{};
  bool logged_fault = false;
  Watchdog* watchdog = nullptr;
  // Of a device that owns the clock.
  Nanoseconds start = 0;  // of the first tick
  FirstSamples first{};
  TickRate lately{};

  bool told_to_stop() noexcept {
    if (options.stop == nullptr || !options.stop->load(std::memory_order_relaxed)) return false;
    return report.stopped = true;
  }

  /// The dog knows that there is life; false: it has barked.
  bool watched() noexcept {
    if (watchdog == nullptr) return true;
    watchdog->pat();
    if (!watchdog->barked()) return true;
    loop.fail(control::Fault::watchdog);
    return false;
  }

  /// A tick and its books; false: faulted.
  bool tick() noexcept {
    const Nanoseconds begun = now();
    if (!watched()) return false;
    const bool by_clock = report.realtime && report.ticks > 0;
    const double elapsed = by_clock ? 1e-9 * static_cast<double>(begun - last) : loop.period();
    last = begun;
    const bool well = loop.tick(elapsed);
    const Nanoseconds compute = now() - begun;
    report.compute.add(compute);
    if (report.ticks == 0) rehearsal = compute;
    if (options.log != nullptr) log(elapsed, compute, true);
    if (options.live != nullptr) options.live->publish({loop.record(), report.ticks, report.missed});
    if (options.each.tick != nullptr) options.each.tick(options.each.context, loop.record());
    if (report.ticks % stride == 0 && written < records.size()) records[written++] = loop.record();
    ++report.ticks;
    return well;
  }

  void log(double elapsed, Nanoseconds compute, bool is_tick) noexcept {
    entry.is_tick = is_tick;
    entry.sample = loop.sample();
    entry.has_dynamics = loop.dynamics_used() != nullptr;
    if (entry.has_dynamics) entry.dynamics = *loop.dynamics_used();
    entry.elapsed = elapsed;
    entry.command = loop.commanded();
    entry.record = loop.record();
    entry.found = loop.safety().found;
    entry.has_answers = loop.answers() != nullptr;
    if (entry.has_answers) entry.answers = *loop.answers();
    entry.compute = compute;
    logged_fault = entry.record.fault != control::Fault::none;
    if (report.realtime)
      report.not_logged += !options.log->offer(entry) && is_tick;
    else
      options.log->put(entry);
  }

  void in_simulated_time() noexcept {
    while (report.ticks < total && !told_to_stop()) {
      if (!loop.device().wait()) return loop.lost();
      if (!tick()) return;
    }
  }

  void wait_for(Nanoseconds deadline, Nanoseconds ahead) noexcept {
    const Nanoseconds alarm = deadline - ahead;
    const bool slept = now() < alarm;
    if (slept) sleep_until(alarm);
    const Nanoseconds awake = now();
    if (slept) report.woken.add(awake - alarm);
    if (ahead == 0) return;
    constexpr Nanoseconds kForget = 64;  // ticks, about, until a long one no longer counts
    if (awake + 2 * rehearsal < deadline) {
      loop.rehearse();
      rehearsal = std::max(now() - awake, rehearsal - rehearsal / kForget);
    } else {
      rehearsal -= rehearsal / kForget;
    }
    while (now() < deadline) {
    }
  }

  void in_real_time() noexcept {
    const Nanoseconds period = std::llround(1e9 * loop.period());
    const Nanoseconds ahead = std::clamp<Nanoseconds>(std::llround(1e9 * options.ahead), 0, period / 8);
    Nanoseconds deadline = now();
    while (report.ticks + report.missed < total && !told_to_stop()) {
      wait_for(deadline, ahead);
      const Nanoseconds late = now() - deadline;
      report.wake.add(late);
      if (!loop.device().wait()) return loop.lost();
      if (!tick()) return;
      deadline += period;
      if (const Nanoseconds behind = now() - deadline; behind > 0) {
        const Nanoseconds missed = behind / period;  // whole periods that have gone by
        report.missed += missed;
        deadline += missed * period;
      }
    }
  }

  void by_the_devices_clock() noexcept {
    loop.device().run({[](void* context) noexcept { return static_cast<Run*>(context)->sample(); }, this});
    if (report.ticks + report.missed < total && !report.stopped)
      loop.lost();  // keeps the reason of a fault where there is one
  }

  /// By whatever end. Off already where it is faulted; the dog, if there is one, still looks.
  void end() noexcept {
    if (watchdog != nullptr) watchdog->pat();
    loop.disable();
    // What ended it between two ticks belongs to none of them.
    if (options.log != nullptr && loop.safety().fault != control::Fault::none && !logged_fault)
      log(0.0, 0, false);
  }

  /// A sample of a device that owns the clock; false: enough.
  bool sample() noexcept {
    const Nanoseconds at = now();
    if (!first.enough() && options.rate_tolerance > 0.0 && !loop.safety().seen) {
      first.add(at);
      if (!watched()) return false;
      if (!first.enough()) return !told_to_stop();
      if (!right(first.rate(), options.rate_tolerance)) return false;
    }
    if (start == 0) start = last = at;
    const Nanoseconds period = std::llround(1e9 * loop.period());
    if (report.ticks > 0) report.wake.add(std::max<Nanoseconds>(at - last - period, 0));
    // Periods that have gone by without a tick: by the clock, so that a slow device's count too.
    report.missed = std::max(report.missed, (at - start + period / 2) / period - report.ticks);
    constexpr double kLater = 2.5;
    if (options.rate_tolerance > 0.0 && lately.add(at) &&
        !right(lately.rate(), kLater * options.rate_tolerance))
      return false;
    return tick() && report.ticks + report.missed < total && !told_to_stop();
  }
  bool right(double rate, double tolerance) noexcept {
    report.device_rate = rate;
    if (std::abs(rate * loop.period() - 1.0) <= tolerance) return true;
    loop.fail(control::Fault::wrong_rate);
    return false;
  }
};

}  // namespace

struct LiveView::Slots {
  Latest<LiveStatus> latest;
};
LiveView::LiveView() : slots_(std::make_unique<Slots>()) {}
LiveView::~LiveView() = default;
void LiveView::publish(const LiveStatus& status) noexcept {
  slots_->latest.back() = status;
  slots_->latest.publish();
}
bool LiveView::take(LiveStatus& status) noexcept {
  if (!slots_->latest.update()) return false;
  status = slots_->latest.front();
  return true;
}

RunReport run_loop(HapticLoop& loop, const RunOptions& options, std::span<TickRecord> records, long stride) {
  RunReport report;
  const bool device_has_clock = loop.device().specification().owns_clock;
  report.realtime = options.realtime || device_has_clock;
  Run run{loop, options, records, stride, report, std::lround(options.duration / loop.period())};
  const Nanoseconds start = now();
  if (report.realtime) {
    Watchdog watchdog(loop.device(), options);  // before the privileges, which are the loop's alone
    run.watchdog = &watchdog;
    loop.watched_by(watchdog.bark());
    {
      const Privileges privileges(options, report.notes);
      if (device_has_clock)
        run.by_the_devices_clock();
      else
        run.in_real_time();
      report.seconds = 1e-9 * static_cast<double>(now() - start);
      run.end();
    }
    loop.watched_by(nullptr);
    if (watchdog.barked() && loop.safety().fault == control::Fault::none)
      report.notes.push_back(
          fmt::format("the device took longer than {:g} s to switch off: the watchdog stopped its motors",
                      options.watchdog));
  } else {
    run.in_simulated_time();
    report.seconds = 1e-9 * static_cast<double>(now() - start);
    run.end();
  }
  constexpr double kPatience = 1.0;  // [s] many times what a step takes; no motor is on any more
  report.mechanism_busy = !loop.rest(kPatience);
  if (report.mechanism_busy)
    report.notes.push_back(fmt::format(
        "a step of the simulation did not come back within {:g} s of the run's end: its thread goes on",
        kPatience));
  return report;
}

}  // namespace tactus::display
