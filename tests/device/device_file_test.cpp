// Devices that are written down (docs/device-file.md): what they say is what they do, and what makes no device is refused with its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <unistd.h>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/device_file.h>

#include "support/paths.h"

namespace tactus::device {
namespace {

class DeviceFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string write(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  SimulatedDevice read(const std::string& text) const { return read_device(write(text)); }
  /// What is said of it; empty where nothing is.
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  std::string path_ =
      (std::filesystem::path(testing::TempDir()) / ("own_device_" + std::to_string(::getpid()) + ".yaml"))
          .string();
};

/// Pushes with this force along x.
class Push final : public Hand {
 public:
  explicit Push(double force) : force_(force) {}
  Grip grip(double, const math::Pose<double>&) const noexcept override {
    Grip grip;
    grip.wrench[3] = force_;
    return grip;
  }

 private:
  double force_;
};

TEST_F(DeviceFile, SaysEveryNumberOfAnImpedanceDevice) {
  const Specification s = read(R"(
based_on: simulated:planar-force
description: mine
rate: 2 kHz
latency: 1 ms
workspace: [30 cm, 0.2 m, 0]
workspace_angle: 90 deg
inertia: 200 g
rotational_inertia: 4e-4 kg m^2
damping: 1.5 N s/m
rotational_damping: 2e-3 N m s/rad
friction: 100 mN
rotational_friction: 1 mNm
resolution: 30 um
rotational_resolution: 0.2 mrad
continuous_force: 10
continuous_torque: 0.5
peak_force: 25 N
peak_torque: 1 Nm
velocity_bandwidth: 50 Hz
force_resolution: 10 mN
torque_resolution: 2 mNm
)")
                              .specification;
  EXPECT_EQ(s.name, path_);
  EXPECT_EQ(s.description, "mine");
  EXPECT_EQ(s.kind, Kind::impedance);
  EXPECT_EQ(s.sensed, kPlanar);
  EXPECT_DOUBLE_EQ(s.rate, 2000.0);
  EXPECT_DOUBLE_EQ(s.latency, 1e-3);
  EXPECT_DOUBLE_EQ(s.workspace.x, 0.15);
  EXPECT_DOUBLE_EQ(s.workspace.y, 0.1);
  EXPECT_DOUBLE_EQ(s.workspace.z, 0.0);
  EXPECT_DOUBLE_EQ(s.workspace_angle, std::numbers::pi / 2);
  const auto pair = [](const std::array<double, 2>& values, double rotation, double translation) {
    EXPECT_DOUBLE_EQ(values[0], rotation);
    EXPECT_DOUBLE_EQ(values[1], translation);
  };
  pair(s.inertia, 4e-4, 0.2);
  pair(s.damping, 2e-3, 1.5);
  pair(s.friction, 1e-3, 0.1);
  pair(s.resolution, 2e-4, 3e-5);
  pair(s.continuous, 0.5, 10.0);
  pair(s.peak, 1.0, 25.0);
  pair(s.force_resolution, 2e-3, 0.01);
  EXPECT_DOUBLE_EQ(s.velocity_bandwidth, 100.0 * std::numbers::pi);
  EXPECT_TRUE(s.force_sensor);
  EXPECT_DOUBLE_EQ(s.stiffness, 1.5 / (0.25e-3 + 1e-3));  // b/(T/2 + latency), below 2 f_c/D
}

TEST_F(DeviceFile, SaysEveryNumberOfAServo) {
  const SimulatedDevice device = read(R"(
based_on: simulated:admittance
bandwidth: 40 rad/s
leads: false
compliance: 2 um/N
rotational_compliance: 1e-4 rad/Nm
force_noise: 50 mN
torque_noise: 2 mNm
force_bias: [0.1 N, 0, -0.2]
torque_bias: [0, 3 mNm, 0]
)");
  EXPECT_EQ(device.make, SimulatedDevice::Make::admittance);
  EXPECT_DOUBLE_EQ(device.servo.bandwidth, 40.0);
  EXPECT_FALSE(device.servo.leads);
  EXPECT_DOUBLE_EQ(device.servo.compliance[1], 2e-6);
  EXPECT_DOUBLE_EQ(device.servo.compliance[0], 1e-4);
  EXPECT_DOUBLE_EQ(device.specification.force_noise[1], 0.05);
  EXPECT_DOUBLE_EQ(device.specification.force_noise[0], 2e-3);
  EXPECT_EQ(device.servo.bias, (Vector6{0, 3e-3, 0, 0.1, 0, -0.2}));
  EXPECT_DOUBLE_EQ(device.specification.stiffness, 5e5);
  EXPECT_DOUBLE_EQ(device.specification.latency, 1.0 / 40.0);
}

TEST_F(DeviceFile, SaysWhatACobotsDriveIs) {
  const SimulatedDevice device = read(
      "based_on: simulated:cobot-feedback\nrate: 500 Hz\nsteering_lag: 10 ms\nleak_mass: 20 kg\nK_d: 30\n");
  EXPECT_FALSE(device.cobot.servo.feed_forward);
  EXPECT_DOUBLE_EQ(device.cobot.drive.lag, 0.01);
  EXPECT_DOUBLE_EQ(device.specification.stiffness, 20.0 * 30.0 / 0.01);  // m_l K_d/tau
  EXPECT_DOUBLE_EQ(device.specification.inertia[1], 20.0);
  EXPECT_DOUBLE_EQ(device.specification.latency, 2e-3);  // a period
}

TEST_F(DeviceFile, LeavesWhatItDoesNotSayAsItIsThere) {
  for (const SimulatedDevice& base : simulated_devices()) {
    const SimulatedDevice same = read("based_on: " + base.specification.name + "\n");
    const Specification &a = base.specification, &b = same.specification;
    EXPECT_EQ(same.make, base.make);
    EXPECT_EQ(a.sensed, b.sensed);
    EXPECT_EQ(a.continuous, b.continuous);
    EXPECT_EQ(a.peak, b.peak);
    EXPECT_EQ(a.resolution, b.resolution);
    EXPECT_EQ(a.inertia, b.inertia);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.friction, b.friction);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.latency, b.latency);
    EXPECT_EQ(base.servo.compliance, same.servo.compliance);
    EXPECT_EQ(base.cobot.servo.feed_forward, same.cobot.servo.feed_forward);
  }
}

// What `tactus devices` lists is a key that can be written, and read back it is the same.
TEST_F(DeviceFile, EverySettingThatIsListedIsAKey) {
  std::vector<std::string> bases;
  for (const SimulatedDevice& base : simulated_devices()) bases.push_back(base.specification.name);
  const std::string models = support::source_dir() + "/models/";
  bases.push_back("model:" + models + "pantograph.yaml");
  std::size_t count = 0;
  for (const std::string& base : bases) {
    const std::string head = "based_on: " + base + "\n";
    const auto settings = settings_of(read(head));
    std::string text = head;
    for (const Setting& setting : settings) {
      text += setting.name + ": ";
      if (!setting.word.empty()) {
        text += setting.word == "locked" ? "coasting" : setting.word == "yes" ? "true" : "false";
      } else if (setting.values.size() == 1) {
        text += fmt::format("{}", 2.0 * setting.values[0]);
      } else {
        text += "[";
        for (std::size_t i = 0; i < setting.values.size(); ++i)
          text += fmt::format("{}{}", i > 0 ? ", " : "", setting.values[i] + 0.125);
        text += "]";
      }
      text += "\n";
    }
    const auto again = settings_of(read(text));
    ASSERT_EQ(again.size(), settings.size()) << base;
    for (std::size_t i = 0; i < settings.size(); ++i, ++count) {
      EXPECT_EQ(again[i].name, settings[i].name);
      ASSERT_EQ(again[i].values.size(), settings[i].values.size());
      constexpr double kRounding = 1e-15;
      for (std::size_t j = 0; j < settings[i].values.size(); ++j) {
        const double was = settings[i].values[j];
        EXPECT_NEAR(again[i].values[j], settings[i].values.size() == 1 ? 2.0 * was : was + 0.125,
                    kRounding * std::max(1.0, was))
            << base << " " << settings[i].name;
      }
      EXPECT_EQ(again[i].word, settings[i].word == "locked" ? "coasting" : settings[i].word);
    }
  }
  EXPECT_GT(count, 40u);
}

// S0's footnote 5 from a file: with its motor off and a wheel at 45 degrees, (10 - 7.2)/11 m/s^2 by 10 N.
TEST_F(DeviceFile, ACobotCoastsAsItsFileSteersIt) {
  const std::string path = write(
      "based_on: simulated:cobot\noff: coasting\nsteered: [0, 0, 0, 45 deg, 0, 0]\n"
      "resolution: 0\nrotational_resolution: 0\n");
  const auto device = open(path, std::make_unique<Push>(10.0));
  Sample sample;
  for (int k = 0; k <= 500; ++k) ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_NEAR(2.0 * sample.X_WH.p.x / (sample.t * sample.t), 2.8 / 11.0, 1e-6);
  // Without it, it stands.
  const auto locked = open(write("based_on: simulated:cobot\n"), std::make_unique<Push>(10.0));
  for (int k = 0; k <= 500; ++k) ASSERT_TRUE(locked->wait() && locked->read(sample));
  EXPECT_EQ(sample.X_WH.p.x, 0.0);
}

TEST_F(DeviceFile, SaysWhatAModelIsAsADevice) {
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const std::string rail = folder + "/rail_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(rail) << R"(
name: rail
bodies: {a: {mass: 0.5}, b: {mass: 0.25, inertia: [1e-3, 1e-3, 1e-3]}}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x, damping: 3, friction: {coulomb: 0.4}}
  q: {type: revolute, parent: a, child: b, axis: z}
frames: {grip: {body: a, grasp: true}, knob: {body: b}}
)";
  const std::string name = std::filesystem::path(rail).filename().string();
  const std::string text = "based_on: model:" + name + R"(
description: a rail
rate: 2 kHz
latency: 1 ms
encoder: 2 mrad
linear_encoder: 30 um
velocity_bandwidth: 50 Hz
compensated: false
workspace: [20 cm, 0, 0]
workspace_angle: 45 deg
peak_force: 12 N
continuous_force: 4 N
force_noise: 10 mN
force_resolution: 20 mN
force_bias: [0.1 N, 0, 0]
)";
  const SimulatedDevice asked = read(text);
  EXPECT_EQ(asked.make, SimulatedDevice::Make::model);
  const Specification s = open(write(text), none())->specification();
  EXPECT_EQ(s.name, path_);
  EXPECT_EQ(s.description, "a rail");
  EXPECT_EQ(s.kind, Kind::impedance);
  EXPECT_EQ(s.sensed, 0b001000);
  EXPECT_EQ(s.rate, 2000.0);
  EXPECT_EQ(s.latency, 1e-3);
  EXPECT_EQ(s.workspace.x, 0.1);
  EXPECT_DOUBLE_EQ(s.workspace_angle, std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(s.velocity_bandwidth, 100.0 * std::numbers::pi);
  EXPECT_EQ(s.peak[1], 12.0);
  EXPECT_EQ(s.continuous[1], 4.0);
  EXPECT_NEAR(s.resolution[1], 30e-6, 1e-15);
  EXPECT_EQ(s.force_noise[1], 0.01);
  EXPECT_EQ(s.force_resolution[1], 0.02);
  EXPECT_NEAR(s.inertia[1], 0.75, 1e-12);
  constexpr double kHard = 1e-6;  // it is pushed hard enough for dry friction to be nothing
  EXPECT_NEAR(s.damping[1], 3.0, kHard);
  EXPECT_NEAR(s.friction[1], 0.4, kHard);
  EXPECT_NEAR(s.stiffness, 3.0 / (0.25e-3 + 1e-3), 1e3 * kHard);  // b/(T/2 + latency), below 2 f_c/D
  // What it does not say: as `model:FILE` is, whose motors carry its friction, and 30 N.
  const Specification usual = open(write("based_on: model:" + name + "\n"), none())->specification(),
                      bare = open("model:" + rail, none())->specification();
  EXPECT_EQ(usual.peak[1], 30.0);
  EXPECT_EQ(usual.damping[1], 0.0);
  EXPECT_EQ(usual.resolution, bare.resolution);
  EXPECT_EQ(usual.velocity_bandwidth, bare.velocity_bandwidth);
  EXPECT_EQ(usual.inertia, bare.inertia);
  EXPECT_EQ(usual.continuous, bare.continuous);
  EXPECT_TRUE(usual.force_sensor);
  // Another port of it, and more than is assumed.
  const Specification knob =
      open(write("based_on: model:" + name + ":knob\ncontinuous_force: 50\n"), none())->specification();
  EXPECT_EQ(knob.sensed, 0b001100);
  EXPECT_EQ(knob.continuous[1], 50.0);
  EXPECT_EQ(of_model(path_)->file, folder + "/" + name);
  EXPECT_FALSE(of_model("simulated:planar").has_value());
  EXPECT_FALSE(device::simulated(path_).has_value());
  std::filesystem::remove(rail);
}

// 0.5 kg that hang on a rail: held up by its motors, or felt as 4.9 N.
TEST_F(DeviceFile, AModelsWeightIsCarriedOrFelt) {
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const std::string lift = folder + "/lift_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(lift) << "name: lift\nbodies: {a: {mass: 0.5}}\n"
                         "joints: {z: {type: prismatic, parent: world, child: a, axis: z}}\n";
  for (const bool compensated : {true, false}) {
    const auto device = open(write("based_on: model:" + lift + "\nlinear_encoder: 0\ncompensated: " +
                                   (compensated ? "true\n" : "false\n")),
                             none());
    ASSERT_TRUE(device->enable());
    Sample sample;
    for (int k = 0; k <= 100; ++k) {
      ASSERT_TRUE(device->wait() && device->read(sample));
      ASSERT_TRUE(device->command({.wrench = {}, .X_WH = {}}));
    }
    const double fallen = -0.5 * 9.81 * 0.1 * 0.1;  // [m]
    EXPECT_NEAR(sample.X_WH.p.z, compensated ? 0.0 : fallen, 1e-6);
  }
  std::filesystem::remove(lift);
}

TEST_F(DeviceFile, AModelThatMakesNoDeviceIsRefusedWithItsPlace) {
  const std::string model = support::source_dir() + "/models/pantograph.yaml",
                    base = "based_on: model:" + model + "\n";
  const auto says = [&](const std::string& text, const std::string& place, const std::string& what) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(path_ + place), std::string::npos) << text << "\n" << said;
    EXPECT_NE(said.find(what), std::string::npos) << text << "\n" << said;
    EXPECT_NE(said.find("help: "), std::string::npos) << text << "\n" << said;
  };
  const std::string own = std::filesystem::path(path_).filename().string();
  says("based_on: model:nowhere.yaml\n", ":1:11", "there is no such file");
  says("based_on: model:\n", ":1:", "error");
  says("based_on: 'model:'\n", ":1:11", "names no file");
  says("based_on: 'model:" + model + ":'\n", ":1:11", "names no port");
  says("based_on: model:" + own + "\n", ":1:11", "not based on itself");
  says("based_on: model:" + support::source_dir() + "/examples/22_table_top.yaml\n", ":1:11",
       "a device's file, and no mechanism's");
  says("based_on: " + own + "\n", ":1:11", "another device's file");
  says("based_on: arm:" + model + "\n", ":1:11", "options of a run");
  says(base + "encoder: -1\n", ":2:10", "negative");
  says(base + "encoder: nan\n", ":2:10", "error");
  says(base + "encoder: 1 mm\n", ":2:10", "error");
  says(base + "linear_encoder: 1e400\n", ":2:", "error");
  says(base + "compensated: maybe\n", ":2:14", "compensated");
  says(base + "compensated: [1]\n", ":2:14", "compensated");
  says(base + "latency: 1 s\n", ":2:10", "64 periods at most");
  says(base + "inertia: 1 kg\n", ":2:1", "it is the mechanism's");
  says(base + "resolution: 1 um\n", ":2:1", "`linear_encoder`");
  says(base + "axes: [x]\n", ":2:1", "its motors move the port");
  says(base + "peak_force: 0\n", ":2:13", "above zero");
  says(base + "peak_force: 2\ncontinuous_force: 3\n", ":3:19", "`continuous_force` is 3, and `peak_force` 2");
  says(base + "force_sensor: false\nforce_noise: 1\n", ":3:1", "force_sensor: true");
  says(base + "steering_lag: 1 ms\n", ":2:1", "base it on simulated:cobot");
  says(base + "leads: true\n", ":2:1", "base it on simulated:admittance");
  says("based_on: simulated:planar\nencoder: 1\n", ":2:1", "base it on model:FILE");
  says("based_on: simulated:cobot\nsteered: [0, 0, 0, 1, 0, 0]\n", ":2:1", "off: coasting");
  says("based_on: simulated:cobot\noff: free\n", ":2:6", "locked");
  says("based_on: simulated:cobot\noff: coasting\nsteered: [0, 0, 0, 90 deg, 0, 0]\n", ":3:20",
       "`steepest` is 2.75");
  says("based_on: simulated:cobot\noff: coasting\nsteered: [45 deg]\n", ":3:10", "steered");
  // What is wrong with the mechanism is said with the file that asks for it.
  const auto opening = [&](const std::string& text) {
    try {
      (void)open(write(text), none());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(opening("based_on: model:" + model + ":nothing\n").find(path_), std::string::npos);
  const std::string idle = support::source_dir() + "/models/rigid_body.yaml";
  const std::string said = opening("based_on: model:" + idle + "\n");
  EXPECT_NE(said.find(path_), std::string::npos) << said;
  EXPECT_NE(said.find("0 joints with motors"), std::string::npos) << said;
  // A device's file after model: on the command line.
  try {
    (void)open("model:" + write("based_on: simulated:planar\n"), none());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--device " + path_), std::string::npos) << error.what();
  }
}

// 1 N on 0.25 kg and 2 N s/m for a second: v = F/b (1 - exp(-b t/m)), and the way that this makes.
TEST_F(DeviceFile, IsAsHeavyAsItSays) {
  const std::string path =
      write("based_on: simulated:ideal\ninertia: 0.25 kg\ndamping: 2 N s/m\nresolution: 0\nrate: 1000\n");
  const auto device = open(path, std::make_unique<Push>(1.0));
  Sample sample;
  for (int k = 0; k <= 1000; ++k) ASSERT_TRUE(device->wait() && device->read(sample));
  const double m = 0.25, b = 2.0, F = 1.0, t = 1.0;
  constexpr double kSubsteps = 1e-9;  // [m] exact but for rounding under a constant force
  EXPECT_NEAR(sample.X_WH.p.x, F / b * (t - m / b * (1.0 - std::exp(-b * t / m))), kSubsteps);
}

// A servo that yields 1 um/N goes 20 um under 20 N, and its sensor reads 20.5 N where it is 0.5 N off.
TEST_F(DeviceFile, YieldsAndSensesAsItSays) {
  const std::string path = write(
      "based_on: simulated:admittance\ncompliance: 1 um/N\nforce_noise: 0\nforce_bias: [0.5, 0, 0]\n"
      "force_resolution: 0\nresolution: 0\n");
  const auto device = open(path, std::make_unique<Push>(20.0));
  device->enable();
  Sample sample;
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(device->wait() && device->read(sample));
  constexpr double kSettled = 1e-12;  // [m] after 60 time constants
  EXPECT_NEAR(sample.X_WH.p.x, 20e-6, kSettled);
  EXPECT_DOUBLE_EQ(sample.F_H_W[3], 20.5);
}

// With a lag of 25 ms a ramp of commands of 0.1 m/s is met 2.5 mm late.
TEST_F(DeviceFile, AServoThatDoesNotLeadComesAfterItsCommands) {
  const std::string path = write(
      "based_on: simulated:admittance\nbandwidth: 40 rad/s\nleads: false\nresolution: 0\nrate: 10 kHz\n");
  const auto device = open(path, none());
  device->enable();
  Sample sample;
  double x = 0.0;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(device->wait() && device->read(sample));
    x = 0.1 * sample.t;
    Command command;
    command.X_WH.p.x = x;
    command.V_WH[3] = 0.1;
    ASSERT_TRUE(device->command(command));
  }
  constexpr double kPeriod = 0.1 * 2e-4;  // [m] of the ramp in two periods
  EXPECT_NEAR(x - sample.X_WH.p.x, 0.1 / 40.0, kPeriod);
}

TEST_F(DeviceFile, IsRefusedWithItsPlaceWhereItMakesNoDevice) {
  const std::string planar = "based_on: simulated:planar\n", moved = "based_on: simulated:admittance\n";
  const auto says = [&](const std::string& text, const std::string& place, const std::string& what) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(path_ + place), std::string::npos) << text << "\n" << said;
    EXPECT_NE(said.find(what), std::string::npos) << text << "\n" << said;
    EXPECT_NE(said.find("help: "), std::string::npos) << text << "\n" << said;
  };
  says(planar + "inertia: -0.2 kg\n", ":2:10", "`inertia` is negative");
  says(planar + "inertia: 0\n", ":2:10", "must be above zero");
  says(planar + "inerta: 0.2 kg\n", ":2:1", "did you mean `inertia`?");
  says(planar + "inertia: .nan\n", ":2:", "error");
  says(planar + "inertia: nan\n", ":2:10", "error");
  says(planar + "inertia: 0/0\n", ":2:10", "not a finite number");
  says(planar + "friction: 1e400\n", ":2:", "error");
  says(planar + "inertia: 0.2 m\n", ":2:10", "a mass [kg]");
  says(planar + "rotational_inertia: 0.2 kg\n", ":2:21", "a moment of inertia");
  says(planar + "friction: 0.5 N m\n", ":2:11", "a force [N]");
  says(planar + "latency: 2 mm\n", ":2:10", "a time [s]");
  says(planar + "latency: 100 ms\n", ":2:10", "64 periods at most");
  says(planar + "rate: 0\n", ":2:7", "must be above zero");
  says(planar + "rate: 1e300\n", ":2:7", "between 1 Hz and 1000 kHz");
  says(planar + "rate: 1e-3 Hz\n", ":2:7", "between 1 Hz and 1000 kHz");
  says(planar + "rate: 1 N\n", ":2:7", "is a frequency, and this is a force");
  says(planar + "rate: 1000 rad/s\n", ":2:7", "2 kHz");
  says(planar + "velocity_bandwidth: 1 m\n", ":2:21", "50 Hz");
  says(planar + "rate: -1 kHz\n", ":2:7", "negative");
  says(planar + "rate: [1]\n", ":2:7", "a number is expected");
  says(planar + "inertia:\n", ":2:", "a number is expected");
  says(planar + "inertia: 1 kg\ninertia: 2 kg\n", ":3:1", "inertia");
  says(planar + "peak_force: 1 N\n", ":2:13", "`continuous_force` is 30, and `peak_force` 1");
  says(planar + "axes: [x, yy]\n", ":2:11", "did you mean");
  says(planar + "axes: x\n", ":2:7", "[x, y, rz]");
  says(planar + "actuated: [x, z]\n", ":2:11", "a motor at an axis");
  says(planar + "axes: [x, y]\nrotational_inertia: 1\n", ":3:1", "it does not turn");
  says(planar + "workspace: [1, 2]\n", ":2:12", "workspace");
  says(planar + "workspace: [1, 2, -1]\n", ":2:19", "negative");
  says(planar + "compliance: 1e-6\n", ":2:1", "base it on simulated:admittance");
  for (const char* wrong : {"compliance: 0\n", "rotational_compliance: 0 rad/Nm\n"})
    says("based_on: simulated:admittance\n" + std::string(wrong), ":2:", "above zero");
  says(planar + "steering_lag: 1 ms\n", ":2:1", "base it on simulated:cobot");
  says(planar + "force_resolution: 0.1\n", ":2:1", "force_sensor: true");
  says(moved + "inertia: 1 kg\n", ":2:1", "goes where it is told");
  says(moved + "latency: 1 ms\n", ":2:1", "leads: false");
  says(moved + "bandwidth: 0\n", ":2:12", "above zero");
  says(moved + "leads: maybe\n", ":2:8", "leads");
  says(moved + "force_bias: 1 N\n", ":2:13", "force_bias");
  says("based_on: simulated:wheel\ninertia: 1 kg\n", ":2:1", "it only turns: `rotational_inertia`");
  says("based_on: simulated:wheel\naxes: [rz, x]\n", ":1:1", "has no `inertia`");
  says("based_on: simulated:planer\n", ":1:11", "did you mean `simulated:planar`?");
  says("based_on: forcedimension\n", ":1:11", "is no simulated device");
  says("based_on: [a]\n", ":1:11", "based_on");
  says("inertia: 1 kg\n", ":1:1", "has no `based_on`");
  says("bodies: {a: {mass: 1}}\n", ":1:1", "model:" + path_);
  says("- 1\n", ":1:1", "must be a map");
  says("", ":1:1", "begin with `based_on");
  says("\n  \n", ":1:1", "begin with `based_on");
  EXPECT_THROW(open("not_there.yaml", none()), InputError);
}

TEST_F(DeviceFile, IsOneByItsName) {
  EXPECT_TRUE(is_device_file("my.yaml"));
  EXPECT_TRUE(is_device_file("a/b:c.yml"));
  for (const char* other : {"model:my.yaml", "arm:my.yaml", "file:my.yaml", "simulated:planar", "my.csv", ""})
    EXPECT_FALSE(is_device_file(other)) << other;
}

}  // namespace
}  // namespace tactus::device
