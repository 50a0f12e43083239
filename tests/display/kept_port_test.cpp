// Inertia bolted to a port: it moves as both together do, nothing of it comes from nowhere, and an admittance loop bears what it did not.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/admittance_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/energy_books.h>
#include <tactus/display/kept_port.h>
#include <tactus/display/loop.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

constexpr double kPeriod = 1e-3;

std::unique_ptr<simulate::Mechanism> block(double mass, const char* limits = "", const char* more = "") {
  return contact::open(describe::load_text(fmt::format(R"(
name: block
gravity: [0, 0, 0]
bodies: {{block: {{mass: {}}}}}
joints: {{x: {{type: prismatic, parent: world, child: block, axis: x{}}}}}
{}
)",
                                                       mass, limits, more),
                                           "block.yaml"),
                       {.step = kPeriod});
}

KeptPort with(simulate::Mechanism& mechanism, int port, const KeptInertia& kept) {
  return {std::make_unique<FullPort>(mechanism, port, ResistanceRule{}), kept, kPeriod};
}

/// [N] along x, never the same for long.
Vector6 push(int k) { return {0.0, 0.0, 0.0, 3.0 * std::sin(0.02 * k) + std::sin(0.31 * k), 0.0, 0.0}; }

TEST(KeptPort, MovesAsBothDoTogether) {
  const auto light = block(0.01), heavy = block(0.2);
  KeptPort kept = with(*light, light->port("block"), {.least = {}, .begins = {0.0, 0.19}, .grows = false});
  FullPort plain(*heavy, heavy->port("block"), ResistanceRule{});
  double worst = 0.0;
  for (int k = 0; k < 2000; ++k) {
    kept.begin(), plain.begin();
    ASSERT_TRUE(kept.step(push(k)).ok() && plain.step(push(k)).ok());
    worst = support::larger(worst, std::abs(kept.motion().X_WP.p.x - plain.motion().X_WP.p.x));
  }
  constexpr double kRounding = 1e-10;  // [m] of some metres, over 2000 ticks
  EXPECT_GT(std::abs(plain.motion().X_WP.p.x), 0.1);
  EXPECT_LT(worst, kRounding);
}

// A mobility that changes, velocity's products and weight: energies of mechanism and bolted part are the work, but for what a step's curvature leaves to the next one.
TEST(KeptPort, TakesAndGivesBackWhatItHolds) {
  const auto arm =
      contact::open(describe::load(support::source_dir() + "/models/planar_2r.yaml"), {.step = kPeriod});
  const int port = static_cast<int>(arm->ports().size()) - 1;
  KeptPort kept = with(*arm, port, {.least = {}, .begins = {0.01, 2.0}, .grows = false});
  const double before = kept.energy();
  double work = 0.0, turned = 0.0, worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const math::Pose<double> from = kept.begin().X_WP;
    Vector6 F = push(k);
    F[4] = 5.0 * std::cos(0.013 * k);
    ASSERT_TRUE(kept.step(F).ok());
    const double given = work_along(F, from, kept.motion().X_WP);
    work += given;
    turned += std::abs(given);
    worst = support::larger(worst, std::abs(kept.energy() - before - work));
  }
  constexpr double kCurvature = 2e-3;  // of what went to and fro: of second order in the period
  EXPECT_GT(turned, 1.0);
  EXPECT_LT(worst, kCurvature * turned);
}

TEST(KeptPort, HoldsWhatAStopStrikes) {
  const auto light =
      block(0.01, ", limits: [-0.05, 0.05]", "contact: {stops: [{joints: [x], restitution: 0.5}]}");
  KeptPort kept = with(*light, light->port("block"), {.least = {}, .begins = {0.0, 0.19}, .grows = false});
  const double before = kept.energy();
  double work = 0.0, most = 0.0, turned = 0.0, furthest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const math::Pose<double> from = kept.begin().X_WP;
    const Vector6 F{0.0, 0.0, 0.0, k < 1000 ? 2.0 : -2.0, 0.0, 0.0};
    ASSERT_TRUE(kept.step(F).ok()) << k;
    const double given = work_along(F, from, kept.motion().X_WP);
    work += given;
    turned += std::abs(given);
    most = support::larger(most, kept.energy() - before - work);
    furthest = support::larger(furthest, std::abs(kept.motion().X_WP.p.x));
  }
  // Both strike together, and come to rest at the stop.
  constexpr double kStrike = 0.05;  // of the work: a strike is met at a tick's end
  EXPECT_GT(turned, 0.1);
  EXPECT_LT(most, kStrike * turned);
  EXPECT_LT(furthest, 0.06);
  EXPECT_LT(std::abs(kept.motion().V_WP[3]), 0.05);
}

TEST(KeptPort, WhatIsAddedWasAtRest) {
  const auto light = block(0.01);
  light->set_state({.t = 0.0, .q = {0.0}, .u = {1.0}, .momentum = {}});
  KeptPort kept = with(*light, light->port("block"), {.least = {0.0, 0.2}, .begins = {}, .grows = true});
  double before = kept.energy();
  for (int k = 0; k < 50; ++k) {
    kept.begin();
    ASSERT_TRUE(kept.step({}).ok());
    const double now = kept.energy();
    EXPECT_LE(now, before * (1.0 + 1e-12)) << k;
    before = now;
  }
  EXPECT_NEAR(kept.bolted()[1], 0.19, 1e-9);
  EXPECT_NEAR(kept.motion().V_WP[3], 0.01 / 0.2, 1e-9);
  EXPECT_EQ(kept.bolted()[0], 0.0);
}

TEST(KeptPort, NothingIsMissingWhereThePortIsHeavy) {
  const auto heavy = block(5.0);
  control::Matrix6 L;
  heavy->mobility(heavy->port("block"), L);
  EXPECT_EQ(control::missing_inertia({1e-3, 0.2}, L, device::kAllAxes), (std::array<double, 2>{}));
  // Along the axes that the device has, alone.
  const auto light = block(0.05);
  light->mobility(light->port("block"), L);
  EXPECT_NEAR(control::missing_inertia({1e-3, 0.2}, L, device::kAllAxes)[1], 0.15, 1e-12);
  EXPECT_EQ(control::missing_inertia({1e-3, 0.2}, L, 0b110111)[1], 0.0);
}

/// A hand of 300 N/m that holds still and is struck: how far the handle still swings after 1.5 s, [m]; infinite where the loop stopped.
double swing(const char* device_name, double mass, double share) {
  const auto mechanism = block(mass);
  class Struck final : public device::Hand {
   public:
    device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
      device::Grip grip{{}, {0.02, 5.0}};
      grip.wrench[3] = -300.0 * X_WH.p.x + (t < 0.02 ? 3.0 : 0.0);
      return grip;
    }
  };
  const auto device = device::open(device_name, std::make_unique<Struck>());
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  limits.speed = {100.0, 10.0};
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {}, limits);
  if (share != 0.0) loop.keep_inertia(control::least_inertia(device->specification()), share);
  if (!loop.enable()) return std::numeric_limits<double>::infinity();
  double late = 0.0;
  for (int k = 0; k < 2000; ++k) {
    if (!device->wait() || !loop.tick(kPeriod)) return std::numeric_limits<double>::infinity();
    if (k > 1500) late = support::larger(late, std::abs(loop.record().p_H.x));
  }
  return late;
}

// What the design asks for is stable with a hand of 300 N/m and 5 N s/m; a tenth of it is not.
TEST(AdmittanceDesign, IsOnTheStableSideOfTheRunningLoop) {
  constexpr double kStill = 1e-3;  // [m] noise of the force sensor moves it
  for (const char* name : {"simulated:admittance", "simulated:cobot"}) {
    double least = 0.0;
    for (const device::Specification& s : device::devices())
      if (s.name == name) least = control::least_inertia(s)[1];
    ASSERT_GT(least, 0.0);
    EXPECT_LT(swing(name, least, 0.0), kStill) << name;
    EXPECT_LT(swing(name, 2.0 * least, 0.0), kStill) << name;
    EXPECT_GT(swing(name, 0.1 * least, 0.0), kStill) << name;
    // Bolted on, as much as is missing, or all of it.
    EXPECT_LT(swing(name, 0.1 * least, -1.0), kStill) << name;
    EXPECT_LT(swing(name, 0.1 * least, 1.0), kStill) << name;
  }
}

TEST(AdmittanceDesign, IsForAdmittanceDevices) {
  const auto mechanism = block(1.0);
  const auto device = device::open("simulated:planar", device::none());
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {}, {});
  EXPECT_THROW(loop.keep_inertia({1e-3, 0.1}), InputError);
  EXPECT_EQ(loop.kept_inertia(), (std::array<double, 2>{}));
  const auto moved = device::open("simulated:admittance", device::none());
  HapticLoop other(*mechanism, *moved, mechanism->port("block"), {}, {});
  EXPECT_THROW(other.keep_inertia({1e-3, -0.1}), InputError);
  EXPECT_THROW(other.keep_inertia({1e-3, 0.1}, 1.5), InputError);
  other.keep_inertia({1e-3, 3.0});
  EXPECT_NEAR(other.kept_inertia()[1], 2.0, 1e-12);
}

}  // namespace
}  // namespace tactus::display
