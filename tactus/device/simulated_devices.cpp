#include <tactus/device/simulated_devices.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/model_device.h>
#include <tactus/device/simulated_impedance.h>

namespace tactus::device {

namespace {

using Make = SimulatedDevice::Make;

/// [rad] 150 degrees: a wrist that turns by 300 degrees, as those of laboratory devices about their handle.
constexpr double kWrist = 2.618;

/// [rad/s] 100 Hz: of the estimates of velocity from encoder steps.
constexpr double kVelocityBandwidth = 628.0;

Specification planar() {
  Specification s;
  s.name = "simulated:planar";
  s.description = "planar impedance device: moves along x and y, turns about z";
  s.sensed = s.actuated = kPlanar;
  s.workspace = {0.5, 0.5, 0.0};
  s.continuous = {2.0, 30.0};
  s.peak = {5.0, 80.0};
  s.resolution = {1e-4, 1e-5};
  s.inertia = {2e-3, 0.5};
  s.damping = {0.01, 4.0};
  s.friction = {0.005, 0.2};
  s.velocity_bandwidth = kVelocityBandwidth;
  return s;
}

Specification spatial() {
  Specification s;
  s.name = "simulated:spatial";
  s.description = "impedance device of six freedoms";
  s.workspace = {0.2, 0.2, 0.2};
  s.workspace_angle = kWrist;
  s.continuous = {0.4, 8.0};
  s.peak = {1.0, 20.0};
  s.resolution = {3e-4, 3e-5};
  s.inertia = {2e-4, 0.2};
  s.damping = {2e-3, 1.5};
  s.friction = {2e-3, 0.15};
  s.velocity_bandwidth = kVelocityBandwidth;
  return s;
}

Specification delayed() {
  Specification s = spatial();
  s.name = "simulated:delayed";
  s.description = "simulated:spatial, its forces two milliseconds late";
  s.latency = 2e-3;
  return s;
}

Specification ideal() {
  Specification s = spatial();
  s.name = "simulated:ideal";
  s.description =
      "simulated:spatial without dry friction, encoder steps, and limits of force, place and angle";
  s.workspace = {};
  s.workspace_angle = 0.0;
  s.continuous = s.peak = s.resolution = s.friction = {};
  s.velocity_bandwidth = 0.0;
  return s;
}

Specification planar_force() {
  Specification s = planar();
  s.name = "simulated:planar-force";
  s.description = "the planar impedance device with a force sensor in its handle";
  s.force_sensor = true;
  s.force_resolution = {1e-3, 0.02};
  return s;
}

Specification ideal_force() {
  Specification s = ideal();
  s.name = "simulated:ideal-force";
  s.description = "six freedoms without dry friction, steps and limits, with a force sensor";
  s.force_sensor = true;
  return s;
}

/// A wheel with force feedback, as they are sold for games.
Specification wheel() {
  Specification s;
  s.name = "simulated:wheel";
  s.description = "steering wheel: turns about z";
  s.sensed = s.actuated = 0b000100;
  s.continuous = {1.0, 0.0};
  s.peak = {2.0, 0.0};
  s.resolution = {2.4e-4, 0.0};
  s.inertia = {0.03, 0.0};
  s.damping = {0.05, 0.0};
  s.friction = {0.1, 0.0};
  s.velocity_bandwidth = kVelocityBandwidth;
  return s;
}

Specification admittance() {
  Specification s;
  s.name = "simulated:admittance";
  s.description = "stiff admittance device of six freedoms with a force sensor";
  s.kind = Kind::admittance;
  s.force_sensor = true;
  s.workspace = {0.5, 0.5, 0.5};
  s.continuous = {20.0, 200.0};
  s.peak = {30.0, 300.0};
  s.resolution = {1e-5, 5e-6};
  s.force_resolution = {1e-3, 0.02};
  s.force_noise = {1e-3, 0.02};
  return s;
}

/// The cobotic hand controller of [Faulring2006] as far as it is printed: 10 um and 0.1 mrad are chosen.
Specification cobot() {
  Specification s = admittance();
  s.name = "simulated:cobot";
  s.description =
      "cobotic hand controller: wheels steered on a drum, feed-forward and feedback of Algorithm 1";
  s.workspace = {0.5, 0.5, 0.5};
  s.resolution = {1e-4, 1e-5};
  // With its motor off at 45 degrees; no wheel turns its axis faster.
  const CobotDriveOptions drive;
  s.inertia = {0.05, 11.0};
  s.friction = {drive.friction * drive.length, drive.friction};
  s.speed = {drive.steepest * drive.drum_speed / drive.length, drive.steepest * drive.drum_speed};
  s.velocity_bandwidth = kVelocityBandwidth;
  s.latency = 1e-3;
  return s;
}

Specification cobot_feedback() {
  Specification s = cobot();
  s.name = "simulated:cobot-feedback";
  s.description = "simulated:cobot without feed-forward";
  return s;
}

/// 3 um for 20 N: 150 nm/N, a stiff arm with screws or transmissions that do not yield.
Servo stiff_servo() {
  Servo servo;
  servo.bandwidth = 300.0;
  servo.compliance = {1e-5, 1.5e-7};
  return servo;
}

/// Of translation, where there is one.
double stiffness_of(const SimulatedDevice& device) {
  const Specification& s = device.specification;
  const bool moves = (s.actuated & kTranslation) != 0;
  switch (device.make) {
    case Make::cobot:
      // x/F = (tau/m_l) j w/(K_p + K_d j w - w^2 ...) is largest at w^2 = K_p: nothing is softer than m_l K_d/tau.
      return device.cobot.drive.leak_mass * device.cobot.servo.K_d / device.cobot.drive.lag;
    case Make::admittance:
      return 1.0 / device.servo.compliance[moves ? 1 : 0];
    case Make::model:
      return 0.0;  // its own damping and friction say it, once it is open
    case Make::impedance:
      break;
  }
  return moves ? largest_stiffness(s) : largest_rotational_stiffness(s);
}

SimulatedDevice moved(Specification s, Make make) {
  SimulatedDevice device;
  device.make = make;
  device.specification = std::move(s);
  device.servo = stiff_servo();
  device.cobot.servo.feed_forward = device.specification.name == "simulated:cobot";
  return device;
}

/// [rad or m] 65536 steps a turn: a good optical encoder with interpolation.
constexpr double kModelEncoder = 1e-4;
/// [N m], [N] at the handle, where the joints of a model have no `effort_limit`: what a table-top device
/// gives. Nobody holds one without an end.
constexpr std::array<double, 2> kModelMost{2.0, 30.0};

std::unique_ptr<Device> open_model(const SimulatedDevice& device, HandPointer hand, std::uint64_t seed) {
  const Specification& s = device.specification;
  ModelDeviceOptions o;
  o.name = s.name;
  o.description = s.description;
  o.port = device.model.port;
  o.rate = s.rate;
  o.encoder_step = device.model.encoder;
  o.velocity_bandwidth = s.velocity_bandwidth;
  o.latency = s.latency;
  for (std::size_t k = 0; k < 2; ++k)
    o.most[k] = s.peak[k] > 0.0 ? s.peak[k] : std::max(kModelMost[k], s.continuous[k]);
  o.continuous = s.continuous;
  o.peak = s.peak;
  o.workspace = s.workspace;
  o.workspace_angle = s.workspace_angle;
  o.compensated = device.model.compensated;
  o.force_sensor = s.force_sensor;
  o.force_resolution = s.force_resolution;
  o.force_noise = s.force_noise;
  o.force_bias = device.servo.bias;
  o.seed = seed;
  try {
    return std::make_unique<ModelDevice>(describe::load(device.model.file), o, std::move(hand));
  } catch (const InputError& error) {
    if (!error.where().file.empty()) throw;
    throw InputError({s.name.empty() ? device.model.file : s.name}, error.wrong(), error.remedy());
  }
}

}  // namespace

SimulatedDevice device_of_model(std::string_view name, const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string rest(name.substr(std::string_view("model:").size()));
  const auto path_of = [&](const std::string& file) { return (fs::path(folder) / file).string(); };
  const auto is_file = [&](const std::string& file) {
    std::error_code error;
    return !file.empty() && fs::exists(path_of(file), error) && !fs::is_directory(path_of(file), error);
  };
  SimulatedDevice device;
  device.make = Make::model;
  // A file's name may have a colon in it.
  const std::size_t colon = rest.rfind(':');
  std::string file = rest;
  if (!is_file(file) && colon != std::string::npos) {
    file = rest.substr(0, colon);
    device.model.port = rest.substr(colon + 1);
    if (device.model.port.empty())
      throw InputError({}, fmt::format("`{}` names no port after its colon", name),
                       "model:FILE:PORT, or model:FILE for the one that it is held at by itself");
  }
  if (file.empty())
    throw InputError({}, fmt::format("`{}` names no file", name), "model:FILE, or model:FILE:PORT");
  if (!is_file(file))
    throw InputError({path_of(file)}, "there is no such file",
                     "a device that is made of a mechanism is model:FILE or model:FILE:PORT");
  device.model.file = path_of(file);
  device.model.encoder = {kModelEncoder, kModelEncoder};
  device.specification.velocity_bandwidth = kVelocityBandwidth;
  device.specification.force_sensor = true;
  return device;
}

std::vector<SimulatedDevice> simulated_devices() {
  std::vector<SimulatedDevice> all;
  for (const Specification& s :
       {planar(), planar_force(), spatial(), delayed(), ideal(), ideal_force(), wheel()})
    all.push_back({Make::impedance, s, {}, {}, {}});
  all.push_back(moved(admittance(), Make::admittance));
  all.push_back(moved(cobot(), Make::cobot));
  all.push_back(moved(cobot_feedback(), Make::cobot));
  for (SimulatedDevice& device : all) run_at(device, 0.0);
  return all;
}

void run_at(SimulatedDevice& device, double rate) {
  Specification& s = device.specification;
  if (rate != 0.0) s.rate = rate;
  if (device.make == Make::cobot) s.latency = 1.0 / s.rate;  // a period, whatever it is
  s.stiffness = stiffness_of(device);
}

std::unique_ptr<Device> open(SimulatedDevice device, HandPointer hand, const DeviceOptions& options) {
  run_at(device, options.rate);
  switch (device.make) {
    case Make::cobot:
      device.cobot.seed = options.seed;
      device.cobot.fixture = options.fixture;
      return std::make_unique<SimulatedCobot>(device.specification, std::move(hand), device.cobot);
    case Make::admittance:
      device.servo.seed = options.seed;
      device.servo.fixture = options.fixture;
      return std::make_unique<SimulatedAdmittance>(device.specification, std::move(hand), device.servo);
    case Make::model:
      return open_model(device, std::move(hand), options.seed);
    case Make::impedance:
      break;
  }
  return std::make_unique<SimulatedImpedance>(device.specification, std::move(hand), device.servo.bias,
                                              options.seed);
}

namespace {

std::vector<double> angles_of(const Vector6& tangents) {
  std::vector<double> angles;
  for (const double tangent : tangents) angles.push_back(std::atan(tangent));
  return angles;
}

}  // namespace

std::vector<Setting> settings_of(const SimulatedDevice& device) {
  const auto sensor = [&](std::vector<Setting> all) {
    const std::array<double, 2>& noise = device.specification.force_noise;
    const Vector6& b = device.servo.bias;
    all.push_back({"force_noise", "N", {noise[1]}});
    all.push_back({"torque_noise", "N m", {noise[0]}});
    if (device.make == Make::cobot) return all;
    all.push_back({"force_bias", "N", {b[3], b[4], b[5]}});
    all.push_back({"torque_bias", "N m", {b[0], b[1], b[2]}});
    return all;
  };
  switch (device.make) {
    case Make::cobot: {
      const CobotDriveOptions& drive = device.cobot.drive;
      const TaskServoGains& gains = device.cobot.servo;
      return sensor({{"steering_lag", "s", {drive.lag}},
                     {"leak_mass", "kg", {drive.leak_mass}},
                     {"axis_mass", "kg", {drive.axis_mass}},
                     {"drum_mass", "kg", {drive.drum_mass}},
                     {"axis_friction", "N", {drive.friction}},
                     {"drum_speed", "m/s", {drive.drum_speed}},
                     {"steepest", "", {drive.steepest}},
                     {"length_of_rotations", "m", {drive.length}},
                     {"off", "", {}, device.cobot.off == CobotOptions::Off::coasting ? "coasting" : "locked"},
                     {"steered", "rad", angles_of(device.cobot.steered)},
                     {"K_p", "1/s^2", {gains.K_p}},
                     {"K_i", "1/s^3", {gains.K_i}},
                     {"K_d", "1/s", {gains.K_d}}});
    }
    case Make::admittance: {
      const Servo& servo = device.servo;
      return sensor({{"bandwidth", "rad/s", {servo.bandwidth}},
                     {"leads", "", {}, servo.leads ? "yes" : "no"},
                     {"compliance", "m/N", {servo.compliance[1]}},
                     {"rotational_compliance", "rad/(N m)", {servo.compliance[0]}}});
    }
    case Make::model: {
      const ModelPart& model = device.model;
      const std::vector<Setting> own{{"encoder", "rad", {model.encoder[0]}},
                                     {"linear_encoder", "m", {model.encoder[1]}},
                                     {"compensated", "", {}, model.compensated ? "yes" : "no"}};
      return device.specification.force_sensor ? sensor(own) : own;
    }
    case Make::impedance:
      break;
  }
  return device.specification.force_sensor ? sensor({}) : std::vector<Setting>{};
}

}  // namespace tactus::device
