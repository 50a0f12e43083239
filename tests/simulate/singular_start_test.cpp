// Where a single row vanishes there is nothing to divide by, also for the straight-line code.
#include <gtest/gtest.h>

#include "constrained_models.h"

namespace tactus::simulate {
namespace {

using namespace test;

TEST(SingularStart, ARowThatVanishesDoesNotAccelerateAnything) {
  // A = 0 but for rounding at q = (pi/2, pi), so that any velocity is allowed, also one that belongs to no
  // motion of the slider-crank: A udot = gamma has no solution then.
  const Dynamics dynamics = compile(derive::Equations(slider_crank(9.81)));
  for (const double off : {0.0, 1e-15, -1e-12, 1e-9}) {
    const State state{0.0, {pi / 2 + off, pi}, {1.0, 0.3}, {}};
    ConstraintSolver solver(dynamics);
    solver.reset(state.t, state.q.data(), state.u.data());
    std::vector<double> udot(2), qdot(2);
    solver.accelerate(arguments_of(state, {1.0, 0.0}).data(), udot.data(), qdot.data());
    EXPECT_LT(std::abs(udot[0]), 100.0) << off;
    EXPECT_LT(std::abs(udot[1]), 100.0) << off;
    EXPECT_GT(solver.detours(), 0) << off;
  }
}

}  // namespace
}  // namespace tactus::simulate
