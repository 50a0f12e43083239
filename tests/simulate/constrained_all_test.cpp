// Laws for every constrained model in models/.
#include <gtest/gtest.h>

#include <random>

#include "constrained_models.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

struct Constrained : testing::TestWithParam<const char*> {};

double difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  return support::relative_difference({a.data(), count}, {b.data(), count});
}

TEST_P(Constrained, FormulationsAgreeOnStatesNearTheInitialOne) {
  const Model model = describe::load(tactus::support::source_dir() + "/models/" + GetParam() + ".yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  ASSERT_TRUE(dynamics.constraints);
  const auto nv = static_cast<std::size_t>(dynamics.nv());
  std::mt19937 random(17);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<double> theta(nv), tau(nv);
  ConstrainedMotion reference(nv, dynamics.constraints->size()), motion = reference;
  for (int draw = 0; draw < 8; ++draw) {
    State state{0.0, model.initial_q, model.initial_u, {}};
    for (std::size_t i = 0; i < nv; ++i) {
      theta[i] = 0.05 * part(random);
      state.u[i] += 0.5 * part(random);
      tau[i] = part(random);
    }
    dynamics.coordinates.displace(state.q.data(), theta.data(), state.q.data());
    state = assemble(dynamics, state);
    const std::vector<double> arguments = arguments_of(state, tau);
    ConstraintSolver multipliers(dynamics);
    ASSERT_TRUE(multipliers.solve(arguments.data(), reference));
    const std::size_t rows = multipliers.active_rows().size();
    // Rounding, amplified by the spread of inertias in the model.
    constexpr double kAgree = 1e-10;
    for (const Formulation formulation :
         {Formulation::embedding, Formulation::projection, Formulation::parametric}) {
      if (formulation == Formulation::parametric && !dynamics.parametric) continue;
      ConstraintOptions options;
      options.formulation = formulation;
      ConstraintSolver solver(dynamics, options);
      ASSERT_TRUE(solver.solve(arguments.data(), motion)) << name_of(formulation);
      EXPECT_EQ(motion.rank, reference.rank);
      EXPECT_LT(difference(reference.udot, motion.udot, nv), kAgree) << name_of(formulation);
      EXPECT_LT(difference(reference.force, motion.force, nv), kAgree) << name_of(formulation);
      if (reference.rank == rows) {
        EXPECT_LT(difference(reference.lambda, motion.lambda, rows), kAgree) << name_of(formulation);
      }
    }
    std::vector<double> udot(nv), qdot(state.q.size());
    ConstraintSolver automatic(dynamics);
    automatic.accelerate(arguments.data(), udot.data(), qdot.data());
    EXPECT_LT(difference(reference.udot, udot, nv), kAgree) << "unrolled";
  }
}

TEST_P(Constrained, HoldsItsConstraintsForASecond) {
  const Model model = describe::load(tactus::support::source_dir() + "/models/" + GetParam() + ".yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  Simulation simulation(dynamics, {.step = 1e-3});
  simulation.set_state(assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}}));
  for (int i = 0; i < 1000; ++i) {
    const Status status = simulation.step();
    ASSERT_TRUE(status.ok()) << simulation.explain(status);
  }
  const Simulation::ConstraintState constraints = simulation.constraint_state();
  for (std::size_t k = 0; k < dynamics.constraints->size(); ++k) {
    if (!simulation.is_active(dynamics.constraints->rows[k].constraint)) continue;
    EXPECT_LT(std::abs(constraints.position_error[k]), 1e-12) << dynamics.constraints->rows[k].label;
    EXPECT_LT(std::abs(constraints.velocity_error[k]), 1e-11) << dynamics.constraints->rows[k].label;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Constrained,
                         testing::Values("slider_crank", "particle_on_circle", "rolling_disk",
                                         "disk_on_sphere", "two_link_on_circle", "disk_on_ramp",
                                         "shopping_cart", "four_bar", "four_bar_ladder", "andrews",
                                         "peaucellier", "bricard", "stewart_platform", "rolling_sphere",
                                         "single_track", "sleigh", "point_pendulum"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::simulate
