// Force Dimension's devices (omega, delta, sigma, lambda, and Novint's Falcon) through libdhd.
//
// libdhd has metres, newtons and seconds; x towards the user, y to the right, z up. Its functions give -1 for a failure;
// 0, 1 (too soon after the last call: the values are those of then) and 2 (a motor at its limit) are successes. It has no
// clock of its own: wait() paces the loop by absolute deadlines.
#pragma once

#include <memory>
#include <optional>

#include <tactus/device/registry.h>

namespace tactus::device {

/// The number that libdhd gives it, or the first one. Throws InputError where the library, its version or the device is not
/// what it should be.
std::unique_ptr<Device> open_force_dimension(std::optional<int> number, const DeviceOptions& options);
Driver find_force_dimension();

}  // namespace tactus::device
