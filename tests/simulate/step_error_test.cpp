// That a step which is too long is told, and a good one is not.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/simulate/motion/step_error.h>
#include "hand_made.h"

namespace tactus::simulate {
namespace {

using namespace test;

struct Told {
  State end;
  double relative, coordinates, advised;
};

Told run(const Dynamics& dynamics, const State& start, double duration, Options options) {
  options.look_every = 16;
  Simulation simulation(dynamics, options);
  simulation.set_state(start);
  for (long i = 0; i < std::lround(duration / options.step); ++i)
    if (const Status status = simulation.step(); !status.ok())
      throw std::runtime_error(simulation.explain(status));
  const StepError& error = simulation.step_error();
  return {simulation.state(), error.relative(), error.coordinates(), error.advised(options.step)};
}

// udot = -w^2 q: after whole turns q = 1, u = 0. The sum of the steps' errors is that of the run, within a factor: errors of
// a linear oscillator are turned, not amplified.
TEST(StepError, IsThatOfTheRunOnAnOscillator) {
  constexpr double w = 40.0, turns = 20.0, duration = turns * 2.0 * M_PI / w;
  const Dynamics oscillator = on_a_line([](const Symbols& s) { return -w * w * s.q[0]; });
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit, Integrator::euler})
    for (const double steps_per_turn : {64.0, 256.0}) {
      const double step = 2.0 * M_PI / w / steps_per_turn;
      const Told told =
          run(oscillator, {0.0, {1.0}, {0.0}, {}}, duration, {.step = step, .integrator = integrator});
      const double off = std::hypot(told.end.q[0] - 1.0, told.end.u[0] / w);
      EXPECT_GT(told.relative, 0.5 * off) << name_of(integrator) << ' ' << steps_per_turn;
      // Of Euler's method, which is symplectic, the errors cancel over a turn.
      if (integrator == Integrator::euler) continue;
      EXPECT_LT(told.relative, 4.0 * off) << name_of(integrator) << ' ' << steps_per_turn;
      EXPECT_EQ(told.advised<step, told.relative> kLongStep);
    }
}

// What is advised is short enough, and not much shorter than that.
TEST(StepError, AdvisesAStepThatIsShortEnough) {
  const Dynamics top = body_on_spherical_joint(0.0, true);
  const State start{0.0, {1.0, 0.0, 0.0, 0.0}, {30.0, 400.0, 20.0}, {}};
  const Told first = run(top, start, 1.0, {.step = 1e-3});
  ASSERT_GT(first.relative, kLongStep);
  ASSERT_LT(first.advised, 1e-3);
  EXPECT_GT(first.advised, 1e-6);
  const Told second = run(top, start, 1.0, {.step = first.advised});
  EXPECT_LT(second.relative, 2.0 * kLongStep);
}

TEST(StepError, ChangesNothing) {
  const Dynamics dynamics = pendulum();
  const State start{0.0, {2.0}, {0.5}, {}};
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::implicit}) {
    const Told told = run(dynamics, start, 2.0, {.step = 1e-3, .integrator = integrator});
    const State plain = simulate_for(dynamics, start, 2.0, {.step = 1e-3, .integrator = integrator});
    EXPECT_EQ(told.end.q, plain.q) << name_of(integrator);
    EXPECT_EQ(told.end.u, plain.u) << name_of(integrator);
    if (integrator != Integrator::rk4) continue;
    EXPECT_LT(told.relative, 1e-8);
    EXPECT_EQ(told.advised, 1e-3);
  }
}

// What stands has rounding for speeds: no part of them is an error.
TEST(StepError, IsNoneOfWhatStands) {
  const Dynamics held =
      on_a_line([](const Symbols& s) { return -2500.0 * s.u[0]; });  // of a step that RK4 can just carry
  const Told told = run(held, {0.0, {0.3}, {1e-17}, {}}, 1.0, {.step = 1e-3});
  EXPECT_LT(told.relative, kLongStep);
  EXPECT_EQ(told.advised, 1e-3);
}

}  // namespace
}  // namespace tactus::simulate
