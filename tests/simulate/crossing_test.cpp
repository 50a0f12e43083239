// Through singular positions: ladders of parallelograms, whose rods and couplers lie on one line twice a turn, against
// the closed form of the pendulum that they are.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <studies/ladder/pendulum.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/motion/simulation.h>
#include "constrained_models.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

constexpr double kGravity = 9.81, kLength = 1.0;  // of the model
constexpr Formulation kFormulations[] = {Formulation::automatic, Formulation::multipliers,
                                         Formulation::embedding, Formulation::projection,
                                         Formulation::parametric};
/// [rad] What a change of the start by one unit in the last place grows to in 10 s, and the rounding of 10,000 steps:
/// 1e-11 at most was seen; below this nothing is said about orders.
constexpr double kFloor = 5e-11;

describe::Model ladder_model(int loops) {
  return describe::load(tactus::support::source_dir() + "/models/four_bar_ladder.yaml",
                        {{"N", std::to_string(loops)}});
}

/// The ladder of so many loops, compiled once.
struct Ladder {
  explicit Ladder(int count)
      : loops(count), model(ladder_model(count)), dynamics(compile(derive::Equations(model))) {}

  /// The largest deviation of an angle from the closed form at full tenths of a second [rad]; infinite where it stops.
  double deviation(double duration, const Options& options) const {
    Simulation ladder(dynamics, options);
    ladder.set_state({0.0, model.initial_q, model.initial_u, {}});
    const studies::ladder::Pendulum pendulum(loops, model.initial_u[0], kGravity, kLength);
    const long each = std::lround(0.1 / options.step);
    double worst = 0.0;
    for (long k = 1; k <= std::lround(duration / options.step); ++k) {
      if (const Status status = ladder.step(); !status.ok()) {
        ADD_FAILURE() << ladder.explain(status);
        return HUGE_VAL;
      }
      if (k % each != 0) continue;
      const double theta = pendulum.angle(static_cast<double>(k) * options.step);
      for (std::size_t i = 0; i < model.initial_q.size(); ++i) {
        const double expected = std::copysign(1.0, model.initial_q[i]) * theta;  // couplers turn back
        const double difference = std::abs(ladder.state().q[i] - expected);
        if (!(difference <= worst)) worst = difference;  // keeps a NaN
      }
    }
    return worst;
  }

  double with_step(double duration, Integrator integrator, Formulation formulation, double step) const {
    Options options{.step = step, .integrator = integrator};
    options.constraints.formulation = formulation;
    return deviation(duration, options);
  }
  double to_tolerance(double duration, Integrator integrator, Formulation formulation,
                      double tolerance) const {
    Options options{.step = 0.1, .integrator = integrator, .tolerances = {tolerance, tolerance}};
    options.constraints.formulation = formulation;
    return deviation(duration, options);
  }

  int loops;
  describe::Model model;
  Dynamics dynamics;
};

TEST(Crossing, TheClosedFormSolvesThePendulumsEquation) {
  const studies::ladder::Pendulum pendulum(2, -1.0, kGravity, kLength);
  const double w = kGravity * (1.5 + 2.0) / (1.0 + 2.0);
  double theta = pi / 2, rate = -1.0;
  constexpr double h = 1e-3;
  const auto slope = [&](double x) { return -w * std::cos(x); };
  for (int k = 1; k <= 10000; ++k) {
    const double k1 = slope(theta), l1 = rate, k2 = slope(theta + h / 2 * l1), l2 = rate + h / 2 * k1;
    const double k3 = slope(theta + h / 2 * l2), l3 = rate + h / 2 * k2, k4 = slope(theta + h * l3),
                 l4 = rate + h * k3;
    theta += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    ASSERT_NEAR(pendulum.angle(k * h), theta, 1e-10);  // truncation of RK4: 6e-11
  }
}

TEST(Crossing, FixedStepsConvergeAtTheirOrderByEveryFormulation) {
  struct Case {
    Integrator integrator;
    double order;
  };
  for (const int loops : {1, 2, 10}) {
    const Ladder ladder(loops);
    for (const Formulation formulation : kFormulations) {
      const bool dense = formulation != Formulation::automatic && formulation != Formulation::parametric;
      const double duration = loops == 10 && dense ? 2.0 : 10.0;
      // Semi-implicit Euler is of order 2 in the angles here: its energy's error comes and goes with the turns.
      for (const auto& [integrator, order] :
           {Case{Integrator::euler, 1.0}, Case{Integrator::rk4, 4.0}, Case{Integrator::implicit, 3.0}}) {
        if (loops == 10 && dense && integrator == Integrator::implicit) continue;  // the study has it
        const double coarse = ladder.with_step(duration, integrator, formulation, 4e-3);
        const double fine = ladder.with_step(duration, integrator, formulation, 2e-3);
        EXPECT_GT(coarse, kFloor);
        constexpr double kShort = 0.3;  // of the order, by terms of higher order
        EXPECT_LT(fine, coarse * std::pow(2.0, kShort - order) + kFloor)
            << loops << " loops, " << name_of(integrator) << ", " << name_of(formulation);
      }
    }
  }
}

TEST(Crossing, TighterTolerancesAreNeverWorse) {
  // [rad] The error over the tolerance: 10 s of turns past a top where errors double thrice in a second.
  constexpr double kAmplified = 400.0;
  for (const int loops : {1, 2, 10}) {
    const Ladder ladder(loops);
    for (const Formulation formulation : kFormulations) {
      if (loops == 10 && formulation != Formulation::automatic) continue;
      double before = HUGE_VAL;
      for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
        const double error = ladder.to_tolerance(10.0, Integrator::adaptive, formulation, tolerance);
        EXPECT_LT(error, kAmplified * tolerance + kFloor) << loops << " " << name_of(formulation);
        EXPECT_LT(error, before) << loops << " " << name_of(formulation) << " " << tolerance;
        before = error;
      }
    }
    double before = HUGE_VAL;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const double error =
          ladder.to_tolerance(loops == 10 ? 2.0 : 10.0, Integrator::stiff, Formulation::automatic, tolerance);
      EXPECT_LT(error, before) << loops << " stiff " << tolerance;
      before = error;
    }
    EXPECT_LT(before, 1e-9);  // [rad] at 1e-10
  }
}

// The slider-crank passes a position where its only row vanishes, whatever it is driven by: the energy that it has is
// what was put in.
TEST(Crossing, ThePassiveIntegratorBalancesThroughTheSliderCranksPositions) {
  const describe::Model model =
      describe::load(tactus::support::source_dir() + "/models/slider_crank.yaml", {{"g", "0"}});
  const derive::Equations equations(model);
  const Dynamics dynamics =
      compile(equations, {}, generate::Backend::automatic, {.momentum = false, .passive = true});
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto energy_of = [&](const State& state) {
    std::copy(state.q.begin(), state.q.end(), energy.input("q").begin());
    std::copy(state.u.begin(), state.u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  };
  int crossings = 0;
  for (const double angle : {159.5764, 88.3883, -101.8847, 45.8428, -6.5084})  // [deg]
    for (const double rate : {10.0, -30.0})
      for (const double step : {1e-4, 1e-3, 5e-3}) {
        const double q1 = angle * pi / 180.0;
        Simulation crank(dynamics, {.step = step, .integrator = Integrator::passive});
        crank.set_state({0.0, {q1, 2.0 * pi - 2.0 * q1}, {rate, -2.0 * rate}, {}});
        const double start = energy_of(crank.state());
        double before = crank.state().q[0];
        for (long k = 0; k < std::lround(1.0 / step); ++k) {
          const Status status = crank.step();
          ASSERT_TRUE(status.ok()) << angle << " " << rate << " " << step << ": " << crank.explain(status);
          const double now = crank.state().q[0];
          crossings += std::floor(before / pi - 0.5) != std::floor(now / pi - 0.5);
          before = now;
        }
        // Rounding of the steps' energies, as everywhere else.
        constexpr double kBalanced = 1e-11;
        EXPECT_NEAR(energy_of(crank.state()), start, kBalanced * start)
            << angle << " " << rate << " " << step;
        // The links fold and unfold together: q2 = 2 pi - 2 q1 (mod 2 pi).
        EXPECT_NEAR(std::sin(crank.state().q[1] + 2.0 * crank.state().q[0]), 0.0, 1e-9);
      }
  EXPECT_GT(crossings, 100);
}

TEST(Crossing, FortyLoopsKeepFourthOrder) {
  const Ladder ladder(40);
  const double coarse = ladder.with_step(10.0, Integrator::rk4, Formulation::automatic, 4e-3);
  const double fine = ladder.with_step(10.0, Integrator::rk4, Formulation::automatic, 1e-3);
  EXPECT_LT(coarse, 1e-7);
  EXPECT_LT(fine, coarse / 180.0 + kFloor);  // 256 in theory
  EXPECT_LT(ladder.to_tolerance(10.0, Integrator::adaptive, Formulation::automatic, 1e-10), 4e-8);
}

/// The force at the loop's pin of one parallelogram: the coupler's weight and acceleration, shared alike by its two ends
/// (the moments about its centre and about the rods' hinges say so).
std::array<double, 2> pin_force(double theta, double rate, double acceleration) {
  const double ax = -acceleration * std::sin(theta) - rate * rate * std::cos(theta),
               ay = acceleration * std::cos(theta) - rate * rate * std::sin(theta);
  return {0.5 * ax, 0.5 * (ay + kGravity)};
}

TEST(Crossing, MultipliersOfAllFormulationsAreThePinsForceHoweverNearThePosition) {
  const Ladder ladder(1);
  const double w = kGravity * (1.0 + 1.0) / (2.0 / 3.0 + 1.0), rate = -4.0;
  for (const Formulation formulation : kFormulations) {
    if (formulation == Formulation::parametric) continue;  // A^T lambda = force says nothing of them there
    ConstraintOptions options;
    options.formulation = formulation;
    ConstraintSolver solver(ladder.dynamics, options);
    ConstrainedMotion motion(3, 2);
    for (const double theta : {0.1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 0.0, -1e-7, -1e-3}) {
      const State state = ladder_state(1, theta, rate);
      solver.reset(0.0, state.q.data(), state.u.data());
      ASSERT_TRUE(solver.solve(arguments_of(state, {0.0, 0.0, 0.0}).data(), motion));
      const auto F = pin_force(theta, rate, -w * std::cos(theta));
      // Rounding is amplified to 1e-10 where the places of the interpolation are.
      constexpr double kExact = 1e-8;  // [N]
      EXPECT_NEAR(std::abs(motion.lambda[0]), std::abs(F[0]), kExact) << theta << " " << name_of(formulation);
      EXPECT_NEAR(std::abs(motion.lambda[1]), std::abs(F[1]), kExact) << theta << " " << name_of(formulation);
      EXPECT_NEAR(motion.udot[0], -w * std::cos(theta), kExact) << theta << " " << name_of(formulation);
      EXPECT_NEAR(motion.udot[1], w * std::cos(theta), kExact) << theta << " " << name_of(formulation);
    }
  }
}

TEST(Crossing, ExactlyThereTheVelocityChoosesTheBranch) {
  const Ladder ladder(1);
  ConstraintSolver solver(ladder.dynamics);
  ConstrainedMotion motion(3, 2);
  constexpr double kExact = 1e-8;
  const auto solve = [&](std::vector<double> u) {
    const State state{0.0, {0.0, 0.0, 0.0}, std::move(u), {}};
    solver.reset(0.0, state.q.data(), state.u.data());
    EXPECT_TRUE(solver.solve(arguments_of(state, {0.0, 0.0, 0.0}).data(), motion));
    EXPECT_TRUE(motion.singular);
    EXPECT_EQ(motion.rank, 1u);
  };
  // As a parallelogram: one pendulum of two rods and a coupler.
  solve({2.0, -2.0, 2.0});
  EXPECT_TRUE(motion.across);
  EXPECT_NEAR(motion.udot[0], -kGravity * 2.0 / (2.0 / 3.0 + 1.0), kExact);
  // Folded: the first rod stands, coupler and second rod turn as one about the hinge at which they start.
  solve({0.0, 3.0, 3.0});
  EXPECT_TRUE(motion.across);
  EXPECT_NEAR(motion.udot[0], 0.0, kExact);
  EXPECT_NEAR(motion.udot[1], -kGravity * 1.0 / (2.0 / 3.0), kExact);
  EXPECT_NEAR(motion.udot[2], -kGravity * 1.0 / (2.0 / 3.0), kExact);
  // Both at once is no motion, and rest is no choice.
  solve({2.0, 1.0, 5.0});
  EXPECT_FALSE(motion.across);
  solve({0.0, 0.0, 0.0});
  EXPECT_FALSE(motion.across);
}

TEST(Crossing, BranchesThatMissEachOtherAreNotCrossed) {
  // A loop whose coupler is a little too long does not pass the line: it goes over to the other branch, within the root
  // of the difference. Steps far below that keep the energy.
  for (const double longer : {1e-2, 1e-4, 1e-6}) {
    SCOPED_TRACE(longer);
    const describe::Model changed = describe::load_text(
        "name: missed\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  rod_0: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
        "  coupler: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
        "  rod_1: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
        "joints:\n"
        "  theta_0: {type: revolute, parent: world, child: rod_0, axis: -y}\n"
        "  phi: {type: revolute, parent: rod_0, child: coupler, axis: -y, placement: {xyz: [1, 0, 0]}}\n"
        "  theta_1: {type: revolute, parent: world, child: rod_1, axis: -y, placement: {xyz: [1, 0, 0]}}\n"
        "constraints:\n"
        "  loop: {type: revolute, a: {body: rod_1, at: [1, 0, 0], axis: y}, b: {body: coupler, at: [" +
            fmt::format("{:.17g}", 1.0 + longer) +
            ", 0, 0], axis: y}}\n"
            "initial:\n  q: {theta_0: 40 deg, phi: -40 deg, theta_1: 40 deg}\n",
        "missed.yaml");
    const derive::Equations equations(changed);
    const Dynamics dynamics = compile(equations);
    generate::Evaluator energy(generate::compile(equations.energy()));
    const auto total = [&](const State& s) {
      std::copy(s.q.begin(), s.q.end(), energy.input("q").begin());
      std::copy(s.u.begin(), s.u.end(), energy.input("u").begin());
      energy.run();
      return energy.output("kinetic")[0] + energy.output("potential")[0];
    };
    Simulation simulation(dynamics, {.step = 2e-5});
    simulation.set_state(assemble(dynamics, {0.0, changed.initial_q, changed.initial_u, {}}));
    const double before = total(simulation.state());
    for (int k = 0; k < 25000; ++k) ASSERT_TRUE(simulation.step().ok());  // past the line, at some 0.4 s
    // The first rod stops on the line, where it would cross it by -0.4 rad; coupler and second rod go on.
    EXPECT_NEAR(simulation.state().q[0], 0.0, 2.0 * longer);
    EXPECT_LT(simulation.state().q[2], -0.05);
    EXPECT_NEAR(total(simulation.state()), before, longer > 1e-5 ? 1e-6 : 1e-4);
  }
}

TEST(Crossing, LooksBetweenStepsChangeNothing) {
  const Ladder ladder(2);
  std::vector<double> ends[2];
  for (const bool looks : {false, true}) {
    Simulation simulation(ladder.dynamics, {.step = 1e-3});
    simulation.set_state(ladder_state(2, 0.03, -4.0));
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(simulation.step().ok());
      if (looks) simulation.constraint_state();
    }
    ends[looks ? 1 : 0] = simulation.state().q;
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(Crossing, ASnapshotWithinGoesOnWithTheSameBits) {
  const Ladder ladder(2);
  Simulation one(ladder.dynamics, {.step = 1e-3}), other(ladder.dynamics, {.step = 1e-3});
  one.set_state(ladder_state(2, 0.01, -4.0));
  other.set_state(ladder_state(2, 1.0, 1.0));
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(one.step().ok());
  Simulation::Memory memory;
  one.save(memory);
  ASSERT_TRUE(other.load(memory));
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(one.step().ok());
    ASSERT_TRUE(other.step().ok());
    ASSERT_EQ(one.state().q, other.state().q) << k;
    ASSERT_EQ(one.state().u, other.state().u) << k;
  }
}

}  // namespace
}  // namespace tactus::simulate
