// A device of which one sample goes wrong.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <tactus/device/device.h>

namespace tactus::display {

enum class Injected {
  nothing,
  lost,
  gone,
  late,
  doubled,
  skipped,
  garbage,
  nan,
  stopped_clock,
  nan_force,    // of the hand, and of its velocity
  no_rotation,  // an orientation that is none
  flipped,      // a handle that has turned around within a period
  refused,      // the command of this sample is not carried out
  strong,       // a hand that no hand is
};

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
          sample.t += lateness_;
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
        case Injected::nan_force:
          sample.F_H_W[4] = sample.V_WH[1] = std::numeric_limits<double>::quiet_NaN();
          break;
        case Injected::strong:
          sample.F_H_W[3] = 1e7;
          break;
        case Injected::no_rotation:
          sample.X_WH.R = 2.0 * sample.X_WH.R;
          break;
        case Injected::flipped:
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 2; ++j) sample.X_WH.R(i, j) = -sample.X_WH.R(i, j);
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
    ++commands_;
    if (waits_ == at_ && what_ == Injected::refused) return false;
    return inner_->command(command);
  }
  /// At the next sample but so many.
  void inject(Injected what, std::uint64_t ahead) { what_ = what, at_ = waits_ + ahead; }
  /// [s] Of what is late.
  void set_lateness(double lateness) { lateness_ = lateness; }
  bool dynamics(device::HandleDynamics& dynamics) noexcept override { return inner_->dynamics(dynamics); }
  const device::Command& last_command() const { return last_command_; }
  int commands() const { return commands_; }
  const device::Sample& last() const { return last_; }

 private:
  std::unique_ptr<Device> inner_;
  Injected what_;
  std::uint64_t at_, waits_ = 0;
  double lateness_ = 0.05;
  device::Sample last_{};
  device::Command last_command_{};
  int commands_ = 0;
};

}  // namespace tactus::display
