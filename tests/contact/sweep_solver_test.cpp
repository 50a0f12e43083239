// The solver of many contacts: islands, sweeps with momentum, against the solver with the matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <tactus/contact/stepping/islands.h>
#include <tactus/contact/stepping/sweep_solver.h>

#include "contact/sweep_problem.h"
#include "support/allocations.h"
#include "support/compare.h"

namespace tactus::contact {
namespace {

using tactus::test::allocation_count;

TEST(Islands, AreWhatContactsTieTogether) {
  Islands islands(7, 10);
  for (int round = 0; round < 2; ++round) {  // the second time as the first
    islands.clear();
    islands.add(4, 1);   // 0
    islands.add(2, -1);  // 1: with the ground
    islands.add(5, 6);   // 2
    islands.add(1, 3);   // 3
    islands.add(-1, 6);  // 4
    islands.add(3, 4);   // 5
    islands.finish();
    ASSERT_EQ(islands.size(), 3u);  // block 0 touches nothing
    const auto numbers = [](std::span<const int> x) { return std::vector<int>(x.begin(), x.end()); };
    EXPECT_EQ(numbers(islands.contacts(0)), (std::vector<int>{1}));
    EXPECT_EQ(numbers(islands.blocks(0)), (std::vector<int>{2}));
    EXPECT_EQ(numbers(islands.contacts(1)), (std::vector<int>{2, 4}));
    EXPECT_EQ(numbers(islands.blocks(1)), (std::vector<int>{5, 6}));
    EXPECT_EQ(numbers(islands.contacts(2)), (std::vector<int>{0, 3, 5}));
    EXPECT_EQ(numbers(islands.blocks(2)), (std::vector<int>{1, 3, 4}));
  }
}

TEST(SweepSolver, SolvesIslandsAsItSolvesThemTogether) {
  // Six stacks and piles that do not touch each other. The velocities are what the law determines.
  constexpr double kTolerance = 1e-11, kSame = 1e-8;
  std::mt19937_64 random(3);
  std::vector<test::SceneProblem> scenes;
  for (int i = 0; i < 3; ++i) {
    scenes.push_back(test::stack_problem(random, 1 + i));
    scenes.push_back(test::pile_problem(random, 1 + i));
  }
  SweepOptions options{.tolerance = kTolerance, .most_sweeps = 20000, .most_visits = 100000000};
  test::SweepProblem apart(scenes, options);
  options.islands = false;
  test::SweepProblem together(scenes, options);
  const SweepResult first = apart.solver.solve(), second = together.solver.solve();
  EXPECT_EQ(first.islands, 6);
  EXPECT_EQ(second.islands, 1);
  EXPECT_TRUE(first.converged);
  EXPECT_TRUE(second.converged);
  EXPECT_LT(first.visits, second.visits);  // each ends when it is done
  double largest = 0.0;
  for (const double b : apart.b) largest = support::larger(largest, std::abs(b));
  const std::vector<double> w = apart.velocities(), v = together.velocities();
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], v[i], kSame * largest) << i;
}

TEST(SweepSolver, PassesTheWeightOfAStackDownByMomentum) {
  // Ten boxes at the first step, from no guess. Sweeps alone are far from done when momentum has ended.
  std::mt19937_64 random(5);
  const std::vector<test::SceneProblem> stack{test::stack_problem(random, 10)};
  SweepOptions options{.tolerance = 1e-6,
                       .most_sweeps = 3000,
                       .most_visits = 1000000,
                       .mean_visits = 1000000,
                       .most_dense = 0,
                       .newton = false};
  test::SweepProblem with(stack, options);
  const SweepResult carried = with.solver.solve();
  EXPECT_TRUE(carried.converged);
  EXPECT_LE(carried.residual, options.tolerance * carried.scale);
  options.momentum = false;
  options.most_sweeps = carried.sweeps;
  test::SweepProblem without(stack, options);
  const SweepResult plain = without.solver.solve();
  EXPECT_FALSE(plain.converged);
  EXPECT_GT(plain.residual, 10.0 * carried.residual);
}

TEST(SweepSolver, SolvesAStackByNewtonsMethodAsBySweeps) {
  // Ten boxes that do not slip, from no guess: in a few sweeps and steps of Newton's method, where sweeps take
  // hundreds.
  constexpr double kTolerance = 1e-9, kSame = 1e-6;
  std::mt19937_64 random(5);
  const std::vector<test::SceneProblem> stack{test::stack_problem(random, 10)};
  SweepOptions options{
      .tolerance = kTolerance, .most_sweeps = 50000, .most_visits = 10000000, .most_dense = 0};
  options.mean_visits = options.most_visits;
  const auto rest = [](SweepSolver& solver) {
    for (SweepSolver::Contact& k : solver.contacts()) k.b[1] = k.b[2] = 0.0;
  };
  test::SweepProblem newton(stack, options);
  rest(newton.solver);
  const long allocated = allocation_count();
  const SweepResult fast = newton.solver.solve();
  EXPECT_EQ(allocation_count(), allocated);
  EXPECT_TRUE(fast.converged);
  EXPECT_LE(fast.residual, kTolerance * fast.scale);
  EXPECT_GT(fast.newton_steps, 0);
  EXPECT_LT(fast.sweeps, 50);
  options.newton = false;
  test::SweepProblem sweeps(stack, options);
  rest(sweeps.solver);
  const SweepResult slow = sweeps.solver.solve();
  EXPECT_TRUE(slow.converged);
  EXPECT_EQ(slow.newton_steps, 0);
  EXPECT_GT(slow.sweeps, 5 * fast.sweeps);
  const std::vector<double> w = newton.velocities(), v = sweeps.velocities();
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], v[i], kSame * fast.scale) << i;
}

TEST(SweepSolver, SolvesStacksFromInsideOfTheConesAsBySweeps) {
  // From two sweeps, which are far from done; rigid boxes, and boxes on springs.
  constexpr double kTolerance = 1e-9, kSame = 1e-6;
  std::mt19937_64 random(7);
  for (int boxes = 1; boxes <= 8; ++boxes) {
    const double compliance = boxes % 2 == 0 ? 0.05 : 0.0;  // [1/kg]
    const auto soften = [&](SweepSolver& solver) {
      for (SweepSolver::Contact& k : solver.contacts()) k.compliance = compliance;
    };
    const std::vector<test::SceneProblem> scene{test::stack_problem(random, boxes)};
    SweepOptions options{.tolerance = kTolerance, .most_sweeps = 2, .most_dense = 0, .newton = false};
    test::SweepProblem inside(scene, options);
    soften(inside.solver);
    const long allocated = allocation_count();
    const SweepResult found = inside.solver.solve();
    EXPECT_EQ(allocation_count(), allocated);
    EXPECT_TRUE(found.converged) << boxes << ": " << found.residual / found.scale;
    EXPECT_GT(found.newton_steps, 0);
    options.interior = false;
    options.most_sweeps = 50000;
    options.most_visits = options.mean_visits = 100000000;
    test::SweepProblem swept(scene, options);
    soften(swept.solver);
    const SweepResult slow = swept.solver.solve();
    EXPECT_TRUE(slow.converged);
    EXPECT_EQ(slow.newton_steps, 0);
    const std::vector<double> w = inside.velocities(), v = swept.velocities();
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(w[j], v[j], kSame * found.scale) << boxes;
  }
}

TEST(SweepSolver, ComesNearToTheLawFromInsideWhereBodiesSlide) {
  // Coulomb's law comes out of some convex problems; what they leave is mostly a tenth of what two sweeps do, or less, and
  // never more.
  std::mt19937_64 random(7);
  int near = 0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<test::SceneProblem> scene{test::pile_problem(random, 2)};
    SweepOptions options{.tolerance = 1e-9, .most_sweeps = 2, .most_dense = 0, .newton = false};
    test::SweepProblem inside(scene, options);
    const SweepResult found = inside.solver.solve();
    options.interior = false;
    test::SweepProblem swept(scene, options);
    const double left = swept.solver.solve().residual;
    EXPECT_LE(found.residual, (1.0 + 1e-12) * left) << i;  // summed in another order
    EXPECT_GT(found.newton_steps, 0);
    near += found.residual < 0.1 * left;
  }
  EXPECT_GE(near, 18);
}

TEST(Envelope, SolvesAsTheFullMatrixDoes) {
  // Rows of random lengths; the solution is put in.
  constexpr std::size_t n = 40;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Envelope matrix(n, n * n);
  std::vector<std::size_t> first(n);
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = i - static_cast<std::size_t>(std::abs(number(random)) * static_cast<double>(i));
    ASSERT_TRUE(matrix.add_row(first[i]));
  }
  EXPECT_FALSE(matrix.add_row(0));  // no room
  matrix.set_identity();
  std::vector<double> full(n * n, 0.0), x(n), b(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = first[i]; j <= i; ++j) {
      const double entry = i == j ? static_cast<double>(n) : number(random);
      matrix.row(i)[j] = full[i * n + j] = full[j * n + i] = entry;
    }
  for (double& v : x) v = number(random);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += full[i * n + j] * x[j];
  ASSERT_TRUE(matrix.factor());
  matrix.solve(b.data());
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-14) << i;
  matrix.set_identity();
  matrix.row(n - 1)[n - 1] = -1.0;
  EXPECT_FALSE(matrix.factor());  // not positive definite
}

TEST(SweepSolver, FindsNothingToDoAtASolution) {
  std::mt19937_64 random(6);
  const std::vector<test::SceneProblem> pile{test::pile_problem(random, 3)};
  test::SweepProblem problem(pile, {.most_sweeps = 5000, .most_visits = 1000000});
  ASSERT_TRUE(problem.solver.solve().converged);
  const std::vector<double> w = problem.velocities();
  const long allocated = allocation_count();
  const SweepResult again = problem.solver.solve();
  EXPECT_EQ(allocation_count(), allocated);
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.sweeps, 2);
}

TEST(SweepSolver, KeepsToItsVisits) {
  std::mt19937_64 random(8);
  const std::vector<test::SceneProblem> pile{test::pile_problem(random, 4)};
  test::SweepProblem problem(pile, {.tolerance = 1e-14, .most_visits = 2000, .most_dense = 0});
  const SweepResult result = problem.solver.solve();
  EXPECT_FALSE(result.converged);
  // A pair of sweeps is finished.
  EXPECT_LE(result.visits, 2000 + 2 * static_cast<long>(problem.solver.contacts().size()));
  // And what it has is allowed by friction.
  for (const SweepSolver::Contact& k : problem.solver.contacts()) {
    EXPECT_GE(k.p[0], 0.0);
    EXPECT_LE(std::hypot(k.p[1], k.p[2]), k.mu * k.p[0] * (1.0 + 1e-12));
  }
}

TEST(SweepSolver, SeparatesWhatOverlaps) {
  // A stack of three whose lowest contacts overlap: the displacement opens them as asked, and presses no other.
  std::mt19937_64 random(9);
  test::SweepProblem problem({test::stack_problem(random, 3)}, {});
  problem.solver.solve();
  std::vector<double> slack(problem.solver.contacts().size(), 0.0);
  for (std::size_t i = 0; i < 4; ++i) slack[i] = -0.01;
  problem.solver.separate(slack);
  const std::span<const double> y = problem.solver.separate(slack);
  for (std::size_t i = 0; i < slack.size(); ++i)
    EXPECT_GE(slack[i] + problem.row_velocity(i, 0, y), -2e-2 * 0.01)
        << i;  // the part that may be left, and rounding
}

}  // namespace
}  // namespace tactus::contact
