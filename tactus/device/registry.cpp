#include <tactus/device/registry.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/drivers/drivers.h>
#include <tactus/device/model_device.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_cobot.h>
#include <tactus/device/simulated_impedance.h>

namespace tactus::device {

namespace {

double stiffness_bound(const Specification& s, std::size_t k) {
  const double sampled = s.damping[k] / (0.5 / s.rate + s.latency);
  const double stepped =
      s.resolution[k] > 0.0 ? 2.0 * s.friction[k] / s.resolution[k] : std::numeric_limits<double>::infinity();
  return std::min(sampled, stepped);
}

/// [rad] 150 degrees: a wrist that turns by 300 degrees, as those of laboratory devices about their handle.
constexpr double kWrist = 2.618;

/// [rad/s] 100 Hz: of the estimates of velocity from encoder steps.
constexpr double kVelocityBandwidth = 628.0;

// All numbers of the simulated devices are chosen, of the size that laboratory devices have.

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
  s.description = "the same, its forces two milliseconds late";
  s.latency = 2e-3;
  return s;
}

Specification ideal() {
  Specification s = spatial();
  s.name = "simulated:ideal";
  s.description = "the same without dry friction, encoder steps and limits of force";
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
  s.inertia = {0.05, 11.0};
  s.velocity_bandwidth = kVelocityBandwidth;
  s.latency = 1e-3;
  return s;
}

Specification cobot_feedback() {
  Specification s = cobot();
  s.name = "simulated:cobot-feedback";
  s.description = "the same without feed-forward";
  return s;
}

/// 3 um for 20 N: 150 nm/N, a stiff arm with screws or transmissions that do not yield.
Servo stiff_servo(std::uint64_t seed) {
  Servo servo;
  servo.bandwidth = 300.0;
  servo.compliance = {1e-5, 1.5e-7};
  servo.noise = {1e-3, 0.02};
  servo.seed = seed;
  return servo;
}

bool is_cobot(const Specification& s) { return s.name.starts_with("simulated:cobot"); }

/// Of translation, where there is one.
double stiffness_of(const Specification& s) {
  if (is_cobot(s)) {
    // x/F = (tau/m_l) j w/(K_p + K_d j w - w^2 ...) is largest at w^2 = K_p: nothing is softer than m_l K_d/tau.
    const CobotOptions o;
    return o.drive.leak_mass * o.servo.K_d / o.drive.lag;
  }
  if (s.kind == Kind::admittance) return 1.0 / stiff_servo(0).compliance[1];
  return stiffness_bound(s, (s.actuated & kTranslation) != 0 ? 1 : 0);
}

}  // namespace

double largest_stiffness(const Specification& specification) { return stiffness_bound(specification, 1); }
double largest_rotational_stiffness(const Specification& specification) {
  return stiffness_bound(specification, 0);
}

std::vector<Specification> devices() {
  std::vector<Specification> all{planar(),      planar_force(), spatial(),    delayed(), ideal(),
                                 ideal_force(), wheel(),        admittance(), cobot(),   cobot_feedback()};
  for (Specification& s : all) s.stiffness = stiffness_of(s);
  return all;
}

namespace {

/// [rad or m] 65536 steps a turn: a good optical encoder with interpolation.
constexpr double kModelEncoder = 1e-4;
/// [N m], [N] at the handle, where the joints of a model have no `effort_limit`: what a table-top device gives. Nobody holds one without an end.
constexpr std::array<double, 2> kModelMost{2.0, 30.0};

/// model:FILE or model:FILE:PORT
std::unique_ptr<Device> open_model(std::string_view name, HandPointer hand, const DeviceOptions& options) {
  std::string file(name.substr(std::string_view("model:").size()));
  ModelDeviceOptions own;
  if (const std::size_t colon = file.rfind(':'); colon != std::string::npos) {
    own.port = file.substr(colon + 1);
    file.resize(colon);
  }
  if (options.rate > 0.0) own.rate = options.rate;
  own.encoder_step = kModelEncoder;
  own.velocity_bandwidth = kVelocityBandwidth;
  own.most = kModelMost;
  return std::make_unique<ModelDevice>(describe::load(file), own, std::move(hand));
}

}  // namespace

std::unique_ptr<Device> open(std::string_view name, HandPointer hand, const DeviceOptions& options) {
  if (name.starts_with("model:")) return open_model(name, std::move(hand), options);
  std::vector<std::string> names;
  for (Specification& s : devices()) {
    names.push_back(s.name);
    if (s.name != name) continue;
    if (options.rate != 0.0) s.rate = options.rate;
    if (is_cobot(s)) {
      CobotOptions cobot;
      cobot.servo.feed_forward = s.name == "simulated:cobot";
      cobot.seed = options.seed;
      s.latency = 1.0 / s.rate;  // a period, whatever it is
      return std::make_unique<SimulatedCobot>(s, std::move(hand), cobot);
    }
    if (s.kind == Kind::admittance) {
      Servo servo = stiff_servo(options.seed);
      servo.fixture_mass = options.tool;
      return std::make_unique<SimulatedAdmittance>(s, std::move(hand), servo);
    }
    s.stiffness = stiffness_of(s);
    return std::make_unique<SimulatedImpedance>(s, std::move(hand));
  }
  if (std::unique_ptr<Device> hardware = open_driver(name, options)) return hardware;
  throw InputError({}, fmt::format("there is no device `{}`", name),
                   fmt::format("known: {}; model:FILE; arm:FILE; and the drivers that `tactus devices` lists",
                               fmt::join(names, ", ")));
}

std::unique_ptr<Device> simulated_impedance(const Specification& specification, HandPointer hand,
                                            const Vector6& V) {
  auto device = std::make_unique<SimulatedImpedance>(specification, std::move(hand));
  device->set_handle({.p = {}, .orientation = {}, .V = V});
  return device;
}

std::unique_ptr<Device> simulated_admittance(const Specification& specification, HandPointer hand,
                                             const PlainServo& plain) {
  Servo servo;
  servo.bandwidth = plain.bandwidth;
  servo.leads = plain.leads;
  servo.compliance = plain.compliance;
  return std::make_unique<SimulatedAdmittance>(specification, std::move(hand), servo);
}

std::unique_ptr<Device> simulated_cobot(const Specification& specification, HandPointer hand) {
  return std::make_unique<SimulatedCobot>(specification, std::move(hand), CobotOptions{});
}

}  // namespace tactus::device
