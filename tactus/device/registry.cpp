#include <tactus/device/registry.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/device_file.h>
#include <tactus/device/drivers/drivers.h>
#include <tactus/device/hand_limits.h>
#include <tactus/device/simulated_devices.h>
#include <tactus/device/simulated_impedance.h>

namespace tactus::device {

namespace {

double stiffness_bound(const Specification& s, std::size_t k) {
  const double sampled = s.damping[k] / (0.5 / s.rate + s.latency);
  const double stepped =
      s.resolution[k] > 0.0 ? 2.0 * s.friction[k] / s.resolution[k] : std::numeric_limits<double>::infinity();
  return std::min(sampled, stepped);
}

/// The one of that name; nothing where there is none.
std::optional<SimulatedDevice> named(std::string_view name) {
  if (is_device_file(name)) return read_device(std::string(name));
  if (name.starts_with("model:")) {
    SimulatedDevice device = device_of_model(name);
    if (is_devices_text(device.model.file))
      throw InputError({device.model.file}, "this is a device's file, and no mechanism's",
                       fmt::format("give it as it is: --device {}", device.model.file));
    return device;
  }
  for (SimulatedDevice& device : simulated_devices())
    if (device.specification.name == name) return std::move(device);
  return std::nullopt;
}

}  // namespace

double largest_stiffness(const Specification& specification) { return stiffness_bound(specification, 1); }
double largest_rotational_stiffness(const Specification& specification) {
  return stiffness_bound(specification, 0);
}

std::vector<Specification> devices() {
  std::vector<Specification> all;
  for (SimulatedDevice& device : simulated_devices()) all.push_back(std::move(device.specification));
  return all;
}

std::optional<Simulated> simulated(std::string_view name, double rate) {
  using Make = SimulatedDevice::Make;
  std::optional<SimulatedDevice> device = named(name);
  if (!device || device->make == Make::model) return std::nullopt;
  run_at(*device, rate);
  return Simulated{device->specification, settings_of(*device), device->make != Make::impedance};
}

std::optional<OfModel> of_model(std::string_view name) {
  const std::optional<SimulatedDevice> device = named(name);
  if (!device || device->make != SimulatedDevice::Make::model) return std::nullopt;
  return OfModel{device->model.file, settings_of(*device)};
}

namespace {

std::unique_ptr<Device> open_any(std::string_view name, HandPointer hand, const DeviceOptions& options) {
  if (std::optional<SimulatedDevice> device = named(name))
    return open(std::move(*device), std::move(hand), options);
  if (std::unique_ptr<Device> hardware = open_driver(name, options)) return hardware;
  std::vector<std::string> names;
  for (const Specification& s : devices()) names.push_back(s.name);
  throw InputError({}, fmt::format("there is no device `{}`", name),
                   fmt::format("known: {}; model:FILE; arm:FILE; FILE.yaml with numbers of your own; and the "
                               "drivers that `tactus devices` lists",
                               fmt::join(names, ", ")));
}

}  // namespace

std::unique_ptr<Device> open(std::string_view name, HandPointer hand, const DeviceOptions& options) {
  const Hand* const holder = hand.get();  // the device keeps it; a driver of hardware needs none
  const HandLimits any;
  std::unique_ptr<Device> device = open_any(name, std::move(hand), options);
  if (const HandLimits most = device->hand_limits();
      most.stiffness != any.stiffness || most.damping != any.damping)
    require_borne(*holder, *device);
  return device;
}

std::unique_ptr<Device> simulated_impedance(const Specification& specification, HandPointer hand,
                                            const Vector6& V) {
  auto device = std::make_unique<SimulatedImpedance>(specification, std::move(hand));
  device->set_handle({.p = {}, .orientation = {}, .V = V});
  return device;
}

std::unique_ptr<Device> simulated_admittance(const Specification& specification, HandPointer hand,
                                             const PlainServo& plain) {
  Servo servo;
  servo.bandwidth = plain.bandwidth;
  servo.leads = plain.leads;
  servo.compliance = plain.compliance;
  Specification quiet = specification;
  quiet.force_noise = {};
  return std::make_unique<SimulatedAdmittance>(quiet, std::move(hand), servo);
}

std::unique_ptr<Device> simulated_cobot(const Specification& specification, HandPointer hand) {
  return std::make_unique<SimulatedCobot>(specification, std::move(hand), CobotOptions{});
}

}  // namespace tactus::device
