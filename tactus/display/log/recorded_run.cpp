#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/display/log.h>
#include <tactus/display/log/crc32.h>
#include <tactus/display/log/logged_device.h>
#include <tactus/display/log/mcap_reader.h>
#include <tactus/display/log/sinks.h>

namespace tactus::display {

namespace {

/// Metadata in an MCAP file have no check of their own.
constexpr const char* kCheck = "crc32";
std::string check_of(const std::map<std::string, std::string>& fields) {
  std::uint32_t crc = 0;
  for (const auto& [name, value] : fields)
    if (name != kCheck) crc = crc32(value + '\0', crc32(name + '\0', crc));
  return std::to_string(crc);
}

}  // namespace

struct RecordedRun::Content {
  McapFile file;
  std::string setup, model_name;
  std::vector<std::string> model_files;
  device::Specification specification;
  std::vector<LogEntry> entries;

  explicit Content(const std::string& path) : file(path) {
    const auto fields = file.metadata().find("tactus");
    if (fields == file.metadata().end() || fields->second.count("setup") == 0)
      throw InputError({path}, "the log does not say how it was made",
                       "give a log that `tactus haptic --log` wrote");
    setup = fields->second.at("setup");
    const auto check = fields->second.find(kCheck);  // older logs have none
    if (check != fields->second.end() && check->second != check_of(fields->second))
      throw InputError({path}, "the check of the log's settings fails: they have changed",
                       "take another copy of the file");
    specification = specification_of(fields->second, path);
    if (const auto name = fields->second.find("model_name"); name != fields->second.end())
      model_name = name->second;
    if (const auto list = fields->second.find("model_files"); list != fields->second.end()) try {
        model_files = nlohmann::json::parse(list->second).get<std::vector<std::string>>();
      } catch (const nlohmann::json::exception&) {
        throw InputError({path}, "the log's list of the model's files is none",
                         "give a log that `tactus haptic --log` wrote");
      }
    for (const McapMessage& message : file.messages())
      if (message.topic == "/loop/tick") entries.push_back(parse_tick(message.data, path));
    if (entries.empty()) throw InputError({path}, "the log holds no tick", "give another log");
  }
};

namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// The outputs of a tick, by name; `all` where the log has all of them.
template <class Each>
void each_output(const LogEntry& entry, bool all, const Each& each) {
  const auto list = [&](const char* name, const auto& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) each(name, i, values[i]);
  };
  list("commanded wrench", entry.command.wrench, 6);
  list("commanded place", entry.command.X_WH.p, 3);
  list("commanded velocity", entry.command.V_WH, 6);
  std::array<double, 9> R{};
  for (std::size_t i = 0; i < 9; ++i) R[i] = entry.command.X_WH.R(i / 3, i % 3);
  list("commanded orientation", R, 9);
  list("place of the port", entry.record.p_P, 3);
  if (all) {
    for (std::size_t i = 0; i < 9; ++i) R[i] = entry.record.R_P(i / 3, i % 3);
    list("orientation of the port", R, 9);
    each("work of the handle", 0, entry.record.out_of_handle);
    each("work of the passivity controller", 0, entry.record.guarded);
    each("energy from nowhere", 0, entry.record.made);
    each("softness of the coupler", 0, entry.record.softness);
    each("directions resisted", 0, static_cast<double>(entry.record.resisted));
    each("age of the update", 0, static_cast<double>(entry.record.age));
  }
  list("velocity of the port", entry.record.V_P, 6);
  list("wrench on the port", entry.record.on_port, 6);
  each("work at the port", 0, entry.record.into_port);
  each("events", 0, static_cast<double>(entry.record.events));
  each("stage", 0, static_cast<double>(entry.record.stage));
  each("fault", 0, static_cast<double>(entry.record.fault));
}

}  // namespace

RecordedRun::RecordedRun(const std::string& path) : content_(std::make_unique<Content>(path)) {}
RecordedRun::~RecordedRun() = default;
bool RecordedRun::whole() const { return content_->file.whole() && ticks() == ticks_written(); }
std::size_t RecordedRun::ticks() const { return content_->entries.size(); }
std::size_t RecordedRun::ticks_written() const {
  return std::max(content_->entries.size(), content_->file.messages_written("/loop/tick").value_or(0));
}
bool RecordedRun::has_answers() const { return content_->entries.front().has_answers; }
const std::string& RecordedRun::setup() const { return content_->setup; }
const std::map<std::string, std::string>& RecordedRun::attachments() const {
  return content_->file.attachments();
}
const std::string& RecordedRun::model_name() const { return content_->model_name; }
const std::vector<std::string>& RecordedRun::model_files() const { return content_->model_files; }
std::unique_ptr<device::Device> RecordedRun::device() const {
  return std::make_unique<LoggedDevice>(content_->specification, content_->entries);
}

TickLogPointer open_log(const LogRequest& request) {
  std::vector<std::unique_ptr<LogSink>> sinks;
  if (!request.csv.empty()) sinks.push_back(csv_log(request.csv));
  if (!request.mcap.empty()) {
    LogHead head{request.device.kind, request.device.force_sensor, fields_of(request.device),
                 request.model_name,  request.model_text,          request.files};
    head.setup.emplace_back("setup", request.setup);
    head.setup.emplace_back("model_name", request.model_name);
    nlohmann::json list = nlohmann::json::array();
    for (const AttachedFile& attached : request.files)
      if (attached.of_model) list.push_back(attached.name);
    head.setup.emplace_back("model_files",
                            list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    head.setup.emplace_back(kCheck, check_of({head.setup.begin(), head.setup.end()}));
    sinks.push_back(mcap_log(request.mcap, head));
  }
  return TickLogPointer(sinks.empty() ? nullptr : new TickLog(std::move(sinks)));
}

void CloseLog::operator()(TickLog* log) const noexcept { delete log; }
void finish(TickLog& log) { log.finish(); }
std::vector<std::string> files_not_whole(const TickLog& log) { return log.not_whole(); }

ReplayReport replay(HapticLoop& loop, const RecordedRun& run) {
  ReplayReport report;
  std::vector<double> now;
  std::atomic<bool> barked{false};  // a watchdog, as it did then
  loop.watched_by(&barked);
  for (const LogEntry& logged : run.content_->entries) {
    if (!loop.device().wait()) break;
    barked.store(logged.record.fault == control::Fault::watchdog);
    if (logged.has_answers) loop.answer(logged.answers);
    loop.tick(logged.elapsed);
    LogEntry found;
    found.command = loop.commanded();
    found.record = loop.record();
    now.clear();
    each_output(found, logged.has_all, [&](const char*, std::size_t, double x) { now.push_back(x); });
    std::size_t at = 0;
    bool same = true;
    each_output(logged, logged.has_all, [&](const char* name, std::size_t component, double x) {
      const double y = now[at++];
      if (!same || same_bits(x, y)) return;
      same = false;
      if (report.different > 0) return;
      report.first_tick = report.ticks;
      report.what = fmt::format("{} [{}]", name, component);
      report.logged = x;
      report.found = y;
    });
    report.different += !same;
    ++report.ticks;
  }
  loop.watched_by(nullptr);
  return report;
}

}  // namespace tactus::display
