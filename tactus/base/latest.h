// The latest value from one thread to another, without locks and without waiting: three slots, one of the
// writer, one of the reader, one in between. Values that the reader was too slow for are lost.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace tactus {

template <class T>
class Latest {
 public:
  explicit Latest(const T& initial = T()) : slots_{initial, initial, initial} {}
  /// Each slot from a call of make(): copies of a value need not have the room that it has.
  template <class Make>
  Latest(std::in_place_t, const Make& make) : slots_{make(), make(), make()} {}

  /// The writer's: fill back(), then publish() it; back() is then another slot with an older value.
  T& back() { return slots_[back_]; }
  void publish() { back_ = middle_.exchange(back_ | kNew, std::memory_order_acq_rel) & kSlot; }

  /// The reader's: update() takes the newest value to front(); false where there is none since the last one.
  bool update() {
    if ((middle_.load(std::memory_order_relaxed) & kNew) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kSlot;
    return true;
  }
  const T& front() const { return slots_[front_]; }

 private:
  static constexpr std::uint8_t kSlot = 3, kNew = 4;
  std::array<T, 3> slots_;
  std::uint8_t back_ = 0, front_ = 2;
  std::atomic<std::uint8_t> middle_{1};
};

}  // namespace tactus
