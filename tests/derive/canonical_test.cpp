#include <tactus/derive/readable/canonical.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::derive {
namespace {

/// Torques of up to 400 N m from some 1200 terms, and from the recursion: rounding of either is a few 1e-14
/// relative.
constexpr double kSeriesAgainstRecursion = 4e-13;

describe::Model load(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

MotionPoint random_point(std::mt19937& random, std::size_t n) {
  std::uniform_real_distribution<double> angle(-3.0, 3.0), speed(-3.0, 3.0), acceleration(-10.0, 10.0);
  MotionPoint at;
  for (std::size_t i = 0; i < n; ++i) {
    at.q.push_back(angle(random));
    at.u.push_back(speed(random));
    at.udot.push_back(acceleration(random));
  }
  return at;
}

/// The recursion on doubles: independent of graph, polynomials and simplification.
std::vector<double> recursion(const describe::Model& model, const MotionPoint& at) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const Tree<double> tree = numeric(build_tree(model, Numbers(model)));
  Motion<double> motion(tree);
  position(tree, at.q.data(), motion);
  std::vector<double> tau(at.u.size());
  newton_euler(tree, at.u.data(), at.udot.data(), {}, Policy{}, motion, tau.data());
  return tau;
}

TEST(Canonical, ReproducesTheRecursion) {
  for (const char* name :
       {"puma560", "planar_2r", "planar_3r", "double_pendulum", "spherical_wrist_joint_rates"}) {
    const describe::Model model = load(name);
    const CanonicalModel canonical = canonical_form(model);
    std::mt19937 random(5);
    for (int round = 0; round < 10; ++round) {
      const MotionPoint at = random_point(random, static_cast<std::size_t>(model.nv()));
      const std::vector<double> expected = recursion(model, at), found = canonical.inverse_dynamics(at);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], kSeriesAgainstRecursion * (1.0 + std::fabs(expected[i])))
            << name << i;
      }
    }
  }
}

TEST(Canonical, FunctionsComputeTheSame) {
  const describe::Model model = load("planar_3r");
  const CanonicalModel canonical = canonical_form(model);
  std::mt19937 random(6);
  const MotionPoint at = random_point(random, 3);
  const auto value_of = [&](Expr s) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (s == canonical.q[i]) return at.q[i];
      if (s == canonical.u[i]) return at.u[i];
      if (s == canonical.udot[i]) return at.udot[i];
    }
    return 0.0;
  };
  const std::vector<double> expected = canonical.inverse_dynamics(at);
  const std::vector<double> tau = algebra::evaluate(inverse_dynamics(canonical, false).roots(), value_of);
  const std::vector<double> M = algebra::evaluate(mass_matrix(canonical).roots(), value_of);
  const std::vector<double> h = algebra::evaluate(bias(canonical, false).roots(), value_of);
  const std::vector<double> friction = canonical.friction_at(at);
  const std::vector<double> with = algebra::evaluate(inverse_dynamics(canonical, true).roots(), value_of);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(tau[i], expected[i], kSeriesAgainstRecursion * (1.0 + std::fabs(expected[i])));
    double sum = h[i];
    for (std::size_t j = 0; j < 3; ++j) sum += M[i * 3 + j] * at.udot[j];
    EXPECT_NEAR(sum, expected[i], kSeriesAgainstRecursion * (1.0 + std::fabs(expected[i])));
    EXPECT_NEAR(with[i], expected[i] + friction[i], kSeriesAgainstRecursion * (1.0 + std::fabs(expected[i])));
  }
}

TEST(Canonical, HoldsForSpeedsThatTheModelDefines) {
  const describe::Model model = load("spherical_wrist");
  const CanonicalModel canonical = canonical_form(model);
  const Equations equations(model);
  const Function mass = equations.mass_matrix(), h = equations.bias();
  std::mt19937 random(8);
  const MotionPoint at = random_point(random, 3);
  const auto value_in = [&](const Function& function) {
    return [&](Expr s) {
      const std::string& name = function.graph->symbol_name(s);
      for (std::size_t i = 0; i < 3; ++i) {
        if (name == canonical.graph->symbol_name(canonical.q[i])) return at.q[i];
        if (name == canonical.graph->symbol_name(canonical.u[i])) return at.u[i];
      }
      return 0.0;
    };
  };
  const std::vector<double> M = algebra::evaluate(mass.roots(), value_in(mass));
  const std::vector<double> bias = algebra::evaluate(h.roots(), value_in(h));
  const std::vector<double> found = canonical.inverse_dynamics(at);
  for (std::size_t i = 0; i < 3; ++i) {
    double expected = bias[i];
    for (std::size_t j = 0; j < 3; ++j) expected += M[3 * i + j] * at.udot[j];
    EXPECT_NEAR(found[i], expected, kSeriesAgainstRecursion * (1.0 + std::fabs(expected)));
  }
  // Body rates as speeds: the mass matrix is constant and diagonal.
  EXPECT_TRUE(canonical.M(0, 0).constant().has_value());
  EXPECT_TRUE(canonical.M(0, 1).is_zero());
}

TEST(Canonical, RefusesQuaternionsAndSaysWhy) {
  std::string why;
  EXPECT_FALSE(find_canonical_form(load("rigid_body"), {}, &why));
  EXPECT_NE(why.find("quaternion"), std::string::npos);
  EXPECT_THROW(canonical_form(load("chain_100")), InputError);
}

}  // namespace
}  // namespace tactus::derive
