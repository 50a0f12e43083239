// A log's samples as a device: what was sensed is sensed again, tick by tick. And its specification, from and to text.
#pragma once

#include <map>
#include <span>
#include <string>

#include <tactus/display/log/mcap_writer.h>
#include <tactus/display/log/tick_log.h>

namespace tactus::display {

McapFields fields_of(const device::Specification& specification);
/// Throws InputError where something is missing.
device::Specification specification_of(const std::map<std::string, std::string>& fields,
                                       const std::string& file);

class LoggedDevice final : public device::Device {
 public:
  /// The entries must outlive it.
  LoggedDevice(device::Specification specification, std::span<const LogEntry> entries)
      : specification_(std::move(specification)), entries_(entries) {}

  const device::Specification& specification() const noexcept override { return specification_; }
  device::State state() const noexcept override { return state_; }
  bool enable() noexcept override;
  void disable() noexcept override;
  void stop() noexcept override {}
  bool wait() noexcept override;
  bool read(device::Sample& sample) noexcept override;
  bool command(const device::Command& command) noexcept override;
  bool dynamics(device::HandleDynamics& dynamics) noexcept override;
  std::string trouble() const override {
    return state_ == device::State::lost ? "the log has no further samples" : "";
  }

 private:
  bool has_sample(std::size_t at) const noexcept;

  device::Specification specification_;
  std::span<const LogEntry> entries_;
  std::size_t next_ = 0;  // after the sample at hand
  device::State state_ = device::State::off;
};

}  // namespace tactus::display
