#include <tactus/simulate/constraints/constrained_inverse.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/describe/read/load.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/paths.h"

namespace tactus::simulate {
namespace {

describe::Model slider_crank(bool second_joint_passive, double gravity) {
  describe::Model model = describe::load(tactus::support::source_dir() + "/models/slider_crank.yaml");
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.passive = second_joint_passive && axis.name == "q2";
  for (describe::Parameter& parameter : model.parameters)
    if (parameter.name == "g") parameter.value = gravity;
  return model;
}

double norm(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

constexpr double kRounding = 1e-11;

TEST(ConstrainedInverse, GivesForcesThatMakeTheMotion) {
  const Dynamics dynamics = compile(derive::Equations(slider_crank(false, 9.81)));
  // On the branch q2 = 2 pi - 2 q1 any qdd = (a, -2 a) is allowed.
  const std::vector<double> q{0.7, 2 * std::numbers::pi - 1.4}, u{0.9, -1.8}, wanted{1.3, -2.6};
  const ConstrainedInverse inverse = constrained_inverse(dynamics, 0.0, q, u, wanted);
  EXPECT_LT(inverse.residual, kRounding);
  Simulation crank(dynamics);
  crank.set_state({0.0, q, u, {}});
  crank.hold({.tau = inverse.tau});
  const auto rates = crank.rates();
  EXPECT_NEAR(rates.udot[0], wanted[0], kRounding);
  EXPECT_NEAR(rates.udot[1], wanted[1], kRounding);
  // The least forces lie along the motion (1, -2) that is left.
  EXPECT_NEAR(inverse.tau[1], -2.0 * inverse.tau[0], kRounding);
}

TEST(ConstrainedInverse, OneActuatorNeedsTheRootOfFiveTimesTheForceOfTwo) {
  // [Aghili2005, VIII-B]: (74) and (75), corrected; the ratio holds at every instant, for any motion and
  // gravity.
  for (const double gravity : {0.0, 9.81}) {
    const Dynamics both = compile(derive::Equations(slider_crank(false, gravity)));
    const Dynamics one = compile(derive::Equations(slider_crank(true, gravity)));
    for (const double q1 : {0.3, 0.9, 1.2}) {
      const std::vector<double> q{q1, 2 * std::numbers::pi - 2 * q1}, u{0.8, -1.6}, wanted{-0.4, 0.8};
      const ConstrainedInverse two = constrained_inverse(both, 0.0, q, u, wanted);
      const ConstrainedInverse single = constrained_inverse(one, 0.0, q, u, wanted);
      EXPECT_EQ(single.tau[1], 0.0);
      EXPECT_NEAR(norm(single.tau) / norm(two.tau), std::sqrt(5.0), 1e-10);
      // (75): f1 = (3 - 2 c2) u* + g c1 - 2 s2 qd1^2 with m = l = 1
      const double c2 = std::cos(q[1]), s2 = std::sin(q[1]);
      EXPECT_NEAR(single.tau[0], (3 - 2 * c2) * wanted[0] + gravity * std::cos(q1) - 2 * s2 * 0.64,
                  kRounding * 10);
    }
  }
}

TEST(ConstrainedInverse, SaysWhatTheActuatorsCannotGive) {
  describe::Model model = slider_crank(false, 9.81);
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.passive = true;
  const Dynamics dynamics = compile(derive::Equations(model));
  const std::vector<double> q{0.7, 2 * std::numbers::pi - 1.4};
  // Held at rest, the motion (1, -2) that is left asks for f = g cos q1, as above; its part along (1, -2) is f/5 times that.
  EXPECT_NEAR(constrained_inverse(dynamics, 0.0, q, {0, 0}, {0, 0}).residual,
              2.0 / 5.0 * 9.81 * std::cos(0.7), 10 * kRounding);
}

}  // namespace
}  // namespace tactus::simulate
