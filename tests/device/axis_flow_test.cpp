// One axis with viscous and dry friction, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/device/axis_flow.h>
#include <tactus/device/random.h>

namespace tactus::device {
namespace {

constexpr double kRounding = 1e-14;  // of numbers of size 1, some operations long

TEST(AxisFlow, ADampedMassUnderAConstantForceApproachesItsFinalSpeed) {
  const Axis axis{0.4, 3.0, 0.5};
  const double F = 2.0, h = 0.3, v_end = (F - 0.5) / 3.0, decay = std::exp(-3.0 * h / 0.4);
  const AxisMotion motion = flow(axis, F, 0.0, h);
  EXPECT_NEAR(motion.speed, v_end * (1.0 - decay), kRounding);
  EXPECT_NEAR(motion.way, v_end * (h - 0.4 / 3.0 * (1.0 - decay)), kRounding);
}

TEST(AxisFlow, AForceWithinTheDryFrictionMovesNothing) {
  for (const double F : {-0.5, -0.2, 0.0, 0.5}) {
    const AxisMotion motion = flow({0.4, 3.0, 0.5}, F, 0.0, 0.3);
    EXPECT_EQ(motion.way, 0.0);
    EXPECT_EQ(motion.speed, 0.0);
  }
}

TEST(AxisFlow, ASlidingMassComesToRestAfterTheWayThatItsEnergyPaysFor) {
  const Axis axis{2.0, 0.0, 5.0};
  const AxisMotion motion = flow(axis, 0.0, -3.0, 10.0);
  EXPECT_EQ(motion.speed, 0.0);
  EXPECT_NEAR(motion.way, -0.5 * 2.0 * 9.0 / 5.0, kRounding);  // m v^2/2 = f_c |x|
}

TEST(AxisFlow, AForceBeyondTheFrictionTurnsTheMotionRound) {
  // Without damping: stops after v m/(F + f_c), then goes with (F - f_c)/m.
  const Axis axis{2.0, 0.0, 1.0};
  const double stop = 3.0 * 2.0 / (4.0 + 1.0), left = 2.0 - stop;
  const AxisMotion motion = flow(axis, -4.0, 3.0, 2.0);
  EXPECT_NEAR(motion.speed, -1.5 * left, kRounding);
  EXPECT_NEAR(motion.way, 0.5 * 3.0 * stop - 0.5 * 1.5 * left * left, kRounding);
}

TEST(AxisFlow, TwoPiecesMakeTheWhole) {
  Random random(7);
  constexpr double kPieces = 2e-13;  // the damped flow near its stop cancels some digits
  for (int i = 0; i < 10000; ++i) {
    const Axis axis{0.1 + random.uniform(), i % 3 == 0 ? 0.0 : 5.0 * random.uniform(),
                    i % 2 == 0 ? 0.0 : random.uniform()};
    const double F = 4.0 * random.uniform() - 2.0, v = 2.0 * random.uniform() - 1.0, h = random.uniform();
    const double first = h * random.uniform();
    const AxisMotion whole = flow(axis, F, v, h), one = flow(axis, F, v, first),
                     two = flow(axis, F, one.speed, h - first);
    ASSERT_NEAR(whole.speed, two.speed, kPieces * 10.0) << i;
    ASSERT_NEAR(whole.way, one.way + two.way, kPieces * 10.0) << i;
  }
}

TEST(AxisFlow, DampingThatGoesToZeroGivesTheUndampedMotion) {
  const AxisMotion none = flow({1.0, 0.0, 0.0}, 2.0, 0.5, 0.1);
  for (const double B : {1e-12, 1e-9, 1e-7}) {
    const AxisMotion little = flow({1.0, B, 0.0}, 2.0, 0.5, 0.1);
    EXPECT_NEAR(little.speed, none.speed, 0.1 * B + kRounding);
    EXPECT_NEAR(little.way, none.way, 0.01 * B + kRounding);
  }
}

// What viscous friction burns, by the sum of B v^2 over twenty thousand parts of the way: with and without dry friction, turning round and sticking on the way.
TEST(AxisFlow, ViscousFrictionBurnsWhatIsLeftOfTheWork) {
  constexpr double h = 0.05;
  constexpr int kParts = 20000;
  constexpr double kRule = 1e-6;  // of the sum: each part at its mean speed, and one in which it turns round
  for (const double friction : {0.0, 0.4})
    for (const double force : {-2.0, 0.0, 0.3, 5.0})
      for (const double speed : {-1.0, 0.0, 0.7}) {
        const Axis axis{0.3, 2.0, friction};
        const AxisMotion whole = flow(axis, force, speed, h);
        double v = speed, burnt = 0.0, distance = 0.0;
        for (int i = 0; i < kParts; ++i) {
          const AxisMotion part = flow(axis, force, v, h / kParts);
          burnt += axis.damping * part.way * part.way * kParts / h;
          distance += std::abs(part.way);
          v = part.speed;
        }
        EXPECT_NEAR(viscous_loss(axis, force, speed, whole), burnt, kRule * (0.01 + burnt))
            << friction << force << speed;
        if (friction > 0.0) {
          EXPECT_NEAR(whole.distance, distance, kRule);
        }
      }
}

// Between walls: the same motion until the way ends, and there what the wall takes closes the books: F x =
// friction + viscous loss + change of m v^2/2 + struck.
TEST(AxisFlow, AtAWallItStopsOrTurnsAwayAndTheWallTakesItsEnergy) {
  const Axis axis{0.4, 3.0, 0.5};
  const double F = 2.0, h = 0.3, v_end = (F - 0.5) / 3.0;
  const AxisMotion free = flow(axis, F, 0.0, h);
  const AxisMotion unhindered = flow_between(axis, F, 0.0, h, -1.0, 1.01 * free.way);
  EXPECT_EQ(unhindered.way, free.way);
  EXPECT_EQ(unhindered.speed, free.speed);
  EXPECT_EQ(unhindered.struck, 0.0);
  for (const double side : {1.0, -1.0}) {
    const double wall = 0.5 * free.way;
    const AxisMotion held =
        flow_between(axis, side * F, 0.0, h, side > 0 ? -1.0 : -wall, side > 0 ? wall : 1.0);
    EXPECT_EQ(held.way, side * wall);
    EXPECT_EQ(held.speed, 0.0);
    EXPECT_NEAR(held.distance, wall, kRounding);
    // By its closed form: when it is there, how fast it is then, and what B v^2 is until then.
    double before = 0.0, after = h;
    const double tau = 0.4 / 3.0;
    for (int k = 0; k < 60; ++k) {
      const double t = 0.5 * (before + after);
      (v_end * (t - tau * (1.0 - std::exp(-t / tau))) > wall ? after : before) = t;
    }
    const double v = v_end * (1.0 - std::exp(-before / tau));
    EXPECT_NEAR(held.struck, 0.5 * 0.4 * v * v, kRounding);
    const double burnt = 3.0 * v_end * v_end *
                         (before - 2.0 * tau * (1.0 - std::exp(-before / tau)) +
                          0.5 * tau * (1.0 - std::exp(-2.0 * before / tau)));
    EXPECT_NEAR(viscous_loss(axis, side * F, 0.0, held), burnt, kRounding);
  }
  // At the wall already, pushed against it: nothing moves, and nothing is struck.
  const AxisMotion pressed = flow_between(axis, F, 0.0, h, -1.0, 0.0);
  EXPECT_EQ(pressed.way, 0.0);
  EXPECT_EQ(pressed.struck, 0.0);
  // Thrown at it against a force: it stops there, and the force takes it back from rest.
  const Axis bare{0.4, 0.0, 0.0};
  const double arrives = (1.0 - std::sqrt(1.0 - 2.0 * 2.0 * 0.1)) / 2.0;  // 0.1 = t - 2 t^2/2
  const AxisMotion back = flow_between(bare, -2.0 * 0.4, 1.0, h, -1.0, 0.1);
  EXPECT_NEAR(back.speed, -2.0 * (h - arrives), 1e-12);
  EXPECT_NEAR(back.way, 0.1 - (h - arrives) * (h - arrives), 1e-12);
  EXPECT_NEAR(back.struck, 0.5 * 0.4 * (1.0 - 2.0 * 2.0 * 0.1), 1e-12);
}

// A force that is no number makes a way that is none, and is not taken for a wall.
TEST(AxisFlow, WhatIsNoNumberIsNoWall) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double friction : {0.0, 0.5})
    EXPECT_TRUE(std::isnan(flow_between({0.4, 3.0, friction}, none, 0.0, 1e-3, -1.0, 1.0).way)) << friction;
}

}  // namespace
}  // namespace tactus::device
