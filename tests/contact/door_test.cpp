// What is asked of mechanisms at the door that they cannot do, or that another would do otherwise: snapshots of other
// mechanisms, requests whose tick fails, options that make no sense, pushes on what lies on the floor.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/contact/mechanism/event_mechanism.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "contact/slider_model.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;
using simulate::PortWrench;
using simulate::Status;
using simulate::Tick;

describe::Model model_named(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

OpenOptions with(Integrator integrator) {
  OpenOptions options;
  options.integrator = integrator;
  return options;
}
OpenOptions by_stepping() {
  OpenOptions options;
  options.contact = OpenOptions::Contact::stepping;
  return options;
}
OpenOptions with_room(std::size_t most, OpenOptions options = {}) {
  options.most_contacts = most;
  return options;
}
OpenOptions with_step(double step) {
  OpenOptions options;
  options.step = step;
  return options;
}

// Snapshots.

TEST(Snapshots, OutliveTheMechanismThatMadeThem) {
  std::unique_ptr<simulate::Snapshot> snapshot;
  simulate::State there;
  {
    const std::unique_ptr<Mechanism> first = open(model_named("box_drop"));
    for (int tick = 0; tick < 800; ++tick) ASSERT_TRUE(first->step().ok());
    snapshot = first->make_snapshot();
    for (int tick = 0; tick < 50; ++tick) ASSERT_TRUE(first->step().ok());
    there = first->state();
  }
  const std::unique_ptr<Mechanism> second = open(model_named("box_drop"));
  ASSERT_TRUE(second->load(*snapshot));
  const auto& inside = dynamic_cast<const EventMechanism&>(*second);
  ASSERT_FALSE(inside.engine().touches().empty());
  for (const Touch& touch : inside.engine().touches())  // laws of its own model
    EXPECT_EQ(touch.law,
              &inside.contact_model().model.contact.pairs[static_cast<std::size_t>(touch.pair)].law);
  for (int tick = 0; tick < 50; ++tick) ASSERT_TRUE(second->step().ok());
  EXPECT_EQ(second->state().q, there.q);
  EXPECT_EQ(second->state().u, there.u);
}

TEST(Snapshots, OfOtherMechanismsAreRefusedAndChangeNothing) {
  struct Other {
    std::string from, to;
    OpenOptions from_options{}, to_options{};
  };
  OpenOptions multipliers;
  multipliers.constraints.formulation = simulate::Formulation::multipliers;
  OpenOptions adjustable;
  adjustable.adjustable = {"m"};
  const std::vector<Other> others{{"box_drop", "box_drop", {}, with(Integrator::adaptive)},
                                  {"box_drop", "box_drop", {}, with(Integrator::implicit)},
                                  {"box_drop", "box_drop", with(Integrator::adaptive), {}},
                                  {"box_drop", "box_drop", {}, with_room(40)},
                                  {"box_drop", "box_drop", {}, with_step(1e-4)},
                                  {"box_drop", "box_drop", {}, adjustable},
                                  {"box_drop", "box_drop", {}, by_stepping()},
                                  {"box_drop", "chain_in_enclosure_rigid"},  // as many coordinates
                                  {"chain_in_enclosure_rigid", "chain_in_enclosure"},
                                  {"four_bar", "planar_3r"},
                                  {"planar_3r", "four_bar"},
                                  {"four_bar", "four_bar", {}, with(Integrator::implicit)},
                                  {"four_bar", "four_bar", {}, multipliers},
                                  {"box_stack", "box_stack", with_room(400), with_room(500)},
                                  {"box_drop", "chain_in_enclosure_rigid", by_stepping(), by_stepping()}};
  for (const Other& other : others) {
    const std::unique_ptr<Mechanism> from = open(model_named(other.from), other.from_options);
    for (int tick = 0; tick < 300; ++tick) ASSERT_TRUE(from->step().ok());
    const std::unique_ptr<simulate::Snapshot> snapshot = from->make_snapshot();
    const std::unique_ptr<Mechanism> to = open(model_named(other.to), other.to_options),
                                     alone = open(model_named(other.to), other.to_options);
    ASSERT_TRUE(to->step().ok() && alone->step().ok());
    EXPECT_FALSE(to->load(*snapshot)) << other.from << " -> " << other.to;
    EXPECT_FALSE(to->save(*snapshot)) << other.from << " -> " << other.to;
    for (int tick = 0; tick < 20; ++tick) ASSERT_TRUE(to->step().ok() && alone->step().ok());
    EXPECT_EQ(to->state().q, alone->state().q);
    EXPECT_EQ(to->state().u, alone->state().u);
    EXPECT_TRUE(from->load(*snapshot));
  }
}

TEST(Snapshots, OfAModelWithOtherNumbersAreRefused) {
  const std::string path = support::source_dir() + "/models/box_drop.yaml";
  const std::unique_ptr<Mechanism> light = open(describe::load(path)),
                                   heavy = open(describe::load(path, {{"m", "3"}})),
                                   again = open(describe::load(path));
  EXPECT_FALSE(heavy->load(*light->make_snapshot()));
  EXPECT_TRUE(again->load(*light->make_snapshot()));
}

// Requests, in all engines.

struct Engine3 {
  std::string name;
  std::string more;  // of the slider's model
  OpenOptions options{};
};
std::vector<Engine3> engines() {
  return {{"smooth", ""},
          {"events", "contact: {stops: {restitution: 0}}\n"},
          {"stepping", "contact: {stops: {restitution: 0}}\n", by_stepping()}};
}

constexpr int kHeld = 0, kOther = 1;  // constraints of the slider

class Requesting : public ::testing::TestWithParam<Engine3> {
 protected:
  static std::unique_ptr<Mechanism> slider_at(double q, double u) {
    std::unique_ptr<Mechanism> mechanism = open(slider(GetParam().more), GetParam().options);
    EXPECT_EQ(name_of(mechanism->kind()), GetParam().name);
    mechanism->set_state({.t = 0.0, .q = {q}, .u = {u}, .momentum = {}});
    return mechanism;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Requesting, ::testing::ValuesIn(engines()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Requesting, WaitsThroughTicksThatFail) {
  const std::unique_ptr<Mechanism> mechanism = slider_at(0.0, 1.0);
  for (int tick = 0; tick < 5; ++tick) ASSERT_TRUE(mechanism->step().ok());
  ASSERT_TRUE(mechanism->request(kOther, true));
  const simulate::State before = mechanism->state();
  const std::vector<double> nan{std::nan("")};
  EXPECT_TRUE(mechanism->step({.tau = nan}).status.has(Status::bad_input));
  const std::vector<double> wrench(6, 0.0);  // the script has none
  EXPECT_FALSE(mechanism->step({.wrench = wrench}).ok());
  EXPECT_FALSE(mechanism->is_active(kOther));
  EXPECT_EQ(mechanism->state().u, before.u);
  EXPECT_EQ(mechanism->waiting_requests().size(), 1u);
  EXPECT_TRUE(mechanism->step().status == Status());
  EXPECT_TRUE(mechanism->is_active(kOther));
  EXPECT_TRUE(mechanism->waiting_requests().empty());
  EXPECT_NEAR(mechanism->state().u[0], 0.0, 1e-12);  // caught: rounding of 1 m/s
}

TEST_P(Requesting, CanBeTakenBack) {
  const std::unique_ptr<Mechanism> mechanism = slider_at(0.0, 1.0);
  ASSERT_TRUE(mechanism->request(kOther, true));
  mechanism->drop_requests();
  ASSERT_TRUE(mechanism->step().ok());
  EXPECT_FALSE(mechanism->is_active(kOther));
}

TEST_P(Requesting, BelongsToTheSnapshot) {
  const std::unique_ptr<Mechanism> one = slider_at(0.0, 1.0), two = slider_at(0.05, 0.5);
  ASSERT_TRUE(one->step().ok());
  ASSERT_TRUE(one->request(kOther, true));
  ASSERT_TRUE(two->request(kHeld, true));
  const std::unique_ptr<simulate::Snapshot> snapshot = one->make_snapshot();
  ASSERT_TRUE(two->load(*snapshot));
  ASSERT_TRUE(one->step().ok() && two->step().ok());
  EXPECT_TRUE(two->is_active(kOther));
  EXPECT_FALSE(two->is_active(kHeld));
  EXPECT_EQ(one->state().q, two->state().q);
}

TEST_P(Requesting, TakesWhatIsOffByLittleAndNoMore) {
  const auto fits = [](double off) {
    const std::unique_ptr<Mechanism> mechanism = slider_at(0.1 + off, 0.0);
    EXPECT_TRUE(mechanism->request(kHeld, true));
    const Tick tick = mechanism->step();
    EXPECT_TRUE(tick.ok());
    EXPECT_EQ(tick.status.has(Status::request_refused), !mechanism->is_active(kHeld));
    return mechanism->is_active(kHeld);
  };
  EXPECT_TRUE(fits(0.5 * simulate::kLatchLimit));
  EXPECT_FALSE(fits(2.0 * simulate::kLatchLimit));
  EXPECT_FALSE(fits(-5.0 * simulate::kLatchLimit));
}

TEST_P(Requesting, TakesNoMemoryTheFirstTime) {
  const std::unique_ptr<Mechanism> mechanism = slider_at(0.0, 1.0);
  const long before = test::allocation_count_of_this_thread();
  const bool taken = mechanism->request(kOther, true) && mechanism->step().ok();
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_TRUE(taken);
}

TEST_P(Requesting, IsForgottenByANewStateAndSoIsWhatWasSwitched) {
  const std::unique_ptr<Mechanism> mechanism = slider_at(0.0, 1.0);
  ASSERT_TRUE(mechanism->set_active(kOther, true));
  ASSERT_TRUE(mechanism->request(kHeld, true));
  mechanism->set_state({.t = 0.0, .q = {0.1}, .u = {1.0}, .momentum = {}});
  EXPECT_FALSE(mechanism->is_active(kOther));
  EXPECT_EQ(mechanism->state().u[0], 1.0);
  ASSERT_TRUE(mechanism->step().ok());
  EXPECT_FALSE(mechanism->is_active(kHeld));
}

// Trouble in a step in which nothing touches, with an integrator that learns.
TEST(QuietSteps, ThatFailLeaveWhatTheIntegratorHasLearnt) {
  const std::unique_ptr<Mechanism> one = open(model_named("box_drop"), with(Integrator::adaptive)),
                                   two = open(model_named("box_drop"), with(Integrator::adaptive));
  for (int tick = 0; tick < 20; ++tick) ASSERT_TRUE(one->step().ok() && two->step().ok());
  for (const double size : {1e300, 1e30, 1e14}) {
    const std::vector<double> tau(one->nv(), size);
    EXPECT_FALSE(one->step({.tau = tau}).ok()) << size;
  }
  for (int tick = 0; tick < 200; ++tick) ASSERT_TRUE(one->step().ok() && two->step().ok());
  EXPECT_EQ(one->state().q, two->state().q);
  EXPECT_EQ(one->state().u, two->state().u);
}

// Pushes on what touches: two engines, one answer.

/// [1/kg] The solver of stepping finds who sticks and slides; the answer about it is exact to rounding, but for contacts
/// that it holds some 1e-6 m off.
constexpr double kSameMobility = 1e-5;

std::string box_on_a_floor(double friction, double speed) {
  return "name: box\n"
         "bodies:\n"
         "  world: {geometry: [{shape: plane, name: floor, size: [4, 1], contact: true}]}\n"
         "  box: {mass: 2, inertia: [0.01, 0.02, 0.01], geometry: [{shape: box, size: [0.4, 0.2, 0.2], "
         "contact: true}]}\n"
         "joints: {p: {type: planar, parent: world, child: box, axes: [x, z]}}\n"
         "contact:\n"
         "  defaults: {restitution: 0, friction: " +
         std::to_string(friction) + "}\ninitial: {q: {p.y: 0.1}, u: {p.x: " + std::to_string(speed) + "}}\n";
}

TEST(Pushes, OnABoxThatLiesAreAnsweredAlikeByBothEngines) {
  for (const double friction : {0.0, 0.3})
    for (const double speed : {0.0, 2.0}) {
      const describe::Model model = describe::load_text(box_on_a_floor(friction, speed), "box");
      const std::unique_ptr<Mechanism> events = open(model), steps = open(model, by_stepping());
      for (int tick = 0; tick < 50; ++tick) ASSERT_TRUE(events->step().ok() && steps->step().ok());
      std::array<double, 36> by_events, by_steps;
      events->mobility(0, by_events);
      steps->mobility(0, by_steps);
      EXPECT_LT(support::difference(by_events, by_steps), kSameMobility) << friction << " " << speed;
      EXPECT_NEAR(by_steps[35], 0.0, kSameMobility);  // the floor
      const bool sticks = friction > 0.0 && speed == 0.0;
      EXPECT_NEAR(by_steps[21], sticks ? 0.0 : 0.5, kSameMobility);  // 1/m along the floor
      EXPECT_LT(support::difference(events->accelerations(), steps->accelerations()),
                1e-3);  // 1e-4 of weight
    }
}

TEST(Pushes, OnAStopAreAnsweredAlikeByBothEngines) {
  const describe::Model model = slider("contact: {stops: {restitution: 0}}\n");
  const std::vector<double> towards{3.0};
  for (const OpenOptions& options : {OpenOptions{}, by_stepping()}) {
    const std::unique_ptr<Mechanism> mechanism = open(model, options);
    EXPECT_NEAR(mechanism->apparent_mass(0, {1.0, 0.0, 0.0}), 2.0, 1e-9);  // free: its own mass
    mechanism->set_state({.t = 0.0, .q = {0.3}, .u = {0.0}, .momentum = {}});
    for (int tick = 0; tick < 3; ++tick) ASSERT_TRUE(mechanism->step({.tau = towards}).ok());
    EXPECT_NEAR(mechanism->accelerations()[0], 0.0, 1e-6);  // of 1.5 m/s^2 without the stop
    EXPECT_GT(mechanism->apparent_mass(0, {1.0, 0.0, 0.0}), 1e6);
  }
}

/// What a tick does, and what was said that it would do.
TEST(Pushes, OnAStackDoWhatTheMobilitySays) {
  const std::unique_ptr<Mechanism> stack = open(model_named("box_stack"));
  for (int tick = 0; tick < 1500; ++tick) ASSERT_TRUE(stack->step().ok());
  const std::unique_ptr<simulate::Snapshot> here = stack->make_snapshot();
  const int top = static_cast<int>(stack->ports().size()) - 1;
  std::array<double, 36> A;
  stack->mobility(top, A);
  // The stack lies: no small push moves its topmost box, by the mobility as by a tick; a free box answers with 1/m = 1.
  EXPECT_LT(support::largest(A), 1e-6);
  const simulate::PortMotion rest = stack->motion(top);
  PortWrench push{top, {0.0, 0.0, 0.0, 0.01, 0.0, -0.01}};
  ASSERT_TRUE(stack->load(*here));
  ASSERT_TRUE(stack->step({.ports = {&push, 1}}).ok());
  EXPECT_LT(support::difference(stack->motion(top).V_WP, rest.V_WP),
            0.1 * 0.01 * 1e-3);  // a tenth of f h / m
}

TEST(Pushes, AskingChangesNoStep) {
  const std::unique_ptr<Mechanism> looked = open(model_named("box_stack")),
                                   plain = open(model_named("box_stack"));
  std::array<double, 36> A;
  for (int tick = 0; tick < 120; ++tick) {
    ASSERT_TRUE(looked->step().ok() && plain->step().ok());
    looked->mobility(0, A);
    looked->accelerations();
    looked->acceleration(0);
  }
  EXPECT_EQ(looked->state().q, plain->state().q);
  EXPECT_EQ(looked->state().u, plain->state().u);
}

/// A force that is not a number where it begins is the script's, and the words say so.
TEST(Scripts, WithAForceThatIsNoNumberAreNamed) {
  OpenOptions options;
  options.script_text = "tau: {p.x: \"1/t\"}\n";
  try {
    open(model_named("box_drop"), options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("force at joint 'p.x'"), std::string::npos) << error.what();
  }
  options.contact = OpenOptions::Contact::stepping;
  const std::unique_ptr<Mechanism> steps = open(model_named("box_drop"), options);
  const Tick tick = steps->step();
  ASSERT_FALSE(tick.ok());
  EXPECT_NE(steps->explain(tick.status).find("force at joint 'p.x'"), std::string::npos);
}

// Options.

TEST(OpenOptionsOf, AnyEngineAreCheckedBeforeItIsMade) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const auto refused = [](const OpenOptions& options) {
    for (const std::string model : {"four_bar", "box_drop", "box_stack"}) {
      EXPECT_THROW(open(model_named(model), options), InputError) << model;
    }
  };
  for (const double step : {0.0, -1e-3, 1e-18, nan, infinite}) refused(with_step(step));
  for (const double limit : {0.0, -1.0, nan, infinite}) {
    OpenOptions options;
    options.constraint_limit = limit;
    refused(options);
  }
  for (const double tolerance : {-1.0, 1.0, nan, infinite}) {
    OpenOptions options;
    options.tolerances.relative = tolerance;
    refused(options);
  }
  for (const double tolerance : {-1.0, 0.0, nan, infinite}) {
    OpenOptions options;
    options.tolerances.absolute = tolerance;
    refused(options);
  }
  OpenOptions budget;
  budget.budget.most_events = -1;
  refused(budget);
  for (const double time : {-1.0, nan, infinite}) {
    OpenOptions options;
    options.sleep_after = time;
    refused(options);
  }
}

TEST(OpenOptionsOf, RoomForAbsurdlyManyContactsAreRefused) {
  EXPECT_THROW(open(model_named("box_drop"), with_room(100000)), InputError);
  EXPECT_THROW(open(model_named("box_stack"), with_room(1000000000)), InputError);
}

TEST(OpenOptionsOf, NoUseAreNoted) {
  OpenOptions options;
  options.look_ahead = true;
  options.sleep_after = 0.5;
  OpenReport smooth, events, stepping;
  open(model_named("four_bar"), options, &smooth);
  open(model_named("box_drop"), options, &events);
  open(model_named("box_stack"), options, &stepping);
  EXPECT_EQ(smooth.notes.size(), 2u);
  EXPECT_EQ(events.notes.size(), 1u);    // no sleep
  EXPECT_EQ(stepping.notes.size(), 1u);  // no look ahead
}

TEST(OpenOptionsOf, SleepStopWhatLies) {
  OpenOptions options;
  options.sleep_after = 0.1;
  const std::unique_ptr<Mechanism> stack = open(model_named("box_stack"), options);
  for (int tick = 0; tick < 1500; ++tick) ASSERT_TRUE(stack->step().ok());
  const simulate::State before = stack->state();
  EXPECT_EQ(support::largest(before.u), 0.0);
  ASSERT_TRUE(stack->step().ok());
  EXPECT_EQ(stack->state().q, before.q);
  // A push is answered as if awake, and wakes.
  const int top = static_cast<int>(stack->ports().size()) - 1;
  std::array<double, 36> A;
  stack->mobility(top, A);
  EXPECT_LT(support::largest(A), 1e-6);
  const PortWrench pull{top, {0.0, 0.0, 0.0, 0.0, 0.0, 1000.0}};
  ASSERT_TRUE(stack->step({.ports = {&pull, 1}}).ok());
  EXPECT_GT(support::largest(stack->state().u), 0.1);
}

}  // namespace
}  // namespace tactus::contact
