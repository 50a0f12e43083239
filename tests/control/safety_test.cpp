// What stands between a controller and a hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <tactus/control/safety.h>
#include <tactus/device/random.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::control {
namespace {

constexpr double T = 1e-3;
constexpr double kRounding = 1e-12;

device::Sample sample(std::uint64_t number) {
  device::Sample s;
  s.number = number;
  s.t = T * static_cast<double>(number);
  return s;
}

SafetyLimits limits() {
  SafetyLimits l;
  l.force = {1.0, 10.0};
  l.workspace = {0.2, 0.2, 0.2};
  l.speed = {20.0, 2.0};
  l.ramp = 0.0;
  return l;
}

/// Some ticks into a run that goes well.
Safety running(const SafetyLimits& l = limits()) {
  Safety safety(l, T);
  safety.enable();
  for (std::uint64_t k = 1; k <= 5; ++k) {
    EXPECT_TRUE(safety.observe(sample(k), T));
    safety.limited({0, 0, 0, 1, 0, 0});
  }
  return safety;
}

TEST(Safety, GivesNothingUntilItIsEnabledAndThenRamps) {
  SafetyLimits l = limits();
  l.ramp = 0.1;
  Safety safety(l, T);
  EXPECT_TRUE(safety.observe(sample(1), T));
  EXPECT_EQ(safety.limited({1, 1, 1, 5, 5, 5}), Vector6{});
  ASSERT_TRUE(safety.enable());
  for (std::uint64_t k = 2; k <= 150; ++k) {
    ASSERT_TRUE(safety.observe(sample(k), T));
    const double part = std::min(1.0, 0.01 * static_cast<double>(k - 1));
    ASSERT_NEAR(safety.limited({0, 0, 0, 5, 0, 0})[3], 5.0 * part, kRounding);
  }
  EXPECT_EQ(safety.memory().stage, Stage::on);
}

TEST(Safety, ClampsForceAndTorqueAlongTheirDirections) {
  Safety safety = running();
  const Vector6 F = safety.limited({0, 3, 4, 30, 40, 0});
  EXPECT_NEAR(F[1], 0.6, kRounding);
  EXPECT_NEAR(F[2], 0.8, kRounding);
  EXPECT_NEAR(F[3], 6.0, kRounding);
  EXPECT_NEAR(F[4], 8.0, kRounding);
}

// What a spring holds is never less than what it gives: it lets go at once, and grows by the clamp's step.
TEST(Safety, ACouplersWrenchShrinksAtOnceGrowsByItsRateAndIsToldWhatThatTook) {
  SafetyLimits l = limits();
  l.force = {};
  l.force_rate = {0.0, 500.0};  // 0.5 N in a tick
  Safety safety = running(l);
  device::Random random(4);
  std::uint64_t k = 6;
  for (int i = 0; i < 500; ++i, ++k) {
    ASSERT_TRUE(safety.observe(sample(k), T));
    Vector6 wanted{};
    for (const std::size_t j : {3u, 4u, 5u}) wanted[j] = 6.0 * (random.uniform() - 0.5);
    const Vector6 last = safety.memory().own, F = safety.limited(wanted, {}, Entry::by_itself);
    const auto size = [](const Vector6& v) { return std::hypot(v[3], v[4], v[5]); };
    EXPECT_LE(size(F), size(wanted) + kRounding);
    EXPECT_LE(size(F), size(last) + 0.5 * T / 1e-3 + kRounding);
    for (std::size_t j = 3; j < 6; ++j)
      EXPECT_NEAR(F[j] + safety.memory().taken[j], wanted[j], kRounding) << i;
    // Towards less, nothing is taken.
    Vector6 less = F;
    for (double& f : less) f *= 0.3;
    ASSERT_TRUE(safety.observe(sample(++k), T));
    EXPECT_EQ(safety.limited(less, {}, Entry::by_itself), less);
    EXPECT_EQ(safety.memory().taken, Vector6{});
  }
}

// What an admittance device senses acts at once: its own size and rate are clamped, from the first tick of the ramp on.
TEST(Safety, ASensedWrenchIsClampedAsSuchDuringTheRamp) {
  SafetyLimits l = limits();
  l.ramp = 0.25;
  l.force_rate = {0.0, 1000.0};
  Safety safety(l, T);
  safety.enable();
  for (std::uint64_t k = 1; k <= 300; ++k) {
    ASSERT_TRUE(safety.observe(sample(k), T));
    const double expected = std::min(10.0, static_cast<double>(k));
    ASSERT_NEAR(safety.limited({0, 0, 0, 14.5, 0, 0}, {}, Entry::sensed)[3], expected, kRounding) << k;
    ASSERT_NEAR(safety.memory().ramped, std::min(1.0, static_cast<double>(k) / 250.0), kRounding);
  }
}

// A device that is sent beyond its end stands there, and nothing would say that the mechanism goes on alone.
TEST(Safety, StopsBeforeAPlaceOutsideTheWorkspace) {
  const auto after = [](double y) {
    SafetyLimits l = limits();
    l.workspace = {0.5, 0.3, 0.0};
    l.speed = {};
    Safety safety = running(l);
    safety.observe_motion({math::Mat3<double>::identity(), {0.5, y, 7.0}}, {});
    return safety.memory().fault;
  };
  EXPECT_EQ(after(0.3), Fault::none);  // the end itself, and an axis without one
  EXPECT_EQ(after(-0.3004), Fault::out_of_workspace);
  EXPECT_EQ(after(std::numeric_limits<double>::infinity()), Fault::bad_force);
}

// A wrench that comes by itself is let go at once; what points the other way grows from nothing, by the clamp.
TEST(Safety, AForceThatTurnsRoundGrowsFromNothing) {
  SafetyLimits l = limits();
  l.force = {0.0, 30.0};
  l.force_rate = {0.0, 3000.0};
  Safety safety = running(l);
  const auto next = [&](double F) { return safety.limited({0, 0, 0, F, 0, 0}, {}, Entry::by_itself)[3]; };
  EXPECT_NEAR(next(6.54), 4.0, kRounding);  // of 1 N before
  EXPECT_NEAR(next(6.54), 6.54, kRounding);
  EXPECT_NEAR(next(-9.0), -3.0, kRounding);
  EXPECT_NEAR(next(-9.0), -6.0, kRounding);
  EXPECT_NEAR(next(2.59), 2.59, kRounding);  // growth below the clamp
  EXPECT_NEAR(next(0.0), 0.0, kRounding);
}

TEST(Safety, StopsBeforeATurnBeyondTheWorkspace) {
  const auto after = [](double angle) {
    SafetyLimits l = limits();
    l.workspace_angle = 1.0;
    l.speed = {};
    Safety safety = running(l);
    safety.observe_motion({math::rotation_of(math::exponential({0.0, 0.6 * angle, 0.8 * angle})), {}}, {});
    return safety.memory().fault;
  };
  EXPECT_EQ(after(1.0), Fault::none);
  EXPECT_EQ(after(-1.002), Fault::turned_too_far);
}

// Twice what the limits of speed allow, 20 rad/s and 2 m/s: 0.04 rad and 4 mm in a tick.
TEST(Safety, StopsBeforeAPlaceThatIsFarFromTheOneBefore) {
  const auto at = [](double way, double angle) {
    return math::Pose<double>{math::rotation_of(math::exponential({0.0, 0.6 * angle, 0.8 * angle})),
                              {0.6 * way, 0.0, -0.8 * way}};
  };
  const auto after = [&](const std::vector<math::Pose<double>>& places) {
    Safety safety = running();
    for (const math::Pose<double>& X : places) {
      EXPECT_EQ(safety.memory().fault, Fault::none);
      safety.observe_motion(X, {});
    }
    return safety.memory().fault;
  };
  // The first by the place that was sensed, the others by the one before.
  EXPECT_EQ(after({at(0.0039, 0.039)}), Fault::none);
  EXPECT_EQ(after({at(0.0041, 0.0)}), Fault::implausible);
  EXPECT_EQ(after({at(0.0, 0.041)}), Fault::implausible);
  EXPECT_EQ(after({at(0.003, 0.03), at(0.0065, 0.065), at(0.01, 0.1)}), Fault::none);
  EXPECT_EQ(after({at(0.003, 0.03), at(0.0065, 0.065), at(0.002, 0.065)}), Fault::implausible);
  EXPECT_EQ(after({at(0.003, 0.03), at(0.003, 0.072)}), Fault::implausible);
  SafetyLimits unlimited = limits();
  unlimited.speed = {};
  Safety safety = running(unlimited);
  safety.observe_motion(at(0.15, 0.5), {});
  EXPECT_EQ(safety.memory().fault, Fault::none);

  // Enabled again, it begins where the handle is.
  Safety again = running();
  again.observe_motion(at(0.003, 0.0), {});
  again.observe_motion(at(0.006, 0.0), {});
  again.disable();
  again.enable();
  again.observe_motion(at(0.006, 0.0), {});
  EXPECT_EQ(again.memory().fault, Fault::implausible);
  again.clear();
  EXPECT_TRUE(again.observe(sample(7), T));
  again.enable();
  again.observe_motion(at(0.003, 0.0), {});
  EXPECT_EQ(again.memory().fault, Fault::none);
}

TEST(Safety, StopsBeforeAMotionThatIsTooFastOrNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto after = [](const Vector6& V, const SafetyLimits& l = limits()) {
    Safety safety = running(l);
    safety.observe_motion({}, V);
    return safety.memory().fault;
  };
  EXPECT_EQ(after({0, 0, 19, 0, 1.9, 0}), Fault::none);
  EXPECT_EQ(after({0, 15, 15, 0, 0, 0}), Fault::too_fast);
  EXPECT_EQ(after({0, 0, 0, 0, -2.1, 0}), Fault::too_fast);
  EXPECT_EQ(after({0, 0, nan, 0, 0, 0}), Fault::bad_force);
  SafetyLimits unlimited = limits();
  unlimited.speed = {};
  EXPECT_EQ(after({0, 1e9, 0, 0, 1e9, 0}, unlimited), Fault::none);
  EXPECT_EQ(after({0, 0, 0, 0, nan, 0}, unlimited), Fault::bad_force);
}

TEST(Safety, ClampsTheRateOfChange) {
  SafetyLimits l = limits();
  l.force_rate = {0.0, 500.0};
  Safety safety = running(l);
  double last = safety.memory().wrench[3];
  for (std::uint64_t k = 6; k < 40; ++k) {
    safety.observe(sample(k), T);
    const double F = safety.limited({0, 0, 0, 9, 0, 0})[3];
    EXPECT_LE(std::abs(F - last), 0.5 + kRounding);
    last = F;
  }
  EXPECT_NEAR(last, 9.0, kRounding);
}

TEST(Safety, ClampsThePowerGivenToTheHandleAndNotWhatItTakes) {
  SafetyLimits l = limits();
  l.power = 2.0;
  Safety safety = running(l);
  device::Sample s = sample(6);
  s.V_WH[3] = 1.0;
  ASSERT_TRUE(safety.observe(s, T));
  EXPECT_NEAR(safety.limited({0, 0, 0, 8, 0, 0})[3], 2.0, kRounding);
  EXPECT_NEAR(safety.limited({0, 0, 0, -8, 0, 0})[3], -8.0, kRounding);
}

// 10 N are held; the handle, at rest until now, suddenly moves away with them: however slowly forces may change, the power holds in that tick.
TEST(Safety, PowerHasTheLastWordAndForcesComeBackByTheirRate) {
  SafetyLimits l = limits();
  l.power = 1.0;
  l.force_rate = {0.0, 100.0};
  Safety safety = running(l);
  std::uint64_t number = 5;
  for (; number < 205; ++number) {
    ASSERT_TRUE(safety.observe(sample(number + 1), T));
    safety.limited({0, 0, 0, 10, 0, 0});
  }
  ASSERT_NEAR(safety.memory().wrench[3], 10.0, kRounding);
  device::Sample s = sample(++number);
  s.V_WH[3] = 1.0;
  ASSERT_TRUE(safety.observe(s, T));
  EXPECT_NEAR(safety.limited({0, 0, 0, 10, 0, 0})[3], 1.0, kRounding);
  for (int k = 0; k < 20; ++k) {
    const double last = safety.memory().wrench[3];
    ASSERT_TRUE(safety.observe(sample(++number), T));
    EXPECT_NEAR(safety.limited({0, 0, 0, 10, 0, 0})[3], last + 0.1, kRounding);
  }
}

TEST(Safety, ClampsTheRateAtWhichPowerGrows) {
  SafetyLimits l = limits();
  l.power = 4.0;
  l.power_rate = 100.0;
  Safety safety = running(l);
  double last = safety.memory().power;
  for (std::uint64_t k = 6; k < 100; ++k) {
    device::Sample s = sample(k);
    s.V_WH[3] = 1.0;
    ASSERT_TRUE(safety.observe(s, T));
    const double power = safety.limited({0, 0, 0, 8, 0, 0})[3];
    EXPECT_LE(power, last + 0.1 + kRounding);
    EXPECT_LE(power, 4.0 + kRounding);
    last = power;
  }
  EXPECT_NEAR(last, 4.0, kRounding);
}

// By every device's own limits the power is that of its force at the speed of a quick stroke: a wheel's, too.
TEST(Safety, TheLimitsOfADeviceBindItsPower) {
  device::Specification s;
  s.continuous = {0.4, 8.0};
  EXPECT_NEAR(limits_for(s).power, 12.0, kRounding);
  EXPECT_LT(limits_for(s).power, s.continuous[1] * limits_for(s).speed[1]);
  s.continuous = {1.0, 0.0};
  EXPECT_NEAR(limits_for(s).power, 10.0, kRounding);
  EXPECT_GT(limits_for(s).power_rate, 0.0);
}

// What a guard adds stays within the clamps, and what of it is cut is nobody's.
TEST(Safety, AGuardStaysWithinWhatTheClampsLeave) {
  SafetyLimits l = limits();
  l.force_rate = {0.0, 1000.0};
  Safety safety = running(l);
  double last = safety.memory().wrench[3];
  for (std::uint64_t k = 6; k < 60; ++k) {
    ASSERT_TRUE(safety.observe(sample(k), T));
    const double guard = k % 2 == 0 ? 50.0 : -50.0;
    const double F = safety.limited({0, 0, 0, 6, 0, 0}, {0, 0, 0, guard, 0, 0})[3];
    EXPECT_LE(std::abs(F), 10.0 + kRounding);
    EXPECT_LE(std::abs(F - last), 1.0 + kRounding);
    EXPECT_NEAR(safety.memory().own[3], std::min(6.0, 1.0 + static_cast<double>(k - 5)), kRounding);
    last = F;
  }
  // Without it the rest of it goes by the same rate.
  for (std::uint64_t k = 60; k < 80; ++k) {
    ASSERT_TRUE(safety.observe(sample(k), T));
    last = safety.limited({0, 0, 0, 6, 0, 0})[3];
  }
  EXPECT_EQ(last, safety.memory().own[3]);
}

TEST(Safety, StopsWhereEnergyComesFromNowhere) {
  SafetyLimits l = limits();
  l.made = 0.1;
  l.made_share = 0.05;
  for (const auto& [made, turned, stored, fault] : {std::tuple{0.1, 0.0, 0.0, Fault::none},
                                                    {0.11, 0.0, 0.0, Fault::unbalanced},
                                                    {0.6, 10.0, 0.0, Fault::none},
                                                    {0.61, 10.0, 0.0, Fault::unbalanced},
                                                    {0.61, 10.0, 0.1, Fault::none},
                                                    {std::nan(""), 1.0, 0.0, Fault::unbalanced}}) {
    Safety safety = running(l);
    safety.observe_energy(made, turned, stored);
    EXPECT_EQ(safety.memory().fault, fault) << made;
  }
  EXPECT_GT(limits_for({}).made, 0.0);
  // What is known to a factor of ten has ten times the room.
  Safety rough = running(l);
  rough.observe_energy(6.1, 10.0, 0.0, 10.0);
  EXPECT_EQ(rough.memory().fault, Fault::unbalanced);
  Safety within = running(l);
  within.observe_energy(5.9, 10.0, 0.0, 10.0);
  EXPECT_EQ(within.memory().fault, Fault::none);
}

TEST(Safety, AReasonHasItsNumbers) {
  SafetyLimits l = limits();
  l.made = 0.1;
  l.apart = 2.0;
  l.speed = {0.0, 5.0};
  const auto said = [&](auto&& observe) {
    Safety safety = running(l);
    observe(safety);
    EXPECT_TRUE(safety.faulted());
    const std::string words = said_of(safety.memory());
    EXPECT_TRUE(words.starts_with(meaning_of(safety.memory().fault))) << words;
    return words.substr(meaning_of(safety.memory().fault).size());
  };
  EXPECT_EQ(said([](Safety& s) { s.observe_energy(0.25, 0.0, 0.0); }), " (0.25 J, 0.1 J is the limit)");
  EXPECT_EQ(said([](Safety& s) { s.observe_distance(3.5); }), " (3.5 m, 2 m is the limit)");
  EXPECT_EQ(said([](Safety& s) {
              s.observe_motion({}, {0, 0, 0, 3, 4, 12});
            }),
            " (13 m/s, 5 m/s is the limit)");
  EXPECT_EQ(said([](Safety& s) {
              device::Sample next = sample(9);
              next.t = s.memory().last.t + T;
              s.observe(next, T);
            }),
            " (3 missing)");
  // What is no number, and what is no matter of numbers, has none.
  EXPECT_EQ(said([](Safety& s) { s.observe_distance(std::nan("")); }), "");
  EXPECT_EQ(said([](Safety& s) { s.trip(Fault::refused); }), "");
}

TEST(Safety, EveryReasonEndsInNoForceInTheSameTick) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto faulted_by = [](const device::Sample& s, double elapsed = T) {
    Safety safety = running();
    EXPECT_FALSE(safety.observe(s, elapsed));
    EXPECT_EQ(safety.limited({0, 0, 0, 5, 0, 0}), Vector6{});
    EXPECT_EQ(safety.share(), 0.0);
    EXPECT_FALSE(safety.enable());  // not without clear()
    return safety.memory().fault;
  };
  device::Sample s = sample(6);
  s.V_WH[2] = nan;
  EXPECT_EQ(faulted_by(s), Fault::bad_sample);
  s = sample(6);
  s.X_WH.p.y = nan;
  EXPECT_EQ(faulted_by(s), Fault::bad_sample);
  EXPECT_EQ(faulted_by(sample(5)), Fault::stale_sample);
  EXPECT_EQ(faulted_by(sample(7)), Fault::skipped_sample);
  s = sample(6);
  s.t = sample(5).t;
  EXPECT_EQ(faulted_by(s), Fault::clock_stopped);
  EXPECT_EQ(faulted_by(sample(6), 0.05), Fault::late);
  EXPECT_EQ(faulted_by(sample(6), nan), Fault::late);
  s = sample(6);
  s.X_WH.p.x = 0.15;
  EXPECT_EQ(faulted_by(s), Fault::implausible);
  s.X_WH.p.x = 0.25;
  EXPECT_EQ(faulted_by(s), Fault::out_of_workspace);
  s = sample(6);
  s.V_WH[5] = 2.1;
  EXPECT_EQ(faulted_by(s), Fault::too_fast);

  Safety safety = running();
  EXPECT_EQ(safety.limited({0, 0, 0, nan, 0, 0}), Vector6{});
  EXPECT_EQ(safety.memory().fault, Fault::bad_force);
}

// A limit that was lowered says what is too fast; what no motion explains is that which the device itself may
// have.
TEST(Safety, AMotionBeyondALoweredLimitIsTooFastAndNoJump) {
  SafetyLimits l = limits();
  l.plausible = l.speed;
  l.speed = {0.5, 0.05};
  const auto fault_of = [&](double way, double turn) {
    Safety safety = running(l);
    device::Sample s = sample(6);
    s.X_WH.p.x = way;
    s.X_WH.R = math::rotation_of(math::exponential(math::Vec3<double>{0.0, 0.0, turn}));
    safety.observe(s, T);
    return safety.memory();
  };
  EXPECT_EQ(fault_of(0.9e-4, 0.9e-3).fault, Fault::none);
  const SafetyMemory fast = fault_of(2e-4, 0.0);
  EXPECT_EQ(fast.fault, Fault::too_fast);
  EXPECT_NEAR(fast.found.value, 0.2, kRounding);  // [m/s]
  EXPECT_EQ(fast.found.limit, 0.05);
  EXPECT_EQ(fault_of(0.0, 2e-3).fault, Fault::too_fast);
  EXPECT_EQ(fault_of(3.9e-3, 0.0).fault, Fault::too_fast);
  EXPECT_EQ(fault_of(4.1e-3, 0.0).fault, Fault::implausible);
  EXPECT_EQ(fault_of(0.0, 0.041).fault, Fault::implausible);
}

// About any axis, and as far as the angle says; a whole half turn cannot be told from less than one the other way round, and is no limit.
TEST(Safety, StopsWhereTheHandleIsTurnedBeyondTheWorkspace) {
  const auto fault_at = [](double limit, const math::Vec3<double>& theta) {
    SafetyLimits l = limits();
    l.workspace_angle = limit;
    Safety safety(l, T);
    safety.enable();
    device::Sample s = sample(1);
    s.X_WH.R = math::rotation_of(math::exponential(theta));
    const bool well = safety.observe(s, T);
    EXPECT_EQ(well, safety.memory().fault == Fault::none);
    EXPECT_EQ(safety.limited({0, 0, 0, 5, 0, 0}) == Vector6{}, !well);
    return safety.memory().fault;
  };
  for (const math::Vec3<double>& axis :
       {math::Vec3<double>{1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0.6, 0.0, 0.8}}) {
    EXPECT_EQ(fault_at(1.2, 1.2 * axis), Fault::none);  // the end belongs to it
    EXPECT_EQ(fault_at(1.2, 1.21 * axis), Fault::turned_too_far);
    EXPECT_EQ(fault_at(1.2, 3.0 * axis), Fault::turned_too_far);
    EXPECT_EQ(fault_at(3.0, 2.9 * axis), Fault::none);
    EXPECT_EQ(fault_at(0.0, 3.0 * axis), Fault::none);
    EXPECT_EQ(fault_at(7.0, 3.1 * axis), Fault::none);
  }
  device::Specification s;
  s.workspace_angle = 0.7;
  EXPECT_EQ(limits_for(s).workspace_angle, 0.7);
}

TEST(Safety, KeepsTheFirstReasonAndRecoversOnlyWhenTold) {
  Safety safety = running();
  safety.trip(Fault::mechanism);
  safety.trip(Fault::late);
  EXPECT_EQ(safety.memory().fault, Fault::mechanism);
  EXPECT_FALSE(safety.observe(sample(6), T));
  safety.clear();
  EXPECT_EQ(safety.memory().stage, Stage::off);
  EXPECT_TRUE(safety.observe(sample(9), T));  // a new beginning
  EXPECT_EQ(safety.limited({0, 0, 0, 5, 0, 0}), Vector6{});
  EXPECT_TRUE(safety.enable());
  EXPECT_EQ(safety.limited({0, 0, 0, 5, 0, 0})[3], 5.0);
}

TEST(Safety, EveryReasonHasANameAndASentence) {
  for (int i = 0; i <= static_cast<int>(Fault::turned_too_far); ++i) {
    EXPECT_FALSE(name_of(static_cast<Fault>(i)).empty());
    EXPECT_GT(meaning_of(static_cast<Fault>(i)).size(), 8u);
  }
}

// The limits follow from the device; what is no number is beyond all of them.
TEST(Safety, StopsWhereThePortIsTooFarFromTheHandleOrPushedTooHard) {
  device::Specification s;
  s.workspace = {0.3, 0.4, 0.0};
  s.peak = {2.0, 50.0};
  EXPECT_NEAR(limits_for(s).apart, 10.0, kRounding);
  EXPECT_NEAR(limits_for(s).on_port[0], 20.0, kRounding);
  EXPECT_NEAR(limits_for(s).on_port[1], 500.0, kRounding);
  EXPECT_GT(limits_for({}).apart, 0.0);
  EXPECT_GT(limits_for({}).on_port[1], 0.0);
  SafetyLimits l = limits();
  l.apart = 0.5;
  l.on_port = {2.0, 100.0};
  const double nan = std::nan("");
  for (const auto& [apart, fault] :
       {std::pair{0.5, Fault::none}, {0.5001, Fault::apart}, {nan, Fault::apart}}) {
    Safety safety = running(l);
    safety.observe_distance(apart);
    EXPECT_EQ(safety.memory().fault, fault) << apart;
    EXPECT_EQ(safety.faulted(), fault != Fault::none);
  }
  for (const auto& [F, fault] : {std::pair{Vector6{0, 0, 2, 60, 80, 0}, Fault::none},
                                 {Vector6{0, 0, 0, 61, 80, 0}, Fault::too_strong},
                                 {Vector6{0, 2.1, 0, 0, 0, 0}, Fault::too_strong},
                                 {Vector6{0, 0, 0, nan, 0, 0}, Fault::bad_force}}) {
    Safety safety = running(l);
    safety.observe_port(F);
    EXPECT_EQ(safety.memory().fault, fault) << F[3];
  }
}

}  // namespace
}  // namespace tactus::control
