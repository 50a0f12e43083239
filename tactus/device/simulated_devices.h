// The simulated devices that have names, those that are made of a model, and what their specifications do not
// say of them. All numbers are chosen, of the size that laboratory devices have. A device of one's own is one
// of them with other numbers: device_file.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/device/registry.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_cobot.h>

namespace tactus::device {

/// Of a device that is made of a model.
struct ModelPart {
  std::string file, port;           // "": the port that the model is held at by itself
  std::array<double, 2> encoder{};  // [rad], [m] steps at joints that turn and that slide
  bool compensated = true;
};

struct SimulatedDevice {
  enum class Make : std::uint8_t { impedance, admittance, cobot, model };
  Make make = Make::impedance;
  Specification specification;  // of a model: as far as it does not tell itself; 0 where it does
  Servo servo;                  // of an admittance device; its bias is of any force sensor
  CobotOptions cobot;           // of a cobot
  ModelPart model;
};

std::vector<SimulatedDevice> simulated_devices();

/// "model:FILE" or "model:FILE:PORT", the file as seen from `folder`. Throws InputError where there is no
/// such file.
SimulatedDevice device_of_model(std::string_view name, const std::string& folder = {});

/// At that rate [Hz], or its own where that is 0: a cobot's commands are a period late, and how stiff an impedance device is depends on its rate.
void run_at(SimulatedDevice& device, double rate);

/// Throws InputError where its numbers make no device.
std::unique_ptr<Device> open(SimulatedDevice device, HandPointer hand, const DeviceOptions& options);

/// What its specification does not say, by the names that it has in a device's file.
std::vector<Setting> settings_of(const SimulatedDevice& device);

}  // namespace tactus::device
