// Scenes that events cannot carry go on by whole steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

/// [m] Overlap and drift that stepping leaves in piles at rest.
constexpr double kAtRest = 2e-4;

describe::Model scene(const std::string& name) {
  return describe::load(support::source_dir() + "/tests/contact/scenes/" + name + ".yaml");
}

TEST(HandOver, CarriesPilesOfBoxesToRest) {
  for (const char* name : {"sd3", "sd4", "stack_ev"}) {
    const auto mechanism = open(scene(name), {.hand_over = true});
    while (mechanism->state().t < 0.9995) {
      const simulate::Tick tick = mechanism->step();
      ASSERT_TRUE(tick.ok()) << name << ": " << mechanism->explain(tick.status);
    }
    EXPECT_LT(mechanism->energies().kinetic, 1e-6) << name;
    for (std::size_t body = 0; body < mechanism->nv() / 6; ++body)
      EXPECT_NEAR(mechanism->state().q[7 * body + 2], 0.1 * static_cast<double>(body) + 0.05, kAtRest)
          << name;
  }
}

TEST(HandOver, CarriesATonOnAGram) {
  // A million between the masses, falling. [m] What lies overlaps by no more; [J] of 490 J that the fall gives.
  constexpr double kOverlap = 1e-6, kEnergy = 1e-3;
  for (const OpenOptions::Contact contact : {OpenOptions::Contact::events, OpenOptions::Contact::stepping})
    for (const double step : {1e-3, 1e-4}) {
      const auto mechanism = open(scene("heavy"), {.step = step, .contact = contact, .hand_over = true});
      while (mechanism->state().t < 1.0 - 0.5 * step) {
        const simulate::Tick tick = mechanism->step();
        ASSERT_TRUE(tick.ok()) << mechanism->explain(tick.status);
      }
      EXPECT_LT(mechanism->books().deepest, kOverlap) << step;
      const simulate::Energies end = mechanism->energies();
      EXPECT_NEAR(end.kinetic + end.potential, 9.81 * (1000.0 * 0.15 + 0.001 * 0.05), kEnergy) << step;
    }
}

TEST(HandOver, SaysWhenAndWhy) {
  OpenOptions options{.hand_over = true};
  const auto mechanism = open(scene("stack_ev"), options);
  EXPECT_EQ(mechanism->kind(), simulate::EngineKind::events);
  EXPECT_TRUE(mechanism->statistics().hand_over_reason.empty());
  double last_by_events = 0.0;
  while (mechanism->state().t < 0.4995) {
    ASSERT_TRUE(mechanism->step().ok());
    if (mechanism->kind() == simulate::EngineKind::events) last_by_events = mechanism->state().t;
  }
  ASSERT_EQ(mechanism->kind(), simulate::EngineKind::stepping);
  EXPECT_EQ(mechanism->statistics().hand_over_time, last_by_events);
  EXPECT_FALSE(mechanism->statistics().hand_over_reason.empty());
}

TEST(HandOver, TakesNoMemory) {
  const auto mechanism = open(scene("sd4"), {.rederive = Rederivation::never, .hand_over = true});
  while (mechanism->state().t < 0.4995) {
    const long before = test::allocation_count_of_this_thread();
    ASSERT_TRUE(mechanism->step().ok());
    ASSERT_EQ(test::allocation_count_of_this_thread(), before) << mechanism->state().t;
  }
  EXPECT_EQ(mechanism->kind(), simulate::EngineKind::stepping);
}

TEST(HandOver, IsToldByAnotherInstanceThatGoesOn) {
  const auto first = open(scene("sd4"), {.hand_over = true}),
             second = open(scene("sd4"), {.hand_over = true});
  while (first->kind() == simulate::EngineKind::events) ASSERT_TRUE(first->step().ok());
  const auto snapshot = first->make_snapshot();
  ASSERT_TRUE(second->load(*snapshot));
  EXPECT_EQ(second->statistics().hand_over_time, first->statistics().hand_over_time);
  EXPECT_EQ(second->statistics().hand_over_reason, first->statistics().hand_over_reason);
}

TEST(HandOver, KeepsTheBooks) {
  const auto mechanism = open(scene("sd4"), {.hand_over = true});
  const simulate::Energies before = mechanism->energies();
  double lost = 0.0;
  while (mechanism->state().t < 0.4995) {
    ASSERT_TRUE(mechanism->step().ok());
    const simulate::Books books = mechanism->books();
    EXPECT_GE(books.impact_loss + books.friction_loss, lost - 1e-6);  // [J] of 8 J: never forgotten
    lost = books.impact_loss + books.friction_loss;
  }
  const simulate::Energies after = mechanism->energies();
  EXPECT_NEAR(after.kinetic + after.potential + lost, before.kinetic + before.potential, 0.05);
}

TEST(HandOver, GoesOnFromASnapshotWithTheSameBits) {
  const auto first = open(scene("sd4"), {.hand_over = true}),
             second = open(scene("sd4"), {.hand_over = true});
  const auto early = first->make_snapshot();
  while (first->kind() == simulate::EngineKind::events) ASSERT_TRUE(first->step().ok());
  const auto late = first->make_snapshot();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(first->step().ok());
  ASSERT_TRUE(second->load(*late));
  EXPECT_EQ(second->kind(), simulate::EngineKind::stepping);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(second->step().ok());
  EXPECT_EQ(first->state().q, second->state().q);
  ASSERT_TRUE(first->load(*early));
  EXPECT_EQ(first->kind(), simulate::EngineKind::events);
  EXPECT_EQ(first->state().t, 0.0);
}

TEST(HandOver, IsForThoseWhoAskForIt) {
  const auto mechanism = open(scene("sd4"));
  EXPECT_EQ(mechanism->kind(), simulate::EngineKind::events);
  EXPECT_THROW(open(scene("sd4"), {.look_ahead = true, .hand_over = true}), InputError);
}

}  // namespace
}  // namespace tactus::contact
