// Whole motions with code that is taken at once, late, in the background, or never: the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

struct Case {
  const char* model;
  double duration;     // [s], at 1 kHz
  double drive = 0.0;  // amplitude of the actuators [N m, N]
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

describe::Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

State initial(const describe::Model& model) {
  State state;
  state.q = model.initial_q;
  state.u = model.initial_u;
  return state;
}

/// A digest of everything that moves, tick by tick.
class Digest {
 public:
  void add(double x) {
    hash_ = (hash_ ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3ull;
    hash_ ^= hash_ >> 29;
  }
  void add(const Engine& engine) {
    add(engine.state().t);
    for (const double x : engine.state().q) add(x);
    for (const double x : engine.state().u) add(x);
    for (const Event& event : engine.events()) add(event.t);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

struct Course {
  std::uint64_t digest = 0;
  long ticks = 0, events = 0, allocations = 0;
  PathStatistics paths;
};

Course run(const ContactModel& contact_model, const Case& how, Rederiver* rederiver, long hold_back = 0) {
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state(initial(contact_model.model));
  engine.attach(rederiver, hold_back);
  Course course;
  Digest digest;
  const auto ticks = static_cast<long>(how.duration / engine.options().step);
  std::vector<double> tau(static_cast<std::size_t>(contact_model.terms.nv));
  const long before = test::allocation_count_of_this_thread();
  for (; course.ticks < ticks; ++course.ticks) {
    for (std::size_t i = 0; i < tau.size(); ++i)
      tau[i] = how.drive * std::sin(9.0 * engine.state().t + static_cast<double>(i));
    if (const Status status = engine.step({.tau = tau}); !status.ok()) {
      ADD_FAILURE() << engine.explain(status);
      break;
    }
    digest.add(engine);
    course.events += static_cast<long>(engine.events().size());
  }
  course.allocations = test::allocation_count_of_this_thread() - before;
  course.digest = digest.value();
  course.paths = engine.motion().paths();
  return course;
}

class RederivedMotion : public testing::TestWithParam<Case> {};

TEST_P(RederivedMotion, HasTheSameBitsWheneverItsCodeIsTaken) {
  const ContactModel contact_model(model_named(GetParam().model));
  const Case& how = GetParam();
  const Course never = run(contact_model, how, nullptr);

  Rederiver at_once(contact_model, {.when = RederiveOptions::When::at_once});
  const Course first = run(contact_model, how, &at_once);
  EXPECT_EQ(first.digest, never.digest);
  EXPECT_EQ(first.events, never.events);
  EXPECT_EQ(first.paths.hits, first.paths.changes);
  EXPECT_GT(first.paths.changes, 1) << "a motion without changes shows nothing";

  const Course late = run(contact_model, how, &at_once, 20);
  EXPECT_EQ(late.digest, never.digest);

  Rederiver in_background(contact_model);
  const Course background = run(contact_model, how, &in_background);
  EXPECT_EQ(background.digest, never.digest);
  in_background.finish();
  const Course again = run(contact_model, how, &in_background);
  EXPECT_EQ(again.digest, never.digest);
  EXPECT_EQ(again.paths.hits, again.paths.changes) << "the cache keeps what was made";
  for (const Course* course : {&never, &background, &again})
    EXPECT_EQ(course->allocations, 0) << "in ticks, changes included";
}

INSTANTIATE_TEST_SUITE_P(Models, RederivedMotion,
                         testing::Values(Case{"ramp_drop", 2.0}, Case{"cart_caster", 2.0},
                                         Case{"chain_in_enclosure", 1.0, 1.0},
                                         Case{"chain_in_enclosure_rigid", 1.0, 1.0}, Case{"latch", 4.0},
                                         Case{"escapement", 0.5}, Case{"newtons_cradle", 1.0},
                                         Case{"box_drop", 1.0}, Case{"ball_in_bowl", 1.0},
                                         Case{"peg_in_hole", 0.5}, Case{"stiff_wall", 1.0, 30.0}),
                         [](const auto& info) { return std::string(info.param.model); });

TEST(RederivedMotion, HasTheSameBitsWithCodeAThousandTicksLate) {
  const ContactModel contact_model(model_named("ramp_drop"));
  const Course never = run(contact_model, {"ramp_drop", 3.0}, nullptr);
  Rederiver at_once(contact_model, {.when = RederiveOptions::When::at_once});
  const Course late = run(contact_model, {"ramp_drop", 3.0}, &at_once, 1000);
  EXPECT_EQ(late.digest, never.digest);
  EXPECT_GT(late.paths.swaps, 0);
  EXPECT_GE(late.paths.worst_wait, 1000);
}

}  // namespace
}  // namespace tactus::contact
