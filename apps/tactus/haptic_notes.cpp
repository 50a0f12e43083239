#include "haptic_notes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/control/arm/arm_device.h>

namespace tactus::apps {

namespace {

using Notes = std::vector<std::string>;

constexpr double kFarApart = 0.1;  // [m] more than a spring that a device can hold gives way

/// What there is to do against energy that the loop makes, of what is not done already.
std::string remedy_for_energy(const HapticSession& session, const HapticRequest& request, bool resisted) {
  const device::Specification& s = session.specification;
  const bool four = four_channeled(request, s);
  std::string remedy;
  const auto add = [&](const char* what) { remedy += (remedy.empty() ? "" : ", or ") + std::string(what); };
  if (s.kind == device::Kind::admittance)
    // What is bolted on by itself is enough but where less was asked for.
    add(request.kept >= 0.0 && request.kept < 1.0 && request.local_rate == 0.0 ? "--kept-inertia 1"
                                                                               : "a heavier mechanism");
  else if (!four)
    add("a softer coupling");
  // Four channels without a force sensor have it already.
  if (!request.passivity && (!four || s.force_sensor) && s.kind == device::Kind::impedance)
    add("--passivity");
  // A port that goes far in a tick: the force that is held meanwhile points elsewhere by its end, however soft the spring is.
  if (!four && s.kind == device::Kind::impedance) {
    add("a faster --rate");
    if (!(s.continuous[1] > 0.0) && !(request.most_force > 0.0)) add("--max-force and --max-torque");
  }
  if (four && request.controller == "penalties" && resisted)
    add("less --joint-stiffness, or other --joint-damping");
  if (four && !s.force_sensor) add("a device with a force sensor");
  if (four) add("--controller coupler");
  return remedy;
}

/// A local model has room for the nearest contacts alone.
void note_left_out(const Outcome& outcome, Notes& notes) {
  if (!outcome.two_rates() || outcome.measured.left_out == 0) return;
  notes.push_back(fmt::format(
      "two rates: the local model has room for the {} nearest contacts, and up to {} more touched or were "
      "about to: what those give is felt at the next update only; a faster --simulation-rate, or fewer "
      "shapes with `contact: true`",
      display::TwoRateOptions::kRoom, outcome.measured.left_out));
}

/// The device is too weak for what hangs on it, or does not push the way that it hangs.
void note_weight(const HapticSession& session, const HapticRequest& request, Notes& notes) {
  double free = 0.0;  // [N] along axes that the device does not have
  for (std::size_t i = 3; i < 6; ++i)
    if (!device::has_axis(session.specification.actuated, i))
      free = std::hypot(free, session.grasp.support[i]);
  constexpr double kSlight = 0.1;  // [N] nothing to speak of
  if (free > kSlight)
    notes.push_back(
        request.weightless
            ? fmt::format("springs or other forces of its own push its port with {:.3g} N along axes that "
                          "the device does not have: nothing holds it there",
                          free)
            : fmt::format("it takes {:.3g} N along axes that the device does not have to hold the mechanism "
                          "up: nothing holds it there, unless --weightless or another device is given",
                          free));
  const double held = std::sqrt(std::max(0.0, session.grasp.weight * session.grasp.weight - free * free));
  if (const double most = session.specification.continuous[1];
      session.specification.kind == device::Kind::impedance && most > 0.0 && held > most)
    notes.push_back(
        request.weightless
            ? fmt::format(
                  "springs or other forces of its own push its port with {:.3g} N where it begins, and the "
                  "device gives {:g} N: it moves away, unless another device is given",
                  held, most)
            : fmt::format(
                  "it takes {:.3g} N to hold the mechanism up, and the device gives {:g} N: it falls, "
                  "unless --weightless or another device is given",
                  held, most));
  if (const double most = session.specification.peak[1];
      session.specification.kind == device::Kind::admittance && most > 0.0 && session.grasp.weight > most)
    notes.push_back(fmt::format(
        "it takes {:.3g} N to hold the mechanism up, and the device's sensor reads {:g} N: it falls, "
        "unless --weightless or another device is given",
        session.grasp.weight, most));
}

void note_run(const HapticSession& session, const display::RunReport& report, Notes& notes) {
  constexpr double kFew = 0.01;  // of the periods
  if (const auto all = static_cast<double>(report.ticks + report.missed);
      report.realtime && static_cast<double>(report.missed) > kFew * all)
    notes.push_back(fmt::format(
        "{:.2g} % of the periods were missed: the mechanism's time went that much slower than the hand's",
        100.0 * static_cast<double>(report.missed) / all));
  if (report.mechanism_busy) return;
  if (const simulate::Statistics made = session.mechanism->statistics(); !made.hand_over_reason.empty())
    notes.push_back(fmt::format("events carried it to t = {:g} s, stepping from there on: {}",
                                made.hand_over_time, made.hand_over_reason));
}

void note_energy(const HapticSession& session, const HapticRequest& request, const Outcome& outcome,
                 Notes& notes) {
  const bool moved = session.specification.kind == device::Kind::admittance;
  if (moved && outcome.measured.at_the_sensors_end > 0.0)
    notes.push_back(
        fmt::format("in {:.2g} % of the ticks the force sensor was at its end ({:g} N, {:g} N m): the "
                    "mechanism got less than the hand gave",
                    100.0 * outcome.measured.at_the_sensors_end, session.specification.peak[1],
                    session.specification.peak[0]));
  if (outcome.measured.outrun > 0.0)
    notes.push_back(fmt::format(
        "in {:.2g} % of the ticks the port went faster than the device goes along an axis ({:.3g} m/s, "
        "{:.3g} "
        "rad/s): the handle fell behind; a slower hand, a heavier mechanism, or a faster device",
        100.0 * outcome.measured.outrun, session.specification.speed[1], session.specification.speed[0]));
  const Made made = made_by_loop(outcome);
  if (!(made.all > 0.0)) return;
  // Of a device that is moved: how much more the sensor read than the hand gave.
  const double misread = moved ? outcome.last.out_of_handle - outcome.hand_work : 0.0;
  if (misread >= 0.5 * made.all)
    notes.push_back(fmt::format(
        "{} {:.3g} J by a force sensor that reads other than it is pushed: by its bias, its noise, its steps "
        "or "
        "its end; another sensor, or a softer hand",
        made.at_the_hand >= 0.5 * made.all ? "the hand gained" : "the mechanism was fed", made.all));
  else if (const double by_device = outcome.last.out_of_handle - outcome.hand_work;
           !moved && by_device >= 0.5 * made.all && session.device_weighs)
    notes.push_back(fmt::format(
        "the hand gained {:.3g} J by the device's own weight or springs, which are felt; its motors "
        "carry them with `compensated: true`",
        made.all));
  else
    notes.push_back(
        fmt::format("{} {:.3g} J that neither the hand nor the mechanism put in: the loop is not passive; {}",
                    made.at_the_hand >= 0.5 * made.all ? "the hand gained" : "the mechanism was fed",
                    made.all, remedy_for_energy(session, request, outcome.measured.most_resisted > 0)));
}

/// Handle and port came apart; and why, as far as that can be told.
void note_distance(const HapticSession& session, const HapticRequest& request, const Outcome& outcome,
                   Notes& notes) {
  if (request.controller == "proxy") return;
  if (outcome.measured.largest_lag > kFarApart) {
    const double most = request.most_force > 0.0 ? request.most_force : session.specification.continuous[1];
    std::string why = "the port does not follow the handle; --controller coupler holds them together";
    if (outcome.two_rates() && session.specification.kind == device::Kind::impedance)
      why = "what holds them together is as soft as late updates ask for; a faster --simulation-rate";
    else if (outcome.by_coupler())
      why = "the coupler is soft beside what pulls; --coupling stiff, or --stiffness";
    if (!(outcome.measured.largest_held_lag > kFarApart))
      why = "along axes that the device does not have, where nothing holds the port";
    else if (outcome.measured.at_the_end)
      why = "the handle is at the end of the device's workspace, and the port goes on";
    else if (session.specification.kind == device::Kind::admittance)
      why = "the device does not follow the port";
    else if (constexpr double kAll = 0.99; most > 0.0 && outcome.measured.largest_force >= kAll * most)
      why = fmt::format(
          "the mechanism pulls harder than the device may ({:g} N), and goes its own way; {}a stronger "
          "device",
          most, request.weightless ? "" : "--weightless, or ");
    notes.push_back(
        fmt::format("handle and port came apart by {:.3g} m: {}", outcome.measured.largest_lag, why));
  }
}

/// What held them was another thing than at the start.
void note_changes(const display::HapticLoop& loop, const Outcome& outcome, Notes& notes) {
  if (outcome.by_coupler() && outcome.measured.softened > 0.0)
    notes.push_back(fmt::format(
        "the port grew lighter than the coupler bears: in {:.2g} % of the ticks the coupler was softer, down "
        "to {:.2g} of its stiffness, and stiffened again where that made no energy",
        100.0 * outcome.measured.softened, outcome.measured.softest));
  if (loop.gave_up())
    notes.push_back(
        fmt::format("prescribing the port made energy, or the port was faster than a handle may be: it was "
                    "given up, and the "
                    "coupler holds it since t = {:.3g} s",
                    outcome.measured.gave_up_at));
  else if (outcome.measured.handed_over > 0.0)
    notes.push_back(fmt::format(
        "in {:.2g} % of the ticks the port was heavier along a direction than at the start, more than the "
        "loop bears: the coupler held it there",
        100.0 * outcome.measured.handed_over));
}

}  // namespace

/// What is known of a fault besides; empty where that is nothing.
std::string reason_of(HapticSession& session, const HapticRequest& request, const display::RunReport& report,
                      const Measured& measured) {
  const control::Fault fault = session.loop->safety().fault;
  if (fault == control::Fault::mechanism) return session.mechanism->explain(session.loop->record().status);
  if (fault == control::Fault::wrong_rate) {
    // Somewhat slower than it can, so that a period has room for it.
    constexpr double kRoom = 0.8;
    const double rate = report.device_rate, step = std::pow(10.0, std::floor(std::log10(kRoom * rate)) - 1.0);
    return fmt::format(
        "it gives {:.4g} samples in a second, and the loop has {:g} Hz; masses would be felt wrong, and the "
        "coupler is not designed for it: give --rate {:g}, or find out what {} the device",
        rate, session.rate, step * std::floor(kRoom * rate / step),
        rate < session.rate ? "slows" : "hurries");
  }
  if (fault == control::Fault::unbalanced)
    return fmt::format("give {}", remedy_for_energy(session, request, measured.most_resisted > 0));
  if (fault == control::Fault::apart && !(measured.largest_held_lag > kFarApart))
    return "along axes that the device does not have, where nothing holds the port";
  return session.device->trouble();
}

void note_what_came_of_it(const HapticSession& session, const HapticRequest& request, const Outcome& outcome,
                          std::vector<std::string>& notes) {
  note_weight(session, request, notes);
  note_run(session, outcome.report, notes);
  note_energy(session, request, outcome, notes);
  note_distance(session, request, outcome, notes);
  note_left_out(outcome, notes);
  note_changes(*session.loop, outcome, notes);
}

}  // namespace tactus::apps
