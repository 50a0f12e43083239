#include <tactus/serve/page/recording.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/log/mcap_writer.h>
#include <tactus/math/rotation_vector.h>
#include <tactus/serve/page/frame.h>
#include <tactus/serve/server.h>

namespace tactus::serve {

namespace {

using Json = nlohmann::ordered_json;
using Contact = contact::OpenOptions::Contact;

bool same(std::span<const simulate::PortWrench> a, std::span<const simulate::PortWrench> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.port == y.port && x.wrench == y.wrench; });
}

const char* word_of(Contact contact) {
  return contact == Contact::events ? "events" : contact == Contact::stepping ? "stepping" : "automatic";
}

}  // namespace

void RecordingInProgress::add(const TickInputs& inputs) {
  const std::span<const simulate::PortWrench> now{inputs.wrenches.data(), inputs.count};
  if (recorded.ticks != inputs.tick) full = true;  // the ring was too small: what comes after is of no use
  if (full) return;
  const std::span<const double> tau{inputs.tau.data(), inputs.joints};
  const bool changed = recorded.inputs.empty()
                           ? inputs.count > 0 || !tau.empty()
                           : !same(now, recorded.inputs.back().wrenches) ||
                                 !std::equal(tau.begin(), tau.end(), recorded.inputs.back().tau.begin(),
                                             recorded.inputs.back().tau.end());
  if (changed) {
    if (recorded.inputs.size() >= kMostInputs) {
      full = true;
      return;
    }
    recorded.inputs.push_back({inputs.tick, {now.begin(), now.end()}, {tau.begin(), tau.end()}});
  }
  ++recorded.ticks;
}

std::string recording_text(const Recorded& r) {
  Json inputs = Json::array(), changes = Json::array();
  for (const ActingFrom& from : r.inputs) {
    Json wrenches = Json::array();
    for (const simulate::PortWrench& w : from.wrenches)
      wrenches.push_back({{"port", w.port}, {"wrench", w.wrench}});
    inputs.push_back({{"tick", from.tick}, {"wrenches", std::move(wrenches)}});
    if (!from.tau.empty()) inputs.back()["tau"] = from.tau;
  }
  for (const ChangeAt& change : r.changes)
    changes.push_back({{"tick", change.tick},
                       {"kind", change.constraint ? "constraint" : "parameter"},
                       {"name", change.name},
                       {"value", change.value}});
  const Json document = {{"tactus", "recording"},
                         {"version", 1},
                         {"model", r.model_name},
                         {"file", r.file},
                         {"step", r.choice.step},
                         {"integrator", name_of(r.choice.integrator)},
                         {"formulation", name_of(r.choice.formulation)},
                         {"contact", word_of(r.choice.contact)},
                         {"weightless", r.choice.weightless},
                         {"script", r.choice.script},
                         {"settings", r.choice.settings},
                         {"floating", r.choice.floating},
                         {"angles", describe::name_of(r.choice.angles)},
                         {"start", {{"t", r.start.t}, {"q", r.start.q}, {"u", r.start.u}}},
                         {"parameters", {{"names", r.parameter_names}, {"values", r.parameters}}},
                         {"active", r.active},
                         {"ticks", r.ticks},
                         {"inputs", std::move(inputs)},
                         {"changes", std::move(changes)},
                         {"seen", {{"tick", r.seen_tick}, {"q", r.seen_q}, {"u", r.seen_u}}},
                         {"text", r.text}};
  return document.dump(1) + "\n";
}

bool is_recording(const std::string& text) {
  return text.size() < 2 ? false : text.find("\"tactus\": \"recording\"") < 200;
}

Recorded read_recording(const std::string& text, const std::string& file) {
  try {
    const Json document = Json::parse(text);
    if (document.at("tactus") != "recording" || document.at("version") != 1)
      throw InputError({file}, "this is no recording of version 1", "record it again");
    Recorded r;
    r.model_name = document.at("model");
    r.file = document.at("file");
    r.text = document.at("text");
    r.choice.step = document.at("step");
    const auto integrator = simulate::integrator_of(document.at("integrator").get<std::string>());
    const auto formulation = simulate::formulation_of(document.at("formulation").get<std::string>());
    if (!integrator || !formulation)
      throw InputError({file}, "the recording names an integrator or a formulation that is not there",
                       "repeat it with the program that made it");
    r.choice.integrator = *integrator;
    r.choice.formulation = *formulation;
    const std::string contact = document.at("contact");
    r.choice.contact = contact == "events"     ? Contact::events
                       : contact == "stepping" ? Contact::stepping
                                               : Contact::automatic;
    r.choice.weightless = document.at("weightless");
    r.choice.script = document.at("script");
    r.choice.settings = document.at("settings").get<describe::Settings>();
    r.choice.floating = document.value("floating", false);  // older recordings have neither
    r.choice.angles =
        describe::angles_of(document.value("angles", "near")).value_or(describe::Reading::Angles::near);
    const Json& start = document.at("start");
    r.start = {.t = start.at("t"), .q = start.at("q"), .u = start.at("u"), .momentum = {}};
    r.parameter_names = document.at("parameters").at("names");
    r.parameters = document.at("parameters").at("values").get<std::vector<double>>();
    r.active = document.at("active").get<std::vector<bool>>();
    r.ticks = document.at("ticks");
    for (const Json& from : document.at("inputs")) {
      ActingFrom& entry = r.inputs.emplace_back();
      entry.tick = from.at("tick");
      for (const Json& w : from.at("wrenches"))
        entry.wrenches.push_back({w.at("port"), w.at("wrench").get<std::array<double, 6>>()});
      if (entry.wrenches.size() > TickInputs::kMost)
        throw InputError({file}, "more wrenches act at once than a recording has", "record it again");
      if (from.contains("tau")) entry.tau = from.at("tau").get<std::vector<double>>();
      if (!entry.tau.empty() && entry.tau.size() != r.start.u.size())
        throw InputError({file}, "forces act at more or fewer joints than there are", "record it again");
    }
    for (const Json& change : document.at("changes"))
      r.changes.push_back(
          {change.at("tick"), change.at("kind") == "constraint", change.at("name"), change.at("value")});
    const Json& seen = document.at("seen");
    r.seen_tick = seen.at("tick");
    r.seen_q = seen.at("q").get<std::vector<double>>();
    r.seen_u = seen.at("u").get<std::vector<double>>();
    return r;
  } catch (const Json::exception& error) {
    throw InputError({file}, fmt::format("this is no recording: {}", error.what()),
                     "give the file that the page saved");
  }
}

void place_at_start(simulate::Mechanism& mechanism, const simulate::State& start,
                    const std::vector<std::string>& names, const std::vector<double>& values,
                    const std::vector<bool>& active) {
  if (names.size() != values.size() || active.size() != mechanism.constraints().size() ||
      start.q.size() != mechanism.nq() || start.u.size() != mechanism.nv())
    throw InputError({}, "the recording does not fit its model", "record it again");
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < names.size(); ++i)
      mechanism.set_parameter(mechanism.parameter(names[i]), values[i]);
  mechanism.set_state({.t = start.t, .q = start.q, .u = start.u, .momentum = {}});
  for (std::size_t i = 0; i < active.size(); ++i)
    if (mechanism.is_active(static_cast<int>(i)) != active[i])
      mechanism.set_active(static_cast<int>(i), active[i]);
}

Repeated repeat(const Recorded& r, const std::function<void(long, Work&, std::span<const double>)>& each) {
  Choice choice = r.choice;
  choice.device = "mouse";
  describe::Model model = describe::load_text(r.text, r.file, choice.settings,
                                              {.floating = choice.floating, .angles = choice.angles});
  if (!r.path.empty()) model.file = r.path;
  Work work(model, choice);
  simulate::Mechanism& mechanism = *work.mechanism;
  place_at_start(mechanism, r.start, r.parameter_names, r.parameters, r.active);
  std::span<const double> tau;
  each(0, work, tau);
  Repeated result;
  std::size_t next_input = 0, next_change = 0;
  std::span<const simulate::PortWrench> acting;
  for (long tick = 0; tick < r.ticks; ++tick) {
    for (; next_change < r.changes.size() && r.changes[next_change].tick <= tick; ++next_change) {
      const ChangeAt& change = r.changes[next_change];
      if (change.constraint)
        mechanism.set_active(mechanism.constraint(change.name), change.value != 0.0);
      else
        mechanism.set_parameter(mechanism.parameter(change.name), change.value);
    }
    for (; next_input < r.inputs.size() && r.inputs[next_input].tick <= tick; ++next_input)
      acting = r.inputs[next_input].wrenches, tau = r.inputs[next_input].tau;
    const simulate::Tick made = mechanism.step({.tau = tau, .ports = acting, .wrench = {}});
    if (!made.ok())
      throw InputError({},
                       fmt::format("the motion stops at tick {}: {}", tick, mechanism.explain(made.status)),
                       "it went on when it was recorded: was the program another one?");
    ++result.ticks;
    if (result.ticks == r.seen_tick) {
      const simulate::State& state = mechanism.state();
      result.compared = true;
      result.same = state.q == r.seen_q && state.u == r.seen_u;
      for (std::size_t i = 0; i < state.q.size() && i < r.seen_q.size(); ++i)
        result.worst = std::max(result.worst, std::abs(state.q[i] - r.seen_q[i]));
      for (std::size_t i = 0; i < state.u.size() && i < r.seen_u.size(); ++i)
        result.worst = std::max(result.worst, std::abs(state.u[i] - r.seen_u[i]));
    }
    each(result.ticks, work, tau);
  }
  return result;
}

namespace {

/// A table of all ticks, a log for Foxglove's tools, and poses for the page.
class Files {
 public:
  explicit Files(const Recording& recording)
      : recording_(recording),
        path_(fmt::format("{}/{}", recording.folder, recording.id)),
        csv_(path_ + ".csv"),
        log_(path_ + ".mcap", "") {
    log_.add_attachment(recording.recorded.file, "text/yaml", recording.recorded.text);
    log_.add_metadata("tactus", {{"model", recording.recorded.model_name}});
    state_ = log_.add_channel("/state", "tactus.State",
                              R"({"type":"object","additionalProperties":{"type":"number"}})");
  }

  void add(long tick, Work& work, std::span<const double> tau) {
    if (tick == 0) begin(work);
    simulate::Mechanism& mechanism = *work.mechanism;
    const simulate::State& state = mechanism.state();
    const simulate::Energies energy = mechanism.energies();
    std::vector<double> row{state.t};
    row.insert(row.end(), state.q.begin(), state.q.end());
    row.insert(row.end(), state.u.begin(), state.u.end());
    row.push_back(energy.kinetic);
    row.push_back(energy.potential);
    if (led_)
      for (std::size_t i = 0; i < mechanism.nv(); ++i) row.push_back(i < tau.size() ? tau[i] : 0.0);
    if (pairs_) {
      // What a contact pushes with while this state lasts: those of impacts are events, with impulses.
      const std::span<const simulate::PairReport> pairs = mechanism.contact_report().pairs;
      for (std::size_t i = 0; i < work.model.contact.pairs.size(); ++i) {
        row.push_back(i < pairs.size() ? pairs[i].normal : std::nan(""));
        row.push_back(i < pairs.size() ? pairs[i].friction : std::nan(""));
      }
    }
    std::string line;
    for (const double x : row) fmt::format_to(std::back_inserter(line), "{}{}", line.empty() ? "" : ",", x);
    csv_.write(line + "\n");
    const auto time = static_cast<std::uint64_t>(std::llround(1e9 * std::max(state.t, 0.0)));
    Json message = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) message[names_[i]] = row[i];
    log_.add_message(state_, time, message.dump());
    if (pairs_) add_contacts(work, time);
    if (tick % every_ != 0) return;
    for (std::size_t b = 0; b < work.port_of_body.size(); ++b) {
      math::Pose<double> X;
      if (work.port_of_body[b] >= 0) X = mechanism.motion(work.port_of_body[b]).X_WP;
      const std::array<float, 7> numbers = numbers_of(X);
      poses_.insert(poses_.end(), numbers.begin(), numbers.end());
      if (b == 0) continue;
      const math::Quaternion<double> q = math::quaternion_of(X.R);
      const Json pose = {{"timestamp", {{"sec", time / 1000000000}, {"nsec", time % 1000000000}}},
                         {"frame_id", "world"},
                         {"pose",
                          {{"position", {{"x", X.p.x}, {"y", X.p.y}, {"z", X.p.z}}},
                           {"orientation", {{"x", q.x}, {"y", q.y}, {"z", q.z}, {"w", q.w}}}}}};
      log_.add_message(bodies_[b - 1], time, pose.dump());
    }
  }

  /// Where it touches, and with which force on the second body of each pair; nothing is written while nothing touches.
  void add_contacts(Work& work, std::uint64_t time) {
    const std::size_t count = std::min(work.mechanism->contact_points(points_), points_.size());
    if (count == 0) return;
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      const simulate::ContactPoint& c = points_[i];
      const std::string pair =
          c.pair >= 0 ? work.model.contact.pairs[static_cast<std::size_t>(c.pair)].name : std::string();
      list.push_back({{"pair", pair},
                      {"point", {c.point.x, c.point.y, c.point.z}},
                      {"normal", {c.normal.x, c.normal.y, c.normal.z}},
                      {"force", {c.force.x, c.force.y, c.force.z}}});
    }
    log_.add_message(contacts_, time, Json{{"contacts", std::move(list)}}.dump());
  }

  void finish() {
    csv_.finish();
    log_.finish();
    write_file(path_ + ".json", recording_text(recording_.recorded));
    write_file(path_ + ".poses", encode_poses(count_, rate_, poses_));
  }

 private:
  void begin(Work& work) {
    constexpr double kRate = 60.0;  // [Hz] of pictures
    every_ = std::max(1L, std::lround(1.0 / (kRate * work.choice.step)));
    rate_ = 1.0 / (static_cast<double>(every_) * work.choice.step);
    count_ = work.port_of_body.size();
    names_.emplace_back("t");
    for (const std::string& name : work.mechanism->coordinate_names()) names_.push_back(name);
    for (const std::string& name : work.mechanism->speed_names()) names_.push_back("u." + name);
    names_.emplace_back("kinetic");
    names_.emplace_back("potential");
    const auto& inputs = recording_.recorded.inputs;
    led_ =
        std::any_of(inputs.begin(), inputs.end(), [](const ActingFrom& from) { return !from.tau.empty(); });
    if (led_)
      for (const std::string& name : work.mechanism->effort_names()) names_.push_back("law." + name);
    const auto& pairs = work.model.contact.pairs;
    pairs_ = !pairs.empty() && pairs.size() <= kMostPairs;
    if (pairs_) {
      points_.resize(Work::kMostContacts);
      contacts_ = log_.add_channel("/contacts", "tactus.Contacts",
                                   R"({"type":"object","properties":{"contacts":{"type":"array"}}})");
      for (const describe::ContactPair& pair : pairs)
        for (const char* what : {".normal", ".friction"}) names_.push_back(pair.name + what);
    }
    std::string head;
    for (const std::string& name : names_) head += (head.empty() ? "" : ",") + name;
    csv_.write(head + "\n");
    for (std::size_t b = 1; b < count_; ++b)
      bodies_.push_back(log_.add_channel("/bodies/" + work.model.bodies[b].name, "foxglove.PoseInFrame",
                                         R"({"title":"foxglove.PoseInFrame","type":"object"})"));
  }

  static constexpr std::size_t kMostPairs = 64;  // of contact, with columns of their own

  const Recording& recording_;
  std::string path_;
  OutputFile csv_;
  display::McapWriter log_;
  std::uint16_t state_ = 0, contacts_ = 0;
  bool led_ = false, pairs_ = false;
  std::vector<simulate::ContactPoint> points_;
  std::vector<std::uint16_t> bodies_;
  std::vector<std::string> names_;
  std::vector<float> poses_;
  std::size_t count_ = 0;
  long every_ = 1;
  double rate_ = 60.0;
};

}  // namespace

Repeated write_files(const Recording& recording) {
  Files files(recording);
  const Repeated result = repeat(recording.recorded, [&](long tick, Work& work, std::span<const double> tau) {
    files.add(tick, work, tau);
  });
  files.finish();
  return result;
}

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({path}, "there is no such file", "give a recording that the page saved");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool is_recording_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(200, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return is_recording(head);
}

RecordingReport repeat_recording(const std::string& path) {
  const Recorded recorded = read_recording(content_of(path), path);
  const Repeated again = repeat(recorded, [](long, Work&, std::span<const double>) {});
  return {recorded.model_name, again.ticks, again.compared, again.same, again.worst};
}

}  // namespace tactus::serve
