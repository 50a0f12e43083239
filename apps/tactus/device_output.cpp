#include "device_output.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tactus::apps {

namespace {

using device::Specification;
using nlohmann::ordered_json;

/// {rotation, translation} with the names of both.
ordered_json pair_of(const std::array<double, 2>& values) {
  return {{"rotation", values[0]}, {"translation", values[1]}};
}

bool moves(const Specification& s) { return (s.sensed & device::kTranslation) != 0; }
bool turns(const Specification& s) { return (s.sensed & 0b000111) != 0; }

std::string axes_in_words(std::uint8_t axes) {
  return axes == 0 ? "none" : fmt::format("{}", fmt::join(axes_of(axes), " "));
}

void line(std::string_view name, const std::string& value) { fmt::print("  {:<23}{}\n", name, value); }

/// Both numbers of a pair, as far as the device has axes of that kind; `zero` where one is 0.
void line(std::string_view name, const Specification& s, const std::array<double, 2>& pair, const char* unit,
          const char* rotational_unit, const char* zero) {
  const auto number = [&](double x, const char* of) {
    return x == 0.0 ? std::string(zero) : fmt::format("{:g} {}", x, of);
  };
  std::string text;
  if (moves(s)) text = number(pair[1], unit);
  if (turns(s) && !(moves(s) && pair[0] == 0.0 && pair[1] == 0.0))
    text += (text.empty() ? "" : ", ") + number(pair[0], rotational_unit);
  line(name, text);
}

}  // namespace

std::vector<std::string> axes_of(std::uint8_t axes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) names.emplace_back(device::kAxisNames[i]);
  return names;
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

ordered_json as_json(const std::vector<device::Setting>& settings) {
  ordered_json json = ordered_json::object();
  for (const device::Setting& setting : settings) {
    if (setting.word == "yes" || setting.word == "no")
      json[setting.name] = setting.word == "yes";
    else if (!setting.word.empty())
      json[setting.name] = setting.word;
    else if (setting.values.size() == 1)
      json[setting.name] = setting.values[0];
    else
      json[setting.name] = setting.values;
  }
  return json;
}

void print_short(const Specification& s) {
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

void print_whole(const Specification& s, const std::vector<device::Setting>& settings, bool of_model) {
  const bool impedance = s.kind == device::Kind::impedance;
  fmt::print("{}: {}\n", s.name, s.description);
  line("kind", impedance ? "impedance: it is moved by the hand, and pushes back"
                         : "admittance: it senses the hand's wrench, and moves");
  line("axes", axes_in_words(s.sensed));
  line("motors along", axes_in_words(s.actuated));
  line("rate", fmt::format("{:g} Hz{}", s.rate, s.owns_clock ? ", by its own clock" : ""));
  line("latency", fmt::format("{:g} ms", 1e3 * s.latency));
  if (moves(s)) {
    std::string sides;
    for (std::size_t i = 0; i < 3; ++i)
      if (s.workspace[i] > 0.0 && device::has_axis(s.sensed, 3 + i))
        sides += fmt::format("{}{} from {:g} to {:g} m", sides.empty() ? "" : ", ", "xyz"[i], -s.workspace[i],
                             s.workspace[i]);
    const bool reaches = sides.empty() && of_model;
    line("workspace", reaches         ? "none is stated: as far as its mechanism reaches"
                      : sides.empty() ? "any place"
                                      : sides);
  }
  if (turns(s))
    line("turns by", s.workspace_angle > 0.0
                         ? fmt::format("{:g} rad from its zero at most ({:.4g} deg)", s.workspace_angle,
                                       s.workspace_angle * 180.0 / std::numbers::pi)
                     : of_model ? "none is stated: as far as its mechanism turns"
                                : "any angle");
  constexpr const char* kNoLimit = "no limit";
  line(impedance ? "gives for ever" : "bears for ever", s, s.continuous, "N", "N m", kNoLimit);
  line(impedance ? "gives at most" : "senses at most", s, s.peak, "N", "N m", kNoLimit);
  line("encoder steps", s, s.resolution, "m", "rad", "none");
  // A file of a cobot's numbers has its own name, and its drum.
  const bool cobot = std::any_of(settings.begin(), settings.end(),
                                 [](const device::Setting& setting) { return setting.name == "drum_speed"; });
  line("velocity",
       s.velocity_bandwidth > 0.0
           ? fmt::format("differences through {} at {:g} rad/s ({:.4g} Hz)", cobot ? "a pole" : "two poles",
                         s.velocity_bandwidth, s.velocity_bandwidth / (2.0 * std::numbers::pi))
           : "plain differences");
  if (s.force_sensor || !impedance)
    line("force sensor's steps", s, s.force_resolution, "N", "N m", "none");
  else
    line("force sensor", "none");
  constexpr const char* kNone = "none";
  if (s.speed[1] > 0.0 || s.speed[0] > 0.0) line("goes at most", s, s.speed, "m/s", "rad/s", kNoLimit);
  line("inertia", s, s.inertia, "kg", "kg m^2", impedance ? kNone : "as it is told to have");
  line("damping", s, s.damping, "N s/m", "N m s/rad", kNone);
  line("dry friction", s, s.friction, "N", "N m", kNone);
  const bool pushes = (s.actuated & device::kTranslation) != 0;
  line(impedance ? "shows at most" : "nowhere softer than",
       fmt::format("{:g} {}", s.stiffness, pushes ? "N/m" : "N m/rad"));
  for (const device::Setting& setting : settings) {
    const std::string value =
        setting.word.empty() ? fmt::format("{:g}", fmt::join(setting.values, ", ")) : setting.word;
    line(setting.name, value + (setting.unit.empty() ? "" : " ") + setting.unit);
  }
}

}  // namespace tactus::apps
