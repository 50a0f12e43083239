#include <tactus/derive/recursion/recursion.h>

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::derive {
namespace {

/// Two roads of some hundred roundings each; the largest entries set the scale.
constexpr double kRounding = 1e-11;
/// Forward dynamics divides by the mass matrix: its condition number (up to 1e4 here) magnifies the
/// roundings.
constexpr double kSolved = 1e-9;

describe::Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

struct Sample {
  std::vector<double> q, u, udot;
};

/// Random angles, lengths and rates; quaternions of unit length.
Sample random_sample(const describe::Model& model, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Sample s;
  for (const describe::Joint& joint : model.joints) {
    const bool is_free = joint.type == describe::JointType::free;
    if (is_free || joint.type == describe::JointType::spherical) {
      for (int k = 0; k < 3 && is_free; ++k) s.q.push_back(uniform(generator));
      const auto r =
          math::normalized({uniform(generator), uniform(generator), uniform(generator), uniform(generator)});
      s.q.insert(s.q.end(), {r.w, r.x, r.y, r.z});
    } else {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) s.q.push_back(3.0 * uniform(generator));
    }
  }
  for (int k = 0; k < model.nv(); ++k) s.u.push_back(2.0 * uniform(generator));
  for (int k = 0; k < model.nv(); ++k) s.udot.push_back(5.0 * uniform(generator));
  return s;
}

void expect_near(std::span<const double> a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double scale = 1.0;
  for (const double x : b) scale = support::larger(scale, std::fabs(x));
  for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance * scale) << "entry " << k;
}

void set(generate::Evaluator& evaluator, const char* name, const std::vector<double>& values) {
  const std::span<double> slot = evaluator.input(name);
  ASSERT_EQ(slot.size(), values.size());
  std::copy(values.begin(), values.end(), slot.begin());
}

class RecursionOf : public testing::TestWithParam<std::string> {};

TEST_P(RecursionOf, AgreesWithTheGeneratedEquations) {
  describe::Model model = model_named(GetParam());
  model.point_springs.clear();
  model.frame_springs.clear();
  Recursion recursion(model);
  const Equations equations(model);
  generate::Evaluator inverse(generate::compile(equations.inverse_dynamics()));
  generate::Evaluator mass(generate::compile(equations.mass_matrix()));
  generate::Evaluator forward(generate::compile(equations.forward_dynamics()));
  const auto nv = static_cast<std::size_t>(model.nv());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Sample s = random_sample(model, seed);
    std::vector<double> tau(nv), M(nv * nv), udot(nv);
    recursion.inverse_dynamics(s.q.data(), s.u.data(), s.udot.data(), tau.data());
    recursion.mass_matrix(s.q.data(), M.data());
    recursion.forward_dynamics(s.q.data(), s.u.data(), tau.data(), udot.data());
    for (auto* evaluator : {&inverse, &mass, &forward}) set(*evaluator, "q", s.q);
    for (auto* evaluator : {&inverse, &forward}) set(*evaluator, "u", s.u);
    set(inverse, "udot", s.udot);
    set(forward, "tau", tau);
    inverse.run();
    mass.run();
    forward.run();
    expect_near(inverse.output("tau"), tau, kRounding);
    expect_near(mass.output("M"), M, kRounding);
    expect_near(forward.output("udot"), udot, kSolved);
    bool any_passive = false;
    for (const auto& joint : model.joints)
      for (const auto& axis : joint.axes) any_passive = any_passive || axis.passive;
    if (!any_passive) expect_near(udot, s.udot, kSolved);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RecursionOf,
                         testing::Values("puma560", "planar_3r", "general_6r", "scara", "gantry",
                                         "joint_gallery", "rigid_body", "double_pendulum"),
                         [](const auto& info) { return info.param; });

TEST(Recursion, AllocatesNothingInItsCalls) {
  const describe::Model model = model_named("puma560");
  Recursion recursion(model);
  const Sample s = random_sample(model, 1);
  std::vector<double> tau(6), M(36), udot(6);
  const long before = test::allocation_count();
  recursion.inverse_dynamics(s.q.data(), s.u.data(), s.udot.data(), tau.data());
  recursion.mass_matrix(s.q.data(), M.data());
  recursion.forward_dynamics(s.q.data(), s.u.data(), tau.data(), udot.data());
  EXPECT_EQ(test::allocation_count() - before, 0);
}

TEST(Recursion, RefusesSpringsBetweenPoints) {
  EXPECT_THROW(Recursion{model_named("joint_gallery")}, InputError);
}

TEST(Recursion, RefusesSpeedsOfTheUsersOwnDefinition) {
  EXPECT_THROW(Recursion{model_named("spherical_wrist")}, InputError);
}

}  // namespace
}  // namespace tactus::derive
