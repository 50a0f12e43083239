#include <tactus/display/log/sinks.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

namespace {

using Json = nlohmann::json;
using Vec3 = math::Vec3<double>;
using Mat3 = math::Mat3<double>;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

void put_number(std::string& to, double x) {
  if (!std::isfinite(x)) {
    to += std::isnan(x) ? "\"nan\"" : x > 0.0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  const std::size_t from = to.size();
  fmt::format_to(std::back_inserter(to), "{}", x);
  // A number without point or exponent reads back as an integer, which has no minus zero.
  if (to.find_first_of(".e", from) == std::string::npos) to += ".0";
}

template <class List>
void put_list(std::string& to, const List& values) {
  to += '[';
  bool first = true;
  for (const double x : values) {
    if (!first) to += ',';
    first = false;
    put_number(to, x);
  }
  to += ']';
}

void put_list(std::string& to, const Vec3& v) { put_list(to, std::array{v.x, v.y, v.z}); }
void put_list(std::string& to, const Mat3& R) {
  std::array<double, 9> entries{};
  for (std::size_t i = 0; i < 9; ++i) entries[i] = R(i / 3, i % 3);
  put_list(to, entries);
}

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument(text);
}
template <std::size_t n>
std::array<double, n> list_of(const Json& value) {
  if (!value.is_array() || value.size() != n) throw std::invalid_argument("list");
  std::array<double, n> list{};
  for (std::size_t i = 0; i < n; ++i) list[i] = number_of(value[i]);
  return list;
}
Vec3 vector_of(const Json& value) {
  const auto v = list_of<3>(value);
  return {v[0], v[1], v[2]};
}
Mat3 matrix_of(const Json& value) {
  const auto v = list_of<9>(value);
  Mat3 R = Mat3::identity();
  for (std::size_t i = 0; i < 9; ++i) R(i / 3, i % 3) = v[i];
  return R;
}

std::string_view media_type_of(std::string_view name) {
  for (const auto& [ending, type] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{".yaml", "application/yaml"},
                                                                            {".yml", "application/yaml"},
                                                                            {".urdf", "application/xml"},
                                                                            {".csv", "text/csv"},
                                                                            {".stl", "model/stl"},
                                                                            {".obj", "model/obj"}})
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

// Schemas: of plain types alone, objects always with their properties, which is what Foxglove's tools read.
// A number that is not finite is null in a message, and in those of /loop/tick a word.

constexpr std::string_view kNumber = R"({"type":"number"})", kInteger = R"({"type":"integer"})",
                           kString = R"({"type":"string"})",
                           kNumbers = R"({"type":"array","items":{"type":"number"}})",
                           kIntegers = R"({"type":"array","items":{"type":"integer"}})";

using Properties = std::initializer_list<std::pair<std::string_view, std::string_view>>;  // names, schemas

/// All properties are there, those at the end that are `optional` sometimes.
std::string object_schema(std::string_view title, Properties properties, std::size_t optional = 0) {
  std::string all, required;
  std::size_t left = properties.size() - optional;
  for (const auto& [name, schema] : properties) {
    all += fmt::format(R"({}"{}":{})", all.empty() ? "" : ",", name, schema);
    if (left > 0) required += fmt::format(R"({}"{}")", required.empty() ? "" : ",", name);
    left -= left > 0;
  }
  const std::string called = title.empty() ? "" : fmt::format(R"("title":"{}",)", title);
  return fmt::format(R"({{{}"type":"object","properties":{{{}}},"required":[{}]}})", called, all, required);
}

std::string vector_schema() { return object_schema("", {{"x", kNumber}, {"y", kNumber}, {"z", kNumber}}); }
std::string stamped_schema(std::string_view title, std::string_view name, const std::string& what) {
  return object_schema(title, {{"timestamp", object_schema("time", {{"sec", kInteger}, {"nsec", kInteger}})},
                               {"frame_id", kString},
                               {name, what}});
}
std::string pose_schema() {
  const std::string turn =
      object_schema("", {{"x", kNumber}, {"y", kNumber}, {"z", kNumber}, {"w", kNumber}});
  return stamped_schema("foxglove.PoseInFrame", "pose",
                        object_schema("", {{"position", vector_schema()}, {"orientation", turn}}));
}
/// Two vectors by name.
std::string pair_schema(std::string_view title, std::string_view outer, std::string_view one,
                        std::string_view two) {
  return stamped_schema(title, outer, object_schema("", {{one, vector_schema()}, {two, vector_schema()}}));
}
std::string state_schema() {
  return object_schema(
      "OperatingState",
      {{"state", kString}, {"fault", kString}, {"value", kNumber}, {"limit", kNumber}, {"unit", kString}}, 3);
}
std::string tick_schema() {
  return object_schema("tactus.Tick",
                       {{"number", kInteger},
                        {"t", kNumber},
                        {"elapsed", kNumber},
                        {"compute_ns", kInteger},
                        {"R", kNumbers},
                        {"p", kNumbers},
                        {"V", kNumbers},
                        {"F", kNumbers},
                        {"wrench", kNumbers},
                        {"R_to", kNumbers},
                        {"p_to", kNumbers},
                        {"V_to", kNumbers},
                        {"port_p", kNumbers},
                        {"port_R", kNumbers},
                        {"port_V", kNumbers},
                        {"port_F", kNumbers},
                        {"into_port", kNumber},
                        {"out_of_handle", kNumber},
                        {"guarded", kNumber},
                        {"made", kNumber},
                        {"softness", kNumber},
                        {"resisted", kInteger},
                        {"age", kInteger},
                        {"left_out", kInteger},
                        {"events", kInteger},
                        {"stage", kInteger},
                        {"fault", kInteger},
                        // A device's own dynamics; of two rates with a thread.
                        {"M", kNumbers},
                        {"bias", kNumbers},
                        {"answers", kIntegers}},
                       3);
}

class CsvLog final : public LogSink {
 public:
  explicit CsvLog(const std::string& path) : path_(path), file_(path) {
    file_.write(
        "t,handle_x,handle_y,handle_z,port_x,port_y,port_z,force_x,force_y,force_z,torque_x,torque_y,torque_"
        "z,"
        "into_port,stage,events,"
        // Orientations as unit quaternions, velocities, angular velocities.
        "handle_qw,handle_qx,handle_qy,handle_qz,handle_vx,handle_vy,handle_vz,handle_wx,handle_wy,handle_wz,"
        "port_qw,port_qx,port_qy,port_qz,port_vx,port_vy,port_vz,port_wx,port_wy,port_wz,"
        // What the hand got, by motors, or by a motion against which it pushes.
        "hand_force_x,hand_force_y,hand_force_z,hand_torque_x,hand_torque_y,hand_torque_z,"
        // Why forces are off: a name; none. In the last row also what came after its tick.
        "fault,"
        // What the force sensor reads, 0 without one.
        "sensed_force_x,sensed_force_y,sensed_force_z,sensed_torque_x,sensed_torque_y,sensed_torque_z,"
        // [J] taken from the handle, by the passivity controller, from nowhere; [ticks] of what is known of
        // the mechanism; directions with a penalty; of the coupler.
        "out_of_handle,guarded,made,age,resisted,softness\n");
  }
  /// A row waits for what comes next: it may be the fault that ended the run.
  void write(const LogEntry& entry) override {
    if (!entry.is_tick && waits_) {
      if (waiting_.record.fault == control::Fault::none) waiting_.record.fault = entry.record.fault;
      return;
    }
    write_waiting();
    waiting_ = entry;
    waits_ = true;
  }
  void flush() override { file_.flush(); }
  void finish() override {
    write_waiting();
    file_.finish();
  }
  std::string keep() noexcept override { return file_.keep(); }
  std::string path() const override { return path_; }

 private:
  void write_waiting() {
    if (!waits_) return;
    waits_ = false;
    const LogEntry& entry = waiting_;
    const TickRecord& r = entry.record;
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", r.t, r.p_H.x,
                   r.p_H.y, r.p_H.z, r.p_P.x, r.p_P.y, r.p_P.z, r.on_port[3], r.on_port[4], r.on_port[5],
                   r.on_port[0], r.on_port[1], r.on_port[2], r.into_port, name_of(r.stage), r.events);
    turn(entry.sample.X_WH.R, r.V_H);
    turn(r.R_P, r.V_P);
    const Vector6 F = on_hand(r);
    const Vector6& S = entry.sample.F_H_W;
    fmt::format_to(std::back_inserter(text_), ",{},{},{},{},{},{},{}", F[3], F[4], F[5], F[0], F[1], F[2],
                   name_of(r.fault));
    fmt::format_to(std::back_inserter(text_), ",{},{},{},{},{},{},{},{},{},{},{},{}\n", S[3], S[4], S[5],
                   S[0], S[1], S[2], r.out_of_handle, r.guarded, r.made, r.age, r.resisted, r.softness);
    file_.write(text_);
  }
  void turn(const Mat3& R, const Vector6& V) {
    const math::Quaternion<double> q = math::quaternion_of(R);
    fmt::format_to(std::back_inserter(text_), ",{},{},{},{},{},{},{},{},{},{}", q.w, q.x, q.y, q.z, V[3],
                   V[4], V[5], V[0], V[1], V[2]);
  }

  std::string path_;
  OutputFile file_;
  std::string text_;
  LogEntry waiting_;
  bool waits_ = false;
};

class McapLog final : public LogSink {
 public:
  McapLog(const std::string& path, const LogHead& head)
      : path_(path), file_(path, "crtk"), admittance_(head.kind == device::Kind::admittance) {
    file_.add_metadata("tactus", head.setup);
    if (!head.model_text.empty()) file_.add_attachment(head.model_name, "application/yaml", head.model_text);
    for (const AttachedFile& file : head.files)
      if (file.name != head.model_name) file_.add_attachment(file.name, media_type_of(file.name), file.bytes);
    const std::string pose = pose_schema(), twist = pair_schema("TwistStamped", "twist", "linear", "angular"),
                      wrench = pair_schema("WrenchStamped", "wrench", "force", "torque");
    const auto channel = [&](std::string_view topic, std::string_view name, const std::string& schema) {
      return file_.add_channel(topic, name, schema);
    };
    handle_cp_ = channel("/handle/measured_cp", "foxglove.PoseInFrame", pose);
    handle_cv_ = channel("/handle/measured_cv", "TwistStamped", twist);
    if (head.force_sensor) handle_cf_ = channel("/handle/measured_cf", "WrenchStamped", wrench);
    if (admittance_) {
      servo_cp_ = channel("/handle/servo_cp", "foxglove.PoseInFrame", pose);
      servo_cv_ = channel("/handle/servo_cv", "TwistStamped", twist);
    } else {
      servo_cf_ = channel("/handle/servo_cf", "WrenchStamped", wrench);
    }
    port_cp_ = channel("/port/measured_cp", "foxglove.PoseInFrame", pose);
    port_cv_ = channel("/port/measured_cv", "TwistStamped", twist);
    port_cf_ = channel("/port/measured_cf", "WrenchStamped", wrench);
    state_ = channel("/handle/operating_state", "OperatingState", state_schema());
    tick_ = channel("/loop/tick", "tactus.Tick", tick_schema());
  }

  void write(const LogEntry& entry) override {
    const TickRecord& r = entry.record;
    time_ = r.t > 0.0 ? static_cast<std::uint64_t>(std::llround(1e9 * r.t)) : 0;
    if (!entry.is_tick) return state(entry);
    pose(handle_cp_, entry.sample.X_WH);
    pair(handle_cv_, "twist", "linear", "angular", entry.sample.V_WH);
    if (handle_cf_) pair(*handle_cf_, "wrench", "force", "torque", entry.sample.F_H_W);
    if (admittance_) {
      pose(servo_cp_, entry.command.X_WH);
      pair(servo_cv_, "twist", "linear", "angular", entry.command.V_WH);
    } else {
      pair(servo_cf_, "wrench", "force", "torque", entry.command.wrench);
    }
    pose(port_cp_, {r.R_P, r.p_P});
    pair(port_cv_, "twist", "linear", "angular", r.V_P);
    pair(port_cf_, "wrench", "force", "torque", r.on_port);
    if (!stage_ || *stage_ != r.stage) state(entry);
    file_.add_message(tick_, time_, tick_message(entry));
    if (file_.waiting() >= kChunk) file_.flush();
  }
  void flush() override { file_.flush(); }
  void finish() override { file_.finish(); }
  std::string keep() noexcept override { return file_.keep(); }
  std::string path() const override { return path_; }

 private:
  /// [bytes] That a crash may cost besides what time does (TickLog): in simulated time many ticks go by
  /// within that.
  static constexpr std::size_t kChunk = 1 << 20;

  void state(const LogEntry& entry) {
    const TickRecord& r = entry.record;
    stage_ = r.stage;
    const char* state = r.stage == control::Stage::faulted ? "FAULT"
                        : r.stage == control::Stage::off   ? "DISABLED"
                                                           : "ENABLED";
    text_ = fmt::format(R"({{"state":"{}","fault":"{}")", state, name_of(r.fault));
    // What tripped a limit, and the limit; not every fault is about a number.
    if (const control::Found& found = entry.found; *found.unit != 0) {
      text_ += R"(,"value":)";
      number(found.value);
      text_ += R"(,"limit":)";
      number(found.limit);
      text_ += fmt::format(R"(,"unit":"{}")", found.unit);
    }
    text_ += '}';
    file_.add_message(state_, time_, text_);
  }
  void begin() {
    text_.clear();
    fmt::format_to(std::back_inserter(text_), R"({{"timestamp":{{"sec":{},"nsec":{}}},)",
                   time_ / kNanosecondsPerSecond, time_ % kNanosecondsPerSecond);
  }
  /// Plain JSON has no NaN.
  void number(double x) {
    if (std::isfinite(x))
      fmt::format_to(std::back_inserter(text_), "{}", x);
    else
      text_ += "null";
  }
  void vector(const Vec3& v) {
    text_ += R"({"x":)";
    number(v.x);
    text_ += R"(,"y":)";
    number(v.y);
    text_ += R"(,"z":)";
    number(v.z);
    text_ += '}';
  }
  void pose(std::uint16_t channel, const math::Pose<double>& X) {
    Eigen::Matrix3d R;
    for (std::size_t i = 0; i < 9; ++i)
      R(static_cast<int>(i / 3), static_cast<int>(i % 3)) = X.R(i / 3, i % 3);
    const Eigen::Quaterniond turn(R);
    begin();
    text_ += R"("frame_id":"world","pose":{"position":)";
    vector(X.p);
    text_ += R"(,"orientation":{"x":)";
    number(turn.x());
    text_ += R"(,"y":)";
    number(turn.y());
    text_ += R"(,"z":)";
    number(turn.z());
    text_ += R"(,"w":)";
    number(turn.w());
    text_ += "}}}";
    file_.add_message(channel, time_, text_);
  }
  /// A spatial vector, [angular; linear], as two: the linear one first.
  void pair(std::uint16_t channel, std::string_view outer, std::string_view linear, std::string_view angular,
            const Vector6& v) {
    begin();
    fmt::format_to(std::back_inserter(text_), R"("frame_id":"world","{}":{{"{}":)", outer, linear);
    vector({v[3], v[4], v[5]});
    fmt::format_to(std::back_inserter(text_), R"(,"{}":)", angular);
    vector({v[0], v[1], v[2]});
    text_ += "}}";
    file_.add_message(channel, time_, text_);
  }

  std::string path_;
  McapWriter file_;
  bool admittance_;
  std::uint16_t handle_cp_ = 0, handle_cv_ = 0, servo_cf_ = 0, servo_cp_ = 0, servo_cv_ = 0, port_cp_ = 0,
                port_cv_ = 0, port_cf_ = 0, state_ = 0, tick_ = 0;
  std::optional<std::uint16_t> handle_cf_;
  std::optional<control::Stage> stage_;
  std::uint64_t time_ = 0;
  std::string text_;
};

}  // namespace

std::unique_ptr<LogSink> csv_log(const std::string& path) { return std::make_unique<CsvLog>(path); }
std::unique_ptr<LogSink> mcap_log(const std::string& path, const LogHead& head) {
  return std::make_unique<McapLog>(path, head);
}

std::string digits_of(double x) {
  std::string text;
  put_number(text, x);
  return text;
}

std::string tick_message(const LogEntry& entry) {
  std::string text = fmt::format(R"({{"number":{},"t":)", entry.sample.number);
  put_number(text, entry.sample.t);
  text += R"(,"elapsed":)";
  put_number(text, entry.elapsed);
  text += R"(,"compute_ns":)" + std::to_string(entry.compute);
  const auto list = [&](const char* name, const auto& values) {
    text += fmt::format(R"(,"{}":)", name);
    put_list(text, values);
  };
  list("R", entry.sample.X_WH.R);
  list("p", entry.sample.X_WH.p);
  list("V", entry.sample.V_WH);
  list("F", entry.sample.F_H_W);
  if (entry.has_dynamics) {
    list("M", entry.dynamics.M);
    list("bias", entry.dynamics.bias);
  }
  list("wrench", entry.command.wrench);
  list("R_to", entry.command.X_WH.R);
  list("p_to", entry.command.X_WH.p);
  list("V_to", entry.command.V_WH);
  list("port_p", entry.record.p_P);
  list("port_R", entry.record.R_P);
  list("port_V", entry.record.V_P);
  list("port_F", entry.record.on_port);
  text += R"(,"into_port":)";
  put_number(text, entry.record.into_port);
  const auto number = [&](const char* name, double x) {
    text += fmt::format(R"(,"{}":)", name);
    put_number(text, x);
  };
  number("out_of_handle", entry.record.out_of_handle);
  number("guarded", entry.record.guarded);
  number("made", entry.record.made);
  number("softness", entry.record.softness);
  text += fmt::format(R"(,"resisted":{},"age":{},"left_out":{})", entry.record.resisted, entry.record.age,
                      entry.record.left_out);
  if (entry.has_answers)
    text += fmt::format(R"(,"answers":[{}])",
                        fmt::join(entry.answers.to.begin(),
                                  entry.answers.to.begin() + static_cast<long>(entry.answers.count), ","));
  text += fmt::format(R"(,"events":{},"stage":{},"fault":{}}})", entry.record.events,
                      static_cast<int>(entry.record.stage), static_cast<int>(entry.record.fault));
  return text;
}

LogEntry parse_tick(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    LogEntry entry;
    entry.sample.number = json.at("number").get<std::uint64_t>();
    entry.sample.t = number_of(json.at("t"));
    entry.elapsed = number_of(json.at("elapsed"));
    entry.compute = json.at("compute_ns").get<std::int64_t>();
    entry.sample.X_WH = {matrix_of(json.at("R")), vector_of(json.at("p"))};
    entry.sample.V_WH = list_of<6>(json.at("V"));
    entry.sample.F_H_W = list_of<6>(json.at("F"));
    if (json.contains("M")) {
      entry.has_dynamics = true;
      entry.dynamics = {list_of<36>(json.at("M")), list_of<6>(json.at("bias"))};
    }
    entry.command.wrench = list_of<6>(json.at("wrench"));
    entry.command.X_WH = {matrix_of(json.at("R_to")), vector_of(json.at("p_to"))};
    entry.command.V_WH = list_of<6>(json.at("V_to"));
    entry.record.t = entry.sample.t;
    entry.record.p_H = entry.sample.X_WH.p;
    entry.record.V_H = entry.sample.V_WH;
    entry.record.p_P = vector_of(json.at("port_p"));
    entry.record.V_P = list_of<6>(json.at("port_V"));
    entry.record.on_port = list_of<6>(json.at("port_F"));
    entry.record.into_port = number_of(json.at("into_port"));
    entry.has_all = json.contains("port_R");
    if (entry.has_all) {
      entry.record.R_P = matrix_of(json.at("port_R"));
      entry.record.out_of_handle = number_of(json.at("out_of_handle"));
      entry.record.guarded = number_of(json.at("guarded"));
      entry.record.made = number_of(json.at("made"));
      entry.record.softness = number_of(json.at("softness"));
      entry.record.resisted = json.at("resisted").get<int>();
      entry.record.age = json.at("age").get<int>();
      entry.record.left_out = json.value("left_out", 0);  // earlier logs have none
    }
    if (const auto answers = json.find("answers"); answers != json.end()) {
      entry.has_answers = true;
      if (!answers->is_array() || answers->size() > SimulationAnswers::kMost)
        throw std::invalid_argument("answers");
      for (const Json& tick : *answers) entry.answers.to[entry.answers.count++] = tick.get<std::uint64_t>();
    }
    entry.record.events = json.at("events").get<int>();
    entry.record.stage = static_cast<control::Stage>(json.at("stage").get<int>());
    entry.record.fault = static_cast<control::Fault>(json.at("fault").get<int>());
    return entry;
  } catch (const std::exception& trouble) {
    throw InputError({file}, fmt::format("a message of /loop/tick is not one: {}", trouble.what()),
                     "give a log that `tactus haptic --log` wrote");
  }
}

}  // namespace tactus::display
