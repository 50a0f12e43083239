#include <tactus/device/drivers/drivers.h>

#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/evdev.h>
#include <tactus/device/drivers/force_dimension.h>
#include <tactus/device/drivers/haply.h>
#include <tactus/device/drivers/open_haptics.h>
#include <tactus/device/drivers/pointer.h>
#include <tactus/device/drivers/recorded.h>

namespace tactus::device {

namespace {

/// The device's number after the colon, where there is one.
std::optional<int> number_of(std::string_view name, std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr int kMost = 127;  // libdhd counts in a char
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > kMost)
    throw InputError({}, fmt::format("device `{}`: `{}` is no device's number", name, text),
                     "whole numbers from 0 on, as in forcedimension:1");
  return number;
}

}  // namespace

std::unique_ptr<Device> open_driver(std::string_view name, const DeviceOptions& options) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string_view driver = name.substr(0, colon);
  const std::string rest(name.substr(std::min(colon + 1, name.size())));
  if (driver == "forcedimension" || driver == "dhd")
    return open_force_dimension(number_of(name, rest), options);
  if (driver == "openhaptics") return open_open_haptics(rest, options);
  if (driver == "haply") return open_haply(rest, options);
  if (driver == "evdev") return open_evdev(rest, options);
  if (driver == "file") return open_recorded(rest, options);
  if (driver == "pointer") refuse_pointer();
  return nullptr;
}

std::vector<Driver> drivers() {
  return {find_force_dimension(), find_open_haptics(), find_haply(),
          find_evdev(),           find_recorded(),     find_pointer()};
}

}  // namespace tactus::device
