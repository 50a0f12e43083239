// Light links on stiff springs that are pressed on the stops of their joints, by the passive integrator at 1 kHz and slower: the kind of scene that passive_peg_test.cpp has for shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;

/// A foot of 1 g that slides down to its stop, a rod of 1 g on it through a spring of k N/m, and a handle of 0.1 kg on that through a coupler. By impulses at the ends of ticks alone the foot is pressed
/// through its stop by k x h^2/m.
constexpr const char* kColumn = R"(
name: column
gravity: [0, 0, -9.81]
bodies:
  foot: {mass: 1 g, inertia: [1e-7, 1e-7, 1e-7]}
  rod: {mass: 1 g, inertia: [1e-7, 1e-7, 1e-7]}
  handle: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5]}
joints:
  f: {type: prismatic, parent: world, child: foot, axis: z, limits: [0, 0.1]}
  s: {type: prismatic, parent: foot, child: rod, axis: z, stiffness: @k@}
  c: {type: prismatic, parent: rod, child: handle, axis: z, stiffness: 2000, damping: 0.5}
frames:
  hand: {body: handle, grasp: true}
contact: {stops: {joints: [f]}}
initial: {q: {f: 0.5 mm}}
)";

/// A lever of 1 g on a stop, and on it through a rotational spring of 1e-4 k N m/rad another, at whose end the hand is: places and mass matrix change as it turns.
constexpr const char* kLevers = R"(
name: levers
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 1 g, com: [50 mm, 0, 0], inertia: [1e-7, 1e-6, 1e-6]}
  two: {mass: 1 g, com: [50 mm, 0, 0], inertia: [1e-7, 1e-6, 1e-6]}
  handle: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5]}
joints:
  a: {type: revolute, parent: world, child: one, axis: -y, limits: [0, 1]}
  b: {type: revolute, parent: one, child: two, axis: -y, placement: {xyz: [0.1, 0, 0]}, stiffness: @kr@}
  c: {type: revolute, parent: two, child: handle, axis: -y, placement: {xyz: [0.1, 0, 0]}, stiffness: 5, damping: 1e-3}
frames:
  hand: {body: handle, grasp: true}
contact: {stops: {joints: [a]}}
initial: {q: {a: 5e-3}}
)";

/// A parallelogram of light bars whose rocker stands on a stop, driven through a stiff spring at its crank: a loop.
constexpr const char* kLoop = R"(
name: loop
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1 g, com: [0, 0, 50 mm], inertia: [1e-6, 1e-6, 1e-7]}
  coupler: {mass: 1 g, com: [0.1, 0, 0], inertia: [1e-7, 3e-6, 3e-6]}
  rocker: {mass: 1 g, com: [0, 0, 50 mm], inertia: [1e-6, 1e-6, 1e-7]}
  arm: {mass: 1 g, com: [0, 0, 50 mm], inertia: [1e-6, 1e-6, 1e-7]}
  handle: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5]}
joints:
  a: {type: revolute, parent: world, child: crank, axis: y}
  b: {type: revolute, parent: crank, child: coupler, axis: y, placement: {xyz: [0, 0, 0.1]}}
  c: {type: revolute, parent: world, child: rocker, axis: y, placement: {xyz: [0.2, 0, 0]}, limits: [-0.5, 0.2]}
  d: {type: revolute, parent: crank, child: arm, axis: y, stiffness: @kr@}
  e: {type: revolute, parent: arm, child: handle, axis: y, placement: {xyz: [0, 0, 0.1]}, stiffness: 5, damping: 1e-3}
frames:
  hand: {body: handle, grasp: true}
constraints:
  close: {type: revolute, a: {body: coupler, at: [0.2, 0, 0], axis: y}, b: {body: rocker, at: [0, 0, 0.1], axis: y}}
contact: {stops: {joints: [c]}}
initial: {q: {a: 0.19, b: -0.19, c: 0.19}}
)";

std::unique_ptr<Mechanism> opened(std::string text, double k, double step) {
  for (const auto& [name, value] :
       {std::pair{std::string("@k@"), std::to_string(k)}, {"@kr@", std::to_string(1e-4 * k)}})
    if (const std::size_t at = text.find(name); at != std::string::npos) text.replace(at, name.size(), value);
  return open(describe::load_text(text, "stops.yaml"), {.step = step, .integrator = Integrator::passive});
}

double energy(Mechanism& mechanism) {
  const simulate::Energies e = mechanism.energies();
  return e.kinetic + e.potential;
}

/// Pushed by a hand along x and z that is slowed by 4 N s/m, with what went in and what came of it.
struct Pressed {
  std::unique_ptr<Mechanism> mechanism;
  int hand = mechanism->port("hand");
  double last = energy(*mechanism), gained = 0.0, in_play = 0.0;  // [J]
  long allocations = 0;
  std::array<double, 2> held{};  // [N] of the last tick

  simulate::Tick tick(double x, double z) {
    constexpr double kDamping = 4.0;  // [N s/m]
    const simulate::PortMotion from = mechanism->motion(hand);
    held = {x - kDamping * from.V_WP[3], z - kDamping * from.V_WP[5]};
    const simulate::PortWrench wrench{hand, {0, 0, 0, held[0], 0, held[1]}};
    const long before = test::allocation_count_of_this_thread();
    const simulate::Tick tick = mechanism->step({.ports = {&wrench, 1}});
    allocations += test::allocation_count_of_this_thread() - before;
    const math::Vec3<double> way = mechanism->motion(hand).X_WP.p - from.X_WP.p;
    const double work = held[0] * way.x + held[1] * way.z, now = energy(*mechanism);
    gained = support::larger(gained, now - last - work);
    in_play = support::larger(in_play, std::abs(work), std::abs(now));
    last = now;
    return tick;
  }
};

/// [1] Of the energy in play, per tick: roundings of the step, of energies and of the work as it is reckoned here.
constexpr double kBalance = 5e-12;

struct Pair {
  double k, step;  // [N/m], [s]
};
constexpr Pair kPairs[] = {{1e5, 1e-3}, {1e5, 2e-3}, {1e5, 5e-3}, {1e5, 1e-2}, {1e6, 1e-3}, {1e6, 2e-3},
                           {1e6, 5e-3}, {1e6, 1e-2}, {1e7, 1e-3}, {1e7, 2e-3}, {1e7, 5e-3}, {1e7, 1e-2}};
constexpr double kDuration = 2.0;  // [s]

std::string named(const Pair& pair) {
  return std::to_string(pair.k) + " N/m, " + std::to_string(pair.step) + " s";
}

/// [m], [rad] What is beyond a stop by less than 1e-4 in a tick is left to impulses: the landing may be that far. Later it is pressed, and 1e-6 is left alone.
constexpr double kLanding = 1.01e-4, kLeftAlone = 1.1e-6;
/// Of the force: the springs ring on, and have some momentum of their grams at both ends of the mean.
constexpr double kMean = 1e-3;

TEST(PassiveStop, BearsAColumnUnderAHandAtAnyRate) {
  constexpr double kWeight = 0.102 * 9.81;  // [N]
  for (const Pair& pair : kPairs)
    for (const double down : {5.0, 20.0}) {
      Pressed run{opened(kColumn, pair.k, pair.step)};
      const long ticks = std::lround(kDuration / pair.step);
      double mean = 0.0, least = 0.0, landed = 0.0;
      for (long i = 0; i < ticks; ++i) {
        const simulate::Tick tick = run.tick(0.0, -down);
        ASSERT_TRUE(tick.ok()) << run.mechanism->explain(tick.status) << " " << named(pair);
        const double f = run.mechanism->state().q[0];
        landed = std::min(landed, f);
        if (2 * i < ticks) continue;
        least = std::min(least, f);
        mean += 2.0 * run.mechanism->contact_report().stop_force[0] / static_cast<double>(ticks);
      }
      EXPECT_LE(run.gained, kBalance * run.in_play) << named(pair) << " " << down << " N";
      EXPECT_NEAR(mean, down + kWeight, kMean * (down + kWeight)) << named(pair) << " " << down << " N";
      EXPECT_GE(landed, -kLanding) << named(pair) << " " << down << " N";
      EXPECT_GE(least, -kLeftAlone) << named(pair) << " " << down << " N";
      EXPECT_EQ(run.allocations, 0);
    }
}

// The torque of the stop is the moment of all that hangs on it, about its joint.
TEST(PassiveStop, BearsLeversUnderAHandAtAnyRate) {
  for (const Pair& pair : kPairs) {
    Pressed run{opened(kLevers, pair.k, pair.step)};
    const int two = run.mechanism->port("body:two");
    const long ticks = std::lround(kDuration / pair.step);
    double mean = 0.0, expected = 0.0, least = 0.0;
    for (long i = 0; i < ticks; ++i) {
      const simulate::Tick tick = run.tick(0.0, -5.0);
      ASSERT_TRUE(tick.ok()) << run.mechanism->explain(tick.status) << " " << named(pair);
      if (2 * i < ticks) continue;
      least = std::min(least, run.mechanism->state().q[0]);
      const double a = run.mechanism->state().q[0];
      const simulate::PortMotion second = run.mechanism->motion(two), tip = run.mechanism->motion(run.hand);
      const double x2 = second.X_WP.p.x + 0.05 * second.X_WP.R(0, 0);
      mean += 2.0 * run.mechanism->contact_report().stop_force[0] / static_cast<double>(ticks);
      expected += 2.0 *
                  (9.81 * (1e-3 * 0.05 * std::cos(a) + 1e-3 * x2 + 0.1 * tip.X_WP.p.x) -
                   run.held[1] * tip.X_WP.p.x + run.held[0] * tip.X_WP.p.z) /
                  static_cast<double>(ticks);
    }
    EXPECT_LE(run.gained, kBalance * run.in_play) << named(pair);
    EXPECT_GT(expected, 0.5);  // [N m]
    EXPECT_NEAR(mean, expected, 2.0 * kMean * expected) << named(pair);
    EXPECT_GE(least, -kLeftAlone) << named(pair);
    EXPECT_EQ(run.allocations, 0);
  }
}

// On and off the stops, by another force every 0.1 s.
TEST(PassiveStop, IsPushedAboutAtRandomAndGivesNothing) {
  constexpr double kDeep = 2e-4, kDeepInLongSteps = 1e-2;  // [m], [rad] as for shapes (passive_peg_test.cpp)
  struct Scene {
    const char* text;
    std::size_t q;     // the coordinate with the stop
    double low, high;  // its limits
  };
  for (const Scene& scene : {Scene{kColumn, 0, 0.0, 0.1}, {kLevers, 0, 0.0, 1.0}, {kLoop, 2, -0.5, 0.2}})
    for (const Pair& pair : kPairs) {
      Pressed run{opened(scene.text, pair.k, pair.step)};
      const math::Vec3<double> home = run.mechanism->motion(run.hand).X_WP.p;
      std::mt19937_64 random(3);
      std::uniform_real_distribution<double> part(-1.0, 1.0);
      double x = 0.0, z = 0.0, beyond = 0.0;
      long touched = 0;
      const long ticks = std::lround(kDuration / pair.step), hold = std::lround(0.1 / pair.step);
      for (long i = 0; i < ticks; ++i) {
        if (i % hold == 0) {
          x = 10.0 * part(random);
          z = 10.0 * (part(random) - 0.3);
        }
        const math::Vec3<double> p = run.mechanism->motion(run.hand).X_WP.p;
        const simulate::Tick tick = run.tick(x - 100.0 * (p.x - home.x), z - 100.0 * (p.z - home.z));
        ASSERT_TRUE(tick.ok()) << run.mechanism->explain(tick.status) << " " << named(pair) << scene.text;
        const double q = run.mechanism->state().q[scene.q];
        beyond = support::larger(beyond, scene.low - q, q - scene.high);
        for (const double force : run.mechanism->contact_report().stop_force) touched += force > 0.0;
      }
      EXPECT_LE(run.gained, kBalance * run.in_play) << named(pair) << scene.text;
      EXPECT_LE(beyond, pair.step > 2e-3 ? kDeepInLongSteps : kDeep) << named(pair) << scene.text;
      EXPECT_GT(touched, ticks / 10) << named(pair) << scene.text;
      EXPECT_EQ(run.allocations, 0);
    }
}

TEST(PassiveStop, GoesOnFromASnapshotWhereItIsPressed) {
  Pressed run{opened(kLevers, 1e6, 2e-3)};
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(run.tick(0.0, -5.0).ok());
  const auto snapshot = run.mechanism->make_snapshot();
  const auto end = [&] {
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(run.tick(0.0, -5.0).ok());
    return run.mechanism->state();
  };
  const simulate::State once = end();
  ASSERT_TRUE(run.mechanism->load(*snapshot));
  const simulate::State again = end();
  EXPECT_EQ(once.q, again.q);
  EXPECT_EQ(once.u, again.u);
}

}  // namespace
}  // namespace tactus::contact
