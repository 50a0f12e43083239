// Surfaces given by a formula that roll, or are rolled on: against the closed forms that there are for some of them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/describe/read/load.h>
#include <tactus/math/rotation.h>
#include <tactus/simulate/constraints/assembly.h>
#include "hand_made.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using namespace test;

/// Two roads to one motion, a thousand steps: rounding, grown along the way.
constexpr double kSameMotion = 1e-9;

State start_of(const Dynamics& dynamics, const describe::Model& model) {
  return assemble(dynamics, {0.0, model.initial_q, model.initial_u, {}});
}

State after(const std::string& text, double duration) {
  const describe::Model model = describe::load_text(text, "text.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  return simulate_for(dynamics, start_of(dynamics, model), duration, {.step = 1e-3});
}

TEST(RollingSurface, OfAnEllipsoidMovesLikeTheClosedFormWhateverItsFormula) {
  const std::string body =
      "name: hull\nparameters: {a: 0.2, b: 0.03, c: 0.02}\n"
      "bodies: {hull: {mass: 1, com: [0, 0, -0.01], inertia: [2e-4, 16e-4, 17e-4, -2e-5, 0, 0]}}\n"
      "joints: {base: {type: free, parent: world, child: hull}}\n"
      "initial:\n  q: {base.z: c, base.qw: 0.99999, base.qy: sqrt(1 - 0.99999^2)}\n  u: {base.wz: -5}\n"
      "constraints:\n  table: {type: rolling, b: hull, ";
  const State closed = after(body + "kind: ellipsoid_on_plane, semi_axes: [a, b, c]}\n", 1.0);
  for (const char* surface :
       {"x^2/a^2 + y^2/b^2 + z^2/c^2 - 1", "sqrt(x^2/a^2 + y^2/b^2 + z^2/c^2 + 1) - sqrt(2)",
        "exp(x^2/a^2 + y^2/b^2 + z^2/c^2) - exp(1)", "sqrt(x^2/a^2 + y^2/b^2 + z^2/c^2) - 1",
        "log(x^2/a^2 + y^2/b^2 + z^2/c^2)"}) {
    const State by_formula = after(body + "kind: surface_on_plane, surface: \"" + surface + "\"}\n", 1.0);
    EXPECT_LT(distance(closed, by_formula), kSameMotion) << surface;
  }
}

// Written as a distance: its second derivatives are singular across the surface, everywhere, and it has no gradient at the middle.
TEST(RollingSurface, OfASphereByItsDistanceMovesLikeThePolynomial) {
  const std::string body =
      "name: ball\nparameters: {r: 0.03}\n"
      "bodies: {ball: {mass: 0.2, com: [0.004, 0, 0.002], inertia: [7e-5, 8e-5, 9e-5]}}\n"
      "joints: {ball: {type: free, parent: world, child: ball}}\n"
      "initial: {q: {ball.z: r}, u: {ball.wx: 3, ball.wy: 10, ball.wz: 5}}\n"
      "constraints: {roll: {type: rolling, b: ball, kind: ";
  const State built_in = after(body + "sphere_on_plane, radius: r}}\n", 1.0);
  for (const char* surface : {"x^2 + y^2 + z^2 - r^2", "sqrt(x^2 + y^2 + z^2) - r"})
    EXPECT_LT(distance(built_in, after(body + "surface_on_plane, surface: " + surface + "}}\n", 1.0)),
              kSameMotion)
        << surface;
  // An egg, not where the search begins.
  const auto egg = [&](const char* surface) {
    return after(
        "name: egg\nbodies: {egg: {mass: 1, com: [0.002, 0, -0.01], inertia: [2e-3, 3e-3, 4e-3]}}\n"
        "joints: {egg: {type: free, parent: world, child: egg}}\n"
        "initial: {q: {egg.z: 0.2}, u: {egg.wx: 1, egg.wy: 2, egg.wz: 3}}\n"
        "constraints: {roll: {type: rolling, b: egg, kind: surface_on_plane, surface: " +
            std::string(surface) + "}}\n",
        1.0);
  };
  EXPECT_LT(distance(egg("x^2/0.01 + y^2/0.02 + z^2/(0.04 + 0.08*z) - 1"),
                     egg("sqrt(x^2/0.01 + y^2/0.02 + z^2/(0.04 + 0.08*z)) - 1")),
            kSameMotion);
}

TEST(RollingSurface, OfABowlByItsDistanceMovesLikeThePolynomial) {
  const std::string ball =
      "name: bowl\nparameters: {R: 0.5, r: 0.05}\nbodies: {ball: {mass: 0.2, inertia: [2e-4, 2e-4, 2e-4]}}\n"
      "joints: {ball: {type: free, parent: world, child: ball}}\n"
      "initial: {q: {ball.x: (R - r)*sin(0.6), ball.z: -(R - r)*cos(0.6)}, u: {ball.wz: 4, ball.wx: 5}}\n"
      "constraints: {roll: {type: rolling, kind: sphere_on_surface, b: ball, radius: r, surface: ";
  EXPECT_LT(distance(after(ball + "R^2 - x^2 - y^2 - z^2}}\n", 1.0),
                     after(ball + "R - sqrt(x^2 + y^2 + z^2)}}\n", 1.0)),
            kSameMotion);
}

TEST(RollingSurface, APlaneUnderASphereIsThePlaneOfTheBuiltInOne) {
  const std::string body =
      "name: ball\nbodies: {ball: {mass: 0.2, com: [0.004, 0, 0.002], inertia: [7e-5, 8e-5, 9e-5]}}\n"
      "joints: {ball: {type: free, parent: world, child: ball}}\n"
      "initial: {q: {ball.z: 0.03}, u: {ball.wx: 3, ball.wy: 10, ball.wz: 5}}\n"
      "constraints: {roll: {type: rolling, b: ball, radius: 0.03, kind: ";
  EXPECT_LT(distance(after(body + "sphere_on_plane}}\n", 1.0),
                     after(body + "sphere_on_surface, surface: exp(z) - 1}}\n", 1.0)),
            kSameMotion);
}

// A ball of radius r in a bowl of radius R, no spin: its centre swings like a pendulum of length 7/5 (R - r).
TEST(RollingSurface, ABallInARoundBowlSwingsAsItsClosedFormSays) {
  constexpr double kR = 0.5, kr = 0.05, kAngle = 0.6;
  const describe::Model model = describe::load_text(
      "name: bowl\nparameters: {R: 0.5, r: 0.05}\n"
      "bodies: {ball: {mass: 0.2, inertia: [2e-4, 2e-4, 2e-4]}}\n"  // 2/5 m r^2
      "joints: {ball: {type: free, parent: world, child: ball}}\n"
      "initial: {q: {ball.x: (R - r)*sin(0.6), ball.z: -(R - r)*cos(0.6)}}\n"
      "constraints: {roll: {type: rolling, kind: sphere_on_surface, b: ball, radius: r, surface: R^2 - x^2 - "
      "y^2 - z^2}}\n",
      "bowl.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  // The pendulum th'' = -5/7 g/(R - r) sin th by Stoermer's method, to the fourth order by Richardson: two halves and one.
  const double k = 5.0 / 7.0 * 9.81 / (kR - kr);
  const auto verlet = [&](double a, double w, double step) {
    const double half = w - 0.5 * step * k * std::sin(a), next = a + step * half;
    return std::pair{next, half - 0.5 * step * k * std::sin(next)};
  };
  const auto worst_with = [&](double step) {
    Simulation simulation(dynamics, {.step = step});
    simulation.set_state(start_of(dynamics, model));
    constexpr int kFine = 20;
    const double h = step / kFine;
    double th = kAngle, rate = 0.0, worst = 0.0;
    for (int i = 0; i < std::lround(3.0 / step); ++i) {
      const Status status = simulation.step();
      EXPECT_TRUE(status.ok()) << simulation.explain(status);
      for (int j = 0; j < kFine; ++j) {
        const auto [a1, w1] = verlet(th, rate, h);
        const auto [a2, w2] = verlet(th, rate, 0.5 * h);
        const auto [a3, w3] = verlet(a2, w2, 0.5 * h);
        th = a3 + (a3 - a1) / 3.0;
        rate = w3 + (w3 - w1) / 3.0;
      }
      const State& s = simulation.state();
      worst = support::larger(worst, std::abs(s.q[0] - (kR - kr) * std::sin(th)),
                              std::abs(s.q[2] + (kR - kr) * std::cos(th)), std::abs(s.q[1]));
    }
    return worst;
  };
  const double coarse = worst_with(2e-3), fine = worst_with(1e-3);
  EXPECT_LT(fine, 1e-8);                  // [m] of the integrator ...
  EXPECT_NEAR(coarse / fine, 16.0, 2.0);  // ... which is of the fourth order
}

// A rounded cube, |x|^4 + |y|^4 + |z|^4 = a^4: where Newton's iteration does not find its lowest point, at some of the places where rows are measured,
// its rows have no size. Its height over the plane in closed form: a (|n_x|^(4/3) + |n_y|^(4/3) + |n_z|^(4/3))^(3/4), n the plane's normal in its axes.
TEST(RollingSurface, ARoundedCubeIsHeldByAllOfItsRows) {
  const describe::Model model = describe::load_text(
      "name: cube\nbodies: {b: {mass: 1, com: [0.01, 0.02, -0.03], inertia: [0.01, 0.02, 0.015, 0.001, 0, "
      "0]}}\n"
      "joints: {b: {type: free, parent: world, child: b}}\n"
      "constraints: {r: {type: rolling, kind: surface_on_plane, surface: 'x^4 + y^4 + z^4 - 0.0016', b: b}}\n"
      "initial: {q: {b.z: 0.25, b.qw: 0.9, b.qx: 0.3, b.qy: 0.3, b.qz: 0.1}}\n",
      "cube.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  for (const double size : dynamics.constraints->scale) {
    EXPECT_GT(size, 0.1);
    EXPECT_LT(size, 100.0);  // an arm of some tenths of a metre over moments of a hundredth: below ten
  }
  Simulation simulation(dynamics, {.step = 1e-3});
  simulation.set_state(start_of(dynamics, model));
  double gap = 0.0;
  for (int i = 0; i < 100; ++i) {
    const Status status = simulation.step();
    ASSERT_TRUE(status.ok()) << simulation.explain(status);
    const State& s = simulation.state();
    const math::Mat3<double> R = math::rotation_of(math::Quaternion<double>{s.q[3], s.q[4], s.q[5], s.q[6]});
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::pow(std::abs(R(2, k)), 4.0 / 3.0);
    gap = support::larger(gap, std::abs(s.q[2] - 0.2 * std::pow(sum, 0.75)));
  }
  EXPECT_LT(gap, 1e-9);  // [m] as near as positions are held
  double moving = 0.0;
  for (const double u : simulation.state().u) moving += std::abs(u);
  EXPECT_GT(moving, 0.3);  // it tips over
}

// Energy, contact and slip of the egg, its lowest point found by another road: by search over the surface.
TEST(RollingSurface, AnEggKeepsItsEnergyAndTouchesWithItsLowestPoint) {
  const describe::Model model = describe::load(support::source_dir() + "/models/egg.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  const generate::Kernel energy = generate::compile(equations.energy());
  Simulation simulation(dynamics, {.step = 5e-4});
  simulation.set_state(start_of(dynamics, model));
  const auto energy_of = [&](const State& s) {
    std::vector<double> in{s.t}, out(energy.output_size()), work(energy.work_size());
    in.insert(in.end(), s.q.begin(), s.q.end());
    in.insert(in.end(), s.u.begin(), s.u.end());
    energy(in.data(), out.data(), work.data());
    return out[0] + out[1];
  };
  // Of the surface of revolution about x: the radius at x.
  const auto radius = [](double x) {
    return 0.022 * std::sqrt((1.0 - x * x / (0.029 * 0.029)) / (1.0 + 0.15 * x / 0.029));
  };
  const double before = energy_of(simulation.state());
  double gap = 0.0, drift = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const Status status = simulation.step();
    ASSERT_TRUE(status.ok()) << simulation.explain(status);
    const State& s = simulation.state();
    drift = support::larger(drift, std::abs(energy_of(s) - before));
    if (i % 40 != 0) continue;
    const math::Mat3<double> R = math::rotation_of(math::Quaternion<double>{s.q[3], s.q[4], s.q[5], s.q[6]});
    // Heights of circles about the axis: R_zx x - radius(x) sqrt(1 - R_zx^2), lowest by golden sections.
    const double up = R(2, 0), across = std::sqrt(1.0 - up * up);
    const auto height = [&](double x) { return up * x - radius(x) * across; };
    double low = -0.029, high = 0.029;
    for (int turn = 0; turn < 60; ++turn) {
      const double third = (high - low) * 0.381966, left = low + third, right = high - third;
      if (height(left) < height(right))
        high = right;
      else
        low = left;
    }
    gap = support::larger(gap, std::abs(s.q[2] + height(0.5 * (low + high))));
  }
  EXPECT_LT(gap, 1e-12);  // [m] as the constraints are held
  EXPECT_LT(drift, 1e-7 * before);
}

TEST(RollingSurface, ThatIsFlatWhereItTouchesEndsTheRunWithAWord) {
  // A rounded cube stands on a face whose curvature vanishes: there is no point of contact to be found.
  const describe::Model model = describe::load_text(
      "name: cube\nbodies: {cube: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {cube: {type: free, parent: world, child: cube}}\ninitial: {q: {cube.z: 0.1}, u: {cube.wx: "
      "1}}\n"
      "constraints: {roll: {type: rolling, kind: surface_on_plane, b: cube, surface: x^4 + y^4 + z^4 - "
      "1e-4}}\n",
      "cube.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  EXPECT_THROW(
      {
        Simulation simulation(dynamics, {.step = 1e-3});
        simulation.set_state(start_of(dynamics, model));
        for (int i = 0; i < 100; ++i)
          if (const Status status = simulation.step(); !status.ok())
            throw InputError({}, simulation.explain(status), "");
      },
      InputError);
}

/// Steps until it ends, and why it did.
std::pair<double, std::string> end_of(const std::string& text, double duration) {
  const describe::Model model = describe::load_text(text, "text.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  try {
    Simulation simulation(dynamics, {.step = 1e-3});
    simulation.set_state(start_of(dynamics, model));
    for (int i = 0; i < std::lround(duration / 1e-3); ++i)
      if (const Status status = simulation.step(); !status.ok())
        return {simulation.state().t, simulation.explain(status)};
  } catch (const InputError& error) {
    return {0.0, error.what()};
  }
  return {duration, ""};
}

// The point next to the ball's centre is one at which the ball would cut the bowl: r = 0.2 in a bowl whose radius is 0.1 at its bottom and more outside.
TEST(RollingSurface, ABallThatIsTooLargeForItsBowlIsRefusedWhereItDoesNotFit) {
  const auto bowl = [](double r, const std::string& start) {
    return "name: bowl\nparameters: {r: " + std::to_string(r) +
           "}\nbodies: {ball: {mass: 0.2, inertia: [2e-4, 2e-4, 2e-4]}}\n"
           "joints: {ball: {type: free, parent: world, child: ball}}\ninitial: {q: {" +
           start +
           "}}\nconstraints: {roll: {type: rolling, kind: sphere_on_surface, b: ball, radius: r, surface: z "
           "- "
           "5*(x^2 + y^2)}}\n";
  };
  EXPECT_EQ(end_of(bowl(0.09, "ball.z: r"), 0.5).second, "");
  const auto [at_once, said] = end_of(bowl(0.2, "ball.z: r"), 0.5);
  EXPECT_EQ(at_once, 0.0);
  EXPECT_NE(said.find("narrower than what rolls in it"), std::string::npos) << said;
  // At x it bends by 10/(1 + 100 x^2)^1.5 per metre along the slope, and by 10/(1 + 100 x^2)^0.5 across: the ball fits beyond x = sqrt(3)/10. Let go at 0.25 on the slope
  // it rolls down to there.
  const double x = 0.25, s = std::sqrt(1.0 + 100.0 * x * x);
  const auto [later, why] = end_of(bowl(0.2, "ball.x: 0.25 - 0.2*" + std::to_string(10.0 * x / s) +
                                                 ", ball.z: 5*0.0625 + 0.2/" + std::to_string(s)),
                                   2.0);
  EXPECT_GT(later, 0.05);
  EXPECT_LT(later, 1.0);
  EXPECT_NE(why.find("`roll"), std::string::npos) << why;
}

// Cassini's oval turned about its axis has a waist: it cannot stand on that.
TEST(RollingSurface, AHollowOneIsWarnedOfAndDoesNotStandOnItsHollow) {
  const auto oval = [](const char* waist) {
    return std::string(
               "name: oval\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
               "joints: {b: {type: free, parent: world, child: b}}\ninitial: {q: {b.z: 0.4}}\n"
               "constraints: {roll: {type: rolling, kind: surface_on_plane, b: b, surface: "
               "(x^2 + y^2 + z^2)^2 - ") +
           waist + "*(x^2 - y^2 - z^2) - 0.3}}\n";
  };
  const describe::Model hollow = describe::load_text(oval("2"), "text.yaml"),
                        round = describe::load_text(oval("0.1"), "text.yaml");
  ASSERT_EQ(hollow.warnings.size(), 1u);
  EXPECT_NE(hollow.warnings[0].find("text.yaml:5:"), std::string::npos) << hollow.warnings[0];
  EXPECT_NE(hollow.warnings[0].find("the surface is hollow at ("), std::string::npos) << hollow.warnings[0];
  EXPECT_TRUE(round.warnings.empty());
  EXPECT_EQ(end_of(oval("0.1"), 0.2).second, "");
  EXPECT_NE(end_of(oval("2"), 0.2).second.find("`roll"), std::string::npos);
  for (const char* convex :
       {"x^4 + y^4 + z^4 - 1", "sqrt(x^2 + 4*y^2 + z^2) - 1", "exp(x^2 + y^2 + 9*z^2) - 2"})
    EXPECT_TRUE(
        describe::load_text("name: c\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {b: {type: free, "
                            "parent: world, child: b}}\nconstraints: {roll: {type: rolling, kind: "
                            "surface_on_plane, b: b, surface: '" +
                                std::string(convex) + "'}}\n",
                            "text.yaml")
            .warnings.empty())
        << convex;
}

// Beyond x = 1 the surface's formula is no number; it ends there without a slope, and the ball rolls on.
TEST(RollingSurface, ThatEndsEndsTheMotionWithItsNameAndPlace) {
  const describe::Model model = describe::load_text(
      "name: edge\nbodies: {a: {mass: 1, inertia: [0.004, 0.004, 0.004]}}\n"
      "joints: {j: {type: free, parent: world, child: a}}\n"
      "constraints: {on: {type: rolling, kind: sphere_on_surface, b: a, radius: 0.1, surface: \"z - 0.02*(1 "
      "- "
      "x)^2.5\"}}\n"
      "initial: {q: {j.z: 0.12}, u: {j.wy: 10, j.vx: 1}}\n",
      "text.yaml");
  const derive::Equations equations(model);
  const Dynamics dynamics = compile(equations);
  for (const Integrator integrator : {Integrator::rk4, Integrator::adaptive, Integrator::implicit}) {
    Simulation simulation(dynamics, {.step = 1e-3, .integrator = integrator});
    simulation.set_state(start_of(dynamics, model));
    Status status;
    for (int k = 0; k < 2000 && status.ok(); ++k) status = simulation.step();
    ASSERT_FALSE(status.ok());
    const std::string why = simulation.explain(status);
    EXPECT_NE(why.find("the motion leaves the domain of the constraint `on"), std::string::npos) << why;
    EXPECT_NE(why.find("`j.x` is 0.99"), std::string::npos) << why;
    EXPECT_NE(why.find("at t = 0.91"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace tactus::simulate
