// What every driver keeps to, each on a fake of its hardware: units, axes, forces that are off when they should be, loss.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/math/rotation_vector.h>

#include "fakes/evdev_fake.h"
#include "fakes/force_dimension_bench.h"
#include "fakes/haply_bench.h"
#include "fakes/open_haptics_bench.h"
#include "fakes/pointer_bench.h"
#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::device {
namespace {

using support::larger;
using test::Bench;
using test::soon;
using Vec3 = math::Vec3<double>;

struct Case {
  const char* name;
  test::MakeBench make;
};

class EveryDriver : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Bench> bench_ = GetParam().make();
  std::unique_ptr<Device> device_ = bench_->open();

  /// A wrench along every axis that has a motor, well within the peak.
  Vector6 some_wrench() const {
    const Specification& s = device_->specification();
    const Vector6 shape{0.3, -0.2, 0.25, 0.3, -0.2, 0.25};
    Vector6 wrench{};
    for (std::size_t i = 0; i < 6; ++i)
      if (has_axis(s.actuated, i)) wrench[i] = shape[i] * s.peak[i / 3];
    return wrench;
  }
  double away_from(const Vector6& wrench) const { return support::difference(bench_->wrench(), wrench); }
  bool fake_gives(const Vector6& wrench) const {
    return soon([&] { return away_from(wrench) <= bench_->force_fineness(); });
  }
  bool told(const Vector6& wrench) { return device_->command({.wrench = wrench, .X_WH = {}, .V_WH = {}}); }
  /// Told `wrench` tick after tick, it gives `expected` soon.
  bool gives(const Vector6& wrench, const Vector6& expected) {
    return soon(
        [&] { return device_->wait() && told(wrench) && away_from(expected) <= bench_->force_fineness(); });
  }
  bool gives(const Vector6& wrench) { return gives(wrench, wrench); }
  /// The newest sample, after those on their way.
  Sample sample() {
    Sample sample;
    for (int k = 0; k <= bench_->settles_in() + 1; ++k) EXPECT_TRUE(device_->wait());
    EXPECT_TRUE(device_->read(sample));
    return sample;
  }
  void expect_lost() {
    int waits = 1;
    while (device_->wait() && waits <= bench_->on_their_way() + 1) ++waits;
    EXPECT_LE(waits, bench_->on_their_way() + 1);
    EXPECT_EQ(device_->state(), State::lost);
    Sample sample;
    EXPECT_FALSE(device_->read(sample));
    EXPECT_FALSE(told(some_wrench()));
    EXPECT_FALSE(device_->enable());  // not by itself
    EXPECT_EQ(device_->state(), State::lost);
    EXPECT_FALSE(device_->wait());
    EXPECT_GT(device_->trouble().size(), 20u) << device_->trouble();  // a sentence
  }
};

TEST_P(EveryDriver, HasASpecificationThatHoldsTogether) {
  const Specification& s = device_->specification();
  EXPECT_EQ(s.name, bench_->name());
  EXPECT_FALSE(s.description.empty());
  EXPECT_GT(s.rate, 0.0);
  EXPECT_NE(s.sensed, kNoAxes);
  EXPECT_EQ(s.actuated & ~s.sensed, 0);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_GE(s.peak[k], s.continuous[k]);
  EXPECT_GT(s.stiffness, 0.0);
  EXPECT_TRUE(s.owns_clock);
}

TEST_P(EveryDriver, StartsOffAndGivesNoForce) {
  EXPECT_EQ(device_->state(), State::off);
  EXPECT_EQ(device_->trouble(), "");
  Sample sample;
  EXPECT_FALSE(device_->read(sample));  // none yet
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(device_->wait() && device_->read(sample));
    EXPECT_FALSE(told(some_wrench()));
    EXPECT_EQ(bench_->wrench(), Vector6{});
  }
  EXPECT_EQ(device_->state(), State::off);
}

TEST_P(EveryDriver, CountsItsSamplesAndItsClockGoesOn) {
  Sample sample;
  double before = -1.0;
  for (std::uint64_t k = 1; k <= 50; ++k) {
    ASSERT_TRUE(device_->wait() && device_->read(sample));
    EXPECT_EQ(sample.number, k);
    EXPECT_GT(sample.t, before);
    before = sample.t;
  }
  // Never faster than its rate: 49 periods, less what the first and the last may be late.
  EXPECT_GT(before, 40.0 / device_->specification().rate);
}

TEST_P(EveryDriver, TellsTheHandlesPlaceInMetresRadiansAndWorldAxes) {
  const std::uint8_t axes = device_->specification().sensed;
  const auto [p, theta] = std::pair{Vec3{0.011, 0.023, -0.017}, Vec3{0.1, -0.3, 0.2}};
  Vec3 p_seen{}, theta_seen{};  // along axes that are sensed
  for (std::size_t i = 0; i < 3; ++i) {
    if (has_axis(axes, i)) theta_seen[i] = theta[i];
    if (has_axis(axes, 3 + i)) p_seen[i] = p[i];
  }
  bench_->put(p_seen, theta_seen);
  const Sample got = sample();
  const Vec3 turned = math::rotation_vector(got.X_WH.R);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(got.X_WH.p[i], p_seen[i], bench_->fineness()) << i;
    EXPECT_NEAR(turned[i], theta_seen[i], bench_->fineness()) << i;
  }
}

TEST_P(EveryDriver, GivesTheForceThatItIsToldAlongTheWorldsAxes) {
  ASSERT_TRUE(device_->enable());
  EXPECT_EQ(device_->state(), State::enabled);
  const Vector6 whole = some_wrench();
  for (std::size_t i = 0; i < 6; ++i) {
    Vector6 one{};
    one[i] = whole[i];
    EXPECT_TRUE(gives(one)) << i << " off by " << away_from(one);
  }
  EXPECT_TRUE(gives(whole)) << away_from(whole);
}

TEST_P(EveryDriver, GivesItsPeakAtMostInTheSameDirection) {
  ASSERT_TRUE(device_->enable());
  Vector6 much = some_wrench(), most = much;
  for (std::size_t k = 0; k < 2; ++k) {
    const double size = std::hypot(much[3 * k], much[3 * k + 1], much[3 * k + 2]);
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) {
      if (size > 0.0) most[i] *= device_->specification().peak[k] / size;
      much[i] *= 1e6;
    }
  }
  EXPECT_TRUE(gives(much, most)) << away_from(most);
}

TEST_P(EveryDriver, RefusesACommandThatIsNotFiniteAndSwitchesTheForceOff) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const std::size_t i : {2u, 3u}) {
      ASSERT_TRUE(device_->enable());
      ASSERT_TRUE(gives(some_wrench()));
      Vector6 wrench = some_wrench();
      wrench[i] = bad;
      EXPECT_FALSE(told(wrench));
      EXPECT_TRUE(fake_gives({}));
    }
}

TEST_P(EveryDriver, DisablingTakesTheForceAwayAndEnablingDoesNotBringItBack) {
  ASSERT_TRUE(device_->enable());
  ASSERT_TRUE(gives(some_wrench()));
  device_->disable();
  EXPECT_EQ(device_->state(), State::off);
  EXPECT_TRUE(fake_gives({}));
  EXPECT_FALSE(told(some_wrench()));
  ASSERT_TRUE(device_->enable());
  ASSERT_TRUE(device_->wait());
  EXPECT_EQ(bench_->wrench(), Vector6{});
}

TEST_P(EveryDriver, ClosingTakesTheForceAwayAndItCanBeOpenedAgain) {
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(device_->enable());
    ASSERT_TRUE(gives(some_wrench()));
    device_.reset();
    EXPECT_TRUE(fake_gives({}));
    device_ = bench_->open();
  }
}

TEST_P(EveryDriver, IsLostWhenItIsUnplugged) {
  ASSERT_TRUE(device_->enable());
  (void)sample();
  bench_->unplug();
  expect_lost();
}

TEST_P(EveryDriver, IsLostWhenItSaysWhatCannotBe) {
  ASSERT_TRUE(device_->enable());
  ASSERT_TRUE(gives(some_wrench()));
  bench_->spoil();
  expect_lost();
  EXPECT_TRUE(fake_gives({}));  // it still hears
}

TEST_P(EveryDriver, AllocatesNothingInTheLoop) {
  ASSERT_TRUE(device_->enable());
  Sample sample;
  const Command command{.wrench = some_wrench(), .X_WH = {}, .V_WH = {}};
  const long before = tactus::test::allocation_count_of_this_thread();
  for (int k = 0; k < 50; ++k) {
    device_->wait();
    device_->read(sample);
    device_->command(command);
  }
  EXPECT_EQ(tactus::test::allocation_count_of_this_thread(), before);
  EXPECT_EQ(sample.number, 50u);
}

template <class B>
Case on(const char* name) {
  return {name, [] { return std::make_unique<B>(); }};
}
INSTANTIATE_TEST_SUITE_P(Drivers, EveryDriver,
                         ::testing::Values(on<test::ForceDimensionBench>("ForceDimension"),
                                           on<test::OpenHapticsBench>("OpenHaptics"),
                                           on<test::HaplyBench>("Haply"),
                                           on<test::EvdevJoystickBench>("Joystick"),
                                           on<test::EvdevWheelBench>("Wheel"),
                                           on<test::PointerBench>("Pointer")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tactus::device
