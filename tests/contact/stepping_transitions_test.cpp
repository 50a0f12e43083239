// Transitions of a model that moves by steps: taken at ends of steps, late by up to one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/describe/read/load.h>

#include "contact/slider_model.h"
#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using Fired = std::vector<std::pair<std::string, double>>;  // transitions with their times

/// A model that moves by steps, with actuator forces that may jump between them.
struct Trial {
  describe::Model model;
  ContactModel contact_model;
  TimeStepping engine;
  std::vector<double> tau;
  Fired fired;
  double loss = 0.0;  // [J] of the transitions

  Trial(describe::Model described, double step)
      : model(std::move(described)),
        contact_model(model),
        engine(contact_model, {.step = step, .all_pairs = true}) {
    tau.assign(static_cast<std::size_t>(model.nv()), 0.0);
    engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  }
  void until(double t) {
    while (engine.state().t < t - 0.5 * engine.options().step) {
      const simulate::Status status = engine.step({tau, {}});
      ASSERT_TRUE(status.ok()) << engine.explain(status);
      for (const Event& event : engine.events()) {
        fired.emplace_back(model.contact.transitions[static_cast<std::size_t>(event.transition)].name,
                           event.t);
        loss += event.loss;
      }
    }
  }
};

constexpr double kStep = 1e-3;  // [s]
constexpr double kRounding = 1e-12;

TEST(SteppingTransitions, AreTakenAtTheEndOfTheStepInWhichTheGuardBecomesTrue) {
  // At 1 m/s the guard x > 0.1004 becomes true within the step that ends at 0.101 s, where the speed goes, and all
  // of m v^2 / 2 with it.
  Trial run(slider("initial: {u: {x: 1}}\ntransitions: {stops: {when: x > 0.1004, activate: other}}\n"),
            kStep);
  run.until(0.2);
  ASSERT_EQ(run.fired.size(), 1u);
  EXPECT_EQ(run.fired[0].first, "stops");
  EXPECT_NEAR(run.fired[0].second, 0.101, kRounding);
  EXPECT_NEAR(run.engine.state().q[0], 0.101, kRounding);
  EXPECT_NEAR(run.engine.state().u[0], 0.0, kRounding);
  EXPECT_NEAR(run.loss, 1.0, kRounding);
  EXPECT_NEAR(run.engine.books().normal_work, -1.0, kRounding);
}

TEST(SteppingTransitions, SeeTheForcesOfConstraintsAsImpulsesOverTheStep) {
  Trial run(slider(R"(
initial: {q: {x: 0.1}}
transitions:
  holds: {when: t > 0.0095, activate: held}
  slips: {when: abs(force.held) > 5 N, release: held}
)"),
            kStep);
  run.until(0.1);
  run.tau[0] = 4.9;
  run.until(0.2);
  EXPECT_NEAR(run.engine.row_force(0), -4.9, kRounding * 1e3);  // rounding over a step
  ASSERT_EQ(run.fired.size(), 1u);
  EXPECT_NEAR(run.fired[0].second, 0.01, kRounding);
  run.tau[0] = 5.1;
  run.until(0.25);
  ASSERT_EQ(run.fired.size(), 2u);
  EXPECT_EQ(run.fired[1].first, "slips");
  EXPECT_NEAR(run.fired[1].second, 0.201, kRounding);
  EXPECT_NEAR(run.engine.state().u[0], 5.1 / 2.0 * 0.049, kRounding * 1e3);
}

TEST(SteppingTransitions, FollowTheEventDrivenLatchToTheStep) {
  // The door falls shut against its stop and the bolt clicks: by events, and by steps with an error that falls with
  // their length.
  const describe::Model model = describe::load(tactus::support::source_dir() + "/models/latch.yaml");
  const ContactModel contact_model(model);
  Engine events(contact_model);
  events.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  double exact = 0.0;
  for (int i = 0; i < 10000 && exact == 0.0; ++i) {
    ASSERT_TRUE(events.step().ok());
    for (const Event& event : events.events())
      if (event.kind == EventKind::transition) exact = event.t;
  }
  ASSERT_GT(exact, 0.5);
  double last = 0.0;
  for (const double step : {4e-3, 1e-3}) {
    Trial run(model, step);
    run.until(exact + 0.1);
    ASSERT_EQ(run.fired.size(), 1u) << step;
    EXPECT_EQ(run.fired[0].first, "clicks");
    EXPECT_TRUE(run.engine.is_active(0));
    const double error = std::abs(run.fired[0].second - exact);
    EXPECT_LE(error, 4.0 * step) << step;  // up to a step late, and the motion's own first order
    if (last > 0.0) {
      EXPECT_LT(error, 0.5 * last);
    }
    last = error;
    EXPECT_NEAR(run.engine.state().u[0], 0.0, kRounding);
  }
}

TEST(SteppingTransitions, AreTakenOnceAndGoOnFromASnapshot) {
  // Back and forth between two springs' ends: `there` each time, `first` once.
  const describe::Model model = describe::load_text(R"(
name: shuttle
gravity: [0, 0, 0]
bodies: {slider: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: slider, axis: x, stiffness: 100 N/m}}
constraints: {mark: {type: rates, equations: [0*x_dot + x_dot], active: false}}
contact: {stops: []}
transitions:
  first: {when: x > 0.05, release: mark, once: true}
  there: {when: x > 0.05, release: mark}
initial: {u: {x: 1}}
)",
                                                    "shuttle");
  Trial run(model, kStep);
  run.until(0.3);
  TimeStepping other(run.contact_model, run.engine.options());
  other.load(run.engine.make_snapshot());
  const std::size_t before = run.fired.size();
  const long allocated = test::allocation_count();
  std::size_t count = 0;
  for (int i = 0; i < 1700; ++i) {
    ASSERT_TRUE(other.step({run.tau, {}}).ok());
    count += other.events().size();
  }
  EXPECT_EQ(test::allocation_count(), allocated);
  run.until(2.0);
  EXPECT_EQ(run.fired.size() - before, count);
  EXPECT_EQ(run.engine.state().q, other.state().q);
  std::size_t first = 0;
  for (const auto& [name, t] : run.fired) first += name == "first";
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(run.fired.size(), 1u + 4u);  // a period is 0.63 s
}

TEST(SteppingTransitions, RefuseAConstraintOutOfPlaceAndLeaveNoTrace) {
  Trial run(slider("initial: {u: {x: 1}}\ntransitions: {holds: {when: x > 0.15, activate: held}}\n"), kStep);
  run.until(0.14);
  const simulate::State before = run.engine.state();
  simulate::Status status;
  int steps = 0;
  for (; status.ok() && steps < 20; ++steps) status = run.engine.step({run.tau, {}});
  EXPECT_TRUE(status.has(simulate::Status::constraint_lost));
  EXPECT_NE(run.engine.explain(status).find("held"), std::string::npos);
  EXPECT_FALSE(run.engine.is_active(0));
  EXPECT_NEAR(run.engine.state().u[0], 1.0, kRounding);
  EXPECT_NEAR(run.engine.state().q[0], before.q[0] + kStep * (steps - 1), kRounding);
}

}  // namespace
}  // namespace tactus::contact
