#include <gtest/gtest.h>

#include <tactus/base/error.h>

#include "constrained_models.h"
#include "support/compare.h"

namespace tactus::simulate {
namespace {

using namespace test;

TEST(Assembly, ClosesALadderFromARoughGuess) {
  const Dynamics dynamics = compile(derive::Equations(ladder(3)));
  State guess = ladder_state(3, 1.0, 0.0);
  for (std::size_t i = 1; i < guess.q.size(); ++i) guess.q[i] += 0.3 * std::sin(7.0 * static_cast<double>(i));
  guess.u[0] = 2.0;
  AssemblyReport report;
  const State state = assemble(dynamics, guess, {0}, &report);
  EXPECT_EQ(state.q[0], 1.0);  // kept
  EXPECT_EQ(state.u[0], 2.0);
  EXPECT_LT(report.position_error, 1e-12);
  EXPECT_LT(report.velocity_error, 1e-12);
  EXPECT_EQ(report.freedoms, 1);
  EXPECT_TRUE(report.redundant_rows.empty());
  EXPECT_FALSE(report.singular);
}

/// With many parts steps go by the entries of the rows. One angle is kept, so that there is one configuration with parallel rods.
TEST(Assembly, ClosesALongLadderFromARoughGuess) {
  constexpr int kLoops = 50;
  const Dynamics dynamics = compile(derive::Equations(ladder(kLoops)));
  const State closed = ladder_state(kLoops, 1.0, 0.0);
  State guess = closed;
  for (std::size_t i = 1; i < guess.q.size(); ++i) guess.q[i] += 0.2 * std::sin(7.0 * static_cast<double>(i));
  guess.u[0] = 2.0;
  AssemblyReport report;
  const State state = assemble(dynamics, guess, {0}, &report);
  EXPECT_EQ(state.q[0], 1.0);
  EXPECT_EQ(state.u[0], 2.0);
  EXPECT_LT(report.position_error, 1e-12);
  EXPECT_LT(report.velocity_error, 1e-11);  // of fifty loops
  EXPECT_EQ(report.rank, 2u * kLoops);
  EXPECT_FALSE(report.singular);
  EXPECT_LT(support::difference(state.q, closed.q), 1e-10);  // errors of the loops add up
}

TEST(Assembly, SaysThatALongLadderIsSingular) {
  constexpr int kLoops = 40;
  const Dynamics dynamics = compile(derive::Equations(ladder(kLoops)));
  AssemblyReport report;
  assemble(dynamics, ladder_state(kLoops, 0.0, 0.0), {}, &report);
  EXPECT_TRUE(report.singular);
  EXPECT_EQ(report.freedoms, kLoops + 1);
  EXPECT_EQ(report.rank_nearby, 2u * kLoops);
}

TEST(Assembly, ClosesALoopInSpace) {
  const Dynamics dynamics = compile(derive::Equations(spatial_loops()));
  State guess{0.0, dynamics.coordinates.rest(), std::vector<double>(12, 0.2), {}};
  AssemblyReport report;
  assemble(dynamics, guess, {}, &report);
  EXPECT_LT(report.position_error, 1e-12);
  EXPECT_EQ(report.rank, 7u);
  EXPECT_EQ(report.freedoms, 5);
}

TEST(Assembly, SaysThatAConfigurationIsSingular) {
  const Dynamics dynamics = compile(derive::Equations(ladder(2)));
  AssemblyReport report;
  assemble(dynamics, ladder_state(2, 0.0, 0.0), {}, &report);
  EXPECT_TRUE(report.singular);
  EXPECT_EQ(report.freedoms, 3);  // 1 elsewhere
  EXPECT_EQ(report.rank_nearby, 4u);
}

TEST(Assembly, NamesCopiesAsRedundant) {
  const Dynamics dynamics = compile(derive::Equations(slider_crank(0.0, 2)));
  AssemblyReport report;
  assemble(dynamics, {0.0, {2.0, 2.0}, {0.0, 0.0}, {}}, {}, &report);
  EXPECT_EQ(report.redundant_constraints, std::vector<std::string>{"copy1"});
  EXPECT_EQ(report.rank, 1u);
}

TEST(Assembly, NamesWhatCannotBeMetAndByHowMuch) {
  Model model = two_link_on_circle(0.0);
  {
    algebra::Graph::Scope scope(support::graph_of(model));
    describe::Constraint& far = add_constraint(model, "far", ConstraintType::on_circle);
    far.frame_a = model.frame_index("centre");
    far.frame_b = model.frame_index("tip");
    far.radius = algebra::Expr(0.06);
  }
  const Dynamics dynamics = compile(derive::Equations(model));
  try {
    assemble(dynamics, {0.0, {-0.9, 1.6}, {0.0, 0.0}, {}});
    FAIL() << "two circles about one centre";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`far` is off by"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("`circle` is off by"), std::string::npos) << error.what();
  }
}

TEST(Assembly, RefusesStatesFarFromTheConstraints) {
  const Dynamics dynamics = compile(derive::Equations(ladder(1)));
  Simulation simulation(dynamics);
  EXPECT_THROW(simulation.set_state({0.0, {0.3, 0.2, 0.1}, {0, 0, 0}, {}}), InputError);
}

}  // namespace
}  // namespace tactus::simulate
