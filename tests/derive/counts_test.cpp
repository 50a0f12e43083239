// Operation counts: what the model-level simplification is for. The bounds are those the project set itself;
// the figures reached stand in docs/operation-counts.md.
#include <tactus/algebra/calculus.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

void expect_at_most(const Function& function, int mul, int add, int div = 0) {
  const algebra::OperationCount count = algebra::count_operations(function.roots());
  EXPECT_LE(count.mul, mul) << function.name;
  EXPECT_LE(count.add, add) << function.name;
  EXPECT_LE(count.div, div) << function.name;
}

Options frictionless() {
  Options options;
  options.friction = false;
  return options;
}

TEST(Counts, Puma560) {
  const Equations puma(model_named("puma560"), frictionless());
  expect_at_most(puma.inverse_dynamics(), 163, 132);
  expect_at_most(puma.mass_matrix(), 85, 74);
  expect_at_most(puma.forward_dynamics(), 294, 232, 4);
}

TEST(Counts, GeneralSixRevoluteArm) {
  const Equations arm(model_named("general_6r"), frictionless());
  expect_at_most(arm.inverse_dynamics(), 419, 351);
}

TEST(Counts, WristWithTheSpeedsOfGillespie) {
  const describe::Model model = model_named("spherical_wrist");
  Options options;
  options.wrenches = {{model.frame_index("C_o"), false}};
  expect_at_most(Equations(model, options).forward_dynamics(), 23, 12, 1);
}

TEST(Counts, PlanarChainsGrowInProportionToTheirLength) {
  const auto operations = [](const char* name) {
    const Equations chain(model_named(name), frictionless());
    return algebra::count_operations(chain.forward_dynamics().roots()).total();
  };
  EXPECT_LT(operations("chain_100"), 100.0 / 30.0 * 1.1 * operations("chain_30"));
}

}  // namespace
}  // namespace tactus::derive
