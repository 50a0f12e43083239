#include <tactus/display/log/logged_device.h>

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/display/log/sinks.h>

namespace tactus::display {

namespace {

/// Every number of a specification, by name.
template <class Specification, class Each>
void each_number(Specification& s, const Each& each) {
  each("workspace_x", s.workspace.x);
  each("workspace_y", s.workspace.y);
  each("workspace_z", s.workspace.z);
  each("workspace_angle", s.workspace_angle);
  const auto pair = [&](const char* name, auto& values) {
    each(fmt::format("rotational_{}", name), values[0]);
    each(name, values[1]);
  };
  pair("continuous", s.continuous);
  pair("peak", s.peak);
  each("stiffness", s.stiffness);
  each("rate", s.rate);
  each("latency", s.latency);
  pair("resolution", s.resolution);
  pair("force_resolution", s.force_resolution);
  pair("inertia", s.inertia);
  pair("damping", s.damping);
  pair("friction", s.friction);
  each("velocity_bandwidth", s.velocity_bandwidth);
  pair("force_noise", s.force_noise);
  pair("speed", s.speed);
}

}  // namespace

McapFields fields_of(const device::Specification& s) {
  McapFields fields{{"device", s.name},
                    {"description", s.description},
                    {"kind", std::string(name_of(s.kind))},
                    {"sensed", std::to_string(s.sensed)},
                    {"actuated", std::to_string(s.actuated)},
                    {"force_sensor", s.force_sensor ? "1" : "0"},
                    {"owns_clock", s.owns_clock ? "1" : "0"}};
  each_number(s, [&](const std::string& name, double x) { fields.emplace_back(name, digits_of(x)); });
  return fields;
}

device::Specification specification_of(const std::map<std::string, std::string>& fields,
                                       const std::string& file) {
  const auto text = [&](const std::string& name) {
    const auto found = fields.find(name);
    if (found == fields.end())
      throw InputError({file}, "the log does not say `" + name + "` of its device",
                       "give a log that `tactus haptic --log` wrote");
    return found->second;
  };
  const auto number = [&](const std::string& name) {
    const std::string digits = text(name);
    char* end = nullptr;
    const double x = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != 0 || !std::isfinite(x))
      throw InputError({file}, fmt::format("`{}` of the log's device is no number: {}", name, digits),
                       "give a log that `tactus haptic --log` wrote");
    return x;
  };
  device::Specification s;
  s.name = text("device");
  s.description = text("description");
  const std::string kind = text("kind");
  if (kind != name_of(device::Kind::admittance) && kind != name_of(device::Kind::impedance))
    throw InputError({file},
                     fmt::format("`kind` of the log's device is neither impedance nor admittance: {}", kind),
                     "give a log that `tactus haptic --log` wrote");
  s.kind = kind == name_of(device::Kind::admittance) ? device::Kind::admittance : device::Kind::impedance;
  const auto axes = [&](const std::string& name) {
    const double bits = number(name);
    if (!(bits >= 0.0 && bits <= static_cast<double>(device::kAllAxes) && bits == std::floor(bits)))
      throw InputError({file}, fmt::format("`{}` of the log's device says no axes: {:g}", name, bits),
                       "give a log that `tactus haptic --log` wrote");
    return static_cast<std::uint8_t>(bits);
  };
  s.sensed = axes("sensed");
  s.actuated = axes("actuated");
  s.force_sensor = number("force_sensor") != 0.0;
  s.owns_clock = fields.count("owns_clock") > 0 && number("owns_clock") != 0.0;  // older logs do not say
  each_number(s, [&](const std::string& name, double& x) {
    const bool newer = name.ends_with("force_noise") || name.ends_with("speed");  // older logs do not say
    if (!newer || fields.count(name) > 0) x = number(name);
  });
  if (!(s.rate > 0.0)) throw InputError({file}, "the log's rate is not positive", "give another log");
  return s;
}

bool LoggedDevice::enable() noexcept {
  if (state_ != device::State::lost) state_ = device::State::enabled;
  return state_ == device::State::enabled;
}

void LoggedDevice::disable() noexcept {
  if (state_ != device::State::lost) state_ = device::State::off;
}

bool LoggedDevice::wait() noexcept {
  if (next_ == entries_.size()) {
    state_ = device::State::lost;
    return false;
  }
  ++next_;
  return true;
}

bool LoggedDevice::read(device::Sample& sample) noexcept {
  if (next_ == 0 || !has_sample(next_ - 1)) return false;
  sample = entries_[next_ - 1].sample;
  return true;
}

/// Where there was none, or a device that a watchdog stopped gave none, the entry has that of the tick
/// before.
bool LoggedDevice::has_sample(std::size_t at) const noexcept {
  const control::Fault fault = entries_[at].record.fault;
  if (fault != control::Fault::watchdog) return fault != control::Fault::no_sample;
  return at == 0 ? entries_[at].sample.number > 0
                 : entries_[at].sample.number != entries_[at - 1].sample.number;
}

bool LoggedDevice::command(const device::Command& command) noexcept {
  const bool sound =
      device::finite(command.wrench) && device::finite(command.X_WH) && device::finite(command.V_WH);
  const control::Fault fault = next_ > 0 ? entries_[next_ - 1].record.fault : control::Fault::none;
  const bool refused = fault == control::Fault::refused || fault == control::Fault::watchdog;
  return sound && !refused && state_ == device::State::enabled;
}

bool LoggedDevice::dynamics(device::HandleDynamics& dynamics) noexcept {
  if (next_ == 0 || !entries_[next_ - 1].has_dynamics) return false;
  dynamics = entries_[next_ - 1].dynamics;
  return true;
}

}  // namespace tactus::display
