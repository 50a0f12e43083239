#include "device_design.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tactus/control/admittance_design.h>
#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>

#include "haptic_controllers.h"

namespace tactus::apps {

namespace {

using device::Specification;
using nlohmann::ordered_json;

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr const char* kKinds[2] = {"rotation", "translation"};
constexpr const char* kStiffness[2] = {"N m/rad", "N/m"};
constexpr const char* kDamping[2] = {"N m s/rad", "N s/m"};
constexpr const char* kMass[2] = {"kg m^2", "kg"};
constexpr const char* kCouplings[3] = {"soft", "firm", "stiff"};

// ---- impedance devices: one axis of each kind

/// A designed coupler, and what its sampled loop does.
struct Gains {
  const char* coupling;
  double stiffness = 0.0, damping = 0.0;
  const char* bound_by;
  double required = 0.0;  // [N s/m] damping of the device, before a wall
  bool passive = false;
  double wall = 0.0, port = 0.0;  // spectral radius, before a wall and before the port
};

/// Bounds of the spring [N/m], and the couplers.
struct Axis {
  std::size_t k = 1;
  double sampling = 0.0;       // b/(T/2 + latency)
  double encoder = kAny;       // 2 f_c/D: before a wall
  double encoder_port = kAny;  // f_c/D: before a port that moves
  const char* bound_by = "sampling";
  double port = kAny;  // [kg]
  std::vector<Gains> gains;

  double largest() const { return std::min(sampling, encoder); }
};

/// Eigenvalues of 1 are the common motion of handle and port, and rounding.
bool stable(double radius) {
  constexpr double kRounding = 1e-9;
  return radius < 1.0 + kRounding;
}

Axis axis_of(const Specification& s, const Behind& behind, std::size_t k) {
  Axis axis;
  axis.k = k;
  axis.sampling = s.damping[k] / (0.5 / s.rate + s.latency);
  if (s.resolution[k] > 0.0) {
    axis.encoder = 2.0 * s.friction[k] / s.resolution[k];
    axis.encoder_port = s.friction[k] / s.resolution[k];
  }
  if (axis.encoder < axis.sampling) axis.bound_by = "encoder";
  const std::array<double, 2> given{behind.inertia, behind.mass};
  std::array<double, 2> port{};
  for (std::size_t i = 0; i < 2; ++i) port[i] = given[i] > 0.0 ? given[i] : kAny;
  axis.port = port[k];
  // As `tactus haptic` chooses them.
  constexpr double kWallInertia = 1e12;
  std::array<double, 2> finite = port;
  for (double& inertia : finite) inertia = std::min(inertia, kWallInertia);
  for (const char* coupling : kCouplings) {
    const double share = coupling_share(coupling);
    Gains gains{.coupling = coupling, .bound_by = axis.bound_by};
    const control::CouplerGains designed = control::design(s, finite, share);
    gains.stiffness = designed.stiffness[k];
    gains.damping = designed.damping[k];
    const control::SampledLoop wall = control::loop_of(s, k, kAny), held = control::loop_of(s, k, axis.port);
    // design() begins with the lesser of these, and yields to what else is asked for.
    const double first = std::min(share * axis.largest(), axis.encoder_port);
    constexpr double kSame = 1.0 - 1e-9;
    if (axis.encoder_port < share * axis.largest()) gains.bound_by = "encoder, port moves";
    if (gains.stiffness > 0.0 && gains.stiffness < kSame * first)
      gains.bound_by =
          control::required_damping(wall, first, control::port_damping(wall, first)) > s.damping[k]
              ? "damper of its own"
              : "stability";
    if (!(gains.stiffness > 0.0)) {
      const control::CouplerGains by_mass = control::design_by_mass(s, finite, share);
      gains.stiffness = by_mass.stiffness[k];
      gains.damping = by_mass.damping[k];
      gains.bound_by = "mass";
    }
    gains.required = control::required_damping(wall, gains.stiffness, gains.damping);
    control::CouplerGains own;
    own.stiffness[k] = gains.stiffness;
    own.damping[k] = gains.damping;
    gains.passive = control::is_passive(s, own, k);
    gains.wall = control::spectral_radius(wall, gains.stiffness, gains.damping);
    gains.port = control::spectral_radius(held, gains.stiffness, gains.damping);
    axis.gains.push_back(gains);
  }
  return axis;
}

std::vector<Axis> axes_of(const Specification& s, const Behind& behind) {
  std::vector<Axis> axes;
  for (const std::size_t k : {1u, 0u})
    if ((s.actuated >> (3 * k) & 0b111) != 0 && s.inertia[k] > 0.0) axes.push_back(axis_of(s, behind, k));
  return axes;
}

ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

ordered_json as_json(const Axis& axis) {
  ordered_json gains = ordered_json::object();
  for (const Gains& g : axis.gains)
    gains[g.coupling] = {{"stiffness", g.stiffness},       {"damping", g.damping},
                         {"bound_by", g.bound_by},         {"required_damping", g.required},
                         {"passive", g.passive},           {"spectral_radius_wall", g.wall},
                         {"spectral_radius_port", g.port}, {"stable", stable(g.wall) && stable(g.port)}};
  return {{"port_inertia", number(axis.port)},
          {"bound_by_sampling", number(axis.sampling)},
          {"bound_by_encoder", number(axis.encoder)},
          {"bound_by_encoder_port_moves", number(axis.encoder_port)},
          {"largest_stiffness", number(axis.largest())},
          {"bound_by", axis.bound_by},
          {"gains", gains}};
}

std::string in_words(double x, const char* unit) {
  return std::isfinite(x) ? fmt::format("{:g} {}", x, unit) : std::string("none");
}

void print(const Specification& s, const Axis& axis) {
  const std::size_t k = axis.k;
  const char* unit = kStiffness[k];
  fmt::print("\n  Stiffest spring, {}, {:g} Hz, {}:\n", kKinds[k], s.rate,
             std::isfinite(axis.port) ? fmt::format("a port of {:g} {} behind it", axis.port, kMass[k])
                                      : std::string("a wall behind it"));
  fmt::print("    by damping and rate {}{} = {}\n", s.latency > 0.0 ? "b/(T/2 + latency)" : "2 b/T",
             axis.encoder < axis.sampling ? "" : " (binds)", in_words(axis.sampling, unit));
  fmt::print("    by friction and encoder 2 f_c/D{} = {}; before a port that moves f_c/D = {}\n",
             axis.encoder < axis.sampling ? " (binds)" : "", in_words(axis.encoder, unit),
             in_words(axis.encoder_port, unit));
  for (const Gains& g : axis.gains) {
    fmt::print(
        "    {:<6}{:.5g} {}, {:.4g} {}: by {}; {}", g.coupling, g.stiffness, unit, g.damping, kDamping[k],
        g.bound_by,
        fmt::format(fmt::runtime(g.passive ? "passive, by {:.4g} of the device's {:g} {}"
                                           : "not passive, which takes {:.4g} and the device has {:g} {}"),
                    g.required, s.damping[k], kDamping[k]));
    fmt::print("; {}, spectral radius {:.6f} (wall){}\n",
               stable(g.wall) && stable(g.port) ? "stable" : "unstable", g.wall,
               std::isfinite(axis.port) ? fmt::format(", {:.6f} (port)", g.port) : "");
  }
}

// ---- admittance devices

/// A rendered mass with a damper, and the hands that it bears.
control::AdmittanceLoop rendered(const Specification& s, const Behind& behind, bool lags) {
  return {.period = 1.0 / s.rate,
          .delay = 0,
          .lag = lags ? s.latency : control::display_lag(s),
          .mass = behind.mass,
          .damping = behind.damping};
}

ordered_json moved_design(const Specification& s, const Behind& behind, bool lags) {
  const std::array<double, 2> least = control::least_inertia(s);
  const control::BorneHand hand;
  ordered_json json{{"display_lag_s", control::display_lag(s)},
                    {"hand",
                     {{"stiffness", {{"rotation", hand.stiffness[0]}, {"translation", hand.stiffness[1]}}},
                      {"damping", {{"rotation", hand.damping[0]}, {"translation", hand.damping[1]}}}}},
                    {"least_inertia", {{"rotation", least[0]}, {"translation", least[1]}}}};
  if (behind.mass > 0.0) {
    const control::AdmittanceLoop loop = rendered(s, behind, lags);
    json["rendered"] = {{"mass", behind.mass},
                        {"damping", behind.damping},
                        {"lag_s", loop.lag},
                        {"stiffest_hand", control::continuous_hand_border(loop)},
                        {"borne", behind.mass >= least[1]}};
    if (lags) json["rendered"]["stiffest_hand_sampled"] = number(control::sampled_hand_border(loop));
  }
  return json;
}

void print_moved(const Specification& s, const Behind& behind, bool lags) {
  const std::array<double, 2> least = control::least_inertia(s);
  const control::BorneHand hand;
  fmt::print("\n  Lightest port that it bears, its motion {:g} ms late:\n", 1e3 * control::display_lag(s));
  for (const std::size_t k : {1u, 0u})
    if ((s.actuated >> (3 * k) & 0b111) != 0)
      fmt::print("    {:.4g} {} ({}, a hand of {:g} {} and {:g} {}); inertia is bolted to lighter ones\n",
                 least[k], kMass[k], kKinds[k], hand.stiffness[k], kStiffness[k], hand.damping[k],
                 kDamping[k]);
  if (!(behind.mass > 0.0)) return;
  const control::AdmittanceLoop loop = rendered(s, behind, lags);
  fmt::print("  Stiffest hand with {:g} kg and {:g} N s/m rendered, by a lag tau = {:g} ms:\n", behind.mass,
             behind.damping, 1e3 * loop.lag);
  fmt::print("    b/tau + b^2/m = {:g} N/m{}\n", control::continuous_hand_border(loop),
             behind.damping > 0.0 ? "" : ": a mass alone bears no hand but one that damps");
  if (lags) fmt::print("    sampled: {}\n", in_words(control::sampled_hand_border(loop), "N/m"));
}

}  // namespace

ordered_json design_of(const Specification& s, const Behind& behind, bool lags) {
  ordered_json json{{"rate_hz", s.rate}, {"latency_s", s.latency}};
  if (s.kind == device::Kind::admittance)
    json.update(moved_design(s, behind, lags));
  else
    for (const Axis& axis : axes_of(s, behind)) json[kKinds[axis.k]] = as_json(axis);
  return json;
}

void print_design(const Specification& s, const Behind& behind, bool lags) {
  if (s.kind == device::Kind::admittance) return print_moved(s, behind, lags);
  for (const Axis& axis : axes_of(s, behind)) print(s, axis);
}

}  // namespace tactus::apps
