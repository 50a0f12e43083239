#include <tactus/display/run_loop.h>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace tactus::display {

namespace {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds kSecond = 1'000'000'000;

Nanoseconds now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

void sleep_until(Nanoseconds when) noexcept {
  const timespec t{.tv_sec = when / kSecond, .tv_nsec = when % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

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

struct Run {
  HapticLoop& loop;
  const RunOptions& options;
  std::span<TickRecord> records;
  long stride;
  RunReport& report;
  long total = 0;
  std::size_t written = 0;
  Nanoseconds last = 0;  // when the tick before began

  /// A tick and its books; false: faulted.
  bool tick() noexcept {
    const Nanoseconds begun = now();
    const bool by_clock = options.realtime && report.ticks > 0;
    const double elapsed = by_clock ? 1e-9 * static_cast<double>(begun - last) : loop.period();
    last = begun;
    const bool well = loop.tick(elapsed);
    report.compute.add(now() - begun);
    if (report.ticks % stride == 0 && written < records.size()) records[written++] = loop.record();
    ++report.ticks;
    return well;
  }

  void in_simulated_time() noexcept {
    while (report.ticks < total) {
      if (!loop.device().wait()) return loop.lost();
      if (!tick()) return;
    }
  }

  void in_real_time() noexcept {
    const Nanoseconds period = std::llround(1e9 * loop.period());
    Nanoseconds deadline = now();
    while (report.ticks + report.missed < total) {
      sleep_until(deadline);
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
    loop.device().run({[](void* context) noexcept {
                         Run& run = *static_cast<Run*>(context);
                         return run.tick() && run.report.ticks < run.total;
                       },
                       this});
    if (report.ticks < total) loop.lost();  // keeps the reason of a fault where there is one
  }
};

}  // namespace

RunReport run_loop(HapticLoop& loop, const RunOptions& options, std::span<TickRecord> records, long stride) {
  RunReport report;
  Run run{loop, options, records, stride, report, std::lround(options.duration / loop.period())};
  const Nanoseconds start = now();
  if (options.realtime) {
    const Privileges privileges(options, report.notes);
    if (loop.device().specification().owns_clock)
      run.by_the_devices_clock();
    else
      run.in_real_time();
  } else {
    run.in_simulated_time();
  }
  report.seconds = 1e-9 * static_cast<double>(now() - start);
  return report;
}

}  // namespace tactus::display
