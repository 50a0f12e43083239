// How far a long run is: a bar on a terminal, nothing elsewhere.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

namespace tactus::apps {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Progress {
 public:
  Progress() : visible_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void show(double part) {
    if (!visible_ || seconds_since(last_) < 0.1) return;
    last_ = Clock::now();
    shown_ = true;
    const int filled = static_cast<int>(40.0 * part);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %", "", filled, "", 40 - filled, 100.0 * part);
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
    shown_ = false;
  }

 private:
  bool visible_, shown_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace tactus::apps
