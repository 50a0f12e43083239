#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <tactus/base/error.h>

#include "hand_made.h"
#include "support/allocations.h"

namespace tactus::simulate {
namespace {

using namespace test;
using tactus::test::allocation_count;

TEST(Simulation, EndsAtExactTimesHoweverManyStepsItTakes) {
  const Dynamics dynamics = pendulum();
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive}) {
    Simulation simulation(dynamics, {.step = 0.1, .integrator = integrator});
    for (int i = 1; i <= 1000; ++i) {
      ASSERT_TRUE(simulation.step().ok());
      ASSERT_EQ(simulation.state().t, i * 0.1);
    }
  }
}

TEST(Simulation, GivesTheSameBitsEveryTime) {
  const Dynamics top = body_on_spherical_joint(3.0, true);
  const State start{0.0, {1, 0, 0, 0}, {0.3, 2.0, -1.0}, {}};
  for (const Integrator integrator :
       {Integrator::euler, Integrator::rk4, Integrator::implicit, Integrator::adaptive, Integrator::stiff}) {
    const Options options{.step = 1e-2, .integrator = integrator};
    const State first = simulate_for(top, start, 1.0, options),
                second = simulate_for(top, start, 1.0, options);
    EXPECT_EQ(std::memcmp(first.q.data(), second.q.data(), 4 * sizeof(double)), 0) << name_of(integrator);
    EXPECT_EQ(std::memcmp(first.u.data(), second.u.data(), 3 * sizeof(double)), 0) << name_of(integrator);
  }
}

TEST(Simulation, StepsWithoutAllocating) {
  const Dynamics top = body_on_spherical_joint(3.0, true);
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::implicit}) {
    Simulation simulation(top, {.step = 1e-2, .integrator = integrator});
    simulation.set_state({0.0, {1, 0, 0, 0}, {0.3, 2.0, -1.0}, {}});
    const std::vector<double> tau{0.1, 0.2, 0.3};
    const long before = allocation_count();
    for (int i = 0; i < 100; ++i) simulation.step({.tau = tau});
    EXPECT_EQ(allocation_count() - before, 0) << name_of(integrator);
  }
}

TEST(Simulation, AddsHeldForcesToTheMotion) {
  const Dynamics dynamics = on_a_line([](const Symbols& s) { return s.tau[0]; });
  Simulation simulation(dynamics, {.step = 0.5});
  const double force[] = {2.0};
  ASSERT_TRUE(simulation.step({.tau = force}).ok());
  ASSERT_TRUE(simulation.step().ok());  // nothing is held over
  EXPECT_DOUBLE_EQ(simulation.state().u[0], 1.0);
  EXPECT_DOUBLE_EQ(simulation.state().q[0], 0.75);
}

TEST(Simulation, StopsAtNotANumberAndKeepsTheLastGoodState) {
  // sqrt(0.35 - t) is no number after t = 0.35.
  const Dynamics dynamics = on_a_line([](const Symbols& s) { return sqrt(0.35 - s.t); });
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive}) {
    Simulation simulation(dynamics, {.step = 0.1, .integrator = integrator});
    Status status;
    int steps = 0;
    while (status.ok() && steps < 100) {
      status = simulation.step();
      steps += status.ok();
    }
    EXPECT_FALSE(status.ok()) << name_of(integrator);
    EXPECT_LE(steps, 4);
    EXPECT_TRUE(std::isfinite(simulation.state().u[0]));
    EXPECT_EQ(simulation.state().t, steps * 0.1);
  }
}

TEST(Simulation, SaysWhenAndInWhichJointItDiverged) {
  const Dynamics dynamics = hand_made(
      {{Segment::Kind::plain, 0, 0, 2}},
      [](const Symbols& s) {
        return std::vector<Expr>{-s.q[0], 50.0 * s.u[1]};
      },
      [](const Symbols& s) { return s.u; });
  Simulation simulation(dynamics, {.step = 0.01});
  simulation.set_state({0.0, {0, 0}, {1, 1}, {}});
  Status status;
  while (status.ok()) status = simulation.step();
  EXPECT_TRUE(status.has(Status::diverged));
  EXPECT_LE(std::abs(simulation.state().u[1]), 1e9);
  const std::string message = simulation.explain(status);
  EXPECT_NE(message.find("at t = 0.4"), std::string::npos) << message;
  EXPECT_NE(message.find("'u1'"), std::string::npos) << message;
}

TEST(Simulation, RefusesStatesThatDoNotFit) {
  const Dynamics top = body_on_spherical_joint(0.0, true);
  Simulation simulation(top);
  EXPECT_THROW(simulation.set_state({0.0, {1, 0, 0}, {0, 0, 0}, {}}), InputError);
  EXPECT_THROW(simulation.set_state({0.0, {0, 0, 0, 0}, {0, 0, 0}, {}}), InputError);
  EXPECT_THROW(simulation.set_state({0.0, {1, 0, 0, 0}, {0, NAN, 0}, {}}), InputError);
  EXPECT_THROW(Simulation(top, {.step = 0.0}), InputError);
  simulation.set_state({0.0, {2, 0, 0, 0}, {0, 0, 0}, {}});
  EXPECT_EQ(simulation.state().q[0], 1.0);
}

}  // namespace
}  // namespace tactus::simulate
