// Long chains and explicit steps. Rods of length l and mass m whose angles alternate by +-a do not move their centres: the tension T turns them back,
//
//   m (l^2/12) a'' = -T l a,   rate^2 = 12 T/(m l),
//
// and of a chain of n rods, 1 m and 1 kg together, the rate is n sqrt(12 T): the fastest motion that it has, at which Runge and Kutta's method is
// stable by steps of up to 2 sqrt(2)/rate. Longer ones blow up what rounding leaves of it, however smooth the motion is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::simulate {
namespace {

constexpr int kLinks = 200;
/// [N] Near the top, of a chain that is let go at rest, 1 rad below the horizontal: its weight along the chain.
const double kTension = 9.81 * std::sin(1.0);
/// [s]
const double kLongestStep = 2.0 * std::sqrt(2.0) / (kLinks * std::sqrt(12.0 * kTension));

describe::Model chain() {
  return describe::load_text(
      fmt::format("name: chain\nparameters: {{L: 1/{0}, m: 1/{0}}}\nbodies:\n"
                  "  link_1: &rod\n    mass: m\n    com: [L/2, 0, 0]\n    inertia: [0, m*L^2/12, m*L^2/12]\n"
                  "joints:\n  q1: {{type: revolute, parent: world, child: link_1, axis: y}}\n"
                  "initial: {{q: {{q1: 1}}}}\n"
                  "repeat:\n  count: {1}\n  from: 2\n  bodies:\n    link_{{i}}: *rod\n  joints:\n"
                  "    q{{i}}: {{type: revolute, parent: \"link_{{i-1}}\", child: \"link_{{i}}\", axis: y, "
                  "placement: {{xyz: [L, 0, 0]}}}}\n",
                  kLinks, kLinks - 1),
      "chain");
}

TEST(LongChains, StepsWithinTheStabilityOfTheirFastestMotionKeepTheEnergy) {
  const describe::Model model = chain();
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  generate::Evaluator energy(generate::compile(equations.energy()));
  Simulation simulation(dynamics, {.step = 0.5 * kLongestStep});
  simulation.set_state({0.0, model.initial_q, model.initial_u, {}});
  const auto total = [&] {
    std::copy(simulation.state().q.begin(), simulation.state().q.end(), energy.input("q").begin());
    std::copy(simulation.state().u.begin(), simulation.state().u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  };
  const double before = total();
  for (int k = 0; k < 200; ++k) {
    const Status status = simulation.step();
    ASSERT_TRUE(status.ok()) << simulation.explain(status);
  }
  // [J] Of 4 J. The method damps the fastest motions, in which the fall from rest leaves some 1e-8 J.
  constexpr double kDamped = 1e-6;
  EXPECT_NEAR(total(), before, kDamped);
  EXPECT_LT(simulation.state().q[0], 1.0 + 0.5);
  EXPECT_GT(simulation.state().q[0], 1.0);
}

TEST(LongChains, LongerStepsFailAndSaySo) {
  const describe::Model model = chain();
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  Simulation simulation(dynamics, {.step = 1.5 * kLongestStep});
  simulation.set_state({0.0, model.initial_q, model.initial_u, {}});
  Status status;
  for (int k = 0; k < 200 && status.ok(); ++k) status = simulation.step();
  EXPECT_FALSE(status.ok()) << "at t = " << simulation.state().t;
  EXPECT_FALSE(simulation.explain(status).empty());
  for (const double x : simulation.state().u) EXPECT_TRUE(std::isfinite(x));  // of the last good step
}

}  // namespace
}  // namespace tactus::simulate
