// The page's pointer: its filter, who may be silent, and that it is refused where there is no page.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include <tactus/base/error.h>
#include <tactus/device/drivers/pointer.h>
#include <tactus/math/rotation_vector.h>

#include "support/compare.h"

namespace tactus::device {
namespace {

using support::larger;
using Vec3 = math::Vec3<double>;

double size_of(const Vec3& v) { return std::sqrt(dot(v, v)); }

// p'' = w^2 (r - p) - 2 w p' by many small steps of Heun's rule, with r held in each period.
TEST(CursorLag, IsTheExactAnswerOfTwoPoles) {
  constexpr double kPoles = 100.0, kPeriod = 1e-3, kMost = 1e9;
  constexpr int kSmall = 200;
  CursorLag lag(kPoles, kMost, kPeriod);
  Vec3 p{}, v{};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  double away = 0.0, slower = 0.0;
  for (int k = 0; k < 200; ++k) {
    const Vec3 r{any(random), any(random), 0.1 * k};
    lag.go_towards(r);
    const double h = kPeriod / kSmall;
    const auto acceleration = [&](const Vec3& at, const Vec3& rate) {
      return kPoles * kPoles * (r - at) - (2.0 * kPoles) * rate;
    };
    for (int i = 0; i < kSmall; ++i) {
      const Vec3 a = acceleration(p, v), p_next = p + h * v, v_next = v + h * a;
      const Vec3 a_next = acceleration(p_next, v_next);
      p = p + (0.5 * h) * (v + v_next);
      v = v + (0.5 * h) * (a + a_next);
    }
    away = larger(away, size_of(lag.p() - p));
    slower = larger(slower, size_of(lag.v() - v));
  }
  constexpr double kHeun = 1e-6;  // (w h)^2/6 of ways of 20 m, and of speeds of 100 m/s
  EXPECT_LT(away, kHeun);
  EXPECT_LT(slower, 1e2 * kHeun);
  EXPECT_GT(size_of(p), 1.0);
}

TEST(CursorLag, IsNeverFasterThanItMayBeWhateverTheCursorDoes) {
  constexpr double kMost = 4.0;
  for (const double period : {2e-4, 1e-3, 5e-3, 2e-2}) {
    CursorLag lag(100.0, kMost, period);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> any(-1e6, 1e6);
    Vec3 before{}, cursor{};
    double fastest = 0.0, furthest = 0.0;
    for (int k = 0; k < 20'000; ++k) {
      if (k % 977 == 0) cursor = {any(random), any(random), any(random)};
      lag.go_towards(cursor);
      fastest = larger(fastest, size_of(lag.v()));
      furthest = larger(furthest, size_of(lag.p() - before) / period);
      before = lag.p();
    }
    constexpr double kRounding = 1e-9;
    EXPECT_LE(fastest, kMost * (1.0 + kRounding)) << period;
    EXPECT_LE(furthest, kMost * (1.0 + kRounding)) << period;
    EXPECT_GT(furthest, 0.99 * kMost);  // it is reached
  }
}

/// Without a clock of its own.
struct Polled : Pointer {
  explicit Polled(double silence = 60.0)
      : Pointer({.owns_clock = false, .turning = true, .silence = silence}) {}
  Sample next() {
    Sample sample;
    EXPECT_TRUE(wait() && read(sample));
    return sample;
  }
};

TEST(Pointer, WithoutAClockOfItsOwnCountsPeriods) {
  Polled pointer;
  EXPECT_FALSE(pointer.specification().owns_clock);
  for (std::uint64_t k = 1; k <= 100; ++k) {
    const Sample sample = pointer.next();
    EXPECT_EQ(sample.number, k);
    EXPECT_DOUBLE_EQ(sample.t, 1e-3 * static_cast<double>(k - 1));
  }
}

// Its velocity is that of its places: by differences of them about the middle, for moving and turning.
TEST(Pointer, ItsVelocityIsThatOfItsPlaces) {
  Polled pointer;
  Sample before = pointer.next(), here = before;
  double moving = 0.0, turning = 0.0, fast = 0.0, spun = 0.0;
  for (int k = 0; k < 600; ++k) {
    if (k % 16 == 0) {
      const double s = 0.01 * k;
      pointer.point({{0.1 * std::sin(s), 0.05 * s, 0.0}, {0.4 * std::sin(s), 0.3 * s, 0.2}});
    }
    const Sample after = pointer.next();
    const Vec3 way = after.X_WH.p - before.X_WH.p;
    const Vec3 turn = math::rotation_vector(after.X_WH.R * before.X_WH.R.transposed());
    for (std::size_t i = 0; i < 3; ++i) {
      moving = larger(moving, std::abs(way[i] / 2e-3 - here.V_WH[3 + i]));
      turning = larger(turning, std::abs(turn[i] / 2e-3 - here.V_WH[i]));
      fast = larger(fast, std::abs(here.V_WH[3 + i]));
      spun = larger(spun, std::abs(here.V_WH[i]));
    }
    before = here;
    here = after;
  }
  constexpr double kPeriods =
      0.1;  // w T: what a velocity changes by within a period, as a share of its largest
  EXPECT_LT(moving, kPeriods * fast);
  EXPECT_LT(turning, kPeriods * spun);
  EXPECT_GT(fast, 0.05);
  EXPECT_GT(spun, 0.3);
}

// A page may say an orientation beyond half a turn the other way round: the handle turns on.
TEST(Pointer, TurnsOnBeyondHalfATurn) {
  Polled pointer;
  double fastest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    double angle = 2e-3 * k;  // to 4 rad
    if (angle > 3.14159265358979) angle -= 6.283185307179586;
    pointer.point({{}, {0.0, 0.0, angle}});
    fastest = larger(fastest, std::abs(pointer.next().V_WH[2]));
  }
  EXPECT_GT(fastest, 1.9);
  EXPECT_LT(fastest, 2.1);  // 2 rad/s
}

TEST(Pointer, IsLostWhereThePageIsSilentWhileItHolds) {
  Polled pointer(0.02);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_TRUE(pointer.wait());  // nobody holds it
  ASSERT_TRUE(pointer.enable());
  ASSERT_TRUE(pointer.command({.wrench = {0, 0, 0, 3, 0, 0}, .X_WH = {}, .V_WH = {}}));
  EXPECT_EQ(pointer.shown()[3], 3.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_FALSE(pointer.wait());
  EXPECT_EQ(pointer.state(), State::lost);
  EXPECT_NE(pointer.trouble().find("silent"), std::string::npos) << pointer.trouble();
  EXPECT_EQ(pointer.shown(), Vector6{});
  EXPECT_FALSE(pointer.enable());
}

TEST(Pointer, AnotherPageTakesItWhereItLikesAndNothingIsLeft) {
  Polled pointer;
  ASSERT_TRUE(pointer.enable());
  pointer.point({{0.3, 0.0, 0.0}, {0.0, 0.0, 1.0}});
  for (int k = 0; k < 30; ++k) pointer.next();
  pointer.point({{0.4, 0.0, 0.0}, {}});  // is never seen
  pointer.close();
  EXPECT_FALSE(pointer.wait());
  EXPECT_NE(pointer.trouble().find("closed"), std::string::npos);
  pointer.plug_in({0.0, 0.2, 0.0});
  EXPECT_EQ(pointer.state(), State::off);
  EXPECT_EQ(pointer.trouble(), "");
  Sample sample;
  EXPECT_FALSE(pointer.read(sample));  // none yet
  ASSERT_TRUE(pointer.enable());
  for (std::uint64_t k = 1; k <= 5; ++k) {
    sample = pointer.next();
    EXPECT_EQ(sample.number, k);
    EXPECT_EQ(sample.X_WH.p.x, 0.0);
    EXPECT_EQ(sample.X_WH.p.y, 0.2);
    EXPECT_EQ(sample.V_WH, Vector6{});
    EXPECT_EQ(math::rotation_vector(sample.X_WH.R).z, 0.0);
  }
}

TEST(Pointer, IsListedAndRefusedWithoutAPage) {
  bool listed = false;
  for (const Driver& driver : drivers())
    if (driver.form == "pointer[:turning]") {
      listed = true;
      EXPECT_FALSE(driver.available);
      EXPECT_NE(driver.found.find("tactus serve"), std::string::npos);
    }
  EXPECT_TRUE(listed);
  for (const char* const name : {"pointer", "pointer:turning"}) try {
      open(name, none());
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("page"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("tactus serve"), std::string::npos) << error.what();
    }
}

// One thread points, another ticks: what is seen is always one of the cursors' ways.
TEST(Pointer, MeetsItsPageWithoutLocks) {
  Polled pointer;
  std::atomic<bool> over = false;
  std::thread page([&] {
    for (int k = 1; !over; ++k) pointer.point({{1e-6 * k, 2e-6 * k, 0.0}, {}});
  });
  ASSERT_TRUE(pointer.enable());
  bool straight = true;
  double far = 0.0;
  constexpr auto kPatience = std::chrono::seconds(60);  // with a page that gets no turn on a busy machine
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (int k = 0; k < 20'000 || (!(far > 0.0) && std::chrono::steady_clock::now() < end); ++k) {
    const Sample sample = pointer.next();
    straight &= std::abs(sample.X_WH.p.y - 2.0 * sample.X_WH.p.x) <= 1e-9;  // rounding of metres
    far = larger(far, sample.X_WH.p.x);
  }
  over = true;
  page.join();
  EXPECT_TRUE(straight);
  EXPECT_GT(far, 0.0);
}

}  // namespace
}  // namespace tactus::device
