// Energy before + work = energy after + losses, in scenes that once broke it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <tactus/contact/events/energy_watch.h>
#include <tactus/contact/events/engine.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "balance.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

/// Of the energy in play: what integrators and quadratures may leave of a motion by events.
constexpr double kBalanced = 1e-6;
/// [J] Of closed forms, at energies of some joules.
constexpr double kExact = 1e-9;

describe::Model scene(const std::string& name) {
  return describe::load(support::source_dir() + "/tests/contact/scenes/" + name + ".yaml");
}

/// Runs by events and asks for the balance after every tick.
void expect_balance(const describe::Model& model, double duration, const std::string& what) {
  const auto mechanism =
      open(model, {.contact = OpenOptions::Contact::events, .rederive = Rederivation::never});
  const double before = sum_of(*mechanism);
  while (mechanism->state().t < duration - 0.5 * mechanism->step_length()) {
    const simulate::Tick tick = mechanism->step();
    ASSERT_TRUE(tick.ok()) << what << ": " << mechanism->explain(tick.status);
    const double off = std::abs(sum_of(*mechanism) - before), play = mechanism->books().in_play;
    ASSERT_TRUE(off <= kBalanced * play + kExact)
        << what << ": off by " << off << " J of " << play << " J in play at t = " << mechanism->state().t;
  }
}

TEST(Books, BalanceInScenesThatOnceMadeOrLostEnergy) {
  for (const char* name : {"energy_jump_events", "energy_jump_minimal", "energy_balance_planar_s08",
                           "energy_balance_planar_s14", "cylinder_flat", "cylinder_flat_e05",
                           "free_cylinder_24", "free_cylinder_7", "start_impact", "stops5", "painleve2"})
    expect_balance(scene(name), 1.0, name);
}

TEST(Books, BalanceWhereCylindersFallFlat) {
  constexpr int kAngles = 12;
  for (const double restitution : {0.0, 0.5, 0.8})
    for (int k = 0; k < kAngles; ++k) {
      const double angle = 0.15 + 1.3 * k / kAngles;
      const std::string text = fmt::format(R"(
name: cylinder
bodies:
  world: {{geometry: [{{shape: plane, size: [4, 4], contact: true}}]}}
  b: {{mass: 1, inertia: [0.00146, 0.00146, 0.00125], geometry: [{{shape: cylinder, radius: 0.05, length: 0.1, contact: true}}]}}
joints: {{j: {{type: planar, parent: world, child: b, axes: [x, z]}}}}
contact: {{defaults: {{restitution: {}, friction: 0.3}}}}
initial: {{q: {{j.y: 0.2, j.angle: {}}}}}
)",
                                           restitution, angle);
      expect_balance(describe::load_text(text, "cylinder"), 0.6,
                     fmt::format("e = {}, {} rad", restitution, angle));
    }
}

/// The fastest approach [m/s] of an impact after the first.
double fastest_after_the_first(const describe::Model& model) {
  const ContactModel contact_model(model);
  Engine engine(contact_model);
  engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  double first = -1.0, fastest = 0.0;
  while (engine.state().t < 0.5) {
    if (!engine.step().ok()) return std::nan("");
    for (const Event& event : engine.events()) {
      if (event.kind != EventKind::impact) continue;
      if (first < 0.0) first = event.t;
      if (event.t > first) fastest = support::larger(fastest, -event.approach);
    }
  }
  return fastest;
}

TEST(Books, ACylinderThatTipsOverStrikesAsItsSectionDoes) {
  // In the plane of its axis it is a box: the same motion, until a flat end or side lies on the floor.
  const double cylinder = fastest_after_the_first(scene("cylinder_flat"));
  const double box = fastest_after_the_first(describe::load_text(R"(
name: box
bodies:
  world: {geometry: [{shape: plane, size: [4, 4], contact: true}]}
  b: {mass: 1, inertia: [0.00146, 0.00146, 0.00125], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
joints: {j: {type: planar, parent: world, child: b, axes: [x, z]}}
contact: {defaults: {restitution: 0, friction: 0.3}}
initial: {q: {j.y: 0.2, j.angle: 0.33}}
)",
                                                                 "box"));
  EXPECT_GT(box, 1.0);
  EXPECT_NEAR(cylinder, box, 1e-3);  // points stand in for the rim within 0.0005 rad of lying flat
}

TEST(Books, HaveTheImpactAtTheStart) {
  // 1 kg at 3 m/s against the floor, e = 1/2: 4.5 J become 1.125 J; it lies 0.1 m high.
  const auto mechanism = open(scene("start_impact"), {.contact = OpenOptions::Contact::events});
  EXPECT_NEAR(mechanism->books().impact_loss, 4.5 - 1.125, kExact);
  EXPECT_NEAR(mechanism->energies().kinetic, 1.125, kExact);
  EXPECT_NEAR(sum_of(*mechanism), 4.5 + 0.981, kExact);
}

TEST(Books, HaveTheLossOfPainlevesJump) {
  const auto mechanism = open(scene("painleve2"), {.contact = OpenOptions::Contact::events});
  const double before = sum_of(*mechanism);
  ASSERT_NEAR(before, 0.5 * 25.0 + 9.81 * (0.5 * std::cos(std::numbers::pi / 6.0) + 1e-3), kExact);
  while (mechanism->state().t < 0.9995) ASSERT_TRUE(mechanism->step().ok());
  EXPECT_NEAR(mechanism->energies().kinetic, 0.0, kExact);  // it lies
  EXPECT_NEAR(mechanism->books().impact_loss + mechanism->books().friction_loss,
              before - mechanism->energies().potential, kBalanced * before);
}

TEST(Books, OfAFailedTickAreThoseBeforeIt) {
  const describe::Model model = scene("cylinder_flat_e05");
  const ContactModel contact_model(model);
  Engine engine(contact_model, {.most_events_per_step = 2});
  engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  Status status;
  State before = engine.state();
  Books books = engine.books();
  while (status.ok() && engine.state().t < 1.0) {
    before = engine.state();
    books = engine.books();
    status = engine.step();
  }
  ASSERT_TRUE(status.has(Status::too_many_events));
  EXPECT_EQ(engine.state().t, before.t);
  EXPECT_EQ(engine.state().q, before.q);
  EXPECT_EQ(engine.state().u, before.u);
  EXPECT_EQ(engine.books().impact_loss, books.impact_loss);
  EXPECT_EQ(engine.books().friction_loss, books.friction_loss);
  EXPECT_EQ(engine.books().imbalance, books.imbalance);
  EXPECT_EQ(engine.books().events, books.events);
}

TEST(EnergyWatch, SeesEnergyThatNothingExplains) {
  const describe::Model model = scene("start_impact");
  const ContactModel contact_model(model);
  EnergyWatch watch(contact_model);
  State state{.t = 0.0, .q = {1.0}, .u = {-2.0}, .momentum = {}};
  watch.begin(state);
  Books books;
  ASSERT_FALSE(watch.begin_tick(state, false, books));
  using Weight = EnergyWatch::Weight;
  State fallen = state;  // free fall of a millisecond
  fallen.t = 1e-3;
  fallen.q[0] += 1e-3 * -2.0 - 0.5 * 9.81e-6;
  fallen.u[0] -= 9.81e-3;
  EXPECT_EQ(watch.weigh(state, fallen, {}, {}, books), Weight::balances);
  State faster = fallen;
  faster.u[0] *= 1.01;
  EXPECT_EQ(watch.weigh(state, faster, {}, {}, books), Weight::off);
  faster.u[0] = std::nan("");
  EXPECT_EQ(watch.weigh(state, faster, {}, {}, books), Weight::off);
  // Friction that gives.
  EXPECT_EQ(watch.weigh(state, fallen, {.friction = -50.0}, {.friction = -50.0}, books), Weight::off);
  EXPECT_TRUE(watch.end_tick(fallen, 0.0, false, books));
  ASSERT_FALSE(watch.begin_tick(fallen, false, books));
  faster = fallen;
  faster.u[0] *= 1.01;
  EXPECT_FALSE(watch.end_tick(faster, 0.0, false, books));
  EXPECT_NEAR(watch.imbalance(), 0.5 * (1.01 * 1.01 - 1.0) * fallen.u[0] * fallen.u[0], kExact);
}

TEST(EnergyWatch, SeesAnImpactThatGivesEnergy) {
  const describe::Model model = scene("start_impact");
  const ContactModel contact_model(model);
  EnergyWatch watch(contact_model);
  const State state{.t = 0.0, .q = {1.0}, .u = {-2.0}, .momentum = {}};
  watch.begin(state);
  Books books;
  ASSERT_FALSE(watch.begin_tick(state, false, books));
  EXPECT_TRUE(watch.end_tick(state, 0.0, false, books));
  ASSERT_FALSE(watch.begin_tick(state, false, books));
  EXPECT_FALSE(watch.end_tick(state, -0.1, false, books));
}

}  // namespace
}  // namespace tactus::contact
