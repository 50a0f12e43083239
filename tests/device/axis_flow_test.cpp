// One axis with viscous and dry friction, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace tactus::device
