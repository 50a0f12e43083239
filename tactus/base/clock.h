// The clock of loops: monotonic, in nanoseconds, and sleeping until a time of it.
#pragma once

#include <time.h>

#include <cerrno>
#include <cstdint>

namespace tactus {

using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

inline double seconds(Nanoseconds ns) { return 1e-9 * static_cast<double>(ns); }

inline Nanoseconds now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

inline void sleep_until(Nanoseconds when) noexcept {
  const timespec t{.tv_sec = when / kSecond, .tv_nsec = when % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

}  // namespace tactus
