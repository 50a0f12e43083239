#include "haptic_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/display/svg_plot.h>

namespace tactus::apps {

namespace {

using display::TickRecord;
using nlohmann::ordered_json;
using Vec3 = math::Vec3<double>;

ordered_json as_json(const display::Histogram& h) {
  ordered_json bins = ordered_json::array();
  for (std::size_t i = 0; i < display::Histogram::kBins; ++i)
    if (h.in_bin(i) > 0) bins.push_back({display::Histogram::lower_end(i), h.in_bin(i)});
  return {{"count", h.count()},
          {"mean_ns", h.mean()},
          {"p50_ns", h.percentile(0.5)},
          {"p99_ns", h.percentile(0.99)},
          {"p99_9_ns", h.percentile(0.999)},
          {"max_ns", h.largest()},
          {"bins_from_ns", bins}};
}

/// Numbers that say nothing are null.
ordered_json as_json(const display::Felt& felt) {
  const auto number = [&](double value) { return felt.known ? ordered_json(value) : ordered_json(nullptr); };
  const char* const inertia = felt.turning ? "inertia" : "mass";  // [kg m^2], [kg]
  return {{"known", felt.known},
          {"turning", felt.turning},
          {inertia, number(felt.mass)},
          {"damping", number(felt.damping)},
          {"stiffness", number(felt.stiffness)},
          {"unexplained", felt.unexplained},
          {"told_apart", felt.told_apart},
          {"standard_errors",
           {{inertia, number(felt.error[0])},
            {"damping", number(felt.error[1])},
            {"stiffness", number(felt.error[2])}}}};
}

ordered_json as_json(const Outcome& o) {
  ordered_json json{
      {"model", o.request.model.path},
      {"engine", name_of(o.mechanism.kind())},
      {"device", o.device.name},
      {"port", o.mechanism.ports()[static_cast<std::size_t>(o.grasp.port)].name},
      {"controller", o.device.kind == device::Kind::admittance ? "motion" : o.request.controller},
      {"hand", o.by_simulated_hand() ? o.request.hand.name
               : o.device.owns_clock ? "a person"
                                     : "a recording"},
      {"rate_hz", o.device.rate},
      {"ok", o.safety.fault == control::Fault::none && !o.report.stopped},
      {"interrupted", o.report.stopped},
      {"fault", name_of(o.safety.fault)},
      {"why", why_of(o)},
      {"ticks", o.report.ticks},
      {"missed", o.report.missed},
      {"seconds", o.report.seconds},
      {"realtime", o.report.realtime},
      {"not_logged", o.report.not_logged},
      {"notes", o.report.notes}};
  if (o.by_coupler())
    json["coupler"] = {{"stiffness", o.gains.stiffness[1]},
                       {"damping", o.gains.damping[1]},
                       {"rotational_stiffness", o.gains.stiffness[0]},
                       {"rotational_damping", o.gains.damping[0]},
                       {"softest_share", o.measured.softest},
                       {"softer_in_ticks", o.measured.softened}};
  else if (o.device.kind == device::Kind::impedance && o.request.controller == "prescribed")
    json["prescribed"] = {{"directions_by_the_coupler", o.measured.most_resisted},
                          {"handed_over", o.measured.handed_over},
                          {"stiffness", o.gains.stiffness[1]},
                          {"rotational_stiffness", o.gains.stiffness[0]}};
  else if (o.device.kind == device::Kind::impedance && o.request.controller == "proxy")
    json["proxy"] = {{"stiffness", o.gains.stiffness[1]}};
  else if (o.four_channels())
    json["four_channels"] = {{"handle_stiffness", o.request.handle_stiffness},
                             {"handle_damping", o.request.handle_damping},
                             {"joint_stiffness", o.request.joint_stiffness},
                             {"joint_damping", o.request.joint_damping},
                             {"damping_growth", o.request.damping_growth},
                             {"force_scale", o.request.force_scale},
                             {"motion_scale", o.request.motion_scale},
                             {"directions_resisted", o.measured.most_resisted},
                             {"rank", o.request.rank},
                             {"turning", !o.request.no_turning},
                             {"fading", !o.request.no_fading}};
  if (o.two_rates())
    json["two_rates"] = {{"simulation_hz", o.request.local_rate},
                         {"update_every_ticks", o.request.update_every},
                         {"oldest_update_ticks", o.measured.oldest},
                         {"contacts_left_out", o.measured.left_out}};
  // Null: it cannot move, or not turn, where the run begins.
  const auto apparent = [&](std::size_t k) {
    return o.grasp.inertia[k] < kWall ? ordered_json(o.grasp.inertia[k]) : ordered_json(nullptr);
  };
  json["apparent_mass"] = apparent(1);
  json["apparent_inertia"] = apparent(0);
  json["weight_n"] = o.grasp.weight;
  json["largest_force_n"] = o.measured.largest_force;
  json["largest_torque_nm"] = o.measured.largest_torque;
  json["largest_force_on_port_n"] = o.measured.largest_at_port;
  json["largest_lag_m"] = o.measured.largest_lag;
  json["energy_j"] = {{"given_by_the_hand", o.hand_work},
                      {"taken_by_the_passivity_controller", o.last.guarded},
                      {"into_the_mechanism", o.last.into_port}};
  json["felt"] = as_json(o.felt);
  json["mechanism_at_port"] = as_json(o.at_port);
  json["compute"] = as_json(o.report.compute);
  if (o.report.realtime) json["wake"] = as_json(o.report.wake);
  if (o.report.realtime && !o.device.owns_clock) json["woken_late"] = as_json(o.report.woken);
  if (!o.not_whole.empty()) json["files_not_whole"] = o.not_whole;
  if (o.report.device_rate > 0.0) json["measured_rate_hz"] = o.report.device_rate;
  return json;
}

/// What is below the roundings of a fit is 0.
std::string with_error(double value, double error) {
  constexpr double kRounding = 1e-9;  // [kg], [N s/m], [N/m]
  const auto rounded = [](double x) { return std::abs(x) > kRounding ? x : 0.0; };
  return fmt::format("{:.4g} +- {:.2g}", rounded(value), rounded(error));
}

void print_times(const char* what, const display::Histogram& h) {
  fmt::print("{}: p50 {:.2f} us, p99.9 {:.2f} us, at most {:.2f} us\n{}", what,
             1e-3 * static_cast<double>(h.percentile(0.5)), 1e-3 * static_cast<double>(h.percentile(0.999)),
             1e-3 * static_cast<double>(h.largest()), h.to_text());
}

}  // namespace

std::string why_of(const Outcome& o) {
  if (o.safety.fault == control::Fault::none) return "";
  return said_of(o.safety) + (o.why.empty() ? "" : ": " + o.why);
}

void print(const Outcome& o) {
  fmt::print("{} ({}) held at `{}` through {}{}\n", o.mechanism.model().name, name_of(o.mechanism.kind()),
             o.mechanism.ports()[static_cast<std::size_t>(o.grasp.port)].name, o.device.name,
             o.by_simulated_hand() ? fmt::format(" by a hand that does `{}`", o.request.hand.name)
             : o.device.owns_clock ? ""
                                   : ", as its motion was recorded");
  if (o.device.kind == device::Kind::impedance && o.request.controller == "prescribed")
    fmt::print(
        "the handle's motion is the port's: what that takes is felt; up to {} directions by a coupler of "
        "{:.4g} N/m, {:.4g} N m/rad\n",
        o.measured.most_resisted, o.gains.stiffness[1], o.gains.stiffness[0]);
  else if (o.device.kind == device::Kind::impedance && o.request.controller == "proxy")
    fmt::print(
        "the handle is a point before what stands on the ground: a spring of {:.4g} N/m to its proxy\n",
        o.gains.stiffness[1]);
  else if (o.device.kind == device::Kind::impedance && !o.by_coupler())
    fmt::print("four channels; joints by {}, up to {} directions at once\n",
               o.request.controller == "penalties" ? "penalties" : "acceleration", o.measured.most_resisted);
  if (o.by_coupler())
    fmt::print("coupler: {:.4g} N/m, {:.4g} N s/m; {:.4g} N m/rad, {:.4g} N m s/rad{}\n",
               o.gains.stiffness[1], o.gains.damping[1], o.gains.stiffness[0], o.gains.damping[0],
               o.device.stiffness > 0.0
                   ? fmt::format(" (the device shows at most {:.4g} {})", o.device.stiffness,
                                 (o.device.actuated & device::kTranslation) != 0 ? "N/m" : "N m/rad")
                   : " (no stiffness is passive with the device)");
  if (o.two_rates())
    fmt::print("local model between updates of the simulation at {:g} Hz, up to {} ticks old\n",
               o.request.local_rate, o.measured.oldest);
  for (const std::string& note : o.report.notes) fmt::print("note: {}\n", note);
  fmt::print("{} ticks at {:g} Hz in {:.3g} s{}; {} missed\n", o.report.ticks, o.device.rate,
             o.report.seconds, o.report.realtime ? "" : " (simulated time)", o.report.missed);
  if (o.report.device_rate > 0.0) fmt::print("the device's own clock: {:.4g} Hz\n", o.report.device_rate);
  if (o.report.not_logged > 0)
    fmt::print("{} ticks did not fit into the log: the disk was too slow\n", o.report.not_logged);
  fmt::print(
      "force on the hand up to {:.4g} N, torque up to {:.3g} N m; on the port up to {:.4g} N; handle and "
      "port apart by up to {:.3g} mm\n",
      o.measured.largest_force, o.measured.largest_torque, o.measured.largest_at_port,
      1e3 * o.measured.largest_lag);
  const double into_port = o.last.into_port;
  if (std::isfinite(o.hand_work))
    fmt::print("the hand gave {:.4g} J, {:.4g} J went into the mechanism\n", o.hand_work, into_port);
  else
    fmt::print("{:.4g} J went into the mechanism; what the hand gave is not known of this device\n",
               into_port);
  const bool turning = only_turns(o.device);
  const auto print_felt = [&](const char* what, const display::Felt& felt, const std::string& besides) {
    const char* const force = turning ? "torque" : "force";
    if (felt.known)
      fmt::print("{}: {} {}, {} {}, {} {}{} ({:.2g} of the {} not explained)\n", what,
                 with_error(felt.mass, felt.error[0]), turning ? "kg m^2" : "kg",
                 with_error(felt.damping, felt.error[1]), turning ? "N m s/rad" : "N s/m",
                 with_error(felt.stiffness, felt.error[2]), turning ? "N m/rad" : "N/m", besides,
                 felt.unexplained, force);
    else if (felt.told_apart)
      fmt::print("{}: no {}, damper and spring explain it; the best of them leave {:.2g} of the {}{}\n", what,
                 turning ? "moment of inertia" : "mass", felt.unexplained, force, besides);
  };
  // A sensor has the device's dry friction in what it senses.
  const double dry = o.device.force_sensor ? 0.0 : o.device.friction[turning ? 0 : 1];
  print_felt(fmt::format("felt at the handle {} ({:.2f} {:.2f} {:.2f}){}", turning ? "about" : "along",
                         o.grasp.shown.x, o.grasp.shown.y, o.grasp.shown.z,
                         o.device.force_sensor ? "" : ", the device included")
                 .c_str(),
             o.felt,
             dry > 0.0 ? fmt::format(", dry friction {:g} {} besides", dry, turning ? "N m" : "N") : "");
  print_felt("the mechanism at its port", o.at_port, "");
  if (!o.felt.known && !o.at_port.known) {
    const double inertia = o.grasp.inertia[turning ? 0 : 1];
    if (!(inertia < kWall))
      fmt::print("the port cannot {} where the run begins: it is felt as a wall\n",
                 turning ? "turn" : "move");
    else
      fmt::print("apparent {} at the start {:.4g} {}\n", turning ? "moment of inertia" : "mass", inertia,
                 turning ? "kg m^2" : "kg");
  }
  print_times("a tick", o.report.compute);
  if (o.report.realtime)
    print_times(o.device.owns_clock ? "a sample, later than a period after the one before"
                                    : "a tick began after its deadline by",
                o.report.wake);
  if (o.report.realtime && !o.device.owns_clock) print_times("woken late by", o.report.woken);
  const auto print_file = [&](const std::string& what, const std::string& path) {
    if (path.empty()) return;
    const bool whole = std::find(o.not_whole.begin(), o.not_whole.end(), path) == o.not_whole.end();
    if (whole) fmt::print("{} in {}\n", what, path);
  };
  print_file(fmt::format("{} rows", o.report.ticks - o.report.not_logged), o.request.out);
  print_file("log", o.request.log);
  print_file("plot", o.request.plot);
  print_file("histogram", o.request.histogram);
}

// A passive display gives back what went in: what leaves it at the port, less what the mechanism gives by itself (a weight that falls), is no more than the hand's work. What is stored in
// the coupler and in the handle's motion is never negative. The threshold is a share of what was put in, not of what went to and fro: a mechanism that is fed grows, and must not hide it.
Made made_by_loop(const Outcome& o) {
  constexpr double kSlight = 1e-2;  // of what hand and mechanism put in
  constexpr double kLeast = 1e-4;   // [J] of encoder steps
  if (!std::isfinite(o.hand_work)) return {};
  // Four channels scale power by both scales.
  const double scale = o.four_channels() ? o.request.force_scale * o.request.motion_scale : 1.0;
  const double into_port = scale * o.last.into_port;
  const double made = into_port - o.hand_work;
  const double put_in = std::max(0.0, o.hand_work) + std::max(0.0, -into_port);
  if (!(made > kLeast + kSlight * put_in)) return {};
  return {.all = made, .at_the_hand = std::max(0.0, std::min(0.0, into_port) - o.hand_work)};
}

std::string histogram_of(const Outcome& o) {
  // A staircase over the logarithm of the time, between the first and the last bin that has some.
  const auto stairs = [](const char* name, const display::Histogram& h) {
    display::Series series{name, {}, {}};
    std::size_t first = display::Histogram::kBins, last = 0;
    for (std::size_t i = 0; i < display::Histogram::kBins; ++i)
      if (h.in_bin(i) > 0) first = std::min(first, i), last = i;
    for (std::size_t i = first; i <= last && first < display::Histogram::kBins; ++i)
      for (const std::size_t end : {i, i + 1}) {
        const auto ns = std::max<std::int64_t>(display::Histogram::lower_end(end), 1);
        series.x.push_back(std::log10(1e-3 * static_cast<double>(ns)));
        series.y.push_back(static_cast<double>(h.in_bin(i)));
      }
    return series;
  };
  display::Figure figure{.title = fmt::format("{} at {:g} Hz: {} ticks", o.mechanism.model().name,
                                              o.device.rate, o.report.ticks),
                         .x_label = "log10 of the time [us]",
                         .panels = {{"ticks that took so long", {stairs("a tick", o.report.compute)}}}};
  if (o.report.realtime)
    figure.panels.push_back(
        {o.device.owns_clock ? "samples that came so much later than a period" : "ticks that began so late",
         {stairs(o.device.owns_clock ? "a sample" : "after the deadline", o.report.wake)}});
  if (o.report.realtime && !o.device.owns_clock)
    figure.panels.push_back({"ticks before which the thread woke so late",
                             {stairs("after the time that it asked for", o.report.woken)}});
  return display::to_svg(figure);
}

std::string json_of(const Outcome& outcome) {
  return as_json(outcome).dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::string plot_of(const Outcome& o) {
  display::Series handle{"handle", {}, {}}, port{"port", {}, {}}, energy{"into the mechanism", {}, {}};
  std::array<display::Series, 3> force{{{"x", {}, {}}, {"y", {}, {}}, {"z", {}, {}}}};
  if (o.records.empty()) return "";
  const auto add = [](display::Series& s, double t, double y) {
    s.x.push_back(t);
    s.y.push_back(y);
  };
  const Vec3& way = o.grasp.shown;
  const bool turning = only_turns(o.device);
  const std::vector<double> of_handle = display::way_of(o.records, way, display::End::handle, turning),
                            of_port = display::way_of(o.records, way, display::End::port, turning);
  for (std::size_t k = 0; k < o.records.size(); ++k) {
    const TickRecord& r = o.records[k];
    add(handle, r.t, of_handle[k] - of_handle[0]);
    add(port, r.t, of_port[k] - of_port[0]);
    add(energy, r.t, r.into_port);
    const device::Vector6 F = display::on_hand(r);
    for (std::size_t i = 0; i < 3; ++i) add(force[i], r.t, F[(turning ? 0 : 3) + i]);
  }
  const Vec3 left = (turning ? o.grasp.axis : o.grasp.ahead) - way;
  constexpr double kRounding = 1e-9;
  return display::to_svg(
      {.title = fmt::format("{} in the hand: {} ({:.2f} {:.2f} {:.2f}), the {}easiest",
                            o.mechanism.model().name, turning ? "turn about" : "way along", way.x, way.y,
                            way.z, dot(left, left) > kRounding ? "device's " : ""),
       .x_label = "time [s]",
       .panels = {
           {turning ? "turn [rad]" : "way [m]", {handle, port}},
           {turning ? "torque on the hand [N m]" : "force on the hand [N]", {force[0], force[1], force[2]}},
           {"work [J]", {energy}}}});
}

}  // namespace tactus::apps
