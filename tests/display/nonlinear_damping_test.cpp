// Damping that grows with the violation (control/four_channel.h), through the running loop: a handle of 1 kg flies against a rail that lets its port move across its way only.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

constexpr double kRate = 1000.0, kPeriod = 1e-3;  // [Hz], [s]
constexpr double kDepth = 1e-3;                   // [m]
constexpr int kBegin = 120;  // [ticks] the loop is off until then, and the hand has let go

std::unique_ptr<simulate::Mechanism> rail() {
  return contact::open(describe::load_text(R"(
name: rail
gravity: [0, 0, 0]
bodies: {block: {mass: 1}}
joints: {y: {type: prismatic, parent: world, child: block, axis: y}}
)",
                                           "rail.yaml"),
                       {.step = kPeriod});
}

struct Flight {
  double hardness =
      0.0;  // [N/m] of Lawrence: force at the first millimetre, by the time until then and the speed
  double deepest = 0.0;  // [m]
  double most = 0.0;     // energy of handle and spring at samples, by that of the blow
  double late = 0.0;     // [m] largest swing of the last tenth
};

/// The hand throws the handle at a speed [m/s] while forces are off; then they come on, without a ramp.
Flight fly(const control::FourChannelGains& gains, double speed, int ticks) {
  device::Specification s;
  s.name = "bare";
  s.sensed = s.actuated = device::kPlanar;
  s.inertia = {1.0, 1.0};
  s.rate = kRate;
  s.force_sensor = true;
  device::SimulatedImpedance device(s, device::scripted([speed](double t) {
                                      return Vector6{0, 0, 0, t < 0.1 - 0.5 * kPeriod ? 10.0 * speed : 0.0,
                                                     0, 0};
                                    }));
  const auto mechanism = rail();
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*mechanism, device, mechanism->port("block"), {}, limits);
  loop.use(gains);
  double start = 0.0, blow = 0.0, e_before = 0.0, F_before = 0.0;
  Flight flight;
  for (int k = 0; k < kBegin + ticks; ++k) {
    EXPECT_TRUE(device.wait());
    if (k == kBegin) {
      start = device.handle().p.x;
      blow = std::pow(device.handle().V[3], 2);
      EXPECT_TRUE(loop.enable());
    }
    EXPECT_TRUE(loop.tick(kPeriod)) << k;
    if (k < kBegin) continue;
    const double e = device.handle().p.x - start, v = device.handle().V[3], F = -loop.record().on_handle[3];
    if (flight.hardness == 0.0 && e >= kDepth) {
      const double part = (kDepth - e_before) / (e - e_before);  // of the tick
      flight.hardness = (F_before + part * (F - F_before)) / ((k - 1 + part - kBegin) * kPeriod * speed);
    }
    e_before = e;
    F_before = F;
    flight.deepest = support::larger(flight.deepest, std::abs(e));
    flight.most = support::larger(flight.most, (v * v + gains.joint_stiffness * e * e) / blow);
    if (k >= kBegin + ticks - ticks / 10) flight.late = support::larger(flight.late, std::abs(e));
    if (!(std::abs(e) < 1.0)) {
      flight.late = std::abs(e);
      return flight;
    }
  }
  return flight;
}

/// [1/s^2] The stiffness at which small swings begin to grow.
double border(control::FourChannelGains gains) {
  const double most = control::penalty_border(kPeriod, gains.joint_damping).stiffness;
  double below = 0.05, above = 0.999;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (below + above);
    gains.joint_stiffness = middle * most;
    constexpr double kSmall = 1e-5;  // [m/s] so that no swing is a thousandth of the growth's length
    const Flight swing = fly(gains, kSmall, 1500);
    (swing.late > 0.5 * swing.deepest ? above : below) = middle;
  }
  return below * most;
}

// What stability is decided on, small swings, is the same to 1 %; a blow meets more force in its first millimetre, goes less deep, and no sample has more energy than it brought.
TEST(NonlinearDamping, IsHarderThroughTheLoopAtTheSameMarginAndNeverGains) {
  int compared = 0;
  for (const double b : {20.0, 50.0, 100.0}) {
    control::FourChannelGains plain, grown;
    plain.joint_damping = grown.joint_damping = b;
    grown.damping_growth = 5.0;
    const double edge = border(plain), edge_grown = border(grown);
    EXPECT_GT(edge, 0.1 * control::penalty_border(kPeriod, b).stiffness) << b;
    EXPECT_NEAR(edge_grown, edge, 0.01 * edge) << b;
    plain.joint_stiffness = grown.joint_stiffness = 0.5 * edge;
    for (const double speed : {0.05, 0.2, 0.5}) {
      const Flight one = fly(plain, speed, 3000), other = fly(grown, speed, 3000);
      constexpr double kRounding = 1e-12;
      EXPECT_LE(one.most, 1.0 + kRounding) << b << " " << speed;
      EXPECT_LE(other.most, 1.0 + kRounding) << b << " " << speed;
      EXPECT_LT(other.deepest, one.deepest) << b << " " << speed;
      // Or it does not get a millimetre deep at all.
      if (other.hardness > 0.0) {
        EXPECT_GT(other.hardness, 1.1 * one.hardness) << b << " " << speed;
        ++compared;
      }
      EXPECT_LT(other.late, 1e-6) << b << " " << speed;  // [m] it comes to rest
    }
  }
  EXPECT_GE(compared, 3);
}

}  // namespace
}  // namespace tactus::display
