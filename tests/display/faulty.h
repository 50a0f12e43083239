// A device of which one sample goes wrong.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <tactus/device/device.h>

namespace tactus::display {

enum class Injected { nothing, lost, gone, late, doubled, skipped, garbage, nan, stopped_clock };

/// Another device, of which one sample goes wrong.
class Faulty final : public device::Device {
 public:
  Faulty(std::unique_ptr<Device> inner, Injected what, std::uint64_t at)
      : inner_(std::move(inner)), what_(what), at_(at) {}
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override { inner_->stop(); }
  bool wait() noexcept override {
    ++waits_;
    return inner_->wait() && !(what_ == Injected::gone && waits_ >= at_);
  }
  bool read(device::Sample& sample) noexcept override {
    if (waits_ == at_ && what_ == Injected::lost) return false;
    if (waits_ == at_ && what_ == Injected::doubled) {
      sample = last_;
      return true;
    }
    if (!inner_->read(sample)) return false;
    if (waits_ == at_) {
      switch (what_) {
        case Injected::late:
          sample.t += 0.05;
          break;
        case Injected::skipped:
          ++sample.number;
          break;
        case Injected::garbage:
          sample.X_WH.p = {1e3, -1e7, 1e-300};
          break;
        case Injected::nan:
          sample.X_WH.p.x = std::numeric_limits<double>::quiet_NaN();
          break;
        case Injected::stopped_clock:
          sample.t = last_.t;
          break;
        default:
          break;
      }
    }
    last_ = sample;
    return true;
  }
  bool command(const device::Command& command) noexcept override {
    last_command_ = command;
    return inner_->command(command);
  }
  const device::Command& last_command() const { return last_command_; }
  const device::Sample& last() const { return last_; }

 private:
  std::unique_ptr<Device> inner_;
  Injected what_;
  std::uint64_t at_, waits_ = 0;
  device::Sample last_{};
  device::Command last_command_{};
};

}  // namespace tactus::display
