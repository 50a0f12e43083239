// Joints that dry friction holds, through the door that users take: by every integrator, whatever the length of its samples.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;

constexpr Integrator kChoosing[] = {Integrator::adaptive, Integrator::stiff};
constexpr Integrator kAll[] = {Integrator::euler,    Integrator::rk4,   Integrator::implicit,
                               Integrator::adaptive, Integrator::stiff, Integrator::passive};

std::unique_ptr<Mechanism> made(const char* text, OpenOptions options) {
  return open(describe::load_text(text, "model.yaml"), options);
}

void go(Mechanism& mechanism, double duration) {
  while (mechanism.state().t < duration - 1e-9) {
    const simulate::Tick tick = mechanism.step();
    ASSERT_TRUE(tick.ok()) << mechanism.explain(tick.status);
    ASSERT_FALSE(tick.status.has(simulate::Status::tolerance_missed));
  }
}

const char* const kSlider = R"(
name: slider
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: b, axis: x, friction: {coulomb: 1}}}
initial: {u: {x: 2}}
)";

// A spring of 5 N/m to a point that moves on, trembling: it sticks and breaks away again and again. Truth by a fixed step of fourth order, cut at the events.
TEST(FrictionAtRest, DoesNotDependOnHowLongSamplesAre) {
  for (const char* script :
       {"tau: {x: \"-5*(x - 0.1*t)\"}", "tau: {x: \"-5*(x - 0.1*t) + 0.3*sin(30*t)\"}"}) {
    const auto truth = made(kSlider, {.step = 1e-3, .script_text = script});
    go(*truth, 20.0);
    for (const Integrator integrator : kChoosing)
      for (const double sample : {0.1, 1.0, 20.0}) {
        const auto slider = made(
            kSlider,
            {.step = sample, .integrator = integrator, .tolerances = {1e-10, 1e-10}, .script_text = script});
        go(*slider, 20.0);
        EXPECT_NEAR(slider->state().q[0], truth->state().q[0], 1e-7)  // of tolerances, over twenty releases
            << script << ", " << name_of(integrator) << ", samples of " << sample << " s";
      }
  }
}

// Between two looks the rate dips below zero, by 1e-8 m/s for a tenth of a millisecond: m xdd = 8 (t - 0.5), xd = 4 (t - 0.5)^2 - 1e-8. There it sticks,
// until the force is that of breaking away, 2 N at 0.625 s, and has 4 (0.5^2 - 0.125^2) m/s at 1 s instead of 1.
TEST(FrictionAtRest, ARateThatOnlyTouchesZeroIsSeen) {
  std::string text = kSlider;
  text.replace(text.find("coulomb: 1"), 10, "coulomb: 1, breakaway: 2");
  for (const Integrator integrator : kChoosing) {
    auto slider =
        made(text.c_str(),
             {.step = 1.0, .integrator = integrator, .script_text = "tau: {x: \"1 + 8*(t - 0.5)\"}"});
    slider->set_state({.t = 0.0, .q = {0.0}, .u = {1.0 - 1e-8}, .momentum = {}});
    go(*slider, 1.0);
    EXPECT_NEAR(slider->state().u[0], 0.9375, 1e-6) << name_of(integrator);
  }
}

const char* const kLink = R"(
name: link
gravity: [0, 0, -9.81]
bodies: {b: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {a: {type: revolute, parent: world, child: b, axis: y, friction: {coulomb: 6}}}
)";

TEST(FrictionAtRest, ALinkStandsByEveryIntegrator) {
  constexpr double kCreep = 1e-9;  // [rad] in 10 s
  for (const Integrator integrator : kAll) {
    const auto link = made(kLink, {.integrator = integrator});
    go(*link, 10.0);
    EXPECT_NEAR(link->state().q[0], 0.0, kCreep) << name_of(integrator);
  }
}

// A load that swings below its bound: the passive integrator holds it without creeping, and gives nothing.
TEST(FrictionAtRest, ThePassiveIntegratorHoldsALoadThatChanges) {
  const auto link =
      made(kLink, {.integrator = Integrator::passive, .script_text = "tau: {a: \"0.9*sin(3*t)\"}"});
  go(*link, 0.1);
  const double stood = link->state().q[0];
  const long before = test::allocation_count_of_this_thread();
  for (int k = 0; k < 20000; ++k) ASSERT_TRUE(link->step().ok());
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
  EXPECT_NEAR(link->state().q[0], stood, 1e-8);
  EXPECT_NEAR(link->state().u[0], 0.0, 1e-8);
}

TEST(FrictionAtRest, ThePassiveIntegratorBreaksAwayAtTheBound) {
  // 4.905 N m and t more: 6 N m at t = 1.095 s; before it stands, afterwards it turns by (t - 1.095)^3/6/I, I = 0.35 kg m^2.
  const auto link = made(kLink, {.integrator = Integrator::passive, .script_text = "tau: {a: \"t\"}"});
  go(*link, 1.09);
  EXPECT_NEAR(link->state().q[0], 0.0, 2e-5);
  go(*link, 1.295);
  EXPECT_NEAR(link->state().q[0], std::pow(0.2, 3) / 6.0 / 0.35,
              2e-6);  // of second order, and the weight's moment
}

TEST(FrictionAtRest, APassiveSnapshotGoesOnWithTheSameBits) {
  const auto link =
      made(kLink, {.integrator = Integrator::passive, .script_text = "tau: {a: \"0.9*sin(3*t)\"}"});
  go(*link, 0.5);
  const auto snapshot = link->make_snapshot();
  ASSERT_TRUE(link->save(*snapshot));
  go(*link, 1.5);
  const simulate::State there = link->state();
  ASSERT_TRUE(link->load(*snapshot));
  go(*link, 1.5);
  EXPECT_EQ(link->state().q, there.q);
  EXPECT_EQ(link->state().u, there.u);
}

// The PUMA 560's own run of defect 15: one motion, whatever the tolerance.
TEST(FrictionAtRest, ThePumaFallsAlikeForEveryTolerance) {
  const describe::Model puma = describe::load(support::source_dir() + "/models/puma560.yaml");
  const auto truth = open(puma, {.step = 1e-3});
  go(*truth, 4.0);
  for (const double tolerance : {1e-6, 1e-10}) {
    const auto arm =
        open(puma, {.step = 4.0, .integrator = Integrator::stiff, .tolerances = {tolerance, tolerance}});
    go(*arm, 4.0);
    EXPECT_LT(support::difference(arm->state().q, truth->state().q), 1e-4) << tolerance;
  }
}

}  // namespace
}  // namespace tactus::contact
