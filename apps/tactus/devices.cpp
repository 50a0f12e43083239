// tactus devices: what can be held, with specifications; and which drivers find what they need.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/device/registry.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

using device::Specification;
using nlohmann::ordered_json;

std::vector<std::string> axes_of(std::uint8_t axes) {
  static const char* const kNames[] = {"rx", "ry", "rz", "x", "y", "z"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) names.push_back(kNames[i]);
  return names;
}

/// {rotation, translation} with the names of both.
ordered_json pair_of(const std::array<double, 2>& values) {
  return {{"rotation", values[0]}, {"translation", values[1]}};
}

ordered_json as_json(const Specification& s) {
  return {{"name", s.name},
          {"description", s.description},
          {"kind", name_of(s.kind)},
          {"sensed", axes_of(s.sensed)},
          {"actuated", axes_of(s.actuated)},
          {"workspace_half_m", {s.workspace.x, s.workspace.y, s.workspace.z}},
          {"workspace_angle_rad", s.workspace_angle},
          {"continuous", pair_of(s.continuous)},
          {"peak", pair_of(s.peak)},
          {"largest_stiffness", s.stiffness},
          {"rate_hz", s.rate},
          {"latency_s", s.latency},
          {"resolution", pair_of(s.resolution)},
          {"force_sensor", s.force_sensor},
          {"force_resolution", pair_of(s.force_resolution)},
          {"force_noise", pair_of(s.force_noise)},
          {"speed", pair_of(s.speed)},
          {"inertia", pair_of(s.inertia)},
          {"damping", pair_of(s.damping)},
          {"friction", pair_of(s.friction)},
          {"velocity_bandwidth", s.velocity_bandwidth},
          {"owns_clock", s.owns_clock}};
}

void print(const Specification& s) {
  fmt::print("{}: {}\n", s.name, s.description);
  fmt::print("  {}, {:g} Hz, latency {:g} ms; axes {}\n", name_of(s.kind), s.rate, 1e3 * s.latency,
             fmt::join(axes_of(s.sensed), " "));
  if (s.workspace.x > 0.0)
    fmt::print("  workspace {:g} x {:g} x {:g} m\n", 2 * s.workspace.x, 2 * s.workspace.y, 2 * s.workspace.z);
  if (s.workspace_angle > 0.0) fmt::print("  turns by {:g} rad from its zero at most\n", s.workspace_angle);
  if (s.peak[1] > 0.0)
    fmt::print("  {:g} N for long, {:g} N at most; {:g} N m, {:g} N m\n", s.continuous[1], s.peak[1],
               s.continuous[0], s.peak[0]);
  const bool moves = (s.actuated & device::kTranslation) != 0;
  if (!moves && s.peak[0] > 0.0)
    fmt::print("  {:g} N m for long, {:g} N m at most\n", s.continuous[0], s.peak[0]);
  if (moves)
    fmt::print("  steps of {:g} m, {:g} rad", s.resolution[1], s.resolution[0]);
  else
    fmt::print("  steps of {:g} rad", s.resolution[0]);
  if (s.kind == device::Kind::impedance) {
    if (moves)
      fmt::print("; {:g} kg, {:g} N s/m, dry friction {:g} N", s.inertia[1], s.damping[1], s.friction[1]);
    else
      fmt::print("; {:g} kg m^2, {:g} N m s/rad, dry friction {:g} N m", s.inertia[0], s.damping[0],
                 s.friction[0]);
  }
  if (s.force_sensor)
    fmt::print("; force sensor in steps of {:g} N, {:g} N m, with a noise of {:g} N, {:g} N m",
               s.force_resolution[1], s.force_resolution[0], s.force_noise[1], s.force_noise[0]);
  if (s.speed[1] > 0.0)
    fmt::print("\n  goes at {:.3g} m/s, {:.3g} rad/s along each axis at most", s.speed[1], s.speed[0]);
  // An admittance device is asked for places: what counts is how much it yields where it yields most.
  fmt::print("\n  {} {:g} {}\n",
             s.kind == device::Kind::impedance ? "shows at most" : "is nowhere softer than", s.stiffness,
             moves ? "N/m" : "N m/rad");
}

void print(const device::Driver& driver) {
  fmt::print("{}: {}\n  {}: {}\n", driver.form, driver.specification.description,
             driver.available ? "there" : "not there", driver.found);
}

ordered_json as_json(const device::Driver& driver) {
  ordered_json json = as_json(driver.specification);
  json["name"] = driver.form;
  json["driver"] = true;
  json["available"] = driver.available;
  json["found"] = driver.found;
  return json;
}

/// Devices that are made of a model's file.
struct Made {
  const char *form, *kind, *description;
  double rate;  // [Hz]
};
constexpr Made kMade[] = {
    {"model:FILE[:PORT]", "impedance", "any model with motors at its joints, held at a port", 1000.0},
    {"arm:FILE[:FRAME]", "admittance",
     "robot arm of six joints with a spherical wrist, force transducer at its tool, closed inverse "
     "kinematics, "
     "control by its model (--arm-law and others of `tactus haptic`)",
     500.0},
};

void run(bool json) {
  const std::vector<device::Driver> drivers = device::drivers();
  if (!json) {
    for (const Specification& s : device::devices()) print(s);
    fmt::print("\nOf models:\n");
    for (const Made& made : kMade) fmt::print("{}: {}\n", made.form, made.description);
    fmt::print("\nDrivers:\n");
    for (const device::Driver& driver : drivers) print(driver);
    return;
  }
  ordered_json all = ordered_json::array();
  for (const Specification& s : device::devices()) {
    all.push_back(as_json(s));
    all.back()["driver"] = false;
    all.back()["available"] = true;
  }
  for (const Made& made : kMade)
    all.push_back({{"name", made.form},
                   {"description", made.description},
                   {"kind", made.kind},
                   {"sensed", ordered_json::array()},
                   {"rate_hz", made.rate},
                   {"driver", false},
                   {"available", true}});
  for (const device::Driver& driver : drivers) all.push_back(as_json(driver));
  // What a library or a service said of itself may be any bytes.
  fmt::print("{}\n", all.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

void add_devices(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = program.add_subcommand("devices", "List the devices that a hand can hold");
  verb->add_flag("--json", *json, "specifications as JSON");
  verb->callback([json] { run(*json); });
}

}  // namespace tactus::apps
