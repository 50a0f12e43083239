#include "haptic_session.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <tactus/control/admittance_design.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/control/kept_inertia.h>
#include <tactus/device/hand_file.h>
#include <tactus/device/registry.h>

#include "fixture_option.h"
#include "grasp_point.h"
#include "haptic_controllers.h"
#include "haptic_rate.h"
#include "refuse.h"
#include "setting_error.h"

namespace tactus::apps {

namespace {

constexpr std::string_view kRecording = "file:";  // as a device
constexpr double kUsualRate = 1000.0;             // [Hz]

/// [m] that a hand moves, or [rad] that it turns: well within the device's workspace.
double size_of(const HapticRequest& request, const device::Specification& s) {
  if (request.size > 0.0) return request.size;
  constexpr double kFree = 0.05, kTurn = 0.5;  // where nothing bounds it
  if (only_turns(s)) return kTurn;
  return s.workspace.x > 0.0 ? 0.2 * s.workspace.x : kFree;
}

/// What moves the device's handle by itself, where it begins: a mechanism's weight that its motors do not carry.
bool moves_by_itself(device::Device& device) {
  constexpr double kSlight = 0.1;  // [N], [N m]
  device::HandleDynamics own;
  if (!device.dynamics(own)) return false;
  return std::any_of(own.bias.begin(), own.bias.end(), [](double b) { return std::abs(b) > kSlight; });
}

/// Mainly along the port's easiest way, or about the device's own axis where it only turns.
void choose_hand(HapticRequest& request, const device::Specification& s, const device::HandLimits& most,
                 const Grasp& grasp, std::vector<std::string>& notes) {
  HandChoice& hand = request.hand;
  const double size = size_of(request, s);
  hand.turning = only_turns(s);
  hand.ahead = size * (hand.turning ? grasp.axis : shown_by(s, grasp));  // as far as the device goes that way
  hand.aside = size * grasp.aside;
  if (hand.turning)
    for (std::size_t i = 0; i < 3; ++i)
      if (!device::has_axis(s.actuated, i)) hand.ahead[i] = 0.0;
  hand.duration = request.duration;
  if (has_size(hand.name))
    for (std::size_t i = 0; i < 3 && !hand.turning; ++i)
      if (s.workspace[i] > 0.0 && std::abs(hand.ahead[i]) > s.workspace[i]) {
        notes.push_back(fmt::format(
            "the hand means to move by {:g} m, beyond the device's workspace of {:g} m to either side", size,
            s.workspace[i]));
        break;
      }
  hand.strong = s.continuous;
  // What the device's simulation does not bear is not chosen, and what is asked for beyond it is refused
  // (device/hand_limits.h).
  hand.borne = most;
  // Four channels that sense the hand foretell it (control/mean_wrench.h): what brings the bare handle to rest within a period is no hand that a sampled loop can show anything to.
  if (four_channeled(request, s) && s.force_sensor)
    for (std::size_t k = 0; k < 2; ++k)
      if (s.inertia[k] > 0.0) hand.borne.damping[k] = std::min(most.damping[k], s.inertia[k] * s.rate);
  hand.ramp = request.ramp > 0.0 ? request.ramp : control::SafetyLimits{}.ramp;
  const std::array<double, 2> bolted = bolted_on(request, s, grasp);
  for (std::size_t k = 0; k < 2; ++k) {
    // What cannot move at all is no load that a hand would move.
    const double own = s.kind == device::Kind::impedance ? s.inertia[k] : 0.0;
    if (s.kind == device::Kind::admittance)
      for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
        if (device::has_axis(s.actuated, i)) hand.carried[i] = grasp.support[i];
    hand.load[k] = own + bolted[k] + (grasp.inertia[k] < kWall ? grasp.inertia[k] : 0.0);
  }
}

/// A limit may be lowered, never raised. 0: there is none.
void lower(double& limit, double asked, const char* option, const char* unit) {
  if (!(asked > 0.0)) return;
  if (limit > 0.0 && asked > limit)
    refuse(fmt::format("{} {:g}: the device's own limit is {:g} {}", option, asked, limit, unit),
           "limits may be lowered, not raised");
  limit = asked;
}

/// Two rates are whole numbers of ticks. The request gets what they are, and a note says where that is not what was asked for.
void tell_rounding(HapticRequest& request, HapticSession& session, const Updates& updates) {
  const auto [every, late] = updates;
  const double rate = session.rate / every, transport = 1e3 * late / session.rate;
  constexpr double kSame = 1e-3;
  const std::string asked =
      fmt::format("--simulation-rate {:g}{}", request.local_rate,
                  request.transport > 0.0 ? fmt::format(" --transport {:g}", request.transport) : "");
  if (every == 1.0 && late == 0.0 && !request.realtime)
    session.notes.push_back(
        fmt::format("{}: in whole ticks that is the loop's own rate of {:g} Hz, so that there is one rate, "
                    "and no local model",
                    asked, session.rate));
  else if (std::abs(rate - request.local_rate) > kSame * request.local_rate ||
           std::abs(transport - request.transport) > kSame * request.transport)
    session.notes.push_back(
        fmt::format("{}: in whole ticks that is {:.4g} Hz, {:.4g} ms late", asked, rate, transport));
  request.local_rate = rate;
  request.transport = transport;
  request.update_every = static_cast<int>(every);
}

/// A simulated device that shows any force, by a coupler: nothing of its own clamps what a port does that goes far in a tick.
bool shows_any_force(const HapticRequest& request) {
  if (request.controller != "coupler" || request.local_rate > 0.0) return false;
  const auto known = about({"device"}, [&] { return device::simulated(request.device); });
  if (!known) return false;
  const device::Specification& s = known->specification;
  return s.kind == device::Kind::impedance && !(s.continuous[1] > 0.0) && !only_turns(s);
}

/// Makes a session, part by part: each needs those before it.
class Opening {
 public:
  Opening(HapticRequest& request, describe::Model model, std::unique_ptr<device::Device> given)
      : request_(request), given_(given != nullptr) {
    session_.model = std::move(model);
    session_.device = std::move(given);
    add_grasp_point(session_.model, request.port);
    if (!request.tool.empty()) tool_ = about({"tool"}, [&] { return fixture_of("--tool", request.tool); });
    // It has its weight, whatever holds the mechanism up.
    const describe::Model& given_model = session_.model;
    for (std::size_t i = 0; i < 3; ++i)
      tool_.gravity[i] = describe::value_of(given_model, given_model.gravity[i]);
    if (request.weightless) session_.model.gravity = {0.0, 0.0, 0.0};
  }

  HapticSession session() {
    choose_rate();
    meet_mechanism();
    if (session_.device == nullptr) choose_device();
    session_.specification = session_.device->specification();
    session_.device_weighs = !given_ && moves_by_itself(*session_.device);
    check_handle();
    tame_port();
    if (session_.hand != nullptr) choose_hand();
    session_.grasp.shown = shown_by(session_.specification, session_.grasp);
    if (session_.specification.owns_clock)
      request_.realtime = true;  // it is in the world, and so is whoever holds it
    note_port();
    note_recording();
    choose_coupler();
    session_.loop = std::make_unique<display::HapticLoop>(*session_.mechanism, *session_.device,
                                                          session_.grasp.port, session_.gains, limits());
    hang_tool();
    choose_controller();
    choose_guard();
    choose_updates();
    if (request_.device_off)
      note("the device stays off: nothing holds the mechanism, which goes as it goes by itself");
    return std::move(session_);
  }

 private:
  void note(std::string text) { session_.notes.push_back(std::move(text)); }
  std::unique_ptr<simulate::Mechanism> mechanism_at(double rate) const;
  void open_device();
  void meet_mechanism();
  void choose_rate();
  void choose_device();
  void check_handle() const;
  void tame_port();
  std::array<double, 2> borne_tool(const device::Specification& s) const;
  void choose_hand();
  void note_port();
  void note_recording();
  void choose_coupler();
  control::SafetyLimits limits() const;
  void hang_tool();
  void choose_controller();
  void choose_guard();
  void choose_updates();

  HapticRequest& request_;
  bool given_;              // the device
  device::Fixture tool_{};  // beyond its force sensor
  HapticSession session_;
};

std::unique_ptr<simulate::Mechanism> Opening::mechanism_at(double rate) const {
  contact::OpenOptions options;
  options.step = 1.0 / rate;
  options.budget = simulate::Budget::haptic();
  options.hand_over = true;
  options.integrator = *simulate::integrator_of(request_.integrator);
  options.constraints.formulation = *simulate::formulation_of(request_.formulation);
  options.constraints.holding = *simulate::holding_of(request_.holding);
  if (!request_.port.empty())
    for (const describe::Frame& frame : session_.model.frames)
      if (frame.name == request_.port) options.ports = {request_.port};
  std::unique_ptr<simulate::Mechanism> mechanism = contact::open(session_.model, options);
  if (!request_.moving)
    mechanism->set_state({.t = 0.0,
                          .q = mechanism->state().q,
                          .u = std::vector<double>(mechanism->nv(), 0.0),
                          .momentum = {}});
  return mechanism;
}

void Opening::open_device() {
  session_.hand = std::make_shared<device::HandPointer>();
  session_.device = about({"device"}, [&] {
    return control::open_device(request_.device, std::make_unique<LaterHand>(session_.hand),
                                {.rate = request_.rate, .seed = request_.hand.seed, .fixture = tool_},
                                request_.arm.options());
  });
}

void Opening::meet_mechanism() {
  session_.mechanism = mechanism_at(session_.rate);
  session_.grasp = grasp_of(request_, *session_.mechanism);
}

/// The device's, if one was asked for; the mechanism's step is its period.
void Opening::choose_rate() {
  // Also where --max-force and --max-torque clamp it: a clamp above what it takes to hold the port keeps nothing small.
  if (!given_ && request_.rate == 0.0 && shows_any_force(request_)) {
    const double turn = own_motion(*mechanism_at(kUsualRate), 0).turn, rate = calm_rate(turn, kUsualRate);
    if (rate > kUsualRate) {
      note(
          fmt::format("by itself the mechanism turns by up to {:.2g} rad in a tick of {:g} Hz: the loop has "
                      "{:g} Hz, unless --rate is given",
                      turn / kUsualRate, kUsualRate, rate));
      request_.rate = rate;
    }
  }
  if (!given_ && !request_.device.empty()) open_device();  // once: hardware is not opened to be looked at
  session_.rate = session_.device != nullptr ? session_.device->specification().rate
                  : request_.rate > 0.0      ? request_.rate
                                             : kUsualRate;
}

/// By how the port can move, which the mechanism tells. What is too heavy for it falls: a stronger device where the controller lets one be, otherwise without weight.
void Opening::choose_device() {
  request_.device = session_.grasp.planar ? "simulated:planar" : "simulated:spatial";
  if (request_.rate == 0.0) request_.rate = kUsualRate;
  open_device();
  constexpr double kRoom = 0.9;  // of the force: something is left to move it with
  constexpr const char* kStrong = "simulated:admittance";
  const double weight = session_.grasp.weight;
  if (!(weight > kRoom * session_.device->specification().continuous[1])) return;
  double most = 0.0;
  for (const device::Specification& s : device::devices())
    if (s.name == kStrong) most = s.continuous[1];
  if (request_.controller == "coupler" && request_.local_rate == 0.0 && weight <= kRoom * most) {
    note(fmt::format("it takes {:.3g} N to hold the mechanism up, more than {} gives: {} holds it", weight,
                     request_.device, kStrong));
    request_.device = kStrong;
    open_device();
  } else if (!request_.weightless) {  // otherwise springs push it, which a note after the run says
    note(
        fmt::format("it takes {:.3g} N to hold the mechanism up, more than {} gives: it has no weight in "
                    "this run, unless --device is given",
                    weight, request_.device));
    session_.weight_left_out = true;
    session_.model.gravity = {0.0, 0.0, 0.0};
    meet_mechanism();
  }
}

/// A model as a device has the inertia that its mechanism has at the handle, where it begins.
void Opening::check_handle() const {
  if (given_) return;  // the device of a log could be moved
  const device::Specification& s = session_.specification;
  device::HandleDynamics own;
  if (!device::of_model(request_.device).has_value() && !s.name.starts_with("model:")) return;
  if (!session_.device->dynamics(own)) return;
  constexpr double kRounding = 1e6;  // [kg m^2], [kg] what is as heavy, or less than nothing, is no handle
  for (std::size_t i = 0; i < 6; ++i)
    if (const double m = own.M[7 * i]; device::has_axis(s.actuated, i) && !(m > 0.0 && m < kRounding))
      refuse(
          fmt::format("device `{}` cannot be {} as its handle stands where it begins: it has {:.3g} {} there",
                      s.name, i < 3 ? "turned" : "moved", m, i < 3 ? "kg m^2" : "kg"),
          "give the device's model another `initial` state, not a singular one, or hold it elsewhere, by "
          "model:FILE:PORT");
}

// The sensor reads the tool as it is accelerated, and what is taken out is the tool as it was told to be. Of
// the difference, mu = m_f/m of what is shown comes back in each tick. A cobot or a servo that comes after
// its commands, whose true acceleration is late altogether, bears about 0.8 (1 kg shown: 0.7 kg runs, 0.9 kg
// swings up), a servo that leads more than 8 (8 kg run; 2 kg on 0.155 kg do not).
std::array<double, 2> Opening::borne_tool(const device::Specification& s) const {
  if (s.kind != device::Kind::admittance || !(tool_.mass > 0.0)) return {};
  constexpr double kLate = 0.5, kLeads = 4.0;
  double mu = s.latency > 0.0 ? kLate : kLeads;
  const math::Vec3<double>& c = tool_.centre;
  double turned = 0.0;  // [kg m^2] about the handle's origin
  for (std::size_t i = 0; i < 3; ++i)
    turned = std::max(turned, tool_.inertia[i] + tool_.mass * (dot(c, c) - c[i] * c[i]));
  // Beside the handle's origin it couples turning with moving, and so may the port: a matrix is nowhere more
  // than twice its two blocks, and an inverse nowhere less than half of them.
  constexpr double kCoupled = 4.0;
  if (dot(c, c) > 0.0) mu /= kCoupled;
  return {turned / mu, tool_.mass / mu};
}

void Opening::tame_port() {
  const device::Specification& s = session_.specification;
  session_.grasp.beyond = borne_tool(s);
  if (s.kind != device::Kind::admittance || request_.kept >= 0.0 || request_.local_rate != 0.0 ||
      session_.mechanism->kind() != simulate::EngineKind::smooth)
    return;
  session_.grasp.tamed = taming_inertia(own_motion(*mechanism_at(session_.rate), session_.grasp.port),
                                        control::limits_for(s).speed);
}

void Opening::choose_hand() {
  const bool held = std::isfinite(session_.device->hand_work());  // hardware has a hand of its own
  std::vector<std::string> none;
  apps::choose_hand(request_, session_.specification, session_.device->hand_limits(), session_.grasp,
                    held ? session_.notes : none);
  *session_.hand = about({"hand"}, [&] { return hand_of(request_.hand); });
  const std::vector<std::string> of_moving{"hand-stiffness", "hand-damping", "hand"};
  std::vector<std::string> of_turning{"hand-rotational-stiffness", "hand-rotational-damping", "hand"};
  if (request_.hand.turning) of_turning.insert(of_turning.end() - 1, of_moving.begin(), of_moving.end() - 1);
  about(of_turning, [&] { device::require_borne(**session_.hand, *session_.device, 0); });
  about(of_moving, [&] { device::require_borne(**session_.hand, *session_.device, 1); });
  if (const std::string file = device::file_of_hand(request_.hand.name); !file.empty() && held) {
    const double end = device::end_of_hand(file);
    const bool lasts = request_.hand.let_go < 0.0 || request_.hand.let_go > end;
    if (lasts && end < request_.duration - 2.0 / session_.rate)
      note(fmt::format(
          "the hand's file ends after {:g} s, and the run after {:g} s: its last values go on until then",
          end, request_.duration));
  }
  constexpr double kNotable = 1.0;  // [N]
  const device::Vector6& F = request_.hand.carried;
  if (const double force = std::hypot(F[3], F[4], F[5]); force > kNotable)
    note(fmt::format("the hand carries the {:.3g} N that hold the mechanism up where it begins", force));
}

void Opening::note_port() {
  const device::Specification& s = session_.specification;
  const Grasp& grasp = session_.grasp;
  if (!(grasp.inertia[1] < kWall) && (s.actuated & device::kTranslation) != 0)
    note(fmt::format(
        "the port `{}` cannot move where the motion begins{}: it is a wall; another --port can be held",
        session_.mechanism->ports()[static_cast<std::size_t>(grasp.port)].name,
        session_.mechanism->contact_report().contacts > 0 ? ", while its contacts hold" : ""));
  else if (!moves_with(s, grasp))
    note("the port cannot move along or about any axis of this device: it is felt as a wall");
}

void Opening::note_recording() {
  if (!given_ && request_.device.starts_with(kRecording)) {
    const double end = device::length_of_recording(request_.device.substr(kRecording.size()));
    if (end < request_.duration - 2.0 / session_.rate)
      note(
          fmt::format("the device's recording ends after {:g} s, and the run after {:g} s: the handle "
                      "stands still until then",
                      end, request_.duration));
  }
  const device::Specification& s = session_.specification;
  if (s.name.starts_with(kRecording) && (s.sensed & ~device::kTranslation) == 0)
    note("the recording has no orientation: its handle does not turn");
}

void Opening::choose_coupler() {
  const device::Specification& s = session_.specification;
  if (request_.local_rate > 0.0 && s.kind == device::Kind::impedance)
    session_.turn = own_motion(*mechanism_at(session_.rate), session_.grasp.port).turn;
  if (request_.controller == "coupler")
    session_.gains =
        gains_of(request_, s, session_.grasp, age_of(request_, session_.rate, session_.turn), session_.notes);
  if (request_.controller == "proxy" ||
      (request_.controller == "prescribed" && s.kind == device::Kind::impedance)) {
    Grasp wall = session_.grasp;  // it does not move
    wall.inertia = {1e12, 1e12};
    wall.mobility = {};
    session_.gains = gains_of(request_, s, wall, 0, session_.notes);
  }
}

control::SafetyLimits Opening::limits() const {
  const device::Specification& s = session_.specification;
  control::SafetyLimits limits = control::limits_for(s);
  if (s.kind == device::Kind::admittance) {
    // What is cut of a sensed wrench makes energy where it yields: nothing is below the sensor's end, and an arm's transducer ends the run there.
    limits.force = s.peak;
    limits.force_rate = {};
    const std::pair<const char*, double> clamps[] = {
        {"--max-force", request_.most_force},           {"--max-torque", request_.most_torque},
        {"--max-force-rate", request_.most_force_rate}, {"--max-torque-rate", request_.most_torque_rate},
        {"--max-power", request_.most_power},           {"--max-power-rate", request_.most_power_rate}};
    for (const auto& [option, asked] : clamps)
      if (asked > 0.0)
        refuse(fmt::format("device `{}` is moved: the force on its handle is the hand's own, and no clamp of "
                           "{} holds it back",
                           s.name, option),
               "leave them out; --max-speed and --max-turn-speed limit the motion; devices of the impedance "
               "kind "
               "clamp their force");
  }
  // Simulated time is never late but by rounding.
  if (request_.late > 0.0 && request_.realtime) limits.late = 1e-3 * request_.late;
  lower(limits.force[1], request_.most_force, "--max-force", "N");
  lower(limits.force[0], request_.most_torque, "--max-torque", "N m");
  lower(limits.force_rate[1], request_.most_force_rate, "--max-force-rate", "N/s");
  lower(limits.force_rate[0], request_.most_torque_rate, "--max-torque-rate", "N m/s");
  lower(limits.power, request_.most_power, "--max-power", "W");
  lower(limits.power_rate, request_.most_power_rate, "--max-power-rate", "W/s");
  lower(limits.speed[1], request_.most_speed, "--max-speed", "m/s");
  lower(limits.speed[0], request_.most_turn_speed, "--max-turn-speed", "rad/s");
  // One number for all three sides.
  for (std::size_t i = 0; i < 3 && !request_.workspace.empty(); ++i)
    lower(limits.workspace[i], request_.workspace[request_.workspace.size() == 1 ? 0 : i], "--workspace",
          "m");
  lower(limits.workspace_angle, request_.workspace_angle, "--workspace-angle", "rad");
  if (request_.ramp > 0.0) limits.ramp = request_.ramp;
  return limits;
}

void Opening::hang_tool() {
  if (request_.tool.empty()) return;
  if (!(tool_.mass > 0.0))
    refuse(fmt::format("--tool {}: a tool without mass is none", request_.tool), "give its mass [kg]");
  const device::Specification& s = session_.specification;
  const bool bears = [&] {  // the device of a log bore it
    if (given_) return true;
    const auto known = device::simulated(request_.device);
    return known && known->bears_tool;
  }();
  if (!bears)
    refuse(fmt::format("no tool can be hung on device `{}`", s.name),
           control::is_arm(request_.device)
               ? "an arm's gripper is --arm-gripper"
               : "--device simulated:admittance and simulated:cobot have a force sensor before it");
  constexpr double kShare = 0.5;  // of what the sensor reads: the rest is for the hand
  const double g = std::sqrt(dot(tool_.gravity, tool_.gravity)), force = tool_.mass * g,
               torque = force * std::sqrt(dot(tool_.centre, tool_.centre));
  if (s.peak[1] > 0.0 && force > kShare * s.peak[1])
    refuse(fmt::format("--tool {}: its weight takes more than half of the {:g} N that the sensor reads",
                       request_.tool, s.peak[1]),
           fmt::format("hang {:.3g} kg on it at most", kShare * s.peak[1] / g));
  if (s.peak[0] > 0.0 && torque > kShare * s.peak[0])
    refuse(
        fmt::format("--tool {}: its weight turns with up to {:.3g} N m, more than half of the {:g} N m that "
                    "the sensor reads",
                    request_.tool, torque, s.peak[0]),
        fmt::format("with that mass its centre may be {:.3g} m from the handle", kShare * s.peak[0] / force));
  // Two rates have a local model of the mechanism, to which nothing is bolted.
  const std::array<double, 2>& least = session_.grasp.beyond;
  if (const std::array<double, 2> missing =
          control::missing_inertia(least, session_.grasp.mobility, s.actuated);
      request_.local_rate > 0.0 && (missing[0] > 0.0 || missing[1] > 0.0))
    refuse(
        fmt::format("--tool {}: with two rates the port must have {:.3g} kg and {:.3g} kg m^2 at least, or "
                    "what is taken out of the sensed force swings up",
                    request_.tool, least[1], least[0]),
        "hang less on it, or leave out --simulation-rate: then inertia is bolted to the port");
  session_.loop->compensate(tool_);
}

void Opening::choose_controller() {
  display::HapticLoop& loop = *session_.loop;
  if (session_.specification.kind == device::Kind::admittance && request_.kept != 0.0)
    keep_inertia(request_, session_);
  if (request_.controller == "coupler")
    session_.follows = loop.follow_port();
  else if (request_.controller == "prescribed")
    about({"prescribe", "controller"}, [&] { loop.use(prescription(request_, session_)); });
  else if (request_.controller == "proxy")
    about({"controller"}, [&] { loop.use(control::ProxyGains{.stiffness = session_.gains.stiffness[1]}); });
  else
    about({"joint-stiffness", "joint-damping", "damping-growth", "handle-stiffness", "handle-damping",
           "controller"},
          [&] { loop.use(four_channels(request_, session_)); });
  if (request_.internal_damping > 0.0)
    about({"internal-damping"}, [&] { loop.damp_inside(request_.internal_damping); });
}

void Opening::choose_guard() {
  // Four channels mask the device's inertia, friction and damping, which elsewhere takes what sampling adds. What that would feed is taken back.
  const device::Specification& s = session_.specification;
  const bool four = four_channeled(request_, s);
  if (four && !s.force_sensor && !request_.passivity)
    note(
        "the device has no force sensor, and what the hand gives is what a stiff coordination holds: a mass "
        "is felt with that spring in series, and the passivity controller is on");
  // A display by motion leads or lags a little, by frequencies and by what is shown, and that feeds the hand or the mechanism some millijoules.
  session_.loop->guard_passivity(request_.passivity || four || s.kind == device::Kind::admittance,
                                 request_.passivity);
}

void Opening::choose_updates() {
  if (!(request_.local_rate > 0.0)) return;
  const Updates updates = updates_of(request_, session_.rate);
  const auto [every, late] = updates;
  constexpr double kMost = static_cast<double>(display::TwoRateOptions::kMostTicks);
  if (every + late > kMost)
    refuse(fmt::format("--simulation-rate {:g}: an update every {:g} ticks of the loop, {:g} late",
                       request_.local_rate, every, late),
           late < kMost ? fmt::format("with a loop of {:g} Hz and this --transport give at least {:g} Hz",
                                      session_.rate, std::ceil(session_.rate / (kMost - late)))
                        : "give a shorter --transport");
  // A thread, or what a log says of one.
  session_.loop->use({.every = static_cast<int>(every),
                      .delay = static_cast<int>(late),
                      .thread = request_.realtime && !given_,
                      .told = request_.realtime && given_});
  tell_rounding(request_, session_, updates);
}

}  // namespace

HapticSession open_session(HapticRequest& request, describe::Model model,
                           std::unique_ptr<device::Device> given) {
  return Opening(request, std::move(model), std::move(given)).session();
}

}  // namespace tactus::apps
