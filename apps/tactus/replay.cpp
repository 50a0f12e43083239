// tactus replay LOG: makes a haptic run again from its log, or what was recorded on the live page, and says whether every bit is the same.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/display/log.h>
#include <tactus/serve/server.h>

#include "haptic_session.h"
#include "log_files.h"
#include "setup_file.h"

namespace tactus::apps {

namespace {

struct ReplayRequest {
  std::string path;
  bool json = false;
};

void run_recording(const ReplayRequest& request) {
  const serve::RecordingReport report = serve::repeat_recording(request.path);
  if (request.json) {
    const nlohmann::ordered_json json{{"recording", request.path}, {"model", report.model},
                                      {"ticks", report.ticks},     {"compared", report.compared},
                                      {"same", report.same},       {"worst", report.worst}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{} ticks of {}: {}\n", report.ticks, report.model,
               !report.compared ? "nothing to compare with"
               : report.same    ? "the same bits"
                                : fmt::format("they differ by up to {:g}", report.worst));
  }
  if (report.compared && !report.same) throw Failed("the motion is another one than was recorded");
}

void run(const ReplayRequest& request) {
  if (std::filesystem::exists(request.path) && !std::filesystem::is_regular_file(request.path))
    throw InputError({request.path}, "is no file",
                     "give a log that `tactus haptic --log` wrote, or a recording of the page");
  if (serve::is_recording_file(request.path)) return run_recording(request);
  const display::RecordedRun log(request.path);
  // The settings go through the options of `haptic`, as they came.
  HapticRequest settings;
  CLI::App verb{"", "haptic"};
  add_haptic_settings(&verb, &settings);
  SetupFile setup;
  setup.add_to(verb);
  verb.parse(std::vector<std::string>{});
  setup.apply_text(verb, log.setup(), request.path);
  std::unique_ptr<device::Device> device = log.device();
  if (settings.local_rate > 0.0 && (settings.realtime || device->specification().owns_clock) &&
      !log.has_answers())
    throw InputError({request.path},
                     "the simulation ran in a thread of its own, and when it answered is not in this log: an "
                     "older version wrote it",
                     "replay a log that this version wrote, one with one rate, or of simulated time");

  const LoggedModel logged(settings.model, log);
  HapticSession session = open_session(settings, logged.model(), std::move(device));
  if (!settings.device_off && !session.loop->enable())
    throw Failed("the log could not be opened as a device");
  const display::ReplayReport report = replay(*session.loop, log);

  const bool same = report.different == 0 && report.ticks == log.ticks();
  const std::size_t written = log.ticks_written();
  if (request.json) {
    nlohmann::ordered_json json{
        {"log", request.path},  {"model", settings.model.path}, {"device", session.specification.name},
        {"whole", log.whole()}, {"ticks", report.ticks},        {"different", report.different},
        {"same", same}};
    if (written > log.ticks()) json["ticks_written"] = written;
    if (!logged.notes().empty()) json["notes"] = logged.notes();
    if (!same)
      json["first_difference"] = {{"tick", report.first_tick},
                                  {"what", report.what},
                                  {"logged", display::digits_of(report.logged)},
                                  {"now", display::digits_of(report.found)}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    for (const std::string& note : logged.notes()) fmt::print("note: {}\n", note);
    if (!log.whole() && written == log.ticks())
      fmt::print("note: the log was cut off, as by a crash: it has no end; its whole part is replayed\n");
    fmt::print("{} ticks of {} held through {}: {}\n", report.ticks, settings.model.path,
               session.specification.name,
               same ? "the same bits" : fmt::format("{} differ", report.different));
  }
  if (!same)
    throw Failed(fmt::format("first in tick {}: {} was {}, is {}", report.first_tick, report.what,
                             display::digits_of(report.logged), display::digits_of(report.found)));
  if (written > log.ticks())
    throw Failed(
        fmt::format("the log ends early: {} of {} ticks; what it has is the same", log.ticks(), written));
}

}  // namespace

void add_replay(CLI::App& program) {
  auto request = std::make_shared<ReplayRequest>();
  CLI::App* verb = program.add_subcommand(
      "replay", "Make a haptic run, or a recording of the page, again and compare every bit");
  verb->add_option("LOG", request->path,
                   "MCAP file of `tactus haptic --log`, or a recording (JSON) of the live page")
      ->required();
  verb->add_flag("--json", request->json, "result as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
