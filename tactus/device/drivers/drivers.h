// Drivers by their names.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <tactus/device/registry.h>

namespace tactus::device {

/// Null where no driver has that name. Throws InputError where one has, and cannot be opened.
std::unique_ptr<Device> open_driver(std::string_view name, const DeviceOptions& options);

}  // namespace tactus::device
