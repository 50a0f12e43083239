// The device's own inertia: masked by four channels, felt through a coupler. The device is a model, an arm of two links, in twenty places.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/model_device.h>
#include <tactus/display/felt.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

constexpr double kVirtual = 1.5;  // [kg] M' that is rendered

std::unique_ptr<simulate::Mechanism> mass() {
  return contact::open(describe::load_text(R"(
name: mass
gravity: [0, 0, 0]
bodies: {a: {mass: 0}, block: {mass: 1.5}}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x}
  y: {type: prismatic, parent: a, child: block, axis: y}
)",
                                           "mass.yaml"),
                       {.step = 1e-3});
}

/// Two links of 0.3 m, a motor at each joint.
describe::Model arm(double q1, double q2) {
  describe::Model model = describe::load_text(R"(
name: arm
gravity: [0, 0, 0]
bodies:
  upper: {mass: 0.6, com: [0.15, 0, 0], inertia: [0, 0.0045, 0.0045]}
  lower: {mass: 0.4, com: [0.15, 0, 0], inertia: [0, 0.003, 0.003]}
joints:
  q1: {type: revolute, parent: world, child: upper, axis: z}
  q2: {type: revolute, parent: upper, child: lower, axis: z, placement: {xyz: [0.3, 0, 0]}}
frames: {tip: {body: lower, placement: {xyz: [0.3, 0, 0]}, grasp: true}}
)",
                                              "arm.yaml");
  model.initial_q = {q1, q2};
  return model;
}

/// What a hand feels along x by a sine of 0.5 N: force over acceleration of the handle, along x.
struct Felt1 {
  double mass = 0.0, own = 0.0;  // [kg] felt; of the device itself, along x while y is free
};
Felt1 felt(double q1, double q2, double hertz, bool masked) {
  const double omega = 2.0 * std::numbers::pi * hertz;
  const auto force = [omega](double t) { return 0.5 * std::sin(omega * t); };
  device::ModelDevice device(
      arm(q1, q2), {}, device::scripted([force](double t) { return Vector6{0, 0, 0, force(t), 0, 0}; }));
  const auto block = mass();
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*block, device, block->port("block"), {{0.0, 4000.0}, {0.0, 10.0}}, limits);
  if (masked) {
    control::FourChannelGains gains;
    gains.penalties = false;
    loop.use(gains);
  }
  EXPECT_TRUE(loop.enable());
  simulate::Mechanism& own = device.mechanism();
  const int tip = device.port();
  Felt1 result;
  result.own = own.apparent_mass(tip, {1, 0, 0});
  std::vector<double> x, v, a, F, V;
  for (int k = 0; k < 1500; ++k) {
    EXPECT_TRUE(device.wait() && loop.tick(1e-3)) << name_of(loop.safety().fault);
    x.push_back(own.motion(tip).X_WP.p.x);
    V.push_back(own.motion(tip).V_WP[3]);
    F.push_back(force(1e-3 * (k + 0.5)));
  }
  for (std::size_t k = 0; k + 1 < V.size(); ++k) {
    v.push_back(0.5 * (V[k] + V[k + 1]));
    a.push_back(1e3 * (V[k + 1] - V[k]));
  }
  x.pop_back();
  F.pop_back();
  result.mass = fit_felt(x, v, a, F).mass;
  return result;
}

TEST(Masking, FourChannelsShowTheMechanismsMassInEveryPlaceOfTheDevice) {
  constexpr double kShare = 0.02;
  int places = 0;
  for (const double q1 : {-0.8, -0.2, 0.4, 1.0, 1.6})
    for (const double q2 : {0.7, 1.2, 1.7, 2.2}) {
      const double hertz = 1.0 + 9.0 * places++ / 19.0;
      const Felt1 masked = felt(q1, q2, hertz, true);
      EXPECT_NEAR(masked.mass, kVirtual, kShare * kVirtual) << q1 << " " << q2 << " at " << hertz << " Hz";
      // Something was there to be masked.
      EXPECT_GT(masked.own, 0.05);
    }
  EXPECT_EQ(places, 20);
}

// Both inertias of the handle add, as matrices along x and y.
TEST(Masking, ThroughACouplerTheDeviceIsFeltBesides) {
  const double q1 = 0.0, q2 = std::numbers::pi / 2;
  for (const double hertz : {1.0, 3.0}) {
    device::ModelDevice probe(arm(q1, q2), {}, device::none());
    std::array<double, 36> L{};
    probe.mechanism().mobility(probe.port(), L);
    // L_d^-1 + m, and of that what is felt along x while y is free.
    const double a = L[6 * 3 + 3], b = L[6 * 3 + 4], d = L[6 * 4 + 4], det = a * d - b * b;
    const double mxx = d / det + kVirtual, mxy = -b / det, myy = a / det + kVirtual;
    const double expected = mxx - mxy * mxy / myy;
    const Felt1 felt_here = felt(q1, q2, hertz, false);
    EXPECT_NEAR(felt_here.mass, expected, 0.02 * expected) << hertz;
    EXPECT_GT(expected, kVirtual + 0.05);
  }
}

}  // namespace
}  // namespace tactus::display
