// Devices of one's own: `tactus haptic --device FILE.yaml`. A YAML file with a simulated device and what is different in it,
//
//   based_on: simulated:planar
//   description: our table-top prototype
//   rate: 2 kHz
//   latency: 1 ms                    # from a command to its force
//   inertia: 0.2 kg                  # of the handle, and rotational_inertia: 1e-3 kg m^2
//   friction: 0.5 N                  # dry
//   resolution: 30 um                # step of the encoders
//   peak_force: 40 N
//
// or a model as a device (model_device.h), the file as seen from this one's folder,
//
//   based_on: model:pantograph.yaml:tip
//   encoder: 1 mrad                  # steps at its joints
//   compensated: false               # its weight and friction are felt
//
// docs/device-file.md has all keys. What is not given is as it is there.
#pragma once

#include <string>
#include <string_view>

#include <tactus/device/simulated_devices.h>

namespace tactus::device {

/// Throws InputError with file, line and column where it makes no device. The device's name is `path`.
SimulatedDevice read_device(const std::string& path);

/// Whether a file says that it is a device's.
bool is_devices_text(const std::string& path);

}  // namespace tactus::device
