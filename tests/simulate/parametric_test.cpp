// Parametric coordinates: psi(z) from the model file, and the motion in z.
#include <gtest/gtest.h>

#include <random>

#include <studies/aghili2005/reduced_crank.h>

#include "constrained_models.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

State start_of(const Model& model) { return {0.0, model.initial_q, model.initial_u, {}}; }

Options parametric(double step = 1e-3, Integrator integrator = Integrator::rk4) {
  Options options{.step = step, .integrator = integrator};
  options.constraints.formulation = Formulation::parametric;
  return options;
}

/// A particle in the x-y plane, on the circle of radius 1 unless told, with psi as given.
std::string particle(const std::string& psi,
                     const std::string& constraint = "{type: on_circle, a: world, b: p, radius: 1}") {
  return "name: particle\ngravity: [0, -9.81, 0]\nbodies: {carrier: {mass: 0}, p: {mass: 1}}\n"
         "joints:\n  q1: {type: prismatic, parent: world, child: carrier, axis: x}\n"
         "  q2: {type: prismatic, parent: carrier, child: p, axis: y}\n"
         "constraints: {circle: " +
         constraint + "}\nparametric:\n" + psi;
}

// Eliminations in other coordinates agree to some thousand roundings.
constexpr double kAgree = 1e-10;

/// All formulations and the straight-line roads, at random parameters.
void expect_agreement(const Model& model, double reach) {
  const Dynamics dynamics = compile(derive::Equations(model));
  ASSERT_TRUE(dynamics.parametric) << model.name;
  const auto nv = static_cast<std::size_t>(dynamics.nv());
  const std::size_t nz = dynamics.parametric->size(), m = dynamics.constraints->size();
  Simulation simulation(dynamics, parametric());
  std::mt19937 random(23);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  for (int draw = 0; draw < 12; ++draw) {
    Parametrization places(dynamics);
    std::vector<double> z(nz), zd(nz), tau(nv);
    for (std::size_t c = 0; c < nz; ++c) {
      z[c] = dynamics.parametric->start[c] + reach * part(random);
      zd[c] = 2.0 * part(random);
    }
    for (double& x : tau) x = 3.0 * part(random);
    places.place(0.2, z.data(), zd.data());
    State state{0.2,
                std::vector<double>(places.q(), places.q() + dynamics.nq()),
                std::vector<double>(places.u(), places.u() + nv),
                {}};
    state = assemble(dynamics, state);  // the velocity, where rolling is left
    const std::vector<double> arguments = arguments_of(state, tau);
    ConstrainedMotion reference(nv, m), motion = reference;
    for (const Formulation formulation : {Formulation::multipliers, Formulation::embedding,
                                          Formulation::projection, Formulation::parametric}) {
      ConstraintOptions options;
      options.formulation = formulation;
      ConstraintSolver solver(dynamics, options);
      ASSERT_TRUE(solver.solve(arguments.data(), motion)) << model.name << " " << name_of(formulation);
      EXPECT_EQ(motion.used, formulation);
      if (formulation == Formulation::multipliers) reference = motion;
      EXPECT_EQ(motion.rank, reference.rank) << model.name << " " << name_of(formulation);
      EXPECT_LT(support::relative_difference(reference.udot, motion.udot), kAgree)
          << model.name << " " << name_of(formulation);
      EXPECT_LT(support::relative_difference(reference.force, motion.force), kAgree)
          << model.name << " " << name_of(formulation);
      if (reference.rank == m) {
        EXPECT_LT(support::relative_difference(reference.lambda, motion.lambda), kAgree)
            << model.name << " " << name_of(formulation);
      }
    }
    // The straight-line code in z.
    simulation.set_state(state);
    simulation.hold({.tau = tau});
    const auto rates = simulation.rates();
    EXPECT_LT(support::relative_difference(reference.udot, {rates.udot.begin(), rates.udot.end()}), kAgree)
        << model.name;
  }
}

TEST(Parametric, AgreesWithTheOtherFormulationsAtRandomPlaces) {
  for (const char* name : {"particle_on_circle", "disk_on_sphere", "two_link_on_circle", "rolling_disk",
                           "four_bar", "four_bar_ladder", "point_pendulum", "disk_on_ramp"})
    expect_agreement(model_named(name), 0.8);
  // From 97 deg on: near its singular position, at 90 deg, the others lose digits.
  expect_agreement(model_named("slider_crank"), 0.4);
}

TEST(Parametric, ReachesQuaternionsDefinedSpeedsAndMovingConstraints) {
  // A door: a free body whose hinge is a closure.
  expect_agreement(
      describe::load_text(
          "name: door\nbodies: {door: {mass: 2, com: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.25]}}\n"
          "joints: {door: {type: free, parent: world, child: door}}\n"
          "constraints:\n  hinge: {type: revolute, a: {body: world, at: [1, 0, 0], axis: y},"
          " b: {body: door, at: [0, 0, 0.4], axis: y}}\n"
          "parametric:\n  z: {a: 0.4}\n"
          "  q: {door.x: 1 - 0.4*sin(a), door.y: 0, door.z: -0.4*cos(a), door.qw: cos(a/2),"
          " door.qx: 0, door.qy: sin(a/2), door.qz: 0}\n",
          "door.yaml"),
      0.8);
  // The slider-crank by the absolute rates of its links.
  expect_agreement(
      describe::load_text(
          "name: crank\nbodies: {crank: {mass: 1, com: [1, 0, 0]}, rod: {mass: 1, com: [1, 0, 0]}}\n"
          "joints:\n  q1: {type: revolute, parent: world, child: crank, axis: -y}\n"
          "  q2: {type: revolute, parent: crank, child: rod, axis: -y, placement: {xyz: [1, 0, 0]}}\n"
          "speeds: {from_rates: {w1: q1_dot, w2: q1_dot + q2_dot}}\n"
          "constraints: {slider: {type: equation, equations: sin(q1) + sin(q1 + q2)}}\n"
          "parametric: {z: {a: 0.5}, q: {q1: a, q2: 2*pi - 2*a}}\n",
          "crank.yaml"),
      0.8);
  // q1 is driven: psi depends on the time.
  expect_agreement(describe::load_text(particle("  z: {y: 0.1}\n  q: {q1: 0.3*sin(2*t), q2: y + 0.1*t}\n",
                                                "{type: motion, joint: q1, equals: 0.3*sin(2*t)}"),
                                       "driven.yaml"),
                   0.8);
}

TEST(Parametric, GivesTheGoldenStateOfTwoLinksOnACircle) {
  // [Faulring2006, section IV-C] with a chosen state; digits of an independent computation.
  const Model model = model_named("two_link_on_circle");
  constexpr double kGolden = 1e-12;
  EXPECT_NEAR(model.initial_q[0], -.4638035914986337, kGolden);
  EXPECT_NEAR(model.initial_q[1], 1.2789754108442462, kGolden);
  EXPECT_NEAR(model.initial_u[0], -.1918904667584164, kGolden);
  EXPECT_NEAR(model.initial_u[1], 1.2300645493802411, kGolden);
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation arm(dynamics, parametric());
  arm.set_state(start_of(model));
  EXPECT_NEAR(arm.state().parameters[0], 1.0, kGolden);
  EXPECT_NEAR(arm.state().parameters[1], 3.0, 1e-11);
  // Force (1, 2) at the tip.
  const double q1 = model.initial_q[0], q12 = q1 + model.initial_q[1];
  const double tau2 = 0.15 * (-std::sin(q12) + 2.0 * std::cos(q12));
  const std::vector<double> tau{tau2 + 0.15 * (-std::sin(q1) + 2.0 * std::cos(q1)), tau2};
  arm.hold({.tau = tau});
  EXPECT_NEAR(arm.rates().udot[0], -2.0176622897612604, 1e-10);
  EXPECT_NEAR(arm.rates().udot[1], 2.3958639242784274, 1e-10);
  EXPECT_EQ(arm.constraint_state().formulation, Formulation::parametric);
  // zdd, by udot = T zdd + b.
  Parametrization places(dynamics);
  const double z = 1.0, zd = 3.0;
  places.place(0.0, &z, &zd);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR((arm.rates().udot[i] - places.b()[i]) / places.T()[i], 1.1729532183130829, 1e-9);
}

TEST(Parametric, GivesTheEffectiveMassOfTheEndPoint) {
  // T^T M T / r_c^2 along the circle, against an independent computation that looked every half degree.
  const Model model = model_named("two_link_on_circle");
  const Dynamics dynamics = compile(derive::Equations(model));
  Parametrization places(dynamics);
  ConstraintTerms terms(dynamics, *dynamics.constraints);
  const auto mass_at = [&](double degrees) {
    const double z = degrees * pi / 180.0, zd = 0.0;
    places.place(0.0, &z, &zd);
    terms.evaluate(0.0, places.q(), places.u());
    double sum = 0.0;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) sum += places.T()[i] * terms.M()[2 * i + j] * places.T()[j];
    return sum / (0.05 * 0.05);
  };
  EXPECT_NEAR(mass_at(0.0), 1.44378698, 5e-9);  // half a unit of the last digit, here and below
  struct Extreme {
    double degrees, mass, sign;
  };
  for (const Extreme& e : {Extreme{46.0, 0.6592, 1.0}, Extreme{153.5, 2.8965, -1.0},
                           Extreme{220.5, 0.6608, 1.0}, Extreme{304.5, 2.7858, -1.0}}) {
    EXPECT_NEAR(mass_at(e.degrees), e.mass, 5e-5) << e.degrees;
    for (const double aside : {-0.5, 0.5})
      EXPECT_GT(e.sign * (mass_at(e.degrees + aside) - mass_at(e.degrees)), 0.0) << e.degrees;
  }
}

TEST(Parametric, KeepsTheEnergyAndTheConstraintsWithoutProjection) {
  Model model = model_named("two_link_on_circle");
  for (describe::Parameter& parameter : model.parameters)
    if (parameter.name == "b") parameter.value = 0.0;
  derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto kinetic = [&](const State& state) {
    std::copy(state.q.begin(), state.q.end(), energy.input("q").begin());
    std::copy(state.u.begin(), state.u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0];
  };
  Parametrization places(dynamics);
  const double z = 0.0, zd = 5.0;
  places.place(0.0, &z, &zd);
  Options options = parametric();
  options.constraints.holding = Holding::none;
  Simulation arm(dynamics, options);
  arm.set_state({0.0, {places.q()[0], places.q()[1]}, {places.u()[0], places.u()[1]}, {}});
  const double before = kinetic(arm.state());
  EXPECT_NEAR(before, 0.0451183432, 1e-10);
  double worst = 0.0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(arm.step().ok());
    if (i % 100 == 0) worst = support::larger(worst, std::abs(arm.constraint_state().position_error[0]));
  }
  EXPECT_LT(worst, 1e-15);
  EXPECT_NEAR(kinetic(arm.state()) / before, 1.0, 1e-9);  // 3.7e-10
}

TEST(Parametric, PassesTheSingularPositionsOfTheSliderCrankUnaware) {
  const Model model = model_named("slider_crank");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation crank(dynamics, parametric(0.01));
  crank.set_state(start_of(model));
  const std::vector<double> tau{1.0, 0.0};
  double worst = 0.0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(crank.step({.tau = tau}).ok());
    const auto& q = crank.state().q;
    worst = support::larger(worst, std::abs(std::sin(q[0]) + std::sin(q[0] + q[1])));
  }
  EXPECT_LT(worst, 1e-13);  // sines of tens of radians
  aghili::ReducedCrank reference(9.81, 1.0);
  reference.advance(10.0);
  EXPECT_LT(std::abs(crank.state().q[0] - reference.q), 2e-4);  // truncation of RK4 at 10 ms, as the others
}

TEST(Parametric, RunsWithEveryIntegrator) {
  for (const char* name : {"two_link_on_circle", "rolling_disk"}) {
    const Model model = model_named(name);
    const Dynamics dynamics = compile(derive::Equations(model));
    const auto end_of = [&](Integrator integrator, double step) {
      Simulation simulation(dynamics, parametric(step, integrator));
      simulation.set_state(start_of(model));
      for (long i = std::lround(0.5 / step); i > 0; --i) EXPECT_TRUE(simulation.step().ok());
      return simulation.state().q;
    };
    const std::vector<double> reference = end_of(Integrator::adaptive, 0.1);
    const auto order = [&](Integrator integrator, double step) {
      return std::log2(support::relative_difference(reference, end_of(integrator, step)) /
                       support::relative_difference(reference, end_of(integrator, step / 2)));
    };
    EXPECT_GT(order(Integrator::euler, 2e-3), 0.8) << name;
    EXPECT_GT(order(Integrator::rk4, 2e-2), 3.6) << name;
    EXPECT_GT(order(Integrator::implicit, 5e-3), 2.6) << name;
    EXPECT_LT(support::relative_difference(reference, end_of(Integrator::stiff, 0.1)), 1e-8) << name;
  }
}

TEST(Parametric, StepsWithoutAllocating) {
  for (const char* name : {"rolling_disk", "four_bar", "disk_on_sphere"}) {
    const Model model = model_named(name);
    const Dynamics dynamics = compile(derive::Equations(model));
    for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::implicit}) {
      Simulation simulation(dynamics, parametric(1e-3, integrator));
      simulation.set_state(start_of(model));
      simulation.step();
      const long before = tactus::test::allocation_count();
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(simulation.step().ok());
      simulation.constraint_state();
      EXPECT_EQ(tactus::test::allocation_count() - before, 0) << name << " " << name_of(integrator);
    }
  }
}

TEST(Parametric, SaysWhereItsCoordinatesEnd) {
  struct Case {
    const char *name, *psi;
  };
  // Beyond its edge psi is not defined, and dpsi/dz is infinite there; or dpsi/dz vanishes.
  for (const Case& one :
       {Case{"undefined", "  z: {x: {value: 0.9, rate: 3}}\n  q: {q1: x, q2: -sqrt(1 - x^2)}\n"},
        Case{"stationary", "  z: {s: {value: 0.2, rate: -1}}\n  q: {q1: sin(s^3), q2: -cos(s^3)}\n"}}) {
    const Model model = describe::load_text(particle(one.psi), one.name);
    const Dynamics dynamics = compile(derive::Equations(model));
    for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::implicit,
                                        Integrator::adaptive, Integrator::stiff}) {
      Simulation simulation(dynamics, parametric(1e-3, integrator));
      simulation.set_state(start_of(model));
      Status status;
      for (int i = 0; i < 5000 && status.ok(); ++i) {
        status = simulation.step();
        for (const double q : simulation.state().q) ASSERT_TRUE(std::isfinite(q)) << one.name;
      }
      ASSERT_FALSE(status.ok()) << one.name << " " << name_of(integrator);
      EXPECT_TRUE(status.has(Status::parameters_singular)) << one.name << " " << name_of(integrator);
      EXPECT_NE(simulation.explain(status).find("parametric"), std::string::npos);
    }
  }
  // Exactly there from the start.
  const Model model = describe::load_text(
      particle("  z: {s: {value: 0.5}}\n  q: {q1: sin(s^3), q2: -cos(s^3)}\n"), "stationary");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation simulation(dynamics, parametric());
  EXPECT_THROW(simulation.set_state({0.0, {0.0, -1.0}, {1.0, 0.0}, {}}), InputError);
}

/// The message that deriving, compiling and starting the model gives; "" where it gives none.
std::string complaint(const std::string& text, const Options& options = parametric()) {
  try {
    const Model model = describe::load_text(text, "bad.yaml");
    const Dynamics dynamics = compile(derive::Equations(model));
    Simulation simulation(dynamics, options);
    simulation.set_state(start_of(model));
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "";
}

void expect_says(const std::string& said, const std::string& fragment) {
  EXPECT_NE(said.find(fragment), std::string::npos) << "should say `" << fragment << "`: " << said;
}

TEST(Parametric, RefusesWhatCannotBeRight) {
  const std::string good = particle("  z: {a: 0.3}\n  q: {q1: cos(a), q2: sin(a)}\n");
  EXPECT_EQ(complaint(good), "");
  expect_says(complaint(particle("  z: {a: 0.3}\n  q: {q1: cos(a), q2: 1.1*sin(a)}\n")),
              "psi breaks the constraint `circle`");
  expect_says(complaint(particle("  z: {a: 0.3, r: 1}\n  q: {q1: r*cos(a), q2: r*sin(a)}\n")),
              "psi breaks the constraint `circle`");
  expect_says(complaint(particle("  z: {a: 0.3}\n  q: {q1: a, q2: 0.5}\n",
                                 "{type: on_plane, a: world, b: p}")),  // holds by the structure
              "no constraints that psi could satisfy");
  expect_says(complaint(particle("  z: {a: 0.3}\n  q: {q1: a, q2: 0.5}\n",
                                 "{type: rates, equations: q1_dot - q2_dot}")),
              "psi has 1 parameter, but the constraints that it satisfies leave 2 freedoms");
  // Given states that psi does not reach.
  expect_says(complaint(good + "initial: {q: {q1: 0.6, q2: 0.8}}\n"), "");
  expect_says(complaint(particle("  z: {a: 0.3}\n  q: {q1: cos(a), q2: sqrt(sin(a)^2)}\n") +
                        "initial: {q: {q1: 0.6, q2: -0.8}}\n"),
              "no values of the parametric coordinates give this configuration");
  Options baumgarte = parametric();
  baumgarte.constraints.holding = Holding::baumgarte;
  expect_says(complaint(good, baumgarte), "Baumgarte");
  const std::string without = good.substr(0, good.find("parametric:"));
  expect_says(complaint(without + "initial: {q: {q1: 1}}\n"), "the model gives no parametric coordinates");
}

TEST(Parametric, SwitchesOnlyWhatPsiLeaves) {
  const Model model = model_named("disk_on_ramp");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation z(dynamics, parametric()), reference(dynamics, {.step = 1e-3});
  for (Simulation* disk : {&z, &reference}) {
    disk->set_state(start_of(model));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(disk->step().ok());
    disk->set_active(1, false);  // slips from here on
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(disk->step().ok());
    disk->set_active(1, true);  // and is caught
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(disk->step().ok());
  }
  EXPECT_LT(support::relative_difference(reference.state().q, z.state().q), 1e-12);
  EXPECT_LT(support::relative_difference(reference.state().u, z.state().u), 1e-12);
  EXPECT_THROW(z.set_active(0, false), InputError);
}

}  // namespace
}  // namespace tactus::simulate
