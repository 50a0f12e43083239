// tactus devices [NAME]: what can be held, and which drivers find what they need; or all that is known of one, and what it can show.
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/device/hand.h>
#include <tactus/device/registry.h>

#include "device_design.h"
#include "device_output.h"
#include "options.h"
#include "refuse.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using device::Setting;
using device::Specification;
using nlohmann::ordered_json;

struct DevicesRequest {
  std::string name;
  double rate = 0.0;      // [Hz]; 0: its own
  double latency = -1.0;  // [ms]; below 0: its own
  Behind behind;
  bool json = false;
};

/// What a library or a service said of itself may be any bytes.
void print_json(const ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

// ---- all of them

ordered_json driver_json(const device::Driver& driver) {
  ordered_json json = as_json(driver.specification);
  json["name"] = driver.form;
  json["driver"] = true;
  json["available"] = driver.available;
  json["found"] = driver.found;
  return json;
}

/// Devices that are made of a file, which says their numbers.
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

/// The keys of the others: null where the file says it.
ordered_json made_json(const Made& made) {
  ordered_json json = as_json(Specification{});
  for (ordered_json& value : json) value = nullptr;
  json["name"] = made.form;
  json["description"] = made.description;
  json["kind"] = made.kind;
  json["sensed"] = json["actuated"] = ordered_json::array();
  json["rate_hz"] = made.rate;
  json["driver"] = false;
  json["available"] = true;
  return json;
}

void list(bool as_json_text) {
  const std::vector<device::Driver> drivers = device::drivers();
  if (!as_json_text) {
    for (const Specification& s : device::devices()) print_short(s);
    fmt::print("\nOf files:\n");
    for (const Made& made : kMade) fmt::print("{}: {}\n", made.form, made.description);
    fmt::print(
        "FILE.yaml: a simulated device, or a model as one, with numbers of your own (docs/device-file.md)\n");
    fmt::print("\nDrivers:\n");
    for (const device::Driver& driver : drivers)
      fmt::print("{}: {}\n  {}: {}\n", driver.form, driver.specification.description,
                 driver.available ? "there" : "not there", driver.found);
    fmt::print("\n`tactus devices NAME` has every number of one, and what it can show.\n");
    return;
  }
  ordered_json all = ordered_json::array();
  for (const Specification& s : device::devices()) {
    all.push_back(as_json(s));
    all.back()["driver"] = false;
    all.back()["available"] = true;
  }
  for (const Made& made : kMade) all.push_back(made_json(made));
  for (const device::Driver& driver : drivers) all.push_back(driver_json(driver));
  print_json(all);
}

// ---- one of them

struct Known {
  Specification specification;
  std::vector<Setting> settings;
  bool driver = false, available = true;
  std::string found{};  // of a driver
  bool of_model = false;
};

/// "forcedimension" of "forcedimension[:NUMBER]" and of "forcedimension:1".
std::string_view without_number(std::string_view name) { return name.substr(0, name.find_first_of("[:")); }

Known known(const DevicesRequest& request) {
  const std::string& name = request.name;
  if (name == "model:" || name == "arm:" || name == "file:")
    refuse(fmt::format("`{}` names no file", name),
           "model:FILE, model:FILE:PORT, arm:FILE, arm:FILE:FRAME, file:TABLE.csv");
  if (auto simulated = device::simulated(name, request.rate))
    return {std::move(simulated->specification), std::move(simulated->settings)};
  if (auto made = device::of_model(name)) {
    const auto device = device::open(name, device::none(), {.rate = request.rate});
    return {device->specification(), std::move(made->settings), false, true, {}, true};
  }
  // Of what is made of a file the file says everything; hardware is not opened to be looked at.
  for (const char* kind : {"arm:", "file:"})
    if (name.starts_with(kind)) {
      const auto device = control::open_device(name, device::none(), {.rate = request.rate});
      return {device->specification(), {}, std::string_view(kind) == "file:"};
    }
  const std::string_view wanted = name.starts_with("dhd") ? "forcedimension" : without_number(name);
  std::vector<std::string> names;
  for (const Specification& s : device::devices()) names.push_back(s.name);
  for (device::Driver& driver : device::drivers()) {
    names.emplace_back(without_number(driver.form));
    if (names.back() != wanted) continue;
    Known found{std::move(driver.specification), {}, true, driver.available, std::move(driver.found)};
    if (request.rate > 0.0) found.specification.rate = request.rate;
    return found;
  }
  const std::string near = nearest(name, names);
  refuse(fmt::format("there is no device `{}`", name),
         near.empty() ? "`tactus devices` lists them; model:FILE, arm:FILE and FILE.yaml are devices, too"
                      : fmt::format("did you mean `{}`?", near));
}

/// Whether a servo comes after what it is told.
bool lags(const Known& device) {
  return std::any_of(device.settings.begin(), device.settings.end(),
                     [](const Setting& s) { return s.name == "leads" && s.word == "no"; });
}

/// Options that say nothing of such a device.
std::vector<std::string> idle(const DevicesRequest& request, const Specification& s) {
  std::vector<std::string> notes;
  const bool impedance = s.kind == device::Kind::impedance;
  if (impedance && request.behind.damping > 0.0)
    notes.emplace_back("--damping does nothing here: it is what admittance devices render");
  if (!impedance && request.behind.inertia > 0.0)
    notes.emplace_back("--inertia does nothing here: it is of couplers, on impedance devices");
  if (!impedance && request.behind.damping > 0.0 && !(request.behind.mass > 0.0))
    notes.emplace_back("--damping does nothing here: it is for --mass");
  return notes;
}

void show(const DevicesRequest& request) {
  Known device = known(request);
  Specification& s = device.specification;
  if (request.latency >= 0.0) s.latency = 1e-3 * request.latency;
  // What is opened knows it by itself, a driver's usual device does not.
  const bool other = request.latency >= 0.0 || (device.driver && request.rate > 0.0);
  if (other && s.kind == device::Kind::impedance)
    s.stiffness = (s.actuated & device::kTranslation) != 0 ? device::largest_stiffness(s)
                                                           : device::largest_rotational_stiffness(s);
  constexpr auto kMostDelay = static_cast<double>(device::kMostDelay);
  if (s.kind == device::Kind::impedance && s.latency * s.rate > kMostDelay)
    refuse(fmt::format("a latency of {:g} ms at {:g} Hz is {:g} periods", 1e3 * s.latency, s.rate,
                       s.latency * s.rate),
           fmt::format("{:g} periods at most: {:g} ms at this rate", kMostDelay, 1e3 * kMostDelay / s.rate));
  const bool lagging = lags(device);
  const std::vector<std::string> notes = idle(request, s);
  if (request.json) {
    ordered_json json = as_json(s);
    json["driver"] = device.driver;
    json["available"] = device.available;
    if (device.driver && !device.found.empty()) json["found"] = device.found;
    if (!device.settings.empty()) json["settings"] = as_json(device.settings);
    json["design"] = design_of(s, request.behind, lagging);
    if (!notes.empty()) json["notes"] = notes;
    return print_json(json);
  }
  print_whole(s, device.settings, device.of_model);
  if (!device.found.empty())
    fmt::print("  {:<23}{}: {}; these are the numbers of a usual one\n", "driver",
               device.available ? "there" : "not there", device.found);
  print_design(s, request.behind, lagging);
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
}

void run(const DevicesRequest& request) {
  if (!request.name.empty()) return show(request);
  if (request.rate > 0.0 || request.latency >= 0.0 || request.behind.mass > 0.0 ||
      request.behind.inertia > 0.0 || request.behind.damping > 0.0)
    refuse("--rate, --latency, --mass, --inertia and --damping are about one device",
           "tactus devices NAME --rate 4000");
  list(request.json);
}

}  // namespace

void add_devices(CLI::App& program) {
  auto request = std::make_shared<DevicesRequest>();
  CLI::App* verb = program.add_subcommand(
      "devices", "List the devices that a hand can hold; with a name, all of one, and what it can show");
  verb->add_option("NAME", request->name,
                   "what --device of `tactus haptic` takes: simulated:planar, FILE.yaml, model:FILE[:PORT], "
                   "arm:FILE[:FRAME], a driver's name");
  verb->add_option("--rate", request->rate, "at which it is asked what it can show [Hz]; its own")
      ->check(numbers(Range::between(1.0, 1e6)));
  verb->add_option("--latency", request->latency, "from a command to its force [ms]; its own")
      ->check(numbers(Range::between(0.0, 1e3)));
  verb->add_option("--mass", request->behind.mass,
                   "behind the coupler, or rendered by an admittance device [kg]; without: a wall")
      ->check(numbers(Range::positive()));
  verb->add_option("--inertia", request->behind.inertia,
                   "the same of rotation, of impedance devices [kg m^2]; without: a wall")
      ->check(numbers(Range::positive()));
  verb->add_option("--damping", request->behind.damping,
                   "rendered by an admittance device with that mass [N s/m]; 0")
      ->check(numbers(Range::not_negative()));
  verb->add_flag("--json", request->json, "specifications as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
