#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include <studies/aghili2005/reduced_crank.h>

#include "constrained_models.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

using aghili::ReducedCrank;

struct CrankRun {
  double largest_phi = 0.0, error = 0.0;
  bool ok = true;
};

CrankRun run_crank(const Dynamics& dynamics, double gravity, double duration, Options options) {
  Simulation crank(dynamics, options);
  crank.set_state({0.0, {2 * pi / 3, 2 * pi / 3}, {0.0, 0.0}, {}});
  std::vector<double> tau(2, 0.0);
  tau[0] = 1.0;
  CrankRun run;
  const long steps = std::lround(duration / options.step);
  for (long i = 0; i < steps && run.ok; ++i) {
    run.ok = crank.step({.tau = tau}).ok();
    const auto& q = crank.state().q;
    run.largest_phi = support::larger(run.largest_phi, std::abs(std::sin(q[0]) + std::sin(q[0] + q[1])));
  }
  ReducedCrank reference(gravity, 1.0);
  reference.advance(duration);
  run.error = std::abs(crank.state().q[0] - reference.q);
  return run;
}

TEST(Holding, PassesEverySingularCrossingOfTheSliderCrank) {
  for (const double gravity : {0.0, 9.81}) {
    const Dynamics dynamics = compile(derive::Equations(slider_crank(gravity)));
    for (const Formulation formulation : {Formulation::automatic, Formulation::multipliers,
                                          Formulation::embedding, Formulation::projection}) {
      Options options{.step = 0.01};
      options.constraints.formulation = formulation;
      const CrankRun run = run_crank(dynamics, gravity, 10.0, options);
      EXPECT_TRUE(run.ok) << name_of(formulation);
      EXPECT_LT(run.largest_phi, 1e-12) << name_of(formulation);
      // Truncation of RK4 at 10 ms, amplified over 5 and 12 turns: 2.4e-6 and 1.2e-4 in an independent
      // computation.
      EXPECT_LT(run.error, gravity == 0.0 ? 3e-6 : 2e-4) << name_of(formulation);
    }
  }
}

TEST(Holding, PositionAloneIsNotEnough) {
  // As printed, [Aghili2005, (37)]: the error of velocity grows at each crossing until the branch is lost.
  const Dynamics dynamics = compile(derive::Equations(slider_crank(9.81)));
  Options options{.step = 0.01};
  options.constraints.holding = Holding::position_only;
  const CrankRun run = run_crank(dynamics, 9.81, 10.0, options);
  EXPECT_TRUE(!run.ok || run.error > 0.1);
}

TEST(Holding, KeepsTheOrderOfTheIntegrator) {
  for (const double gravity : {0.0, 9.81}) {
    const Dynamics dynamics = compile(derive::Equations(slider_crank(gravity)));
    const double coarse = run_crank(dynamics, gravity, 3.0, {.step = 0.01}).error;
    const double fine = run_crank(dynamics, gravity, 3.0, {.step = 0.005}).error;
    EXPECT_GT(std::log2(coarse / fine), 3.7) << coarse << " " << fine;
  }
}

TEST(Holding, CopiesOfAConstraintChangeNothing) {
  const Dynamics one = compile(derive::Equations(slider_crank(9.81))),
                 three = compile(derive::Equations(slider_crank(9.81, 3)));
  EXPECT_EQ(three.constraints->redundant, (std::vector<char>{0, 1, 1}));
  Simulation a(one, {.step = 0.01}), b(three, {.step = 0.01});
  const State start{0.0, {2 * pi / 3, 2 * pi / 3}, {0.0, 0.0}, {}};
  a.set_state(start);
  b.set_state(start);
  const std::vector<double> tau{1.0, 0.0};
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(a.step({.tau = tau}).ok());
    ASSERT_TRUE(b.step({.tau = tau}).ok());
  }
  // The copies are set aside: the same operations, the same bits.
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().u, b.state().u);
}

TEST(Holding, StartsAtAnExactlySingularConfiguration) {
  const Dynamics dynamics = compile(derive::Equations(slider_crank(0.0)));
  Simulation crank(dynamics, {.step = 0.01});
  crank.set_state({0.0, {pi / 2, pi}, {1.0, -2.0}, {}});
  const std::vector<double> tau{1.0, 0.0};
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(crank.step({.tau = tau}).ok());
  const auto& q = crank.state().q;
  EXPECT_LT(std::abs(std::sin(q[0]) + std::sin(q[0] + q[1])), 1e-12);
  // Still on the branch on which it moved: q2 = 2 pi - 2 q1.
  EXPECT_NEAR(q[1], 2 * pi - 2 * q[0], 1e-6);
}

TEST(Holding, FollowsTheLadderThroughItsSingularPositions) {
  std::ifstream file(tactus::support::source_dir() + "/tests/simulate/data/n_four_bar_2.json");
  ASSERT_TRUE(file) << "reference data";
  const nlohmann::json data = nlohmann::json::parse(file);
  const Dynamics dynamics = compile(derive::Equations(ladder(2)));
  Simulation simulation(dynamics, {.step = 1e-3});
  simulation.set_state(ladder_state(2, pi / 2, -1.0));
  long step = 0;
  double worst = 0.0, worst_phi = 0.0;
  for (const auto& row : data["reference"]) {
    for (const long end = std::lround(row[0].get<double>() * 1000.0); step < end; ++step)
      ASSERT_TRUE(simulation.step().ok()) << simulation.state().t;
    const double theta = simulation.state().q[0];
    worst = support::larger(worst, std::abs(std::cos(theta) - row[1].get<double>()),
                            std::abs(std::sin(theta) - row[2].get<double>()));
    for (const double phi : simulation.constraint_state().position_error)
      worst_phi = support::larger(worst_phi, std::abs(phi));
  }
  EXPECT_LT(worst, 1e-8);  // RK4 at 1 ms; the reference agrees with itself to 3e-11
  EXPECT_LT(worst_phi, 1e-12);
}

TEST(Holding, KeepsTheEnergyOfTheUndampedArmOnACircle) {
  derive::Equations equations(two_link_on_circle(0.0));
  const Dynamics dynamics = compile(equations);
  Simulation arm(dynamics, {.step = 1e-3});
  arm.set_state(assemble(dynamics, {0.0, {-0.9, 1.6}, {1.0, 2.0}, {}}));
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto kinetic = [&] {
    std::copy(arm.state().q.begin(), arm.state().q.end(), energy.input("q").begin());
    std::copy(arm.state().u.begin(), arm.state().u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0];
  };
  const double before = kinetic();
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(arm.step().ok());
  EXPECT_NEAR(kinetic() / before, 1.0, 1e-9);
}

TEST(Holding, PassesTheFoldedPeaucellierLinkageWhereverTheStagesFall) {
  // At t = 0.33, 1.0 and 1.66 s its rhombus folds to a line. Some of these steps put a stage, some a state,
  // within 1e-5 of that; noise there would show in the energy.
  const Model model = describe::load(tactus::support::source_dir() + "/models/peaucellier.yaml");
  derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto total = [&](const State& state) {
    std::copy(state.q.begin(), state.q.end(), energy.input("q").begin());
    std::copy(state.u.begin(), state.u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  };
  for (const double step : {5e-4, 2.5e-4, 1.25e-4, 1e-4}) {
    Simulation simulation(dynamics, {.step = step});
    simulation.set_state(assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}}));
    const double before = total(simulation.state());
    for (long i = std::lround(2.0 / step); i > 0; --i) ASSERT_TRUE(simulation.step().ok());
    EXPECT_NEAR(total(simulation.state()), before, 2e-6)
        << step;  // 1e-5 and more if stages are taken as they are
  }
}

TEST(Holding, StepsWithoutAllocating) {
  const Dynamics dynamics = compile(derive::Equations(ladder(2)));
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection}) {
    Options options{.step = 1e-3};
    options.constraints.formulation = formulation;
    Simulation simulation(dynamics, options);
    simulation.set_state(ladder_state(2, 0.003, -1.0));  // passes the singular position
    const long before = tactus::test::allocation_count();
    for (int i = 0; i < 10; ++i) simulation.step();
    EXPECT_EQ(tactus::test::allocation_count() - before, 0) << name_of(formulation);
  }
}

TEST(Holding, BaumgarteKeepsConstraintsOnlyNearly) {
  const Dynamics dynamics = compile(derive::Equations(two_link_on_circle(0.0)));
  Options options{.step = 1e-3};
  options.constraints.holding = Holding::baumgarte;
  Simulation simulation(dynamics, options);
  simulation.set_state(assemble(dynamics, {0.0, {-0.9, 1.6}, {1.0, 2.0}, {}}));
  double largest = 0.0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    for (const double phi : simulation.constraint_state().position_error)
      largest = support::larger(largest, std::abs(phi));
  }
  EXPECT_LT(largest, 1e-6);
  EXPECT_GT(largest, 1e-14);
}

TEST(Holding, NamesAPrescribedMotionThatEnds) {
  const Model model = describe::load_text(
      "name: arm\nbodies: {a: {mass: 1, com: [0.5, 0, 0]}, b: {mass: 1, com: [0.5, 0, 0]}}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: y}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: y, placement: {xyz: [1, 0, 0]}}\n"
      "constraints: {drive: {type: motion, joint: q1, equals: sqrt(0.05 - t)}}\n",
      "arm.yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  for (const double step : {1e-3, 0.7e-3}) {  // meets the end, and steps over it
    Simulation arm(dynamics, {.step = step});
    arm.set_state(assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}}));
    Status status;
    while (status.ok() && arm.state().t < 0.1) status = arm.step();
    ASSERT_FALSE(status.ok());
    EXPECT_NEAR(arm.state().t, 0.05, 2 * step);
    for (const double q : arm.state().q) EXPECT_TRUE(std::isfinite(q));
    EXPECT_NE(arm.explain(status).find("`drive`"), std::string::npos) << arm.explain(status);
  }
}

TEST(Holding, CatchesTheCasterByAPlasticImpulse) {
  // The law of C3: u+ = u- - M^-1 A^T (A M^-1 A^T)^-1 A u-.
  derive::Equations equations(shopping_cart());
  const Dynamics dynamics = compile(equations);
  Simulation cart(dynamics, {.step = 1e-3});
  const double q3 = 0.3, q4 = 0.4, u1 = 1.2, u2 = 0.5, u3 = -0.6591840877948437;
  cart.set_state({0.0, {0, 0, q3, q4}, {u1 * std::cos(q3), u1 * std::sin(q3), u2, u3 - u2}, {}});
  EXPECT_FALSE(cart.is_active(2));
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto kinetic = [&] {
    std::copy(cart.state().q.begin(), cart.state().q.end(), energy.input("q").begin());
    std::copy(cart.state().u.begin(), cart.state().u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0];
  };
  EXPECT_NEAR(kinetic(), 16.702723217613954, 1e-12);
  const auto impulse = cart.set_active(2, true);
  EXPECT_NEAR(kinetic(), 16.479250269121977, 1e-12);
  const auto& u = cart.state().u;
  EXPECT_NEAR(u[0] * std::cos(q3) + u[1] * std::sin(q3), 1.146958640759422, 1e-12);
  EXPECT_NEAR(u[2], 0.7610933791338, 1e-12);
  EXPECT_NEAR(u[3], 0.0, 1e-14);
  EXPECT_NEAR(std::abs(impulse[1]), 2.5704625732869, 1e-11);
  EXPECT_NEAR(std::abs(impulse[2]), 0.3855693859930, 1e-11);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cart.step().ok());
  EXPECT_NEAR(cart.state().q[3], q4, 1e-12);
  // Letting go changes no velocity.
  const std::vector<double> before = cart.state().u;
  cart.set_active(2, false);
  EXPECT_EQ(cart.state().u, before);
  ASSERT_TRUE(cart.step().ok());
}

}  // namespace
}  // namespace tactus::simulate
