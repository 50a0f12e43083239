// Derivatives of the motion: by recursion against differentiation of the graph on every model, on numbers against differences, and
// forward derivatives against differences of forward dynamics.
#include <algorithm>
#include <filesystem>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/derive/recursion/articulated_derivatives.h>
#include <tactus/derive/recursion/derivatives.h>
#include <tactus/derive/tree/build_tree.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// Relative to the largest element: what the issue of all these formulas is held to.
constexpr double kSame = 1e-10;
/// Central differences: step^2 times third derivatives, which are below some 1e3, and rounding over the step.
constexpr double kStep = 1e-5, kDifferences = 2e-6;

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  const std::string folder = support::source_dir() + "/models/";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml" || entry.path().stem() == "index")
      continue;  // the gallery's table of contents
    names.push_back(std::filesystem::relative(entry.path(), folder).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The state moved by `step` along joint rate k: its numbers, or a turn of its quaternion.
State displaced(const describe::Model& model, const Equations& equations, State s, std::size_t k,
                double step) {
  // Rates of the coordinates for a unit of joint rate k, at this place and halfway: a midpoint step, exact to step^3.
  Options options = equations.options();
  describe::Model plain = model;
  plain.speeds = {};
  const Function rates = Equations(plain, options).coordinate_rates();
  State unit = s;
  std::fill(unit.u.begin(), unit.u.end(), 0.0);
  unit.u[k] = 1.0;
  const std::vector<double> first = value(rates, unit, "qdot");
  State half = unit;
  for (std::size_t i = 0; i < s.q.size(); ++i) half.q[i] += 0.5 * step * first[i];
  const std::vector<double> middle = value(rates, half, "qdot");
  for (std::size_t i = 0; i < s.q.size(); ++i) s.q[i] += step * middle[i];
  return s;
}

TEST(Derivatives, ByRecursionAreThoseOfTheGraphOnEveryModel) {
  int compared = 0;
  for (const std::string& name : all_models()) {
    const describe::Model model = model_named(name);
    if (model.nv() == 0 || model.nv() > 60) continue;
    Options options;
    for (std::size_t f = 0; f < model.frames.size() && f < 2; ++f)
      options.wrenches.push_back({static_cast<int>(f), f == 0});
    const Equations equations(model, options);
    const Function graph = inverse_derivatives(equations, DerivativeMethod::graph);
    const Function recursion = inverse_derivatives(equations, DerivativeMethod::recursion);
    for (unsigned seed = 1; seed <= 2; ++seed) {
      const State s = random_state(model, seed, 6 * options.wrenches.size());
      for (const char* part : {"tau_udot", "tau_u", "tau_q"})
        EXPECT_LT(difference(value(graph, s, part), value(recursion, s, part)), kSame) << name << " " << part;
    }
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

TEST(Derivatives, OfInverseDynamicsAreItsDifferencesWithQuaternionsAndDefinedSpeedsToo) {
  for (const char* name :
       {"rigid_body", "joint_gallery", "spherical_wrist", "spherical_wrist_rates", "puma560"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function inverse = equations.inverse_dynamics();
    const Function d = inverse_derivatives(equations, DerivativeMethod::recursion);
    const State s = random_state(model, 7);
    const auto n = static_cast<std::size_t>(model.nv());
    for (const char* part : {"tau_udot", "tau_u", "tau_q"}) {
      const std::vector<double> matrix = value(d, s, part);
      const double size = support::largest(matrix, 1.0);
      for (std::size_t k = 0; k < n; ++k) {
        State up = s, down = s;
        if (std::string(part) == "tau_q") {
          up = displaced(model, equations, s, k, kStep);
          down = displaced(model, equations, s, k, -kStep);
        } else {
          auto& moved_up = std::string(part) == "tau_u" ? up.u : up.udot;
          auto& moved_down = std::string(part) == "tau_u" ? down.u : down.udot;
          moved_up[k] += kStep;
          moved_down[k] -= kStep;
        }
        const std::vector<double> above = value(inverse, up, "tau"), below = value(inverse, down, "tau");
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_NEAR(matrix[i * n + k], (above[i] - below[i]) / (2 * kStep), kDifferences * size)
              << name << " " << part << " " << i << " " << k;
      }
    }
  }
}

TEST(Derivatives, RunAsALoopOnNumbers) {
  for (const char* name : {"joint_gallery", "puma560", "general_6r", "chain_30"}) {
    describe::Model model = model_named(name);
    Options options;
    options.friction = false;
    for (describe::Joint& joint : model.joints)
      for (describe::JointAxis& axis : joint.axes) axis.stiffness = describe::Expr(0.0);
    model.point_springs.clear();
    model.frame_springs.clear();
    const Function d = inverse_derivatives(Equations(model, options), DerivativeMethod::graph);
    const State s = random_state(model, 3);
    Tree<double> tree;
    {
      algebra::Graph graph;
      const algebra::Graph::Scope scope(graph);
      tree = numeric(build_tree(model, Numbers(model)));
    }
    Motion<double> motion(tree);
    DerivativeMotion<double> work(tree);
    const auto n = static_cast<std::size_t>(model.nv());
    std::vector<double> M(n * n), C(n * n), K(n * n);
    position(tree, s.q.data(), motion);
    derivatives(tree, s.u.data(), s.udot.data(), motion, work, M.data(), C.data(), K.data());
    EXPECT_LT(difference(M, value(d, s, "tau_udot")), kSame) << name;
    EXPECT_LT(difference(C, value(d, s, "tau_u")), kSame) << name;
    EXPECT_LT(difference(K, value(d, s, "tau_q")), kSame) << name;
  }
}

TEST(Derivatives, OfForwardDynamicsAreItsDifferences) {
  for (const char* name :
       {"puma560", "joint_gallery", "spherical_wrist", "chain_in_enclosure", "muscle_arm"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function forward = equations.forward_dynamics();
    const State s = random_state(model, 11);
    const auto n = static_cast<std::size_t>(model.nv());
    for (const DerivativeMethod method : {DerivativeMethod::graph, DerivativeMethod::recursion}) {
      const Function d = forward_derivatives(equations, method);
      EXPECT_LT(difference(value(d, s, "udot"), value(forward, s, "udot")), kSame) << name;
      for (const char* part : {"udot_tau", "udot_u", "udot_q"}) {
        const std::vector<double> matrix = value(d, s, part);
        const double size = support::largest(matrix, 1.0);
        for (std::size_t k = 0; k < n; ++k) {
          State up = s, down = s;
          if (std::string(part) == "udot_q") {
            up = displaced(model, equations, s, k, kStep);
            down = displaced(model, equations, s, k, -kStep);
          } else {
            auto& moved_up = std::string(part) == "udot_u" ? up.u : up.tau;
            auto& moved_down = std::string(part) == "udot_u" ? down.u : down.tau;
            moved_up[k] += kStep;
            moved_down[k] -= kStep;
          }
          const std::vector<double> above = value(forward, up, "udot"), below = value(forward, down, "udot");
          for (std::size_t i = 0; i < n; ++i)
            EXPECT_NEAR(matrix[i * n + k], (above[i] - below[i]) / (2 * kStep), kDifferences * size)
                << name << " " << part << " " << i << " " << k;
        }
      }
    }
  }
}

TEST(Derivatives, OfForwardDynamicsByArticulatedBodiesAreThoseByTheFactorsOfM) {
  // The largest differences are those of a chain of 30, whose accelerations are badly conditioned.
  constexpr double kRounded = 1e-9;
  for (const char* name :
       {"chain_30", "chain_in_enclosure", "general_6r", "joint_gallery", "muscle_arm", "puma560"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function factors = forward_derivatives(equations, DerivativeMethod::graph),
                   articulated = forward_derivatives(equations, DerivativeMethod::recursion);
    const State s = random_state(model, 1);
    for (const char* part : {"udot", "udot_q", "udot_u", "udot_tau"})
      EXPECT_LT(difference(value(factors, s, part), value(articulated, s, part)), kRounded)
          << name << " " << part;
  }
}

TEST(Derivatives, OfForwardDynamicsRunAsALoopOnNumbers) {
  constexpr double kRounded = 1e-9;
  for (const char* name : {"puma560", "general_6r", "chain_30"}) {
    describe::Model model = model_named(name);
    Options options;
    options.friction = false;
    for (describe::Joint& joint : model.joints)
      for (describe::JointAxis& axis : joint.axes) axis.stiffness = describe::Expr(0.0);
    const Function d = forward_derivatives(Equations(model, options), DerivativeMethod::graph);
    const State s = random_state(model, 4);
    Tree<double> tree;
    {
      algebra::Graph graph;
      const algebra::Graph::Scope scope(graph);
      tree = numeric(build_tree(model, Numbers(model)));
    }
    Motion<double> motion(tree);
    ArticulatedDerivatives<double> work(tree);
    const auto n = static_cast<std::size_t>(model.nv());
    std::vector<double> udot(n), by_q(n * n), by_u(n * n), by_force(n * n);
    position(tree, s.q.data(), motion);
    articulated_derivatives(tree, s.u.data(), s.tau.data(), motion, work, udot.data(), by_q.data(),
                            by_u.data(), by_force.data());
    EXPECT_LT(difference(udot, value(d, s, "udot")), kRounded) << name;
    EXPECT_LT(difference(by_q, value(d, s, "udot_q")), kRounded) << name;
    EXPECT_LT(difference(by_u, value(d, s, "udot_u")), kRounded) << name;
    EXPECT_LT(difference(by_force, value(d, s, "udot_tau")), kRounded) << name;
  }
}

TEST(Derivatives, MassMatricesByDotsAreThoseByCompositeBodies) {
  for (const char* name : {"joint_gallery", "puma560", "rigid_body", "chain_30", "chain_100"}) {
    const describe::Model model = model_named(name);
    const State s = random_state(model, 5);
    Tree<double> tree;
    {
      algebra::Graph graph;
      const algebra::Graph::Scope scope(graph);
      tree = numeric(build_tree(model, Numbers(model)));
    }
    Motion<double> motion(tree);
    RootFrame<double> frame(tree);
    std::vector<CompositeBody<double>> composite;
    const auto n = static_cast<std::size_t>(model.nv());
    std::vector<double> dots(n * n), carried(n * n);
    position(tree, s.q.data(), motion);
    mass_by_dots(tree, motion, frame, dots.data());
    composite_body(tree, Policy{}, motion, composite, carried.data());
    EXPECT_LT(difference(dots, carried), kSame) << name;
    if (std::string(name) == "rigid_body") continue;  // its speeds are its own
    EXPECT_LT(difference(value(Equations(model).mass_matrix(), s, "M"), carried), kSame) << name;
  }
}

TEST(Derivatives, GrowWithThePairsOfADeepTreeAndNoFaster) {
  // Each pair of speeds of a chain takes the same number of operations: three matrices of dots.
  const Function d = inverse_derivatives(Equations(model_named("chain_30")));
  const algebra::OperationCount count = algebra::count_operations(d.roots());
  EXPECT_LT(count.mul + count.add, 435 * 22 + 30 * 120);
}

}  // namespace
}  // namespace tactus::derive
