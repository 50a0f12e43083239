// Paths in time, against closed forms and differences.
#include <tactus/control/arm/path.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/base/error.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

constexpr double kRounding = 1e-12;

TEST(Path, OfLeastJerkHasTheThesisPeaks) {
  // [Clover1996, III Figure 7]: 90, 50 and 105 degrees in 1.5 s have 4.03, 2.24 and 4.70 rad/s^2.
  for (const auto& [degrees, printed] :
       {std::pair{90.0, 4.03}, std::pair{50.0, 2.24}, std::pair{105.0, 4.70}}) {
    const double way = degrees * std::numbers::pi / 180.0;
    const JointPath path({{0.0}, {way}}, std::vector<double>{0.0, 1.5});
    EXPECT_NEAR(path.largest(0).acceleration, 10.0 / std::sqrt(3.0) * way / 2.25, 1e-9);
    EXPECT_NEAR(path.largest(0).acceleration, printed, 0.006);
    EXPECT_NEAR(path.largest(0).rate, 15.0 / 8.0 * way / 1.5, 1e-9);
  }
  // II, the slew at 0.530 s.
  const Course slew = least_jerk(0.53, 1.5);
  const double turn = 2.0 * std::numbers::pi;
  EXPECT_NEAR(turn * slew.x, 1.510274262, 1e-9);
  EXPECT_NEAR(turn * slew.rate, 6.560546764, 1e-9);
  EXPECT_NEAR(turn * slew.acceleration, 11.229879698, 1e-9);
}

TEST(Path, MeetsItsPointsAndIsSmoothThere) {
  const std::vector<std::vector<double>> points{{0.0, 1.0}, {0.5, 0.2}, {0.4, -0.3}, {1.5, 0.0}};
  const std::vector<double> times{0.0, 0.7, 1.0, 2.2};
  const JointPath path(points, times);
  double q[2], qd[2], qdd[2];
  for (std::size_t k = 0; k < 4; ++k) {
    path.at(times[k], q, qd, qdd);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(q[j], points[k][j], kRounding);
  }
  // Rates are those of the places, on both sides of every point.
  for (double t = 0.01; t < 2.19; t += 0.0137) {
    constexpr double kStep = 1e-5;
    double before[2], after[2], rate_before[2], rate_after[2], unused[2];
    path.at(t - kStep, before, rate_before, unused);
    path.at(t + kStep, after, rate_after, unused);
    path.at(t, q, qd, qdd);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR((after[j] - before[j]) / (2.0 * kStep), qd[j], 1e-6) << t;
      EXPECT_NEAR((rate_after[j] - rate_before[j]) / (2.0 * kStep), qdd[j], 1e-2)
          << t;  // a kink of the jerk is within
    }
  }
  path.at(-1.0, q, qd, qdd);
  EXPECT_EQ(q[0], 0.0);
  EXPECT_EQ(qd[0], 0.0);
  path.at(99.0, q, qd, qdd);
  EXPECT_EQ(q[0], 1.5);
  EXPECT_EQ(qdd[1], 0.0);
}

TEST(Path, IsAsFastAsItsLimitsAllow) {
  const JointPath::Limits limits{{1.0, 2.0}, {4.0, 3.0}};
  const JointPath path({{0.0, 1.0}, {0.5, 0.2}, {0.4, -0.3}, {1.5, 0.0}}, limits);
  double part = 0.0;
  for (std::size_t j = 0; j < 2; ++j) {
    const Course most = path.largest(j);
    EXPECT_LE(most.rate, limits.rate[j] * (1.0 + 1e-9));
    EXPECT_LE(most.acceleration, limits.acceleration[j] * (1.0 + 1e-9));
    part = support::larger(part, most.rate / limits.rate[j], most.acceleration / limits.acceleration[j]);
  }
  EXPECT_NEAR(part, 1.0, 1e-9);
}

TEST(Path, ThatCannotBeIsRefused) {
  using Times = std::vector<double>;
  EXPECT_THROW(JointPath({{0.0}}, Times{0.0}), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0, 2.0}}, (Times{0.0, 1.0})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (Times{0.0, 0.0})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {std::nan("")}}, (Times{0.0, 1.0})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (JointPath::Limits{{0.0}, {1.0}})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {0.0}}, (JointPath::Limits{{1.0}, {1.0}})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (JointPath::Limits{{1.0, 1.0}, {1.0}})), InputError);
  EXPECT_THROW(ScrewPath::circle({}, {}, {}, 1.0, 1.0), InputError);
  EXPECT_THROW(ScrewPath::line({}, {1.0, 0.0, 0.0}, 0.0), InputError);
  const double nan = std::nan(""), inf = HUGE_VAL;
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (Times{0.1, 1.0})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (Times{0.0, nan})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (Times{0.0, inf})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}, {2.0}}, (Times{0.0, 1.0, 0.5})), InputError);
  EXPECT_THROW(JointPath({{0.0}, {1.0}}, (Times{0.0, 1.0, 2.0})), InputError);
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(JointPath({{0.0}, {1.0}}, (JointPath::Limits{{bad}, {1.0}})), InputError) << bad;
    EXPECT_THROW(JointPath({{0.0}, {1.0}}, (JointPath::Limits{{1.0}, {bad}})), InputError) << bad;
  }
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(ScrewPath::line({}, {1.0, 0.0, 0.0}, bad), InputError) << bad;
    EXPECT_THROW(ScrewPath::circle({}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1.0, bad), InputError) << bad;
    EXPECT_THROW(ScrewPath::screw({}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1.0, 0.1, bad), InputError) << bad;
  }
  for (const double bad : {nan, inf}) {
    EXPECT_THROW(ScrewPath::line({}, {bad, 0.0, 0.0}, 1.0), InputError);
    EXPECT_THROW(ScrewPath::circle({}, {0.0, bad, 0.0}, {0.0, 0.0, 1.0}, 1.0, 1.0), InputError);
    EXPECT_THROW(ScrewPath::circle({}, {}, {0.0, 0.0, bad}, 1.0, 1.0), InputError);
    EXPECT_THROW(ScrewPath::screw({}, {}, {0.0, 0.0, 1.0}, bad, 0.1, 1.0), InputError);
    EXPECT_THROW(ScrewPath::screw({}, {}, {0.0, 0.0, 1.0}, 1.0, bad, 1.0), InputError);
  }
  EXPECT_THROW(ScrewPath::screw({}, {}, {}, 1.0, 0.1, 1.0), InputError);
}

TEST(Path, OfAScrewMovesAsItsRatesSay) {
  const ScrewPath path = ScrewPath::screw({math::Mat3<double>::identity(), {0.5, 0.1, 0.2}}, {0.1, 0.0, 0.0},
                                          {1.2, 0.0, 1.6}, 2.0, 0.3, 1.2);
  constexpr double kStep = 1e-5;
  for (double t = 0.05; t < 1.2; t += 0.05) {
    const ScrewPath::Place before = path.at(t - kStep), now = path.at(t), after = path.at(t + kStep);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR((after.X.p[i] - before.X.p[i]) / (2.0 * kStep), now.V[3 + i], 1e-8);
      EXPECT_NEAR((after.V[i] - before.V[i]) / (2.0 * kStep), now.A[i], 1e-7);
      EXPECT_NEAR((after.V[3 + i] - before.V[3 + i]) / (2.0 * kStep), now.A[3 + i], 1e-7);
    }
    // dR/dt R^T is the angular velocity.
    math::Mat3<double> rate;
    for (std::size_t i = 0; i < 9; ++i)
      rate(i / 3, i % 3) = (after.X.R(i / 3, i % 3) - before.X.R(i / 3, i % 3)) / (2.0 * kStep);
    const math::Mat3<double> W = rate * now.X.R.transposed();
    EXPECT_NEAR(W(2, 1), now.V[0], 1e-8);
    EXPECT_NEAR(W(0, 2), now.V[1], 1e-8);
    EXPECT_NEAR(W(1, 0), now.V[2], 1e-8);
  }
  const ScrewPath circle =
      ScrewPath::circle(path.start, {0.2, 0.1, 0.2}, {0.0, 0.0, 2.0}, 2.0 * std::numbers::pi, 2.0);
  for (double t = 0.0; t <= 2.0; t += 0.1) {
    const ScrewPath::Place now = circle.at(t);
    EXPECT_NEAR(std::hypot(now.X.p.x - 0.2, now.X.p.y - 0.1), 0.3, kRounding);
    EXPECT_EQ(now.X.R(0, 0), 1.0);  // it keeps its orientation
  }
}

}  // namespace
}  // namespace tactus::control
