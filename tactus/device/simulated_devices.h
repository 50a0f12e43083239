// The simulated devices that have names, and what their specifications do not say of them. All numbers are chosen, of the size that laboratory
// devices have. A device of one's own is one of them with other numbers: device_file.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tactus/device/registry.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_cobot.h>

namespace tactus::device {

struct SimulatedDevice {
  enum class Make : std::uint8_t { impedance, admittance, cobot };
  Make make = Make::impedance;
  Specification specification;
  Servo servo;         // of an admittance device; its bias is of any force sensor
  CobotOptions cobot;  // of a cobot
};

std::vector<SimulatedDevice> simulated_devices();

/// At that rate [Hz], or its own where that is 0: a cobot's commands are a period late, and how stiff an impedance device is depends on its rate.
void run_at(SimulatedDevice& device, double rate);

/// Throws InputError where its numbers make no device.
std::unique_ptr<Device> open(SimulatedDevice device, HandPointer hand, const DeviceOptions& options);

/// What its specification does not say, by the names that it has in a device's file.
std::vector<Setting> settings_of(const SimulatedDevice& device);

}  // namespace tactus::device
