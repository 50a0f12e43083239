// The Coriolis matrix: its products against the recursion's, Md - 2 C against skewness, its elements against Christoffel's symbols of the mass matrix.
#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/derive/linear/coriolis.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// Some with quaternions (rigid_body, joint_gallery), some whose speeds are defined (spherical_wrist, shopping_cart), trees and chains of numbers.
const char* const kModels[] = {"planar_2r",  "planar_3r",     "puma560",         "general_6r",
                               "rigid_body", "joint_gallery", "spherical_wrist", "spherical_wrist_rates",
                               "sleigh",     "shopping_cart", "double_pendulum", "stewart_platform"};

/// Of the open tree, with nothing but its inertia: no weight, springs, friction or laws.
describe::Model bare(const std::string& name) {
  describe::Model model = model_named(name);
  model.gravity = {0.0, 0.0, 0.0};
  return model;
}

/// dM/dt along the motion, from the mass matrix itself.
std::vector<double> mass_rate(const Equations& equations, const State& s) {
  const Function M = equations.mass_matrix();
  const std::vector<double> qdot = value(equations.coordinate_rates(), s, "qdot");
  const algebra::Graph::Scope scope(*M.graph);
  std::vector<Expr> q, rates;
  for (const algebra::Block& block : M.inputs)
    if (block.name == "q") q = block.entries;
  for (const double x : qdot) rates.emplace_back(x);
  Function rate = M;
  rate.outputs[0].entries = algebra::directional_derivative(M.outputs[0].entries, q, rates);
  return value(rate, s, "M");
}

TEST(Coriolis, MakesTheRateOfTheMassMatrixSkewForAnySpeedsAndJoints) {
  for (const char* name : kModels) {
    const describe::Model model = bare(name);
    const Equations equations(model);
    const Function coriolis = coriolis_matrix(equations);
    const auto n = static_cast<std::size_t>(model.nv());
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const State s = random_state(model, seed);
      const std::vector<double> C = value(coriolis, s, "C"), Md = mass_rate(equations, s);
      const double size = support::larger(1.0, largest(C), largest(Md));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const double N_ij = Md[i * n + j] - 2.0 * C[i * n + j], N_ji = Md[j * n + i] - 2.0 * C[j * n + i];
          EXPECT_NEAR(N_ij, -N_ji, kRounding * size) << name << " " << i << " " << j;
        }
    }
  }
}

TEST(Coriolis, TimesTheSpeedsIsWhatTheRecursionSaysOfVelocities) {
  for (const char* name : kModels) {
    const describe::Model model = bare(name);
    Options options;
    options.friction = false;
    const Equations equations(model, options);
    const Function coriolis = coriolis_matrix(equations), bias = equations.bias();
    for (unsigned seed = 1; seed <= 5; ++seed) {
      // Quadratic in the speeds, springs and dampers are not: b(u) = (h(u) + h(-u))/2 - h(0).
      State s = random_state(model, seed), back = s, still = s;
      for (double& u : back.u) u = -u;
      for (double& u : still.u) u = 0.0;
      const std::vector<double> there = value(bias, s, "h"), again = value(bias, back, "h"),
                                rest = value(bias, still, "h"), b = times(value(coriolis, s, "C"), s.u);
      double size = 1.0;
      for (const auto& list : {there, rest, b}) size = support::larger(size, largest(list));
      for (std::size_t i = 0; i < b.size(); ++i)
        EXPECT_NEAR(b[i], 0.5 * (there[i] + again[i]) - rest[i], kRounding * size) << name << " " << i;
    }
  }
}

TEST(Coriolis, HasChristoffelsSymbolsOfTheMassMatrix) {
  for (const char* name : {"planar_2r", "planar_3r", "puma560", "general_6r", "scara"}) {
    const describe::Model model = bare(name);
    const Equations equations(model);
    const auto n = static_cast<std::size_t>(model.nv());
    const Function M = equations.mass_matrix();
    Function by_place = M;
    {
      const algebra::Graph::Scope scope(*M.graph);
      std::vector<Expr> q;
      for (const algebra::Block& block : M.inputs)
        if (block.name == "q") q = block.entries;
      by_place.outputs[0].entries = algebra::jacobian(M.outputs[0].entries, q);
      by_place.outputs[0].rows = static_cast<int>(n * n);
    }
    const State s = random_state(model, 3);
    const std::vector<double> C = value(coriolis_matrix(equations), s, "C"), dM = value(by_place, s, "M");
    const auto d = [&](std::size_t i, std::size_t j, std::size_t k) { return dM[(i * n + j) * n + k]; };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) sum += 0.5 * (d(i, j, k) + d(i, k, j) - d(j, k, i)) * s.u[k];
        EXPECT_NEAR(C[i * n + j], sum, kRounding * support::larger(1.0, largest(C))) << name << i << j;
      }
  }
}

// Uniform rods: M_12 = m2 L2^2/3 + m2 L1 L2/2 cos q2, so that C = -m2 L1 L2/2 sin q2 [u2, u1 + u2; -u1, 0].
TEST(Coriolis, OfTwoRodsIsTheTextbooks) {
  const describe::Model model = model_named("planar_2r");
  State s = random_state(model, 4);
  const std::vector<double> C = value(coriolis_matrix(Equations(model)), s, "C");
  const double h = -1.5 * 0.5 * 0.4 / 2.0 * std::sin(s.q[1]), u1 = s.u[0], u2 = s.u[1];
  const std::vector<double> expected{h * u2, h * (u1 + u2), -h * u1, 0.0};
  EXPECT_LT(difference(C, expected), kRounding);
}

TEST(Coriolis, IsRefusedWhereSpeedsHaveAPartOfTheirOwn) {
  const describe::Model model = describe::load_text(R"(
name: driven
bodies: {a: {mass: 1}}
joints: {x: {type: prismatic, parent: world, child: a, axis: x}}
speeds: {from_rates: {u1: x_dot - 2 m/s}}
)",
                                                    "driven.yaml");
  EXPECT_THROW(coriolis_matrix(Equations(model)), InputError);
}

}  // namespace
}  // namespace tactus::derive
