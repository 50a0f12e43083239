// A device whose vendor's thread, or whose driver's own, moves samples and forces: the user's thread and that one meet in mailboxes that
// neither waits for. The state is shared; a force that is not renewed counts for kMostHeld periods.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <tactus/base/latest.h>
#include <tactus/device/drivers/arrival.h>
#include <tactus/device/drivers/trouble.h>
#include <tactus/device/saturation.h>

namespace tactus::device {

class MailboxDevice : public Device {
 public:
  explicit MailboxDevice(Specification specification) : specification_(std::move(specification)) {}

  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return state_.load(); }
  bool enable() noexcept override {
    tell_force({});
    State expected = State::off;
    return state_.compare_exchange_strong(expected, State::enabled) || expected == State::enabled;
  }
  void disable() noexcept override {
    tell_force({});
    switch_off();
  }
  /// The other thread's next round is without a force.
  void stop() noexcept override { switch_off(); }

  bool read(Sample& sample) noexcept override {
    if (sample_.number == 0 || state() == State::lost) return false;
    sample = sample_;
    return true;
  }
  bool command(const Command& command) noexcept override {
    const bool does = state() == State::enabled && finite(command.wrench);
    tell_force(does ? saturated(specification_, command.wrench) : Vector6{});
    return does;
  }
  std::string trouble() const override { return trouble_.text(); }

 protected:
  /// Periods that a force is held without a new one: the 20 ms after which a tick is late.
  static constexpr int kMostHeld = 20;

  // In the user's thread.
  /// Until a sample comes that was not taken yet; no news for `silence` [s]: lost. An arrival may tell of a sample that was
  /// taken already.
  bool wait_for_sample(double silence) noexcept {
    do {
      if (!arrived_.wait(silence)) {
        trouble_.say("its thread was not heard of any more");
        lose();
      }
      if (state() == State::lost) return false;
    } while (!take());
    return true;
  }
  bool take() noexcept {
    if (!samples_.update()) return false;
    const std::uint64_t number = sample_.number + 1;
    sample_ = samples_.front();
    sample_.number = number;
    return true;
  }

  // In the other thread.
  /// The force of the newest command; none while off, lost, or without news. Once a period.
  Vector6 newest_force() noexcept {
    held_ = forces_.update() ? 0 : std::min(held_ + 1, kMostHeld + 1);
    return state() == State::enabled && held_ <= kMostHeld ? forces_.front() : Vector6{};
  }

  // In either.
  void lose() noexcept { state_ = State::lost; }
  /// It is there again, and off, with nothing said or seen: while no other thread uses it.
  void find_again() noexcept {
    tell_force({});
    trouble_.forget();
    sample_ = {};
    state_ = State::off;
  }
  void switch_off() noexcept {
    State expected = State::enabled;
    state_.compare_exchange_strong(expected, State::off);
  }

  Specification specification_;
  Trouble trouble_;  // said before lose()
  Arrival arrived_;
  Latest<Sample> samples_;

 private:
  void tell_force(const Vector6& wrench) noexcept {
    forces_.back() = wrench;
    forces_.publish();
  }

  std::atomic<State> state_ = State::off;
  Latest<Vector6> forces_;
  Sample sample_{};
  int held_ = 0;
};

}  // namespace tactus::device
