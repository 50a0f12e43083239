#include <gtest/gtest.h>

#include <random>

#include "constrained_models.h"
#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::simulate {
namespace {

using namespace test;

// Golden values of the seeds are given with 12 digits.
constexpr double kGolden = 2e-12;

constexpr Formulation kAll[] = {Formulation::multipliers, Formulation::embedding, Formulation::projection};

struct Case {
  Dynamics dynamics;
  ConstrainedMotion motion;

  explicit Case(const Model& model)
      : dynamics(compile(derive::Equations(model))),
        motion(static_cast<std::size_t>(dynamics.nv()), dynamics.constraints->size()) {}

  const ConstrainedMotion& solve(ConstraintOptions options, const State& state,
                                 const std::vector<double>& tau) {
    ConstraintSolver solver(dynamics, options);
    EXPECT_TRUE(solver.solve(arguments_of(state, tau).data(), motion));
    return motion;
  }
};

TEST(Formulations, GiveTheGoldenAccelerationsOfTheSliderCrank) {
  struct Golden {
    double g, udot1, udot2, F1, F2, lambda;
  };
  for (const Golden& golden :
       {Golden{9.81, 1.909262701892, -3.818525403784, 13.805737298108, 6.902868649054, -13.805737298108},
        Golden{0.0, 0.683012701892, -1.366025403784, 0.316987298108, 0.158493649054, -0.316987298108}}) {
    Case crank(slider_crank(golden.g));
    const State state{0.0, {2 * pi / 3, 2 * pi / 3}, {1.0, -2.0}, {}};
    for (const Formulation formulation : kAll) {
      for (const ConstraintInertia inertia :
           {ConstraintInertia::skew, ConstraintInertia::symmetric, ConstraintInertia::scaled}) {
        for (const std::vector<double>& weights : {std::vector<double>{}, std::vector<double>{1.0, 1.0}}) {
          ConstraintOptions options;
          options.formulation = formulation;
          options.projection = {inertia, weights};
          const ConstrainedMotion& motion = crank.solve(options, state, {1.0, 0.0});
          EXPECT_EQ(motion.used, formulation);
          EXPECT_EQ(motion.rank, 1u);
          EXPECT_NEAR(motion.udot[0], golden.udot1, kGolden);
          EXPECT_NEAR(motion.udot[1], golden.udot2, kGolden);
          // The paper's force has the opposite sign.
          EXPECT_NEAR(motion.force[0], -golden.F1, 1e-11);
          EXPECT_NEAR(motion.force[1], -golden.F2, 1e-11);
          EXPECT_NEAR(motion.lambda[0], -golden.lambda, 1e-11);
        }
      }
    }
  }
}

TEST(Formulations, GiveTheGoldenAccelerationsOfTheCart) {
  Model model = shopping_cart();
  const double q3 = 0.3, q4 = 0.4, u1 = 1.2, F = 15.0, torque = -3.0;
  const std::vector<double> tau{F * std::cos(q3), F * std::sin(q3), torque, 0.0};
  // Speeds of the tree from those of the paper: position rates along the heading, caster relative to the
  // cart.
  const auto state_of = [&](double u1_, double u2, double u3) {
    return State{0.0, {0, 0, q3, q4}, {u1_ * std::cos(q3), u1_ * std::sin(q3), u2, u3 - u2}, {}};
  };
  const auto along = [&](const std::vector<double>& v) { return v[0] * std::cos(q3) + v[1] * std::sin(q3); };
  {
    Case cart(model);
    const State state = state_of(u1, 0.5, -0.6591840877948437);
    for (const Formulation formulation : kAll) {
      ConstraintOptions options;
      options.formulation = formulation;
      const ConstrainedMotion& motion = cart.solve(options, state, tau);
      EXPECT_EQ(motion.rank, 2u);
      EXPECT_NEAR(along(motion.udot), 0.8112104746208149, kGolden);
      EXPECT_NEAR(motion.udot[2], -1.4144559951954845, kGolden);
      EXPECT_NEAR(motion.udot[2] + motion.udot[3], 0.690917879380688, 1e-11);
    }
  }
  model.constraints[2].active = true;
  Case cart(model);
  const double k = 0.6635752607695206;
  const State state = state_of(u1, k * u1, k * u1);
  for (const Formulation formulation : kAll) {
    ConstraintOptions options;
    options.formulation = formulation;
    const ConstrainedMotion& motion = cart.solve(options, state, tau);
    EXPECT_NEAR(along(motion.udot), 0.5192555392944916, kGolden);
    EXPECT_NEAR(motion.udot[2], 0.3445651298933603, kGolden);
  }
}

TEST(Formulations, GiveTheGoldenAccelerationsOfTwoLinksOnACircle) {
  Case arm(two_link_on_circle(0.01));
  const State state{
      0.0, {-.4638035914986337, 1.2789754108442462}, {-.1918904667584164, 1.2300645493802411}, {}};
  // Force (1, 2) at the tip.
  const double q1 = state.q[0], q12 = q1 + state.q[1], l = 0.15, fx = 1.0, fy = 2.0;
  const double tau2 = l * (-std::sin(q12) * fx + std::cos(q12) * fy);
  const double tau1 = tau2 + l * (-std::sin(q1) * fx + std::cos(q1) * fy);
  for (const Formulation formulation : kAll) {
    ConstraintOptions options;
    options.formulation = formulation;
    const ConstrainedMotion& motion = arm.solve(options, state, {tau1, tau2});
    EXPECT_NEAR(motion.udot[0], -2.0176622897612604, 1e-11);
    EXPECT_NEAR(motion.udot[1], 2.3958639242784274, 1e-11);
  }
}

// Different eliminations of well-conditioned problems agree to some thousand roundings.
constexpr double kAgree = 1e-10;

TEST(Formulations, AgreeOnRandomStates) {
  for (const Model& model : {slider_crank(9.81), ladder(1), ladder(3), shopping_cart(),
                             two_link_on_circle(0.01), spatial_loops()}) {
    Case mechanism(model);
    const auto nv = static_cast<std::size_t>(mechanism.dynamics.nv());
    const auto& coordinates = mechanism.dynamics.coordinates;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    for (int draw = 0; draw < 20; ++draw) {
      State state{0.3, coordinates.rest(), std::vector<double>(nv), {}};
      std::vector<double> theta(nv), tau(nv);
      for (std::size_t i = 0; i < nv; ++i) {
        theta[i] = 2.0 * part(random);
        state.u[i] = 3.0 * part(random);
        tau[i] = 5.0 * part(random);
      }
      coordinates.displace(state.q.data(), theta.data(), state.q.data());
      ConstraintOptions options;
      options.formulation = Formulation::multipliers;
      const ConstrainedMotion reference = mechanism.solve(options, state, tau);
      const auto compare = [&](const ConstrainedMotion& motion, const char* what) {
        EXPECT_LT(support::relative_difference(reference.udot, motion.udot), kAgree)
            << model.name << " " << what;
        EXPECT_LT(support::relative_difference(reference.force, motion.force), kAgree)
            << model.name << " " << what;
        EXPECT_LT(support::relative_difference(reference.lambda, motion.lambda), kAgree)
            << model.name << " " << what;
        EXPECT_EQ(reference.rank, motion.rank);
      };
      options.formulation = Formulation::embedding;
      compare(mechanism.solve(options, state, tau), "embedding");
      options.formulation = Formulation::projection;
      for (const ConstraintInertia inertia :
           {ConstraintInertia::skew, ConstraintInertia::symmetric, ConstraintInertia::scaled}) {
        options.projection.inertia = inertia;
        compare(mechanism.solve(options, state, tau), "projection");
      }
      // The straight-line road.
      std::vector<double> udot(nv), qdot(state.q.size());
      ConstraintSolver automatic(mechanism.dynamics);
      automatic.accelerate(arguments_of(state, tau).data(), udot.data(), qdot.data());
      EXPECT_LT(support::relative_difference(reference.udot, udot), kAgree) << model.name << " automatic";
    }
  }
}

TEST(Formulations, SurviveARowThatVanishes) {
  // q1 = pi/2, q2 = pi: A = 0 to rounding; the projection's P is the identity, and at rest, where no branch is chosen,
  // udot is that of the free arm. With a velocity along a branch, (3 - 2 cos 2q) qdd = f by the reduced equation.
  Case crank(slider_crank(0.0));
  const State state{0.0, {pi / 2, pi}, {0.0, 0.0}, {}}, moving{0.0, {pi / 2, pi}, {1.0, -2.0}, {}};
  for (const Formulation formulation : kAll) {
    ConstraintOptions options;
    options.formulation = formulation;
    const ConstrainedMotion& motion = crank.solve(options, state, {1.0, 0.0});
    EXPECT_EQ(motion.rank, 0u);
    EXPECT_NEAR(motion.udot[0], 1.0, 1e-12);
    EXPECT_NEAR(motion.udot[1], 0.0, 1e-12);
    EXPECT_EQ(motion.force[0], 0.0);
    EXPECT_TRUE(motion.singular && !motion.across);

    const ConstrainedMotion& on_branch = crank.solve(options, moving, {1.0, 0.0});
    EXPECT_TRUE(on_branch.singular && on_branch.across);
    constexpr double kExact = 1e-9;  // rounding, amplified to where the places of the interpolation are
    EXPECT_NEAR(on_branch.udot[0], 0.2, kExact);
    EXPECT_NEAR(on_branch.udot[1], -0.4, kExact);
    EXPECT_NEAR(on_branch.force[0], -0.8, kExact);
    EXPECT_NEAR(on_branch.force[1], -0.4, kExact);
  }
}

TEST(Formulations, ShareTheMultiplierAmongCopiesAndKeepTheForce) {
  Case one(slider_crank(9.81)), three(slider_crank(9.81, 3));
  const State state{0.0, {2 * pi / 3, 2 * pi / 3}, {1.0, -2.0}, {}};
  for (const Formulation formulation : kAll) {
    ConstraintOptions options;
    options.formulation = formulation;
    const ConstrainedMotion single = one.solve(options, state, {1.0, 0.0});
    const ConstrainedMotion& copies = three.solve(options, state, {1.0, 0.0});
    EXPECT_EQ(copies.rank, 1u);
    EXPECT_EQ(copies.redundant[0] + copies.redundant[1] + copies.redundant[2], 2);
    EXPECT_LT(support::relative_difference(single.udot, copies.udot), kAgree);
    EXPECT_LT(support::relative_difference(single.force, copies.force), kAgree);
    if (formulation == Formulation::embedding) continue;
    // Least multipliers: each copy, measured in its own size, carries a third.
    EXPECT_NEAR(copies.lambda[0], single.lambda[0] / 3.0, 1e-10);
    EXPECT_NEAR(copies.lambda[1] * 1e3, single.lambda[0] / 3.0, 1e-10);
    EXPECT_NEAR(copies.lambda[2] * 2e3, single.lambda[0] / 3.0, 1e-10);
  }
}

TEST(Formulations, DoNotAllocate) {
  Case loops(spatial_loops());
  const auto nv = static_cast<std::size_t>(loops.dynamics.nv());
  State state{0.0, loops.dynamics.coordinates.rest(), std::vector<double>(nv, 0.1), {}};
  const std::vector<double> arguments = arguments_of(state, std::vector<double>(nv, 1.0));
  std::vector<double> udot(nv), qdot(state.q.size());
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection}) {
    ConstraintOptions options;
    options.formulation = formulation;
    ConstraintSolver solver(loops.dynamics, options);
    const long before = tactus::test::allocation_count();
    for (int i = 0; i < 10; ++i) solver.accelerate(arguments.data(), udot.data(), qdot.data());
    EXPECT_EQ(tactus::test::allocation_count() - before, 0) << name_of(formulation);
  }
}

}  // namespace
}  // namespace tactus::simulate
