// A queue from one thread to another, of fixed room, without locks and without waiting. What finds no room is lost, and counted.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

template <class T>
class Ring {
 public:
  /// Room for so many at least; all of them copies of `value`, so that what they hold has its memory.
  explicit Ring(std::size_t room, const T& value = T()) : slots_(std::bit_ceil(room), value) {}

  /// The writer's. False: no room.
  bool put(const T& value) noexcept {
    T* const slot = begin();
    if (slot == nullptr) return false;
    *slot = value;
    commit();
    return true;
  }
  /// The same in place: the slot to be filled, or null; then commit().
  T* begin() noexcept {
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    if (at - taken_.load(std::memory_order_acquire) == slots_.size()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    return &slots_[at & (slots_.size() - 1)];
  }
  void commit() noexcept {
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// The reader's: the oldest, or null; then pop().
  const T* front() const noexcept {
    const std::uint64_t at = taken_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) return nullptr;
    return &slots_[at & (slots_.size() - 1)];
  }
  void pop() noexcept { taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  std::vector<T> slots_;
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace tactus
