// The solver of many contacts: islands, sweeps with momentum, against the solver with the matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <tactus/contact/stepping/islands.h>
#include <tactus/contact/stepping/sweep_solver.h>

#include "contact/sweep_problem.h"
#include "support/allocations.h"

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
  for (const double b : apart.b) largest = std::max(largest, std::abs(b));
  const std::vector<double> w = apart.velocities(), v = together.velocities();
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], v[i], kSame * largest) << i;
}

TEST(SweepSolver, PassesTheWeightOfAStackDownByMomentum) {
  // Ten boxes at the first step, from no guess. Sweeps alone are far from done when momentum has ended.
  std::mt19937_64 random(5);
  const std::vector<test::SceneProblem> stack{test::stack_problem(random, 10)};
  SweepOptions options{.tolerance = 1e-6, .most_sweeps = 3000, .most_visits = 1000000, .most_dense = 0};
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
