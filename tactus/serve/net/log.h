// Lines for the log, no more than a reader can take: a flood of refusals is counted instead of written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <tactus/base/clock.h>

namespace tactus::serve {

class CalmLog {
 public:
  explicit CalmLog(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void operator()(std::string_view line) {
    const Nanoseconds at = now();
    if (at - since_ > kSecond) {
      if (left_out_ > 0) write_(fmt::format("{} more lines like these were left out", left_out_));
      since_ = at;
      lines_ = left_out_ = 0;
    }
    if (++lines_ > kMostPerSecond)
      ++left_out_;
    else
      write_(line);
  }

 private:
  static constexpr int kMostPerSecond = 20;
  std::function<void(std::string_view)> write_;
  Nanoseconds since_ = 0;
  int lines_ = 0, left_out_ = 0;
};

}  // namespace tactus::serve
