// The passive integrator: what goes in at the ports is stored or burnt, to rounding, whatever the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::Integrator;
using simulate::Mechanism;
using simulate::PortMotion;
using simulate::PortWrench;

/// A platform that nothing holds up falls for as long as it is let: here springs in its legs do, 2 kN/m each, that are relaxed at the start.
constexpr const char* kOnSprings = "stewart_platform_on_springs";

std::unique_ptr<Mechanism> opened(const std::string& name, double step,
                                  Integrator integrator = Integrator::passive) {
  const std::string models = support::source_dir() + "/models/";
  return open(name == kOnSprings ? describe::load_text(
                                       "name: " + name +
                                           "\ninclude: stewart_platform.yaml\nrepeat: {joints: {\"leg_{i}\": "
                                           "{stiffness: 2000, rest: reach}}}\n",
                                       models + name + ".yaml")
                                 : describe::load(models + name + ".yaml"),
              {.step = step, .integrator = integrator});
}

/// A million ticks of each instead of some thousand: TACTUS_LONG_TESTS=1.
bool long_tests() { return std::getenv("TACTUS_LONG_TESTS") != nullptr; }

double energy(Mechanism& mechanism) {
  const simulate::Energies e = mechanism.energies();
  return e.kinetic + e.potential;
}

/// The work of a held wrench while the port went from one place to another.
double work(const PortWrench& held, const PortMotion& from, const PortMotion& to) {
  const math::Vec3<double> way = to.X_WP.p - from.X_WP.p,
                           turned = math::rotation_vector(to.X_WP.R * from.X_WP.R.transposed());
  const auto& F = held.wrench;
  return F[0] * turned.x + F[1] * turned.y + F[2] * turned.z + F[3] * way.x + F[4] * way.y + F[5] * way.z;
}

/// What pushes in a tick: one wrench, or two at different ports.
struct Pushes {
  std::array<PortWrench, 2> held{};
  std::size_t count = 1;
  std::array<PortMotion, 2> from{};
  long with_two = 0;  // ticks

  std::span<const PortWrench> all() const { return {held.data(), count}; }
  /// Before a step.
  void begin(Mechanism& mechanism) {
    for (std::size_t i = 0; i < count; ++i) from[i] = mechanism.motion(held[i].port);
    with_two += count == 2;
  }
  /// After it.
  double work_done(Mechanism& mechanism) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += work(held[i], from[i], mechanism.motion(held[i].port));
    return sum;
  }
};

/// Another wrench at another port every 20 ticks, in half of these blocks one at each of two ports where
/// there are two, against the motion, so that it does not run away: some rad/s and m/s at most.
void push(Mechanism& mechanism, int tick, double force, std::mt19937_64& random, Pushes& pushes) {
  if (tick % 20 != 0) return;
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const std::size_t ports = mechanism.ports().size();
  pushes.count = ports > 1 && (tick / 20) % 2 == 1 ? 2 : 1;
  for (std::size_t k = 0; k < pushes.count; ++k) {
    PortWrench& held = pushes.held[k];
    held.port = static_cast<int>(random() % ports);
    if (k == 1 && held.port == pushes.held[0].port) held.port = (held.port + 1) % static_cast<int>(ports);
    const auto& V = mechanism.motion(held.port).V_WP;
    for (std::size_t i = 0; i < 6; ++i) held.wrench[i] = force * (part(random) - std::tanh(0.5 * V[i]));
  }
}

struct Case {
  const char* model;
  double step;   // [s]
  double force;  // [N] and [N m] at most
};

class Passive : public ::testing::TestWithParam<Case> {};

/// A sum of many terms, rounded once.
struct Sum {
  double value = 0.0, rest = 0.0;
  void add(double x) {
    const double before = value, y = x - rest;
    value = before + y;
    rest = (value - before) - y;
  }
};

// Random wrenches at every port in turn and at two ports at once, new ones every 20 ticks. (Not here: the
// slider-crank, whose singular position it may not
// pass under load.)
TEST_P(Passive, WhatGoesInAtThePortsIsStoredOrBurnt) {
  const auto& [name, step, force] = GetParam();
  const auto mechanism = opened(name, step);
  std::mt19937_64 random(11);
  // Of the energy in play: what the issue asks for, of all ticks together and of each.
  constexpr double kBalance = 1e-12;
  const int ticks = long_tests() ? 1000000 : 20000;
  const double start = energy(*mechanism);
  double in_play = std::abs(start), last = start, burnt = 0.0, worst = 0.0, left = 0.0;
  Sum given;
  Pushes pushes;
  long allocations = 0;
  for (int k = 0; k < ticks; ++k) {
    push(*mechanism, k, force, random, pushes);
    pushes.begin(*mechanism);
    const long before = test::allocation_count_of_this_thread();
    const simulate::Tick tick = mechanism->step({.ports = pushes.all()});
    allocations += test::allocation_count_of_this_thread() - before;
    ASSERT_TRUE(tick.ok()) << mechanism->explain(tick.status) << " at " << k;
    const double now = pushes.work_done(*mechanism), here = energy(*mechanism),
                 loss = mechanism->books().friction_loss;
    given.add(now);
    in_play = support::larger(in_play, std::abs(now), std::abs(here), std::abs(given.value));
    worst = support::larger(worst, std::abs(here - last - (now - (loss - burnt))));
    last = here;
    burnt = loss;
    left = support::larger(left, std::abs(here - start - (given.value - loss)));
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_LE(worst, kBalance * in_play) << "J in one tick, of " << in_play << " J";
  EXPECT_LE(left, kBalance * in_play) << "J in all, of " << in_play << " J";
  EXPECT_GE(burnt, 0.0);
  EXPECT_GT(std::abs(given.value), 0.0);
  EXPECT_EQ(pushes.with_two, mechanism->ports().size() > 1 ? ticks / 2 : 0);
}
// Chains, loops (some redundant, one with a spring, one of eighteen rows), a free body, rolling, elastic joints.
INSTANTIATE_TEST_SUITE_P(Models, Passive,
                         testing::Values(Case{"double_pendulum", 1e-3, 5.0},
                                         Case{"double_pendulum", 2e-2, 5.0}, Case{"planar_3r", 5e-3, 1.0},
                                         Case{"four_bar", 1e-3, 1.0}, Case{"bricard", 1e-3, 0.2},
                                         Case{"rigid_body", 1e-3, 1.0}, Case{"shopping_cart", 2e-3, 20.0},
                                         Case{"rolling_disk", 1e-3, 0.1}, Case{"flexible_3r", 1e-3, 1.0},
                                         Case{"andrews", 1e-4, 0.01}, Case{kOnSprings, 1e-3, 5.0},
                                         Case{"stewart_platform", 1e-3, 5.0}),
                         [](const auto& test) {
                           return std::string(test.param.model) + "_" +
                                  std::to_string(std::lround(1e6 * test.param.step)) + "_us";
                         });

// Places are rounded by their size, and with them the directions of parts that are held at both ends: a platform that was let fall for six minutes is
// 600 km below, its plate turns by some 1e-9 rad from look to look, and the speeds in its axes with it. That is no reason to find no step.
TEST(PassiveIntegrator, GoesOnWherePlacesAreRoundedByTheirSize) {
  for (const double fallen : {1e3, 6e5, 5e6}) {
    const auto mechanism = opened("stewart_platform", 1e-3);
    simulate::State state = mechanism->state();
    const auto coordinate = [&](const std::string& name) -> double& {
      const auto& names = mechanism->coordinate_names();
      return state.q[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
    };
    const auto speed = [&](const std::string& name) -> double& {
      const auto& names = mechanism->speed_names();
      return state.u[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
    };
    const double falling = std::sqrt(2.0 * 9.81 * fallen);
    coordinate("plate.z") -= fallen;
    speed("plate.vz") = -falling;
    // Legs point down, and the ankles are where they were.
    for (const char* i : {"1", "2", "3", "4", "5", "6"}) {
      const std::string hip = std::string("hip_") + i, leg = std::string("leg_") + i;
      const double before = coordinate(leg), a1 = coordinate(hip + ".angle1"),
                   a2 = coordinate(hip + ".angle2");
      const double x = before * std::sin(a2), y = -before * std::sin(a1) * std::cos(a2),
                   z = before * std::cos(a1) * std::cos(a2) - fallen;
      const double length = std::sqrt(x * x + y * y + z * z);
      coordinate(leg) = length;
      coordinate(hip + ".angle2") = std::asin(x / length);
      coordinate(hip + ".angle1") = std::atan2(-y, z);
      speed(leg) = falling * -z / length;
    }
    mechanism->set_state(state);
    std::mt19937_64 random(3);
    Pushes pushes;
    for (int k = 0; k < 3000; ++k) {
      push(*mechanism, k, 5.0, random, pushes);
      const simulate::Tick tick = mechanism->step({.ports = pushes.all()});
      ASSERT_TRUE(tick.ok()) << fallen << ": " << mechanism->explain(tick.status) << " at " << k;
    }
  }
}

/// A mass on a stiff spring, 1 kg and k N/m, with a weak damper.
std::unique_ptr<Mechanism> spring(double k, double step, Integrator integrator) {
  return open(
      describe::load_text(
          "name: spring\ngravity: [0, 0, 0]\nbodies: {block: {mass: 1}}\njoints: {x: {type: prismatic, "
          "parent: world, child: block, axis: x, damping: 0.1, stiffness: " +
              std::to_string(k) + "}}\ninitial: {q: {x: 0.01}}\n",
          "spring.yaml"),
      {.step = step, .integrator = integrator});
}

TEST(PassiveIntegrator, StaysWhereOthersFlyApart) {
  // omega h = 10: far beyond what explicit steps can follow.
  constexpr double kStiffness = 1e8, kStep = 1e-3;
  const auto passive = spring(kStiffness, kStep, Integrator::passive),
             rk4 = spring(kStiffness, kStep, Integrator::rk4);
  const double start = energy(*passive);
  double last = start;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(passive->step().ok());
    const double now = energy(*passive);
    ASSERT_LE(now, last * (1.0 + 1e-12));
    last = now;
  }
  EXPECT_NEAR(last, start - passive->books().friction_loss, 1e-12 * start * std::sqrt(1000.0));
  int steps = 0;
  while (steps < 1000 && rk4->step().ok()) ++steps;
  EXPECT_TRUE(steps < 1000 || energy(*rk4) > 1e3 * start);
}

// Second order, against a step that is far smaller.
TEST(PassiveIntegrator, IsOfSecondOrderWithLoopsAndRollingToo) {
  for (const char* name : {"double_pendulum", "four_bar", "shopping_cart", "rigid_body", "rolling_disk"}) {
    const auto end = [&](double step, Integrator integrator) {
      const auto mechanism = opened(name, step, integrator);
      const long steps = std::lround(0.5 / step);
      for (long k = 0; k < steps; ++k) EXPECT_TRUE(mechanism->step().ok()) << name;
      return mechanism->state();
    };
    const simulate::State exact = end(1e-4, Integrator::rk4);
    std::vector<double> errors;
    for (const double step : {4e-3, 2e-3, 1e-3}) {
      const simulate::State found = end(step, Integrator::passive);
      errors.push_back(
          support::larger(support::difference(found.q, exact.q), support::difference(found.u, exact.u)));
    }
    constexpr double kNothing = 1e-9;  // such motions are exact
    if (errors[0] < kNothing) continue;
    EXPECT_GT(errors[0] / errors[1], 3.4) << name << " " << errors[0];
    EXPECT_GT(errors[1] / errors[2], 3.4) << name << " " << errors[1];
    EXPECT_LT(errors[2], 0.1) << name;
  }
}

TEST(PassiveIntegrator, HoldsConstraints) {
  for (const char* name : {"four_bar", "slider_crank", "bricard", "shopping_cart", "stewart_platform"}) {
    const auto mechanism = opened(name, 2e-3);
    for (int k = 0; k < 2000; ++k) ASSERT_TRUE(mechanism->step().ok()) << name << " " << k;
    const simulate::ConstraintReport report = mechanism->constraint_report(false);
    for (std::size_t c = 0; c < mechanism->constraints().size(); ++c) {
      if (!mechanism->is_active(static_cast<int>(c))) continue;
      for (const std::size_t row : mechanism->constraints()[c].rows) {
        EXPECT_LE(std::abs(report.position_error[row]), 1e-10) << name;
        EXPECT_LE(std::abs(report.velocity_error[row]), 1e-9) << name;
      }
    }
  }
}

class PassiveContact : public ::testing::TestWithParam<Case> {};

// With contacts, stops and dry friction at joints: in no tick does the energy grow by more than went in at the ports, and the books say where the rest went.
TEST_P(PassiveContact, NeverGivesMoreThanWentIn) {
  const auto& [name, step, force] = GetParam();
  const auto mechanism = opened(name, step);
  std::mt19937_64 random(5);
  // Of the energy in play, per tick: roundings of the smooth step, of energies, and of the work as it is reckoned here.
  constexpr double kBalance = 5e-12;
  const int ticks = long_tests() ? 1000000 : 4000;
  const double start = energy(*mechanism);
  double given = 0.0, last = start, in_play = std::abs(start), excess = 0.0;
  Pushes pushes;
  long allocations = 0;
  for (int k = 0; k < ticks; ++k) {
    push(*mechanism, k, force, random, pushes);
    pushes.begin(*mechanism);
    const long before = test::allocation_count_of_this_thread();
    const simulate::Tick tick = mechanism->step({.ports = pushes.all()});
    allocations += test::allocation_count_of_this_thread() - before;
    ASSERT_TRUE(tick.ok()) << mechanism->explain(tick.status) << " at " << k << ", port "
                           << mechanism->ports()[static_cast<std::size_t>(pushes.held[0].port)].name;
    const double now = pushes.work_done(*mechanism), here = energy(*mechanism);
    given += now;
    in_play = support::larger(in_play, std::abs(now), std::abs(here), std::abs(given));
    excess = support::larger(excess, (here - last - now) / in_play);
    last = here;
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_LE(excess, kBalance);
  const simulate::Books books = mechanism->books();
  const double losses = books.impact_loss + books.friction_loss - books.correction_work - books.scheme_error;
  EXPECT_LE(std::abs(last - start - (given - losses)),
            kBalance * in_play * std::sqrt(static_cast<double>(ticks)));
  EXPECT_GT(std::abs(given), 0.0);
  EXPECT_GT(losses, 0.0);
}
INSTANTIATE_TEST_SUITE_P(Scenes, PassiveContact,
                         testing::Values(Case{"peg_in_hole", 1e-3, 0.2}, Case{"peg_in_hole", 5e-3, 0.1},
                                         Case{"chain_in_enclosure_rigid", 1e-3, 0.1},
                                         Case{"ramp_drop", 2e-3, 1.0}, Case{"newtons_cradle", 1e-3, 1.0},
                                         Case{"ball_in_bowl", 2e-3, 0.02}, Case{"box_drop", 2e-3, 5.0},
                                         Case{"puma560", 1e-3, 20.0}),
                         [](const auto& test) {
                           return std::string(test.param.model) + "_" +
                                  std::to_string(std::lround(1e6 * test.param.step)) + "_us";
                         });

TEST(PassiveIntegrator, SaysWhatItCannotDo) {
  EXPECT_THROW(opened("chain_in_enclosure", 1e-3), InputError);  // compliant
  EXPECT_THROW(opened("escapement", 1e-3), InputError);          // transitions
  EXPECT_THROW(open(describe::load(support::source_dir() + "/models/peg_in_hole.yaml"),
                    {.integrator = Integrator::passive, .contact = OpenOptions::Contact::events}),
               InputError);
}

}  // namespace
}  // namespace tactus::contact
