// Hands: what they mean to do, and that they do the same twice.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/device/hand.h>
#include <tactus/device/random.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::device {
namespace {

constexpr double kRounding = 1e-14;

TEST(Hand, AnArmPullsTowardsItsIntention) {
  const Arm arm{{2.0, 100.0}, {0.1, 3.0}};
  const HandPointer hand = following([](double) { return Intention{{0.1, 0, 0}, {0, 0, 0.3}}; }, arm);
  const math::Pose<double> X_WH{math::rotation_z(std::cos(0.1), std::sin(0.1)), {0.04, 0.02, 0}};
  const Grip grip = hand->grip(0.0, X_WH);
  const Vector6 expected{0, 0, 2.0 * 0.2, 6.0, -2.0, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(grip.wrench[i], expected[i], kRounding) << i;
  EXPECT_EQ(grip.damping, arm.damping);
}

// However heavy what it moves is; and one that is made softer is damped as well as it was.
TEST(Hand, AnArmThatIsChosenStaysWithinWhatIsBorne) {
  for (const double load : {1e-3, 0.3, 20.0, 1e3}) {
    const Arm arm = arm_for({load, load}), any = within({}, arm);
    EXPECT_EQ(any.stiffness, arm.stiffness);
    EXPECT_EQ(any.damping, arm.damping);
    for (const double share : {0.9, 0.1}) {
      HandLimits most;
      most.stiffness = {share * arm.stiffness[0], share * arm.stiffness[1]};
      const Arm soft = within(most, arm);
      for (const std::size_t k : {0, 1}) {
        EXPECT_EQ(soft.stiffness[k], most.stiffness[k]);
        EXPECT_NEAR(soft.damping[k] / std::sqrt(soft.stiffness[k]),
                    arm.damping[k] / std::sqrt(arm.stiffness[k]), 1e-12 * arm.damping[k]);
      }
      most.damping = {share * soft.damping[0], share * soft.damping[1]};
      const Arm both = within(most, arm);
      for (const std::size_t k : {0, 1}) {
        EXPECT_EQ(both.damping[k], most.damping[k]);
        EXPECT_LE(both.stiffness[k], most.stiffness[k]);
      }
    }
  }
}

TEST(Hand, StrokesCirclesAndTapsBeginAtTheStartAndCoverTheirWay) {
  const math::Vec3<double> way{0, 0.2, 0};
  for (const Path& path : {strokes(way, 2.0), taps(way, 2.0), circles(way, {0.2, 0, 0}, 2.0)}) {
    EXPECT_NEAR(path(0.0).p.y, 0.0, kRounding);
    double farthest = 0.0, jump = 0.0;
    for (double t = 0.0; t < 6.0; t += 1e-3) {
      farthest = support::larger(farthest, path(t).p.y);
      jump = support::larger(jump, std::abs(path(t + 1e-3).p.y - path(t).p.y));
    }
    EXPECT_GT(farthest, 0.1999);
    EXPECT_LT(jump, 5e-3);  // 5 m/s: no path jumps
  }
  EXPECT_NEAR(strokes(way, 2.0)(1.0).p.y, 0.2, kRounding);
  EXPECT_NEAR(strokes(way, 2.0)(0.5).p.y, 0.1, kRounding);
  EXPECT_EQ(taps(way, 2.0)(1.3).p.y, 0.0);  // rests for 0.7 of the period
}

TEST(Hand, OneThatLetsGoDoesNothingAfterwards) {
  const HandPointer hand = letting_go(constant({0, 0, 0, 1, 2, 3}), 1.0);
  EXPECT_EQ(hand->grip(0.999, {}).wrench[5], 3.0);
  EXPECT_EQ(hand->grip(1.0, {}).wrench, Vector6{});
}

TEST(Hand, TrembleIsBoundedAndTheSameForTheSameSeed) {
  const HandPointer one = trembling(none(), 0.5, 3), same = trembling(none(), 0.5, 3),
                    other = trembling(none(), 0.5, 4);
  double most = 0.0;
  for (double t = 0.0; t < 20.0; t += 1e-3) {
    const Vector6 F = one->grip(t, {}).wrench;
    EXPECT_EQ(F, same->grip(t, {}).wrench);
    for (std::size_t i = 3; i < 6; ++i) most = support::larger(most, std::abs(F[i]));
  }
  EXPECT_LE(most, 0.5);
  EXPECT_GT(most, 0.25);
  EXPECT_NE(one->grip(0.1, {}).wrench, other->grip(0.1, {}).wrench);
}

// At a lever the same tremor turns: what was a force is a torque of force times lever, and no force is left.
TEST(Hand, TrembleOfAHandThatTurnsIsATorque) {
  constexpr double kForce = 2.0, kLever = 0.15;
  const HandPointer pulls = trembling(none(), kForce, 3), turns = trembling(none(), kForce, 3, kLever);
  double most = 0.0;
  for (double t = 0.0; t < 20.0; t += 1e-3) {
    const Vector6 F = pulls->grip(t, {}).wrench, T = turns->grip(t, {}).wrench;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NEAR(T[i], kLever * F[3 + i], kRounding) << t;
      ASSERT_EQ(T[3 + i], 0.0);
      ASSERT_EQ(F[i], 0.0);
      most = support::larger(most, std::abs(T[i]));
    }
  }
  EXPECT_GT(most, 0.5 * kForce * kLever);
}

// Within its ways, no faster than sines of its shortest period, and far enough to be a motion.
TEST(Hand, WanderingIsBoundedAndTheSameForTheSameSeed) {
  const math::Vec3<double> ahead{0.1, 0, 0}, aside{0, 0.02, 0};
  constexpr double kPeriod = 2.0, kStep = 1e-3, kTurn = 6.283185307179586;
  const Path path = wanders(ahead, aside, kPeriod, 5), same = wanders(ahead, aside, kPeriod, 5),
             other = wanders(ahead, aside, kPeriod, 6);
  EXPECT_EQ(path(0.0).p.x, 0.0);
  double most_x = 0.0, most_y = 0.0, fastest = 0.0;
  for (double t = 0.0; t < 60.0; t += kStep) {
    const math::Vec3<double> p = path(t).p;
    ASSERT_EQ(p.x, same(t).p.x);
    ASSERT_EQ(p.y, same(t).p.y);
    most_x = support::larger(most_x, std::abs(p.x));
    most_y = support::larger(most_y, std::abs(p.y));
    EXPECT_EQ(p.z, 0.0);
    if (t > kPeriod) fastest = support::larger(fastest, std::abs(path(t + kStep).p.x - p.x) / kStep);
  }
  EXPECT_LE(most_x, 0.1);
  EXPECT_LE(most_y, 0.02);
  EXPECT_GT(most_x, 0.04);
  EXPECT_GT(most_y, 0.008);
  EXPECT_LE(fastest, 0.1 * kTurn / kPeriod);
  EXPECT_NE(path(1.0).p.x, other(1.0).p.x);
}

TEST(Random, IsSplitMix) {
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);  // the published sequence of this seed
  EXPECT_EQ(random.bits(), 3203168211198807973u);
}

TEST(RotationVector, IsTheInverseOfTheExponential) {
  Random random(5);
  constexpr double kTurns = 4e-15;  // of angles up to pi
  for (int i = 0; i < 2000; ++i) {
    const double size = i % 4 == 0 ? 1e-7 : 3.0;
    math::Vec3<double> v;
    for (std::size_t k = 0; k < 3; ++k) v[k] = size * (random.uniform() - 0.5);
    const math::Vec3<double> back = rotation_vector(math::exponential(v)),
                             round = rotation_vector(math::rotation_of(math::exponential(v)));
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(back[k], v[k], kTurns) << i;
      ASSERT_NEAR(round[k], v[k], kTurns) << i;
    }
  }
}

}  // namespace
}  // namespace tactus::device
