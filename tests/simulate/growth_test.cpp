// Mechanisms of hundreds of parts: they are ready, and move as their parts do; what is made for them grows with their number and not with its square.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/tape.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/chart_kernels.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"
#include "support/tree_model.h"

namespace tactus::simulate {
namespace {

describe::Model ladder(int loops) {
  return describe::load(support::source_dir() + "/models/four_bar_ladder.yaml",
                        {{"N", std::to_string(loops)}});
}

/// Bodies that fly, each placed in its own way on its joint.
describe::Model flyers(int count) {
  std::string text = "name: flyers\nbodies:\n", joints = "joints:\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  b{0}: {{mass: {1}, com: [0.1, 0.02, {2}], inertia: [1, 2, {3}]}}\n", i,
                        1.0 + i % 3, 0.01 * (i % 7), 2.0 + 0.1 * (i % 5));
    joints += fmt::format(
        "  j{0}: {{type: free, parent: world, child: b{0}, placement: {{xyz: [{1}, 0, 0], rpy: [0.3, {2}, "
        "0.1]}}}}\n",
        i, i, 0.1 * (i % 4));
  }
  return describe::load_text(text + joints, "flyers");
}

describe::Model tree(int count) { return describe::load_text(support::tree_text(count), "tree"); }

State start_of(const describe::Model& model) {
  State state{0.0, model.initial_q, model.initial_u, {}};
  for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] = std::sin(1.0 + static_cast<double>(i));
  return state;
}

std::size_t operations_of(const algebra::Function& function) {
  const algebra::OperationCount count = generate::count_operations(generate::make_tape(function));
  return static_cast<std::size_t>(count.mul + count.add + count.div + count.trig);
}

TEST(Growth, ALadderOfThreeHundredLoopsMovesAsInItsParametricCoordinate) {
  const describe::Model model = ladder(300);
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  ASSERT_EQ(dynamics.nv(), 601);
  // What the motion keeps of M and A is what they have, not what they could have.
  EXPECT_LT(dynamics.constraints->M_entries.size(), 601u * 4u);
  EXPECT_LT(dynamics.constraints->A_entries.size(), 600u * 4u);
  AssemblyReport report;
  const State start = assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}}, {}, &report);
  EXPECT_EQ(report.rank, 600u);
  EXPECT_EQ(report.freedoms, 1);
  Simulation simulation(dynamics, {.step = 1e-3});
  simulation.set_state(start);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(simulation.handed_over(), 0);

  // Another road: the parametric coordinate, in which the loops are closed by themselves.
  Simulation parametric(dynamics, {.step = 1e-3, .constraints = {.formulation = Formulation::parametric}});
  parametric.set_state(start);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(parametric.step().ok());
  constexpr double kSame = 1e-10;  // errors of RK4 in different coordinates, and roundings of 600 rows
  EXPECT_LT(support::difference(simulation.state().q, parametric.state().q), kSame);
  EXPECT_LT(support::difference(simulation.state().u, parametric.state().u), kSame);
  // All rods alike, all couplers level.
  const std::vector<std::string> names = model.coordinate_names();
  const double theta = simulation.state().q[0];
  EXPECT_LT(theta, 1.56);  // it began upright
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_NEAR(simulation.state().q[i], names[i].rfind("theta", 0) == 0 ? theta : -theta, kSame) << names[i];
}

TEST(Growth, MultipliersOfALadderAreThoseOfTheGeneralRoad) {
  const describe::Model model = ladder(300);
  const Dynamics dynamics = compile(derive::Equations(model));
  const State start = assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
  std::vector<std::vector<double>> lambda;
  for (const Formulation formulation : {Formulation::automatic, Formulation::multipliers}) {
    Simulation simulation(dynamics, {.step = 1e-3, .constraints = {.formulation = formulation}});
    simulation.set_state(start);
    const long before = test::allocation_count();
    const Simulation::ConstraintState state = simulation.constraint_state();
    EXPECT_EQ(test::allocation_count(), before);
    EXPECT_EQ(state.rank, 600u);
    lambda.emplace_back(state.lambda.begin(), state.lambda.end());
  }
  const double size = support::largest(lambda[0]);
  EXPECT_GT(size, 1.0);
  EXPECT_LT(support::difference(lambda[0], lambda[1]), 1e-9 * size);
}

TEST(Growth, ProgramsGrowWithTheNumberOfParts) {
  // Three times the parts, three times the operations, but for the ends.
  constexpr double kEnds = 1.05;
  const auto ratio = [](const algebra::Function& large, const algebra::Function& small) {
    return static_cast<double>(operations_of(large)) / static_cast<double>(operations_of(small));
  };
  EXPECT_LT(ratio(derive::Equations(ladder(300)).constrained_dynamics(),
                  derive::Equations(ladder(100)).constrained_dynamics()),
            3.0 * kEnds);
  EXPECT_LT(ratio(derive::Equations(flyers(300)).forward_dynamics(),
                  derive::Equations(flyers(100)).forward_dynamics()),
            3.0 * kEnds);
}

TEST(Growth, ThreeHundredBodiesFlyAsEachDoesAlone) {
  const int count = 300;
  const describe::Model model = flyers(count);
  const Dynamics dynamics = compile(derive::Equations(model));
  ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying);
  const State start = start_of(model);
  Simulation all(dynamics, {.step = 1e-3});
  all.set_state(start);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(all.step().ok());
  const describe::Model few = flyers(12);
  Dynamics alone = compile(derive::Equations(few));
  alone.in_chart.reset();  // by the general road
  Simulation some(alone, {.step = 1e-3});
  some.set_state(
      {0.0, {start.q.begin(), start.q.begin() + 12 * 7}, {start.u.begin(), start.u.begin() + 12 * 6}, {}});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(some.step().ok());
  constexpr double kRounding = 1e-12;  // of a hundred steps
  for (std::size_t i = 0; i < 12 * 7; ++i)
    EXPECT_NEAR(all.state().q[i], some.state().q[i], kRounding * 12.0) << i;
  for (std::size_t i = 0; i < 12 * 6; ++i) EXPECT_NEAR(all.state().u[i], some.state().u[i], kRounding) << i;
}

/// The same motion by the shorter road and by the general one, under held forces.
void expect_one_motion(const Dynamics& dynamics, const State& start, const std::vector<double>& tau) {
  Dynamics general = dynamics;
  general.in_chart.reset();
  for (const Integrator integrator : {Integrator::rk4, Integrator::euler, Integrator::adaptive}) {
    Simulation a(dynamics, {.step = 1e-3, .integrator = integrator}),
        b(general, {.step = 1e-3, .integrator = integrator});
    for (Simulation* simulation : {&a, &b}) {
      simulation->set_state(start);
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(simulation->step({.tau = tau}).ok());
    }
    // Adaptive steps are chosen by errors at the level of rounding.
    const double same = integrator == Integrator::adaptive ? 1e-8 : 1e-11;
    EXPECT_LT(support::difference(a.state().q, b.state().q), same) << name_of(integrator);
    EXPECT_LT(support::difference(a.state().u, b.state().u), same * 10.0) << name_of(integrator);
    EXPECT_LT(support::difference(a.state().momentum, b.state().momentum), same * 10.0)
        << name_of(integrator);
    // Rates are those of the parts, after steps as well.
    const Simulation::Rates of_a = a.rates(), of_b = b.rates();
    const std::vector<double> udot_a(of_a.udot.begin(), of_a.udot.end()),
        udot_b(of_b.udot.begin(), of_b.udot.end());
    EXPECT_LT(support::difference(udot_a, udot_b), same * 1e3) << name_of(integrator);
  }
}

std::vector<double> some_forces(int count) {
  std::vector<double> tau(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = std::cos(static_cast<double>(i));
  return tau;
}

TEST(Growth, BodiesSideBySideFlyAsByTheGeneralRoad) {
  for (const int count : {1, 3, 9, 20}) {  // with lanes to spare
    const describe::Model model = flyers(count);
    const Dynamics dynamics = compile(derive::Equations(model));
    ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying) << count;
    SCOPED_TRACE(count);
    expect_one_motion(dynamics, start_of(model), {});
    expect_one_motion(dynamics, start_of(model), some_forces(dynamics.nv()));
  }
}

TEST(Growth, ForcesAtPassiveJointsOfFlyingBodiesCountOnlyWhereTheyAreAskedFor) {
  describe::Model model = flyers(11);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t k = 0; k < 6; ++k) model.joints[j].axes[k].passive = (j + k) % 3 == 0;
  for (const bool push_passive : {false, true}) {
    derive::Options options;
    options.push_passive = push_passive;
    Dynamics dynamics = compile(derive::Equations(model, options));
    ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying);
    SCOPED_TRACE(push_passive);
    EXPECT_EQ(dynamics.unactuated.empty(), !push_passive);
    expect_one_motion(dynamics, start_of(model), some_forces(dynamics.nv()));
    dynamics.unactuated.clear();
    expect_one_motion(dynamics, start_of(model), some_forces(dynamics.nv()));
  }
}

/// Of bodies that fly, z = [0; u; P] at places q0, which turn by so much in a step [rad].
struct Flight {
  std::vector<double> q0, z;
  static constexpr double kStep = 1e-2;  // [s]

  Flight(const describe::Model& model, const Dynamics& dynamics, double turn) {
    State state = start_of(model);
    const auto nv = state.u.size();
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += 0.3 * std::cos(static_cast<double>(i));
    dynamics.coordinates.normalize(state.q.data());
    for (std::size_t i = 0; i < nv; i += 6) {
      const double w = std::hypot(state.u[i], state.u[i + 1], state.u[i + 2]);
      for (std::size_t k = 0; k < 3; ++k) state.u[i + k] *= turn / (kStep * w);
    }
    Chart chart(dynamics);
    chart.adopt(state);
    z.resize(static_cast<std::size_t>(chart.size()));
    chart.begin(state, z);
    q0 = state.q;
  }
};

TEST(Growth, AWholeStepOfFlyingBodiesIsFourSlopesAndAnEnd) {
  for (const int count : {1, 2, 3, 9}) {
    const describe::Model model = flyers(count);
    const Dynamics dynamics = compile(derive::Equations(model));
    ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying);
    const FlyingBodies& flying = *dynamics.in_chart->flying;
    std::vector<double> in(flying.input_size()), out(flying.output_size()), work(flying.work_size());
    const FlyingBodies::Memory memory{in.data(), out.data(), work.data()};
    for (const double turn : {1e-4, 0.05, 0.25}) {
      SCOPED_TRACE(fmt::format("{} bodies turn by {}", count, turn));
      const double h = Flight::kStep;
      const Flight start(model, dynamics, turn);
      Flight whole = start, parts = start;
      ASSERT_TRUE(flying.fly(h, whole.q0.data(), whole.z.data(), memory));

      const std::vector<double> none(static_cast<std::size_t>(dynamics.nv()), 0.0);
      std::vector<double> k(start.z.size()), sum(k.size(), 0.0), place = start.z;
      for (int stage = 0; stage < 4; ++stage) {
        flying.slope(start.q0.data(), place.data(), none.data(), k.data(), memory);
        for (std::size_t i = 0; i < k.size(); ++i) {
          sum[i] += (stage == 1 || stage == 2 ? 2.0 : 1.0) * k[i];
          place[i] = start.z[i] + (stage == 2 ? h : 0.5 * h) * k[i];
        }
      }
      for (std::size_t i = 0; i < k.size(); ++i) parts.z[i] += h / 6.0 * sum[i];
      flying.settle(parts.q0.data(), parts.z.data(), memory);

      constexpr double kRounding =
          1e-14;  // of places and speeds of some metres and radians per second, below 30
      EXPECT_LT(support::difference(whole.q0, parts.q0), kRounding * count);
      EXPECT_LT(support::difference(whole.z, parts.z), kRounding * 30.0);
      // The momentum to the bit.
      const auto P = static_cast<std::size_t>(2 * dynamics.nv());
      for (std::size_t i = P; i < k.size(); ++i) EXPECT_EQ(whole.z[i], parts.z[i]);
      EXPECT_GT(support::difference(whole.q0, start.q0), 0.1 * turn);
    }
  }
}

TEST(Growth, AWholeStepIsRefusedWhereABodyTurnsTooFar) {
  const describe::Model model = flyers(9);
  const Dynamics dynamics = compile(derive::Equations(model));
  const FlyingBodies& flying = *dynamics.in_chart->flying;
  std::vector<double> in(flying.input_size()), out(flying.output_size()), work(flying.work_size());
  const FlyingBodies::Memory memory{in.data(), out.data(), work.data()};
  for (const double speed : {1.2 * FlyingBodies::kMostTurnInStep / Flight::kStep, std::nan("")}) {
    Flight start(model, dynamics, 1e-3);
    start.z[static_cast<std::size_t>(dynamics.nv()) + 8 * 6] = speed;  // [rad/s] of the last one alone
    Flight flight = start;
    EXPECT_FALSE(flying.fly(Flight::kStep, flight.q0.data(), flight.z.data(), memory));
    EXPECT_EQ(flight.q0, start.q0);
    if (speed == speed) {
      EXPECT_EQ(flight.z, start.z);
    }
  }
}

TEST(Growth, TreesFallByTheirWeightAndFollowForcesAtTheirRoots) {
  for (const bool with_arm : {false, true}) {  // beside an arm that stands on the ground
    std::string text = support::tree_text(20);
    if (with_arm)
      text.replace(text.find("bodies:\n"), 8,
                   "bodies:\n  rod: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.2]}\n") +=
          "  arm: {type: revolute, parent: world, child: rod, axis: y}\n";
    const describe::Model model = describe::load_text(text, "tree");
    const Dynamics dynamics = compile(derive::Equations(model));
    ASSERT_TRUE(dynamics.in_chart);
    EXPECT_FALSE(dynamics.in_chart->flying);
    EXPECT_EQ(dynamics.in_chart->weight, (std::vector{0.0, 0.0, 0.0, 0.0, 0.0, -20.0 * 9.81}));
    SCOPED_TRACE(with_arm);
    std::vector<double> tau = some_forces(dynamics.nv());
    expect_one_motion(dynamics, start_of(model), tau);
    for (const MomentumRoot& root : dynamics.momentum_roots)
      std::fill_n(tau.begin() + root.speed, root.size, 0.0);  // inside the tree, and at the arm
    expect_one_motion(dynamics, start_of(model), tau);
  }
}

TEST(Growth, WhatActsFromOutsideTakesTheGeneralRoad) {
  describe::Model damped = flyers(20);
  damped.joints[3].axes[1].damping = damped.bodies[1].mass;  // some number
  EXPECT_FALSE(compile(derive::Equations(damped)).in_chart);
  describe::Model damped_base = tree(5);
  damped_base.joints[0].axes[4].damping = damped_base.bodies[1].mass;
  EXPECT_FALSE(compile(derive::Equations(damped_base)).in_chart);
  describe::Model damped_inside = tree(5);
  damped_inside.joints[2].axes[0].damping = damped_inside.bodies[1].mass;
  const Dynamics dynamics = compile(derive::Equations(damped_inside));
  ASSERT_TRUE(dynamics.in_chart);
  expect_one_motion(dynamics, start_of(damped_inside), {});
}

TEST(Growth, BodiesThatTurnFastTakeTheGeneralRoad) {
  const describe::Model model = flyers(20);
  const Dynamics dynamics = compile(derive::Equations(model));
  ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying);
  Dynamics general = dynamics;
  general.in_chart.reset();
  State start = start_of(model);
  start.u[7 * 6] = 3000.0;  // [rad/s] of one of them: three radians in a step
  Simulation a(dynamics, {.step = 1e-3}), b(general, {.step = 1e-3});
  for (Simulation* simulation : {&a, &b}) {
    simulation->set_state(start);
    ASSERT_TRUE(simulation->step().ok());
  }
  constexpr double kRounding = 1e-9;  // of speeds of 3000
  EXPECT_LT(support::difference(a.state().q, b.state().q), kRounding);
  EXPECT_LT(support::difference(a.state().u, b.state().u), kRounding * 1e3);
}

TEST(Growth, StepsOfManyBodiesTakeNoMemory) {
  const describe::Model model = flyers(40);
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation simulation(dynamics, {.step = 1e-3});
  simulation.set_state(start_of(model));
  ASSERT_TRUE(simulation.step().ok());
  const long before = test::allocation_count();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(Growth, MomentumOfManyBodiesIsKeptToRounding) {
  describe::Model model = flyers(20);
  model.gravity = {};
  const Dynamics dynamics = compile(derive::Equations(model));
  ASSERT_TRUE(dynamics.in_chart && dynamics.in_chart->flying);
  Simulation simulation(dynamics, {.step = 1e-2});
  simulation.set_state(start_of(model));
  const std::vector<double> before = simulation.state().momentum;
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(simulation.step().ok());
  EXPECT_EQ(simulation.state().momentum, before);  // nothing acts: not a bit changes
  // And the speeds have it: computed from them by the general road.
  Dynamics general = dynamics;
  general.in_chart.reset();
  Simulation again(general, {.step = 1e-2});
  again.set_state({0.0, simulation.state().q, simulation.state().u, {}});
  EXPECT_LT(support::difference(again.state().momentum, before), 1e-13 * 10.0);
}

}  // namespace
}  // namespace tactus::simulate
