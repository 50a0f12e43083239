// A model as a device: joint encoders and motors on a simulated mechanism.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/model_device.h>
#include <tactus/device/registry.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::device {
namespace {

describe::Model model_of(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

class EveryModel : public ::testing::TestWithParam<const char*> {
 protected:
  static HandPointer busy() {
    return trembling(following(circles({0.01, 0, 0}, {0, 0.01, 0}, 0.5)), 0.2, 11);
  }
  std::unique_ptr<ModelDevice> make(HandPointer hand = busy()) {
    return std::make_unique<ModelDevice>(model_of(GetParam()), ModelDeviceOptions{}, std::move(hand));
  }
};
INSTANTIATE_TEST_SUITE_P(
    Devices, EveryModel,
    // A Peaucellier linkage has more motors than freedoms, a Bricard linkage five for one, and a redundant constraint.
    ::testing::Values("pantograph", "stewart_platform", "planar_2r", "planar_3r", "peaucellier", "bricard"),
    [](const auto& info) { return std::string(info.param); });

TEST_P(EveryModel, AllocatesNothingInTheLoopAndDoesTheSameTwice) {
  const auto one = make(), two = make();
  one->enable();
  two->enable();
  Sample a, b;
  ASSERT_TRUE(one->wait() && two->wait());
  const long before = test::allocation_count_of_this_thread();
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(one->wait() && one->read(a) && two->wait() && two->read(b));
    ASSERT_EQ(std::memcmp(&a.X_WH, &b.X_WH, sizeof a.X_WH), 0);
    ASSERT_EQ(a.V_WH, b.V_WH);
    ASSERT_EQ(a.F_H_W, b.F_H_W);
    HandleDynamics dynamics;
    ASSERT_TRUE(one->dynamics(dynamics) && two->dynamics(dynamics));
    const Command command{.wrench = {0.01, 0, 0.02, 0.1, -0.2, 0.1}, .X_WH = {}};
    ASSERT_TRUE(one->command(command) && two->command(command));
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
}

TEST_P(EveryModel, RefusesWhatIsNotFiniteAndDoesNothingWhileItIsOff) {
  const auto device = make();
  Sample sample;
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_FALSE(device->command({.wrench = {0, 0, 0, 1, 0, 0}, .X_WH = {}}));
  device->enable();
  EXPECT_FALSE(device->command({.wrench = {0, 0, 0, std::nan(""), 0, 0}, .X_WH = {}}));
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_TRUE(finite(sample));
  device->disable();
  for (const double tau : device->motors()) EXPECT_EQ(tau, 0.0);
}

// What the hand gives at the handle the motors take by the transposed Jacobian: pushed against itself the device stands still.
TEST_P(EveryModel, StandsStillWhereTheMotorsOpposeTheHand) {
  const Specification s = make()->specification();
  Vector6 push{};
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(s.actuated, i)) push[i] = i < 3 ? 0.1 : 0.5 + 0.2 * double(i);
  const auto device = make(constant(push));
  device->enable();
  Vector6 against = push;
  for (double& f : against) f = -f;
  Sample first, last;
  ASSERT_TRUE(device->wait() && device->read(first));
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(device->command({.wrench = against, .X_WH = {}}));
    ASSERT_TRUE(device->wait() && device->read(last));
  }
  const math::Vec3<double> way = last.X_WH.p - first.X_WH.p;
  EXPECT_LT(std::sqrt(dot(way, way)), 1e-7);  // [m] a fifth of a second; 1 N alone moves it by centimetres
}

// What a hand means is counted from where the handle begins: one that holds, and is not pushed, moves nothing and gives nothing.
TEST_P(EveryModel, StaysWhereItBeganInAHandThatHolds) {
  const auto device = make(hold());
  ASSERT_TRUE(device->enable());
  Sample first, last;
  ASSERT_TRUE(device->wait() && device->read(first));
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(device->command({.wrench = {}, .X_WH = {}}));
    ASSERT_TRUE(device->wait() && device->read(last)) << device->trouble();
  }
  const math::Vec3<double> way = last.X_WH.p - first.X_WH.p;
  EXPECT_LT(std::sqrt(dot(way, way)), 1e-9);     // [m] the motors carry it to rounding
  EXPECT_NEAR(device->hand_work(), 0.0, 1e-12);  // [J]
  EXPECT_EQ(device->trouble(), "");
}

// M V' + bias = hand + motors, at the instant: what is commanded is what is got.
TEST_P(EveryModel, ItsDynamicsAreWhatItDoes) {
  for (const bool compensated : {true, false}) {
    ModelDeviceOptions options;
    options.compensated = compensated;
    const auto device = std::make_unique<ModelDevice>(model_of(GetParam()), options, busy());
    device->enable();
    Sample sample;
    for (int k = 0; k < 60; ++k) ASSERT_TRUE(device->wait());  // somewhere, in motion
    ASSERT_TRUE(device->read(sample));
    const Specification& s = device->specification();
    HandleDynamics own;
    ASSERT_TRUE(device->dynamics(own));
    Vector6 wanted{}, u{};
    for (std::size_t i = 0; i < 6; ++i) wanted[i] = has_axis(s.actuated, i) ? 0.3 - 0.1 * double(i) : 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (!has_axis(s.actuated, i)) continue;
      u[i] = own.bias[i] - sample.F_H_W[i];
      for (std::size_t j = 0; j < 6; ++j) u[i] += own.M[6 * i + j] * wanted[j];
    }
    ASSERT_TRUE(device->command({.wrench = u, .X_WH = {}}));
    // The motors of the coming period, as they stand where it begins: another step of none would hide them.
    simulate::Mechanism& m = device->mechanism();
    const auto before = m.make_snapshot();
    ASSERT_TRUE(device->wait());
    const std::vector<double> tau(device->motors().begin(), device->motors().end());
    ASSERT_TRUE(m.load(*before));
    const simulate::PortWrench hand{device->port(), sample.F_H_W};
    ASSERT_TRUE(m.hold({.tau = tau, .ports = {&hand, 1}, .wrench = {}}));
    const Vector6 got = m.acceleration(device->port());
    for (std::size_t i = 0; i < 6; ++i)
      if (has_axis(s.actuated, i)) {
        EXPECT_NEAR(got[i], wanted[i], 1e-9) << i << " " << compensated;
      }
  }
}

TEST(ModelDevice, FindsItsAxesAndItsMotors) {
  EXPECT_EQ(ModelDevice(model_of("pantograph"), {}, none()).specification().actuated, 0b011000);
  EXPECT_EQ(ModelDevice(model_of("stewart_platform"), {}, none()).specification().actuated, kAllAxes);
  EXPECT_THROW(ModelDevice(describe::load_text(R"(
name: idle
bodies: {a: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: a, axis: x, passive: true}}
)",
                                               "idle.yaml"),
                           {}, none()),
               InputError);
  const std::string path = "model:" + support::source_dir() + "/models/pantograph.yaml";
  EXPECT_EQ(open(path, none())->specification().name, "model:pantograph");
  EXPECT_EQ(open(path + ":outer_right", none(), {.rate = 2000.0})->specification().rate, 2000.0);
  EXPECT_THROW(open(path + ":nothing", none()), InputError);
  EXPECT_THROW(open("model:nowhere.yaml", none()), InputError);
}

// Steps of the encoders show at the handle as the Jacobian's rows times them, and no more.
TEST(ModelDevice, GivesTheHandleWhatItsMotorsHaveLeftAndNoMore) {
  ModelDevice arm(model_of("puma560"), {}, following(circles({0.01, 0, 0}, {0, 0.01, 0}, 0.5)));
  const Specification& s = arm.specification();
  ASSERT_GT(s.continuous[1], 10.0);
  ASSERT_GT(s.continuous[0], 1.0);
  EXPECT_EQ(s.continuous, s.peak);
  constexpr double kLimits[6] = {97.6, 186.4, 89.4, 24.2, 20.1, 21.3};  // of the model
  ASSERT_TRUE(arm.enable());
  double used = 0.0;
  for (int k = 0; k < 40; ++k) {
    // Directions all over two spheres, for a tick each; the arm hardly leaves its place.
    const double a = 0.7 * k, b = 1.9 * k;
    Command command;
    command.wrench = {s.continuous[0] * std::sin(a) * std::cos(b),
                      s.continuous[0] * std::sin(a) * std::sin(b),
                      s.continuous[0] * std::cos(a),
                      s.continuous[1] * std::sin(b) * std::cos(a),
                      s.continuous[1] * std::sin(b) * std::sin(a),
                      s.continuous[1] * std::cos(b)};
    ASSERT_TRUE(arm.command(command));
    ASSERT_TRUE(arm.wait());
    for (std::size_t i = 0; i < 6; ++i) {
      ASSERT_LE(std::abs(arm.motors()[i]), kLimits[i]);
      used = support::larger(used, std::abs(arm.motors()[i]) / kLimits[i]);
    }
  }
  EXPECT_GT(used, 0.5);  // and it is not given away
  // Far more than they have: a motor gives its limit.
  ASSERT_TRUE(arm.command({.wrench = {0, 0, 0, 1e4, 1e4, 1e4}, .X_WH = {}}));
  ASSERT_TRUE(arm.wait());
  for (std::size_t i = 0; i < 6; ++i) ASSERT_LE(std::abs(arm.motors()[i]), kLimits[i]);
}

TEST(ModelDevice, OfTheRegistryHasAnEndWhereItsModelNamesNone) {
  const auto device = open("model:" + support::source_dir() + "/models/pantograph.yaml",
                           following(circles({0.01, 0, 0}, {0, 0.01, 0}, 0.5)), {});
  EXPECT_EQ(device->specification().continuous[1], 30.0);
  EXPECT_EQ(device->specification().continuous[0], 0.0);  // it turns nothing
}

// A joint that names no limit: the handle's own stated peak is what a wrench is cut to, and the motors give
// no more than that takes.
TEST(ModelDevice, GivesItsStatedPeakAtMostWhereItsMotorsHaveNoLimit) {
  ModelDeviceOptions options;
  options.most = {2.0, 30.0};
  const auto motors_by = [&](double force) {
    ModelDevice device(model_of("pantograph"), options, none());
    EXPECT_TRUE(device.enable() && device.wait());
    EXPECT_TRUE(device.command({.wrench = {0, 0, 0, 0.6 * force, 0.8 * force, 0}, .X_WH = {}}));
    EXPECT_TRUE(device.wait());
    return std::vector<double>(device.motors().begin(), device.motors().end());
  };
  const std::vector<double> most = motors_by(30.0), less = motors_by(20.0);
  EXPECT_EQ(ModelDevice(model_of("pantograph"), options, none()).specification().peak[1], 30.0);
  EXPECT_LT(support::difference(motors_by(1e4), most), 1e-12);
  EXPECT_GT(support::difference(less, most), 0.1);
}

// Two rails, one heavier to push: what is known of the handle is the least along its axes, and of a rail what
// it is made of.
TEST(ModelDevice, KnowsItsDampingAndItsFrictionFromItsJoints) {
  const char* const text = R"(
name: rails
gravity: [0, 0, 0]
bodies: {a: {mass: 0.2}, b: {mass: 0.3}}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x, damping: 3, friction: {coulomb: 0.4, viscous: 1}}
  y: {type: prismatic, parent: a, child: b, axis: y, damping: 2, friction: {coulomb: {positive: 0.9, negative: 0.7}}}
)";
  constexpr double kHard = 1e-7;  // it is pushed hard enough for dry friction to be nothing
  ModelDeviceOptions options;
  options.encoder_step = {1e-4, 1e-4};
  options.compensated = false;
  const ModelDevice device(describe::load_text(text, "rails.yaml"), options, none());
  const Specification& s = device.specification();
  EXPECT_NEAR(s.inertia[1], 0.3, 1e-12);
  EXPECT_NEAR(s.damping[1], 2.0, kHard);
  EXPECT_NEAR(s.friction[1], 0.4, kHard);
  EXPECT_NEAR(s.stiffness, std::min(2.0 * 2.0 * s.rate, 2.0 * 0.4 / 1e-4), 4e3 * kHard);
  // A lever of 0.5 m: c/r^2 and f/r.
  const ModelDevice lever(describe::load_text(R"(
name: lever
gravity: [0, 0, 0]
bodies: {bar: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {q: {type: revolute, parent: world, child: bar, axis: z, damping: 0.5, friction: {coulomb: 0.2}}}
frames: {grip: {body: bar, placement: {xyz: [0, 0.5, 0]}, grasp: true}}
)",
                                              "lever.yaml"),
                          options, none());
  EXPECT_EQ(lever.specification().actuated, 0b001000);
  EXPECT_NEAR(lever.specification().damping[1], 0.5 / 0.25, kHard);
  EXPECT_NEAR(lever.specification().friction[1], 0.2 / 0.5, kHard);
  EXPECT_EQ(ModelDevice(model_of("pantograph"), options, none()).specification().stiffness, 0.0);
}

// What a hand feels of them: a damped rail with dry friction comes to (F - f)/c, and where the motors carry
// what it does by itself it goes as its mass goes.
TEST(ModelDevice, ItsFrictionIsFeltUnlessItsMotorsCarryIt) {
  const char* const text = R"(
name: rail
gravity: [0, 0, 0]
bodies: {a: {mass: 0.1}}
joints: {x: {type: prismatic, parent: world, child: a, axis: x, damping: 3, friction: {coulomb: 0.5}}}
)";
  for (const bool compensated : {true, false}) {
    ModelDeviceOptions options;
    options.compensated = compensated;
    ModelDevice rail(describe::load_text(text, "rail.yaml"), options, constant({0, 0, 0, 2, 0, 0}));
    EXPECT_EQ(rail.specification().damping[1] > 0.0, !compensated);
    ASSERT_TRUE(rail.enable());
    Sample sample;
    for (int k = 0; k <= 1000; ++k) {
      ASSERT_TRUE(rail.wait() && rail.read(sample));
      ASSERT_TRUE(rail.command({.wrench = {}, .X_WH = {}}));
    }
    const double felt = (2.0 - 0.5) / 3.0, free = 2.0 / 0.1;  // [m/s], after a second
    EXPECT_NEAR(sample.V_WH[3], compensated ? free : felt, compensated ? 0.05 * free : 1e-3);
  }
}

// A spring on a model swings as it must: nothing is added to it by when the hand is asked. A held force would
// grow by K h/(4 m) in each second.
TEST(ModelDevice, AHandWithoutDampingNeitherFeedsItNorIsFed) {
  const char* const text = R"(
name: rail
gravity: [0, 0, 0]
bodies: {a: {mass: 0.5}}
joints: {x: {type: prismatic, parent: world, child: a, axis: x}}
)";
  constexpr double kStiffness = 2000.0, kWay = 0.01;
  ModelDevice device(describe::load_text(text, "rail.yaml"), {},
                     following(
                         [](double) {
                           return Intention{{kWay, 0, 0}, {}};
                         },
                         Arm{{0.0, kStiffness}, {0.0, 0.0}}));
  Sample sample;
  double least = 0.0, most = 0.0;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(device.wait() && device.read(sample));
    least = -support::larger(-least, -sample.X_WH.p.x);
    most = support::larger(most, sample.X_WH.p.x);
  }
  // s = K h^2/m = 6e-5: amplitudes are right to s/8.
  EXPECT_NEAR(most, 2.0 * kWay, 1e-4 * kWay);
  EXPECT_GT(least, -1e-4 * kWay);
}

// About an axis that only turns because the handle is moved the handle is a knob; what turns by itself is held.
TEST(ModelDevice, AHandPushesAlongWhatMovesByItself) {
  ModelDevice five_bar(model_of("pantograph"), {}, constant({0, 0, 0.5, 0, 0, 0}));
  five_bar.enable();
  Sample first, last;
  ASSERT_TRUE(five_bar.wait() && five_bar.read(first));
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(five_bar.command({}) && five_bar.wait() && five_bar.read(last));
  const math::Vec3<double> way = last.X_WH.p - first.X_WH.p;
  EXPECT_LT(std::sqrt(dot(way, way)), 1e-9);  // [m] the motors carry it to rounding
  EXPECT_NEAR(five_bar.hand_work(), 0.0, 1e-12);

  describe::Model arm = model_of("planar_2r");
  arm.joints[1].axes[0].passive = true;
  ModelDevice wrist(arm, {}, constant({0.5, 0.5, 0.5, 0, 0, 0}));
  const Specification& s = wrist.specification();
  ASSERT_EQ(s.sensed & ~kTranslation, 0);  // its one motor moves it along
  wrist.enable();
  ASSERT_TRUE(wrist.wait());
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(wrist.command({}) && wrist.wait());
  EXPECT_GT(wrist.hand_work(), 1e-4);  // [J] 0.5 N m turn some 0.1 kg m^2 for 20 ms
}

// A slide that is inclined to its axis is moved by what is pushed across, too: its sensor tells what the motion
// along the axis is from.
TEST(ModelDevice, TellsTheForceThatMovesItAlongItsAxes) {
  for (const char* name : {"sliding_arm", "slider_crank", "peaucellier"}) {
    const Vector6 push{0, 0, 0, 0.3, -0.2, 0.5};
    ModelDevice device(model_of(name), {}, constant(push));
    const Specification& s = device.specification();
    ASSERT_TRUE(device.enable() && device.wait());
    Sample first, next;
    HandleDynamics own;
    ASSERT_TRUE(device.read(first) && device.dynamics(own) && device.command({}) && device.wait() &&
                device.read(next));
    double moved = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (!has_axis(s.sensed, i)) continue;
      double force = 0.0;  // M V', in the first millisecond
      for (std::size_t j = 0; j < 6; ++j)
        if (has_axis(s.sensed, j)) force += own.M[6 * i + j] * next.V_WH[j] * s.rate;
      // The velocity is that of the period's way, half of what it has at its end.
      EXPECT_NEAR(2.0 * force, first.F_H_W[i], 0.01 * std::abs(first.F_H_W[i]) + 1e-6) << name << i;
      moved = std::max(std::abs(force), moved);
    }
    EXPECT_GT(moved, 0.01) << name;
  }
}

// What controllers are designed with is the least mass that the handle has along any way.
TEST(ModelDevice, IsNowhereLighterThanItSays) {
  for (const char* name : {"pantograph", "planar_2r", "gantry"}) {
    ModelDevice device(model_of(name), {}, none());
    const Specification& s = device.specification();
    HandleDynamics own;
    ASSERT_TRUE(device.dynamics(own));
    double least = std::numeric_limits<double>::infinity();
    constexpr int kWays = 180;
    for (int a = 0; a < kWays; ++a)
      for (int b = 0; b < kWays / 2; ++b) {
        // A way among the translations that it has, the rest of it free: 1/(n^T L n).
        const double u = std::numbers::pi * a / kWays, w = 2.0 * std::numbers::pi * b / kWays;
        const std::array<double, 3> n{std::cos(u) * std::cos(w), std::sin(u) * std::cos(w), std::sin(w)};
        std::array<double, 36> L{};
        device.mechanism().mobility(device.port(), L);
        double mobility = 0.0, length = 0.0;
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            if (has_axis(s.sensed, 3 + i) && has_axis(s.sensed, 3 + j)) {
              mobility += n[i] * L[6 * (3 + i) + 3 + j] * n[j];
              length += i == j ? n[i] * n[i] : 0.0;
            }
        if (length > 1e-6) least = std::min(least, length / mobility);
      }
    ASSERT_GT(s.inertia[1], 0.0) << name;
    EXPECT_GE(least, (1.0 - 1e-9) * s.inertia[1]) << name;
    EXPECT_LE(least, 1.01 * s.inertia[1]) << name;  // ways are two degrees apart
  }
}

// Where more motors than freedoms share the work, one that hardly moves has hardly any of it.
TEST(ModelDevice, AMotorThatHardlyMovesGivesNoMoreThanTheOthersTimesThirty) {
  ModelDevice device(model_of("point_pendulum"), {}, none());
  ASSERT_TRUE(device.enable());
  Sample sample;
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(device.wait() && device.read(sample)) << k << device.trouble();
    ASSERT_TRUE(device.command({.wrench = {0, 0, 0, 0.05, 0.05, 0.05}, .X_WH = {}}));
    double most = 0.0;
    for (const double tau : device.motors()) most = support::larger(most, std::abs(tau));
    ASSERT_LT(most, 1e3) << k;
  }
}

/// A mass on a rail along x, pulled by nothing.
constexpr const char* kRail = R"(
name: rail
gravity: [0, 0, 0]
bodies: {a: {mass: 0.5}}
joints: {x: {type: prismatic, parent: world, child: a, axis: x}}
)";

ModelDevice rail_with(const ModelDeviceOptions& options, HandPointer hand = none()) {
  return {describe::load_text(kRail, "rail.yaml"), options, std::move(hand)};
}

// A force that is commanded at the sample k acts from k + n on, n periods of latency: the first velocity that
// is not zero is that of the sample n + 1 later.
TEST(ModelDevice, ItsCommandsAreAsLateAsItSays) {
  for (const double latency : {0.0, 1e-3, 5e-3}) {
    ModelDeviceOptions options;
    options.latency = latency;
    ModelDevice rail = rail_with(options);
    EXPECT_EQ(rail.specification().latency, latency);
    ASSERT_TRUE(rail.enable());
    Sample sample;
    const double F = 2.0, h = 1e-3;
    const int late = static_cast<int>(std::lround(latency / h));
    for (int k = 0; k <= late + 1; ++k) {
      ASSERT_TRUE(rail.wait() && rail.read(sample));
      // A half F/m h^2 in a period, and nothing before.
      EXPECT_NEAR(sample.X_WH.p.x, k == late + 1 ? 0.5 * F / 0.5 * h * h : 0.0, 1e-15) << latency << " " << k;
      ASSERT_TRUE(rail.command({.wrench = {0, 0, 0, F, 0, 0}, .X_WH = {}}));
    }
    // What is refused is not carried out, nor what was on its way.
    const double v = F / 0.5 * h;
    EXPECT_FALSE(rail.command({.wrench = {0, 0, 0, std::nan(""), 0, 0}, .X_WH = {}}));
    const double from = sample.X_WH.p.x;
    ASSERT_TRUE(rail.wait() && rail.read(sample));
    EXPECT_NEAR(sample.X_WH.p.x - from, v * h, 1e-15) << latency;
  }
  ModelDeviceOptions options;
  options.latency = 0.1;
  EXPECT_THROW(rail_with(options), InputError);
}

// Steps, bias and noise of its force sensor, as they are said; without any of them it reads the hand to the
// bit.
TEST(ModelDevice, ItsForceSensorIsAsGoodAsItSays) {
  const Vector6 push{0, 0, 0, 1.2345678, 0, 0};
  const auto read = [&](const ModelDeviceOptions& options, std::size_t count) {
    ModelDevice rail = rail_with(options, constant(push));
    std::vector<double> all;
    Sample sample;
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_TRUE(rail.wait() && rail.read(sample));
      all.push_back(sample.F_H_W[3]);
      for (const std::size_t i : {0u, 1u, 2u, 4u, 5u}) EXPECT_EQ(sample.F_H_W[i], 0.0);
    }
    return all;
  };
  EXPECT_EQ(read({}, 1)[0], push[3]);
  ModelDeviceOptions options;
  options.force_resolution = {0.0, 0.05};
  EXPECT_NEAR(read(options, 1)[0], 1.25, 1e-12);
  options = {};
  options.force_bias = {0, 0, 0, 0.5, 9.0, 0};
  EXPECT_NEAR(read(options, 1)[0], push[3] + 0.5, 1e-12);
  options = {};
  options.force_noise = {0.0, 0.1};
  const std::vector<double> noisy = read(options, 4000);
  double mean = 0.0, square = 0.0;
  for (const double x : noisy) mean += x / 4000.0;
  for (const double x : noisy) square += (x - mean) * (x - mean) / 4000.0;
  EXPECT_NEAR(mean, push[3], 5.0 * 0.1 / std::sqrt(4000.0));
  EXPECT_NEAR(std::sqrt(square), 0.1, 5.0 * 0.1 / std::sqrt(8000.0));
  EXPECT_EQ(read(options, 20), read(options, 20));
  options.seed = 2;
  EXPECT_NE(read(options, 1)[0], noisy[0]);
  options.force_sensor = false;
  EXPECT_EQ(read(options, 1)[0], 0.0);
}

// A lever that turns by a right angle: its sensor stands in the handle, and its bias goes round with it,
// while what it says of the hand stays where the hand pushes.
TEST(ModelDevice, TheBiasOfItsForceSensorTurnsWithItsHandle) {
  ModelDeviceOptions options;
  options.force_bias = {0, 0, 0, 1.0, 0, 0};
  ModelDevice lever(describe::load_text(R"(
name: lever
gravity: [0, 0, 0]
bodies: {bar: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {q: {type: revolute, parent: world, child: bar, axis: z}}
frames: {grip: {body: bar, placement: {xyz: [0, 0.5, 0]}, grasp: true}}
)",
                                        "lever.yaml"),
                    options, constant({0, 0, 0, -0.25, 0, 0}));
  ASSERT_EQ(lever.specification().sensed, 0b001000);
  Sample sample;
  double turned = 0.0;
  while (turned < 1.5) {
    ASSERT_TRUE(lever.wait() && lever.read(sample));
    turned = std::atan2(sample.X_WH.R(1, 0), sample.X_WH.R(0, 0));
    ASSERT_NEAR(sample.F_H_W[3], -0.25 + std::cos(turned), 1e-9);
    ASSERT_LT(sample.t, 5.0);
  }
}

// Its place is told from where it begins, which a model may put anywhere.
TEST(ModelDevice, ItsOriginIsWhereItBegins) {
  for (const char* name : {"pantograph", "stewart_platform", "puma560"}) {
    ModelDevice device(model_of(name), {}, none());
    ASSERT_TRUE(device.enable());
    Sample sample;
    ASSERT_TRUE(device.wait() && device.read(sample));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(sample.X_WH.p[i], 0.0, 1e-15) << name;
      EXPECT_NEAR(sample.X_WH.R(i, i), 1.0, 1e-12) << name;
    }
  }
}

// What a file asks for lowers what motors give, and does not raise it.
TEST(ModelDevice, ItsForcesMayBeLowered) {
  const auto limits = [](double continuous, double peak) {
    ModelDeviceOptions options;
    options.continuous = {0.0, continuous};
    options.peak = {0.0, peak};
    const ModelDevice arm(model_of("puma560"), options, none());
    return std::pair{arm.specification().continuous[1], arm.specification().peak[1]};
  };
  const auto [own, most] = limits(0.0, 0.0);
  ASSERT_GT(own, 10.0);
  EXPECT_EQ(own, most);
  EXPECT_EQ(limits(0.0, 8.0), (std::pair{8.0, 8.0}));
  EXPECT_EQ(limits(5.0, 8.0), (std::pair{5.0, 8.0}));
  EXPECT_EQ(limits(5.0, 0.0), (std::pair{5.0, own}));
  EXPECT_EQ(limits(1e6, 1e6), (std::pair{own, own}));
}

// Where its mechanism fails it is lost, and says why; asked of a Device, whatever it is.
TEST(ModelDevice, IsLostWithAReasonWhereItsMechanismFails) {
  ModelDevice rail = rail_with({}, constant({0, 0, 0, 1e12, 0, 0}));
  const Device& device = rail;
  EXPECT_EQ(device.trouble(), "");
  int waits = 0;
  while (rail.wait() && ++waits < 10000) {
  }
  EXPECT_EQ(device.state(), State::lost);
  EXPECT_NE(device.trouble().find("mechanism"), std::string::npos) << device.trouble();
  EXPECT_GT(device.trouble().size(), 20u);
  EXPECT_FALSE(rail.enable());
}

TEST(ModelDevice, SeesTheHandleInStepsOfItsEncoders) {
  const auto hand = [] { return following(strokes({0.02, 0.01, 0}, 0.5)); };
  ModelDeviceOptions fine, coarse;
  coarse.encoder_step = {1e-3, 0.0};  // [rad]
  ModelDevice exact(model_of("pantograph"), fine, hand()), stepped(model_of("pantograph"), coarse, hand());
  Sample a, b;
  double worst = 0.0;
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(exact.wait() && exact.read(a) && stepped.wait() && stepped.read(b));
    const math::Vec3<double> d = a.X_WH.p - b.X_WH.p;
    worst = support::larger(worst, std::sqrt(dot(d, d)));
  }
  EXPECT_GT(worst, 1e-5);
  // Half a step of either motor, links of 0.16 m: the rows of B are some 0.2 m.
  EXPECT_LT(worst, 2.0 * 0.5 * 1e-3 * 0.3);
}

}  // namespace
}  // namespace tactus::device
