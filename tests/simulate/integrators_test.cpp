// Orders, conserved quantities and stiffness, on equations written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "hand_made.h"
#include "support/compare.h"

namespace tactus::simulate {
namespace {

using namespace test;

// An observed order this close to the true one is convincing; steps are chosen so that the next order's term
// is small.
constexpr double kOrderTolerance = 0.2;
const Options kReference{.step = 0.1, .integrator = Integrator::adaptive, .tolerances = {1e-14, 1e-13}};

TEST(Integrators, ConvergeWithTheirOrderOnThePendulum) {
  const Dynamics dynamics = pendulum();
  const State start{0.0, {2.0}, {0.5}, {}};
  const State reference = simulate_for(dynamics, start, 1.0, kReference);
  EXPECT_NEAR(observed_order(dynamics, start, 1.0, 1e-3, Integrator::euler, reference), 1.0, kOrderTolerance);
  EXPECT_NEAR(observed_order(dynamics, start, 1.0, 2e-2, Integrator::rk4, reference), 4.0, kOrderTolerance);
  EXPECT_NEAR(observed_order(dynamics, start, 1.0, 1e-2, Integrator::implicit, reference), 3.0,
              kOrderTolerance);
}

TEST(Integrators, ConvergeWithTheirOrderOnUnitQuaternions) {
  const State start{0.0, {1.0, 0.0, 0.0, 0.0}, {0.3, 2.0, -1.0}, {}};
  for (const bool keep_momentum : {false, true}) {
    const Dynamics top = body_on_spherical_joint(3.0, keep_momentum);
    const State reference = simulate_for(top, start, 2.0, kReference);
    EXPECT_NEAR(observed_order(top, start, 2.0, 5e-4, Integrator::euler, reference), 1.0, kOrderTolerance);
    EXPECT_NEAR(observed_order(top, start, 2.0, 2.5e-2, Integrator::rk4, reference), 4.0, kOrderTolerance);
    EXPECT_NEAR(observed_order(top, start, 2.0, 1e-2, Integrator::implicit, reference), 3.0, kOrderTolerance);
  }
}

// T = 4 sqrt(l/g) K(sin(amplitude/2)): after one period the pendulum is back.
TEST(Integrators, AdaptiveOnesReturnThePendulumAfterItsPeriod) {
  const double amplitude = 2.5;
  const double period = 4.0 / std::sqrt(kGravityOverLength) * std::comp_ellint_1(std::sin(amplitude / 2.0));
  const State start{0.0, {amplitude}, {0.0}, {}};
  const Dynamics dynamics = pendulum();
  constexpr double kManyTolerances = 1e-8;  // errors at the tolerance of 1e-10 add up over the period's steps
  const State smooth =
      simulate_for(dynamics, start, period, {.step = period, .integrator = Integrator::adaptive});
  EXPECT_NEAR(smooth.q[0], amplitude, kManyTolerances);
  EXPECT_NEAR(smooth.u[0], 0.0, kManyTolerances);
  const State stiff =
      simulate_for(dynamics, start, period, {.step = period, .integrator = Integrator::stiff});
  EXPECT_NEAR(stiff.q[0], amplitude, 5 * kManyTolerances);  // order 4, many more steps
  EXPECT_NEAR(stiff.u[0], 0.0, 5 * kManyTolerances);
}

TEST(Integrators, SemiImplicitEulerKeepsTheOscillatorsEnergyBounded) {
  const Dynamics oscillator = on_a_line([](const Symbols& s) { return -s.q[0]; });
  Simulation simulation(oscillator, {.step = 0.05, .integrator = Integrator::euler});
  simulation.set_state({0.0, {1.0}, {0.0}, {}});
  // q^2 + u^2 + h q u is exactly constant, so the energy stays within h/2 of it, for ever.
  double largest = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double q = simulation.state().q[0], u = simulation.state().u[0];
    largest = support::larger(largest, std::abs(0.5 * (q * q + u * u) - 0.5));
  }
  EXPECT_LT(largest, 0.026);
  EXPECT_GT(largest, 0.01);
}

TEST(Integrators, RungeKuttaDriftsSlowlyInEnergy) {
  const Dynamics dynamics = pendulum();
  const State end = simulate_for(dynamics, {0.0, {2.0}, {0.0}, {}}, 100.0, {.step = 1e-3});
  const double energy = 0.5 * end.u[0] * end.u[0] - kGravityOverLength * std::cos(end.q[0]);
  const double before = -kGravityOverLength * std::cos(2.0);
  EXPECT_NEAR(energy, before, 1e-9);  // local error of h^5 times 1e5 steps, with the constants of this motion
}

// |dH|/|H| after 10^6 steps. The momentum is carried as a sum of outside impulses, which for a free body are
// rounding errors of size h |w| |H| eps with random signs; recomputing it from q and u adds a few eps, once.
constexpr double kMomentumRounding = 1e-14;

TEST(Momentum, FreeBodyKeepsItToRoundingOverAMillionSteps) {
  const Dynamics body = body_on_spherical_joint(0.0, true);
  Simulation simulation(body, {.step = 1e-2});
  simulation.set_state({0.0, {0.5, 0.5, -0.5, 0.5}, {0.01, 2.0, 0.02}, {}});  // tumbles about the middle axis
  const State start = simulation.state();
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(simulation.step().ok());

  const auto momentum_of = [](const State& s) {
    const math::Mat3<double> R = math::rotation_of(math::Quaternion<double>{s.q[0], s.q[1], s.q[2], s.q[3]});
    return R * math::Vec3<double>{kInertia[0] * s.u[0], kInertia[1] * s.u[1], kInertia[2] * s.u[2]};
  };
  const math::Vec3<double> before = momentum_of(start), after = momentum_of(simulation.state());
  const math::Vec3<double> change = after - before;
  EXPECT_LT(std::sqrt(math::dot(change, change) / math::dot(before, before)), kMomentumRounding);
  EXPECT_NEAR(simulation.state().t, 1e4, 1e-9);
  const auto energy_of = [](const State& s) {
    return 0.5 *
           (kInertia[0] * s.u[0] * s.u[0] + kInertia[1] * s.u[1] * s.u[1] + kInertia[2] * s.u[2] * s.u[2]);
  };
  RecordProperty("relative_energy_change",
                 std::to_string(energy_of(simulation.state()) / energy_of(start) - 1.0));
}

TEST(Momentum, WithoutKeepingItRungeKuttaLosesIt) {
  const Dynamics body = body_on_spherical_joint(0.0, false);
  const State start{0.0, {1, 0, 0, 0}, {0.01, 2.0, 0.02}, {}};
  const State end = simulate_for(body, start, 1000.0, {.step = 1e-2});
  const math::Mat3<double> R =
      math::rotation_of(math::Quaternion<double>{end.q[0], end.q[1], end.q[2], end.q[3]});
  const math::Vec3<double> H =
      R * math::Vec3<double>{kInertia[0] * end.u[0], kInertia[1] * end.u[1], kInertia[2] * end.u[2]};
  EXPECT_GT(std::abs(H.y - 4.0), 1e-10);  // so the test above can fail
}

// A heavy symmetric-less top: only the vertical component of the momentum is constant, and it must be.
TEST(Momentum, HeavyTopKeepsTheVerticalComponent) {
  const Dynamics top = body_on_spherical_joint(3.0, true);
  Simulation simulation(top, {.step = 1e-2});
  simulation.set_state({0.0, {1, 0, 0, 0}, {0.3, 2.0, -1.0}, {}});
  const double before = simulation.state().momentum[2];
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(simulation.step().ok());
  EXPECT_NEAR(simulation.state().momentum[2], before, 1e-12);
  EXPECT_GT(std::abs(simulation.state().momentum[0]), 1e-3);
}

// udot = -k (q - cos t) - d u with k = 1e8, d = 2e4: after the start q follows cos t within (1 + d)/k. A step
// of 0.01 s is two hundred times the fast time constant.
TEST(Integrators, ImplicitOnesTakeLargeStepsThroughStiffness) {
  const Dynamics stiff =
      on_a_line([](const Symbols& s) { return -1e8 * (s.q[0] - cos(s.t)) - 2e4 * s.u[0]; });
  const State start{0.0, {0.0}, {0.0}, {}};
  constexpr double kFollows = 3e-4;  // d/k sin t = 2e-4
  const State fixed = simulate_for(stiff, start, 1.0, {.step = 0.01, .integrator = Integrator::implicit});
  EXPECT_NEAR(fixed.q[0], std::cos(1.0), kFollows);
  EXPECT_NEAR(fixed.u[0], -std::sin(1.0), 10 * kFollows);  // the order falls in the stiff direction
  const State adaptive = simulate_for(
      stiff, start, 1.0, {.step = 0.1, .integrator = Integrator::stiff, .tolerances = {1e-8, 1e-8}});
  EXPECT_NEAR(adaptive.q[0], std::cos(1.0), kFollows);
  EXPECT_NEAR(adaptive.q[0], fixed.q[0], 1e-6);

  Simulation explicit_one(stiff, {.step = 0.01, .integrator = Integrator::rk4});
  explicit_one.set_state(start);
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = explicit_one.step();
  EXPECT_TRUE(status.has(Status::diverged));
}

TEST(Integrators, ImplicitOneKillsInfinitelyStiffMotionsInAStep) {
  const Dynamics stiff = on_a_line([](const Symbols& s) { return -1e12 * s.q[0] - 2e6 * s.u[0]; });
  const State end =
      simulate_for(stiff, {0.0, {1.0}, {0.0}, {}}, 1.0, {.step = 1.0, .integrator = Integrator::implicit});
  EXPECT_LT(std::abs(end.q[0]), 1e-5);
}

}  // namespace
}  // namespace tactus::simulate
