// Why a driver gave its device up: the first reason, in words, kept without allocating or locking. Any thread may say it; it is read
// after the loop.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::device {

class Trouble {
 public:
  /// `quote`: what the other side said, as far as there is room; what cannot be printed becomes a point.
  void say(std::string_view what, std::string_view quote = {}, std::string_view remedy = {}) noexcept {
    int expected = kNone;
    if (!state_.compare_exchange_strong(expected, kWriting)) return;
    constexpr std::size_t kLongestQuote = 60;
    add(what);
    if (!quote.empty()) {
      add(" `");
      for (const char c : quote.substr(0, kLongestQuote)) {
        const char one = c >= ' ' && c <= '~' ? c : '.';
        add({&one, 1});
      }
      add(quote.size() > kLongestQuote ? "...`" : "`");
    }
    if (!remedy.empty()) {
      add("; ");
      add(remedy);
    }
    state_.store(kSaid, std::memory_order_release);
  }
  /// While nobody says anything.
  void forget() noexcept {
    size_ = 0;
    state_.store(kNone, std::memory_order_release);
  }
  std::string text() const {
    return state_.load(std::memory_order_acquire) == kSaid ? std::string(text_.data(), size_) : std::string();
  }

 private:
  enum : int { kNone, kWriting, kSaid };
  void add(std::string_view more) noexcept {
    const std::size_t room = std::min(more.size(), text_.size() - size_);
    std::copy_n(more.begin(), room, text_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += room;
  }

  std::atomic<int> state_ = kNone;
  std::array<char, 320> text_{};
  std::size_t size_ = 0;
};

}  // namespace tactus::device
