// Motions that a port does not show, damped while it moves: an arm of seven joints whose hand goes on by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/internal_motion.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/port_view.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

/// Bent, and all of it moving.
std::unique_ptr<simulate::Mechanism> seven_joints() {
  const char* const axes[] = {"z", "y", "z", "y", "z", "y", "z"};
  const double q[] = {0.1, 0.6, -0.3, 1.0, 0.4, 0.7, 0.2}, u[] = {0.5, -0.4, 0.8, 0.3, -0.6, 0.5, 0.4};
  std::string bodies, joints, at, speeds;
  for (int i = 0; i < 7; ++i) {
    const std::string name = std::to_string(i);
    bodies += "  b" + name + ": {mass: 2, com: [0.01, 0, 0.1], inertia: [0.02, 0.015, 0.01]}\n";
    joints += "  q" + name +
              ": {type: revolute, parent: " + (i == 0 ? "world" : "b" + std::to_string(i - 1)) +
              ", child: b" + name + ", axis: " + axes[i] + ", placement: {xyz: [0, 0, 0.2]}}\n";
    at += (i == 0 ? "q" : ", q") + name + ": " + std::to_string(q[i]);
    speeds += (i == 0 ? "q" : ", q") + name + ": " + std::to_string(u[i]);
  }
  return contact::open(
      describe::load_text("name: seven\ngravity: [0, 0, 0]\nbodies:\n" + bodies + "joints:\n" + joints +
                              "frames: {hand: {body: b6, placement: {xyz: [0, 0, 0.1]}, grasp: true}}\n" +
                              "initial: {q: {" + at + "}, u: {" + speeds + "}}\n",
                          "seven.yaml"),
      {.step = 1e-3});
}

/// [J] of the port's motion alone: V^T Lambda V/2, the least kinetic energy with which it can move so.
double shown(simulate::Mechanism& arm, int hand) {
  control::Matrix6 L;
  arm.mobility(hand, L);
  const Vector6 V = arm.motion(hand).V_WP;
  Vector6 P = V;
  EXPECT_TRUE(control::solve_at_port(L, device::kAllAxes, P));
  double energy = 0.0;
  for (std::size_t i = 0; i < 6; ++i) energy += 0.5 * V[i] * P[i];
  return energy;
}

/// By 4 rad/s besides, along what the hand does not show: against the damper's forces.
void swing_elbow(simulate::Mechanism& arm, int hand) {
  control::InternalDamper damper(arm, hand, device::kAllAxes, 1e-3);
  simulate::PortWrench none{hand, {}};
  damper.damp({&none, 1});
  double size = 0.0;
  for (const double t : damper.tau()) size += t * t;
  ASSERT_GT(size, 0.0);
  simulate::State state = arm.state();
  for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] -= 4.0 * damper.tau()[i] / std::sqrt(size);
  arm.set_state(state);
}

TEST(InternalDamping, LeavesThePortsAccelerationAsItIs) {
  const auto arm = seven_joints();
  const int hand = arm->port("hand");
  const simulate::PortWrench pull{hand, {0.1, 0.2, -0.3, 4.0, -5.0, 6.0}};
  for (const double damping : {0.1, 3.0, 1e6, 1e12}) {
    ASSERT_TRUE(arm->hold({.tau = {}, .ports = {&pull, 1}, .wrench = {}}));
    const Vector6 before = arm->acceleration(hand);
    control::InternalDamper damper(*arm, hand, device::kAllAxes, damping);
    simulate::PortWrench acting = pull;
    damper.damp({&acting, 1});
    double force = 0.0, size = 0.0;
    for (const double t : damper.tau()) force = support::larger(force, std::abs(t));
    EXPECT_GT(force, 1e-3) << damping;
    ASSERT_TRUE(arm->hold({.tau = damper.tau(), .ports = {&acting, 1}, .wrench = {}}));
    const Vector6 after = arm->acceleration(hand);
    for (const double a : before) size = support::larger(size, std::abs(a));
    for (const double t : damper.tau()) size = support::larger(size, std::abs(t));
    constexpr double kRounding =
        1e-10;  // of what forces at the joints do to accelerations, [1/(kg m^2)] some 100
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(after[i], before[i], kRounding * (1.0 + size)) << damping;
  }
}

// Whatever the damping: no tick gives energy, and what is left is what the port's own motion has.
TEST(InternalDamping, TakesEnergyInEveryTickUntilThePortAloneMoves) {
  double free = 0.0;
  for (const double damping : {0.0, 30.0, 1e6, 1e12}) {
    const auto arm = seven_joints();
    const int hand = arm->port("hand");
    swing_elbow(*arm, hand);
    FullPort port(*arm, hand, {.internal_damping = damping});
    double before = port.energy();
    const double began = before, inside = began - shown(*arm, hand);
    ASSERT_GT(inside, 0.1 * began);
    constexpr double kScheme = 1e-9;  // of the energy: rk4 in a tick of 1 ms at some 1 rad/s
    for (int k = 0; k < 300; ++k) {
      const long allocated = test::allocation_count_of_this_thread(),
                 locks = test::lock_count_of_this_thread();
      port.begin();
      const bool well = port.step({}).ok();
      ASSERT_EQ(test::allocation_count_of_this_thread(), allocated);
      ASSERT_EQ(test::lock_count_of_this_thread(), locks);
      ASSERT_TRUE(well);
      const double now = port.energy();
      ASSERT_TRUE(now <= before + kScheme * began) << damping << " " << k << " " << now - before;
      before = now;
    }
    if (damping == 0.0) {
      free = before;
      EXPECT_NEAR(free, began, 1e-7 * began);
      continue;
    }
    EXPECT_LT(before, free);
    // Of what was inside: velocity's products feed it, some 1/s beside a damping of hundreds.
    constexpr double kLeft = 0.01;
    EXPECT_NEAR(before, shown(*arm, hand), kLeft * inside) << damping;
  }
}

// As many joints as the port has freedoms: u - Jbar V is rounding there, and 1e12 of it would drive the arm.
TEST(InternalDamping, MakesNoForcesOfRoundingWhereNothingMovesInside) {
  const std::pair<const char*, std::vector<double>> arms[] = {{"ur5.yaml", {0.3, -1.0, 1.2, -0.7, 0.9, 0.4}},
                                                              {"planar_3r.yaml", {0.3, -0.8, 0.6}}};
  for (const auto& [name, q] : arms)
    for (const double damping : {3.0, 1e12, 1e300}) {
      describe::Model model = describe::load(support::source_dir() + "/models/" + name);
      model.gravity = describe::Vec3{};
      std::unique_ptr<simulate::Mechanism> free = contact::open(model, {.step = 1e-3}),
                                           damped = contact::open(model, {.step = 1e-3});
      const simulate::State began{.t = 0.0, .q = q, .u = std::vector<double>(q.size(), 0.4), .momentum = {}};
      free->set_state(began);
      damped->set_state(began);
      const int hand = free->port(free->model().frames.back().name);
      FullPort without(*free, hand, {}), with(*damped, hand, {.internal_damping = damping});
      const double energy = without.energy();
      constexpr double kRounding = 1e-9;  // of places and speeds of about 1, after 300 ticks
      for (int k = 0; k < 300; ++k) {
        without.begin();
        with.begin();
        ASSERT_TRUE(without.step({}).ok() && with.step({}).ok()) << name << damping;
      }
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_NEAR(damped->state().q[i], free->state().q[i], kRounding) << name << damping;
        EXPECT_NEAR(damped->state().u[i], free->state().u[i], kRounding) << name << damping;
        EXPECT_GT(std::abs(free->state().q[i] - q[i]), 1e-3) << name;  // it moved
      }
      EXPECT_NEAR(with.energy(), energy, kRounding * (1.0 + std::abs(energy))) << name << damping;
    }
}

TEST(InternalDamping, SaysWhereItCannotBe) {
  for (const char* name : {"shopping_cart.yaml", "chain_in_enclosure.yaml", "puma560.yaml"}) {
    const describe::Model model = describe::load(support::source_dir() + "/models/" + name);
    const auto mechanism = contact::open(model);
    EXPECT_THROW(control::InternalDamper(*mechanism, 0, device::kAllAxes, 1.0), InputError) << name;
  }
  const auto arm = seven_joints();
  for (const double none : {-1.0, std::nan("")})
    EXPECT_THROW(control::InternalDamper(*arm, 0, device::kAllAxes, none), InputError) << none;
}

}  // namespace
}  // namespace tactus::display
