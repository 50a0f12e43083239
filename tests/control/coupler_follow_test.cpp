// A coupler whose place and gains change while it is pressed: none of that makes energy, and it is stable with what it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/control/coupler_at_port.h>
#include <tactus/control/coupler_follow.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

using Vec3 = math::Vec3<double>;

device::Specification specification_of(const std::string& name) {
  return device::open(name, device::none())->specification();
}

/// J J^T of a random J with `rank` columns: what constraints leave of a body.
std::array<double, 36> random_mobility(device::Random& random, std::size_t rank, double size) {
  std::array<double, 36> J{}, L{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < rank; ++j) J[6 * i + j] = size * (random.uniform() - 0.5);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) L[6 * i + j] += J[6 * i + k] * J[6 * j + k];
  return L;
}

TEST(CouplerFollower, ItsBoundIsNeverBelowTheFastestModeAndNeverAQuarterAbove) {
  device::Random random(11);
  for (const char* name : {"simulated:planar", "simulated:spatial", "simulated:wheel"}) {
    const device::Specification s = specification_of(name);
    const CouplerGains gains = design(s, {1e-2, 1.0});
    const CouplerFollower follower(s, gains, {});
    ASSERT_TRUE(follower.possible()) << name;
    for (int i = 0; i < 300; ++i) {
      const auto L = random_mobility(random, 1 + static_cast<std::size_t>(i % 6), std::pow(10.0, i % 5 - 2));
      const double exact = fastest_mode(s, gains, L)[0], bound = follower.bound(L);
      constexpr double kRounding = 1e-12;
      EXPECT_GE(bound, (1.0 - kRounding) * exact) << name << " " << i;
      EXPECT_LE(bound, std::pow(6.0, 1.0 / 8.0) * (1.0 + kRounding) * exact) << name << " " << i;
    }
  }
}

// The light port on its spring by itself, with the handle held fast: a tick is that of coupler_test.cpp, whose determinant and trace say whether it is stable. Without following it is not.
TEST(CouplerFollower, APortThatIsTenThousandTimesLighterIsHeldStably) {
  for (const char* name : {"simulated:planar", "simulated:spatial", "simulated:delayed"}) {
    const device::Specification s = specification_of(name);
    const double T = 1.0 / s.rate;
    std::array<double, 36> start{};
    for (const std::size_t i : {3u, 4u, 5u}) start[7 * i] = 1.0;  // [1/kg]
    const CouplerGains gains = softened(s, design(s, {1e12, 1.0}), start);
    CouplerFollower follower(s, gains, start);
    ASSERT_TRUE(follower.possible());
    EXPECT_EQ(follower.softness(follower.bound(start)), 1.0);
    const auto grows = [&](double mass, double softness, double times = 1.0) {
      const double K = times * softness * softness * gains.stiffness[1],
                   B = times * softness * gains.damping[1];
      const double trace = 2.0 - 0.5 * K * T * T / mass - B * T / mass,
                   determinant = 1.0 - B * T / mass + 0.5 * K * T * T / mass;
      return !(determinant <= 1.0 && 1.0 - trace + determinant >= 0.0 && 1.0 + trace + determinant >= 0.0);
    };
    bool grew = false;
    double before = 1.0;
    for (double mass = 1.0; mass > 1e-4; mass *= 0.9) {
      std::array<double, 36> L{};
      for (const std::size_t i : {3u, 4u, 5u}) L[7 * i] = 1.0 / mass;
      follower.look(L);
      const double softness = follower.next(before, 0.0, 0.0);
      EXPECT_LE(softness, before);
      EXPECT_FALSE(grows(mass, softness)) << name << " " << mass;
      EXPECT_FALSE(grows(mass, softness, 1.4)) << name << " " << mass;  // nor just at the border
      grew |= grows(mass, 1.0);
      before = softness;
    }
    EXPECT_TRUE(grew) << name;
    EXPECT_LT(before, 0.9) << name;
    EXPECT_GT(before, 0.0) << name;
  }
}

TEST(CouplerFollower, SoftensAtOnceAndStiffensOnlyAsFarAsIsPaidFor) {
  const device::Specification s = specification_of("simulated:planar");
  std::array<double, 36> start{}, light{};
  for (const std::size_t i : {3u, 4u}) start[7 * i] = 1.0, light[7 * i] = 3e3;
  const CouplerGains gains = softened(s, design(s, {1e12, 1.0}), start);
  CouplerFollower follower(s, gains, start);
  ASSERT_TRUE(follower.due());
  follower.look(light);
  const double soft = follower.next(1.0, 1.0, 0.0);
  ASSERT_LT(soft, 0.5);
  follower.look(start);
  EXPECT_EQ(follower.next(soft, 1.0, 0.5 * soft * soft), soft);  // pressed, and nothing paid
  EXPECT_EQ(follower.next(soft, 0.0, 0.0), 1.02 * soft);         // not pressed
  device::Random random(5);
  double now = soft;
  for (int k = 0; k < 2000 && now < 1.0; ++k) {
    const double unit = random.uniform(), paid = random.uniform() - 0.3;
    const double next = follower.next(now, unit, paid);
    EXPECT_GE(next, now);
    constexpr double kRounding = 1e-15;
    EXPECT_LE(next * next * unit, std::max(now * now * unit, paid) + kRounding);
    now = next;
  }
  EXPECT_EQ(now, 1.0);
}

TEST(CouplerFollower, FollowsNothingWhereTheGainsAreUnstableAtTheStart) {
  const device::Specification s = specification_of("simulated:planar");
  std::array<double, 36> L{};
  L[7 * 3] = 100.0;
  EXPECT_FALSE(CouplerFollower(s, {{0.0, 1e6}, {0.0, 0.0}}, L).possible());
  EXPECT_FALSE(CouplerFollower(s, {}, L).possible());
}

// A port that cannot move along any axis of the device: it is refused by that, and never gets as far as a wrench that is no number.
TEST(PrescribedDesign, APortThatCannotMoveBearsNoPole) {
  const device::Specification s = specification_of("simulated:planar");
  EXPECT_LT(design_prescribed(s, std::numeric_limits<double>::infinity(), s.actuated).bandwidth, 1e-3);
}

struct Pressed {
  Coupler coupler{{{3.0, 500.0}, {0.1, 2.0}}};
  CouplerMemory memory;
  device::Sample sample;
  simulate::PortMotion port;
};

/// Engaged, and then moved apart.
Pressed pressed(device::Random& random) {
  const auto vector = [&](double size) {
    return Vec3{size * (random.uniform() - 0.5), size * (random.uniform() - 0.5),
                size * (random.uniform() - 0.5)};
  };
  Pressed p;
  p.sample.X_WH = {math::rotation_of(math::exponential(vector(2.0))), vector(1.0)};
  p.port.X_WP = {math::rotation_of(math::exponential(vector(2.0))), vector(1.0)};
  p.coupler.engage(p.memory, p.sample, p.port);
  p.sample.X_WH = {math::rotation_of(math::exponential(vector(1.5))) * p.sample.X_WH.R,
                   p.sample.X_WH.p + vector(0.2)};
  return p;
}

TEST(Coupler, SlipsUntilItsSpringsGiveWhatTheyMayAndHoldsNoMoreThanBefore) {
  device::Random random(7);
  for (int i = 0; i < 200; ++i) {
    Pressed p = pressed(random);
    const double before = p.coupler.energy(p.memory, p.sample, p.port);
    const Vector6 full = p.coupler.wrench(p.memory, p.sample, p.port, 0.0);
    const std::array<double, 2> most{2.0 * random.uniform(), 50.0 * random.uniform()};
    p.coupler.slip(p.memory, p.sample, p.port, most);
    const Vector6 F = p.coupler.wrench(p.memory, p.sample, p.port, 0.0);
    for (std::size_t k = 0; k < 2; ++k) {
      const double had = std::hypot(full[3 * k], full[3 * k + 1], full[3 * k + 2]),
                   has = std::hypot(F[3 * k], F[3 * k + 1], F[3 * k + 2]);
      constexpr double kRounding = 1e-12;
      EXPECT_NEAR(has, std::min(had, most[k]), kRounding * (1.0 + had)) << i;
      for (std::size_t j = 3 * k; j < 3 * k + 3; ++j)  // in the same direction
        EXPECT_NEAR(F[j] * had, full[j] * has, kRounding * (1.0 + had * had)) << i;
    }
    EXPECT_LE(p.memory.stored, before);
  }
}

TEST(Coupler, YieldsByWhatAClampTookAndHoldsNoMoreThanBefore) {
  device::Random random(8);
  for (int i = 0; i < 200; ++i) {
    Pressed p = pressed(random);
    const double before = p.coupler.energy(p.memory, p.sample, p.port);
    const Vector6 full = p.coupler.wrench(p.memory, p.sample, p.port, 0.0);
    Vector6 taken{};  // a part of it, or anything
    for (std::size_t j = 0; j < 6; ++j) taken[j] = i % 2 == 0 ? 0.3 * full[j] : random.uniform() - 0.5;
    p.coupler.yield(p.memory, p.sample, p.port, taken);
    const Vector6 F = p.coupler.wrench(p.memory, p.sample, p.port, 0.0);
    constexpr double kRounding = 1e-12;
    EXPECT_LE(p.memory.stored, before * (1.0 + kRounding)) << i;
    for (std::size_t j = 0; j < 6 && i % 2 == 0; ++j)
      EXPECT_NEAR(F[j], full[j] - taken[j], kRounding * (1.0 + std::abs(full[j]))) << i;
  }
}

TEST(Coupler, CreepsBackToItsPlaceNoFasterThanIsPaidFor) {
  device::Random random(9);
  for (int i = 0; i < 100; ++i) {
    Pressed p = pressed(random);
    p.coupler.slip(p.memory, p.sample, p.port, {0.1, 1.0});
    ASSERT_TRUE(p.memory.slipped);
    // Nothing paid: what is pressed stays, or goes to where it is pressed less.
    for (int k = 0; k < 20; ++k) {
      const double held = p.coupler.energy(p.memory, p.sample, p.port);
      const double paid = k % 2 == 0 ? 0.0 : 2.0 * held;
      p.coupler.creep(p.memory, p.sample, p.port, 0.05, paid);
      constexpr double kRounding = 1e-12;
      EXPECT_LE(p.coupler.energy(p.memory, p.sample, p.port), std::max(held, paid) + kRounding) << i;
    }
    // All paid: it comes back.
    for (int k = 0; k < 5000 && p.memory.slipped; ++k) p.coupler.creep(p.memory, p.sample, p.port, 0.01, 1e6);
    EXPECT_FALSE(p.memory.slipped) << i;
    constexpr double kThere = 1e-8;  // [m], [rad] where creeping ends
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(p.memory.d[j], p.memory.d_engaged[j], kThere);
    const Vec3 turn = math::rotation_vector(p.memory.R_HP.transposed() * p.memory.R_engaged);
    EXPECT_LE(std::sqrt(dot(turn, turn)), kThere);
  }
}

}  // namespace
}  // namespace tactus::control
