// Transitions: when guards fire, and the mechanisms that live by them: latch, piano action, caster.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include "contact/slider_model.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

/// A model in motion, with actuator forces that may jump between steps.
struct Trial {
  describe::Model model;
  ContactModel contact_model;
  Engine engine;
  std::vector<double> tau;
  std::vector<std::pair<std::string, double>> fired;  // transitions with their times

  explicit Trial(describe::Model described)
      : model(std::move(described)), contact_model(model), engine(contact_model) {
    tau.assign(static_cast<std::size_t>(model.nv()), 0.0);
    engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  }

  double q(std::size_t i) const { return engine.state().q[i]; }

  void until(double t) {
    Input input;
    input.tau = tau;
    while (engine.state().t < t - 0.5 * engine.options().step) {
      const Status status = engine.step(input);
      for (const Event& event : engine.events())
        if (event.transition >= 0) fired.emplace_back(engine.name_of(event), event.t);
      ASSERT_TRUE(status.ok()) << engine.explain(status);
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, t] : fired) result.push_back(name);
    return result;
  }
};

using Names = std::vector<std::string>;

Trial shipped(const std::string& name) {
  return Trial(describe::load(tactus::support::source_dir() + "/models/" + name));
}

/// Events are located to rounding; the motion up to them is that of RK4 at 1 kHz.
constexpr double kMotion = 1e-9;

TEST(Transitions, FireWhereTheGuardPassesZero) {
  Trial run(slider("initial: {u: {x: 1}}\ntransitions: {holds: {when: x > 0.1, activate: held}}\n"));
  run.until(0.5);
  ASSERT_EQ(run.names(), Names{"holds"});
  EXPECT_NEAR(run.fired[0].second, 0.1, kMotion);
  EXPECT_NEAR(run.q(0), 0.1, kMotion);
  EXPECT_NEAR(run.engine.books().impact_loss, 1.0, kMotion);  // all of m v^2 / 2: plastic
}

TEST(Transitions, FireWhereTheInputMakesAForceJump) {
  Trial run(slider(R"(
initial: {q: {x: 0.1}}
transitions:
  holds: {when: t > 0.01, activate: held}
  slips: {when: abs(force.held) > 5 N, release: held}
)"));
  run.until(0.1);
  run.tau[0] = 4.9;
  run.until(0.2);
  EXPECT_EQ(run.names(), Names{"holds"});
  run.tau[0] = 5.1;
  run.until(0.25);
  ASSERT_EQ(run.names(), (Names{"holds", "slips"}));
  EXPECT_NEAR(run.fired[1].second, 0.2, kMotion);
  EXPECT_NEAR(run.engine.state().u[0], 5.1 / 2.0 * 0.05, kMotion);
}

TEST(Transitions, FireWhereAnImpactMakesTheGuardTrue) {
  // Thrown back by the stop, the mass moves at -0.5 m/s at once.
  Trial run(slider(R"(
initial: {u: {x: 1}}
contact: {stops: {restitution: 0.5}}
transitions: {returns: {when: x_dot < -0.4 m/s, activate: other}}
)"));
  run.until(0.5);
  ASSERT_EQ(run.names(), Names{"returns"});
  EXPECT_NEAR(run.fired[0].second, 0.3, kMotion);
  EXPECT_NEAR(run.q(0), 0.3, kMotion);
  EXPECT_NEAR(run.engine.state().u[0], 0.0, kMotion);
}

TEST(Transitions, DoNotFireWhereTheGuardWasTrueBefore) {
  // `late` would do so from the start; `after` from where x > 0.05, but only `first` makes it possible, at
  // 0.1.
  Trial run(slider(R"(
initial: {u: {x: 1}}
transitions:
  late: {when: x < 0.2, activate: other}
  first: {when: x > 0.1, activate: held}
  after: {when: x > 0.05, if_active: held, release: held}
)"));
  run.until(0.5);
  EXPECT_EQ(run.names(), Names{"first"});
}

TEST(Transitions, FireFromZeroWhereTheGuardIsFalseThere) {
  // At rest x_dot > 0 is false, and so is x_dot < 0: the first push makes one of them true. x_dot >= 0 was
  // true.
  Trial run(slider(R"(
transitions:
  forward: {when: x_dot > 0 m/s, activate: other}
  backward: {when: x_dot < 0 m/s, activate: other}
  before: {when: x_dot >= 0 m/s, activate: other}
)"));
  run.until(0.1);
  EXPECT_TRUE(run.fired.empty());
  run.tau[0] = 1.0;
  run.until(0.2);
  ASSERT_EQ(run.names(), Names{"forward"});
  EXPECT_NEAR(run.fired[0].second, 0.1, kMotion);
  EXPECT_EQ(run.engine.state().u[0], 0.0);
}

TEST(Transitions, TellWhatTheyTook) {
  Trial run(slider("initial: {u: {x: 1}}\ntransitions: {holds: {when: x > 0.1, activate: held}}\n"));
  run.until(0.099);
  while (run.engine.events().empty()) ASSERT_TRUE(run.engine.step().ok());
  ASSERT_EQ(run.engine.events().size(), 1u);
  EXPECT_NEAR(run.engine.events()[0].loss, 1.0, kMotion);  // m v^2 / 2
}

TEST(Transitions, OutOfPlaceEndWithTheirNames) {
  Trial run(slider("initial: {u: {x: 1}}\ntransitions: {early: {when: x > 0.05, activate: held}}\n"));
  Status status;
  while (status.ok() && run.engine.state().t < 0.2) status = run.engine.step();
  ASSERT_TRUE(status.has(Status::constraint_lost));
  const std::string text = run.engine.explain(status);
  EXPECT_EQ(text.find("at t = 0.05 s"), 0u) << text;
  const double step = run.engine.options().step;
  EXPECT_NEAR(run.engine.state().t, 0.05 - step, kMotion) << "the step in which it happened is taken back";
  EXPECT_NEAR(run.q(0), 0.05 - step, kMotion);
  EXPECT_NE(text.find("`early` switches `held` on where it is off by -0.05"), std::string::npos) << text;
}

TEST(Transitions, ThatFollowEachOtherTooFastEndWithTheirNames) {
  // Held at 1 um/s and let go at once by the push of 5 N, again every 0.4 us.
  Trial run(slider(R"(
transitions:
  holds: {when: x_dot > 1e-6 m/s, if_inactive: other, activate: other}
  pulls: {when: abs(force.other) > 1 N, if_active: other, release: other}
)"));
  run.tau[0] = 5.0;
  Input input;
  input.tau = run.tau;
  Status status;
  while (status.ok() && run.engine.state().t < 0.1) status = run.engine.step(input);
  ASSERT_TRUE(status.has(Status::too_many_events));
  const std::string text = run.engine.explain(status);
  EXPECT_NE(text.find("(transitions `holds`, `pulls`)"), std::string::npos) << text;
}

TEST(Transitions, FireOnceWhereTheySaySo) {
  // Swinging to and fro, the mass passes 0.05 m upwards in every period of 2 pi / 20 s; a pass costs nothing.
  const auto passes = [&](const std::string& once) {
    Trial run(
        slider("springs: {back: {type: joint, joint: x, stiffness: 800}}\ninitial: {u: {x: 2}}\n"
               "transitions: {passes: {when: x > 0.05, release: other, once: " +
               once + "}}\n"));
    run.until(1.0);
    return run.fired.size();
  };
  EXPECT_EQ(passes("true"), 1u);
  EXPECT_EQ(passes("false"), 4u);
}

TEST(Transitions, TheDoorIsLockedByItsBoltAndOpenedByTheHandle) {
  Trial door = shipped("latch.yaml");
  constexpr double kPlay = 2e-3;
  door.until(2.5);
  ASSERT_EQ(door.names(), Names{"clicks"});
  EXPECT_NEAR(door.q(0), kPlay, kMotion);
  door.tau[0] = 100.0;  // pulled at, it stays locked
  door.until(3.0);
  EXPECT_NEAR(door.q(0), kPlay, kMotion);
  door.tau = {25.0, 15.0};  // with the bolt drawn back, it opens
  door.until(3.5);
  EXPECT_EQ(door.names(), (Names{"clicks", "opens"}));
  EXPECT_GT(door.q(0), 0.05);
  door.tau = {0.0, 0.0};
  door.until(6.0);
  EXPECT_EQ(door.names(), (Names{"clicks", "opens", "clicks"}));
  door.tau[0] = 600.0;  // more than the lock bears
  door.until(6.1);
  EXPECT_EQ(door.names().back(), "forced");
}

TEST(Transitions, TheDoorIsLockedWhereItStandsWhenTheHandleIsLetGo) {
  Trial door = shipped("latch.yaml");
  door.tau[1] = 15.0;  // the handle is held until the door rests on its stop
  door.until(3.0);
  ASSERT_TRUE(door.names().empty());
  EXPECT_NEAR(door.q(0), 0.0, kMotion);
  door.tau[1] = 0.0;
  door.until(3.5);
  ASSERT_EQ(door.names(), Names{"clicks"});
  door.tau[0] = 100.0;
  door.until(4.0);
  EXPECT_NEAR(door.q(0), 0.0, kMotion);
  door.tau[0] = 600.0;  // more than the lock bears
  door.until(4.1);
  EXPECT_EQ(door.names().back(), "forced");
}

TEST(Transitions, TheHammerIsLetOffCaughtAndLandsAgain) {
  Trial piano = shipped("escapement.yaml");
  constexpr double kCaught = 0.24, kStrike = 0.36;
  double highest = 0.0;
  while (piano.engine.state().t < 0.4) {
    piano.until(piano.engine.state().t + 1e-3);
    highest = support::larger(highest, piano.q(1));
  }
  ASSERT_EQ(piano.names(), (Names{"lets_off", "is_caught"}));
  EXPECT_GT(highest, 0.348);              // beyond let-off, on its own
  EXPECT_LT(highest, kStrike + kMotion);  // to the string
  EXPECT_NEAR(piano.q(1), kCaught, kMotion);
  piano.tau[0] = -0.5;  // the weight is lifted
  piano.until(0.8);
  const Names names = piano.names();
  ASSERT_GE(names.size(), 4u);
  EXPECT_EQ(names[2], "is_freed");
  EXPECT_EQ(names[3], "lands");
  EXPECT_NEAR(piano.q(0), 0.0, kMotion);
  EXPECT_NEAR(piano.q(1), 0.0, kMotion);
  piano.tau[0] = 0.0;  // and laid on the key again
  const std::size_t before = piano.fired.size();
  piano.until(1.2);
  ASSERT_GE(piano.fired.size(), before + 2);
  EXPECT_EQ(piano.fired[before].first, "lets_off");
  EXPECT_EQ(piano.fired[before + 1].first, "is_caught");
}

TEST(Transitions, TheCasterSticksAndBreaksLoose) {
  Trial gentle = shipped("cart_caster.yaml");
  gentle.until(3.0);
  ASSERT_EQ(gentle.names(), Names{"sticks"});
  const double angle = gentle.q(3);
  gentle.tau[2] = 2.0;  // the hinge bears it
  gentle.until(3.5);
  EXPECT_EQ(gentle.names(), Names{"sticks"});
  EXPECT_NEAR(gentle.q(3), angle, kMotion);
  gentle.tau[2] = 10.0;
  gentle.until(3.6);
  ASSERT_EQ(gentle.names(), (Names{"sticks", "slips"}));
  EXPECT_NEAR(gentle.fired[1].second, 3.5, kMotion);
  EXPECT_GT(std::abs(gentle.q(3) - angle), 1e-3);
}

}  // namespace
}  // namespace tactus::contact
