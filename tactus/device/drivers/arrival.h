// One thread tells another that something has come.
#pragma once

#include <semaphore.h>
#include <time.h>

#include <cerrno>

namespace tactus::device {

class Arrival {
 public:
  Arrival() noexcept { sem_init(&semaphore_, 0, 0); }
  ~Arrival() { sem_destroy(&semaphore_); }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  void tell() noexcept { sem_post(&semaphore_); }
  /// Until something has come since the last wait; false where nothing has for that long [s].
  bool wait(double longest) noexcept {
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const long long end =
        until.tv_sec * 1'000'000'000LL + until.tv_nsec + static_cast<long long>(1e9 * longest);
    until = {.tv_sec = static_cast<time_t>(end / 1'000'000'000),
             .tv_nsec = static_cast<long>(end % 1'000'000'000)};
    int result;
    while ((result = sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR) {
    }
    if (result != 0) return false;
    while (sem_trywait(&semaphore_) == 0) {  // all that has come is one arrival
    }
    return true;
  }

 private:
  sem_t semaphore_;
};

}  // namespace tactus::device
