// Poisson's law by steps against impacts by events; bodies that sleep.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

/// A slanting rod in the plane that strikes the floor with its end, whose slip turns round within the impact: Newton's
/// and Poisson's laws differ.
describe::Model rod(const std::string& law) {
  return describe::load_text(R"(
name: rod
gravity: [0, 0, 0]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  slide: {mass: 0}
  lift: {mass: 0}
  rod: {mass: 1, inertia: [0.001, 0.03, 0.03], geometry: [{shape: capsule, radius: 0.02, length: 0.56, placement: {rpy: [0, 90 deg, 0]}, contact: true}]}
joints:
  x: {type: prismatic, parent: world, child: slide, axis: x}
  z: {type: prismatic, parent: slide, child: lift, axis: z}
  turn: {type: revolute, parent: lift, child: rod, axis: y}
contact: {defaults: {render: rigid, restitution: 0.6, restitution_law: )" +
                                 law + R"(, friction: 0.5, rest_speed: 1e-6 m/s}}
initial: {q: {z: 0.25, turn: 0.6}, u: {x: -0.7, z: -1}}
)",
                             "rod");
}

std::vector<double> speeds_after_impact(const describe::Model& model, double step, bool by_events) {
  const ContactModel contact_model(model);
  const simulate::State first{0.0, model.initial_q, model.initial_u, {}};
  if (by_events) {
    Engine engine(contact_model);
    engine.set_state(first);
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(engine.step().ok());
      for (const Event& event : engine.events())
        if (event.kind == EventKind::impact) return engine.state().u;
    }
    ADD_FAILURE() << "no impact";
    return {};
  }
  TimeStepping engine(contact_model, {.step = step, .all_pairs = true});
  engine.set_state(first);
  for (double t = 0.0; t < 0.2; t += step) {
    EXPECT_TRUE(engine.step().ok());
    if (engine.contacts().size() == 1 && engine.contacts()[0].struck) return engine.state().u;
  }
  ADD_FAILURE() << "no impact";
  return {};
}

TEST(SteppingPoisson, ReboundsAsAnImpactOfTheEventDrivenMotion) {
  // Without forces the only difference is where the rod stands when it strikes: up to a step's way, 0.05 mm.
  constexpr double kStep = 5e-5, kOfTheStep = 2e-3;  // [s], [m/s or rad/s]
  const std::vector<double> poisson = speeds_after_impact(rod("poisson"), kStep, false);
  const std::vector<double> exact = speeds_after_impact(rod("poisson"), kStep, true);
  const std::vector<double> newton = speeds_after_impact(rod("newton"), kStep, true);
  ASSERT_EQ(poisson.size(), 3u);
  ASSERT_EQ(exact.size(), 3u);
  double apart = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(poisson[i], exact[i], kOfTheStep) << i;
    apart = support::larger(apart, std::abs(newton[i] - exact[i]));
  }
  EXPECT_GT(apart, 10.0 * kOfTheStep);  // the laws can be told apart here
}

TEST(SteppingPoisson, NeverAddsEnergyWhereManyStrike) {
  // Boxes thrown together, the law's worst case: a pile of ten with friction and e = 0.8.
  std::string text = R"(
name: thrown
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
repeat:
  count: 10
  bodies:
    b{i}: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
  joints:
    j{i}: {type: free, parent: world, child: "b{i}"}
contact: {defaults: {render: stepping, restitution: 0.8, restitution_law: poisson, friction: 0.6}}
)";
  const describe::Model model = describe::load_text(text, "thrown");
  const ContactModel contact_model(model);
  generate::Evaluator energies(generate::compile(contact_model.equations.energy()));
  TimeStepping engine(contact_model);
  simulate::State first{0.0, model.initial_q, model.initial_u, {}};
  first.q.resize(70);
  first.u.assign(60, 0.0);
  for (std::size_t i = 0; i < 10; ++i) {
    double* q = &first.q[7 * i];
    const double way = static_cast<double>(i);
    q[0] = 0.03 * std::sin(3.0 * way);
    q[1] = 0.03 * std::cos(5.0 * way);
    q[2] = 0.12 + 0.16 * way;
    q[3] = std::cos(0.3 * way);
    q[4] = std::sin(0.3 * way);
    q[5] = q[6] = 0.0;
  }
  engine.set_state(first);
  const auto energy = [&] {
    energies.input("t")[0] = engine.state().t;
    std::copy(engine.state().q.begin(), engine.state().q.end(), energies.input("q").begin());
    std::copy(engine.state().u.begin(), engine.state().u.end(), energies.input("u").begin());
    energies.run();
    return energies.output("kinetic")[0] + energies.output("potential")[0];
  };
  double before = energy(), rise = 0.0;
  int struck = 0;
  for (int i = 0; i < 600; ++i) {
    const double pushed = engine.books().correction_work;
    const simulate::Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    const double now = energy();
    rise = support::larger(rise, now - before - (engine.books().correction_work - pushed));
    before = now;
    for (const StepContact& contact : engine.contacts()) struck += contact.struck;
  }
  EXPECT_GT(struck, 20);
  EXPECT_LT(rise, 1e-3);  // [J] of 80: the error of free fall and of turning in a step
}

TEST(SteppingBooks, HaveNoSlipOfATopThatDoesNotSlip) {
  // A top on a round tip, tilted, with much friction: it rolls on its tip while it precesses. Where the velocity of the
  // material that comes to the contact were booked as slip, friction would take 3 mJ.
  constexpr double kNothing = 1e-12;  // [J]
  constexpr double kTip = 0.005, kArm = 0.06, kTilt = 0.8, kSpin = 150.0;
  const describe::Model model = describe::load_text(R"(
name: top
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  top: {mass: 0.5, inertia: [1e-3, 1e-3, 5e-4], geometry: [{shape: sphere, radius: 0.005, placement: {xyz: [0, 0, -0.06]}, contact: true}]}
joints: {j: {type: free, parent: world, child: top}}
contact: {defaults: {render: stepping, restitution: 0, friction: 2}}
)",
                                                    "top");
  const ContactModel contact_model(model);
  TimeStepping engine(contact_model);
  simulate::State first;
  first.q = {0.0, 0.0, kTip + kArm * std::cos(kTilt), std::cos(0.5 * kTilt), std::sin(0.5 * kTilt), 0.0, 0.0};
  // At the contact, r from the centre of mass, the spin about the axis gives w x r; the speed takes it back.
  const math::Vec3<double> r{0.0, -kTip * std::sin(kTilt), -kArm - kTip * std::cos(kTilt)},
      w{0.0, 0.0, kSpin};
  const math::Vec3<double> v = -1.0 * cross(w, r);
  first.u = {w.x, w.y, w.z, v.x, v.y, v.z};
  engine.set_state(first);
  int sticking = 0;
  for (int i = 0; i < 300; ++i) {
    const simulate::Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    for (const StepContact& contact : engine.contacts()) sticking += contact.mode == Mode::sticking;
  }
  EXPECT_EQ(sticking, 300);
  EXPECT_NEAR(engine.books().friction_work, 0.0, kNothing);
}

describe::Model stack() { return describe::load(tactus::support::source_dir() + "/models/box_stack.yaml"); }

TEST(SteppingSleep, IsOffUnlessAskedFor) { EXPECT_EQ(SteppingOptions{}.sleep_after, 0.0); }

TEST(SteppingSleep, LeavesWhatRestsWhereItIs) {
  const describe::Model model = stack();
  const ContactModel contact_model(model);
  TimeStepping engine(contact_model, {.sleep_after = 0.05});
  engine.set_state({0.0, model.initial_q, model.initial_u, {}});
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(engine.step().ok());
  for (int body = 1; body < static_cast<int>(model.bodies.size()); ++body)
    EXPECT_TRUE(engine.is_asleep(body)) << body;
  EXPECT_FALSE(engine.is_asleep(0));  // the ground never does
  const simulate::State before = engine.state();
  const std::size_t contacts = engine.contacts().size();
  EXPECT_EQ(contacts, 40u);  // what carries them is still told
  const long allocated = test::allocation_count();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine.step().ok());
  EXPECT_EQ(test::allocation_count(), allocated);
  EXPECT_EQ(engine.state().q, before.q);
  for (const double u : engine.state().u) EXPECT_EQ(u, 0.0);
  EXPECT_EQ(engine.contacts().size(), contacts);
}

TEST(SteppingSleep, EndsWhereAForceChanges) {
  const describe::Model model = stack();
  const ContactModel contact_model(model);
  TimeStepping engine(contact_model, {.sleep_after = 0.05});
  engine.set_state({0.0, model.initial_q, model.initial_u, {}});
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(engine.step().ok());
  ASSERT_TRUE(engine.is_asleep(10));
  const double x = engine.state().q[63];
  std::vector<double> tau(60, 0.0);
  tau[57] = 20.0;  // [N] along x on the topmost box, more than friction holds
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine.step({tau, {}}).ok());
  EXPECT_FALSE(engine.is_asleep(10));
  EXPECT_GT(engine.state().q[63], x + 1e-3);
}

TEST(SteppingSleep, EndsWhereABodyComesNearAndGoesOnFromASnapshot) {
  // A ball falls on a box that sleeps; another box, apart, sleeps on.
  const describe::Model model = describe::load_text(R"(
name: nap
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  box: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
  far: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
  ball: {mass: 1, inertia: [0.001, 0.001, 0.001], geometry: [{shape: sphere, radius: 0.05, contact: true}]}
joints:
  box: {type: free, parent: world, child: box}
  far: {type: free, parent: world, child: far}
  ball: {type: free, parent: world, child: ball}
contact: {defaults: {render: stepping, restitution: 0, friction: 0.5}}
initial: {q: {box.z: 0.05, far.z: 0.05, far.x: 1, ball.z: 0.6, ball.x: 0.03}}
)",
                                                    "nap");
  const ContactModel contact_model(model);
  const SteppingOptions options{.sleep_after = 0.05};
  TimeStepping engine(contact_model, options);
  engine.set_state({0.0, model.initial_q, model.initial_u, {}});
  const double lands = std::sqrt(2.0 * 0.45 / 9.81);  // [s] 0.303
  for (int i = 0; i < 280; ++i) ASSERT_TRUE(engine.step().ok());
  ASSERT_LT(engine.state().t, lands);
  EXPECT_TRUE(engine.is_asleep(1));
  EXPECT_TRUE(engine.is_asleep(2));
  EXPECT_FALSE(engine.is_asleep(3));
  TimeStepping other(contact_model, options);
  other.load(engine.make_snapshot());
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(engine.step().ok());
    ASSERT_TRUE(other.step().ok());
  }
  EXPECT_FALSE(engine.is_asleep(1));
  EXPECT_TRUE(engine.is_asleep(2));
  EXPECT_EQ(engine.state().q, other.state().q);
  EXPECT_EQ(engine.state().u, other.state().u);
}

}  // namespace
}  // namespace tactus::contact
