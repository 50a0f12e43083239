// Every formulation leads to the same motion: that of an adaptive integrator at tight tolerance.
#include <gtest/gtest.h>

#include "constrained_models.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

struct Trajectories : testing::TestWithParam<const char*> {};

/// States at ten times up to the duration.
std::vector<State> motion_of(const Dynamics& dynamics, const State& start, Formulation formulation,
                             double duration, double tolerance) {
  Options options{
      .step = duration / 10.0, .integrator = Integrator::adaptive, .tolerances = {tolerance, tolerance}};
  options.constraints.formulation = formulation;
  Simulation simulation(dynamics, options);
  simulation.set_state(start);
  std::vector<State> states;
  for (int i = 0; i < 10; ++i) {
    const Status status = simulation.step();
    EXPECT_TRUE(status.ok()) << name_of(formulation) << ": " << simulation.explain(status);
    states.push_back(simulation.state());
  }
  return states;
}

TEST_P(Trajectories, OfAllFormulationsAreThatOfTheReference) {
  const Model model = describe::load(tactus::support::source_dir() + "/models/" + GetParam() + ".yaml");
  const Dynamics dynamics = compile(derive::Equations(model));
  const State start = assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
  // Andrews' squeezer reaches 1400 rad/s in 30 ms; the others move at some rad/s.
  const double duration = std::string(GetParam()) == "andrews" ? 0.005 : 0.3;
  constexpr double kTight = 1e-13, kTolerance = 1e-12;
  // A hundred local errors, and what the mechanism makes of them.
  constexpr double kSame = 1e-9;
  // The reference: in parametric coordinates, where the constraints play no part, if the model gives them.
  const std::vector<State> reference =
      motion_of(dynamics, start, dynamics.parametric ? Formulation::parametric : Formulation::multipliers,
                duration, kTight);
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection}) {
    const std::vector<State> states = motion_of(dynamics, start, formulation, duration, kTolerance);
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_LT(support::relative_difference(reference[i].q, states[i].q), kSame)
          << name_of(formulation) << " " << i;
      EXPECT_LT(support::relative_difference(reference[i].u, states[i].u), kSame)
          << name_of(formulation) << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Trajectories,
                         testing::Values("slider_crank", "particle_on_circle", "rolling_disk",
                                         "disk_on_sphere", "two_link_on_circle", "disk_on_ramp",
                                         "shopping_cart", "four_bar", "four_bar_ladder", "andrews",
                                         "peaucellier", "bricard", "stewart_platform", "rolling_sphere",
                                         "single_track", "sleigh", "point_pendulum"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::simulate
