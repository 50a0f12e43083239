// The options of `tactus haptic` that say what is run, by what they are about; `tactus replay` reads them from a log.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/device/registry.h>

#include "fixture_option.h"
#include "haptic_hand.h"
#include "haptic_request.h"
#include "haptic_session.h"
#include "options.h"

namespace tactus::apps {

namespace {

void add_mechanism_options(CLI::App* verb, HapticRequest* request) {
  verb->option_defaults()->group("Mechanism");
  request->model.add_to(*verb);
  verb->add_option(
      "--port", request->port,
      "frame or body that is held, or a point of a body: BODY@x,y,z [m] in its axes; the first frame "
      "marked `grasp`");
  verb->add_flag("--weightless", request->weightless, "without gravity: as if its motors carried its weight");
  verb->add_flag("--moving", request->moving, "begin with the model's initial speeds, not at rest");
  verb->add_option("--integrator", request->integrator,
                   "of the mechanism; passive: it never gives more energy than went in, at any rate, "
                   "contacts included")
      ->capture_default_str()
      ->check(CLI::IsMember({"euler", "rk4", "implicit", "passive"}));
  verb->add_option("--formulation", request->formulation,
                   "of the constrained motion; parametric: in the coordinates z that the model gives, as "
                   "[Faulring2006, Algorithm 1] with a better integrator")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "multipliers", "embedding", "projection", "parametric"}));
  verb->add_option("--holding", request->holding,
                   "how constraints are held: projection (position and velocity), or for comparison "
                   "position_only, velocity_only, baumgarte, none")
      ->capture_default_str()
      ->check(CLI::IsMember({"projection", "position_only", "velocity_only", "baumgarte", "none"}));
  verb->add_option("--internal-damping", request->internal_damping,
                   "damping at the joints [N m s/rad], [N s/m] of motions that the port does not show, an "
                   "arm's elbow: "
                   "unfelt at the port")
      ->check(numbers(Range::not_negative()));
}

void add_device_options(CLI::App* verb, HapticRequest* request) {
  verb->option_defaults()->group("Device");
  verb->add_option("--device", request->device,
                   "see `tactus devices`; FILE.yaml for numbers of your own; arm:FILE for a robot arm; "
                   "simulated:planar where the port stays in "
                   "a plane z = const, otherwise "
                   "simulated:spatial");
  verb->add_option(
      "--tool", request->tool,
      fmt::format("hangs beyond the force sensor of simulated:admittance, simulated:cobot, or a "
                  "device based on them: {}, in the handle's axes [kg, m, kg m^2]; its weight, by "
                  "the model's gravity, and its inertia are taken out of what is sensed",
                  kFixtureForm));
  verb->add_flag(
      "--device-off", request->device_off,
      "the device is never switched on: its hand moves it as it is by itself, and nothing holds the "
      "mechanism");
}

void add_coupling_options(CLI::App* verb, HapticRequest* request) {
  verb->option_defaults()->group("How the hand holds it");
  verb->add_option(
          "--controller", request->controller,
          "coupler; or four channels with the joints by acceleration (impedance) or by penalties; or "
          "prescribed: the handle's motion is the port's, and what that takes is felt; or proxy: the handle "
          "is a point "
          "before the boxes and planes on the ground")
      ->capture_default_str()
      ->check(CLI::IsMember({"coupler", "impedance", "penalties", "prescribed", "proxy"}));
  verb->add_option("--coupling", request->coupling,
                   "soft, firm or stiff: a tenth, half or 0.9 of what is passive")
      ->capture_default_str()
      ->check(CLI::IsMember({"soft", "firm", "stiff"}));
  verb->add_option("--stiffness", request->stiffness,
                   "of the coupler [N/m], [N m/rad] where the device only turns; instead of the designed one")
      ->check(numbers(Range::positive()));
  verb->add_option(
          "--damping", request->damping,
          "of the coupler [N s/m], [N m s/rad] where the device only turns; instead of the designed one")
      ->check(numbers(Range::not_negative()));
  verb->add_option(
          "--rotational-stiffness", request->rotational_stiffness,
          "of the coupler [N m/rad], about the axes that the device has; instead of the designed one")
      ->check(numbers(Range::positive()));
  verb->add_option(
          "--rotational-damping", request->rotational_damping,
          "of the coupler [N m s/rad], about the axes that the device has; instead of the designed one")
      ->check(numbers(Range::not_negative()));
  verb->add_flag("--passivity", request->passivity,
                 "a damper on the handle gives back what the hand would gain: passivity observer and "
                 "controller; four channels that sense the hand have otherwise one on the port alone");
  verb->add_option(
          "--kept-inertia", request->kept,
          "four channels: the share of the handle's own inertia that stays felt; admittance devices: "
          "the share of the "
          "lightest inertia that they bear which is bolted to the port; by default what a lighter "
          "port needs, 0 for none")
      ->check(numbers(Range::between(0.0, 1.0)));
}

void add_four_channels_options(CLI::App* verb, HapticRequest* request) {
  const Range scales = Range::between(1e-6, 1e6);
  verb->option_defaults()->group("Four channels, prescribed ports");
  verb->add_option("--joint-stiffness", request->joint_stiffness, "of the penalties [1/s^2]")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()));
  verb->add_option("--joint-damping", request->joint_damping, "of the penalties [1/s]")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()));
  verb->add_option(
          "--damping-growth", request->damping_growth,
          "of the penalties: their damping is this many times as large where the hand is 1 mm or 1 mrad "
          "off, and grows until there")
      ->capture_default_str()
      ->check(numbers(Range::between(1.0, 1e3)));
  verb->add_option("--handle-stiffness", request->handle_stiffness,
                   "four channels: a spring at the handle besides, from where it is once forces are there "
                   "[N/m], [N m/rad] where the device only turns")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()));
  verb->add_option("--handle-damping", request->handle_damping,
                   "four channels: a damper at the handle besides [N s/m], [N m s/rad] where the device only "
                   "turns")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()));
  verb->add_option("--force-scale", request->force_scale,
                   "four channels: the hand feels this times the force")
      ->capture_default_str()
      ->check(numbers(scales));
  verb->add_option("--motion-scale", request->motion_scale, "four channels: the hand moves this times as far")
      ->capture_default_str()
      ->check(numbers(scales));
  verb->add_flag(
      "--no-turning", request->no_turning,
      "four channels as printed in [Constantinescu2005]: the handle's acceleration without Jdot u");
  verb->add_option("--rank", request->rank,
                   "what says which directions the joints resist: mobility, that of the port in the device's "
                   "inertia, or jacobian, the singular values of the port's Jacobian, as printed, which sees "
                   "no constraints")
      ->capture_default_str()
      ->check(CLI::IsMember({"mobility", "jacobian"}));
  verb->add_option("--rank-tolerance", request->rank_tolerance,
                   "a direction is resisted where the device's mass over the mechanism's, or the singular "
                   "value, is below this; 1e-4")
      ->check(numbers(Range::positive()));
  verb->add_flag(
      "--no-fading", request->no_fading,
      "as printed: penalties begin all at once, and do not fade between the tolerance and twice that");
  verb->add_option("--prescribe", request->prescribe,
                   "axes of the port, such as x,y,rz; those of the device, along the directions that the "
                   "port can move")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(device::kAxisNames.begin(), device::kAxisNames.end())));
}

void add_hand_options(CLI::App* verb, HapticRequest* request) {
  verb->option_defaults()->group("Simulated hand");
  verb->add_option(
          "--hand", request->hand.name,
          fmt::format("of a simulated device: {}; or file:PATH, a hand that is written down: YAML of "
                      "formulas, or a table (CSV) of wrenches or ways over time (docs/haptic.md)",
                      fmt::join(hand_names(), ", ")))
      ->capture_default_str()
      ->check(CLI::Validator(
          [](const std::string& name) -> std::string {
            const std::vector<std::string> known = hand_names();
            if (name.starts_with("file:") || std::find(known.begin(), known.end(), name) != known.end())
              return {};
            return fmt::format("there is no hand `{}`: {}", name, suggestion(name, known));
          },
          ""));
  verb->add_option("--size", request->size,
                   "of the hand's motion [m], a tenth of the workspace's side; [rad], 0.5, where the device "
                   "only turns")
      ->check(numbers(Range::positive()));
  verb->add_option(
          "--force", request->hand.force,
          "of the hands `push` [N], [N m] where the device only turns, and `tremble` [N], as --tremor")
      ->capture_default_str()
      ->check(numbers(Range::between(-1e6, 1e6)));
  verb->add_option("--wrench", request->hand.wrench,
                   "of the hand `constant`, world axes: force [N] fx,fy,fz, and torque [N m] after it")
      ->delimiter(',')
      ->expected(1, 6)
      ->allow_extra_args(false)
      ->check(numbers(Range::between(-1e6, 1e6)));
  verb->add_option(
          "--tremor", request->hand.tremor,
          "of any hand besides [N], 8 to 12 Hz; at the rim of a wheel of 0.3 m where the device only turns")
      ->check(numbers(Range::between(0.0, 1e6)));
  verb->add_option("--let-go-at", request->hand.let_go, "any hand lets go then [s]")
      ->check(numbers(Range::not_negative()));
  verb->add_option("--hand-stiffness", request->hand.stiffness,
                   "of the hand's arm [N/m], [N m/rad] where the device only turns; as suits what it moves "
                   "unless given")
      ->check(numbers(Range::positive()));
  verb->add_option("--hand-damping", request->hand.damping,
                   "of the hand's arm [N s/m], [N m s/rad] where the device only turns")
      ->check(numbers(Range::not_negative()));
  verb->add_option("--hand-rotational-stiffness", request->hand.rotational_stiffness,
                   "of the hand's arm [N m/rad] about the axes that the device has; as suits what it turns "
                   "unless given")
      ->check(numbers(Range::positive()));
  verb->add_option("--hand-rotational-damping", request->hand.rotational_damping,
                   "of the hand's arm [N m s/rad] about the axes that the device has")
      ->check(numbers(Range::not_negative()));
  verb->add_option("--seed", request->hand.seed, "of what is random")
      ->capture_default_str()
      ->check(whole_numbers(Range::between(0, 1e18)));
}

void add_loop_options(CLI::App* verb, HapticRequest* request) {
  verb->option_defaults()->group("Loop");
  verb->add_option("--duration", request->duration, "[s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_option("--rate", request->rate, "of the loop [Hz]; the device's own unless given")
      ->check(numbers(Range::between(10.0, 1e5)));
  verb->add_flag("--realtime", request->realtime, "by the clock, not as fast as it goes");
  verb->add_option("--cpu", request->cpu, "processor to stay on, in real time")
      ->check(whole_numbers(Range::between(0, 1023)));
  verb->add_option("--simulation-rate", request->local_rate,
                   "two rates: the mechanism at this one [Hz], the loop with a local model of it")
      ->check(numbers(Range::between(1.0, 1e5)));
  verb->add_option("--transport", request->transport, "two rates: how long an update is on its way [ms]")
      ->check(numbers(Range::between(0.0, 1e4)));
}

void add_safety_options(CLI::App* verb, HapticRequest* request) {
  constexpr double kLeastAngle = 1e-3, kMostAngle = 3.14;  // [rad] half a turn and more is no limit
  verb->option_defaults()->group("Safety");
  verb->add_option("--max-force", request->most_force,
                   "clamp of the force on the handle [N], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-torque", request->most_torque,
                   "clamp of the torque on the handle [N m], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-force-rate", request->most_force_rate,
                   "clamp of how fast that force grows [N/s], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-torque-rate", request->most_torque_rate,
                   "clamp of how fast that torque grows [N m/s], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-power", request->most_power,
                   "clamp of the power given to the handle [W], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-power-rate", request->most_power_rate,
                   "clamp of how fast that power grows [W/s], below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-speed", request->most_speed,
                   "forces go off where the handle is faster [m/s]; below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--max-turn-speed", request->most_turn_speed,
                   "forces go off where the handle turns faster [rad/s]; below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--workspace", request->workspace,
                   "forces go off where the handle is further from the middle [m]: one number, or x,y,z; "
                   "within the device's own")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(numbers(Range::positive()));
  verb->add_option("--workspace-angle", request->workspace_angle,
                   "forces go off where the handle is turned further from its zero [rad], less than half a "
                   "turn; within the device's own")
      ->check(numbers(Range::between(kLeastAngle, kMostAngle)));
  verb->add_option("--ramp", request->ramp, "how long forces take to come on [s]; 0.25")
      ->check(numbers(Range::between(1e-3, 60.0)));
  verb->add_option("--late", request->late, "how late a tick may be [ms] before forces go off; 20")
      ->check(numbers(Range::positive()));
  verb->add_option("--watchdog", request->watchdog,
                   "real time: a loop that stands still so long [s] is stopped from outside; 0: never")
      ->capture_default_str()
      ->check(numbers(Range::between(0.0, 3600.0)));
}

}  // namespace

void add_haptic_settings(CLI::App* verb, HapticRequest* request) {
  add_mechanism_options(verb, request);
  add_device_options(verb, request);
  add_coupling_options(verb, request);
  add_four_channels_options(verb, request);
  add_hand_options(verb, request);
  add_loop_options(verb, request);
  add_safety_options(verb, request);
  request->arm.add_to(*verb);
  verb->option_defaults()->group("Files");
}

}  // namespace tactus::apps
