// tactus replay LOG: makes a haptic run again from its log, and says whether every bit is the same.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/display/log.h>

#include "haptic_session.h"
#include "setup_file.h"

namespace tactus::apps {

namespace {

struct ReplayRequest {
  std::string path;
  bool json = false;
};

/// The log's own copy of the model, unless its file is still the same: then meshes beside it are found too.
describe::Model model_of(const HapticRequest& request, const display::RecordedRun& log, std::string& note) {
  const auto copy = log.attachments().find(request.model.path);
  if (copy == log.attachments().end() || request.model.text() == copy->second) return request.model.load();
  note = request.model.path + " has changed since, or is gone: the log's own copy is used";
  return request.model.load_text(copy->second);
}

void run(const ReplayRequest& request) {
  const display::RecordedRun log(request.path);
  // The settings go through the options of `haptic`, as they came.
  HapticRequest settings;
  CLI::App verb{"", "haptic"};
  add_haptic_settings(&verb, &settings);
  SetupFile setup;
  setup.add_to(verb);
  verb.parse(std::vector<std::string>{});
  setup.apply_text(verb, log.setup(), request.path);
  if (settings.local_rate > 0.0 && settings.realtime)
    throw InputError({request.path},
                     "the simulation ran in a thread of its own: when its updates came is not in the log",
                     "replay runs with one rate, or in simulated time");

  std::string note;
  HapticSession session = open_session(settings, model_of(settings, log, note), log.device());
  if (!session.loop->enable()) throw Failed("the log could not be opened as a device");
  const display::ReplayReport report = replay(*session.loop, log);

  const bool same = report.different == 0 && report.ticks == log.ticks();
  if (request.json) {
    nlohmann::ordered_json json{
        {"log", request.path},  {"model", settings.model.path}, {"device", session.specification.name},
        {"whole", log.whole()}, {"ticks", report.ticks},        {"different", report.different},
        {"same", same}};
    if (!note.empty()) json["notes"] = {note};
    if (!same)
      json["first_difference"] = {{"tick", report.first_tick},
                                  {"what", report.what},
                                  {"logged", display::digits_of(report.logged)},
                                  {"now", display::digits_of(report.found)}};
    fmt::print("{}\n", json.dump(2));
  } else {
    if (!note.empty()) fmt::print("note: {}\n", note);
    if (!log.whole()) fmt::print("note: the log was cut off; its whole part is replayed\n");
    fmt::print("{} ticks of {} held through {}: {}\n", report.ticks, settings.model.path,
               session.specification.name,
               same ? "the same bits" : fmt::format("{} differ", report.different));
  }
  if (!same)
    throw Failed(fmt::format("first in tick {}: {} was {}, is {}", report.first_tick, report.what,
                             display::digits_of(report.logged), display::digits_of(report.found)));
}

}  // namespace

void add_replay(CLI::App& program) {
  auto request = std::make_shared<ReplayRequest>();
  CLI::App* verb =
      program.add_subcommand("replay", "Make a haptic run again from its log, and compare every bit");
  verb->add_option("LOG", request->path, "MCAP file of `tactus haptic --log`")->required();
  verb->add_flag("--json", request->json, "result as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
