// Dry friction at joints: stick, slip and breakaway, against closed forms and the law itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/motion/dry_friction.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/paths.h"

namespace tactus::simulate {
namespace {

constexpr Integrator kAll[] = {Integrator::euler, Integrator::rk4, Integrator::implicit, Integrator::adaptive,
                               Integrator::stiff};
constexpr Integrator kOfOrder3[] = {Integrator::rk4, Integrator::implicit, Integrator::adaptive,
                                    Integrator::stiff};
/// All the steps of the adaptive ones, too: TACTUS_LONG_TESTS=1.
bool long_tests() { return std::getenv("TACTUS_LONG_TESTS") != nullptr; }
/// Rates of what stands still: events are located to 1e-14 s, and what is left there is taken out.
constexpr double kStands = 1e-10;

/// A model's text, and what its script says.
struct Ready {
  explicit Ready(const std::string& text, const std::string& script_text = "{}")
      : model(describe::load_text(text, "model.yaml")),
        equations(model),
        script(read_script(equations, script_text, "script.yaml")),
        dynamics(compile(equations, script.loads)),
        energy_kernel(generate::compile(equations.energy())) {}

  double energy(const State& s) {
    generate::Evaluator energy(energy_kernel);
    std::copy(s.q.begin(), s.q.end(), energy.input("q").begin());
    std::copy(s.u.begin(), s.u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  }

  describe::Model model;
  derive::Equations equations;
  Script script;
  Dynamics dynamics;
  generate::Kernel energy_kernel;
};

const char* const kBlock = R"(
name: block
gravity: [0, 0, 0]
bodies: {block: {mass: 2, inertia: [1, 1, 1]}}
joints:
  slide: {type: prismatic, parent: world, child: block, axis: x, friction: {coulomb: 3 N}}
)";

/// The model's text with this friction of rest beside that of sliding.
std::string with_breakaway(std::string text, const std::string& breakaway) {
  for (std::size_t at = text.find("coulomb:"); at != std::string::npos;
       at = text.find("coulomb:", text.find('}', at)))
    text.insert(text.find('}', at), ", breakaway: " + breakaway);
  return text;
}

State run(Simulation& simulation, const State& start, long steps) {
  simulation.set_state(start);
  for (long i = 0; i < steps; ++i)
    if (const Status status = simulation.step(); !status.ok() || status.has(Status::tolerance_missed))
      throw std::runtime_error(status.ok() ? "tolerance missed" : simulation.explain(status));
  return simulation.state();
}

// 3 N on 2 kg: from 1.5 m/s it stands after 1 s and 0.75 m, wherever the steps end.
TEST(DryFriction, StopsWhenAndWhereTheClosedFormSays) {
  const Ready ready(kBlock, "initial: {u: [1.5]}");
  for (const Integrator integrator : kAll)
    for (const double step : {1e-2, 0.03}) {
      Simulation simulation(ready.dynamics, {.step = step, .integrator = integrator});
      const State end = run(simulation, ready.script.initial, 50);
      // Semi-implicit Euler is of first order: half a step times the speed lost.
      const double tolerance = integrator == Integrator::euler ? 0.5 * step * 1.5 + 1e-9 : 1e-9;
      const double t = 50 * step;
      const double expected = t < 1.0 ? 1.5 * t - 0.75 * t * t : 0.75;
      EXPECT_NEAR(end.q[0], expected, tolerance) << name_of(integrator) << ' ' << step;
      EXPECT_NEAR(end.u[0], t < 1.0 ? 1.5 - 1.5 * t : 0.0, kStands) << name_of(integrator) << ' ' << step;
    }
}

// A push of 2 t [N]: it breaks away at 1.5 s; then x = (t - 1.5)^3/6.
TEST(DryFriction, BreaksAwayWhereThePushPassesItsBound) {
  const Ready ready(kBlock, "tau: {slide: 2*t}");
  for (const Integrator integrator : kOfOrder3) {
    Simulation simulation(ready.dynamics, {.step = 0.02, .integrator = integrator});
    const State before = run(simulation, ready.script.initial, 75);
    EXPECT_NEAR(before.q[0], 0.0, 1e-12) << name_of(integrator);
    EXPECT_NEAR(before.u[0], 0.0, kStands) << name_of(integrator);
    const State end = run(simulation, ready.script.initial, 150);
    EXPECT_NEAR(end.u[0], 1.125, 1e-7) << name_of(integrator);
    EXPECT_NEAR(end.q[0], 0.5625, 1e-7) << name_of(integrator);
  }
}

// With 4.5 N to break away: at 2.25 s, and from there x'' = (2 t - 3)/2.
TEST(DryFriction, BreaksAwayAtItsOwnForceAndSlidesWithLess) {
  const Ready ready(with_breakaway(kBlock, "4.5 N"), "tau: {slide: 2*t}");
  for (const Integrator integrator : kAll) {
    Simulation simulation(ready.dynamics, {.step = 0.02, .integrator = integrator});
    const State before = run(simulation, ready.script.initial, 112);
    EXPECT_NEAR(before.q[0], 0.0, 1e-12) << name_of(integrator);
    EXPECT_NEAR(before.u[0], 0.0, kStands) << name_of(integrator);
    const State end = run(simulation, ready.script.initial, 150);
    // By 3 s, 0.75 s after it: u = 0.75 s + s^2/2, x = 0.375 s^2 + s^3/6. Semi-implicit Euler is of first order.
    const double tolerance = integrator == Integrator::euler ? 0.02 : 1e-7;
    EXPECT_NEAR(end.u[0], 0.84375, tolerance) << name_of(integrator);
    EXPECT_NEAR(end.q[0], 0.28125, tolerance) << name_of(integrator);
  }
}

TEST(DryFriction, RefusesABreakawayBelowSliding) {
  EXPECT_THROW(describe::load_text(with_breakaway(kBlock, "2.9 N"), "model.yaml"), InputError);
  EXPECT_NO_THROW(describe::load_text(with_breakaway(kBlock, "3 N"), "model.yaml"));
}

// Each direction has its own bound: 3 N forward, 1 N back. A pull of 2 N moves it back, a push of 2 N does not.
TEST(DryFriction, HasABoundForEachDirection) {
  std::string text = kBlock;
  text.replace(text.find("3 N"), 3, "{positive: 3 N, negative: 1 N}");
  for (const auto& [push, expected] : {std::pair{"2 N", 0.0}, {"-2 N", -0.25}, {"4 N", 0.25}}) {
    const Ready ready(text, std::string("tau: {slide: ") + push + "}");
    Simulation simulation(ready.dynamics, {.step = 0.01});
    EXPECT_NEAR(run(simulation, ready.script.initial, 100).q[0], expected, 1e-12) << push;
  }
}

// A mass on a belt that runs with v, held by a spring: seen from the belt, the spring's end moves away. It sticks until the
// spring pulls with S, slides with F < S until its rate is zero again:
//   w^2 = k/m, phi = w s: rate = v (1 - cos phi) + (S - F) w/k sin phi = 0 at phi = 2 pi - 2 atan((S - F) w/(k v)),
// having gone v s + (S - F)/k (1 - cos phi) - v/w sin phi.
TEST(DryFriction, SticksAndSlipsOnABelt) {
  constexpr double m = 2.0, k = 50.0, v = 0.2, F = 3.0, S = 4.5;
  const Ready ready(with_breakaway(kBlock, "4.5 N"), "tau: {slide: 50*(0.2*t - slide)}");
  const double w = std::sqrt(k / m);
  const double phi = 2.0 * std::numbers::pi - 2.0 * std::atan((S - F) * w / (k * v));
  const double slip = phi / w;
  const double gone = v * slip + (S - F) / k * (1.0 - std::cos(phi)) - v / w * std::sin(phi);
  const double period = gone / v;  // the spring's end goes as far as the mass does
  const double first = S / (k * v);
  for (const Integrator integrator : kOfOrder3) {
    const double step = integrator == Integrator::implicit ? 1e-3 : 5e-3;
    Simulation simulation(ready.dynamics, {.step = step, .integrator = integrator});
    simulation.set_state(ready.script.initial);
    // In the middle of the fourth time that it sticks, after three slips.
    const double t = first + 3.0 * period - 0.5 * (period - slip);
    while (simulation.state().t < t) ASSERT_TRUE(simulation.step().ok());
    EXPECT_NEAR(simulation.state().u[0], 0.0, kStands) << name_of(integrator);
    EXPECT_NEAR(simulation.state().q[0], 3.0 * gone, 2e-7) << name_of(integrator);  // truncation of the slips
  }
}

const char* const kArm = R"(
name: arm
bodies:
  upper: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  lower: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  shoulder: {type: revolute, parent: world, child: upper, axis: y, friction: {coulomb: 2 N m}}
  elbow: {type: revolute, parent: upper, child: lower, axis: y, placement: {xyz: [1, 0, 0]}, friction: {coulomb: 1 N m}}
)";

// An arm that falls, swings and comes to rest in its friction, and then 10^6 steps: the energy never grows, and what
// stands, stands.
void never_adds_energy(const std::string& model) {
  Ready ready(model, "initial: {q: [0.3, 0.5], u: [1, -2]}");
  for (const Integrator integrator : kAll) {
    Simulation simulation(ready.dynamics, {.step = 1e-3, .integrator = integrator});
    simulation.set_state(ready.script.initial);
    double energy = ready.energy(simulation.state()), rest_energy = 0.0;
    // What the integrators themselves may add in a step: Euler's method wavers with the step.
    const double wavers = integrator == Integrator::euler ? 0.2 : 1e-9;
    const double start = energy;
    const long steps = is_adaptive(integrator) && !long_tests() ? 20'000 : 1'000'000;
    State rest;
    for (long i = 0; i < steps; ++i) {
      const Status status = simulation.step();
      ASSERT_TRUE(status.ok()) << name_of(integrator) << ' ' << simulation.explain(status);
      if (i == 15'000) {
        rest = simulation.state();
        rest_energy = ready.energy(rest);
      }
      if (i > 15'000 && i % 1000 != 0) continue;
      const double now = ready.energy(simulation.state());
      ASSERT_LE(now, (integrator == Integrator::euler ? start : energy) + wavers)
          << name_of(integrator) << " at " << simulation.state().t;
      energy = now;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(simulation.state().u[i], 0.0, kStands) << name_of(integrator);
      EXPECT_NEAR(simulation.state().q[i], rest.q[i], 1e-9) << name_of(integrator);
    }
    EXPECT_NEAR(ready.energy(simulation.state()), rest_energy, 1e-8) << name_of(integrator);
  }
}

TEST(DryFriction, NeverAddsEnergy) { never_adds_energy(kArm); }

TEST(DryFriction, NeverAddsEnergyWhereMoreIsNeededToBreakAway) {
  never_adds_energy(with_breakaway(kArm, "2.5 N m"));
}

// The law itself, at random states of the arm at rest: forces within their bounds, and what accelerates has its bound against
// it.
TEST(DryFriction, ObeysItsLawWhereJointsAreAtRest) {
  const Ready ready(kArm);
  Chart chart(ready.dynamics);
  std::vector<double> z(static_cast<std::size_t>(chart.size())), rate(z.size());
  int stuck = 0, released = 0;
  for (int k = 0; k < 200; ++k) {
    State state{0.0, {0.31 * k, 0.17 * k * k}, {0.0, 0.0}, {}};
    if (k % 3 == 1) state.u[1] = 0.4;
    chart.adopt(state);
    chart.begin(state, z);
    chart.slope(0.0, z.data(), rate.data());
    for (std::size_t i = 0; i < 2; ++i) {
      if (state.u[i] != 0.0) continue;
      const double bound = i == 0 ? 2.0 : 1.0, force = chart.friction()->forces()[i], a = rate[2 + i];
      EXPECT_LE(std::abs(force), bound * (1.0 + 1e-9)) << k;
      if (std::abs(a) > 1e-9) {
        EXPECT_NEAR(force, a > 0.0 ? -bound : bound, 1e-9) << k;
        ++released;
      } else {
        ++stuck;
      }
    }
  }
  EXPECT_GT(stuck, 20);
  EXPECT_GT(released, 20);
}

// A four-bar linkage with friction in all its joints: one freedom, four that stick. All formulations agree.
TEST(DryFriction, HoldsALoopUnderEveryFormulation) {
  std::string text = describe::read_source(support::source_dir() + "/models/four_bar.yaml");
  for (std::size_t at = text.find("axis: -y"); at < text.find("constraints:");
       at = text.find("axis: -y", at + 1))
    text.replace(at, 8, "axis: -y, friction: {coulomb: 0.1 N m}");
  const describe::Model model = describe::load_text(text, "four_bar.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  State start{0.0, model.initial_q, model.initial_u, {}};
  start = assemble(dynamics, start);
  std::vector<State> ends;
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection,
        Formulation::parametric}) {
    Options options{.step = 1e-3};
    options.constraints.formulation = formulation;
    Simulation simulation(dynamics, options);
    simulation.set_state(start);
    for (int i = 0; i < 3000; ++i) {
      const Status status = simulation.step();
      ASSERT_TRUE(status.ok()) << simulation.explain(status);
      ASSERT_FALSE(status.has(Status::tolerance_missed)) << simulation.state().t;
    }
    ends.push_back(simulation.state());
    for (const double u : ends.back().u) EXPECT_NEAR(u, 0.0, 1e-9) << name_of(formulation);
    for (std::size_t i = 0; i < start.q.size(); ++i)
      EXPECT_NEAR(ends.back().q[i], ends.front().q[i], 1e-7) << name_of(formulation);
  }
}

// Speeds that are not the rates of the joints: the same motion.
TEST(DryFriction, DoesNotDependOnTheChoiceOfSpeeds) {
  const Ready plain(kArm, "initial: {q: [0.3, 0.5], qd: [1, -2]}");
  const Ready sums(std::string(kArm) + "speeds: {names: [a, b], to_rates: {shoulder: a - b, elbow: b}}\n",
                   "initial: {q: [0.3, 0.5], qd: [1, -2]}");
  Simulation first(plain.dynamics, {.step = 1e-3}), second(sums.dynamics, {.step = 1e-3});
  const State a = run(first, plain.script.initial, 3000), b = run(second, sums.script.initial, 3000);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-8);
}

// The gallery's joints come to rest at once: no step of an adaptive method has to be forced.
TEST(DryFriction, LeavesNothingToForceForTheStiffIntegrator) {
  const describe::Model model = describe::load(support::source_dir() + "/models/joint_gallery.yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation simulation(dynamics, {.step = 0.1, .integrator = Integrator::stiff});
  EXPECT_NO_THROW(run(simulation, {0.0, model.initial_q, model.initial_u, {}}, 1));
}

TEST(DryFriction, JointsAreHeldByTheMassMatrixAsByTheAccelerations) {
  // Three joints that stick and slide by turns, one of them without friction.
  Ready arm(R"(
name: arm
bodies:
  a: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  b: {mass: 0.8, com: [0.15, 0.02, 0], inertia: [0.01, 0.02, 0.02]}
  c: {mass: 0.5, com: [0.1, 0, 0.03], inertia: [0.005, 0.01, 0.01]}
joints:
  q1: {type: revolute, parent: world, child: a, axis: y, friction: {coulomb: 2 N m}}
  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0]}}
  q3: {type: revolute, parent: b, child: c, axis: y, placement: {xyz: [0.3, 0, 0]}, friction: {coulomb: 0.3 N m}}
)",
            "tau: {q1: \"6*sin(7*t)\", q3: \"0.6*cos(11*t)\"}\n");
  ASSERT_TRUE(arm.dynamics.dry_friction->inertia.has_value());
  const State start{0.0, {0.1, 0.3, -0.2}, {0.0, 0.0, 0.0}, {}};
  const auto end = [&] {
    Simulation simulation(arm.dynamics, {.step = 1e-3});
    simulation.set_state(start);
    for (int k = 0; k < 1000; ++k) EXPECT_TRUE(simulation.step().ok()) << k;
    return simulation.state();
  };
  const State by_inertia = end();
  auto plain = std::make_shared<DryFriction>(*arm.dynamics.dry_friction);
  plain->inertia.reset();
  arm.dynamics.dry_friction = plain;
  const State by_accelerations = end();
  constexpr double kSame =
      1e-9;  // rounding of two ways to the same forces, and of the instants at which joints come to rest
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(by_inertia.q[i], by_accelerations.q[i], kSame);
    EXPECT_NEAR(by_inertia.u[i], by_accelerations.u[i], 100.0 * kSame);
  }
  EXPECT_GT(std::abs(by_inertia.q[0] - start.q[0]) + std::abs(by_inertia.q[2] - start.q[2]), 0.01);
}

}  // namespace
}  // namespace tactus::simulate
