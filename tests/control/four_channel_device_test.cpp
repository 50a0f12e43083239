// A mechanism through four channels and any model as the device: the acceleration that the handle is asked
// for, and has.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include <tactus/contact/open.h>
#include <tactus/control/four_channel.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/model_device.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using device::has_axis;

describe::Model model_of(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

/// What a device does at the instant in which the period after a command begins, by its motors as they then
/// stand and a hand's wrench.
Vector6 achieved(device::ModelDevice& of, const Vector6& hand) {
  simulate::Mechanism& m = of.mechanism();
  const auto before = m.make_snapshot();
  EXPECT_TRUE(of.wait());
  const std::vector<double> tau(of.motors().begin(), of.motors().end());
  EXPECT_TRUE(m.load(*before));
  const simulate::PortWrench held{of.port(), hand};
  EXPECT_TRUE(m.hold({.tau = tau, .ports = {&held, 1}, .wrench = {}}));
  return m.acceleration(of.port());
}

struct Displayed {
  const char *device, *model, *port;
};
class FourChannelsThroughAModel : public ::testing::TestWithParam<Displayed> {};

// (4), (10) and (11) with all their terms, b_d and k_d of the handle's own among them: what (11) asks for, by
// pushing the mechanism with F_h + F_pc - b_d xd - k_d x all at once, is what the demand says by another
// road, and what the device, whose M(x), velocity's products and weight the motors know, then does. Device
// and mechanism move, and the handle is turned and away from where its spring began.
TEST_P(FourChannelsThroughAModel, CommandedAndAchievedAccelerationAreOne) {
  constexpr double kRounding = 1e-9;
  constexpr std::array<double, 2> kDamping{0.03, 4.0}, kStiffness{0.7, 150.0};  // b_d, k_d
  const auto& [device_model, model, port_name] = GetParam();
  for (const bool compensated : {true, false}) {
    device::ModelDeviceOptions options;
    options.compensated = compensated;
    const auto held = std::make_unique<device::ModelDevice>(
        model_of(device_model), options,
        device::trembling(device::following([](double t) {
                            return device::Intention{
                                {0.05 * std::sin(9.0 * t), 0.04 * std::sin(7.0 * t),
                                 0.02 * std::sin(8.0 * t)},
                                {0.3 * std::sin(6.0 * t), 0.2 * std::sin(5.0 * t), 0.3 * std::sin(7.0 * t)}};
                          }),
                          0.2, 11));
    const device::Specification& s = held->specification();
    const auto mechanism = contact::open(model_of(model), {.step = 1.0 / s.rate});
    const int port = mechanism->port(port_name);
    simulate::State begin = mechanism->state();
    for (std::size_t i = 0; i < begin.u.size(); ++i) begin.u[i] += 0.5 + 0.1 * static_cast<double>(i);
    mechanism->set_state(begin);  // which brings the speeds onto the constraints
    held->enable();
    device::Sample sample;
    // Away from where both began: what is counted from the handle's own zero would not be counted from here.
    for (int k = 0; k < 60; ++k) ASSERT_TRUE(held->wait() && mechanism->step().ok());
    ASSERT_TRUE(held->read(sample));
    FourChannel controller{.gains = {}, .axes = s.actuated};
    controller.gains.penalties = false;
    controller.gains.damping = kDamping;
    controller.gains.stiffness = kStiffness;
    FourChannelMemory memory;
    controller.engage(memory, sample, mechanism->motion(port));
    // Engaged where it is, turned as it is, it is held by its damper alone.
    if ((s.actuated & ~device::kTranslation) != 0) {
      const math::Vec3<double> before = math::rotation_vector(sample.X_WH.R);
      EXPECT_GT(std::sqrt(dot(before, before)), 3e-4);
    }
    const Vector6 first = controller.own_wrench(memory, sample);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(first[i], has_axis(s.actuated, i) ? kDamping[i / 3] * sample.V_WH[i] : 0.0, 1e-15) << i;
    for (int k = 0; k < 40; ++k) ASSERT_TRUE(held->wait() && mechanism->step().ok());
    ASSERT_TRUE(held->read(sample));
    const math::Vec3<double> way = sample.X_WH.p - memory.X_relaxed.p,
                             turn = math::rotation_vector(sample.X_WH.R * memory.X_relaxed.R.transposed());
    EXPECT_GT(std::sqrt(dot(way, way)), 1e-4);
    EXPECT_GT(support::largest(mechanism->motion(port).V_WP), 1e-2);
    EXPECT_GT(support::largest(sample.V_WH), 1e-2);

    const Vector6 F_pc = controller.coordination(memory, sample, mechanism->motion(port)),
                  F_d = controller.own_wrench(memory, sample);
    EXPECT_GT(support::largest(F_d), 1e-2);
    Vector6 on_port{}, all{};
    for (std::size_t i = 0; i < 6; ++i) {
      if (!has_axis(s.actuated, i)) continue;
      on_port[i] = sample.F_H_W[i] - F_d[i] - F_pc[i];
      all[i] = sample.F_H_W[i] + F_pc[i] - kDamping[i / 3] * sample.V_WH[i] -
               kStiffness[i / 3] * (i < 3 ? turn[i] : way[i - 3]);
    }
    PortState state;
    const auto accelerated_by = [&](const Vector6& F) {
      const simulate::PortWrench pushed{port, F};
      EXPECT_TRUE(mechanism->hold({.tau = {}, .ports = {&pushed, 1}, .wrench = {}}));
      return mechanism->acceleration(port);
    };
    const Vector6 asked = accelerated_by(all);  // (11)
    state.acceleration = accelerated_by(on_port);
    state.motion = mechanism->motion(port);
    mechanism->mobility(port, state.L);
    device::HandleDynamics own;
    ASSERT_TRUE(held->dynamics(own));
    const HandleDemand demand = controller.demand(memory, sample, state, F_pc, {}, own.M);
    Vector6 u = motor_wrench(demand, sample, own.M, {});
    for (std::size_t i = 0; i < 6; ++i) u[i] = has_axis(s.actuated, i) ? u[i] + own.bias[i] : 0.0;
    ASSERT_TRUE(held->command({.wrench = u, .X_WH = {}}));
    const Vector6 got = achieved(*held, sample.F_H_W);
    double size = 0.0;
    for (std::size_t i = 0; i < 6; ++i)
      if (has_axis(s.actuated, i)) {
        size = support::larger(size, std::abs(asked[i]));
        EXPECT_NEAR(demand.acceleration[i], asked[i], kRounding * (1.0 + std::abs(asked[i]))) << i;
        EXPECT_NEAR(got[i], asked[i], kRounding * (1.0 + std::abs(asked[i]))) << i << " " << compensated;
      }
    EXPECT_GT(size, 0.1);
  }
}
INSTANTIATE_TEST_SUITE_P(Devices, FourChannelsThroughAModel,
                         ::testing::Values(Displayed{"pantograph", "three_link_chain", "distal"},
                                           Displayed{"pantograph", "four_bar", "middle"},
                                           Displayed{"stewart_platform", "bricard", "rod_3"},
                                           Displayed{"stewart_platform", "stewart_platform", "plate"}),
                         [](const auto& info) {
                           return std::string(info.param.device) + "_shows_" + info.param.model;
                         });

}  // namespace
}  // namespace tactus::control
