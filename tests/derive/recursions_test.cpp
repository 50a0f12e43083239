// The same templates on numbers and on expressions, the same equations by different recursions.
#include <tactus/algebra/calculus.h>
#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

const char* const kModels[] = {"pendulum",   "double_pendulum", "planar_2r", "planar_3r",
                               "puma560",    "general_6r",      "scara",     "gantry",
                               "rigid_body", "joint_gallery",   "chain_30",  "spherical_wrist_joint_rates"};

class Recursions : public testing::TestWithParam<const char*> {
 protected:
  const describe::Model model = model_named(GetParam());
  /// Springs between bodies exist on expressions only, and may damp: loads_test.cpp has them.
  describe::Model without_springs() const {
    describe::Model copy = model;
    copy.point_springs.clear();
    copy.frame_springs.clear();
    return copy;
  }
  static Options frictionless() {
    Options options;
    options.friction = false;
    return options;
  }
};

TEST_P(Recursions, SimplifiedInverseDynamicsEqualsTheModelAsDescribed) {
  Options plain;
  plain.simplify = false;
  const Equations simplified(model), described(model, plain);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const State s = random_state(model, seed);
    EXPECT_LT(difference(value(simplified.inverse_dynamics(), s, "tau"),
                         value(described.inverse_dynamics(), s, "tau")),
              kRounding);
  }
}

TEST_P(Recursions, NumbersAndExpressionsGiveTheSameForces) {
  const Equations equations(without_springs(), frictionless());
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const Tree<double> tree = numeric(build_tree(model, Numbers(model)));
  Motion<double> motion(tree);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const State s = random_state(model, seed);
    std::vector<double> tau(s.u.size());
    position(tree, s.q.data(), motion);
    newton_euler(tree, s.u.data(), s.udot.data(), {}, Policy{}, motion, tau.data());
    const std::vector<double> symbolic = value(equations.inverse_dynamics(), s, "tau");
    // Springs at joints are not the tree's business.
    std::vector<double> expected = tau;
    std::size_t v = 0, q = 0;
    for (const describe::Joint& joint : model.joints) {
      const bool quasi = describe::coordinate_count(joint.type) != describe::speed_count(joint.type);
      for (std::size_t k = 0; k < joint.axes.size(); ++k, ++v) {
        if (!quasi) {
          expected[v] += describe::value_of(model, joint.axes[k].stiffness) *
                         (s.q[q + k] - describe::value_of(model, joint.axes[k].rest));
        }
      }
      q += static_cast<std::size_t>(describe::coordinate_count(joint.type));
    }
    EXPECT_LT(difference(symbolic, expected), kRounding);
  }
}

TEST_P(Recursions, MassMatrixTimesAccelerationPlusBiasIsInverseDynamics) {
  const Equations equations(model);
  for (unsigned seed = 10; seed < 13; ++seed) {
    const State s = random_state(model, seed);
    std::vector<double> tau = times(value(equations.mass_matrix(), s, "M"), s.udot);
    const std::vector<double> h = value(equations.bias(), s, "h");
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += h[k];
    EXPECT_LT(difference(tau, value(equations.inverse_dynamics(), s, "tau")), kRounding);
  }
}

TEST_P(Recursions, ForwardDynamicsUndoesInverseDynamicsByBothMethods) {
  // A chain of light links amplifies rounding by the condition of its mass matrix.
  const double tolerance = std::string(GetParam()) == "chain_30" ? 1e-7 : 1e-9;
  for (const ForwardMethod method : {ForwardMethod::composite_body, ForwardMethod::articulated_body}) {
    Options options;
    options.method = method;
    const Equations equations(model, options);
    for (unsigned seed = 20; seed < 23; ++seed) {
      State s = random_state(model, seed);
      s.tau = value(equations.inverse_dynamics(), s, "tau");
      bool any_passive = false;
      for (const describe::Joint& joint : model.joints)
        for (const describe::JointAxis& axis : joint.axes) any_passive = any_passive || axis.passive;
      if (any_passive) {
        // Passive joints take no torque: check the equations of motion instead.
        for (double& x : s.tau) x = 0.0;
        s.udot = value(equations.forward_dynamics(), s, "udot");
        EXPECT_LT(largest(value(equations.inverse_dynamics(), s, "tau")), tolerance);
      } else {
        EXPECT_LT(difference(value(equations.forward_dynamics(), s, "udot"), s.udot), tolerance);
      }
    }
  }
}

TEST_P(Recursions, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  const Equations equations(model);
  const State s = random_state(model, 30);
  const std::vector<double> p = times(value(equations.mass_matrix(), s, "M"), s.u);
  double kinetic = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) kinetic += 0.5 * p[k] * s.u[k];
  EXPECT_NEAR(value(equations.energy(), s, "kinetic")[0], kinetic, kRounding * std::max(1.0, kinetic));
}

TEST_P(Recursions, EnergyGrowsByThePowerOfTheActuators) {
  // dE/dt along the motion, differentiated symbolically, equals tau . qd when nothing dissipates.
  const Equations equations(without_springs(), frictionless());
  const Function forward = equations.forward_dynamics();
  Function power = equations.energy();
  {
    const algebra::Graph::Scope scope(*power.graph);
    std::vector<Expr> moving, rates;
    for (const algebra::Block& block : forward.inputs) {
      if (block.name == "q" || block.name == "u")
        moving.insert(moving.end(), block.entries.begin(), block.entries.end());
    }
    rates = forward.outputs[1].entries;  // qdot, then udot: the order of q, u
    rates.insert(rates.end(), forward.outputs[0].entries.begin(), forward.outputs[0].entries.end());
    const Expr total = power.outputs[0].entries[0] + power.outputs[1].entries[0];
    const std::vector<Expr> rate = algebra::directional_derivative(std::span(&total, 1), moving, rates);
    power.inputs = forward.inputs;
    power.outputs = {{"power", "", 1, 1, rate}};
  }
  const State s = random_state(model, 31);
  double expected = 0.0;
  std::size_t v = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (!axis.passive) expected += s.tau[v] * s.u[v];
      ++v;
    }
  EXPECT_NEAR(value(power, s, "power")[0], expected, 1e-9 * std::max(1.0, std::fabs(expected)));
}

INSTANTIATE_TEST_SUITE_P(EveryModel, Recursions, testing::ValuesIn(kModels),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::derive
