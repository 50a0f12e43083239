// Simulated devices against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/device/force_sensor.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::device {
namespace {

constexpr double kRounding = 1e-12;  // of motions of size 1 over a thousand exact pieces

Specification plain() {
  Specification s;
  s.name = "test";
  s.inertia = {1e-3, 0.5};
  s.damping = {2e-3, 3.0};
  return s;
}

Sample next(Device& device) {
  Sample sample;
  EXPECT_TRUE(device.wait());
  EXPECT_TRUE(device.read(sample));
  return sample;
}

TEST(SimulatedImpedance, ACommandedForceDrivesItToItsFinalSpeed) {
  SimulatedImpedance device(plain(), none());
  ASSERT_TRUE(device.enable());
  Sample sample = next(device);
  EXPECT_EQ(sample.t, 0.0);
  for (int k = 0; k < 500; ++k) {
    EXPECT_TRUE(device.command({.wrench = {0, 0, 4e-3, 6, 0, 0}, .X_WH = {}}));
    sample = next(device);
  }
  const double t = 0.5, tau = 0.5 / 3.0;
  EXPECT_EQ(sample.number, 501u);
  EXPECT_NEAR(sample.t, t, kRounding);
  EXPECT_NEAR(sample.X_WH.p.x, 2.0 * (t - tau * (1.0 - std::exp(-t / tau))), kRounding);
  EXPECT_NEAR(device.handle().V[3], 2.0 * (1.0 - std::exp(-t / tau)), kRounding);
  const double tau_r = 0.5, angle = 2.0 * (t - tau_r * (1.0 - std::exp(-t / tau_r)));
  EXPECT_NEAR(std::atan2(sample.X_WH.R(1, 0), sample.X_WH.R(0, 0)), angle, kRounding);
}

TEST(SimulatedImpedance, AnArmAndAHandleSwingAsAMassOnASpringWithADamper) {
  Specification s = plain();
  s.rate = 4000.0;
  const Arm arm{{1.0, 1.0}, {0.0, 5.0}};
  Arm firm = arm;
  firm.stiffness[1] = 400.0;
  SimulatedImpedance device(s, hold(firm));
  device.set_handle({.p = {0.02, 0, 0}, .orientation = {}, .V = {}});
  const double w2 = 400.0 / 0.5, delta = (3.0 + 5.0) / (2.0 * 0.5), w = std::sqrt(w2 - delta * delta);
  // Of second order: (w h)^2/24 of the frequency with h = 1/32000 s is 3e-8, over 30 radians.
  constexpr double kSecondOrder = 3e-8;
  for (int k = 0; k < 4000; ++k) {
    const Sample sample = next(device);
    const double x =
        0.02 * std::exp(-delta * sample.t) * (std::cos(w * sample.t) + delta / w * std::sin(w * sample.t));
    ASSERT_NEAR(sample.X_WH.p.x, x, kSecondOrder) << k;
  }
  // The arm had K x^2/2 stored: the handle took its part of the damping, 3/8, from it.
  EXPECT_NEAR(device.hand_work(), 0.5 * 400.0 * 0.02 * 0.02 * 3.0 / 8.0, 1e-6);
}

TEST(SimulatedImpedance, SticksUntilTheFrictionIsOvercome) {
  Specification s = plain();
  s.friction = {0.0, 0.8};
  SimulatedImpedance device(s, scripted([](double t) { return Vector6{0, 0, 0, t, 0, 0}; }));
  double moved_at = -1.0;
  for (int k = 0; k < 1200 && moved_at < 0.0; ++k) {
    const Sample sample = next(device);
    if (sample.X_WH.p.x != 0.0) moved_at = sample.t;
  }
  EXPECT_GT(moved_at, 0.8 - 1e-9);
  EXPECT_LE(moved_at, 0.8 + 2e-3);  // within two periods
}

TEST(SimulatedImpedance, GivesItsPeakAtMostAlongTheCommandedDirection) {
  Specification s = plain();
  s.damping = {0.0, 0.0};
  s.peak = {1.0, 10.0};
  SimulatedImpedance device(s, none());
  device.enable();
  next(device);
  device.command({.wrench = {0, 0, 0, 30, 40, 0}, .X_WH = {}});
  next(device);
  EXPECT_NEAR(device.handle().V[3], 6.0 / 0.5 * 1e-3, kRounding);
  EXPECT_NEAR(device.handle().V[4], 8.0 / 0.5 * 1e-3, kRounding);
}

TEST(SimulatedImpedance, ForcesComeAfterTheLatencyAndNotBefore) {
  for (const int delay : {0, 1, 3}) {
    Specification s = plain();
    s.latency = delay * 1e-3;
    SimulatedImpedance device(s, none());
    device.enable();
    next(device);
    int ticks = 0;
    for (; ticks < 10 && device.handle().V[3] == 0.0; ++ticks) {
      device.command({.wrench = {0, 0, 0, ticks == 0 ? 1.0 : 0.0, 0, 0}, .X_WH = {}});
      next(device);
    }
    EXPECT_EQ(ticks, delay + 1);
  }
}

TEST(SimulatedImpedance, ReadsWholeStepsOfItsEncodersAndEstimatesTheirRate) {
  Specification s = plain();
  s.resolution = {0.0, 1e-4};
  s.velocity_bandwidth = 100.0;
  s.damping = {};
  SimulatedImpedance device(s, none());
  device.set_handle({.p = {}, .orientation = {}, .V = {0, 0, 0, 0.05, 0, 0}});
  Sample sample;
  for (int k = 0; k < 2001; ++k) {
    sample = next(device);
    const double steps = sample.X_WH.p.x / 1e-4;
    ASSERT_NEAR(steps, std::round(steps), 1e-9);
    ASSERT_LE(std::abs(sample.X_WH.p.x - device.handle().p.x), 0.5e-4 + 1e-15);
  }
  // A step every two periods, smoothed: half a step in a period is 0.05 m/s; the ripple is that times w T/4.
  EXPECT_NEAR(sample.V_WH[3], 0.05, 0.05 * 0.1 / 4.0);
}

TEST(SimulatedImpedance, GoesNoFurtherThanItsWorkspace) {
  Specification s = plain();
  s.workspace = {0.1, 0.1, 0.1};
  SimulatedImpedance device(s, constant({0, 0, 0, 0, -50, 0}));
  for (int k = 0; k < 500; ++k) next(device);
  EXPECT_EQ(device.handle().p.y, -0.1);
  EXPECT_EQ(device.handle().V[4], 0.0);
}

// From rest the speed is F/B (1 - exp(-t/tau)); at the end of its way the handle's energy is the wall's, and
// whoever pushes on gives nothing more.
TEST(SimulatedImpedance, AHandThatPushesAgainstTheEndOfTheWorkspaceGivesTheWorkOfTheWay) {
  constexpr double kForce = 20.0, kWay = 0.5, kHandDamping = 5.0;  // [N], [m], [N s/m]
  Specification s = plain();
  s.workspace = {kWay, kWay, kWay};
  for (const double side : {-1.0, 1.0}) {
    SimulatedImpedance device(s, constant({0, 0, 0, 0, side * kForce, 0}));
    for (int k = 0; k < 5000; ++k) next(device);
    EXPECT_EQ(device.handle().p.y, side * kWay);
    EXPECT_NEAR(device.hand_work(), kForce * kWay, 1e-12 * 5000);  // rounding of a sum of 40,000
  }
  // A damped hand: less what its own damping took on the way.
  class Pushing final : public Hand {
   public:
    Grip grip(double, const math::Pose<double>&) const noexcept override {
      return {{0, 0, 0, 0, kForce, 0}, {0.0, kHandDamping}};
    }
  };
  SimulatedImpedance device(s, std::make_unique<Pushing>());
  for (int k = 0; k < 5000; ++k) next(device);
  const double B = s.damping[1] + kHandDamping, tau = s.inertia[1] / B, most = kForce / B;
  double before = 0.0, after = 5.0;  // [s] when it arrives
  for (int k = 0; k < 100; ++k) {
    const double t = 0.5 * (before + after);
    (most * (t - tau * (1.0 - std::exp(-t / tau))) > kWay ? after : before) = t;
  }
  const double t = before, squared = most * most *
                                     (t - 2.0 * tau * (1.0 - std::exp(-t / tau)) +
                                      0.5 * tau * (1.0 - std::exp(-2.0 * t / tau)));
  EXPECT_NEAR(device.hand_work(), kForce * kWay - kHandDamping * squared, 1e-9);
}

TEST(SimulatedImpedance, RefusesWhatItCannotBe) {
  Specification weightless = plain(), slow = plain(), late = plain();
  weightless.inertia[1] = 0.0;
  slow.rate = 0.0;
  late.latency = 1.0;
  for (const Specification& s : {weightless, slow, late})
    EXPECT_THROW(SimulatedImpedance(s, none()), InputError);
}

Specification servo_device() {
  Specification s;
  s.name = "servo";
  s.kind = Kind::admittance;
  return s;
}

TEST(SimulatedAdmittance, AForcePushesItAsFarAsItsComplianceSays) {
  Servo servo;
  servo.bandwidth = 50.0;
  servo.compliance = {0.01, 1e-4};
  SimulatedAdmittance device(servo_device(), constant({0, 0, 0.5, 0, 20, 0}), servo);
  Sample sample;
  for (int k = 0; k <= 100; ++k) sample = next(device);
  const double arrived = 1.0 - std::exp(-50.0 * 0.1);
  EXPECT_NEAR(sample.X_WH.p.y, 2e-3 * arrived, kRounding);
  EXPECT_NEAR(std::asin(sample.X_WH.R(1, 0)), 5e-3 * arrived, kRounding);
  EXPECT_EQ(sample.F_H_W[4], 20.0);
}

TEST(SimulatedAdmittance, FollowsARampWithoutLag) {
  SimulatedAdmittance device(servo_device(), none(), Servo{});
  device.enable();
  Sample sample = next(device);
  for (int k = 0; k < 200; ++k) {
    Command command;
    command.X_WH.p.x = 0.1 * sample.t;
    command.V_WH = {0, 0, 0, 0.1, 0, 0};
    EXPECT_TRUE(device.command(command));
    sample = next(device);
    ASSERT_NEAR(sample.X_WH.p.x, 0.1 * sample.t, kRounding);
  }
  EXPECT_NEAR(sample.V_WH[3], 0.1, 1e-9);
}

TEST(SimulatedAdmittance, TurnsAboutEveryAxisAsFastAsItIsTold) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    SimulatedAdmittance device(servo_device(), none(), Servo{});
    device.enable();
    Sample sample = next(device);
    for (int k = 0; k < 200; ++k) {
      Command command;
      math::Vec3<double> angle{};
      angle[axis] = 0.3 * sample.t;
      command.X_WH.R = math::rotation_of(math::exponential(angle));
      command.V_WH[axis] = 0.3;
      EXPECT_TRUE(device.command(command));
      sample = next(device);
    }
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(sample.V_WH[i], i == axis ? 0.3 : 0.0, 1e-9) << axis << i;
  }
}

TEST(SimulatedAdmittance, ReachesAStepAtTheServosBandwidth) {
  Servo servo;
  servo.bandwidth = 80.0;
  SimulatedAdmittance device(servo_device(), none(), servo);
  device.enable();
  next(device);
  Command command;
  command.X_WH.p.z = 0.01;
  for (int k = 0; k < 20; ++k) {
    device.command(command);
    next(device);
  }
  EXPECT_NEAR(device.handle().p.z, 0.01 * (1.0 - std::exp(-80.0 * 0.02)), kRounding);
  device.disable();  // holds where it is
  const double held = device.handle().p.z;
  for (int k = 0; k < 20; ++k) next(device);
  EXPECT_EQ(device.handle().p.z, held);
}

TEST(SimulatedAdmittance, ItsSensorHasBiasNoiseStepsAndAnEnd) {
  Servo servo;
  servo.bias = {0, 0, 0, 0.4, 0, 0};
  Specification s = servo_device();
  s.peak = {1.0, 5.0};
  s.force_noise = {0.0, 0.2};
  s.force_resolution = {0.0, 0.05};
  SimulatedAdmittance device(s, constant({0, 0, 0, 1, 50, 0}), servo);
  double sum = 0.0, squares = 0.0;
  constexpr int kSamples = 20000;
  for (int k = 0; k < kSamples; ++k) {
    const double F = next(device).F_H_W[3];
    ASSERT_NEAR(F / 0.05, std::round(F / 0.05), 1e-9);
    sum += F;
    squares += F * F;
  }
  const double mean = sum / kSamples, deviation = std::sqrt(squares / kSamples - mean * mean);
  EXPECT_NEAR(mean, 1.4, 5.0 * 0.2 / std::sqrt(kSamples));  // five standard errors
  EXPECT_NEAR(deviation, std::sqrt(0.04 + 0.05 * 0.05 / 12.0), 5.0 * 0.2 / std::sqrt(2.0 * kSamples));
  EXPECT_EQ(next(device).F_H_W[4], 5.0);
}

// A bias sits in the sensor, and the sensor in the handle: turned by a quarter about z, what it adds along
// its x is told along y. So it is with steps.
TEST(SimulatedAdmittance, ItsSensorsAxesAreTheHandles) {
  Servo servo;
  servo.bias = {0.3, 0, 0, 0.4, 0, 0};
  Specification s = servo_device();
  s.force_resolution = {0.0, 0.05};
  SimulatedAdmittance device(s, constant({0, 0, 0, 0, 0, 1}), servo);
  device.set_handle({.p = {}, .orientation = math::exponential({0, 0, 0.5 * std::numbers::pi}), .V = {}});
  const Vector6 told = next(device).F_H_W, expected{0, 0.3, 0, 0, 0.4, 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(told[i], expected[i], kRounding) << i;
  // Turned by 0.3 rad, a force of 1 N along the world's x is whole steps along the handle's axes.
  SimulatedAdmittance turned(s, constant({0, 0, 0, 1, 0, 0}), Servo{});
  turned.set_handle({.p = {}, .orientation = math::exponential({0, 0, 0.3}), .V = {}});
  const Sample sample = next(turned);
  const math::Vec3<double> own =
      sample.X_WH.R.transposed() * math::Vec3<double>{sample.F_H_W[3], sample.F_H_W[4], sample.F_H_W[5]};
  EXPECT_NEAR(own.x, 0.95, kRounding);  // of cos(0.3) = 0.9553
  EXPECT_NEAR(own.y, -0.3, kRounding);  // of -sin(0.3) = -0.2955
}

TEST(SimulatedImpedance, ItsForceSensorHasBiasNoiseAndStepsOfItsSeed) {
  Specification s = plain();
  s.force_sensor = true;
  s.force_resolution = {0.0, 0.05};
  s.force_noise = {0.0, 0.2};
  s.inertia = {1.0, 1e6};  // it stands
  const auto readings = [&](std::uint64_t seed) {
    SimulatedImpedance device(s, constant({0, 0, 0, 1, 0, 0}), {0, 0, 0, 0.4, 0, 0}, seed);
    std::vector<double> F;
    for (int k = 0; k < 20000; ++k) F.push_back(next(device).F_H_W[3]);
    return F;
  };
  const std::vector<double> one = readings(1);
  double sum = 0.0, squares = 0.0;
  for (const double F : one) {
    ASSERT_NEAR(F / 0.05, std::round(F / 0.05), 1e-9);
    sum += F;
    squares += F * F;
  }
  const double n = double(one.size()), mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
  EXPECT_NEAR(mean, 1.4, 5.0 * 0.2 / std::sqrt(n));  // five standard errors
  EXPECT_NEAR(deviation, std::sqrt(0.04 + 0.05 * 0.05 / 12.0), 5.0 * 0.2 / std::sqrt(2.0 * n));
  EXPECT_EQ(one, readings(1));
  EXPECT_NE(one, readings(2));
}

// A quarter of a turn lays the world's x along the handle's y, which is none of the device's axes.
TEST(ForceSensor, ReadsAlongTheWorldsAxesHoweverTheHandleIsTurned) {
  Specification s;
  s.sensed = 0b001100;  // rz, x
  constexpr double kBias = 0.25;
  ForceSensor plain(s, {}, {}, 1), biased(s, {}, {0, 0, 0, 0, kBias, 0}, 1);
  for (const double angle : {0.0, 0.5, 0.5 * std::numbers::pi, 2.0}) {
    const math::Mat3<double> R = math::rotation_of(math::exponential({0, 0, angle}));
    const Vector6 told = plain.read({0.1, 0.2, 0.3, 5.0, 7.0, 9.0}, R, R);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(told[i], i == 2 ? 0.3 : i == 3 ? 5.0 : 0.0, kRounding) << angle;
    // What is wrong with it turns with the handle.
    EXPECT_NEAR(biased.read({}, R, R)[3], -kBias * std::sin(angle), kRounding);
  }
}

}  // namespace
}  // namespace tactus::device
