// What the local model does with updates that come late.
#include <tactus/control/local_model.h>

#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.h"

namespace tactus::control {
namespace {

constexpr double kTick = 1e-3;

/// A port that turns and moves, pushed in all directions, and a spring that it presses.
LocalModelUpdate update_of(const simulate::PortMotion& motion, double gap, double rate) {
  LocalModelUpdate update;
  update.motion = motion;
  update.A = {1.0, -2.0, 0.5, 3.0, 0.7, -4.0};
  for (std::size_t i = 0; i < 6; ++i) update.L[7 * i] = 2.0;
  update.contacts = 1;
  update.contact[0] = {.id = 7,
                       .gap = gap,
                       .rate = rate,
                       .acceleration = -3.0,
                       .stiffness = 500.0,
                       .damping = 1.0,
                       .r = {},
                       .w = {2.0}};
  update.contact[0].r[5] = 2.0;
  return update;
}

double difference(const LocalState& a, const LocalState& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    worst = support::larger(worst, std::abs(a.motion.X_WP.p[i] - b.motion.X_WP.p[i]));
    for (std::size_t j = 0; j < 3; ++j)
      worst = support::larger(worst, std::abs(a.motion.X_WP.R(i, j) - b.motion.X_WP.R(i, j)));
  }
  for (std::size_t i = 0; i < 6; ++i)
    worst = support::larger(worst, std::abs(a.motion.V_WP[i] - b.motion.V_WP[i]));
  return support::larger(worst, std::abs(a.gap[0] - b.gap[0]), std::abs(a.rate[0] - b.rate[0]));
}

// An update says how things were some ticks ago. Where it says what the model had then, nothing changes; where it says something else, the
// model is where it would be had it known.
TEST(LocalModel, KeepsWhatItMovedSinceALateUpdate) {
  simulate::PortMotion start;
  start.V_WP = {0.3, 0.2, -0.4, 0.1, -0.2, 0.3};
  LocalModel model;
  model.take(update_of(start, -1e-3, -0.1));
  const Vector6 hand{0.1, 0.2, -0.3, 1.0, -2.0, 0.5};
  LocalState then;
  for (int k = 0; k < 8; ++k) {
    if (k == 3) then = model.state();
    model.acceleration(hand, kTick);
    model.step(kTick);
  }
  const LocalState now = model.state();
  constexpr double kRounding = 1e-15;
  LocalModel agreed = model;
  agreed.take(update_of(then.motion, then.gap[0], then.rate[0]), &then, 5.0 * kTick);
  EXPECT_LT(difference(agreed.state(), now), kRounding);

  simulate::PortMotion other = then.motion;
  other.X_WP.p.x += 0.01;
  other.X_WP.p.z -= 0.02;
  other.V_WP[4] += 0.5;
  model.take(update_of(other, then.gap[0] + 2e-3, then.rate[0] - 0.3), &then, 5.0 * kTick);
  EXPECT_NEAR(model.state().motion.X_WP.p.x, now.motion.X_WP.p.x + 0.01, kRounding);
  EXPECT_NEAR(model.state().motion.X_WP.p.z, now.motion.X_WP.p.z - 0.02, kRounding);
  EXPECT_NEAR(model.state().motion.V_WP[4], now.motion.V_WP[4] + 0.5, kRounding);
  EXPECT_NEAR(model.state().gap[0], now.gap[0] + 2e-3, kRounding);
  EXPECT_NEAR(model.state().rate[0], now.rate[0] - 0.3, kRounding);
}

TEST(LocalModel, LetsAContactThatIsNewGoOnAtItsRate) {
  LocalModel model;
  LocalModelUpdate update = update_of({}, 1e-3, -0.1);
  model.take(update);
  model.acceleration({}, kTick);
  model.step(kTick);
  const LocalState then = model.state();
  update.contact[0].id = 8;
  model.take(update, &then, 4.0 * kTick);
  EXPECT_NEAR(model.state().gap[0], 1e-3 - 0.1 * 4.0 * kTick, 1e-15);
}

}  // namespace
}  // namespace tactus::control
