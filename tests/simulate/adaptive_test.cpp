// The adaptive integrators: that they see time, survive bad trial steps, and do not depend on where they are asked to end;
// and the times at which forces of a script jump.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/integrators/dormand_prince.h>
#include <tactus/simulate/motion/break_times.h>
#include "hand_made.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;
using Method = DormandPrince853;

// Sums of some ten products of numbers of up to 43, each with seventeen digits.
constexpr double kRounding = 2e-14;

double quadrature(const std::array<double, Method::kStages>& weights, int power) {
  double sum = 0.0;
  for (std::size_t s = 0; s < Method::kStages; ++s) sum += weights[s] * std::pow(Method::c[s], power);
  return sum;
}

// sum b c^k = 1/(k+1), sum_ij b_i c_i^k a_ij c_j^m = 1/((m+1)(k+m+2)), as far as the order goes [Hairer1993, II.1].
TEST(DormandPrince, MeetsTheConditionsOfItsOrder) {
  for (std::size_t s = 0; s < Method::kStages; ++s) {
    double sum = 0.0;
    for (std::size_t r = 0; r < Method::kStages; ++r) {
      sum += Method::a[s][r];
      EXPECT_TRUE(r < s || Method::a[s][r] == 0.0) << s << ' ' << r;
    }
    EXPECT_NEAR(sum, Method::c[s], kRounding) << s;
  }
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(quadrature(Method::b, k), 1.0 / (k + 1), kRounding) << k;
  for (int k = 0; k + 1 < 8; ++k)
    for (int m = 0; k + m + 2 <= 8; ++m) {
      double sum = 0.0;
      for (std::size_t i = 0; i < Method::kStages; ++i)
        for (std::size_t j = 0; j < i; ++j)
          sum += Method::b[i] * std::pow(Method::c[i], k) * Method::a[i][j] * std::pow(Method::c[j], m);
      EXPECT_NEAR(sum, 1.0 / ((m + 1) * (k + m + 2)), kRounding) << k << ' ' << m;
    }
}

// The estimates of orders 5 and 3 vanish up to t^4 and t^2 and see what comes after.
TEST(DormandPrince, EstimatesTheErrorOfForcesThatDependOnTimeAlone) {
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(quadrature(Method::e5, k), 0.0, kRounding) << k;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(quadrature(Method::e3, k), 0.0, kRounding) << k;
  EXPECT_GT(std::abs(quadrature(Method::e5, 5)), 1e-4);
  EXPECT_GT(std::abs(quadrature(Method::e3, 3)), 1e-2);
}

TEST(Adaptive, SeesForcesOfTime) {
  const Dynamics shaken = on_a_line([](const Symbols& s) { return sin(20.0 * s.t); });
  for (const Integrator integrator : {Integrator::adaptive, Integrator::stiff}) {
    const State end = simulate_for(shaken, {0.0, {0.0}, {0.0}, {}}, 1.0,
                                   {.step = 1.0, .integrator = integrator, .tolerances = {1e-12, 1e-12}});
    constexpr double kManyTolerances = 1e-10;  // some hundred steps, each within 1e-12
    EXPECT_NEAR(end.u[0], (1.0 - std::cos(20.0)) / 20.0, kManyTolerances) << name_of(integrator);
    EXPECT_NEAR(end.q[0], 1.0 / 20.0 - std::sin(20.0) / 400.0, kManyTolerances) << name_of(integrator);
  }
}

// udot = -1000 u: an explicit method's step is bounded by stability, and is rejected now and then for ever.
TEST(Adaptive, SucceedsWhateverTheSampleIs) {
  const Dynamics damper = on_a_line([](const Symbols& s) { return -1000.0 * s.u[0]; });
  for (const double sample : {10.0, 1.0, 0.1, 0.01}) {
    Simulation simulation(damper, {.step = sample, .integrator = Integrator::adaptive});
    simulation.set_state({0.0, {0.0}, {1.0}, {}});
    for (long i = 0; i < std::lround(10.0 / sample); ++i) {
      const Status status = simulation.step();
      ASSERT_TRUE(status.ok()) << simulation.explain(status);
      EXPECT_FALSE(status.has(Status::tolerance_missed)) << sample;
    }
    EXPECT_NEAR(simulation.state().q[0], 1e-3, 1e-9) << sample;  // ten times the tolerance
    EXPECT_NEAR(simulation.state().u[0], 0.0, 1e-9) << sample;
  }
}

// A trial step of 100 s overflows; the energy u^2/2 + 250 q^4 tells whether what was accepted is right.
TEST(Adaptive, RejectsTrialStepsThatAreNotFinite) {
  const Dynamics cubic = on_a_line([](const Symbols& s) { return -1000.0 * s.q[0] * s.q[0] * s.q[0]; });
  const State end = simulate_for(cubic, {0.0, {3.0}, {0.0}, {}}, 100.0,
                                 {.step = 100.0, .integrator = Integrator::adaptive});
  const double energy = 0.5 * end.u[0] * end.u[0] + 250.0 * std::pow(end.q[0], 4);
  constexpr double kDrift = 1e-6;  // 1e-10 in each of some 10^4 steps
  EXPECT_NEAR(energy / (250.0 * 81.0), 1.0, kDrift);
}

TEST(Adaptive, MovesTheShippedArmOverOneLongSample) {
  const describe::Model model = describe::load(support::source_dir() + "/models/puma560.yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation arm(dynamics, {.step = 1.0, .integrator = Integrator::adaptive});
  arm.set_state({0.0, model.initial_q, model.initial_u, {}});
  const Status status = arm.step();
  EXPECT_TRUE(status.ok()) << arm.explain(status);
}

/// A mass of 1 kg on a line, and what the script says.
struct Scripted {
  explicit Scripted(const std::string& tau)
      : model(describe::load_text("{name: m, gravity: [0, 0, 0], bodies: {b: {mass: 1}}, "
                                  "joints: {x: {type: prismatic, parent: world, child: b, axis: x}}}",
                                  "m.yaml")),
        equations(model),
        script(read_script(equations, "{initial: {u: [0]}, tau: {x: \"" + tau + "\"}}", "script.yaml")),
        dynamics(compile(equations, script.loads)) {}
  describe::Model model;
  derive::Equations equations;
  Script script;
  Dynamics dynamics;
};

TEST(BreakTimes, AreThoseWhereTheForcesOfAScriptJumpOrBend) {
  const auto of = [](const std::string& tau) { return BreakTimes(*Scripted(tau).script.loads); };
  EXPECT_TRUE(of("sin(t) + abs(x)").empty());
  EXPECT_TRUE(of("if(x_dot, 1, 2)").empty());
  EXPECT_DOUBLE_EQ(of("if(t - 0.5, 0, 1)").next(0.0), 0.5);
  EXPECT_DOUBLE_EQ(of("step(3 - 4*t)").next(0.0), 0.75);
  EXPECT_DOUBLE_EQ(of("max(0, (2 - t)/7)").next(0.0), 2.0);
  EXPECT_DOUBLE_EQ(of("abs(t - 0.3)*x").next(0.0), 0.3);
  EXPECT_DOUBLE_EQ(of("floor(5*t)").next(0.5), 0.6);
  EXPECT_NEAR(of("sign(sin(9*t))").next(0.1), std::numbers::pi / 9, 1e-15);
  EXPECT_NEAR(of("step(cos(2*t - 1))").next(0.0), 0.5 + std::numbers::pi / 4, 1e-15);
  EXPECT_TRUE(std::isinf(of("if(t - 0.5, 0, 1)").next(0.6)));
}

// udot = 1 until T, then 0: u = T, q = T - T^2/2 at 1 s. Polynomials of degree two: exact for every method of that order
// whose steps end at T; one step across the jump would be off by the step's length times the jump.
TEST(BreakTimes, CutTheStepsOfEveryIntegrator) {
  for (const double jump : {0.5, 0.3337, 0.123456789}) {
    const Scripted push("if(t - " + std::to_string(jump) + ", 0, 1)");
    const double T = std::stod(std::to_string(jump));
    for (const Integrator integrator :
         {Integrator::rk4, Integrator::implicit, Integrator::adaptive, Integrator::stiff})
      for (const double step : {1.0, 0.1, 0.05}) {
        const State end =
            simulate_for(push.dynamics, push.script.initial, 1.0, {.step = step, .integrator = integrator});
        EXPECT_NEAR(end.u[0], T, 1e-12) << name_of(integrator) << ' ' << step;
        // The implicit methods solve by iteration, and with derivatives by differences.
        EXPECT_NEAR(end.q[0], T - 0.5 * T * T, integrator == Integrator::stiff ? 1e-9 : 1e-12)
            << name_of(integrator) << ' ' << step;
      }
  }
}

// A square wave: u is a triangle that is back at zero after whole periods, q = 1/8 of the period squared each.
TEST(BreakTimes, FollowASquareWave) {
  const Scripted wave("sign(sin(8*pi*t))");
  const State end = simulate_for(wave.dynamics, wave.script.initial, 1.0, {.step = 0.1});
  EXPECT_NEAR(end.u[0], 0.0, 1e-12);
  EXPECT_NEAR(end.q[0], 4 * 0.25 * 0.25 / 4.0, 1e-12);
}

}  // namespace
}  // namespace tactus::simulate
