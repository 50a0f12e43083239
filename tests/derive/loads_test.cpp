// Springs, dampers, friction and outside wrenches.
#include <tactus/algebra/calculus.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// d(E)/dt along the motion with given tau, by symbolic differentiation.
double power(const Equations& equations, const State& s) {
  const Function forward = equations.forward_dynamics();
  Function result = equations.energy();
  const algebra::Graph::Scope scope(*result.graph);
  std::vector<Expr> moving = forward.inputs[1].entries;
  moving.insert(moving.end(), forward.inputs[2].entries.begin(), forward.inputs[2].entries.end());
  std::vector<Expr> rates = forward.outputs[1].entries;
  rates.insert(rates.end(), forward.outputs[0].entries.begin(), forward.outputs[0].entries.end());
  const Expr total = result.outputs[0].entries[0] + result.outputs[1].entries[0];
  result.inputs = forward.inputs;
  result.outputs = {
      {"power", "", 1, 1, algebra::directional_derivative(std::span(&total, 1), moving, rates)}};
  return value(result, s, "power")[0];
}

TEST(Loads, SpringsBetweenPointsAndFramesConserveEnergyWithoutDamping) {
  describe::Model model = model_named("joint_gallery");
  for (auto& spring : model.point_springs) spring.damping = Expr();
  for (auto& spring : model.frame_springs) spring.linear_damping = spring.angular_damping = Expr();
  Options options;
  options.friction = false;
  const Equations equations(model, options);
  for (unsigned seed = 60; seed < 64; ++seed) {
    State s = random_state(model, seed);
    for (double& x : s.tau) x = 0.0;
    EXPECT_NEAR(power(equations, s), 0.0, 1e-9);
  }
}

TEST(Loads, DampersOnlyEverTakeEnergy) {
  const describe::Model model = model_named("joint_gallery");
  const Equations equations(model);
  for (unsigned seed = 64; seed < 74; ++seed) {
    State s = random_state(model, seed);
    for (double& x : s.tau) x = 0.0;
    EXPECT_LT(power(equations, s), 0.0);
  }
}

TEST(Loads, ASpringBetweenTwoFreeBodiesKeepsTheirMomentum) {
  const describe::Model model = describe::load_text(
      "name: m\ngravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
      "  b: {mass: 2, inertia: [0.2, 0.2, 0.1]}\njoints:\n  fa: {type: free, parent: world, child: a}\n"
      "  fb: {type: free, parent: world, child: b}\nframes:\n  A: {body: a, placement: {xyz: [0.1, 0.2, "
      "0]}}\n"
      "  B: {body: b, placement: {xyz: [0, -0.3, 0.1]}}\nsprings:\n"
      "  s: {type: frames, a: A, b: B, linear_stiffness: 50, linear_damping: 3, angular_stiffness: 2, "
      "angular_damping: 0.4}\n"
      "  p: {type: points, a: {body: a, at: [0.3, 0, 0]}, b: {body: b, at: [0, 0.3, 0]}, stiffness: 20, "
      "damping: 1, rest_length: 0.2}\n",
      "m.yaml");
  const Equations equations(model);
  const Function forward = equations.forward_dynamics();
  Function rate = equations.energy();
  {
    const algebra::Graph::Scope scope(*rate.graph);
    std::vector<Expr> moving = forward.inputs[1].entries;
    moving.insert(moving.end(), forward.inputs[2].entries.begin(), forward.inputs[2].entries.end());
    std::vector<Expr> rates = forward.outputs[1].entries;
    rates.insert(rates.end(), forward.outputs[0].entries.begin(), forward.outputs[0].entries.end());
    const auto along = [&](const algebra::Block& block) {
      return algebra::directional_derivative(block.entries, moving, rates);
    };
    const std::vector<Expr> P = along(rate.outputs[2]), L = along(rate.outputs[3]);
    rate.inputs = forward.inputs;
    rate.outputs = {{"P", "", 3, 1, P}, {"L", "", 3, 1, L}};
  }
  for (unsigned seed = 80; seed < 84; ++seed) {
    State s = random_state(model, seed);
    for (double& x : s.tau) x = 0.0;
    EXPECT_LT(largest(value(rate, s, "P")), kRounding * 100);  // forces of order 100 cancel
    EXPECT_LT(largest(value(rate, s, "L")), kRounding * 100);
  }
}

TEST(Loads, AWrenchActsThroughTheJacobian) {
  // Inverse dynamics with and without a wrench differ by J^T [torque; force].
  const describe::Model model = model_named("puma560");
  const int tool = model.frame_index("tool");
  ASSERT_GE(tool, 0);
  Options with;
  with.wrenches = {{tool, true}};
  const Equations pushed(model, with), alone(model);
  const State s = random_state(model, 90, 6);
  const std::vector<double> tau = value(pushed.inverse_dynamics(), s, "tau");
  std::vector<double> expected = value(alone.inverse_dynamics(), s, "tau");
  const std::vector<double> J = value(alone.frame_motion(tool), s, "J");
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t row = 0; row < 6; ++row) expected[k] -= J[row * 6 + k] * s.wrench[row];
  EXPECT_LT(difference(tau, expected), kRounding);
}

TEST(Loads, WrenchesInTheFramesOwnAxesAreTurnedWithIt) {
  const describe::Model model = model_named("puma560");
  const int tool = model.frame_index("tool");
  Options world, own;
  world.wrenches = {{tool, true}};
  own.wrenches = {{tool, false}};
  State s = random_state(model, 91, 6);
  const std::vector<double> R = value(Equations(model).frame_motion(tool), s, "R");
  const std::vector<double> tau = value(Equations(model, own).inverse_dynamics(), s, "tau");
  const std::vector<double> local = s.wrench;
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < 3; ++i) {
      s.wrench[3 * half + i] = 0.0;
      for (std::size_t j = 0; j < 3; ++j) s.wrench[3 * half + i] += R[3 * i + j] * local[3 * half + j];
    }
  EXPECT_LT(difference(tau, value(Equations(model, world).inverse_dynamics(), s, "tau")), kRounding);
}

TEST(Loads, FrictionHasItsOwnSlopeAndStepInEachDirection) {
  const describe::Model model = model_named("puma560");
  Options frictionless;
  frictionless.friction = false;
  const Equations rough(model), smooth(model, frictionless);
  for (const double w : {2.0, -2.0}) {
    State s = random_state(model, 92);
    for (double& x : s.u) x = w;
    const std::vector<double> with = value(rough.bias(), s, "h"), without = value(smooth.bias(), s, "h");
    // [Clover1996, II App. A], joint 1
    EXPECT_NEAR(with[0] - without[0], w > 0 ? 4.94 * w + 8.43 : 3.45 * w - 8.26, 1e-10);
  }
}

}  // namespace
}  // namespace tactus::derive
