// The mechanism's side of a coupler: hands and mechanisms without any losses, on both of its ends. Whatever they are, the loop must not swing up.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

/// A mass on a spring, with a damper, under a force that is held.
struct Oscillator {
  double mass = 1.0, damping = 0.0, stiffness = 0.0;
};

/// (x, v, 1) -> (x, v, 1) after a period, under a unit force: exp by its series, halved until the terms are small and squared again.
Eigen::Matrix3d held(const Oscillator& o, double T) {
  Eigen::Matrix3d M = Eigen::Matrix3d::Zero();
  M(0, 1) = T;
  M(1, 0) = -T * o.stiffness / o.mass;
  M(1, 1) = -T * o.damping / o.mass;
  M(1, 2) = T / o.mass;
  int halved = 0;
  while (M.cwiseAbs().maxCoeff() > 0.1) M *= 0.5, ++halved;
  Eigen::Matrix3d E = Eigen::Matrix3d::Identity(), term = E;
  for (int i = 1; i < 14; ++i) E += term = (term * M / i).eval();
  while (halved-- > 0) E = (E * E).eval();
  return E;
}

/// The largest eigenvalue's size of handle (with its hand), coupler and mechanism, from tick to tick.
double radius(const SampledLoop& loop, const Oscillator& handle, const Oscillator& mechanism, double K,
              double B) {
  const Eigen::Matrix3d H = held(handle, loop.period), P = held(mechanism, loop.period);
  const double a = loop.velocity_pole;
  const int n = 7 + loop.delay;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    // (x_H, v_H, x_P, v_P, two of the filter, x_H of the tick before, F of the last d ticks)
    const Eigen::VectorXd x = Eigen::VectorXd::Unit(n, j);
    const double f1 = (1.0 - a) * (x[0] - x[6]) / loop.period + a * x[4], f2 = (1.0 - a) * f1 + a * x[5];
    const double F = K * (x[0] - x[2]) + B * (f2 - x[3]);
    const double late = loop.delay == 0 ? F : x[6 + loop.delay];
    Eigen::VectorXd y(n);
    y.segment<2>(0) = (H * Eigen::Vector3d(x[0], x[1], -late)).head<2>();
    y.segment<2>(2) = (P * Eigen::Vector3d(x[2], x[3], F)).head<2>();
    y[4] = f1;
    y[5] = f2;
    y[6] = x[0];
    for (int i = loop.delay; i > 0; --i) y[6 + i] = i == 1 ? F : x[5 + i];
    A.col(j) = y;
  }
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

constexpr double kRounding = 1e-9;  // eigenvalues of 1: both go on together

// A handle that is held, a mass behind: the swing's square is multiplied by 1 - (B - K T/2) T/m in a tick.
TEST(PortDamping, AMassBehindAHeldHandleSwingsUpBelowIt) {
  SampledLoop loop;
  constexpr double K = 800.0, m = 2.0;
  const Oscillator rigid{1e12, 0.0, 0.0}, mass{m, 0.0, 0.0};
  for (const double part : {0.0, 0.5, 0.98, 1.02, 1.5}) {
    const double B = part * 0.5 * K * loop.period;
    const double squared = 1.0 - (B - 0.5 * K * loop.period) * loop.period / m;
    EXPECT_NEAR(radius(loop, rigid, mass, K, B), std::max(1.0, std::sqrt(squared)), 1e-6) << part;
    EXPECT_EQ(squared > 1.0, part < 1.0);
  }
  EXPECT_NEAR(port_damping(loop, K), 1.1 * 0.5 * K * loop.period, kRounding);
}

struct Found {
  int all = 0, up = 0;
};

/// Hands and mechanisms without losses; `part` of the damping that the mechanism's side asks for, as much stiffness as the device then bears.
Found swung_up(const SampledLoop& wall, double bandwidth, double part) {
  device::Random random(11);
  const auto decades = [&](double low, double high) { return low * std::pow(high / low, random.uniform()); };
  Found found;
  for (int i = 0; i < 300; ++i) {
    double K = wall.device_damping / ((0.5 + wall.delay) * wall.period) * (0.3 + 0.7 * random.uniform());
    const auto B = [&] { return part * port_damping(wall, K); };
    while (required_damping(wall, K, B()) > wall.device_damping) K *= 0.97;
    // The modes of the handle in the hand, of the mechanism, and of its mass on the coupler, have up to 0.25 rad in a tick and a quarter of the estimate's bandwidth, which is late beyond. A mass below a third of the handle's
    // on late motors swings at frequencies of which the low ones say nothing.
    const double fastest =
        0.25 * (bandwidth > 0.0 ? std::min(bandwidth, 1.0 / wall.period) : 1.0 / wall.period);
    const double held_mass = wall.device_mass * decades(1.0, 30.0), w_h = decades(1.0, fastest);
    const Oscillator handle{held_mass, wall.device_damping,
                            random.uniform() < 0.3 ? 0.0 : held_mass * w_h * w_h};
    const double mass = decades(std::max(wall.device_mass / 3.0, K / (fastest * fastest)), 50.0),
                 w = decades(1.0, fastest);
    const Oscillator mechanism{mass, 0.0, random.uniform() < 0.2 ? 0.0 : mass * w * w};
    ++found.all;
    found.up += !(radius(wall, handle, mechanism, K, B()) <= 1.0 + kRounding);
  }
  return found;
}

TEST(PortDamping, NoHandAndMechanismWithoutLossesSwingUpWithIt) {
  for (const double period : {0.25e-3, 1e-3, 2e-3})
    for (const double bandwidth : {0.0, 628.0})
      for (const int delay : {0, 1, 4}) {
        const SampledLoop wall{.period = period,
                               .delay = delay,
                               .velocity_pole = bandwidth > 0.0 ? std::exp(-bandwidth * period) : 0.0,
                               .device_mass = 0.2,
                               .device_damping = 1.5};
        const Found with = swung_up(wall, bandwidth, 1.0), with_half = swung_up(wall, bandwidth, 0.5);
        EXPECT_EQ(with.up, 0) << period << " " << bandwidth << " " << delay;
        EXPECT_GT(with_half.up, with_half.all / 20) << period << " " << bandwidth << " " << delay;
      }
}

// Both sides of what is designed, for every device, share and age.
TEST(PortDamping, DesignedCouplersHaveIt) {
  int looked_at = 0;
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    for (const double share : {0.1, 0.5, 0.9, 1.0})
      for (const int age : {0, 33}) {
        const CouplerGains gains = design(s, {1e-2, 1.0}, share, age);
        for (std::size_t k = 0; k < 2; ++k) {
          if (!(gains.stiffness[k] > 0.0)) continue;
          ++looked_at;
          const SampledLoop wall = loop_of(s, k, std::numeric_limits<double>::infinity(), age);
          EXPECT_GE(gains.damping[k], port_damping(wall, gains.stiffness[k]) * (1.0 - kRounding))
              << s.name << k << " " << share << " " << age;
          EXPECT_TRUE(is_passive(s, gains, k, age)) << s.name << k << " " << share << " " << age;
        }
      }
  }
  EXPECT_GT(looked_at, 50);
}

}  // namespace
}  // namespace tactus::control
