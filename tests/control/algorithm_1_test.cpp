// Algorithm 1 of [Faulring2006]: as it is printed, against its lines written down once more; and where it is not printed, for virtual mechanisms with more joints than the hand has directions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/contact/open.h>
#include <tactus/control/algorithm_1.h>
#include <tactus/describe/read/load.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

/// Four links in the plane, no gravity, held at the tip by a force that has two directions.
describe::Model four_links() {
  return describe::load_text(R"(
name: four_links
gravity: [0, 0, 0]
parameters: {L: 0.2}
bodies:
  a: {mass: 0.8, com: [L/2, 0, 0], inertia: [0, 0.003, 0.003]}
  b: {mass: 0.6, com: [L/2, 0, 0], inertia: [0, 0.002, 0.002]}
  c: {mass: 0.5, com: [L/2, 0, 0], inertia: [0, 0.002, 0.002]}
  d: {mass: 0.4, com: [L/2, 0, 0], inertia: [0, 0.001, 0.001]}
joints:
  q1: {type: revolute, parent: world, child: a, axis: z}
  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [L, 0, 0]}}
  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [L, 0, 0]}}
  q4: {type: revolute, parent: c, child: d, axis: z, placement: {xyz: [L, 0, 0]}}
frames:
  tip: {body: d, placement: {xyz: [L, 0, 0]}, grasp: true}
initial: {q: {q1: 0.3, q2: -0.7, q3: 0.9, q4: 0.4}}
)",
                             "four_links.yaml");
}

constexpr double kLength = 0.2;

std::array<double, 2> force_at(double t) { return {0.5 * std::cos(3.0 * t), -0.3 * std::sin(2.0 * t)}; }

/// J^T f of the tip, by hand.
std::vector<double> torques(const std::vector<double>& q, const std::array<double, 2>& f) {
  std::vector<double> tau(4);
  double angle = q[0] + q[1] + q[2] + q[3], x = 0.0, y = 0.0;
  for (std::size_t i = 4; i-- > 0;) {
    x += kLength * std::cos(angle);
    y += kLength * std::sin(angle);
    tau[i] = x * f[1] - y * f[0];
    angle -= q[i];
  }
  return tau;
}

/// What is held over a step.
enum class Held { torques_in_both, force_in_one, force_in_both };

/// How far Algorithm 1 and the simulation are apart in a second; with torques of the joints held over a step in both, or in Algorithm 1 alone and the force at the tip in the simulation, or that in both.
double apart(const describe::Model& model, double h, Held held) {
  Algorithm1 display(model, Scheme::runge_kutta);
  const auto chain = contact::open(model, {.step = h});
  const int tip = chain->port("tip"), display_tip = display.port("tip");
  EXPECT_GE(display_tip, 0);
  double worst = 0.0;
  for (int k = 0; k < std::lround(1.0 / h); ++k) {
    const std::array<double, 2> f = force_at(display.t());
    const std::vector<double> tau = torques(display.q(), f);
    const simulate::PortWrench wrench{tip, {0, 0, 0, f[0], f[1], 0}};
    if (held == Held::force_in_both)
      display.step(h, wrench.wrench, display_tip);
    else
      display.step(h, tau);
    EXPECT_TRUE((held == Held::torques_in_both
                     ? chain->step({.tau = tau, .ports = {}, .wrench = {}})
                     : chain->step({.tau = {}, .ports = {&wrench, 1}, .wrench = {}}))
                    .ok());
    // Where the display is told to be: phi(q).
    double x = 0.0, y = 0.0, angle = 0.0;
    for (const double q : display.q()) {
      angle += q;
      x += kLength * std::cos(angle);
      y += kLength * std::sin(angle);
    }
    const math::Vec3<double>& p = chain->motion(tip).X_WP.p;
    worst = support::larger(worst, support::difference(display.q(), chain->state().q),
                            std::hypot(p.x - x, p.y - y));
  }
  EXPECT_GT(support::difference(display.q(), model.initial_q), 0.1);
  return worst;
}

TEST(Algorithm1, OfARedundantMechanismIsTheSimulation) {
  const describe::Model model = four_links();
  constexpr double kAgree = 1e-9;  // [rad], [m]: two integrations by the same rule, derived on two roads
  EXPECT_LT(apart(model, 1e-3, Held::torques_in_both), kAgree);
  // Held at its tip: the torques change within the step, by J^T F at every stage of both.
  EXPECT_LT(apart(model, 1e-3, Held::force_in_both), kAgree);
  // Torques of the step's beginning, as printed, are another motion: of first order in it.
  EXPECT_NEAR(apart(model, 1e-3, Held::force_in_one) / apart(model, 5e-4, Held::force_in_one), 2.0, 0.1);
}

/// Algorithm 1 for the two links whose end point is on a circle, by its equations (11) to (16) and its rule of integration, in numbers of the paper's section IV-C and closed forms of that arm.
struct PrintedArm {
  static constexpr double l = 0.15, m = 2.0, b = 0.01, r = 0.05, s = 0.21;
  double z = 0.0, zd = 0.0;
  std::array<double, 2> q{}, qd{};

  void place() {
    const double x = r * std::cos(z) + s,
                 y = r * std::sin(z);  // from the base; phi^-1, the elbow's angle positive
    q[1] = std::acos((x * x + y * y) / (2.0 * l * l) - 1.0);
    q[0] = std::atan2(y, x) - 0.5 * q[1];
  }
  void step(double h, const std::array<double, 2>& F) {
    place();
    const double q12 = q[0] + q[1], s1 = std::sin(q[0]), c1 = std::cos(q[0]), s12 = std::sin(q12),
                 c12 = std::cos(q12), s2 = std::sin(q[1]), c2 = std::cos(q[1]);
    // J_phi, and its inverse; J_psi: T = J_phi^-1 J_psi, qd = T zd.
    const double J[2][2] = {{-l * s1 - l * s12, -l * s12}, {l * c1 + l * c12, l * c12}};
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const double psi[2] = {-r * std::sin(z), r * std::cos(z)};
    const double T[2] = {(J[1][1] * psi[0] - J[0][1] * psi[1]) / det,
                         (-J[1][0] * psi[0] + J[0][0] * psi[1]) / det};
    qd = {T[0] * zd, T[1] * zd};
    const double w1 = qd[0], w12 = qd[0] + qd[1];
    const double Jd_qd[2] = {-l * c1 * w1 * w1 - l * c12 * w12 * w12,
                             -l * s1 * w1 * w1 - l * s12 * w12 * w12};
    // M, and tau less products of the velocity and damping.
    const double M[2][2] = {{m * l * l * (5.0 / 3.0 + c2), m * l * l * (1.0 / 3.0 + 0.5 * c2)},
                            {m * l * l * (1.0 / 3.0 + 0.5 * c2), m * l * l / 3.0}};
    const double f[2] = {J[0][0] * F[0] + J[1][0] * F[1] +
                             0.5 * m * l * l * s2 * (2.0 * qd[0] * qd[1] + qd[1] * qd[1]) - b * qd[0],
                         J[0][1] * F[0] + J[1][1] * F[1] - 0.5 * m * l * l * s2 * qd[0] * qd[0] - b * qd[1]};
    const auto by_M = [&](double f1, double f2) {
      const double d = M[0][0] * M[1][1] - M[0][1] * M[1][0];
      return std::array<double, 2>{(M[1][1] * f1 - M[0][1] * f2) / d, (-M[1][0] * f1 + M[0][0] * f2) / d};
    };
    // x^2 + y^2 = r^2: A = x^T J_phi, A qdd = -(xd^2 + yd^2 + x^T Jd_phi qd).
    const double x[2] = {r * std::cos(z), r * std::sin(z)};
    const double A[2] = {x[0] * J[0][0] + x[1] * J[1][0], x[0] * J[0][1] + x[1] * J[1][1]};
    const double xd[2] = {psi[0] * zd, psi[1] * zd};
    const double wanted = -(xd[0] * xd[0] + xd[1] * xd[1] + x[0] * Jd_qd[0] + x[1] * Jd_qd[1]);
    const std::array<double, 2> free = by_M(f[0], f[1]), pulled = by_M(A[0], A[1]);
    const double lambda = (wanted - A[0] * free[0] - A[1] * free[1]) / (A[0] * pulled[0] + A[1] * pulled[1]);
    const double qdd[2] = {free[0] + lambda * pulled[0], free[1] + lambda * pulled[1]};
    // xdd = J_phi qdd + Jd_phi qd; zdd = J_psi^+ (xdd - Jd_psi zd).
    double zdd = 0.0;
    for (int i = 0; i < 2; ++i)
      zdd += psi[i] / (r * r) * (J[i][0] * qdd[0] + J[i][1] * qdd[1] + Jd_qd[i] + x[i] * zd * zd);
    z += h * zd + 0.5 * h * h * zdd;
    zd += h * zdd;
  }
};

TEST(Algorithm1, AsPrintedIsWhatItsLinesSayForTwoLinksInAHand) {
  const describe::Model model = describe::load(support::source_dir() + "/models/two_link_on_circle.yaml");
  Algorithm1 printed(model, Scheme::printed, {0.0}, {3.0});
  PrintedArm lines{.z = 0.0, .zd = 3.0};
  const int end = printed.port("end");
  ASSERT_GE(end, 0);
  constexpr double kRounding = 1e-12;  // [rad], [rad/s] of some rad in 1000 steps
  for (int k = 0; k < 1000; ++k) {
    const std::array<double, 2> f = force_at(printed.t());
    printed.step(1e-3, {0.0, 0.0, 0.0, f[0], f[1], 0.0}, end);
    lines.step(1e-3, f);
    lines.place();
    ASSERT_NEAR(printed.z()[0], lines.z, kRounding) << k;
    ASSERT_NEAR(printed.zd()[0], lines.zd, kRounding) << k;
    for (std::size_t i = 0; i < 2; ++i) ASSERT_NEAR(printed.q()[i], lines.q[i], kRounding) << k;
  }
  EXPECT_GT(std::abs(printed.z()[0]), 0.5);
}

// Where there is a psi, integrating q instead is the same motion: the difference is of first order in the step, as both are.
TEST(Algorithm1, InTheCoordinatesIsThePrintedOneForTwoLinks) {
  const describe::Model model = describe::load(support::source_dir() + "/models/two_link_on_circle.yaml");
  const auto apart = [&](double h) {
    Algorithm1 printed(model, Scheme::printed, {0.0}, {3.0}), itself(model, Scheme::direct, {0.0}, {3.0});
    for (int k = 0; k < std::lround(0.5 / h); ++k) {
      printed.step(h, {0.0, 0.0});
      itself.step(h, {0.0, 0.0});
    }
    return support::difference(printed.q(), itself.q());
  };
  const double coarse = apart(1e-3), fine = apart(5e-4);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(coarse / fine, 2.0, 0.2);
}

// What is judged "kept" by its largest error must not be so because the error is no number.
TEST(Algorithm1, WhatIsNoNumberStaysInTheLargestDrift) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Drift drift;
  drift.add({1e-3, 2e-3});
  drift.add({kNone, 1e-3});
  drift.add({5e-3, kNone});
  drift.add({6e-3, 6e-3});
  EXPECT_TRUE(std::isnan(drift.position));
  EXPECT_TRUE(std::isnan(drift.velocity));

  const describe::Model arm = describe::load(support::source_dir() + "/models/two_link_on_circle.yaml");
  Algorithm1 lost(arm, Scheme::printed, {0.0}, {1.0});
  EXPECT_LT(lost.drift().position, 1e-15);  // [m] some roundings of a coordinate below 1 m
  lost.step(1e-3, {kNone, 0.0});
  EXPECT_TRUE(std::isnan(lost.drift().position));
  EXPECT_TRUE(std::isnan(lost.drift().velocity));
}

}  // namespace
}  // namespace tactus::control
