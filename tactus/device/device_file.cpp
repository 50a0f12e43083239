#include <tactus/device/device_file.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/reader.h>
#include <tactus/device/command_delay.h>
#include <tactus/device/registry.h>

namespace tactus::device {

namespace {

using algebra::Dimension;
using describe::Value;
using Make = SimulatedDevice::Make;
namespace dimension = algebra::dimension;

constexpr std::array<std::string_view, 48> kKeys{
    "based_on", "description", "axes", "actuated", "workspace", "workspace_angle", "rate", "latency",
    "continuous_force", "continuous_torque", "peak_force", "peak_torque", "resolution",
    "rotational_resolution", "velocity_bandwidth", "force_sensor", "force_resolution", "torque_resolution",
    // devices that are pushed
    "inertia", "rotational_inertia", "damping", "rotational_damping", "friction", "rotational_friction",
    // devices that are moved
    "bandwidth", "leads", "compliance", "rotational_compliance", "force_noise", "torque_noise", "force_bias",
    "torque_bias",
    // cobots
    "steering_lag", "leak_mass", "axis_mass", "drum_mass", "axis_friction", "drum_speed", "steepest",
    "length_of_rotations", "off", "steered", "K_p", "K_i", "K_d",
    // models
    "encoder", "linear_encoder", "compensated"};

/// A pair {rotation, translation} by its two keys.
struct Pair {
  std::string_view rotation, translation;
  Dimension of_rotation, of_translation;
};
constexpr Pair kContinuous{"continuous_torque", "continuous_force", dimension::kTorque, dimension::kForce};
constexpr Pair kPeak{"peak_torque", "peak_force", dimension::kTorque, dimension::kForce};
constexpr Pair kResolution{"rotational_resolution", "resolution", dimension::kNumber, dimension::kLength};
constexpr Pair kForceResolution{"torque_resolution", "force_resolution", dimension::kTorque,
                                dimension::kForce};
constexpr Pair kInertia{"rotational_inertia", "inertia", dimension::kInertia, dimension::kMass};
constexpr Pair kDamping{"rotational_damping", "damping", dimension::kAngularDamping, dimension::kDamping};
constexpr Pair kFriction{"rotational_friction", "friction", dimension::kTorque, dimension::kForce};
constexpr Pair kCompliance{"rotational_compliance", "compliance", {-1, -2, 2}, {-1, 0, 2}};  // rad/(N m), m/N
constexpr Pair kNoise{"torque_noise", "force_noise", dimension::kTorque, dimension::kForce};
constexpr std::array<Pair, 9> kPairs{
    kContinuous, kPeak, kResolution, kForceResolution, kInertia, kDamping, kFriction, kCompliance, kNoise};

std::vector<std::string> names_of_simulated() {
  std::vector<std::string> names;
  for (const SimulatedDevice& device : simulated_devices()) names.push_back(device.specification.name);
  return names;
}

/// A map that says what it is based on, as no mechanism does.
bool is_of_a_device(const Value& document) {
  return document.is_map() && document.find("based_on") != nullptr && document.find("bodies") == nullptr;
}

class DeviceReader {
 public:
  DeviceReader(const std::string& text, const std::string& path)
      : reader_(path), document_(describe::read_document(text, path)) {}

  SimulatedDevice read(const std::string& path) {
    refuse_a_model(path);
    const describe::Fields all(reader_, document_, "a device", kKeys);
    const Value& base =
        all.require("based_on", "begin with `based_on: simulated:planar`, or another of them");
    device_ = based_on(base, path);
    const std::string what = "a device based on " + base.text;
    const describe::Fields fields(reader_, document_, what, kKeys);
    fields_ = &fields;
    refuse_what_it_has_not();
    s_.description = device_.make == Make::model ? fmt::format("the mechanism of {}", base.text)
                                                 : fmt::format("{}, with numbers of its own", s_.name);
    if (const Value* text = fields["description"]) s_.description = reader_.word(*text, "`description`");
    s_.name = path;

    read_axes();
    read_workspace();
    if (const Value* given = fields["rate"]) {
      s_.rate = above_zero(*given, frequency(*given, 1.0, "`rate`"), "`rate`");
      constexpr double kLeast = 1.0, kMost = 1e6;  // [Hz] of what loops run at, with room
      if (!(s_.rate >= kLeast && s_.rate <= kMost))
        reader_.fail(*given, fmt::format("a rate of {:g} Hz", s_.rate), "between 1 Hz and 1000 kHz");
    }
    read_pair(kContinuous, s_.continuous);
    read_pair(kPeak, s_.peak);
    require_peaks();
    read_pair(kResolution, s_.resolution);
    read_latency();
    if (const Value* given = fields["velocity_bandwidth"])
      s_.velocity_bandwidth = frequency(*given, 2.0 * std::numbers::pi, "`velocity_bandwidth`");
    if (const Value* given = fields["force_sensor"]) s_.force_sensor = reader_.flag(*given, "`force_sensor`");
    if (!s_.force_sensor)
      fields.refuse({"force_resolution", "torque_resolution", "force_noise", "torque_noise", "force_bias",
                     "torque_bias"},
                    "give `force_sensor: true`");
    read_pair(kForceResolution, s_.force_resolution);
    read_pair(kNoise, s_.force_noise);
    read_bias();
    if (device_.make == Make::impedance) read_pushed();
    if (device_.make == Make::admittance) read_servo();
    if (device_.make == Make::cobot) read_cobot();
    if (device_.make == Make::model) read_model();
    run_at(device_, 0.0);
    return std::move(device_);
  }

 private:
  void refuse_a_model(const std::string& path) const {
    for (const std::string_view key : {"bodies", "joints", "links", "include", "dh", "repeat"})
      if (document_.is_map() && document_.find(key) != nullptr && document_.find("based_on") == nullptr)
        reader_.fail(document_, "this is a mechanism's file, and no device's",
                     fmt::format("a mechanism with motors at its joints is the device model:{}", path));
  }

  SimulatedDevice based_on(const Value& base, const std::string& path) const {
    const std::string& name = reader_.word(base, "`based_on`");
    for (SimulatedDevice& device : simulated_devices())
      if (device.specification.name == name) return std::move(device);
    if (name.starts_with("model:")) return made_of(base, name, path);
    if (is_device_file(name))
      reader_.fail(base, "a device is not based on another device's file",
                   "base it on what that one is based on, or on model:FILE for a mechanism's file");
    if (name.starts_with("arm:"))
      reader_.fail(base, "an arm's numbers are options of a run, and in no file",
                   "give --device " + name + " and what `tactus haptic --help` has for arms");
    reader_.fail(base, fmt::format("`{}` is no simulated device", name),
                 suggestion(name, names_of_simulated()));
  }

  /// The model's file is seen from the device's.
  SimulatedDevice made_of(const Value& base, const std::string& name, const std::string& path) const {
    SimulatedDevice device;
    try {
      device = device_of_model(name, std::filesystem::path(path).parent_path().string());
    } catch (const InputError& error) {
      reader_.fail(base, fmt::format("`{}`: {}", name, error.wrong()),
                   "model:FILE or model:FILE:PORT, the file as seen from this one's folder");
    }
    if (std::error_code error; std::filesystem::equivalent(device.model.file, path, error))
      reader_.fail(base, "a device is not based on itself", "name a mechanism's file after `model:`");
    if (is_devices_text(device.model.file))
      reader_.fail(base, fmt::format("{} is a device's file, and no mechanism's", device.model.file),
                   "name a mechanism's file after `model:`");
    return device;
  }

  void refuse_what_it_has_not() const {
    const char* const servo = device_.make == Make::cobot
                                  ? "it is of the servo of simulated:admittance: a cobot has K_p, K_d and K_i"
                                  : "it is of devices that are moved: base it on simulated:admittance";
    constexpr const char* kCobot = "it is of cobots: base it on simulated:cobot";
    if (device_.make != Make::cobot)
      fields_->refuse({"steering_lag", "leak_mass", "axis_mass", "drum_mass", "axis_friction", "drum_speed",
                       "K_p", "K_i", "K_d", "steepest", "length_of_rotations", "off", "steered"},
                      kCobot);
    if (device_.make != Make::admittance)
      fields_->refuse({"bandwidth", "leads", "compliance", "rotational_compliance"}, servo);
    if (device_.make == Make::cobot)
      fields_->refuse({"force_bias", "torque_bias"}, "a cobot's force sensor has none");
    if (device_.make != Make::model)
      fields_->refuse({"encoder", "linear_encoder", "compensated"},
                      "it is of mechanisms: base it on model:FILE");
    if (device_.make == Make::impedance) return;
    if (device_.make == Make::model) {
      fields_->refuse({"axes", "actuated"},
                      "they are those in which its motors move the port: joints without one are "
                      "`passive: true` in the model");
      fields_->refuse({"inertia", "rotational_inertia", "damping", "rotational_damping", "friction",
                       "rotational_friction"},
                      "it is the mechanism's: give it to the bodies and joints of the model");
      return fields_->refuse({"resolution", "rotational_resolution"},
                             "it follows from the steps at its joints: `encoder`, and `linear_encoder` where "
                             "they slide");
    }
    fields_->refuse(
        {"inertia", "rotational_inertia", "damping", "rotational_damping", "friction", "rotational_friction"},
        "it goes where it is told, whatever it weighs: they are of devices that are pushed");
    fields_->refuse({"force_sensor"}, "a device that is moved always has one");
    if (device_.make == Make::cobot)
      fields_->refuse({"latency", "axes", "actuated"},
                      "its commands act a period later, and it moves along and about all axes");
    else
      fields_->refuse({"latency"}, "its servo is as late as `bandwidth` and `leads: false` make it");
  }

  std::uint8_t axes_in(const Value& list, std::string_view what) const {
    if (!list.is_sequence() || list.items.empty())
      reader_.fail(list, fmt::format("{} is no list of axes", what), "as in [x, y, rz]");
    std::uint8_t axes = 0;
    for (const Value& item : list.items)
      axes |= static_cast<std::uint8_t>(1u << reader_.choice(item, "an axis", kAxisNames));
    return axes;
  }

  void read_axes() {
    if (const Value* given = (*fields_)["axes"]) s_.sensed = s_.actuated = axes_in(*given, "`axes`");
    if (const Value* given = (*fields_)["actuated"]) {
      s_.actuated = axes_in(*given, "`actuated`");
      if ((s_.actuated & ~s_.sensed) != 0)
        reader_.fail(*given, "a motor at an axis that the device does not have",
                     "name some of `axes`, or leave it out: then all of them have motors");
    }
    const bool has[2] = {(s_.sensed & 0b000111) != 0, (s_.sensed & kTranslation) != 0};
    for (const Pair& pair : kPairs) {
      if (!has[0])
        fields_->refuse({pair.rotation}, fmt::format("it does not turn: `{}` is the one of its translations",
                                                     pair.translation));
      if (!has[1])
        fields_->refuse({pair.translation},
                        fmt::format("it only turns: `{}` is the one of its rotations", pair.rotation));
    }
  }

  void read_workspace() {
    constexpr double kMostAngle = 3.14;
    if (const Value* given = (*fields_)["workspace"]) {
      reader_.require_list(*given, "`workspace`", 3);
      for (std::size_t i = 0; i < 3; ++i)
        s_.workspace[i] = 0.5 * not_negative(given->items[i], dimension::kLength, "a side of `workspace`");
    }
    if (const Value* given = (*fields_)["workspace_angle"])
      if (s_.workspace_angle = not_negative(*given, dimension::kNumber, "`workspace_angle`");
          s_.workspace_angle > kMostAngle)
        reader_.fail(
            *given, fmt::format("`workspace_angle` is {:g}", s_.workspace_angle),
            fmt::format("at most {:g} rad: half a turn and more is no limit, and 0 is none", kMostAngle));
  }

  double not_negative(const Value& value, Dimension dimension, std::string_view what) const {
    return reader_.value_at_parameters(reader_.positive_number(value, dimension, what));
  }

  double above_zero(const Value& value, double number, std::string_view what) const {
    if (!(number > 0.0))
      reader_.fail(value, fmt::format("{} is {:g}", what, number), "it must be above zero");
    return number;
  }

  double above_zero(const Value& value, Dimension dimension, std::string_view what) const {
    return above_zero(value, not_negative(value, dimension, what), what);
  }

  /// Of `50 Hz` or `1 kHz`, `per_turn` for each cycle; other numbers as they are. Samples in a second are no angle: they are in Hz or bare.
  double frequency(const Value& value, double per_turn, std::string_view what) const {
    std::string_view number = value.text;
    if (!value.is_scalar() || !number.ends_with("Hz")) {
      const algebra::Quantity given = reader_.quantity(value);
      const bool counts = per_turn == 1.0;
      if (given.known == algebra::Quantity::Known::yes &&
          (counts || given.dimension != dimension::kAngularSpeed))
        reader_.fail(value,
                     fmt::format("{} is a frequency, and this is {}", what,
                                 algebra::describe_dimension(given.dimension)),
                     counts ? "as in 2 kHz, 2000 Hz or 2000" : "as in 50 Hz or 314 rad/s");
      return not_negative(value, counts ? dimension::kNumber : dimension::kAngularSpeed, what);
    }
    number.remove_suffix(2);
    double factor = per_turn;
    if (number.ends_with('k')) {
      factor *= 1e3;
      number.remove_suffix(1);
    }
    while (number.ends_with(' ')) number.remove_suffix(1);
    Value bare = value;
    bare.text = number;
    return factor * not_negative(bare, dimension::kNumber, what);
  }

  void read_pair(const Pair& pair, std::array<double, 2>& values) const {
    if (const Value* given = (*fields_)[pair.rotation])
      values[0] = not_negative(*given, pair.of_rotation, fmt::format("`{}`", pair.rotation));
    if (const Value* given = (*fields_)[pair.translation])
      values[1] = not_negative(*given, pair.of_translation, fmt::format("`{}`", pair.translation));
  }

  /// 0 is no limit.
  void require_peaks() const {
    const bool tells_itself = device_.make == Make::model;  // what its motors give
    const std::array<std::string_view, 2> peaks{kPeak.rotation, kPeak.translation},
        means{kContinuous.rotation, kContinuous.translation};
    for (std::size_t k = 0; k < 2; ++k) {
      for (const std::string_view key : {peaks[k], means[k]})
        if (const Value* given = (*fields_)[key]; given != nullptr && tells_itself)
          above_zero(*given, key == peaks[k] ? s_.peak[k] : s_.continuous[k], fmt::format("`{}`", key));
      if (s_.peak[k] >= s_.continuous[k] || (tells_itself && (*fields_)[peaks[k]] == nullptr)) continue;
      const Value* given = (*fields_)[means[k]] != nullptr ? (*fields_)[means[k]] : (*fields_)[peaks[k]];
      reader_.fail(
          given != nullptr ? *given : document_,
          fmt::format("`{}` is {:g}, and `{}` {:g}", means[k], s_.continuous[k], peaks[k], s_.peak[k]),
          "what motors give for a moment is no less than what they give for ever; without a limit both "
          "are 0");
    }
  }

  void read_pushed() {
    read_pair(kInertia, s_.inertia);
    for (std::size_t k = 0; k < 2; ++k) {
      if ((s_.sensed >> (3 * k) & 0b111) == 0 || s_.inertia[k] > 0.0) continue;
      const std::string_view key = k == 0 ? kInertia.rotation : kInertia.translation;
      const Value* given = (*fields_)[key];
      if (given != nullptr) above_zero(*given, s_.inertia[k], fmt::format("`{}`", key));
      reader_.fail(document_,
                   fmt::format("the device {}, and has no `{}`", k == 0 ? "turns" : "moves along axes", key),
                   k == 0 ? "write rotational_inertia: 1e-3 kg m^2" : "write inertia: 0.2 kg");
    }
    read_pair(kDamping, s_.damping);
    read_pair(kFriction, s_.friction);
  }

  void read_latency() {
    if (device_.make != Make::impedance && device_.make != Make::model) return;
    const Value* given = (*fields_)["latency"];
    if (given != nullptr) s_.latency = not_negative(*given, dimension::kTime, "`latency`");
    constexpr auto kMost = static_cast<double>(CommandDelay::kMost);
    if (!CommandDelay::bears(s_.latency, s_.rate))
      reader_.fail(given != nullptr ? *given : document_,
                   fmt::format("a latency of {:g} s at {:g} Hz is {:g} periods", s_.latency, s_.rate,
                               s_.latency * s_.rate),
                   fmt::format("{:g} periods at most", kMost));
  }

  void read_bias() {
    const std::array<std::pair<std::string_view, Dimension>, 2> biases{
        {{"torque_bias", dimension::kTorque}, {"force_bias", dimension::kForce}}};
    for (std::size_t k = 0; k < 2; ++k)
      if (const Value* given = (*fields_)[biases[k].first]) {
        reader_.require_list(*given, fmt::format("`{}`", biases[k].first), 3);
        for (std::size_t i = 0; i < 3; ++i)
          device_.servo.bias[3 * k + i] =
              reader_.value_at_parameters(reader_.number(given->items[i], biases[k].second));
      }
  }

  void read_servo() {
    Servo& servo = device_.servo;
    if (const Value* given = (*fields_)["bandwidth"])
      servo.bandwidth =
          above_zero(*given, frequency(*given, 2.0 * std::numbers::pi, "`bandwidth`"), "`bandwidth`");
    if (const Value* given = (*fields_)["leads"]) servo.leads = reader_.flag(*given, "`leads`");
    // What it is told as a place reaches it with the lag 1/w, which is what a latency is to who shows something light by it.
    if (!servo.leads) s_.latency = 1.0 / servo.bandwidth;
    read_pair(kCompliance, servo.compliance);
    // What does not yield at all would be infinitely stiff, which is no number of a specification.
    const std::array<std::string_view, 2> keys{kCompliance.rotation, kCompliance.translation};
    for (std::size_t k = 0; k < 2; ++k)
      if (const Value* given = (*fields_)[keys[k]])
        above_zero(*given, servo.compliance[k], fmt::format("`{}`", keys[k]));
  }

  void read_cobot() {
    CobotDriveOptions& drive = device_.cobot.drive;
    TaskServoGains& gains = device_.cobot.servo;
    const auto positive = [&](std::string_view key, Dimension dimension, double& number) {
      if (const Value* given = (*fields_)[key])
        number = above_zero(*given, dimension, fmt::format("`{}`", key));
    };
    const Dimension per_second = dimension::kAngularSpeed;
    positive("steering_lag", dimension::kTime, drive.lag);
    positive("axis_mass", dimension::kMass, drive.axis_mass);
    positive("drum_mass", dimension::kMass, drive.drum_mass);
    positive("drum_speed", dimension::kSpeed, drive.drum_speed);
    positive("leak_mass", dimension::kMass, drive.leak_mass);
    positive("steepest", dimension::kNumber, drive.steepest);
    positive("length_of_rotations", dimension::kLength, drive.length);
    // The display's inertia is what its wheels creep with.
    if ((*fields_)["leak_mass"] != nullptr || (*fields_)["length_of_rotations"] != nullptr)
      s_.inertia = {drive.leak_mass * drive.length * drive.length, drive.leak_mass};
    if (const Value* given = (*fields_)["axis_friction"])
      drive.friction = not_negative(*given, dimension::kForce, "`axis_friction`");
    s_.friction = {drive.friction * drive.length, drive.friction};
    s_.speed = {drive.steepest * drive.drum_speed / drive.length, drive.steepest * drive.drum_speed};
    positive("K_p", 2 * per_second, gains.K_p);
    positive("K_d", per_second, gains.K_d);
    if (const Value* given = (*fields_)["K_i"]) gains.K_i = not_negative(*given, 3 * per_second, "`K_i`");
    read_off();
  }

  void read_off() {
    using Off = CobotOptions::Off;
    constexpr std::array<std::string_view, 2> kOffs{"locked", "coasting"};
    CobotOptions& cobot = device_.cobot;
    if (const Value* given = (*fields_)["off"])
      cobot.off = reader_.choice(*given, "`off`", kOffs) == 1 ? Off::coasting : Off::locked;
    const Value* given = (*fields_)["steered"];
    if (given == nullptr) return;
    if (cobot.off != Off::coasting)
      fields_->refuse({"steered"}, "while it is off its wheels are straight: give `off: coasting`");
    reader_.require_list(*given, "`steered`", 6);
    const double steepest = std::atan(cobot.drive.steepest);
    for (std::size_t i = 0; i < 6; ++i) {
      const double angle = reader_.value_at_parameters(reader_.number(given->items[i], dimension::kNumber));
      if (!(std::abs(angle) <= steepest))
        reader_.fail(
            given->items[i], fmt::format("a wheel steered by {:.4g} rad", angle),
            fmt::format("`steepest` is {:g}: {:.4g} rad to either side", cobot.drive.steepest, steepest));
      cobot.steered[i] = std::tan(angle);
    }
  }

  void read_model() {
    ModelPart& model = device_.model;
    if (const Value* given = (*fields_)["encoder"])
      model.encoder[0] = not_negative(*given, dimension::kNumber, "`encoder`");
    if (const Value* given = (*fields_)["linear_encoder"])
      model.encoder[1] = not_negative(*given, dimension::kLength, "`linear_encoder`");
    if (const Value* given = (*fields_)["compensated"])
      model.compensated = reader_.flag(*given, "`compensated`");
  }

  describe::Reader reader_;
  Value document_;
  SimulatedDevice device_;
  Specification& s_ = device_.specification;
  const describe::Fields* fields_ = nullptr;
};

}  // namespace

bool is_device_file(std::string_view name) {
  for (const std::string_view kind : {"model:", "arm:", "file:"})
    if (name.starts_with(kind)) return false;
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_devices_text(const std::string& path) {
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) return false;
  try {
    return is_of_a_device(describe::read_document(describe::read_source(path), path));
  } catch (const InputError&) {  // said where it is read as what it is
    return false;
  }
}

SimulatedDevice read_device(const std::string& path) {
  if (std::error_code error; !std::filesystem::exists(path, error))
    throw InputError({path}, "there is no such file",
                     "check the path: FILE.yaml for a device of your own, model:FILE.yaml for a mechanism");
  const std::string text = describe::read_source(path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError({path, 1, 1}, "the file is empty",
                     "begin with `based_on: simulated:planar`, or another device of `tactus devices`");
  describe::require_text(text, path);
  return DeviceReader(text, path).read(path);
}

}  // namespace tactus::device
