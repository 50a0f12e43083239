// The search for steady motions: from a state that moves to the nearest one, and of which family it is. Closed forms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tactus/describe/read/load.h>
#include <tactus/simulate/linear/linear_model.h>
#include "hand_made.h"

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using support::larger;
using Complex = std::complex<double>;
using Names = std::vector<std::string>;

/// [rad, m, rad/s, m/s] What the search leaves: it ends at accelerations of 1e-11, of eigenvalues of the size of one.
constexpr double kFound = 1e-9;

describe::Model model_named(const std::string& name) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml");
}

Instant initial(const describe::Model& model) { return read_instant(derive::Equations(model), "{}", ""); }

double value_of(const Names& names, const std::vector<double>& values, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return found == names.end() ? std::numeric_limits<double>::quiet_NaN()
                              : values[static_cast<std::size_t>(found - names.begin())];
}

/// One steady motion, found and looked at.
struct Found {
  Found(const describe::Model& of, const Instant& start, const SteadySearch& search) : model(of) {
    Linearization linearization(model, {});
    linear = linearization.at(linearization.steady(start, search));
    family = linearization.family(linear.at, search);
  }
  double q(const std::string& name) const { return value_of(model.coordinate_names(), linear.at.q, name); }
  double u(const std::string& name) const { return value_of(model.speed_names(), linear.at.u, name); }

  describe::Model model;
  LinearModel linear;
  Names family;
};

/// Distance of each from the nearest one here, each used once, by the largest.
double distance(const std::vector<Complex>& wanted, std::vector<Complex> here) {
  if (wanted.size() != here.size()) return std::numeric_limits<double>::infinity();
  double size = 0.0, worst = 0.0;
  for (const Complex& one : wanted) size = larger(size, std::abs(one));
  for (const Complex& one : wanted) {
    const auto nearest = std::min_element(here.begin(), here.end(), [&](const Complex& a, const Complex& b) {
      return std::abs(a - one) < std::abs(b - one);
    });
    worst = larger(worst, std::abs(*nearest - one) / size);
    here.erase(nearest);
  }
  return worst;
}

// Chaplygin's sleigh, v forward and w its turning, the mass centre a ahead of the blade. The blade's force goes through the blade and across
// it: along it m (v' - a w^2) = 0, about the blade (J + m a^2) w' + m a v w = 0. Both vanish where w = 0, whatever v is; about
// that w' = -m a v/(J + m a^2) w, stable with the mass centre in front.
TEST(Steady, OfASleighThatTurnsIsStraightRunningAtItsForwardSpeed) {
  constexpr double m = 10.0, J = 0.9, a = 0.2, v = 1.0, heading = 20.0 * M_PI / 180.0;
  const describe::Model model = model_named("sleigh");
  const Found straight(model, initial(model), {});
  EXPECT_TRUE(straight.linear.is_steady);
  EXPECT_FALSE(straight.linear.is_equilibrium);
  EXPECT_NEAR(straight.q("sleigh.angle"), heading, kFound);
  EXPECT_NEAR(straight.u("sleigh.x"), v * std::cos(heading), kFound);
  EXPECT_NEAR(straight.u("sleigh.y"), v * std::sin(heading), kFound);
  EXPECT_NEAR(straight.u("sleigh.angle"), 0.0, kFound);
  // Speeds are counted in the world's axes: the heading is one of the coordinates, and may be any.
  EXPECT_LT(distance({0.0, 0.0, -m * a * v / (J + m * a * a)}, straight.linear.eigenvalues), kFound);
  EXPECT_EQ(straight.family, (Names{"sleigh.x_dot", "sleigh.angle"}));
}

// The same with speeds of its own, v and w: its accelerations are then homogeneous of degree two in all unknowns, and Newton's step is always
// minus half of the speeds. Backwards too, where straight running is unstable.
TEST(Steady, IsFoundWhereAllAccelerationsAreQuadraticInTheSpeeds) {
  const auto sleigh = [](const std::string& v, const std::string& w) {
    return describe::load_text(
        "name: sleigh\nbodies: {s: {mass: 10, com: [0.2, 0, 0], inertia: [0.5, 0.5, 0.9]}}\n"
        "joints: {s: {type: planar, parent: world, child: s, axis: z, names: [x, y, th]}}\n"
        "speeds:\n  from_rates:\n    v: x_dot*cos(th) + y_dot*sin(th)\n    w: th_dot\n"
        "    aside: -x_dot*sin(th) + y_dot*cos(th)\n"
        "constraints: {blade: {type: rates, equations: [aside]}}\n"
        "initial: {q: {th: 0.7}, u: {v: " +
            v + ", w: " + w + "}}\n",
        "sleigh.yaml");
  };
  for (const double v : {1.0, -2.0, 0.3})
    for (const double w : {1.5, -4.0, 1e-3}) {
      SCOPED_TRACE(std::to_string(v) + " " + std::to_string(w));
      const describe::Model model = sleigh(std::to_string(v), std::to_string(w));
      const Found straight(model, initial(model), {});
      EXPECT_NEAR(straight.u("v"), v, 1e-6);  // nearest, and exactly so
      EXPECT_NEAR(straight.u("w"), 0.0, kFound);
      EXPECT_NEAR(straight.q("th"), 0.7, kFound);
      EXPECT_LT(distance({0.0, -10.0 * 0.2 * v / 1.3}, straight.linear.eigenvalues), 1e-6);
      EXPECT_EQ(straight.family, Names{"v"});
    }
}

// The cart of [Gillespie2003]: the caster is a particle on its wheel's contact P3, so that about P3 nothing resists its turning and the hinge P2
// bears no force across it. The force along it is of second order (the speed of P3 along c1 is u1 cos q4 + L2 u2 sin q4), and to first order the
// basket does not feel the caster: (I_B + m_B L1^2) u2' = -m_B L1 u1 u2. P3 does not slide: L3 u3 = -u1 sin q4 + L2 u2 cos q4, q4' = u3 - u2.
// So 0, -m_B L1 u1/(I_B + m_B L1^2), and -u1/L3 with the caster trailing (q4 = 0), u1/L3 with it leading (q4 = 180 deg).
TEST(Steady, OfAShoppingCartIsRollingStraightAndItsCasterIsStableWhereItTrails) {
  constexpr double m_B = 20.0, I_B = 2.5, L1 = 0.4, L3 = 0.15, u1 = 1.2;
  const describe::Model model = model_named("shopping_cart");
  for (const double direction : {1.0, -1.0})
    for (const Names& held : {Names{"u1"}, Names{}}) {
      SCOPED_TRACE(direction);
      Instant start = initial(model);
      if (direction < 0.0) start.q[3] = M_PI - 0.4;
      const Found straight(model, start, {held, {}});
      EXPECT_TRUE(straight.linear.is_steady);
      EXPECT_NEAR(straight.q("q4"), direction > 0.0 ? 0.0 : M_PI, kFound);
      EXPECT_NEAR(straight.u("u1"), u1, kFound);
      EXPECT_NEAR(straight.u("u2"), 0.0, kFound);
      EXPECT_NEAR(straight.u("u3"), 0.0, kFound);
      EXPECT_EQ(straight.linear.kept, Names{"q4"});  // nothing accelerates by it, and yet it moves
      EXPECT_LT(distance({0.0, -m_B * L1 * u1 / (I_B + m_B * L1 * L1), -direction * u1 / L3},
                         straight.linear.eigenvalues),
                1e-8);
      EXPECT_EQ(straight.family, held.empty() ? Names{"u1"} : Names{});
    }
}

// The same by another road: the motion itself, from a caster that is a little askew. Nothing else moves, and its angle falls by exp(-u1/L3 t).
TEST(Steady, ACasterALittleAskewFallsAsItsEigenvalueSays) {
  constexpr double kAskew = 1e-4;  // [rad] what is of second order is smaller by as much
  constexpr double kTime = 0.2, u1 = 1.2, L3 = 0.15;
  const describe::Model model = model_named("shopping_cart");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  Simulation cart(dynamics, {.step = 1e-3});
  cart.set_state({0.0, {0.0, 0.0, 0.0, kAskew}, {u1, 0.0, -u1 * std::sin(kAskew) / L3, 0.0}, {}});
  for (int step = 0; step < std::lround(kTime / 1e-3); ++step) ASSERT_TRUE(cart.step().ok());
  EXPECT_NEAR(cart.state().q[3] / kAskew, std::exp(-u1 / L3 * kTime), 1e-4);
  EXPECT_NEAR(cart.state().q[2], 0.0, kAskew * kAskew);
}

// A tractor with a trailer hitched on its axle: as many angles that fade by themselves as trailers, -v/L each, and no force by any of them.
TEST(Steady, AnglesThatFadeByThemselvesAreNotIgnorable) {
  const describe::Model model = describe::load_text(
      "name: train\n"
      "bodies:\n  tractor: {mass: 5, com: [0.2, 0, 0], inertia: [0.2, 0.2, 0.4]}\n"
      "  trailer: {mass: 1, com: [-0.5, 0, 0]}\n"
      "joints:\n  s: {type: planar, parent: world, child: tractor, axis: z, names: [x, y, th]}\n"
      "  hitch: {type: revolute, parent: tractor, child: trailer, axis: z}\n"
      "frames: {axle: {body: trailer, placement: {xyz: [-0.5, 0, 0]}}}\n"
      "constraints:\n  blade: {type: rolling, kind: knife_edge, b: tractor}\n"
      "  wheels: {type: rolling, kind: knife_edge, b: axle}\n"
      "initial: {u: {x: 2}}\n",
      "train.yaml");
  Linearization linearization(model, {});
  const LinearModel linear = linearization.at(initial(model));
  EXPECT_TRUE(linear.is_steady);
  EXPECT_EQ(linear.kept, Names{"hitch"});
  EXPECT_LT(distance({0.0, -5.0 * 0.2 * 2.0 / 0.6, -2.0 / 0.5}, linear.eigenvalues), 1e-9);
  for (const Complex& zero : linear.ignorable_eigenvalues) EXPECT_LT(std::abs(zero), 1e-6);
}

// A bicycle that rolls upright: hands off it could do so at any speed; a circle needs a torque at the handlebar, but for the speed at which it
// begins to capsize.
TEST(Steady, OfABicycleIsOneOfAFamilyBySpeedAndWithATorqueByLean) {
  const describe::Model model = model_named("single_track");
  const Found hands_off(model, initial(model), {});
  EXPECT_NEAR(hands_off.u("rear"), 4.6 / 0.3, kFound);
  EXPECT_EQ(hands_off.family, Names{"rear_dot"});
  const Found steered(model, initial(model), {{}, {"steer"}});
  EXPECT_EQ(steered.family, (Names{"rear_dot", "tau_steer"}));
}

// A car whose front wheel is stuck askew goes in a circle, however fast.
TEST(Steady, OfOneFreedomWithoutForcesIsAnyOfItsSpeeds) {
  const describe::Model model = describe::load_text(
      "name: car\nbodies: {b: {mass: 10, com: [0.3, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {p: {type: planar, parent: world, child: b, axis: z, names: [x, y, th]}}\n"
      "constraints:\n  back: {type: rolling, kind: knife_edge, b: b}\n"
      "  front: {type: rolling, kind: knife_edge, b: {body: b, placement: {xyz: [1, 0, 0], rpy: [0, 0, "
      "0.3]}}}\n"
      "initial: {u: {x: 0.4/tan(0.3), th: 0.4}}\n",
      "car.yaml");
  const Found circle(model, initial(model), {});
  EXPECT_TRUE(circle.linear.is_steady);
  EXPECT_NEAR(circle.u("th"), 0.4, kFound);
  EXPECT_EQ(circle.family, Names{"th_dot"});
}

// What stands alone has no family.
TEST(Steady, OfAPendulumStandsAlone) {
  const describe::Model model = model_named("pendulum");
  Instant start = initial(model);
  start.q[0] = 0.3;
  const Found hanging(model, start, {});
  EXPECT_NEAR(hanging.q("q"), 0.0, kFound);
  EXPECT_TRUE(hanging.family.empty());
}

// A spring that is just as stiff as the weight of the pendulum that it holds upright: nothing accelerates to second order, at rest or moving, and yet only
// rest is steady.
TEST(Steady, AFamilyIsOneFurtherAlongToo) {
  const describe::Model model = describe::load_text(
      "name: upright\nbodies: {b: {mass: 1, com: [0, 0, 1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n"
      "springs: {s: {type: joint, joint: q, stiffness: 9.81}}\n",
      "upright.yaml");
  const Found upright(model, initial(model), {});
  EXPECT_TRUE(upright.linear.is_equilibrium);
  EXPECT_TRUE(upright.family.empty());
}

// Where everything is prescribed, nothing is left to accelerate, and no number is made of that.
TEST(Steady, OfADrivenCrankIsWhatItsDriveSays) {
  const describe::Model model = describe::load_text(
      "name: crank\nbodies: {b: {mass: 1, com: [0, 0, 1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: b, axis: y}}\n"
      "constraints: {drive: {type: motion, joint: q, equals: 2*t}}\n",
      "crank.yaml");
  Linearization linearization(model, {});
  const LinearModel linear = linearization.at(initial(model));
  EXPECT_EQ(linear.later_change, 0.0);
  EXPECT_TRUE(linear.is_steady);
  EXPECT_TRUE(linear.eigenvalues.empty());
}

}  // namespace
}  // namespace tactus::simulate
