// What a haptic loop does right now, in one line on a terminal; nothing elsewhere. The loop leaves its records without waiting, another
// thread looks at them.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include <tactus/display/run_loop.h>

namespace tactus::apps {

class StatusLine {
 public:
  explicit StatusLine(double duration) : visible_(isatty(STDERR_FILENO) == 1), duration_(duration) {
    if (visible_) thread_ = std::thread([this] { show(); });
  }
  ~StatusLine() {
    ending_ = true;
    if (!thread_.joinable()) return;
    thread_.join();
    fmt::print(stderr, "\r{:100}\r", "");
  }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Null where nothing is shown.
  display::LiveView* live() { return visible_ ? &live_ : nullptr; }

 private:
  void show() {
    constexpr auto kPause = std::chrono::milliseconds(100);
    display::LiveStatus before{}, now{};
    auto then = std::chrono::steady_clock::now();
    while (!ending_) {
      std::this_thread::sleep_for(kPause);
      if (!live_.take(now)) continue;
      const auto at = std::chrono::steady_clock::now();
      const double rate =
          static_cast<double>(now.ticks - before.ticks) / std::chrono::duration<double>(at - then).count();
      const auto& F = now.record.on_handle;
      fmt::print(stderr,
                 "\r{:8.2f} of {:g} s  {:9.0f} Hz  {:7.2f} N  {:9.4f} J into the mechanism  {} missed  {:8}",
                 now.record.t, duration_, rate, std::hypot(F[3], F[4], F[5]), now.record.into_port,
                 now.missed, name_of(now.record.stage));
      std::fflush(stderr);
      before = now;
      then = at;
    }
  }

  bool visible_;
  double duration_;
  display::LiveView live_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace tactus::apps
