// Dry friction at joints together with stops and contacts, by events and by stepping.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

namespace tactus::contact {
namespace {

using Contact = OpenOptions::Contact;

std::unique_ptr<simulate::Mechanism> ready(const std::string& text, Contact contact, double step,
                                           simulate::Integrator integrator = simulate::Integrator::rk4) {
  OpenOptions options;
  options.contact = contact;
  options.step = step;
  options.integrator = integrator;
  return open(describe::load_text(text, "model.yaml"), options);
}

void run(simulate::Mechanism& mechanism, double duration) {
  for (long i = 0; i < std::lround(duration / mechanism.step_length()); ++i) {
    const simulate::Tick tick = mechanism.step();
    ASSERT_TRUE(tick.ok()) << mechanism.explain(tick.status);
  }
}

// 3 N on 2 kg: from 3 m/s it meets the stop 1 m away with sqrt(6) m/s, leaves it with half of that, and stands 0.5 m before
// it.
const char* const kStop = R"(
name: stop
gravity: [0, 0, 0]
bodies: {block: {mass: 2, inertia: [1, 1, 1]}}
joints:
  slide: {type: prismatic, parent: world, child: block, axis: x, limits: [-5, 1], friction: {coulomb: 3 N}}
contact: {stops: [{joints: [slide], restitution: 0.5}]}
initial: {u: {slide: 3}}
)";

TEST(JointFriction, StopsAfterAReboundWhereTheClosedFormSays) {
  for (const simulate::Integrator integrator :
       {simulate::Integrator::rk4, simulate::Integrator::implicit, simulate::Integrator::adaptive}) {
    const auto block = ready(kStop, Contact::events, 1e-2, integrator);
    run(*block, 2.0);
    EXPECT_NEAR(block->state().q[0], 0.5, 1e-9) << name_of(integrator);
    EXPECT_NEAR(block->state().u[0], 0.0, 1e-10) << name_of(integrator);
  }
  // Of first order: the step times the speeds.
  const auto block = ready(kStop, Contact::stepping, 1e-3);
  run(*block, 2.0);
  EXPECT_NEAR(block->state().q[0], 0.5, 6e-3);
  EXPECT_NEAR(block->state().u[0], 0.0, 1e-9);
}

// A ball of 2 kg lies on a table of 1 kg that the friction of its vertical joint carries: 29.43 N in all.
std::string table(const std::string& friction) {
  return R"(
name: table
gravity: [0, 0, -9.81]
bodies:
  table:
    mass: 1
    inertia: [0.1, 0.1, 0.1]
    geometry: [{name: top, shape: box, size: [1, 1, 0.1], contact: true}]
  ball:
    mass: 2
    inertia: [0.008, 0.008, 0.008]
    geometry: [{name: ball, shape: sphere, radius: 0.1, contact: true}]
joints:
  lift: {type: prismatic, parent: world, child: table, axis: z, friction: {coulomb: )" +
         friction + R"(}}
  ball: {type: prismatic, parent: world, child: ball, axis: z}
contact: {defaults: {friction: 0.5}}
initial: {q: {ball: 0.15}}
)";
}

TEST(JointFriction, CarriesWhatLiesOnIt) {
  for (const Contact contact : {Contact::events, Contact::stepping}) {
    const auto scene = ready(table("40 N"), contact, 1e-3);
    run(*scene, 2.0);
    // Time-stepping holds rates to the solver's tolerance, 1e-6 of what a step of the weight gives.
    EXPECT_NEAR(scene->state().q[0], 0.0, contact == Contact::events ? 1e-12 : 1e-6);
    EXPECT_NEAR(scene->state().q[1], 0.15, contact == Contact::events ? 1e-9 : 1e-5);
    ASSERT_EQ(scene->contact_report().contacts, 1);
    EXPECT_NEAR(scene->contact_report().pairs[0].normal, 2 * 9.81, 1e-3);
  }
}

TEST(JointFriction, LetsGoWhereTheLoadIsTooMuch) {
  const double expected = -0.5 * (29.43 - 20.0) / 3.0 * 0.25;
  for (const Contact contact : {Contact::events, Contact::stepping}) {
    const auto scene = ready(table("20 N"), contact, 1e-3);
    run(*scene, 0.5);
    EXPECT_NEAR(scene->state().q[0], expected, contact == Contact::events ? 1e-9 : 2e-3);
    EXPECT_NEAR(scene->state().q[1], 0.15 + expected, contact == Contact::events ? 1e-9 : 2e-3);
  }
}

// 20 N of sliding would let it go; 40 N to break away hold it. Once it moves, by 0.1 m/s, they do not.
TEST(JointFriction, HoldsWhatItWouldNotCatch) {
  const std::string text = table("20 N, breakaway: 40 N");
  const double down = (29.43 - 20.0) / 3.0, t = 0.5, expected = -0.1 * t - 0.5 * down * t * t;
  for (const Contact contact : {Contact::events, Contact::stepping}) {
    const auto stands = ready(text, contact, 1e-3);
    run(*stands, 2.0);
    EXPECT_NEAR(stands->state().q[0], 0.0, contact == Contact::events ? 1e-12 : 1e-6);
    std::string moving = text;
    moving.replace(moving.find("{ball: 0.15}}"), 13, "{ball: 0.15}, u: {lift: -0.1, ball: -0.1}}");
    const auto slides = ready(moving, contact, 1e-3);
    run(*slides, t);
    EXPECT_NEAR(slides->state().q[0], expected, contact == Contact::events ? 1e-9 : 2e-3);
  }
}

// A push of 40 t [N] against 3 N of sliding and 4.5 N to break away, by whole steps: within one of 0.1125 s.
TEST(JointFriction, BreaksAwayWithinAStepOfItsTime) {
  std::string text = kStop;
  text.replace(text.find("coulomb: 3 N"), 12, "coulomb: 3 N, breakaway: 4.5 N");
  text.replace(text.find("initial"), std::string::npos, "");
  constexpr double h = 1e-3;
  const auto block = ready(text, Contact::stepping, h);
  double broke = 0.0;
  for (int k = 1; k <= 200 && broke == 0.0; ++k) {
    const std::vector<double> push{40.0 * h * (k - 1)};
    const simulate::Tick tick = block->step({.tau = push});
    ASSERT_TRUE(tick.ok());
    if (block->state().u[0] > 1e-6) broke = block->state().t;
  }
  EXPECT_NEAR(broke, 4.5 / 40.0, 2.0 * h);
}

// 10^5 steps of an arm that falls onto its stop and comes to rest: friction gives no energy, and none is found.
TEST(JointFriction, NeverAddsEnergy) {
  const char* const text = R"(
name: arm
bodies:
  upper: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  lower: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  shoulder: {type: revolute, parent: world, child: upper, axis: y, limits: [-1, 1.2], friction: {coulomb: 2 N m}}
  elbow: {type: revolute, parent: upper, child: lower, axis: y, placement: {xyz: [1, 0, 0]}, friction: {coulomb: 1 N m}}
contact: {stops: [{joints: [shoulder], restitution: 0.3}]}
initial: {q: {shoulder: 0.3, elbow: 0.5}, u: {shoulder: 1, elbow: -2}}
)";
  for (const Contact contact : {Contact::events, Contact::stepping}) {
    const auto arm = ready(text, contact, 1e-3);
    const simulate::Energies start = arm->energies();
    double energy = start.kinetic + start.potential;
    // Time-stepping wavers with its step, as Euler's method does.
    const double wavers = contact == Contact::events ? 1e-9 : 0.05;
    for (int i = 0; i < 100'000; ++i) {
      const simulate::Tick tick = arm->step();
      ASSERT_TRUE(tick.ok()) << arm->explain(tick.status);
      if (i > 10'000 && i % 100 != 0) continue;
      const simulate::Energies now = arm->energies();
      ASSERT_LE(now.kinetic + now.potential, energy + wavers) << arm->state().t;
      energy = now.kinetic + now.potential;
    }
    for (const double u : arm->state().u) EXPECT_NEAR(u, 0.0, 1e-6);
  }
}

}  // namespace
}  // namespace tactus::contact
