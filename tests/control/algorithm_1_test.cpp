// Algorithm 1 of [Faulring2006] where it is not printed: virtual mechanisms with more joints than the hand has directions.
#include <gtest/gtest.h>

#include <cmath>

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

/// How far Algorithm 1 and the simulation are apart in a second; torques held over a step in both, or the force at the tip in the latter.
double apart(const describe::Model& model, double h, bool at_tip) {
  Algorithm1 display(model, Scheme::runge_kutta);
  const auto chain = contact::open(model, {.step = h});
  const int tip = chain->port("tip");
  double worst = 0.0;
  for (int k = 0; k < std::lround(1.0 / h); ++k) {
    const std::array<double, 2> f = force_at(display.t());
    const std::vector<double> tau = torques(display.q(), f);
    const simulate::PortWrench wrench{tip, {0, 0, 0, f[0], f[1], 0}};
    display.step(h, tau);
    EXPECT_TRUE((at_tip ? chain->step({.tau = {}, .ports = {&wrench, 1}, .wrench = {}})
                        : chain->step({.tau = tau, .ports = {}, .wrench = {}}))
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
  EXPECT_LT(apart(model, 1e-3, false), kAgree);
  // With the force held at the tip instead, the torques change within the step: of first order in it.
  EXPECT_NEAR(apart(model, 1e-3, true) / apart(model, 5e-4, true), 2.0, 0.1);
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

}  // namespace
}  // namespace tactus::control
