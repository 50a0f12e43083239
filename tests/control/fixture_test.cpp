// What hangs beyond a force sensor, and how its weight and inertia are taken out of what the sensor reads.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/control/fixture.h>
#include <tactus/device/random.h>
#include <tactus/device/sensing.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

// Half a step of the sensor is all that is left, in its own axes: steps of 0.11, 0.11 and 0.22 N.
TEST(Fixture, AtRestNothingIsLeftOfItsWeightInAnyOrientation) {
  const Fixture fixture{.mass = 0.8, .centre = {0.01, -0.02, 0.06}, .inertia = {1e-3, 2e-3, 5e-4}};
  const double steps[3] = {0.11, 0.11, 0.22};
  device::Random random(7);
  for (int i = 0; i < 100; ++i) {
    const math::Mat3<double> R = math::rotation_of(math::exponential(
        {6.0 * random.uniform() - 3.0, 6.0 * random.uniform() - 3.0, 6.0 * random.uniform() - 3.0}));
    const device::Vector6 W = fixture_wrench(fixture, R, {}, {});
    // What hangs there: its weight, in the centre. The sensor stands in the handle's axes, and reads it in steps; what is taken out of that is W.
    const math::Vec3<double> weight{0.0, 0.0, -0.8 * 9.81}, torque = cross(R * fixture.centre, weight);
    const math::Vec3<double> read = R.transposed() * weight,
                             taken = R.transposed() * math::Vec3<double>{W[3], W[4], W[5]};
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(device::quantised(read[k], steps[k]) - taken[k]), 0.5 * steps[k] + 1e-12) << i;
      EXPECT_NEAR(W[k], torque[k], 1e-12) << i;
      EXPECT_NEAR(W[3 + k], weight[k], 1e-12) << i;
    }
  }
}

// Against Newton and Euler by differences: momentum of a mass on a rod that turns and moves.
TEST(Fixture, ItsInertiaIsTheRateOfItsMomentum) {
  const Fixture fixture{
      .mass = 0.5, .centre = {0.03, 0.02, -0.05}, .inertia = {1e-3, 3e-3, 2e-3}, .gravity = {}};
  const math::Vec3<double> theta0{0.4, -0.3, 0.8}, w{0.7, -1.1, 0.5};
  // The handle turns about a fixed axis with a changing speed and moves along a parabola.
  const auto at = [&](double t) {
    struct {
      math::Mat3<double> R;
      math::Vec3<double> p, omega, v;
    } s;
    const double angle = t + 0.5 * t * t, rate = 1.0 + t;
    s.R = math::rotation_of(math::exponential(angle * w)) * math::rotation_of(math::exponential(theta0));
    s.omega = rate * w;
    s.p = {0.1 * t * t, 0.2 * t, -0.3 * t * t};
    s.v = {0.2 * t, 0.2, -0.6 * t};
    return s;
  };
  const auto momentum = [&](double t) {
    const auto s = at(t);
    const math::Vec3<double> r = s.R * fixture.centre, v = s.v + cross(s.omega, r);
    const math::Vec3<double> own = s.R.transposed() * s.omega;
    const math::Vec3<double> spin =
        s.R *
        math::Vec3<double>{fixture.inertia.x * own.x, fixture.inertia.y * own.y, fixture.inertia.z * own.z};
    const math::Vec3<double> linear = fixture.mass * v,
                             angular = cross(s.p + r, linear) + spin;  // about the world's origin
    return std::pair{linear, angular};
  };
  constexpr double kTime = 0.3, h = 1e-5, kDifference = 1e-8;  // central differences of momenta below 1
  const auto s = at(kTime);
  const auto [l1, a1] = momentum(kTime - h);
  const auto [l2, a2] = momentum(kTime + h);
  const math::Vec3<double> f = (0.5 / h) * (l2 - l1), about_origin = (0.5 / h) * (a2 - a1);
  const math::Vec3<double> torque = about_origin - cross(s.p, f);  // about the handle
  const device::Vector6 V{s.omega.x, s.omega.y, s.omega.z, s.v.x, s.v.y, s.v.z},
      A{w.x, w.y, w.z, 0.2, 0.0, -0.6};
  const device::Vector6 W = fixture_wrench(fixture, s.R, V, A);
  const device::Vector6 expected{-torque.x, -torque.y, -torque.z, -f.x, -f.y, -f.z};
  EXPECT_LT(support::difference(W, expected), kDifference);
}

enum class Estimate { none, commanded, a_sample_old };

/// A virtual mass on a display that does what it is told, a fixture beyond its sensor: accelerations of its ticks under a sine's force.
std::vector<double> accelerations(double m_v, double m_f, Estimate estimate, int ticks) {
  const Fixture fixture{.mass = m_f, .centre = {}, .inertia = {}, .gravity = {}};
  const auto R = math::Mat3<double>::identity();
  std::vector<double> a(2, 0.0);
  for (int k = 0; k < ticks; ++k) {
    const double last = a[a.size() - 1], before = a[a.size() - 2];
    const double hand = std::sin(2.0 * std::numbers::pi * 1e-3 * k);
    const double sensed = hand + fixture_wrench(fixture, R, {}, {0, 0, 0, last, 0, 0})[3];
    const double known = estimate == Estimate::commanded ? last : before;
    const double own =
        estimate == Estimate::none ? 0.0 : fixture_wrench(fixture, R, {}, {0, 0, 0, known, 0, 0})[3];
    a.push_back((sensed - own) / m_v);
  }
  return a;
}

double largest(const std::vector<double>& a, std::size_t from) {
  return support::largest(std::span(a).subspan(from));
}

TEST(Fixture, ItIsFeltWithoutCompensationAndNotWithTheCommandedAcceleration) {
  const double m_v = 1.0, m_f = 0.3;
  // A turn is 1000 ticks: the phase of a tick's delay is 6 mrad, whose square is 4e-5.
  EXPECT_NEAR(1.0 / largest(accelerations(m_v, m_f, Estimate::none, 3000), 1500), m_v + m_f, 1e-4 * m_v);
  EXPECT_NEAR(1.0 / largest(accelerations(m_v, m_f, Estimate::commanded, 3000), 1500), m_v, 1e-3 * m_v);
}

TEST(Fixture, TheLimitsWithoutAndWithALateCompensation) {
  const auto unstable = [](double mu, Estimate estimate) {
    return !(largest(accelerations(1.0, mu, estimate, 4000), 2000) < 1e3);
  };
  EXPECT_FALSE(unstable(0.99, Estimate::none));
  EXPECT_TRUE(unstable(1.01, Estimate::none));
  EXPECT_FALSE(unstable(0.495, Estimate::a_sample_old));
  EXPECT_TRUE(unstable(0.505, Estimate::a_sample_old));
  for (const double mu : {0.5, 1.0, 10.0, 100.0}) EXPECT_FALSE(unstable(mu, Estimate::commanded)) << mu;
}

}  // namespace
}  // namespace tactus::control
