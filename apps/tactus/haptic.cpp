// tactus haptic MODEL: a hand holds a device, the device holds the mechanism; what is felt, as a summary, a CSV file, a log, a plot.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/display/log.h>

#include "haptic_controllers.h"
#include "haptic_idle.h"
#include "haptic_notes.h"
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
/// order, the files are whole, and there is a summary. A second signal ends the program, because a driver may
/// hang; and so does the first one where the loop is over.
class Interruption {
 public:
  Interruption() {
    asked_.store(false);
    over_.store(false);
    first_.store(0);
    for (std::size_t i = 0; i < kSignals.size(); ++i) before_[i] = std::signal(kSignals[i], interrupt);
  }
  /// Where a signal has come the program is about to end: its twin does not count until then.
  ~Interruption() {
    if (first_.load() != 0) return;
    for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  static const std::atomic<bool>& asked() { return asked_; }
  /// What is left to do waits for nobody, or for who reads the files.
  static void loop_is_over() { over_.store(true); }

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  /// One Ctrl-C may come twice, from the terminal and from a program around this one; a watchdog of the usual
  /// patience has barked by then.
  static constexpr std::int64_t kOnPurpose = 250;  // [ms]

  static void interrupt(int signal) {
    using namespace std::chrono;
    const std::int64_t at = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
    std::int64_t none = 0;
    asked_.store(true, std::memory_order_relaxed);
    const bool first = first_.compare_exchange_strong(none, at);
    if (first ? !over_.load() : at - none < kOnPurpose) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  static inline std::atomic<bool> asked_{false}, over_{false};
  static inline std::atomic<std::int64_t> first_{0};
  // For a signal's handler.
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);
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

/// What the run chose where nothing was given, as lines of a set-up file: another version, or another machine, may choose otherwise.
std::string chosen_text(const HapticRequest& request, const HapticSession& session, const CLI::App& verb) {
  std::string text;
  const auto keep = [&](const char* option, const std::string& value) {
    if (verb.get_option(option)->count() == 0) text += fmt::format("{}: {}\n", option + 2, value);
  };
  const bool simulated = session.specification.name.starts_with("simulated:") ||
                         session.specification.name.starts_with("model:") ||
                         device::is_device_file(session.specification.name);
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
                                 is_standard_output(request.log) + is_standard_output(request.histogram) +
                                 is_standard_output(files.write);
  if (request.json + on_standard_output > 1)
    refuse(
        "two of --json, --out -, --plot -, --log -, --histogram - and --save-setup - would write to the "
        "standard output",
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
  const long ticks = std::lround(request.duration * session.rate), stride = (ticks - 1) / kMostRecords + 1;
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
  OutputFile histogram(request.histogram), plot(request.plot);  // refused before the run, not after it
  if (!request.device_off && !loop.enable()) throw Failed("the device could not be switched on");
  display::RunReport report;
  RunMeasure measure(session.specification, loop, request.controller == "prescribed",
                     four_channeled(request, session.specification) ? request.motion_scale : 1.0);
  const Interruption interruption;
  {
    StatusLine line(request.duration, only_turns(session.specification));
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
    Interruption::loop_is_over();
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
                  reason_of(session, request, report, measure.result())};
  if (stride > 1) {
    report.notes.push_back(
        fmt::format("the run was to have {} ticks, more than {}: {}mass, damper and spring are not fitted to "
                    "what is felt; "
                    "all else is of every tick",
                    ticks, kMostRecords,
                    request.plot.empty() ? "" : fmt::format("the plot shows one in {}, and ", stride)));
  } else {
    const bool turning = only_turns(session.specification);
    outcome.felt = display::felt_at_handle(records, session.grasp.shown, session.specification, turning);
    outcome.at_port = display::felt_along(records, session.grasp.shown, loop.period(), turning);
  }
  outcome.measured = measure.result();
  outcome.last = loop.record();
  note_what_came_of_it(session, request, outcome, report.notes);
  const auto draw = [&](OutputFile& file, const std::string& path, const auto& picture) {
    if (file.wanted())
      attempt(path, [&] {
        file.write(picture(outcome));
        file.finish();
      });
  };
  draw(histogram, request.histogram, histogram_of);
  draw(plot, request.plot, plot_of);
  outcome.not_whole = std::move(not_whole);
  if (request.json)
    fmt::print("{}\n", json_of(outcome));
  else if (on_standard_output == 0)
    print(outcome);
  attempt("", finish_standard_output);
  if (report.mechanism_busy)
    std::fprintf(stderr,
                 "warning: a step of the simulation does not come back; the program waits for it, and Ctrl-C "
                 "ends that\n");
  std::string ended;
  if (loop.safety().fault != control::Fault::none)
    ended = fmt::format("stopped after {:g} s, forces off: {}", loop.safety().fault_time, why_of(outcome));
  else if (report.stopped)
    ended = fmt::format("interrupted after {:g} s, forces off", loop.record().t);
  if (!trouble.empty()) ended += (ended.empty() ? "" : "\n") + trouble;
  if (!ended.empty()) throw Failed(ended);
}

}  // namespace

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
