// How stiff penalties may be on a device as it is: by eigenvalues, against a device that runs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

/// Whether a handle that is pushed off its place before a wall swings up: penalties, its damping masked by what it senses, and the hand's wrench, a damper's, taken from it as it is foretold.
bool swings_up(const device::Specification& s, std::size_t k, double k_j, double b_j, double B_h) {
  device::Arm arm{.stiffness = {}, .damping = {}};
  arm.damping[k] = B_h;
  device::SimulatedImpedance device(s, device::following([](double) { return device::Intention{}; }, arm));
  EXPECT_TRUE(device.enable());
  const std::size_t axis = k == 0 ? 2 : 3;  // that every one of them has
  device::Handle off;
  constexpr double kStart = 1e-6;  // [rad], [m]
  Vector6 by{};
  by[axis] = kStart;
  off.move(by);
  device.set_handle(off);
  device::Sample sample;
  double F_before = 0.0, early = 0.0, late = 0.0;
  constexpr int kTicks = 6000;
  for (int tick = 0; tick < kTicks; ++tick) {
    EXPECT_TRUE(device.wait() && device.read(sample));
    const double x = k == 0 ? math::rotation_vector(sample.X_WH.R).z : sample.X_WH.p.x, v = sample.V_WH[axis];
    const double F = sample.F_H_W[axis], m = s.inertia[k];
    Vector6 u{};
    u[axis] = -m * k_j * x - (m * b_j - s.damping[k]) * v - (F + 0.5 * (F - F_before));
    F_before = F;
    EXPECT_TRUE(device.command({.wrench = u, .X_WH = {}}));
    if (!(std::abs(x) < 1e3 * kStart)) return true;
    if (tick > kTicks / 3 && tick <= 2 * kTicks / 3) early = support::larger(early, std::abs(x));
    if (tick > 2 * kTicks / 3) late = support::larger(late, std::abs(x));
  }
  return late > early;
}

// On both sides of the border, with poles, delay and hands of no damping to such as stop the handle in ten periods.
TEST(PenaltyDesign, TheBorderIsThatOfADeviceThatRuns) {
  constexpr double kClose = 0.02;
  for (const char* name : {"simulated:planar-force", "simulated:ideal-force", "simulated:delayed"}) {
    device::Specification s = device::open(name, device::none())->specification();
    s.friction = s.resolution = s.force_resolution = {};  // which hold small swings
    s.continuous = s.peak = {};
    s.force_sensor = true;
    for (const std::size_t k : {0u, 1u})
      for (const double b_j : {20.0, 50.0, 200.0})
        for (const double part : {0.0, 0.1}) {
          const double B_h = part * s.inertia[k] * s.rate, most = stiffest_penalty(s, {}, k, b_j, B_h);
          EXPECT_GT(most, 0.0);
          EXPECT_FALSE(swings_up(s, k, (1.0 - kClose) * most, b_j, B_h)) << name << k << " " << b_j << part;
          EXPECT_TRUE(swings_up(s, k, (1.0 + kClose) * most, b_j, B_h)) << name << k << " " << b_j << part;
        }
  }
}

// Where the coordination holds the handle, its spring and damper add to the penalty's: a coupler's loop before a wall.
TEST(PenaltyDesign, WithoutASensorTheCoordinationAddsToIt) {
  const device::Specification s = device::open("simulated:planar", device::none())->specification();
  FourChannelGains gains;
  gains.by_coordination = true;
  gains.coordination = {{5.0, 4000.0}, {0.005, 2.0}};
  const SampledLoop wall = loop_of(s, 1, std::numeric_limits<double>::infinity());
  const double k_j = 200.0, b_j = 50.0;
  EXPECT_DOUBLE_EQ(penalty_radius(s, gains, 1, k_j, b_j, 25.0),
                   spectral_radius(wall, 4000.0 + s.inertia[1] * k_j, 2.0 + s.inertia[1] * b_j));
  gains.coordination = {};
  const double alone = stiffest_penalty(s, gains, 1, b_j, 0.0);
  gains.coordination = {{5.0, 4000.0}, {0.005, 2.0}};
  EXPECT_LT(stiffest_penalty(s, gains, 1, b_j, 0.0), alone);
}

// What the program takes unless something else is given is stable through every device, with a margin.
TEST(PenaltyDesign, TheUsualPenaltiesAreStableThroughEveryDevice) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    const FourChannelGains usual;
    for (const std::size_t k : {0u, 1u}) {
      if ((s.actuated >> (3 * k) & 0b111) == 0) continue;
      for (const double part : {0.0, 0.2})
        EXPECT_LT(penalty_radius(s, usual, k, 2.0 * usual.joint_stiffness, 1.5 * usual.joint_damping,
                                 part * s.inertia[k] * s.rate),
                  1.0)
            << s.name << " " << k;
    }
  }
}

}  // namespace
}  // namespace tactus::control
