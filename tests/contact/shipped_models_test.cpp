// The models of contact that come with Tactus, run to where their outcome is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

/// Contacts and constraints are held to rounding; what drifts over some thousand steps stays below this.
constexpr double kHeld = 1e-9;

struct Scene {
  ContactModel contact_model;
  Engine engine;
  std::vector<double> tau;

  explicit Scene(const std::string& name)
      : contact_model(describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml")),
        engine(contact_model) {
    tau.assign(contact_model.model.initial_u.size(), 0.0);
    engine.set_state(
        {.t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}});
  }

  double q(std::size_t i) const { return engine.state().q[i]; }
  double u(std::size_t i) const { return engine.state().u[i]; }
  bool at_rest() const {
    return std::all_of(engine.state().u.begin(), engine.state().u.end(),
                       [](double u) { return std::abs(u) < kHeld; });
  }

  /// Calls `look` after every step.
  template <typename Look>
  void until(double t, Look look) {
    Input input;
    input.tau = tau;
    while (engine.state().t < t - 0.5 * engine.options().step) {
      const Status status = engine.step(input);
      ASSERT_TRUE(status.ok()) << engine.explain(status);
      look();
    }
  }
  void until(double t) {
    until(t, [] {});
  }
};

TEST(ShippedModels, TheBoxComesToRestOnASide) {
  Scene box("box_drop");
  box.until(3.0);
  EXPECT_TRUE(box.at_rest());
  const double quarters = box.q(2) / (std::numbers::pi / 2.0);
  EXPECT_NEAR(quarters, std::round(quarters), kHeld);
  const bool lies = std::lround(quarters) % 2 == 0;
  EXPECT_NEAR(box.q(1), lies ? 0.1 : 0.2, kHeld);
}

TEST(ShippedModels, TheBallStaysInItsBowl) {
  Scene ball("ball_in_bowl");
  constexpr double kRoom = 0.3 - 0.03;
  double farthest = 0.0;
  ball.until(3.0, [&] { farthest = support::larger(farthest, std::hypot(ball.q(0), ball.q(1), ball.q(2))); });
  EXPECT_LT(farthest, kRoom + kHeld);
  EXPECT_NEAR(std::hypot(ball.q(0), ball.q(1), ball.q(2)), kRoom, kHeld);  // it rolls
}

TEST(ShippedModels, TheCradleSwingsWithOneBallAtATime) {
  Scene cradle("newtons_cradle");
  double highest = 0.0;
  cradle.until(4.0, [&] {
    int moving = 0;
    for (std::size_t i = 0; i < 5; ++i) moving += std::abs(cradle.u(i)) > kHeld;
    EXPECT_LE(moving, 1) << cradle.engine.state().t;
    highest = support::larger(highest, cradle.q(4));
  });
  constexpr double kBetweenTicks = 1e-5;  // [rad] the turning point lies between two ticks
  EXPECT_NEAR(highest, std::numbers::pi / 6.0, kBetweenTicks);
  EXPECT_LT(cradle.engine.books().impact_loss, kHeld);
}

TEST(ShippedModels, ThePegStandsInItsHole) {
  Scene peg("peg_in_hole");
  peg.until(1.0);
  EXPECT_TRUE(peg.at_rest());
  EXPECT_NEAR(peg.q(1), 0.04 - 0.06, kHeld);
  EXPECT_NEAR(peg.q(2), 0.0, kHeld);
  EXPECT_LE(std::abs(peg.q(0)), 2e-4 + kHeld);
}

// [Clover1996, IV]: from contact at 0.1 s, x = v0 t exp(-w t); the force ends at w t = 2, with -exp(-2) v0.
TEST(ShippedModels, TheStiffWallThrowsBackAsItsClosedFormSays) {
  Scene wall("stiff_wall");
  const double w = 2.0 * std::numbers::pi * 25.0, v0 = 0.3;
  constexpr double kRk4 = 2e-5;  // relative: a few times (w h)^4 / 5! at 1 kHz
  wall.until(0.106);
  EXPECT_NEAR(wall.q(0) + 0.05, v0 * 0.006 * std::exp(-w * 0.006), kRk4 * v0 / w);
  wall.until(0.2);
  EXPECT_NEAR(wall.u(0), -std::exp(-2.0) * v0, kRk4 * v0);
}

// Driven by constant couples, chain and boxes stay inside: rigid to rounding, compliant to what 15 kN/m give.
TEST(ShippedModels, TheChainStaysInItsEnclosure) {
  for (const bool rigid : {true, false}) {
    Scene scene(rigid ? "chain_in_enclosure_rigid" : "chain_in_enclosure");
    scene.tau = {0.02, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0};
    double farthest = 0.0;
    bool touched = false;
    scene.until(3.0, [&] {
      for (const Touch& touch : scene.engine.touches()) touched = touched || touch.touching();
      farthest = support::larger(farthest, std::abs(scene.q(3)) + 0.02, std::abs(scene.q(4)) + 0.015);
    });
    EXPECT_TRUE(touched);
    EXPECT_LT(farthest, 0.095 + (rigid ? kHeld : 1e-3));
    EXPECT_GT(farthest, 0.08);  // box a was pushed to a wall
  }
}

}  // namespace
}  // namespace tactus::contact
