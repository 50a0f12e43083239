// Simulations of models from files, all the way through derivation and machine code.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/instant.h>
#include <tactus/simulate/files/recording.h>
#include <tactus/simulate/files/script.h>

#include "hand_made.h"
#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;
using tactus::test::allocation_count;

describe::Model model_of(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

/// A mechanism ready to run, with what is needed to judge it.
struct Ready {
  explicit Ready(const describe::Model& model, const std::string& script_text = "{}",
                 derive::Options options = {})
      : equations(model, options), script(read_script(equations, script_text, "script.yaml")) {
    if (!script.wrenches.empty()) {
      options.wrenches = script.wrenches;
      equations = derive::Equations(model, options);
    }
    dynamics = compile(equations, script.loads);
  }

  double energy(const State& state) const {
    generate::Evaluator energy(generate::compile(equations.energy()));
    std::copy(state.q.begin(), state.q.end(), energy.input("q").begin());
    std::copy(state.u.begin(), state.u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  }

  derive::Equations equations;
  Script script;
  Dynamics dynamics;
};

// A pendulum of 1 m released from the horizontal, g = 9.81: the IFToMM multibody benchmark A01. x of the bob
// from the exact solution in Jacobi's elliptic functions.
TEST(Models, PendulumFollowsTheEllipticFunctions) {
  const Ready pendulum(model_of("pendulum"), "initial: {q: [-90 deg]}");
  Simulation simulation(pendulum.dynamics, {.step = 0.5, .integrator = Integrator::adaptive});
  simulation.set_state(pendulum.script.initial);
  const double x[] = {-0.3910487915505464, 0.9862917511318753};
  for (const double expected : x) {
    ASSERT_TRUE(simulation.step().ok());
    // The model's angle turns about y with the bob at -z: x = -sin q.
    EXPECT_NEAR(std::abs(std::sin(simulation.state().q[0])), std::abs(expected), 1e-9);
  }
}

TEST(Models, DoublePendulumKeepsItsEnergy) {
  const Ready ready(model_of("double_pendulum"), "initial: {q: [120 deg, -30 deg]}");
  const double before = ready.energy(ready.script.initial);
  const State rk4 = simulate_for(ready.dynamics, ready.script.initial, 10.0, {.step = 1e-3});
  EXPECT_NEAR(ready.energy(rk4), before, 1e-6);  // h^4 with the constants of a chaotic motion
  const State adaptive = simulate_for(ready.dynamics, ready.script.initial, 10.0,
                                      {.step = 1.0, .integrator = Integrator::adaptive});
  EXPECT_NEAR(ready.energy(adaptive), before, 1e-8);  // tolerance of 1e-10 over some hundred steps
}

TEST(Models, IntegratorsAgreeOnEveryKindOfJoint) {
  derive::Options smooth;
  smooth.friction = false;  // Coulomb friction jumps, and no integrator has an order there
  const Ready ready(model_of("joint_gallery"), "initial: {t: 0}", smooth);
  State start = ready.script.initial;
  for (std::size_t i = 0; i < start.u.size(); ++i)
    start.u[i] = 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  const double duration = 0.2;
  const State reference =
      simulate_for(ready.dynamics, start, duration, {.step = duration, .integrator = Integrator::adaptive});
  const auto error = [&](Integrator integrator, double step) {
    return distance(simulate_for(ready.dynamics, start, duration, {.step = step, .integrator = integrator}),
                    reference);
  };
  EXPECT_LT(error(Integrator::euler, 1e-4), 2e-3);
  EXPECT_LT(error(Integrator::rk4, 1e-3), 1e-7);
  EXPECT_LT(error(Integrator::implicit, 1e-3), 1e-6);
  EXPECT_LT(error(Integrator::stiff, duration), 1e-6);
}

TEST(Models, SpeedsOfOnesOwnGiveTheSameMotion) {
  const std::string start = "initial: {q: [0.3, 0.8, -0.4], qd: [0.7, -0.3, 0.5]}";
  const Ready rates(model_of("spherical_wrist_joint_rates"), start), own(model_of("spherical_wrist"), start);
  const State a = simulate_for(rates.dynamics, rates.script.initial, 0.5, {.step = 1e-3});
  const State b = simulate_for(own.dynamics, own.script.initial, 0.5, {.step = 1e-3});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(a.q[i], b.q[i], 1e-8);  // rk4 errors of two forms of the equations
  const std::vector<double> qd = joint_rates_of(own.equations, b.t, b.q, b.u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.u[i], qd[i], 1e-7);
}

TEST(Models, EveryIntegratorHasItsOrderOnAFlyingTree) {
  const describe::Model model = describe::load_text(R"(
name: flyer
bodies:
  base: {mass: 3, com: [0.05, -0.02, 0.1], inertia: [0.3, 0.4, 0.5]}
  arm: {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.04, 0.04]}
joints:
  float: {type: free, parent: world, child: base}
  elbow: {type: revolute, parent: base, child: arm, axis: y, placement: {xyz: [0.2, 0, 0]}, stiffness: 4, damping: 0.1}
)",
                                                    "flyer.yaml");
  const Ready ready(model, "initial: {q: {elbow: 1}, u: [0.5, -0.8, 1.1, 0.3, 0.2, -0.4, 2]}");
  const State reference =
      simulate_for(ready.dynamics, ready.script.initial, 1.0,
                   {.step = 0.1, .integrator = Integrator::adaptive, .tolerances = {1e-13, 1e-13}});
  const auto order = [&](Integrator integrator, double h) {
    return observed_order(ready.dynamics, ready.script.initial, 1.0, h, integrator, reference);
  };
  constexpr double kOrderTolerance = 0.25;
  EXPECT_NEAR(order(Integrator::euler, 1e-3), 1.0, kOrderTolerance);
  EXPECT_NEAR(order(Integrator::rk4, 2e-2), 4.0, kOrderTolerance);
  EXPECT_NEAR(order(Integrator::implicit, 1e-2), 3.0, kOrderTolerance);
}

// A free body, a million steps: |dH|/|H| in world axes. See integrators_test.cpp for the size of the bound.
TEST(Models, FreeBodyKeepsItsMomentumToRoundingOverAMillionSteps) {
  constexpr double kMomentumRounding = 2e-14;
  const Ready ready(model_of("rigid_body"), "initial: {u: [0.01, 2, 0.02, 3, -1, 0.5]}");
  const auto momenta = [&](const State& s) {
    const math::Mat3<double> R = math::rotation_of(math::Quaternion<double>{s.q[3], s.q[4], s.q[5], s.q[6]});
    return std::pair{R * math::Vec3<double>{1.0 * s.u[0], 2.0 * s.u[1], 2.5 * s.u[2]},
                     R * math::Vec3<double>{s.u[3], s.u[4], s.u[5]}};
  };
  Simulation simulation(ready.dynamics, {.step = 1e-2});
  simulation.set_state(ready.script.initial);
  const auto [H0, p0] = momenta(simulation.state());
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(simulation.step().ok());
  const auto [H1, p1] = momenta(simulation.state());
  const math::Vec3<double> dH = H1 - H0, dp = p1 - p0;
  EXPECT_LT(std::sqrt(math::dot(dH, dH) / math::dot(H0, H0)), kMomentumRounding);
  EXPECT_LT(std::sqrt(math::dot(dp, dp) / math::dot(p0, p0)), kMomentumRounding);
  // It flew 3e4 m in a straight line.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(simulation.state().q[i], 1e4 * p0[i], 1e-7 * 3e4);
}

// Motors and springs inside a flying tree turn it, but cannot change its momentum; gravity changes the linear
// one only.
TEST(Models, InnerForcesCannotChangeAFlyingTreesMomentum) {
  const describe::Model model = describe::load_text(R"(
name: cat
bodies:
  front: {mass: 2, com: [0.1, 0, 0.02], inertia: [0.05, 0.06, 0.03]}
  back: {mass: 2.5, com: [-0.1, 0.01, 0], inertia: [0.04, 0.07, 0.05]}
  tail: {mass: 0.3, com: [-0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  float: {type: free, parent: world, child: front}
  waist: {type: spherical, parent: front, child: back, freedoms: {wx: {damping: 0.2}, wz: {damping: 0.1}}}
  root: {type: revolute, parent: back, child: tail, axis: y, placement: {xyz: [-0.25, 0, 0]}, stiffness: 1, damping: 0.01}
)",
                                                    "cat.yaml");
  const Ready ready(
      model, "{initial: {u: {float.wx: 1, waist.wy: 2}}, tau: {waist.wx: 3*sin(5*t), root: -0.2*cos(3*t)}}");
  Simulation simulation(ready.dynamics, {.step = 1e-3});
  simulation.set_state(ready.script.initial);
  const std::vector<double> before = simulation.state().momentum;
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(simulation.step().ok());
  // The state's momentum and the one recomputed from q and u must both be what the weight alone makes of it.
  State again = simulation.state();
  simulation.set_state(again);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(again.momentum[i], before[i], 1e-11);
    EXPECT_NEAR(simulation.state().momentum[i], before[i], 1e-11);
  }
  EXPECT_NEAR(again.momentum[3], before[3], 1e-11);
  EXPECT_NEAR(simulation.state().momentum[5], before[5] - 4.8 * 9.81 * 20.0, 1e-9);
}

TEST(Models, TwoFlyingBodiesKeepTheirMomentaApart) {
  const describe::Model model = describe::load_text(R"(
name: pair
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0.1, 0.2, 0], inertia: [1, 2, 2.5]}
  b: {mass: 2, inertia: [0.5, 0.6, 0.7]}
joints:
  fly_a: {type: free, parent: world, child: a}
  fly_b: {type: free, parent: world, child: b}
)",
                                                    "pair.yaml");
  const Ready ready(model, "initial: {u: [0.1, 2, 0.3, 1, 0, 0, 1, 1, 3, 0, 1, 0]}");
  Simulation simulation(ready.dynamics, {.step = 1e-2});
  simulation.set_state(ready.script.initial);
  ASSERT_EQ(simulation.state().momentum.size(), 12u);
  const std::vector<double> before = simulation.state().momentum;
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(simulation.step().ok());
  simulation.set_state(State(simulation.state()));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(simulation.state().momentum[i], before[i], 1e-12);
}

// Placements on both sides of the root joint: the momentum about the joint's centre is the one that stays.
TEST(Models, TreeOnASphericalJointKeepsItsMomentumAboutTheCentre) {
  const describe::Model model = describe::load_text(R"(
name: gyro
gravity: [0, 0, 0]
bodies:
  cage: {mass: 2, com: [0.1, 0.05, 0], inertia: [0.2, 0.3, 0.4]}
  rotor: {mass: 1, com: [0, 0, 0.1], inertia: [0.02, 0.02, 0.03]}
joints:
  pivot: {type: spherical, parent: world, child: cage, placement: {xyz: [1, -2, 3], rpy: [0.3, 0.2, 0.1]},
          child_placement: {xyz: [0.1, 0.2, -0.3], rpy: [0.5, -0.4, 0.2]}}
  axle: {type: revolute, parent: cage, child: rotor, axis: x, placement: {xyz: [0.2, 0, 0]}, damping: 0.02}
)",
                                                    "gyro.yaml");
  const Ready ready(model, "initial: {u: [0.4, -1.2, 0.7, 20]}");
  Simulation simulation(ready.dynamics, {.step = 1e-2});
  simulation.set_state(ready.script.initial);
  ASSERT_EQ(simulation.state().momentum.size(), 3u);
  const std::vector<double> before = simulation.state().momentum;
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(simulation.step().ok());
  simulation.set_state(State(simulation.state()));  // the momentum is computed anew from q and u
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(simulation.state().momentum[i], before[i], 1e-13);

  // The energy function's momentum, moved from the world's origin to the centre, is the same.
  generate::Evaluator energy(generate::compile(ready.equations.energy()));
  std::copy(simulation.state().q.begin(), simulation.state().q.end(), energy.input("q").begin());
  std::copy(simulation.state().u.begin(), simulation.state().u.end(), energy.input("u").begin());
  energy.run();
  const auto L = energy.output("angular_momentum"), p = energy.output("linear_momentum");
  EXPECT_NEAR(L[0] - (-2 * p[2] - 3 * p[1]), before[0], 1e-12);
  EXPECT_NEAR(L[1] - (3 * p[0] - 1 * p[2]), before[1], 1e-12);
  EXPECT_NEAR(L[2] - (1 * p[1] + 2 * p[0]), before[2], 1e-12);
}

// It slows down with 1.5 m/s^2, stands after 1 s and 0.75 m, and stays there (to rounding: dry_friction_test.cpp).
TEST(Models, ComeToStandInDryFriction) {
  const describe::Model model = describe::load_text(R"(
name: block
gravity: [0, 0, 0]
bodies:
  block: {mass: 2, inertia: [1, 1, 1]}
joints:
  slide: {type: prismatic, parent: world, child: block, axis: x, friction: {coulomb: 3 N}}
)",
                                                    "block.yaml");
  const Ready ready(model, "initial: {u: [1.5]}");
  for (const Integrator integrator :
       {Integrator::euler, Integrator::rk4, Integrator::implicit, Integrator::adaptive, Integrator::stiff}) {
    Simulation simulation(ready.dynamics, {.step = 1e-2, .integrator = integrator});
    simulation.set_state(ready.script.initial);
    bool missed = false;
    for (int i = 0; i < 150; ++i) {
      const Status status = simulation.step();
      ASSERT_TRUE(status.ok()) << simulation.explain(status);
      missed = missed || status.has(Status::tolerance_missed);
    }
    EXPECT_NEAR(simulation.state().q[0], 0.75, 1.5e-2) << name_of(integrator);
    EXPECT_NEAR(simulation.state().u[0], 0.0, 1.6e-2)
        << name_of(integrator);  // a step of the friction's deceleration
    EXPECT_TRUE(!missed || is_adaptive(integrator)) << name_of(integrator);
  }
}

TEST(Models, EveryBackEndGivesTheSameBits) {
  for (const char* name : {"puma560", "joint_gallery"}) {
    const Ready ready(model_of(name));
    const Dynamics interpreted = compile(ready.equations, ready.script.loads, generate::Backend::interpreter);
    for (const Integrator integrator : {Integrator::rk4, Integrator::implicit}) {
      const Options options{.step = 1e-3, .integrator = integrator};
      const State a = simulate_for(ready.dynamics, ready.script.initial, 0.2, options);
      const State b = simulate_for(interpreted, ready.script.initial, 0.2, options);
      EXPECT_EQ(a.q, b.q) << name << ' ' << name_of(integrator);
      EXPECT_EQ(a.u, b.u) << name << ' ' << name_of(integrator);
    }
  }
}

TEST(Models, StepsWithoutAllocating) {
  for (const char* name : {"puma560", "rigid_body", "chain_30", "joint_gallery"}) {
    const Ready ready(model_of(name));
    for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::implicit}) {
      Simulation simulation(ready.dynamics, {.step = 1e-4, .integrator = integrator});
      simulation.set_state(ready.script.initial);
      const long before = allocation_count();
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(simulation.step().ok()) << name << ' ' << name_of(integrator);
      EXPECT_EQ(allocation_count() - before, 0) << name << ' ' << name_of(integrator);
    }
  }
}

// A wrench of the weight's size at the mass centre holds the body up; in the body's own axes it turns with
// it.
TEST(Models, WrenchesActInWorldOrFrameAxes) {
  const describe::Model model = describe::load_text(R"(
name: brick
bodies:
  brick: {mass: 2, inertia: [0.1, 0.2, 0.25]}
joints:
  float: {type: free, parent: world, child: brick}
frames:
  middle: {body: brick}
)",
                                                    "brick.yaml");
  const std::string turned = "initial: {q: {float: {xyz: [0, 0, 1], rpy: [90 deg, 0, 0]}}}\n";
  const Ready held(model, turned + "wrenches: [{frame: middle, force: [0, 0, 19.62 N]}]");
  const State still = simulate_for(held.dynamics, held.script.initial, 1.0, {.step = 1e-2});
  EXPECT_NEAR(still.q[2], 1.0, 1e-12);
  // Turned by 90 degrees about x, the body's y axis points up.
  const Ready held_too(model, turned + "wrenches: [{frame: middle, axes: frame, force: [0, 19.62, 0]}]");
  const State still_too = simulate_for(held_too.dynamics, held_too.script.initial, 1.0, {.step = 1e-2});
  EXPECT_NEAR(still_too.q[2], 1.0, 1e-12);
  const Ready falls(model, turned);
  EXPECT_NEAR(simulate_for(falls.dynamics, falls.script.initial, 1.0, {.step = 1e-2}).q[2], 1.0 - 4.905,
              1e-12);
}

}  // namespace
}  // namespace tactus::simulate
