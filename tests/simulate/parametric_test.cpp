#include <gtest/gtest.h>

#include <tactus/simulate/parametric.h>

#include "constrained_models.h"

namespace tactus::simulate {
namespace {

using namespace test;

/// The circle of radius 0.05 by its angle.
algebra::Function circle() {
  auto graph = std::make_shared<algebra::Graph>();
  algebra::Graph::Scope scope(*graph);
  const algebra::Expr z = algebra::symbol("z");
  return {"psi", {}, graph, {{"z", {}, 1, 1, {z}}}, {{"x", {}, 2, 1, {0.05 * cos(z), 0.05 * sin(z)}}}};
}

/// Where the tip of the two links is.
algebra::Function tip() {
  auto graph = std::make_shared<algebra::Graph>();
  algebra::Graph::Scope scope(*graph);
  const algebra::Expr q1 = algebra::symbol("q1"), q2 = algebra::symbol("q2");
  return {"phi",
          {},
          graph,
          {{"q", {}, 2, 1, {q1, q2}}},
          {{"x",
            {},
            2,
            1,
            {-0.21 + 0.15 * cos(q1) + 0.15 * cos(q1 + q2), 0.15 * sin(q1) + 0.15 * sin(q1 + q2)}}}};
}

const std::vector<double> kElbow{-0.5, 1.2};  // a guess on the branch q2 > 0

TEST(Parametric, GivesTheGoldenStateOfTwoLinksOnACircle) {
  // [Faulring2006, section IV-C] with a chosen state; digits of an independent computation.
  const Dynamics dynamics = compile(derive::Equations(two_link_on_circle(0.01)));
  ParametricMotion arm(dynamics, circle(), tip());
  arm.set_state(0.0, {1.0}, {3.0}, kElbow);
  constexpr double kGolden = 1e-12;
  EXPECT_NEAR(arm.q()[0], -.4638035914986337, kGolden);
  EXPECT_NEAR(arm.q()[1], 1.2789754108442462, kGolden);
  EXPECT_NEAR(arm.u()[0], -.1918904667584164, kGolden);
  EXPECT_NEAR(arm.u()[1], 1.2300645493802411, kGolden);
  // Force (1, 2) at the tip.
  const double q1 = arm.q()[0], q12 = q1 + arm.q()[1];
  const double tau2 = 0.15 * (-std::sin(q12) + 2.0 * std::cos(q12));
  const double tau1 = tau2 + 0.15 * (-std::sin(q1) + 2.0 * std::cos(q1));
  ASSERT_TRUE(arm.accelerate({tau1, tau2}));
  EXPECT_NEAR(arm.zdd()[0], 1.1729532183130829, 1e-10);
  EXPECT_NEAR(arm.motion().udot[0], -2.0176622897612604, 1e-10);
  EXPECT_NEAR(arm.motion().udot[1], 2.3958639242784274, 1e-10);
  EXPECT_EQ(arm.motion().used, Formulation::parametric);
  // The same multiplier as by the other formulations.
  ConstraintSolver solver(dynamics);
  ConstrainedMotion reference(2, 1);
  ASSERT_TRUE(solver.solve(arguments_of({0.0, arm.q(), arm.u(), {}}, {tau1, tau2}).data(), reference));
  EXPECT_NEAR(arm.motion().lambda[0] / reference.lambda[0], 1.0, 1e-10);
  EXPECT_NEAR(arm.motion().force[0], reference.force[0], 1e-10);
}

TEST(Parametric, KeepsTheEnergyInZAndLosesItAsPrinted) {
  derive::Equations equations(two_link_on_circle(0.0));
  const Dynamics dynamics = compile(equations);
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto kinetic = [&](const ParametricMotion& arm) {
    std::copy(arm.q().begin(), arm.q().end(), energy.input("q").begin());
    std::copy(arm.u().begin(), arm.u().end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0];
  };
  ParametricMotion rk4(dynamics, circle(), tip()), printed(dynamics, circle(), tip());
  rk4.set_state(0.0, {0.0}, {5.0}, kElbow);
  printed.set_state(0.0, {0.0}, {5.0}, kElbow);
  const double before = kinetic(rk4);
  EXPECT_NEAR(before, 0.0451183432, 1e-10);
  const std::vector<double> none(2, 0.0);
  double worst = 0.0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(rk4.step(1e-3, none));
    ASSERT_TRUE(printed.step_as_printed(1e-3, none, false));
    const auto& q = printed.q();
    const double x = -0.21 + 0.15 * std::cos(q[0]) + 0.15 * std::cos(q[0] + q[1]);
    const double y = 0.15 * std::sin(q[0]) + 0.15 * std::sin(q[0] + q[1]);
    worst = std::max(worst, std::abs(std::hypot(x, y) - 0.05));
  }
  EXPECT_LT(worst, 1e-14);                               // holonomic: exactly, whatever the step
  EXPECT_NEAR(kinetic(rk4) / before, 1.0, 1e-9);         // 3.7e-10
  EXPECT_NEAR(kinetic(printed) / before, 0.935, 0.002);  // 6.5 % lost by the first-order step
}

}  // namespace
}  // namespace tactus::simulate
