// tactus haptic MODEL: a hand holds a device, the device holds the mechanism; what is felt, as a summary, a CSV file, a plot.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>
#include <tactus/display/svg_plot.h>

#include "haptic_hand.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using display::TickRecord;
using nlohmann::ordered_json;
using Vec3 = math::Vec3<double>;

struct HapticRequest {
  ModelChoice model;
  std::string device, port, controller = "coupler", coupling = "firm", out, plot;
  HandChoice hand;
  double joint_stiffness = 200.0, joint_damping = 50.0, force_scale = 1.0, motion_scale = 1.0;
  double rate = 0.0, duration = 5.0, size = 0.0, stiffness = 0.0, damping = -1.0, late = 0.0;
  double local_rate = 0.0, transport = 0.0;
  int cpu = -1;
  bool passivity = false;
  bool realtime = false, moving = false, json = false;
};

[[noreturn]] void refuse(const std::string& wrong, const std::string& remedy) {
  throw InputError({}, wrong, remedy);
}

/// The mechanism as the hand meets it: at which port, and how that can move.
struct Grasp {
  int port = 0;
  bool planar = false;              // it stays in a plane z = const
  Vec3 ahead{}, aside{};            // where it moves most easily, and next
  std::array<double, 2> inertia{};  // [kg m^2], [kg] in the easiest direction
};

int port_of(const HapticRequest& request, const simulate::Mechanism& mechanism) {
  if (!request.port.empty()) return mechanism.port(request.port);
  // The first frame that is marked to be held; otherwise the last body, where a chain has its tip.
  if (mechanism.ports().front().frame >= 0) return 0;
  return static_cast<int>(mechanism.ports().size()) - 1;
}

Grasp grasp_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  Grasp grasp;
  grasp.port = port_of(request, mechanism);
  const std::span<const double> J = mechanism.jacobian(grasp.port);
  const std::size_t nv = mechanism.nv();
  grasp.planar = true;
  for (const std::size_t row : {0u, 1u, 5u})
    for (std::size_t j = 0; j < nv; ++j) grasp.planar &= J[row * nv + j] == 0.0;
  std::array<double, 36> mobility{};
  mechanism.mobility(grasp.port, mobility);
  if (!std::all_of(mobility.begin(), mobility.end(), [](double x) { return std::isfinite(x); }))
    refuse("the equations are singular where the motion begins: nothing can be felt there",
           "give another `initial` state in the model");
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d A;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        A(static_cast<int>(i), static_cast<int>(j)) = mobility[6 * (3 * k + i) + 3 * k + j];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes(0.5 * (A + A.transpose()));
    grasp.inertia[k] = 1.0 / std::max(modes.eigenvalues()[2], 1e-12);  // a port that cannot move is a wall
    if (k == 0) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      grasp.ahead[i] = modes.eigenvectors()(static_cast<int>(i), 2);
      grasp.aside[i] = modes.eigenvectors()(static_cast<int>(i), 1);
    }
    // Of the two senses of an axis, the one whose largest component is positive.
    for (Vec3* axis : {&grasp.ahead, &grasp.aside}) {
      const double largest = std::max({axis->x, axis->y, axis->z}),
                   least = std::min({axis->x, axis->y, axis->z});
      if (-least > largest) *axis = -*axis;
    }
  }
  return grasp;
}

/// [m] that a hand moves: well within the device's workspace.
double size_of(const HapticRequest& request, const device::Specification& s) {
  if (request.size > 0.0) return request.size;
  constexpr double kFree = 0.05;  // where nothing bounds it
  return s.workspace.x > 0.0 ? 0.2 * s.workspace.x : kFree;
}

device::Specification specification_of(const std::string& name) {
  for (const device::Specification& s : device::devices())
    if (s.name == name) return s;
  return device::open(name, device::none())->specification();  // says what there is
}

control::CouplerGains gains_of(const HapticRequest& request, const device::Specification& s,
                               const Grasp& grasp) {
  if (s.kind == device::Kind::admittance) return {};
  const double share = request.coupling == "soft" ? 0.1 : request.coupling == "stiff" ? 0.9 : 0.5;
  control::CouplerGains gains = control::design(s, grasp.inertia, share);
  if (request.stiffness > 0.0) gains.stiffness[1] = request.stiffness;
  if (request.damping >= 0.0) gains.damping[1] = request.damping;
  if (!(gains.stiffness[1] > 0.0))
    refuse("device `" + s.name + "` has no damping: no stiffness is passive with it", "give --stiffness");
  return gains;
}

/// The four channels of [Constantinescu2005]: `impedance` is (11), `penalties` (18).
control::FourChannelGains four_channels(const HapticRequest& request, const Grasp& grasp) {
  control::FourChannelGains gains;
  // Weak, as the paper asks: with the mass that the port has where it moves most easily, a period of 0.6 s.
  constexpr double kFrequency = 10.0;  // [rad/s]
  for (std::size_t k = 0; k < 2; ++k) {
    gains.coordination.stiffness[k] = grasp.inertia[k] * kFrequency * kFrequency;
    gains.coordination.damping[k] = 2.0 * grasp.inertia[k] * kFrequency;
  }
  gains.penalties = request.controller == "penalties";
  gains.joint_stiffness = request.joint_stiffness;
  gains.joint_damping = request.joint_damping;
  gains.force_scale = request.force_scale;
  gains.motion_scale = request.motion_scale;
  return gains;
}

struct Outcome {
  const HapticRequest& request;
  const device::Specification& device;
  const simulate::Mechanism& mechanism;
  const Grasp& grasp;
  const control::CouplerGains& gains;
  const display::RunReport& report;
  const std::vector<TickRecord>& records;
  const control::SafetyMemory& safety;
  double hand_work = 0.0;
  display::Felt felt{};
  double largest_force = 0.0, largest_lag = 0.0;  // [N], [m] between handle and port
  int most_resisted = 0;                          // directions at once
  int oldest = 0;                                 // [ticks] what was known of the mechanism
  bool by_coupler() const {
    return device.kind == device::Kind::impedance && request.controller == "coupler";
  }
};

double along(const Vec3& d, const math::Vec3<double>& v) { return dot(d, v); }

void measure(Outcome& outcome) {
  if (outcome.records.empty()) return;
  const Vec3 start = outcome.records.front().p_P - outcome.records.front().p_H;
  for (const TickRecord& record : outcome.records) {
    const device::Vector6& F = record.on_port;
    outcome.largest_force = std::max(outcome.largest_force, std::hypot(F[3], F[4], F[5]));
    outcome.oldest = std::max(outcome.oldest, record.age);
    outcome.most_resisted = std::max(outcome.most_resisted, record.resisted);
    const Vec3 lag = record.p_P - record.p_H - start;
    outcome.largest_lag = std::max(outcome.largest_lag, std::sqrt(dot(lag, lag)));
  }
}

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

ordered_json as_json(const Outcome& o) {
  ordered_json json{
      {"model", o.request.model.path},
      {"engine", name_of(o.mechanism.kind())},
      {"device", o.device.name},
      {"port", o.mechanism.ports()[static_cast<std::size_t>(o.grasp.port)].name},
      {"controller", o.device.kind == device::Kind::admittance ? "motion" : o.request.controller},
      {"hand", o.request.hand.name},
      {"rate_hz", o.device.rate},
      {"ok", o.safety.fault == control::Fault::none},
      {"fault", name_of(o.safety.fault)},
      {"ticks", o.report.ticks},
      {"missed", o.report.missed},
      {"seconds", o.report.seconds},
      {"notes", o.report.notes}};
  if (o.by_coupler())
    json["coupler"] = {{"stiffness", o.gains.stiffness[1]},
                       {"damping", o.gains.damping[1]},
                       {"rotational_stiffness", o.gains.stiffness[0]},
                       {"rotational_damping", o.gains.damping[0]}};
  else if (o.device.kind == device::Kind::impedance)
    json["four_channels"] = {{"joint_stiffness", o.request.joint_stiffness},
                             {"joint_damping", o.request.joint_damping},
                             {"force_scale", o.request.force_scale},
                             {"motion_scale", o.request.motion_scale},
                             {"directions_resisted", o.most_resisted}};
  if (o.request.local_rate > 0.0)
    json["two_rates"] = {{"simulation_hz", o.request.local_rate}, {"oldest_update_ticks", o.oldest}};
  json["apparent_mass"] = o.grasp.inertia[1];
  json["largest_force_n"] = o.largest_force;
  json["largest_lag_m"] = o.largest_lag;
  json["energy_j"] = {
      {"given_by_the_hand", o.hand_work},
      {"taken_by_the_passivity_controller", o.records.empty() ? 0.0 : o.records.back().guarded},
      {"into_the_mechanism", o.records.empty() ? 0.0 : o.records.back().into_port}};
  json["felt"] = {{"known", o.felt.known},
                  {"mass", o.felt.mass},
                  {"damping", o.felt.damping},
                  {"stiffness", o.felt.stiffness},
                  {"unexplained", o.felt.unexplained}};
  json["compute"] = as_json(o.report.compute);
  if (o.request.realtime) json["wake"] = as_json(o.report.wake);
  return json;
}

void print_times(const char* what, const display::Histogram& h) {
  fmt::print("{}: p50 {:.2f} us, p99.9 {:.2f} us, at most {:.2f} us\n{}", what,
             1e-3 * static_cast<double>(h.percentile(0.5)), 1e-3 * static_cast<double>(h.percentile(0.999)),
             1e-3 * static_cast<double>(h.largest()), h.to_text());
}

void print(const Outcome& o) {
  fmt::print("{} ({}) held at `{}` through {} by a hand that does `{}`\n", o.mechanism.model().name,
             name_of(o.mechanism.kind()), o.mechanism.ports()[static_cast<std::size_t>(o.grasp.port)].name,
             o.device.name, o.request.hand.name);
  if (o.device.kind == device::Kind::impedance && !o.by_coupler())
    fmt::print("four channels; joints by {}, up to {} directions at once\n",
               o.request.controller == "penalties" ? "penalties" : "acceleration", o.most_resisted);
  if (o.by_coupler())
    fmt::print(
        "coupler: {:.4g} N/m, {:.4g} N s/m; {:.4g} N m/rad, {:.4g} N m s/rad (the device shows at most "
        "{:.4g} N/m)\n",
        o.gains.stiffness[1], o.gains.damping[1], o.gains.stiffness[0], o.gains.damping[0],
        o.device.stiffness);
  if (o.request.local_rate > 0.0)
    fmt::print("local model between updates of the simulation at {:g} Hz, up to {} ticks old\n",
               o.request.local_rate, o.oldest);
  for (const std::string& note : o.report.notes) fmt::print("note: {}\n", note);
  fmt::print("{} ticks at {:g} Hz in {:.3g} s{}; {} missed\n", o.report.ticks, o.device.rate,
             o.report.seconds, o.request.realtime ? "" : " (simulated time)", o.report.missed);
  fmt::print("force up to {:.4g} N; handle and port apart by up to {:.3g} mm\n", o.largest_force,
             1e3 * o.largest_lag);
  fmt::print("the hand gave {:.4g} J, {:.4g} J went into the mechanism\n", o.hand_work,
             o.records.empty() ? 0.0 : o.records.back().into_port);
  if (o.felt.known)
    fmt::print(
        "felt along ({:.2f} {:.2f} {:.2f}): {:.4g} kg, {:.3g} N s/m, {:.3g} N/m ({:.2g} of the force not "
        "explained)\n",
        o.grasp.ahead.x, o.grasp.ahead.y, o.grasp.ahead.z, o.felt.mass, o.felt.damping, o.felt.stiffness,
        o.felt.unexplained);
  else
    fmt::print("apparent mass at the start {:.4g} kg\n", o.grasp.inertia[1]);
  print_times("a tick", o.report.compute);
  if (o.request.realtime) print_times("waking up after the deadline", o.report.wake);
  if (!o.request.out.empty()) fmt::print("{} rows in {}\n", o.records.size(), o.request.out);
  if (!o.request.plot.empty()) fmt::print("plot in {}\n", o.request.plot);
}

std::string csv_of(const std::vector<TickRecord>& records) {
  std::string text =
      "t,handle_x,handle_y,handle_z,port_x,port_y,port_z,force_x,force_y,force_z,torque_x,torque_y,torque_z,"
      "into_port,stage,events\n";
  for (const TickRecord& r : records)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.t,
                   r.p_H.x, r.p_H.y, r.p_H.z, r.p_P.x, r.p_P.y, r.p_P.z, r.on_port[3], r.on_port[4],
                   r.on_port[5], r.on_port[0], r.on_port[1], r.on_port[2], r.into_port, name_of(r.stage),
                   r.events);
  return text;
}

std::string plot_of(const Outcome& o) {
  display::Series handle{"handle", {}, {}}, port{"port", {}, {}}, energy{"into the mechanism", {}, {}};
  std::array<display::Series, 3> force{{{"x", {}, {}}, {"y", {}, {}}, {"z", {}, {}}}};
  if (o.records.empty()) return "";
  const TickRecord& first = o.records.front();
  const auto add = [](display::Series& s, double t, double y) {
    s.x.push_back(t);
    s.y.push_back(y);
  };
  for (const TickRecord& r : o.records) {
    add(handle, r.t, along(o.grasp.ahead, r.p_H - first.p_H));
    add(port, r.t, along(o.grasp.ahead, r.p_P - first.p_P));
    add(energy, r.t, r.into_port);
    for (std::size_t i = 0; i < 3; ++i) add(force[i], r.t, -r.on_port[3 + i]);
  }
  return display::to_svg({.title = fmt::format("{} in the hand", o.mechanism.model().name),
                          .x_label = "time [s]",
                          .panels = {{"way [m]", {handle, port}},
                                     {"force on the hand [N]", {force[0], force[1], force[2]}},
                                     {"work [J]", {energy}}}});
}

void run(HapticRequest request) {
  require_distinct_files({{"the model", request.model.path}},
                         {{"--out", request.out}, {"--plot", request.plot}});
  if (request.json && (is_standard_output(request.out) || is_standard_output(request.plot)))
    refuse("--json and --out or --plot - both write to the standard output", "give these file names");
  const describe::Model model = request.model.load();

  // The device is chosen by how the port can move, which the mechanism tells; its step is the device's period.
  const auto open_at = [&](double rate) {
    contact::OpenOptions options;
    options.step = 1.0 / rate;
    options.budget = simulate::Budget::haptic();
    if (!request.port.empty())
      for (std::size_t i = 0; i < model.frames.size(); ++i)
        if (model.frames[i].name == request.port) options.ports = {request.port};
    std::unique_ptr<simulate::Mechanism> mechanism = contact::open(model, options);
    if (!request.moving)
      mechanism->set_state({.t = 0.0,
                            .q = mechanism->state().q,
                            .u = std::vector<double>(mechanism->nv(), 0.0),
                            .momentum = {}});
    return mechanism;
  };
  constexpr double kUsualRate = 1000.0;  // [Hz]
  const double rate = request.rate > 0.0       ? request.rate
                      : request.device.empty() ? kUsualRate
                                               : specification_of(request.device).rate;
  const std::unique_ptr<simulate::Mechanism> mechanism = open_at(rate);
  const Grasp grasp = grasp_of(request, *mechanism);
  if (request.device.empty()) request.device = grasp.planar ? "simulated:planar" : "simulated:spatial";
  device::Specification s = specification_of(request.device);

  const double size = size_of(request, s);
  request.hand.ahead = size * grasp.ahead;
  request.hand.aside = size * grasp.aside;
  request.hand.duration = request.duration;
  const std::unique_ptr<device::Device> device =
      device::open(request.device, hand_of(request.hand), {.rate = rate, .seed = request.hand.seed});
  s = device->specification();
  const control::CouplerGains gains =
      request.controller == "coupler" ? gains_of(request, s, grasp) : control::CouplerGains{};
  control::SafetyLimits limits = control::limits_for(s);
  if (request.late > 0.0) limits.late = 1e-3 * request.late;

  display::HapticLoop loop(*mechanism, *device, grasp.port, gains, limits);
  if (request.controller != "coupler") loop.use(four_channels(request, grasp));
  loop.guard_passivity(request.passivity);
  if (request.local_rate > 0.0) {
    const double every = std::round(rate / request.local_rate),
                 late = std::round(1e-3 * request.transport * rate);
    loop.use(display::TwoRateOptions{static_cast<int>(std::clamp(every, 1.0, 1e6)),
                                     static_cast<int>(std::clamp(late, 0.0, 1e6)), request.realtime});
  }
  if (!loop.enable()) throw Failed("the device could not be switched on");
  constexpr double kMostTicks = 1e8;
  constexpr long kMostRecords =
      200000;  // what a plot and a file need at most; longer runs keep every n-th tick
  if (!(request.duration * rate >= 1.0 && request.duration * rate <= kMostTicks))
    refuse("--duration: between one tick and 1e8 of them", "give seconds");
  const long ticks = std::lround(request.duration * rate), stride = ticks / kMostRecords + 1;
  std::vector<TickRecord> records(static_cast<std::size_t>((ticks + stride - 1) / stride));
  const display::RunReport report =
      run_loop(loop, {.duration = request.duration, .realtime = request.realtime, .cpu = request.cpu},
               records, stride);
  records.resize(std::min(records.size(), static_cast<std::size_t>((report.ticks + stride - 1) / stride)));

  Outcome outcome{request, s, *mechanism, grasp, gains, report, records, loop.safety(), device->hand_work()};
  if (stride == 1) outcome.felt = display::felt_along(records, grasp.ahead, loop.period());
  measure(outcome);
  if (!request.out.empty()) write_file(request.out, csv_of(records));
  if (!request.plot.empty()) write_file(request.plot, plot_of(outcome));
  if (request.json)
    fmt::print("{}\n", as_json(outcome).dump(2));
  else if (!is_standard_output(request.out) && !is_standard_output(request.plot))
    print(outcome);
  if (const control::Fault fault = loop.safety().fault; fault != control::Fault::none)
    throw Failed(
        fmt::format("stopped after {:g} s, forces off: {}{}", loop.safety().fault_time, meaning_of(fault),
                    fault == control::Fault::mechanism ? ": " + mechanism->explain(loop.record().status)
                                                       : std::string()));
}

}  // namespace

void add_haptic(CLI::App& program) {
  auto request = std::make_shared<HapticRequest>();
  CLI::App* verb = program.add_subcommand("haptic", "Hold a mechanism by a device: what a hand feels");
  request->model.add_to(*verb);
  verb->add_option(
      "--device", request->device,
      "see `tactus devices`; simulated:planar where the port stays in a plane z = const, otherwise "
      "simulated:spatial");
  verb->add_option("--port", request->port, "frame or body that is held; the first frame marked `grasp`");
  verb->add_option("--controller", request->controller,
                   "coupler; or four channels with the joints by acceleration (impedance) or by penalties")
      ->capture_default_str()
      ->check(CLI::IsMember({"coupler", "impedance", "penalties"}));
  verb->add_option("--joint-stiffness", request->joint_stiffness, "of the penalties [1/s^2]")
      ->capture_default_str();
  verb->add_option("--joint-damping", request->joint_damping, "of the penalties [1/s]")
      ->capture_default_str();
  verb->add_option("--force-scale", request->force_scale,
                   "four channels: the hand feels this times the force")
      ->capture_default_str();
  verb->add_option("--motion-scale", request->motion_scale, "four channels: the hand moves this times as far")
      ->capture_default_str();
  verb->add_flag("--passivity", request->passivity,
                 "a damper gives back what the hand would gain: passivity observer and controller");
  verb->add_option("--coupling", request->coupling,
                   "soft, firm or stiff: a tenth, half or 0.9 of what is passive")
      ->capture_default_str()
      ->check(CLI::IsMember({"soft", "firm", "stiff"}));
  verb->add_option("--stiffness", request->stiffness, "of the coupler [N/m], instead of the designed one");
  verb->add_option("--damping", request->damping, "of the coupler [N s/m], instead of the designed one");
  verb->add_option("--rate", request->rate, "of the loop [Hz]; the device's own unless given")
      ->check(CLI::Range(10.0, 1e5));
  verb->add_option("--simulation-rate", request->local_rate,
                   "two rates: the mechanism at this one [Hz], the loop with a local model of it")
      ->check(CLI::Range(1.0, 1e5));
  verb->add_option("--transport", request->transport,
                   "two rates: how late an update is [ms], in simulated time")
      ->check(CLI::Range(0.0, 1e4));
  verb->add_option("--hand", request->hand.name, "of a simulated device")
      ->capture_default_str()
      ->check(CLI::IsMember(hand_names()));
  verb->add_option("--size", request->size, "of the hand's motion [m]; a tenth of the workspace's side");
  verb->add_option("--force", request->hand.force, "of the hand `push` and of tremor [N]")
      ->capture_default_str();
  verb->add_option("--seed", request->hand.seed, "of what is random")->capture_default_str();
  verb->add_option("--duration", request->duration, "[s]")->capture_default_str();
  verb->add_flag("--moving", request->moving, "begin with the model's initial speeds, not at rest");
  verb->add_flag("--realtime", request->realtime, "by the clock, not as fast as it goes");
  verb->add_option("--late", request->late, "how late a tick may be [ms] before forces go off; 20");
  verb->add_option("--cpu", request->cpu, "processor to stay on, in real time");
  verb->add_option("--out", request->out, "CSV file of all ticks; - for the standard output");
  verb->add_option("--plot", request->plot, "SVG picture of motion, force and work");
  verb->add_flag("--json", request->json, "summary as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
