// What a haptic loop does right now, in one line on a terminal; nothing elsewhere. The loop leaves its records without waiting, another
// thread looks at them.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <tactus/display/run_loop.h>

namespace tactus::apps {

class StatusLine {
 public:
  /// What the hand got is shown as a force, of a device that only turns as a torque.
  StatusLine(double duration, bool turning)
      : visible_(isatty(STDERR_FILENO) == 1), duration_(duration), turning_(turning) {
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
      const auto F = display::on_hand(now.record);
      const std::string felt = turning_ ? fmt::format("{:8.4f} N m", std::hypot(F[0], F[1], F[2]))
                                        : fmt::format("{:7.2f} N", std::hypot(F[3], F[4], F[5]));
      fmt::print(stderr, "\r{:8.2f} of {:g} s  {:9.0f} Hz  {}  {:9.4f} J into the mechanism  {} missed  {:8}",
                 now.record.t, duration_, rate, felt, now.record.into_port, now.missed,
                 name_of(now.record.stage));
      std::fflush(stderr);
      before = now;
      then = at;
    }
  }

  bool visible_;
  double duration_;
  bool turning_;
  display::LiveView live_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace tactus::apps
