// Where motion and constraint forces are decoupled, and force control without the feed-forward there [Aghili2005, V-C, VII-C].
#include <tactus/control/arm/decoupling.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/projected.h>
#include <tactus/describe/read/load.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using Eigen::MatrixXd;
using std::numbers::pi;

describe::Model model_of(const char* name, const describe::Settings& settings = {}) {
  return describe::load(support::source_dir() + "/models/" + name + ".yaml", settings);
}

/// The slider-crank with both joints active, and its constraint as often as wanted.
describe::Model crank(int copies = 1) {
  describe::Model model = model_of("slider_crank", {{"g", "0"}});
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes) axis.passive = false;
  for (int k = 1; k < copies; ++k) {
    describe::Constraint again = model.constraints[0];
    again.name += std::to_string(k);
    model.constraints.push_back(again);
  }
  return model;
}

TEST(Decoupling, HoldsExactlyWhereTheMotionsStayWithinThemselvesUnderTheInertia) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto matrix = [&](Eigen::Index rows, Eigen::Index cols) {
    return MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); }).eval();
  };
  for (int trial = 0; trial < 40; ++trial) {
    const Eigen::Index n = 2 + trial % 5, m = 1 + trial % (n - 1);
    const MatrixXd A = matrix(m, n), B = matrix(n, n);
    const MatrixXd M = B * B.transpose() + 0.2 * MatrixXd::Identity(n, n);
    const MatrixXd held = A.transpose() * (A * A.transpose()).inverse() * A,
                   P = MatrixXd::Identity(n, n) - held;
    // (80) both ways: the two vanish together. The right side of the appendix, with its sign.
    const Decoupling coupled = decoupling(A, m, M);
    EXPECT_GT(coupled.inertia, 1e-3);
    EXPECT_GT(coupled.mu, 1e-3);
    EXPECT_FALSE(coupled.decoupled());
    const MatrixXd Mc = M + P * M - M * P;
    EXPECT_LT((held * Mc * M.inverse() * P + held * M * P * M.inverse() * P).norm(), 1e-10);
    EXPECT_NEAR(coupled.mu, (held * M * Mc.inverse() * P).norm(), 1e-9);
    const MatrixXd apart = P * M * P + held * M * held;
    const Decoupling free = decoupling(A, m, apart);
    EXPECT_LT(free.inertia, 1e-13);
    EXPECT_LT(free.mu, 1e-12);
    EXPECT_TRUE(free.decoupled());
  }
}

struct Place {
  double q1 = 0.0, u1 = 0.0;
};

std::array<double, 2> hybrid_force(ProjectedController& controller, const Place& at, double wanted) {
  ProjectedMemory memory = controller.memory();
  const std::array<double, 2> q{at.q1, 2.0 * pi - 2.0 * at.q1}, u{at.u1, -2.0 * at.u1};
  const std::array<double, 4> none{};
  std::array<double, 2> f{};
  EXPECT_EQ(controller.force(memory, 0.0, q.data(), u.data(), &wanted, none.data(), none.data(), none.data(),
                             none.data(), f.data()),
            Led::well);
  return f;
}

// Constraints that are all switched off leave no rows: nothing is held, and nothing couples.
TEST(Decoupling, NeedsNoRows) {
  const MatrixXd M = MatrixXd::Identity(3, 3) * 2.0;
  for (const Eigen::Index rows : {0, 2}) {
    const Decoupling none = decoupling(MatrixXd::Zero(rows, 3), 0, M);
    EXPECT_EQ(none.inertia, 0.0);
    EXPECT_EQ(none.mu, 0.0);
    EXPECT_TRUE(none.decoupled());
  }
}

TEST(Decoupling, ForceControlWithoutFeedForwardMissesTheCouplingAlone) {
  // (72): its first term, 2/5 (1 + c2) u* along (1, 1/2), is what the motion adds.
  ProjectedControl control;
  control.led = {"q1"};
  control.share = Share::hybrid;
  ProjectedController with(crank(), control);
  control.feed_forward = false;
  ProjectedController without(crank(), control);
  for (const Place at : {Place{0.6, 0.4}, Place{2.2, -1.0}, Place{4.0, 0.3}}) {
    const double wanted = 1.0, u = 25.0 * (wanted - at.q1) - 10.0 * at.u1;
    const double coupling = 0.4 * (1.0 + std::cos(2.0 * at.q1)) * u;
    const std::array<double, 2> a = hybrid_force(with, at, wanted), b = hybrid_force(without, at, wanted);
    EXPECT_NEAR(a[0] - b[0], coupling, 1e-12 * (1.0 + std::abs(u)));
    EXPECT_NEAR(a[1] - b[1], 0.5 * coupling, 1e-12 * (1.0 + std::abs(u)));
  }
}

TEST(Decoupling, AParticleOnACircleNeedsNoFeedForward) {
  const describe::Model model = model_of("particle_on_circle");
  ProjectedControl control;
  control.led = {"q2"};
  control.share = Share::hybrid;
  ProjectedController with(model, control);
  control.feed_forward = false;
  ProjectedController without(model, control);
  const double angle = 0.5, speed = 1.3, wanted = 0.9, none = 0.0, lambda = -3.0;
  const std::array<double, 2> q{std::cos(angle), std::sin(angle)},
      u{-speed * std::sin(angle), speed * std::cos(angle)};
  std::array<std::array<double, 2>, 2> f{};
  int k = 0;
  for (ProjectedController* controller : {&with, &without}) {
    ProjectedMemory memory = controller->memory();
    EXPECT_EQ(controller->force(memory, 0.0, q.data(), u.data(), &wanted, &none, &none, &none, &lambda,
                                f[static_cast<std::size_t>(k++)].data()),
              Led::well);
  }
  EXPECT_LT(support::difference(f[0], f[1]), 1e-14);
  EXPECT_GT(support::largest(f[0]), 1.0);
  MatrixXd A(1, 2), M = MatrixXd::Identity(2, 2);
  A << q[0], q[1];
  EXPECT_LT(decoupling(A, 1, M).inertia, 1e-15);
}

/// The largest force of the constraint while the crank is led, sampled at h, by hybrid control for none.
double largest_force(bool feed_forward, double h) {
  const describe::Model model = crank();
  ProjectedControl control;
  control.led = {"q1"};
  control.share = Share::hybrid;
  control.period = h;
  control.feed_forward = feed_forward;
  ProjectedController controller(model, control);
  ProjectedMemory memory = controller.memory();
  const auto plant = contact::open(model, {.step = h});
  plant->set_state({0.0, {pi / 6.0, 2.0 * pi - pi / 3.0}, {0.0, 0.0}, {}});
  const double wanted = pi / 3.0, none = 0.0;
  double largest = 0.0;
  for (long k = 0; k < std::lround(1.0 / h); ++k) {
    const simulate::State& s = plant->state();
    std::vector<double> f(2);
    EXPECT_EQ(
        controller.force(memory, s.t, s.q.data(), s.u.data(), &wanted, &none, &none, &none, &none, f.data()),
        Led::well);
    EXPECT_TRUE(plant->hold({.tau = f, .ports = {}, .wrench = {}}));
    largest = support::larger(largest, std::abs(plant->constraint_report(true).force[0]));
    EXPECT_TRUE(plant->step({.tau = f, .ports = {}, .wrench = {}}).ok());
  }
  return largest;
}

TEST(Decoupling, TheCrankNeedsTheFeedForwardWhileItMoves) {
  // At the instant a force is computed it is exact: what is left is rounding. Without the term the force is the coupling, at first
  // 2/5 (1 + cos 60 deg) 25 pi/6 = 7.854 N m.
  EXPECT_LT(largest_force(true, 1e-3), 1e-10);
  EXPECT_NEAR(largest_force(false, 1e-3), 0.4 * 1.5 * 25.0 * pi / 6.0, 1e-9);
}

TEST(Decoupling, ForcesOfRedundantConstraintsCanBeCommandedAndMultipliersCannot) {
  // Remark 5: twice the same constraint. 3 and 1 N are asked for: the force is that of 4 N, however the rows share it.
  const describe::Model model = crank(2);
  ProjectedControl control;
  control.led = {"q1"};
  control.share = Share::hybrid;
  ProjectedController controller(model, control);
  ProjectedMemory memory = controller.memory();
  const auto plant = contact::open(model, {.step = 1e-3});
  const double q1 = 0.6, u1 = 0.4;
  plant->set_state({0.0, {q1, 2.0 * pi - 2.0 * q1}, {u1, -2.0 * u1}, {}});
  const double wanted = 1.0, none = 0.0;
  const std::array<double, 2> lambda{}, lambda_wanted{3.0, 1.0};
  std::vector<double> f(2);
  const simulate::State& s = plant->state();
  ASSERT_EQ(controller.force(memory, 0.0, s.q.data(), s.u.data(), &wanted, &none, &none, lambda.data(),
                             lambda_wanted.data(), f.data()),
            Led::well);
  ASSERT_TRUE(plant->hold({.tau = f, .ports = {}, .wrench = {}}));
  const simulate::ConstraintReport report = plant->constraint_report(true);
  EXPECT_NEAR(report.force[0], 4.0 * 2.0 * std::cos(q1), 1e-10);
  EXPECT_NEAR(report.force[1], 4.0 * std::cos(q1), 1e-10);
  EXPECT_NEAR(report.lambda[0] + report.lambda[1], 4.0, 1e-10);
  EXPECT_GT(std::abs(report.lambda[0] - 3.0), 0.5);
}

}  // namespace
}  // namespace tactus::control
