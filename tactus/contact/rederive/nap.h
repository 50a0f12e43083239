// How a background thread waits for work without being woken by the tick, for which that would be a system call
// (a futex): it sleeps 50 us while there is work now and then, which is less than the code of a set takes to make,
// and twice as long each time there is none, up to 1 ms. It costs a few thousandths of a core. Whoever is not in a
// hurry to end may wake it.
#pragma once

#include <algorithm>
#include <chrono>
#include <semaphore>

namespace tactus::contact {

class Nap {
 public:
  /// The background thread's. `worked`: there was something to do since the last nap.
  void take(bool worked) {
    length_ = worked ? kShortest : std::min(2 * length_, kLongest);
    if (woken_.try_acquire_for(length_)) length_ = kShortest;
  }
  /// Anyone's, outside of ticks.
  void end() { woken_.release(); }

 private:
  using Microseconds = std::chrono::microseconds;
  static constexpr Microseconds kShortest{50}, kLongest{1000};
  Microseconds length_ = kShortest;
  std::counting_semaphore<> woken_{0};
};

}  // namespace tactus::contact
