// Smooth motions that gain or lose energy although nothing gives or takes any.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using contact::OpenOptions;

std::unique_ptr<Mechanism> spinning(double rate, OpenOptions options = {}) {
  auto body = contact::open(describe::load_text("name: spin\ngravity: [0, 0, 0]\n"
                                                "bodies: {b: {mass: 1, inertia: [0.001, 0.002, 0.003]}}\n"
                                                "joints: {j: {type: free, parent: world, child: b}}\n",
                                                "spin"),
                            options);
  State state = body->state();
  state.u = {0.2 * rate, rate, 0.2 * rate, 0, 0, 0};
  body->set_state(state);
  return body;
}

TEST(SmoothWatch, BooksTheDriftOfAStepThatIsTooLong) {
  const auto body = spinning(480.0);
  const double before = body->energies().kinetic;
  for (int k = 0; k < 1025; ++k) ASSERT_TRUE(body->step().ok());
  const Books books = body->books();
  EXPECT_NEAR(books.in_play, before, 1e-5 * before);  // it swings a little before it falls
  EXPECT_LT(books.imbalance, -1e-3 * before);
  EXPECT_NEAR(books.imbalance, body->energies().kinetic - before,
              2e-3 * before);  // but for the ticks since the last look
}

TEST(SmoothWatch, StopsWhereAMotionIsNone) {
  // A radian and more in a step: the fourth order makes nonsense of it.
  const auto body = spinning(3000.0);
  Tick tick;
  int made = 0;
  State before;
  for (; made < 1000 && tick.ok(); ++made) {
    before = body->state();
    tick = body->step();
  }
  ASSERT_TRUE(tick.status.has(Status::energy_unexplained));
  EXPECT_LT(made, 70);
  EXPECT_EQ(body->state().q, before.q);  // that tick did not happen
  EXPECT_EQ(body->state().u, before.u);
  EXPECT_NE(body->explain(tick.status).find("smaller step"), std::string::npos);
}

TEST(SmoothWatch, IsSilentWhereForcesActFromOutside) {
  const auto body = spinning(1.0);
  const int port = body->port("b");
  const PortWrench push{port, {0, 0, 0, 1000.0, 0, 0}};
  const long before = test::allocation_count_of_this_thread();
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(body->step({.tau = {}, .ports = {&push, 1}, .wrench = {}}).ok());
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(body->step().ok());
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_LT(std::abs(body->books().imbalance), 1e-9 * body->books().in_play);
}

TEST(SmoothWatch, ShippedModelsKeepTheirEnergyAtTheDefaultStep) {
  // [1] Of the energy in play in 0.5 s: the chain of 100 links, whose fastest motions a step of 1 ms hardly sees, drifts by 0.4 %.
  constexpr double kKept = 1e-2;
  int watched = 0;
  for (const auto& entry : std::filesystem::directory_iterator(support::source_dir() + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const describe::Model model = describe::load(entry.path());
    if (contact::has_contact(model)) continue;
    const auto mechanism = contact::open(model);
    for (int k = 0; k < 500; ++k) {
      const Tick tick = mechanism->step();
      if (!tick.ok()) break;  // speeds that are singular at the start, and say so
      ASSERT_FALSE(tick.status.has(Status::energy_unexplained)) << model.name;
    }
    const Books books = mechanism->books();
    if (!(books.in_play > 0.0)) continue;
    ++watched;
    EXPECT_LE(std::abs(books.imbalance), kKept * books.in_play) << model.name;
  }
  EXPECT_GT(watched, 10);
}

const char* const kDamped = R"(
name: damped
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: b, axis: x, damping: 2900}}
initial: {u: {x: 1}}
)";

/// How many ticks are made before one is refused because its energy came from nowhere.
int ticks_before_trouble(Mechanism& mechanism, const TickInput& input = {}) {
  for (int made = 0; made < 1000; ++made) {
    const Tick tick = mechanism.step(input);
    if (tick.ok()) continue;
    EXPECT_TRUE(tick.status.has(Status::energy_unexplained)) << mechanism.explain(tick.status);
    return made;
  }
  return 1000;
}

// A damper for which the step is too long: what it takes would come back, more in every tick.
TEST(SmoothWatch, ADamperNeverGivesEnergy) {
  const auto mass = contact::open(describe::load_text(kDamped, "damped"));
  const double before = mass->energies().kinetic;
  EXPECT_LT(ticks_before_trouble(*mass), 3);
  EXPECT_LT(mass->energies().kinetic, 1.2 * before);
  // Steps that fit are made.
  EXPECT_EQ(ticks_before_trouble(*contact::open(describe::load_text(kDamped, "damped"), {.step = 5e-4})),
            1000);
}

TEST(SmoothWatch, ADamperNeverGivesEnergyUnderAHandEither) {
  const auto mass = contact::open(describe::load_text(kDamped, "damped"));
  mass->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
  const PortWrench push{mass->port("b"), {0, 0, 0, 1.0, 0, 0}};
  EXPECT_LT(ticks_before_trouble(*mass, {.tau = {}, .ports = {&push, 1}, .wrench = {}}), 200);
  EXPECT_LT(mass->energies().kinetic, 1e-3);
  const auto fits = contact::open(describe::load_text(kDamped, "damped"), {.step = 5e-4});
  EXPECT_EQ(ticks_before_trouble(*fits, {.tau = {}, .ports = {&push, 1}, .wrench = {}}), 1000);
}

// What is left of a speed is gone within microseconds of a tick: the forces' work is that along the way, and by
// the powers at both ends it would be hundreds of times as much, taken from a mechanism that has nothing.
TEST(SmoothWatch, DryFrictionThatStopsAJointWithinATickGivesNoEnergy) {
  const char* const kSliding = R"(
name: rubbing
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {x: {type: TYPE, parent: world, child: b, axis: x, friction: {coulomb: 4}}}
)";
  for (const std::string type : {"prismatic", "revolute"}) {
    std::string text = kSliding;
    text.replace(text.find("TYPE"), 4, type);
    const describe::Model model = describe::load_text(text, "rubbing");
    for (const Integrator integrator : {Integrator::rk4, Integrator::implicit, Integrator::adaptive})
      for (const double speed : {1e-5, -1e-5, 1e-4, 1e-3})
        for (const bool by_port : {true, false}) {
          const auto body = contact::open(model, {.integrator = integrator});
          body->set_state({.t = 0.0, .q = {0.0}, .u = {speed}, .momentum = {}});
          const double force = speed > 0.0 ? -3.45 : 3.45;  // against the motion, less than friction holds
          PortWrench push{body->port("b"), {}};
          push.wrench[type == "revolute" ? 0 : 3] = force;
          const TickInput input = by_port ? TickInput{.tau = {}, .ports = {&push, 1}, .wrench = {}}
                                          : TickInput{.tau = {&force, 1}, .ports = {}, .wrench = {}};
          EXPECT_EQ(ticks_before_trouble(*body, input), 1000)
              << type << speed << by_port << static_cast<int>(integrator);
          EXPECT_LT(std::abs(body->state().u[0]), 1e-9);
        }
  }
}

// A rotation vector says nothing of whole turns.
TEST(SmoothWatch, KnowsTheWorkOnWhatTurnsMoreThanOnceInATick) {
  const auto disk =
      contact::open(describe::load_text("name: disk\ngravity: [0, 0, 0]\n"
                                        "bodies: {b: {mass: 1, inertia: [1e-6, 1e-6, 1e-6]}}\n"
                                        "joints: {j: {type: revolute, parent: world, child: b, axis: z}}\n",
                                        "disk"));
  disk->set_state({.t = 0.0, .q = {0.0}, .u = {100.0}, .momentum = {}});
  const PortWrench turn{disk->port("b"), {0, 0, 1, 0, 0, 0}};  // 1000 rad/s more in every tick
  EXPECT_EQ(ticks_before_trouble(*disk, {.tau = {}, .ports = {&turn, 1}, .wrench = {}}), 1000);
  EXPECT_NEAR(disk->state().u[0], 1e6 + 100.0, 1e-3);
}

TEST(SmoothWatch, StopsEulersMethodBeyondItsLimit) {
  const char* const kSpring = R"(
name: spring
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: b, axis: x, stiffness: 1e7}}
initial: {q: {x: 1e-3}}
)";
  // The frequency is 3162 rad/s: 2 in a step is the limit, below it the energy only swings.
  const auto far = contact::open(describe::load_text(kSpring, "spring"), {.integrator = Integrator::euler});
  EXPECT_LT(ticks_before_trouble(*far), 40);
  for (const double step : {1e-5, 1e-4, 3e-4})
    EXPECT_EQ(ticks_before_trouble(*contact::open(describe::load_text(kSpring, "spring"),
                                                  {.step = step, .integrator = Integrator::euler})),
              1000)
        << step;
}

}  // namespace
}  // namespace tactus::simulate
