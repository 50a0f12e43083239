// The page's hand: how stiff its spring may be, and what it does with points that are light, heavy or held.
#include <tactus/serve/live/grip.h>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include "support/compare.h"
#include "support/paths.h"

namespace {

using namespace tactus;
using namespace tactus::serve;
using support::larger;

constexpr double kPeriod = 1e-3;

/// The larger eigenvalue's size of a mass on the sampled spring and damper.
double spectral_radius(double m, double K, double B) {
  const double T = kPeriod;
  const double trace = 2.0 - K * T * T / (2.0 * m) - B * T / m, det = 1.0 - B * T / m + K * T * T / (2.0 * m);
  const std::complex<double> root = std::sqrt(std::complex<double>(trace * trace - 4.0 * det));
  return larger(std::abs(0.5 * (trace + root)), std::abs(0.5 * (trace - root)));
}

std::array<double, 9> diagonal(double a, double b, double c) { return {a, 0, 0, 0, b, 0, 0, 0, c}; }

TEST(Grip, AtThePassiveLimitEveryDampingRatioIsStable) {
  for (const double m : {1e-4, 1.0, 300.0})
    for (const double ratio : {0.1, 0.5, 1.0, 2.0}) {
      const ApparentMass at = ApparentMass::of(diagonal(1.0 / m, 1.0 / m, 1.0 / m), 1e6);
      const double K = passive_limit(at, kPeriod);
      EXPECT_LT(spectral_radius(m, K, 2.0 * ratio * std::sqrt(K * m)), 1.0) << m << " " << ratio;
    }
  // And the condition of the header is the true border, not one of several: beyond it the map grows.
  EXPECT_GT(spectral_radius(1.0, 1e6, 0.499e3), 1.0);
  EXPECT_LT(spectral_radius(1.0, 1e6, 0.501e3), 1.0);
}

TEST(Grip, PullsAlongEveryDirectionAsThatDirectionBears) {
  // Light along x, heavy along y, held along z.
  const ApparentMass at = ApparentMass::of(diagonal(1e4, 1.0, 0.0), 50.0);
  EXPECT_NEAR(at.mass[0], 1e-4, 1e-16);
  EXPECT_NEAR(at.mass[1], 1.0, 1e-12);
  EXPECT_EQ(at.mass[2], 50.0);
  const Coupling coupling{.stiffness = 1000.0, .ratio = 1.0, .force = 1e9};
  bool clamped = true;
  const Vec3 F = spring_force(coupling, at, {0.01, 0.01, 0.01}, {}, kPeriod, &clamped);
  const double limit = kShare * kShare / (kPeriod * kPeriod) * 1e-4;
  ASSERT_LT(limit, 1000.0);
  EXPECT_NEAR(F.x, 0.01 * limit, 1e-12 * limit);
  EXPECT_NEAR(F.y, 10.0, 1e-12);
  EXPECT_NEAR(F.z, 10.0, 1e-12);
  EXPECT_FALSE(clamped);
}

TEST(Grip, NeverPullsHarderThanItMay) {
  const ApparentMass at = ApparentMass::of(diagonal(1.0, 1.0, 1.0), 50.0);
  const Coupling coupling{.stiffness = 1e4, .ratio = 1.0, .force = 7.0};
  bool clamped = false;
  const Vec3 F = spring_force(coupling, at, {3.0, -4.0, 0.0}, {}, kPeriod, &clamped);
  EXPECT_TRUE(clamped);
  EXPECT_NEAR(std::sqrt(dot(F, F)), 7.0, 1e-12);
  EXPECT_NEAR(F.x / F.y, -0.75, 1e-12);
}

TEST(Grip, WhatIsNoNumberCountsAsHeavy) {
  const ApparentMass at = ApparentMass::of(diagonal(std::nan(""), 1.0, 1.0), 50.0);
  for (const double m : at.mass) EXPECT_EQ(m, 50.0);
}

/// A force at a point of a body, through the port at its origin, accelerates the point by the mobility of the point.
TEST(Grip, MobilityOfAPointIsWhatThePointDoes) {
  const auto mechanism = contact::open(describe::load(support::source_dir() + "/models/puma560.yaml"));
  const int port = mechanism->port("body:link_6");
  const Vec3 r = mechanism->motion(port).X_WP.R * Vec3{0.05, -0.1, 0.2};
  std::array<double, 36> L{};
  mechanism->mobility(port, L);
  const std::array<double, 9> A = mobility_of_point(L, r);
  const auto acceleration = [&](const Vec3& F) {
    const Vec3 torque = cross(r, F);
    const simulate::PortWrench wrench{port, {torque.x, torque.y, torque.z, F.x, F.y, F.z}};
    EXPECT_TRUE(mechanism->hold({.tau = {}, .ports = {&wrench, 1}, .wrench = {}}));
    const std::array<double, 6> a = mechanism->acceleration(port);
    return Vec3{a[3], a[4], a[5]} + cross(Vec3{a[0], a[1], a[2]}, r);
  };
  // A force so large that joints at rest do not hold it is not meant: the arm moves, without dry friction in the answer.
  auto moving = mechanism->state();
  for (double& u : moving.u) u = 0.3;
  mechanism->set_state(moving);
  const Vec3 r2 = mechanism->motion(port).X_WP.R * Vec3{0.05, -0.1, 0.2};
  EXPECT_LT(std::abs(r2.x - r.x) + std::abs(r2.y - r.y), 1e-12);
  mechanism->mobility(port, L);
  const std::array<double, 9> B = mobility_of_point(L, r);
  double worst = 0.0, size = 0.0;
  const Vec3 rest = acceleration({});
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 pushed = acceleration(Vec3::unit(j));
    for (std::size_t i = 0; i < 3; ++i) {
      worst = larger(worst, std::abs(pushed[i] - rest[i] - B[3 * i + j]));
      size = larger(size, std::abs(B[3 * i + j]));
    }
  }
  constexpr double kRounding = 1e-10;  // differences of accelerations
  EXPECT_LT(worst, kRounding * size);
  EXPECT_EQ(A.size(), 9u);
}

TEST(Grip, AFreeBodyByItselfIsNeverHeavierThanInItsMechanism) {
  const auto mechanism = contact::open(describe::load(support::source_dir() + "/models/four_bar.yaml"));
  const describe::Model& model = mechanism->model();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> somewhere(-0.3, 0.3);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const describe::Body& body = model.bodies[b];
    const int port = mechanism->port("body:" + body.name);
    const math::Pose<double> X = mechanism->motion(port).X_WP;
    Mat3 I = Mat3::zero();
    Vec3 com;
    for (std::size_t i = 0; i < 3; ++i) {
      com[i] = value_of(model, body.com[i]);
      for (std::size_t j = 0; j < 3; ++j) I(i, j) = value_of(model, body.inertia(i, j));
    }
    constexpr double kThin = 1e-6;  // [kg m^2] rods have no inertia about themselves
    for (std::size_t i = 0; i < 3; ++i) I(i, i) += kThin;
    for (int trial = 0; trial < 20; ++trial) {
      const Vec3 point{somewhere(random), 0.0, 0.0};
      std::array<double, 36> L{};
      mechanism->mobility(port, L);
      const ApparentMass held = ApparentMass::of(mobility_of_point(L, X.R * point), 1e6),
                         free = ApparentMass::of(
                             mobility_of_free_body(value_of(model, body.mass), X.R * I * X.R.transposed(),
                                                   X.R * (point - com)),
                             1e6);
      EXPECT_LE(free.mass[0], held.mass[0] * (1.0 + 1e-3)) << body.name;
    }
  }
}

TEST(Grip, TheDesignedSpringCarriesTheWeightWithoutSagging) {
  for (const double m : {0.01, 1.0, 85.0})
    for (const double radius : {0.05, 0.4, 2.0}) {
      const double g = 9.81, heavy = 2.0 * m;
      const ApparentMass at = ApparentMass::of(diagonal(1.0 / m, 1.0 / m, 1.0 / m), heavy);
      const Coupling c = design_coupling(at, heavy, radius, g, kPeriod);
      EXPECT_GT(c.force, 2.0 * m * g);
      EXPECT_LT(m * g / c.stiffness, 0.2 * radius) << m << " kg, " << radius << " m";
      EXPECT_LT(c.stiffness, passive_limit(at, kPeriod));
    }
}

}  // namespace
