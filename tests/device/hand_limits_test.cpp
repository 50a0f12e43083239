// How stiff and damped a simulated hand may be: borders of stability where they are derived, and hands beyond
// the limits refused.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/base/error.h>
#include <tactus/device/hand_limits.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_impedance.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::device {
namespace {

constexpr double kPeriod = 1e-3;

/// The farthest that a handle gets that begins `kAway` beside where a spring holds it.
template <class D>
double farthest(D& device, int samples, double speed = 0.0) {
  constexpr double kAway = 1e-3, kGone = 1e6;  // [m]
  device.set_handle({.p = {kAway, 0, 0}, .orientation = {}, .V = {0, 0, 0, speed, 0, 0}});
  double most = 0.0;
  for (int k = 0; k < samples && most < kGone; ++k) {
    EXPECT_TRUE(device.wait());
    most = support::larger(most, std::abs(device.handle().p.x));
  }
  return most / kAway;
}

HandPointer spring(double stiffness, double damping = 0.0) {
  return hold(Arm{{0.0, stiffness}, {0.0, damping}});
}

TEST(HandLimits, AHandIsAsStiffAsItsArmIs) {
  const Arm arm{{3.0, 700.0}, {0.1, 5.0}};
  for (const auto* name : {"hold", "trembling", "constant"}) {
    const HandPointer hand = name[0] == 'h'   ? hold(arm)
                             : name[0] == 't' ? trembling(hold(arm), 2.0, 1)
                                              : constant({0, 0, 1, 20, 0, 0});
    const std::array<double, 2> K = stiffness_of(*hand, kAllAxes);
    EXPECT_NEAR(K[0], name[0] == 'c' ? 0.0 : 3.0, 1e-6) << name;
    EXPECT_NEAR(K[1], name[0] == 'c' ? 0.0 : 700.0, 1e-6) << name;
  }
  EXPECT_EQ(stiffness_of(*hold(arm), 0b000100)[1], 0.0);  // no axis moves
}

// s = K h^2/m = 4 is where a spring begins to grow; within the limit, s = 1/4, it goes no farther than
// 1/sqrt(1 - s/4).
TEST(HandLimits, ASpringOnAnImpedanceDeviceGrowsBeyondFour) {
  Specification s;
  s.name = "test";
  s.inertia = {1e-3, 0.5};
  const SimulatedImpedance any(s, none());
  const double most = any.hand_limits().stiffness[1], unit = most / kMostOfAStep;  // m/h^2
  EXPECT_DOUBLE_EQ(unit, 0.5 / std::pow(kPeriod / 8.0, 2));
  for (const double step : {kMostOfAStep, 1.0, 3.9}) {
    SimulatedImpedance device(s, spring(step * unit));
    EXPECT_LT(farthest(device, 5000), 1.0 / std::sqrt(1.0 - step / 4.0) + 1e-6) << step;
  }
  SimulatedImpedance device(s, spring(4.1 * unit));
  EXPECT_GT(farthest(device, 100), 1e3);
  // Damping is exact, and helps.
  SimulatedImpedance damped(s, spring(most, 1e9));
  EXPECT_LT(farthest(damped, 1000), 1.0 + 1e-6);
}

// g_K + 2 g_B = 1 + exp(-w h) is where what a servo yields begins to grow.
TEST(HandLimits, WhatAServoYieldsGrowsBeyondItsBorder) {
  Specification s;
  s.name = "test";
  s.kind = Kind::admittance;
  Servo servo;
  servo.compliance = {1e-4, 1e-5};
  const SimulatedAdmittance any(s, none(), servo);
  const HandLimits most = any.hand_limits();
  constexpr double kSpeed = 1e-3;               // [m/s] without which a damper has nothing to do
  for (const double share : {0.0, 0.5, 1.0}) {  // of the border, by the spring; the rest by the damper
    const double K = most.stiffness[1] / 0.25 * share, B = most.damping[1] / 0.6 * (1.0 - share);
    SimulatedAdmittance within(s, spring(0.95 * K, 0.95 * B), servo);
    EXPECT_LT(farthest(within, 4000, kSpeed), 20.0) << share;
    SimulatedAdmittance beyond(s, spring(1.05 * K, 1.05 * B), servo);
    EXPECT_GT(farthest(beyond, 4000, kSpeed), 1e3) << share;
  }
}

TEST(HandLimits, AHandBeyondThemIsRefusedWhereItsDeviceIsOpened) {
  std::vector<std::string> names{"model:" + support::source_dir() + "/models/pantograph.yaml"};
  for (const Specification& s : devices()) names.push_back(s.name);
  for (const std::string& name : names) {
    const std::unique_ptr<Device> device = open(name, none());
    const HandLimits most = device->hand_limits();
    const std::uint8_t axes = device->specification().sensed;
    for (const std::size_t k : {0, 1}) {
      if ((axes >> (3 * k) & 0b111) == 0) continue;
      ASSERT_LT(most.stiffness[k], HandLimits::kAny) << name;
      Arm arm{{0.0, 0.0}, {0.0, 0.0}};
      arm.stiffness[k] = most.stiffness[k];
      EXPECT_NO_THROW(open(name, hold(arm))) << name << k;
      arm.stiffness[k] *= 1.01;
      try {
        open(name, hold(arm));
        FAIL() << name << k;
      } catch (const InputError& error) {
        EXPECT_NE(error.remedy().find(k == 0 ? "(--hand-rotational-stiffness," : "(--hand-stiffness,"),
                  std::string::npos)
            << error.what();
      }
      if (most.damping[k] == HandLimits::kAny) continue;
      arm.stiffness[k] = 0.0;
      arm.damping[k] = 1.01 * most.damping[k];
      try {
        open(name, hold(arm));
        FAIL() << name << k;
      } catch (const InputError& error) {
        EXPECT_NE(error.remedy().find(k == 0 ? "(--hand-rotational-damping," : "(--hand-damping,"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

// At their limits nothing comes out of nothing: a hand that moves to and fro by w has given K w^2 at most,
// twice what a spring drawn by w and more by its own swing holds.
TEST(HandLimits, AtThemAHandGivesNoMoreThanItsSpringHolds) {
  constexpr double kWay = 0.01;  // [m]
  for (const Specification& s : devices()) {
    if ((s.actuated & kTranslation) == 0) continue;
    const HandLimits most = open(s.name, none())->hand_limits();
    const Arm arm{{0.0, most.stiffness[1]}, {0.0, 0.0}};
    const std::unique_ptr<Device> device = open(s.name, following(
                                                            [](double) {
                                                              return Intention{{kWay, 0, 0}, {}};
                                                            },
                                                            arm));
    const double bound = 4.0 * 0.5 * most.stiffness[1] * kWay * kWay;
    for (int k = 0; k < 3000; ++k) {
      ASSERT_TRUE(device->wait());
      ASSERT_LT(std::abs(device->hand_work()), bound) << s.name;
    }
  }
}

}  // namespace
}  // namespace tactus::device
