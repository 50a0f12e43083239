// A thread that does what takes its time, one thing after the other: building mechanisms, writing equations.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tactus::serve {

class Workshop {
 public:
  static constexpr std::size_t kMostWaiting = 32;

  explicit Workshop(std::string name);
  /// What has not begun is left out.
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  /// Jobs must not throw. False: too many wait already.
  bool give(std::function<void()> job);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tactus::serve
