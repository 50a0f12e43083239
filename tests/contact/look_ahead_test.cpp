// Looking ahead changes nothing but what is ready; enumeration has everything ready.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/rederive/enumerate.h>
#include <tactus/contact/rederive/look_ahead.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
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

/// Everything that moved, tick by tick.
std::vector<double> run(Engine& engine, int ticks, double drive, LookAhead* ahead, bool wait) {
  std::vector<double> course, tau(static_cast<std::size_t>(engine.contact_model().terms.nv));
  course.reserve(static_cast<std::size_t>(ticks) * 2 * engine.state().q.size() + 100);
  for (int tick = 0; tick < ticks; ++tick) {
    for (std::size_t i = 0; i < tau.size(); ++i)
      tau[i] = drive * std::sin(9.0 * engine.state().t + static_cast<double>(i));
    const long before = test::allocation_count_of_this_thread();
    const Status status = engine.step({.tau = tau});
    if (ahead != nullptr) ahead->offer(engine, {.tau = tau});
    EXPECT_EQ(test::allocation_count_of_this_thread(), before) << "at tick " << tick;
    EXPECT_TRUE(status.ok()) << engine.explain(status);
    if (!status.ok()) break;
    if (ahead != nullptr && wait) ahead->finish();
    course.insert(course.end(), engine.state().q.begin(), engine.state().q.end());
    course.insert(course.end(), engine.state().u.begin(), engine.state().u.end());
  }
  return course;
}

class Ahead : public testing::TestWithParam<const char*> {};

TEST_P(Ahead, TheMotionIsTheSameWithAndWithout) {
  const ContactModel contact_model(model_named(GetParam()));
  const bool driven = std::string(GetParam()).starts_with("chain");
  const auto course = [&](bool look, bool wait) {
    Engine engine(contact_model, {.step = 1e-3});
    engine.set_state(initial(contact_model.model));
    if (!look) return run(engine, 600, driven ? 1.0 : 0.0, nullptr, false);
    Rederiver rederiver(contact_model);
    LookAhead ahead(engine, rederiver);
    engine.attach(&rederiver);
    engine.follow(&ahead);
    return run(engine, 600, driven ? 1.0 : 0.0, &ahead, wait);
  };
  const std::vector<double> alone = course(false, false);
  EXPECT_EQ(course(true, false), alone);
  EXPECT_EQ(course(true, true), alone);
}

INSTANTIATE_TEST_SUITE_P(Models, Ahead,
                         testing::Values("ramp_drop", "newtons_cradle", "chain_in_enclosure",
                                         "chain_in_enclosure_rigid"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Ahead, EventsAreForeseenAndTheirCodeIsThere) {
  const ContactModel contact_model(model_named("ramp_drop"));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(initial(contact_model.model));
  Rederiver rederiver(contact_model);
  LookAhead ahead(engine, rederiver, {.horizon = 0.02, .every = 4});
  engine.attach(&rederiver);
  for (int tick = 0; tick < 2000; ++tick) {
    ASSERT_TRUE(engine.step().ok());
    ahead.offer(engine);
    ahead.finish();
    rederiver.finish();
  }
  const LookAheadStatistics& statistics = ahead.statistics();
  EXPECT_GT(statistics.ticks, 5) << "bounces, then slides, then rolls";
  EXPECT_EQ(statistics.foreseen, statistics.ticks);
  EXPECT_EQ(statistics.worst_error, 0.0) << "the same input, the same bits";
  EXPECT_EQ(engine.motion().paths().hits, engine.motion().paths().changes)
      << "none came unforeseen; while nothing touches there is nothing to make";
}

TEST(Ahead, AChangedInputIsCorrected) {
  // The prediction holds the input of its moment; what comes is decided by the input that comes.
  const ContactModel contact_model(model_named("stiff_wall"));
  Engine engine(contact_model, {.step = 1e-3}), alone(contact_model, {.step = 1e-3});
  engine.set_state(initial(contact_model.model));
  alone.set_state(initial(contact_model.model));
  Rederiver rederiver(contact_model);
  LookAhead ahead(engine, rederiver);
  engine.attach(&rederiver);
  for (int tick = 0; tick < 500; ++tick) {
    const std::vector<double> tau(static_cast<std::size_t>(contact_model.terms.nv),
                                  tick % 100 < 50 ? 40.0 : -40.0);
    ASSERT_TRUE(engine.step({.tau = tau}).ok());
    ASSERT_TRUE(alone.step({.tau = tau}).ok());
    ahead.offer(engine, {.tau = tau});
    ASSERT_EQ(engine.state().q, alone.state().q);
    ASSERT_EQ(engine.state().u, alone.state().u);
  }
}

TEST(Ahead, ATickThatWasForeseenIsTakenOverWithTheSameBits) {
  // The input is held for 50 ticks at a time: what was looked at from within them is adopted, the rest is made.
  for (const char* name : {"ramp_drop", "newtons_cradle", "chain_in_enclosure", "chain_in_enclosure_rigid"}) {
    const ContactModel contact_model(model_named(name));
    Engine engine(contact_model, {.step = 1e-3}), alone(contact_model, {.step = 1e-3});
    engine.set_state(initial(contact_model.model));
    alone.set_state(initial(contact_model.model));
    Rederiver rederiver(contact_model);
    LookAhead ahead(engine, rederiver);
    engine.attach(&rederiver);
    engine.follow(&ahead);
    std::vector<double> tau(static_cast<std::size_t>(contact_model.terms.nv));
    long adopted = 0;
    for (int tick = 0; tick < 1000; ++tick) {
      for (std::size_t i = 0; tick % 50 == 0 && i < tau.size(); ++i)
        tau[i] = name[0] == 'c' ? std::sin(9.0 * engine.state().t + static_cast<double>(i)) : 0.0;
      const long before = test::allocation_count_of_this_thread();
      ASSERT_TRUE(engine.step({.tau = tau}).ok());
      ahead.offer(engine, {.tau = tau});
      EXPECT_EQ(test::allocation_count_of_this_thread(), before);
      ASSERT_TRUE(alone.step({.tau = tau}).ok());
      if (ahead.statistics().adopted > adopted) {
        adopted = ahead.statistics().adopted;
        EXPECT_EQ(engine.work().integrations, 0) << name;
        EXPECT_FALSE(engine.events().empty()) << name;
      }
      ahead.finish();
      ASSERT_EQ(engine.state().q, alone.state().q) << name << " at tick " << tick;
      ASSERT_EQ(engine.state().u, alone.state().u) << name << " at tick " << tick;
      ASSERT_EQ(engine.events().size(), alone.events().size()) << name << " at tick " << tick;
      for (std::size_t k = 0; k < engine.events().size(); ++k) {
        ASSERT_EQ(engine.events()[k].t, alone.events()[k].t);
        ASSERT_EQ(engine.events()[k].kind, alone.events()[k].kind);
        ASSERT_EQ(engine.events()[k].impulse, alone.events()[k].impulse);
      }
      ASSERT_EQ(engine.books().impact_loss, alone.books().impact_loss);
      ASSERT_EQ(engine.touches().size(), alone.touches().size());
      for (std::size_t k = 0; k < engine.touches().size(); ++k) {
        ASSERT_EQ(engine.touches()[k].mode, alone.touches()[k].mode);
        ASSERT_EQ(engine.touch_force(k), alone.touch_force(k)) << name << " at tick " << tick;
      }
    }
    EXPECT_GT(2 * adopted, ahead.statistics().ticks) << name << ": most ticks with events";
  }
}

TEST(Ahead, NothingIsTakenOverAfterTheEngineWasChangedFromOutside) {
  const ContactModel contact_model(model_named("ramp_drop"));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(initial(contact_model.model));
  Rederiver rederiver(contact_model);
  LookAhead ahead(engine, rederiver);
  engine.follow(&ahead);
  const auto run_to_the_impact = [&] {
    while (engine.state().t < 0.2) {
      ASSERT_TRUE(engine.step().ok());
      ahead.offer(engine);
      ahead.finish();
    }
  };
  run_to_the_impact();
  const long adopted = ahead.statistics().adopted;
  EXPECT_GT(adopted, 0);
  const State end = engine.state();
  engine.set_state(initial(contact_model.model));  // the same bits again, of another generation
  EXPECT_EQ(ahead.next(engine, {}), nullptr);
  run_to_the_impact();
  EXPECT_EQ(engine.state().q, end.q);
  EXPECT_EQ(ahead.statistics().adopted, 2 * adopted);
}

class Enumerated : public testing::TestWithParam<const char*> {};

TEST_P(Enumerated, EveryChangeFindsItsEquations) {
  const ContactModel contact_model(model_named(GetParam()));
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(initial(contact_model.model));
  Rederiver rederiver(contact_model);
  const Enumeration all = formulate_all(contact_model, engine.state(), rederiver);
  EXPECT_TRUE(all.complete) << all.sets << " sets";
  EXPECT_EQ(all.refused, 0U);
  const long made = rederiver.statistics().made;
  EXPECT_GT(made, 1);
  engine.attach(&rederiver);
  run(engine, 2000, 0.0, nullptr, false);
  EXPECT_GT(engine.motion().paths().changes, 1);
  EXPECT_EQ(engine.motion().paths().hits, engine.motion().paths().changes);
  EXPECT_EQ(rederiver.statistics().made, made) << "nothing new was formulated on line";
}

INSTANTIATE_TEST_SUITE_P(Models, Enumerated,
                         testing::Values("ramp_drop", "cart_caster", "latch", "escapement"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Enumerated, TellsWhenTheBoundIsMet) {
  const ContactModel contact_model(model_named("newtons_cradle"));
  Rederiver rederiver(contact_model);
  State state = initial(contact_model.model);
  const Enumeration few = formulate_all(contact_model, state, rederiver, {.most_sets = 3});
  EXPECT_FALSE(few.complete);
  EXPECT_EQ(few.sets, 3U);
  EXPECT_EQ(rederiver.statistics().made, 3);
}

}  // namespace
}  // namespace tactus::contact
