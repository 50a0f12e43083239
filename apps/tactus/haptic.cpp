// tactus haptic MODEL: a hand holds a device, the device holds the mechanism; what is felt, as a summary, a CSV file, a log, a plot.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/clock.h>
#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/display/log.h>

#include "haptic_idle.h"
#include "haptic_summary.h"
#include "input_files.h"
#include "log_files.h"
#include "options.h"
#include "refuse.h"
#include "setting_error.h"
#include "setup_file.h"
#include "status_line.h"

namespace tactus::apps {

namespace {

/// While it lives, Ctrl-C and what else ends a program politely ends the loop instead: the motors go off in
/// order, and the files are whole. A second
/// signal ends the program: a driver may hang.
class Interruption {
 public:
  Interruption() {
    asked_.store(false);
    first_.store(0);
    for (std::size_t i = 0; i < kSignals.size(); ++i) before_[i] = std::signal(kSignals[i], interrupt);
  }
  ~Interruption() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  static const std::atomic<bool>& asked() { return asked_; }

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  /// One Ctrl-C may come twice, from the terminal and from a program around this one; a watchdog of the usual
  /// patience has barked by then.
  static constexpr Nanoseconds kOnPurpose = kSecond / 4;

  static void interrupt(int signal) {
    const Nanoseconds at = now();
    Nanoseconds none = 0;
    asked_.store(true, std::memory_order_relaxed);
    if (first_.compare_exchange_strong(none, at) || at - none < kOnPurpose) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  static inline std::atomic<bool> asked_{false};
  static inline std::atomic<Nanoseconds> first_{0};
  // For a signal's handler.
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Nanoseconds>::is_always_lock_free);
  std::array<void (*)(int), 3> before_{};
};

/// At once: a driver that hangs may never let the run end.
void say_that_it_barked(double patience) noexcept {
  std::fprintf(
      stderr,
      "\nwarning: the loop stands still for more than %g s: the watchdog has stopped the motors; if the "
      "driver never comes back, a second Ctrl-C ends the program\n",
      patience);
}

/// What is known of a fault besides; empty where that is nothing.
std::string reason_of(HapticSession& session, const display::RunReport& report) {
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
  return control::why_stopped(*session.device);
}

/// What there is to do against energy that the loop makes, of what is not done already.
std::string remedy_for_energy(const HapticSession& session, const HapticRequest& request) {
  const device::Specification& s = session.specification;
  const bool four = request.controller == "impedance" || request.controller == "penalties";
  std::string remedy;
  const auto add = [&](const char* what) { remedy += (remedy.empty() ? "" : ", or ") + std::string(what); };
  if (s.kind == device::Kind::admittance)
    add(request.kept == 1.0 || request.local_rate > 0.0 ? "a heavier mechanism" : "--kept-inertia 1");
  else if (!four)
    add("a softer coupling");
  if (!request.passivity && !four && s.kind == device::Kind::impedance) add("--passivity");
  // A port that goes far in a tick: the force that is held meanwhile points elsewhere by its end, however soft the spring is.
  if (!four && s.kind == device::Kind::impedance) {
    add("a faster --rate");
    if (!(s.continuous[1] > 0.0) && !(request.most_force > 0.0)) add("--max-force and --max-torque");
  }
  if (four && !s.force_sensor) add("a device with a force sensor");
  if (four) add("--controller coupler");
  return remedy;
}

/// What the run chose where nothing was given, as lines of a set-up file: another version, or another machine, may choose otherwise.
std::string chosen_text(const HapticRequest& request, const HapticSession& session, const CLI::App& verb) {
  std::string text;
  const auto keep = [&](const char* option, const std::string& value) {
    if (verb.get_option(option)->count() == 0) text += fmt::format("{}: {}\n", option + 2, value);
  };
  const bool simulated = session.specification.name.starts_with("simulated:") ||
                         session.specification.name.starts_with("model:");
  keep("--device", request.device);
  keep("--port", session.mechanism->ports()[static_cast<std::size_t>(session.grasp.port)].name);
  if (simulated) {
    keep("--rate", fmt::format("{}", session.rate));
    keep("--hand", request.hand.name);
  }
  keep("--duration", fmt::format("{}", request.duration));
  return text;
}

void run(HapticRequest request, const SetupFile& files, const CLI::App& verb) {
  const std::string setup = setup_text(verb);
  const int on_standard_output = is_standard_output(request.out) + is_standard_output(request.plot) +
                                 is_standard_output(request.log) + is_standard_output(request.histogram);
  if (request.json + on_standard_output > 1)
    refuse("two of --json, --out -, --plot -, --log - and --histogram - would write to the standard output",
           "give file names, but one of them");
  if (request.device == "model:" || request.device == "arm:" || request.device == "file:")
    refuse(fmt::format("`--device {}` names no file", request.device),
           "model:FILE, model:FILE:PORT, arm:FILE, arm:FILE:FRAME, file:TABLE.csv");
  if (request.workspace.size() == 2)
    refuse("--workspace has two numbers", "give one for all sides, or three: x,y,z");
  if (request.hand.name == "file:") refuse("`--hand file:` names no file", "file:HAND.yaml, file:HAND.csv");
  const describe::Model model = about({"model"}, [&] { return request.model.load(); });
  std::vector<NamedFile> inputs = request.model.files(model);
  inputs.push_back({"--setup", files.read});
  for (NamedFile& file : files_of_device(request.device)) inputs.push_back(std::move(file));
  for (NamedFile& file : about({"hand"}, [&] { return files_of_hand(request.hand.name); }))
    inputs.push_back(std::move(file));
  require_distinct_files(inputs, {{"--out", request.out},
                                  {"--plot", request.plot},
                                  {"--log", request.log},
                                  {"--histogram", request.histogram},
                                  {"--save-setup", files.write}});
  HapticSession session = open_session(request, model);
  // A log has what was chosen for the run: replay asks no device how much it holds.
  std::string logged = setup;
  if (const std::string kept = "weightless: false";
      session.weight_left_out && logged.find(kept) != std::string::npos)
    logged.replace(logged.find(kept), kept.size(), "weightless: true");
  if (!files.write.empty()) write_file(files.write, logged + chosen_text(request, session, verb));
  request.notes = idle_options(request, session, verb);
  display::HapticLoop& loop = *session.loop;
  constexpr double kMostTicks = 1e8;
  // What a plot needs at most; longer runs keep every n-th tick for it.
  constexpr long kMostRecords = 200000;
  if (!(request.duration * session.rate >= 1.0 && request.duration * session.rate <= kMostTicks))
    refuse("--duration: between one tick and 1e8 of them", "give seconds");
  const long ticks = std::lround(request.duration * session.rate), stride = ticks / kMostRecords + 1;
  std::vector<display::TickRecord> records(static_cast<std::size_t>((ticks + stride - 1) / stride));
  std::vector<display::AttachedFile> attached;
  if (!request.log.empty()) attached = files_for_log(request.model, model, request.device, request.hand.name);
  const display::TickLogPointer log = display::open_log({.csv = request.out,
                                                         .mcap = request.log,
                                                         .device = session.specification,
                                                         .setup = logged,
                                                         .model_name = request.model.path,
                                                         .model_text = request.model.text(),
                                                         .files = std::move(attached)});
  if (!loop.enable()) throw Failed("the device could not be switched on");
  display::RunReport report;
  RunMeasure measure(session.specification, request.controller == "prescribed");
  {
    const Interruption interruption;  // of the loop: what follows, a signal ends
    StatusLine line(request.duration);
    report = run_loop(loop,
                      {.duration = request.duration,
                       .realtime = request.realtime,
                       .cpu = request.cpu,
                       .watchdog = request.watchdog,
                       .barked = say_that_it_barked,
                       .log = log.get(),
                       .live = line.live(),
                       .each = measure.each(),
                       .stop = &Interruption::asked()},
                      records, stride);
  }
  // A file that cannot be written costs neither the others nor the summary.
  std::string trouble;
  std::vector<std::string> not_whole;
  const auto attempt = [&](const std::string& path, const auto& write) {
    try {
      write();
    } catch (const OutputError& error) {
      trouble += (trouble.empty() ? "" : "\n") + std::string(error.what());
      if (!path.empty()) not_whole.push_back(path);
    }
  };
  if (log != nullptr) {
    attempt("", [&] { display::finish(*log); });
    not_whole = display::files_not_whole(*log);
  }
  report.notes.insert(report.notes.begin(), session.notes.begin(), session.notes.end());
  report.notes.insert(report.notes.begin(), request.notes.begin(), request.notes.end());
  if (const double most = session.specification.continuous[1];
      session.specification.kind == device::Kind::impedance && most > 0.0 && session.grasp.weight > most)
    report.notes.push_back(
        request.weightless
            ? fmt::format(
                  "springs or other forces of its own push its port with {:.3g} N where it begins, and the "
                  "device gives {:g} N: it moves away, unless another device is given",
                  session.grasp.weight, most)
            : fmt::format(
                  "it takes {:.3g} N to hold the mechanism up, and the device gives {:g} N: it falls, "
                  "unless --weightless or another device is given",
                  session.grasp.weight, most));
  if (const double most = session.specification.peak[1];
      session.specification.kind == device::Kind::admittance && most > 0.0 && session.grasp.weight > most)
    report.notes.push_back(fmt::format(
        "it takes {:.3g} N to hold the mechanism up, and the device's sensor reads {:g} N: it falls, "
        "unless --weightless or another device is given",
        session.grasp.weight, most));
  constexpr double kFew = 0.01;  // of the periods
  if (const auto all = static_cast<double>(report.ticks + report.missed);
      report.realtime && static_cast<double>(report.missed) > kFew * all)
    report.notes.push_back(fmt::format(
        "{:.2g} % of the periods were missed: the mechanism's time went that much slower than the hand's",
        100.0 * static_cast<double>(report.missed) / all));
  if (const simulate::Statistics made = session.mechanism->statistics(); !made.hand_over_reason.empty())
    report.notes.push_back(fmt::format("events carried it to t = {:g} s, stepping from there on: {}",
                                       made.hand_over_time, made.hand_over_reason));
  records.resize(std::min(records.size(), static_cast<std::size_t>((report.ticks + stride - 1) / stride)));

  Outcome outcome{request,
                  session.specification,
                  *session.mechanism,
                  session.grasp,
                  session.gains,
                  report,
                  records,
                  loop.safety(),
                  session.device->hand_work(),
                  reason_of(session, report)};
  if (stride > 1) {
    report.notes.push_back(
        fmt::format("the run was to have {} ticks, more than {}: {}mass, damper and spring are not fitted to "
                    "what is felt; "
                    "all else is of every tick",
                    ticks, kMostRecords,
                    request.plot.empty() ? "" : fmt::format("the plot shows one in {}, and ", stride)));
  } else {
    outcome.felt = display::felt_at_handle(records, session.grasp.shown, session.specification);
    outcome.at_port = display::felt_along(records, session.grasp.shown, loop.period());
  }
  outcome.measured = measure.result();
  outcome.last = loop.record();
  if (const Made made = made_by_loop(outcome); made.all > 0.0)
    report.notes.push_back(
        fmt::format("{} {:.3g} J that neither the hand nor the mechanism put in: the loop is not passive; {}",
                    made.at_the_hand >= 0.5 * made.all ? "the hand gained" : "the mechanism was fed",
                    made.all, remedy_for_energy(session, request)));
  constexpr double kFarApart = 0.1;  // [m] more than a spring that a device can hold gives way
  if (request.controller != "proxy" && outcome.measured.largest_lag > kFarApart) {
    const double most = request.most_force > 0.0 ? request.most_force : session.specification.continuous[1];
    std::string why = "the port does not follow the handle; --controller coupler holds them together";
    if (outcome.measured.at_the_end)
      why = "the handle is at the end of the device's workspace, and the port goes on";
    else if (session.specification.kind == device::Kind::admittance)
      why = "the device does not follow the port";
    else if (constexpr double kAll = 0.99; most > 0.0 && outcome.measured.largest_force >= kAll * most)
      why = fmt::format(
          "the mechanism pulls harder than the device may ({:g} N), and goes its own way; {}a stronger "
          "device",
          most, request.weightless ? "" : "--weightless, or ");
    report.notes.push_back(
        fmt::format("handle and port came apart by {:.3g} m: {}", outcome.measured.largest_lag, why));
  }
  if (outcome.by_coupler() && outcome.measured.softened > 0.0)
    report.notes.push_back(fmt::format(
        "the port grew lighter than the coupler bears: in {:.2g} % of the ticks the coupler was softer, down "
        "to {:.2g} of its stiffness, and stiffened again where that made no energy",
        100.0 * outcome.measured.softened, outcome.measured.softest));
  if (loop.gave_up())
    report.notes.push_back(
        fmt::format("prescribing the port made energy, or the port was faster than a handle may be: it was "
                    "given up, and the "
                    "coupler holds it since t = {:.3g} s",
                    outcome.measured.gave_up_at));
  else if (outcome.measured.handed_over > 0.0)
    report.notes.push_back(fmt::format(
        "in {:.2g} % of the ticks the port was heavier along a direction than at the start, more than the "
        "loop bears: the coupler held it there",
        100.0 * outcome.measured.handed_over));
  if (!request.histogram.empty())
    attempt(request.histogram, [&] { write_file(request.histogram, histogram_of(outcome)); });
  if (!request.plot.empty()) attempt(request.plot, [&] { write_file(request.plot, plot_of(outcome)); });
  outcome.not_whole = std::move(not_whole);
  if (request.json)
    fmt::print("{}\n", json_of(outcome));
  else if (on_standard_output == 0)
    print(outcome);
  std::string ended;
  if (loop.safety().fault != control::Fault::none)
    ended = fmt::format("stopped after {:g} s, forces off: {}", loop.safety().fault_time, why_of(outcome));
  else if (report.stopped)
    ended = fmt::format("interrupted after {:g} s, forces off", loop.record().t);
  if (!trouble.empty()) ended += (ended.empty() ? "" : "\n") + trouble;
  if (!ended.empty()) throw Failed(ended);
}

}  // namespace

void add_haptic_settings(CLI::App* verb, HapticRequest* request) {
  request->model.add_to(*verb);
  verb->add_option("--device", request->device,
                   "see `tactus devices`; arm:FILE for a robot arm; simulated:planar where the port stays in "
                   "a plane z = const, otherwise "
                   "simulated:spatial");
  verb->add_option("--port", request->port, "frame or body that is held; the first frame marked `grasp`");
  verb->add_option(
          "--controller", request->controller,
          "coupler; or four channels with the joints by acceleration (impedance) or by penalties; or "
          "prescribed: the handle's motion is the port's, and what that takes is felt; or proxy: the handle "
          "is a point "
          "before the boxes and planes on the ground")
      ->capture_default_str()
      ->check(CLI::IsMember({"coupler", "impedance", "penalties", "prescribed", "proxy"}));
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
  verb->add_option("--prescribe", request->prescribe,
                   "axes of the port, such as x,y,rz; those of the device, along the directions that the "
                   "port can move")
      ->delimiter(',')
      ->check(CLI::IsMember({"rx", "ry", "rz", "x", "y", "z"}));
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
  verb->add_option("--internal-damping", request->internal_damping,
                   "damping at the joints [N m s/rad], [N s/m] of motions that the port does not show, an "
                   "arm's elbow: "
                   "unfelt at the port")
      ->check(numbers(Range::not_negative()));
  verb->add_option("--force-scale", request->force_scale,
                   "four channels: the hand feels this times the force")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_option("--motion-scale", request->motion_scale, "four channels: the hand moves this times as far")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_option(
          "--kept-inertia", request->kept,
          "four channels: the share of the handle's own inertia that stays felt; admittance devices: "
          "the share of the "
          "lightest inertia that they bear which is bolted to the port; by default what a lighter "
          "port needs, 0 for none")
      ->check(numbers(Range::between(0.0, 1.0)));
  verb->add_flag("--passivity", request->passivity,
                 "a damper gives back what the hand would gain: passivity observer and controller");
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
  verb->add_option("--rate", request->rate, "of the loop [Hz]; the device's own unless given")
      ->check(numbers(Range::between(10.0, 1e5)));
  verb->add_option("--simulation-rate", request->local_rate,
                   "two rates: the mechanism at this one [Hz], the loop with a local model of it")
      ->check(numbers(Range::between(1.0, 1e5)));
  verb->add_option("--transport", request->transport, "two rates: how long an update is on its way [ms]")
      ->check(numbers(Range::between(0.0, 1e4)));
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
  verb->add_option("--wrench", request->hand.wrench,
                   "of the hand `constant`, world axes: force [N] fx,fy,fz, and torque [N m] after it")
      ->delimiter(',')
      ->expected(1, 6)
      ->allow_extra_args(false)
      ->check(numbers(Range::between(-1e6, 1e6)));
  verb->add_option("--tremor", request->hand.tremor, "of any hand besides [N], 8 to 12 Hz")
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
  verb->add_option("--size", request->size,
                   "of the hand's motion [m], a tenth of the workspace's side; [rad], 0.5, where the device "
                   "only turns")
      ->check(numbers(Range::positive()));
  verb->add_option("--force", request->hand.force, "of the hands `push` and `tremble` [N]")
      ->capture_default_str()
      ->check(numbers(Range::between(-1e6, 1e6)));
  verb->add_option("--seed", request->hand.seed, "of what is random")
      ->capture_default_str()
      ->check(whole_numbers(Range::between(0, 1e18)));
  verb->add_option("--duration", request->duration, "[s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_flag("--weightless", request->weightless, "without gravity: as if its motors carried its weight");
  verb->add_flag("--moving", request->moving, "begin with the model's initial speeds, not at rest");
  verb->add_flag("--realtime", request->realtime, "by the clock, not as fast as it goes");
  verb->add_option("--late", request->late, "how late a tick may be [ms] before forces go off; 20")
      ->check(numbers(Range::positive()));
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
  verb->add_option("--workspace", request->workspace,
                   "forces go off where the handle is further from the middle [m]: one number, or x,y,z; "
                   "within the device's own")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(numbers(Range::positive()));
  verb->add_option("--max-speed", request->most_speed,
                   "forces go off where the handle is faster [m/s]; below the device's own")
      ->check(numbers(Range::positive()));
  verb->add_option("--ramp", request->ramp, "how long forces take to come on [s]; 0.25")
      ->check(numbers(Range::between(1e-3, 60.0)));
  verb->add_option("--watchdog", request->watchdog,
                   "real time: a loop that stands still so long [s] is stopped from outside; 0: never")
      ->capture_default_str()
      ->check(numbers(Range::between(0.0, 3600.0)));
  verb->add_option("--tool", request->tool,
                   "hangs beyond the force sensor of simulated:admittance [kg]; its weight and inertia are "
                   "taken out of what is sensed")
      ->check(numbers(Range::not_negative()));
  request->arm.add_to(*verb);
  verb->add_option("--cpu", request->cpu, "processor to stay on, in real time")
      ->check(whole_numbers(Range::between(0, 1023)));
}

void add_haptic(CLI::App& program) {
  auto request = std::make_shared<HapticRequest>();
  auto setup = std::make_shared<SetupFile>();
  CLI::App* verb = program.add_subcommand("haptic", "Hold a mechanism by a device: what a hand feels");
  add_haptic_settings(verb, request.get());
  setup->add_to(*verb);
  verb->add_option("--out", request->out, "CSV file of all ticks; - for the standard output");
  verb->add_option("--log", request->log, "MCAP file of all ticks, for `tactus replay` and Foxglove's tools");
  verb->add_option("--plot", request->plot, "SVG picture of motion, force and work");
  verb->add_option("--histogram", request->histogram, "SVG picture of the loop's times");
  verb->add_flag("--json", request->json, "summary as JSON");
  verb->callback([request, setup, verb] {
    setup->apply(*verb);
    try {
      if (const std::string option = request->arm.first_given(*verb);
          !control::is_arm(request->device) && !option.empty())
        refuse(fmt::format("{} is for arms as devices", option), "give --device arm:FILE");
      run(*request, *setup, *verb);
    } catch (const InputError& error) {
      setup->place(error);
      throw;
    }
  });
}

}  // namespace tactus::apps
