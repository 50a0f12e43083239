// The shopping cart in the hand [Gillespie2003, example 3]: what its handle weighs along b1 while the caster is free and while it sticks.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/felt.h>
#include <tactus/display/loop.h>

#include "support/paths.h"

namespace tactus::display {
namespace {

std::unique_ptr<simulate::Mechanism> cart() {
  return contact::open(describe::load(support::source_dir() + "/models/shopping_cart.yaml"), {.step = 1e-3});
}

const std::vector<double> kPlace{0.0, 0.0, 0.3, 0.4};  // q3 and q4 of the golden values

/// [kg] felt along b1 by a sine so small that the cart stays where it is: 1 N at 2 Hz moves it by 0.3 mm.
double felt_mass(bool stuck) {
  const auto mechanism = cart();
  mechanism->set_state({.t = 0.0, .q = kPlace, .u = std::vector<double>(4, 0.0), .momentum = {}});
  if (stuck) {
    EXPECT_TRUE(mechanism->set_active(mechanism->constraint("stick"), true));
  }
  const double heading = kPlace[2], omega = 4.0 * std::numbers::pi;
  const auto device = device::open("simulated:ideal", device::scripted([=](double t) {
                                     const double F = std::sin(omega * t);
                                     return Vector6{0, 0, 0, F * std::cos(heading), F * std::sin(heading), 0};
                                   }));
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  // Only the place is coupled: the cart turns as it likes.
  HapticLoop loop(*mechanism, *device, mechanism->port("P1"), {{0.0, 1500.0}, {0.0, 0.75}}, limits);
  EXPECT_TRUE(loop.enable());
  std::vector<double> x, v, a, F, V;
  for (int k = 0; k < 3000; ++k) {
    EXPECT_TRUE(device->wait() && loop.tick(1e-3));
    const TickRecord& r = loop.record();
    x.push_back(r.p_P.x * std::cos(heading) + r.p_P.y * std::sin(heading));
    V.push_back(r.V_P[3] * std::cos(heading) + r.V_P[4] * std::sin(heading));
    F.push_back(r.on_port[3] * std::cos(heading) + r.on_port[4] * std::sin(heading));
  }
  // Within a tick the wrench is held and the velocity changes linearly.
  for (std::size_t k = 0; k + 1 < V.size(); ++k) {
    v.push_back(0.5 * (V[k] + V[k + 1]));
    a.push_back(1e3 * (V[k + 1] - V[k]));
  }
  x.pop_back();
  F.pop_back();
  return fit_felt(x, v, a, F).mass;
}

TEST(Cart, WeighsMoreAtItsHandleWhileTheCasterSticks) {
  constexpr double kFree = 21.641, kStuck = 25.054;  // [kg] closed forms at q4 = 0.4
  EXPECT_NEAR(felt_mass(false), kFree, 0.01 * kFree);
  EXPECT_NEAR(felt_mass(true), kStuck, 0.01 * kStuck);
}

TEST(Cart, StickingTakesItsEnergyAndGivesTheHandAJump) {
  const auto mechanism = cart();
  const double u3 = -0.6591840877948437;
  mechanism->set_state({.t = 0.0, .q = kPlace, .u = {1.2, 0.5, u3, 0.0}, .momentum = {}});
  const double before = mechanism->energies().kinetic;
  ASSERT_TRUE(mechanism->set_active(mechanism->constraint("stick"), true));
  constexpr double kRounding = 1e-11;  // of golden values with 12 digits and more
  EXPECT_NEAR(mechanism->energies().kinetic - before, -0.223472948492, kRounding);
  EXPECT_NEAR(mechanism->state().u[0], 1.146958640759422, kRounding);
  EXPECT_NEAR(mechanism->state().u[1], 0.7610933791338, kRounding);
  // At the handle, which moves along b1: the jump that the hand feels.
  const simulate::PortMotion& P1 = mechanism->motion(mechanism->port("P1"));
  EXPECT_NEAR(P1.V_WP[3] * std::cos(0.3) + P1.V_WP[4] * std::sin(0.3), 1.146958640759422, kRounding);
}

}  // namespace
}  // namespace tactus::display
