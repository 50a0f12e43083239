// Benchmarks of the multibody community, with their reference solutions.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include <tactus/describe/read/load.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

std::string model_path(const std::string& name) {
  return tactus::support::source_dir() + "/models/" + name + ".yaml";
}

State initial_state(const describe::Model& model) { return {0.0, model.initial_q, model.initial_u, {}}; }

double kinetic_plus_potential(const derive::Equations& equations, const State& s) {
  generate::Evaluator energy(generate::compile(equations.energy(), generate::Backend::interpreter));
  std::copy(s.q.begin(), s.q.end(), energy.input("q").begin());
  std::copy(s.u.begin(), s.u.end(), energy.input("u").begin());
  energy.run();
  return energy.output("kinetic")[0] + energy.output("potential")[0];
}

TEST(References, SimplePendulumAsAParticleOnARod) {
  // IFToMM A01: exact solution by elliptic functions over 10 s.
  std::ifstream file(tactus::support::source_dir() + "/tests/simulate/data/simple_pendulum.json");
  const nlohmann::json data = nlohmann::json::parse(file);
  const describe::Model model = describe::load(model_path("point_pendulum"));
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation pendulum(dynamics, {.step = 1e-3});
  pendulum.set_state(initial_state(model));
  double worst = 0.0;
  for (const auto& row : data["reference"]) {
    while (pendulum.state().t < row[0].get<double>() - 1e-9) ASSERT_TRUE(pendulum.step().ok());
    worst = support::larger(worst, std::fabs(pendulum.state().q[0] - row[1].get<double>()),
                            std::fabs(pendulum.state().q[1] - row[2].get<double>()));
  }
  EXPECT_LT(worst, 1e-9);  // truncation of RK4 at 1 ms over four swings
}

TEST(References, AndrewsSqueezingMechanism) {
  // IFToMM A03 at t = 0.03 s: seven bodies, three loops, speeds up to 1400 rad/s. The published vector (test
  // set for initial value problem solvers) has beta itself only to 1.1e-9.
  const describe::Model model = describe::load(model_path("andrews"));
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  Simulation squeezer(dynamics, {.step = 5e-6});
  squeezer.set_state(initial_state(model));
  const std::vector<double> motor{0.033, 0, 0, 0, 0, 0, 0};
  const double before = kinetic_plus_potential(equations, squeezer.state());
  const double beta = squeezer.state().q[0];
  for (int k = 0; k < 6000; ++k) ASSERT_TRUE(squeezer.step({.tau = motor}).ok());
  // beta Theta gamma Phi delta Omega epsilon; the tree has delta before Phi and epsilon before Omega.
  const double q[] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                      0.5244099658805303, 0.5347301163226948, 1.048080741042263};
  const double v[] = {1139.920302151208,  -1424.379294994111, 11.03291221937134, 19.29337464421385,
                      0.5735699284790808, -19.29337464421385, 0.3231791658026955};
  const std::size_t at[] = {0, 1, 2, 4, 3, 6, 5};
  const State& s = squeezer.state();
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(s.q[at[k]], q[k], 1e-8) << k;
    EXPECT_NEAR(s.u[at[k]], v[k], 1e-6) << k;  // the published speeds have 5e-7
  }
  // Energy = what the motor's constant torque has done.
  EXPECT_NEAR(kinetic_plus_potential(equations, s) - before, 0.033 * (s.q[0] - beta), 1e-9);
}

TEST(References, LadderOfFortyFourBarsThroughItsSingularPositions) {
  // IFToMM A02 with N = 40. On its branch all rods turn alike: one freedom, with the inertia of N + 1 rods
  // about their hinges and N couplers that only translate. At theta = 0 and pi the freedoms jump from 1 to N
  // + 1.
  constexpr int N = 40;
  const describe::Model model = describe::load(model_path("four_bar_ladder"), {{"N", std::to_string(N)}});
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  Simulation ladder(dynamics, {.step = 1e-3});
  ladder.set_state(initial_state(model));
  double theta = model.initial_q[0], rate = model.initial_u[0];
  const double inertia = (N + 1) / 3.0 + N, weight = 9.81 * ((N + 1) / 2.0 + N);
  const auto slope = [&](double x) { return -weight * std::cos(x) / inertia; };
  const double before = kinetic_plus_potential(equations, ladder.state());
  double worst_angle = 0.0, worst_error = 0.0;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(ladder.step().ok()) << "t = " << ladder.state().t;
    constexpr double h = 1e-4;
    for (int n = 0; n < 10; ++n) {
      const double k1 = slope(theta), l1 = rate, k2 = slope(theta + h / 2 * l1), l2 = rate + h / 2 * k1;
      const double k3 = slope(theta + h / 2 * l2), l3 = rate + h / 2 * k2, k4 = slope(theta + h * l3),
                   l4 = rate + h * k3;
      theta += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
      rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    worst_angle = support::larger(worst_angle, std::fabs(ladder.state().q[0] - theta));
    for (const double e : ladder.constraint_state().position_error)
      worst_error = support::larger(worst_error, std::fabs(e));
  }
  EXPECT_LT(worst_angle, 1e-6);  // RK4 at 1 ms over five turns
  EXPECT_LT(worst_error, 1e-10);
  EXPECT_NEAR(kinetic_plus_potential(equations, ladder.state()), before, 1e-6 * std::fabs(before));
}

}  // namespace
}  // namespace tactus::simulate
