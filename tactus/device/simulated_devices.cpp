#include <tactus/device/simulated_devices.h>

#include <utility>

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
  s.description = "the same without feed-forward";
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

}  // namespace

std::vector<SimulatedDevice> simulated_devices() {
  std::vector<SimulatedDevice> all;
  for (const Specification& s :
       {planar(), planar_force(), spatial(), delayed(), ideal(), ideal_force(), wheel()})
    all.push_back({Make::impedance, s, {}, {}});
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
      return std::make_unique<SimulatedCobot>(device.specification, std::move(hand), device.cobot);
    case Make::admittance:
      device.servo.seed = options.seed;
      device.servo.fixture = options.fixture;
      return std::make_unique<SimulatedAdmittance>(device.specification, std::move(hand), device.servo);
    case Make::impedance:
      break;
  }
  return std::make_unique<SimulatedImpedance>(device.specification, std::move(hand), device.servo.bias,
                                              options.seed);
}

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
                     {"length_of_rotations", "m", {drive.length}},
                     {"K_p", "1/s^2", {gains.K_p}},
                     {"K_i", "1/s^3", {gains.K_i}},
                     {"K_d", "1/s", {gains.K_d}}});
    }
    case Make::admittance: {
      const Servo& servo = device.servo;
      return sensor({{"bandwidth", "rad/s", {servo.bandwidth}},
                     {"leads", "", {servo.leads ? 1.0 : 0.0}},
                     {"compliance", "m/N", {servo.compliance[1]}},
                     {"rotational_compliance", "rad/(N m)", {servo.compliance[0]}}});
    }
    case Make::impedance:
      break;
  }
  return device.specification.force_sensor ? sensor({}) : std::vector<Setting>{};
}

}  // namespace tactus::device
