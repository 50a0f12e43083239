// Ticks that can be bounded: what a budget leaves over happens later, with a note, and nothing is lost; and what
// a step that fails leaves behind: nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "balance.h"
#include "random_scenes.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

describe::Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

State initial(const describe::Model& model) {
  State state;
  state.q = model.initial_q;
  state.u = model.initial_u;
  return state;
}

constexpr Budget kTight{.most_events = 2, .most_trials = 3, .most_rounds = 6};

/// A ball between two heavy blocks, thrown to and fro: some impacts in each step of 1 ms.
const char* const kShuttle = R"(
name: shuttle
gravity: [0, 0, 0]
bodies:
  world:
    geometry:
      - {shape: plane, name: floor, size: [2, 2], contact: true}
      - {shape: plane, name: ceiling, size: [2, 2], placement: {xyz: [0, 0, 0.201], rpy: [180 deg, 0, 0]}, contact: true}
  ball: {mass: 1, geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints: {z: {type: prismatic, parent: world, child: ball, axis: z}}
contact: {defaults: {restitution: 1}}
initial: {q: {z: 0.1003}, u: {z: 4}}
)";

TEST(Budget, BoundsTheWorkOfRandomScenesAndNeverGainsEnergy) {
  // most_trials + 2 most_events + 2 integrations (choices.h), once more for a stretch in which all laws are solved at once,
  // and once for each gap that closes and opens again. Once their work is done the solvers may go on by an eighth of it for
  // each impact (and a quarter of that for its last strike) and each choice of modes: of most_events events and two more,
  // features that are lost and what is left of the tick.
  constexpr Budget kBudget = Budget::haptic();
  constexpr long kMostIntegrations = 3 * (kBudget.most_trials + 2 * kBudget.most_events + 3);
  constexpr long kMostSolving =
      kBudget.most_solving + (kBudget.most_events + 2) * kBudget.most_solving * 9 / 32;
  /// [1] Of the energy in play: what a run may be off before it is stopped.
  constexpr double kRunImbalance = 1e-2;
  constexpr std::uint64_t kScenes = 120;
  int failed = 0;
  for (std::uint64_t number = 0; number < kScenes; ++number) {
    const RandomScene scene = random_scene(number);
    const ContactModel contact_model(describe::load_text(scene.text, "scene"));
    Engine engine(contact_model, {.step = 1e-3, .budget = kBudget});
    engine.set_state(initial(contact_model.model));
    EnergyWatch energy(contact_model);
    const double before = energy.energy(initial(contact_model.model));
    bool ok = true;
    while (ok && engine.state().t < scene.duration - 5e-4) {
      ok = engine.step().ok();
      EXPECT_LE(engine.work().integrations, kMostIntegrations) << number;
      EXPECT_LE(engine.work().solving, kMostSolving) << number;
    }
    failed += !ok;  // in the state before, and said
    EXPECT_LE(energy.energy(engine.state()), before + kRunImbalance * engine.books().in_play + 1e-9)
        << number << " (" << scene.family << ")";
  }
  EXPECT_LE(failed, 2);
}

TEST(Budget, WithAHandOverNoRandomSceneEnds) {
  /// [1] Of the energy in play: late events are booked to first order, and what a run may be off before it is stopped.
  constexpr double kRunImbalance = 1e-2;
  /// [J] Where nothing touches nothing is in play: the integrator's own error.
  constexpr double kSmooth = 1e-6;
  for (std::uint64_t number = 0; number < 120; ++number) {
    const RandomScene scene = random_scene(number);
    const auto mechanism =
        open(describe::load_text(scene.text, "scene"),
             {.rederive = Rederivation::never, .budget = Budget::haptic(), .hand_over = true});
    const double before = sum_of(*mechanism);
    while (mechanism->state().t < scene.duration - 5e-4) {
      const simulate::Tick tick = mechanism->step();
      ASSERT_TRUE(tick.ok()) << number << " (" << scene.family << "): " << mechanism->explain(tick.status);
    }
    EXPECT_NEAR(sum_of(*mechanism), before, kRunImbalance * mechanism->books().in_play + kSmooth)
        << number << " (" << scene.family << ")";
  }
}

TEST(Budget, WhatDoesNotFitHappensLaterAndIsSaid) {
  // 4 m/s over a gap of 1 mm: four impacts per step. Two fit; the rest of the step is taken at its end.
  const ContactModel contact_model(describe::load_text(kShuttle, "shuttle"));
  Engine engine(contact_model, {.step = 1e-3, .budget = kTight});
  engine.set_state(initial(contact_model.model));
  long late = 0, most = 0;
  for (int tick = 0; tick < 500; ++tick) {
    const long before = test::allocation_count_of_this_thread();
    const Status status = engine.step();
    EXPECT_EQ(test::allocation_count_of_this_thread(), before);
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    late += status.has(Status::located_late);
    most = support::larger(most, engine.work().integrations);
    // It never gets away: what went too far is moved back, and thrown back there.
    ASSERT_GT(engine.state().q[0], 0.1 - 1e-9) << tick;
    ASSERT_LT(engine.state().q[0], 0.101 + 1e-9) << tick;
    ASSERT_NEAR(std::abs(engine.state().u[0]), 4.0, 1e-12) << "momentum turns about, energy stays";
  }
  EXPECT_GT(late, 100);
  EXPECT_LE(most, kTight.most_trials + 2 * kTight.most_events + 2);
  EXPECT_NEAR(engine.books().impact_loss, 0.0, 1e-9);

  Engine free(contact_model, {.step = 1e-3});
  free.set_state(initial(contact_model.model));
  for (int tick = 0; tick < 500; ++tick) {
    const Status status = free.step();
    ASSERT_TRUE(status.ok());
    ASSERT_FALSE(status.has(Status::located_late)) << "without a budget all events are where they are";
  }
  EXPECT_GT(free.books().impacts, 1900);
}

class Bounded : public testing::TestWithParam<const char*> {};

TEST_P(Bounded, AShippedModelRunsWithATightBudgetTheSameEachTime) {
  const ContactModel contact_model(model_named(GetParam()));
  const bool driven = std::string(GetParam()).starts_with("chain");
  struct Outcome {
    std::uint64_t hash = 0;
    long most = 0, events = 0;
    double energy = 0.0;
  };
  const auto run = [&](const Budget& budget) {
    Engine engine(contact_model, {.step = 1e-3, .budget = budget});
    engine.set_state(initial(contact_model.model));
    std::vector<double> tau(static_cast<std::size_t>(contact_model.terms.nv));
    Outcome outcome;
    for (int tick = 0; tick < 2500; ++tick) {
      for (std::size_t i = 0; driven && i < tau.size(); ++i)
        tau[i] = std::sin(9.0 * engine.state().t + static_cast<double>(i));
      const Status status = engine.step({.tau = tau});
      EXPECT_TRUE(status.ok()) << GetParam() << ": " << engine.explain(status);
      if (!status.ok()) break;
      outcome.most = support::larger(outcome.most, engine.work().integrations);
      for (const double x : engine.state().q)
        outcome.hash = (outcome.hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3ull;
    }
    outcome.events = engine.books().events;
    return outcome;
  };
  const Outcome first = run(kTight), second = run(kTight), generous = run({});
  EXPECT_EQ(first.hash, second.hash) << "counted in integrations: no clock decides";
  EXPECT_LE(first.most, kTight.most_trials + 2 * kTight.most_events + 2);
  EXPECT_GT(first.events, 0);
  EXPECT_GT(generous.events, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Bounded,
                         testing::Values("ramp_drop", "box_drop", "newtons_cradle", "chain_in_enclosure",
                                         "chain_in_enclosure_rigid", "peg_in_hole", "latch", "escapement"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Budget, AllThatCanTouchRestsInTheEnd) {
  // Bouncing to rest under a budget of one event per tick ends where it ends without: on the floor.
  const ContactModel contact_model(model_named("box_drop"));
  Engine engine(contact_model,
                {.step = 1e-3, .budget = {.most_events = 1, .most_trials = 0, .most_rounds = 2}});
  engine.set_state(initial(contact_model.model));
  for (int tick = 0; tick < 4000; ++tick) {
    const Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
  }
  for (const double u : engine.state().u) EXPECT_NEAR(u, 0.0, 1e-9);
  std::size_t touching = 0;
  for (const Touch& touch : engine.touches()) {
    touching += touch.touching();
    EXPECT_GT(touch.motion.gap, -1e-9);
  }
  EXPECT_GE(touching, 2u);
}

/// Everything of an engine that can be seen.
std::vector<double> face_of(const Engine& engine) {
  std::vector<double> face{engine.state().t,
                           engine.books().impact_loss,
                           engine.books().friction_loss,
                           static_cast<double>(engine.books().impacts),
                           static_cast<double>(engine.books().events),
                           static_cast<double>(engine.books().substeps),
                           static_cast<double>(engine.books().jams)};
  face.insert(face.end(), engine.state().q.begin(), engine.state().q.end());
  face.insert(face.end(), engine.state().u.begin(), engine.state().u.end());
  for (const Touch& touch : engine.touches()) {
    face.push_back(static_cast<double>(touch.mode));
    face.push_back(static_cast<double>(touch.id));
    face.push_back(touch.slip[0]);
    face.push_back(touch.motion.gap);
  }
  return face;
}

TEST(Trouble, LeavesEverythingAsItWasBeforeTheTick) {
  // A push of NaN ends the step; with the push taken away the motion goes on as if it had never been.
  for (const char* name : {"ramp_drop", "box_drop", "chain_in_enclosure", "latch"}) {
    const ContactModel contact_model(model_named(name));
    Engine engine(contact_model), alone(contact_model);
    engine.set_state(initial(contact_model.model));
    alone.set_state(initial(contact_model.model));
    const std::vector<double> nonsense(static_cast<std::size_t>(contact_model.terms.nv), std::nan(""));
    for (int tick = 0; tick < 600; ++tick) {
      if (tick % 3 == 0) {
        const std::vector<double> before = face_of(engine);
        const Status status = engine.step({.tau = nonsense});
        ASSERT_FALSE(status.ok()) << name;
        ASSERT_EQ(face_of(engine), before) << name << " at tick " << tick;
      }
      ASSERT_TRUE(engine.step().ok()) << name;
      ASSERT_TRUE(alone.step().ok()) << name;
      ASSERT_EQ(face_of(engine), face_of(alone)) << name << " at tick " << tick;
    }
  }
}

TEST(Trouble, OfAnInputThatDoesNotFitIsAStatus) {
  const ContactModel contact_model(model_named("ramp_drop"));
  Engine engine(contact_model);
  engine.set_state(initial(contact_model.model));
  const std::vector<double> before = face_of(engine), many(99, 1.0);
  EXPECT_EQ(engine.step({.tau = many}), Status(Status::bad_input));
  EXPECT_EQ(engine.step({.wrench = many}), Status(Status::bad_input));
  EXPECT_EQ(face_of(engine), before);
  EXPECT_FALSE(engine.explain(Status::bad_input).empty());
  static_assert(noexcept(engine.step()));
}

TEST(Trouble, OfChatterIsTakenBackWithTheMemoryOfItsCrowd) {
  // The transitions of a jammed latch follow each other without time going by; a snapshot taken on the way has
  // their names.
  const ContactModel contact_model(describe::load_text(R"(
name: brake
bodies: {rod: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}}
joints: {a: {type: revolute, parent: world, child: rod, axis: -y}}
constraints:
  left: {type: rates, equations: [a_dot], active: false}
  right: {type: rates, equations: [a_dot], active: false}
transitions:
  grips: {when: a < -0.2, activate: left, once: true}
  rightwards: {when: abs(force.left) > 0.1, if_active: left, release: left, activate: right}
  leftwards: {when: abs(force.right) > 0.1, if_active: right, release: right, activate: left}
)",
                                                       "brake"));
  Engine engine(contact_model);
  engine.set_state(initial(contact_model.model));
  Status status;
  std::vector<double> before;
  while (status.ok() && engine.state().t < 1.0) {
    before = face_of(engine);
    status = engine.step();
  }
  ASSERT_TRUE(status.has(Status::chattering));
  EXPECT_EQ(face_of(engine), before);
  EXPECT_FALSE(engine.is_active(0)) << "the grip itself was part of the step";
  EXPECT_NE(engine.explain(status).find("`rightwards`"), std::string::npos) << engine.explain(status);
  EXPECT_EQ(engine.step(), status) << "the same again";
}

TEST(Trouble, ASnapshotGoesOnInAnotherEngineWithTheSameBits) {
  for (const simulate::Integrator integrator :
       {simulate::Integrator::rk4, simulate::Integrator::implicit, simulate::Integrator::adaptive}) {
    const ContactModel contact_model(model_named("ramp_drop"));
    const EngineOptions options{.step = 1e-3, .integrator = integrator};
    Engine engine(contact_model, options), other(contact_model, options);
    engine.set_state(initial(contact_model.model));
    Snapshot snapshot = engine.make_snapshot();
    for (int tick = 0; tick < 1200; ++tick) {
      ASSERT_TRUE(engine.step().ok());
      if (tick % 100 == 37) {
        engine.save(snapshot);
        other.load(snapshot);
      } else if (tick > 37) {
        ASSERT_TRUE(other.step().ok());
        ASSERT_EQ(other.state().q, engine.state().q) << tick;
        ASSERT_EQ(other.state().u, engine.state().u) << tick;
        ASSERT_EQ(other.books().impact_loss, engine.books().impact_loss);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::contact
