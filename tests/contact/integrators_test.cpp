// Contact by events with every integrator: pieces of steps may be as short as time resolves.
#include <gtest/gtest.h>

#include <string>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;

struct Case {
  const char* name;
  Integrator integrator;
  double tolerance;  // [m or rad, m/s or rad/s] of the state at the end, by the method's order at 1 kHz
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

State end_of(const std::string& name, Integrator integrator, double step, double t) {
  const ContactModel contact_model(describe::load(tactus::support::source_dir() + "/models/" + name));
  Engine engine(contact_model, {.step = step, .integrator = integrator});
  engine.set_state(
      {.t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}});
  const long before = test::allocation_count_of_this_thread();
  Status status;
  while (status.ok() && engine.state().t < t - 0.5 * step) status = engine.step();
  if (integrator != Integrator::adaptive && integrator != Integrator::stiff) {  // Odeint's take memory
    EXPECT_EQ(test::allocation_count_of_this_thread(), before) << name;
  }
  EXPECT_TRUE(status.ok()) << name << ": " << engine.explain(status);
  return engine.state();
}

class Integrators : public testing::TestWithParam<Case> {};

TEST_P(Integrators, MeetTheWallAndTheHole) {
  // The wall is met where a step ends, at 0.1 s. The peg rests on the bottom of its hole in the end.
  const Case& c = GetParam();
  const State wall = end_of("stiff_wall.yaml", c.integrator, 1e-3, 0.11),
              fine = end_of("stiff_wall.yaml", Integrator::rk4, 1e-5, 0.11);
  EXPECT_NEAR(wall.q[0], fine.q[0], c.tolerance);
  EXPECT_NEAR(wall.u[0], fine.u[0], 100.0 * c.tolerance);  // the wall's frequency is 157 rad/s
  const State peg = end_of("peg_in_hole.yaml", c.integrator, 1e-3, 1.5),
              rest = end_of("peg_in_hole.yaml", Integrator::rk4, 1e-3, 1.5);
  for (std::size_t i = 0; i < peg.q.size(); ++i) {
    EXPECT_NEAR(peg.q[i], rest.q[i], 1e-9) << i;
    EXPECT_NEAR(peg.u[i], 0.0, 1e-9) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Integrators,
                         testing::Values(Case{"euler", Integrator::euler, 1e-3},
                                         Case{"rk4", Integrator::rk4, 1e-6},
                                         Case{"implicit", Integrator::implicit, 1e-4},
                                         Case{"adaptive", Integrator::adaptive, 1e-8},
                                         Case{"stiff", Integrator::stiff, 1e-8}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tactus::contact
