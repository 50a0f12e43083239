// The cart in the hand, and its speeds chosen anew: what the paper says of both in words.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/generate/kernel.h>

#include "cases.h"
#include "selection.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;

// Parameters of models/shopping_cart.yaml: chosen.
constexpr double kL1 = 0.4, kL2 = 0.8, kL3 = 0.15, kBody = 20.0, kTurning = 2.5, kCaster = 2.0;
constexpr double kHeading = 0.3, kAngle = 0.4;  // [rad] q3, q4

/// [kg] by which the cart at rest answers a force along b1 at its handle. Free: u1 and u2 move, u3 = (-s4 u1 + L2 c4 u2)/L3 follows; stuck: u2 = u3 = k u1.
double free_mass(double q4) {
  const double s = std::sin(q4), c = std::cos(q4);
  // m of (63): the caster's mass centre moves with v = (c4 u1 + L2 s4 u2) c1.
  const double m11 = kBody + kCaster * c * c, m12 = kCaster * kL2 * s * c,
               m22 = kTurning + kBody * kL1 * kL1 + kCaster * kL2 * kL2 * s * s;
  return m11 - m12 * m12 / m22;
}
double stuck_mass(double q4) {
  const double k = std::sin(q4) / (kL2 * std::cos(q4) - kL3);
  const double part = (kL3 * std::cos(q4) - kL2) / (kL2 * std::cos(q4) - kL3);
  return kBody * (1.0 + kL1 * kL1 * k * k) + kTurning * k * k + kCaster * part * part;
}

/// Felt along b1 by a sine so small that the cart stays where it is, through a virtual coupler.
double felt_mass(const Context& context, bool stuck, Record* record) {
  const auto cart = contact::open(load(context, "shopping_cart"), {.step = 1e-3});
  cart->set_state({.t = 0.0, .q = {0.0, 0.0, kHeading, kAngle}, .u = {0, 0, 0, 0}, .momentum = {}});
  if (stuck && !cart->set_active(cart->constraint("stick"), true)) return NAN;
  constexpr double kOmega = 4.0 * std::numbers::pi, kPush = 1.0;  // [rad/s], [N]
  const double c = std::cos(kHeading), s = std::sin(kHeading);
  const auto device = device::open("simulated:ideal", device::scripted([=](double t) {
                                     const double F = kPush * std::sin(kOmega * t);
                                     return device::Vector6{0, 0, 0, F * c, F * s, 0};
                                   }));
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  // Only the place is coupled: the cart turns as it likes.
  display::HapticLoop loop(*cart, *device, cart->port("P1"), {{0.0, 1500.0}, {0.0, 0.75}}, limits);
  if (!loop.enable()) return NAN;
  std::vector<double> x, F, V;
  for (int k = 0; k < 3000; ++k) {
    if (!device->wait() || !loop.tick(1e-3)) return NAN;
    const display::TickRecord& r = loop.record();
    x.push_back(r.p_P.x * c + r.p_P.y * s);
    V.push_back(r.V_P[3] * c + r.V_P[4] * s);
    F.push_back(r.on_port[3] * c + r.on_port[4] * s);
    if (record != nullptr && k % 5 == 0)
      record->add({r.t, r.p_H.x * c + r.p_H.y * s, x.back() - x.front(), V.back(), F.back()});
  }
  // F = m a + b v + k x by least squares. Within a tick the wrench is held and the velocity changes linearly.
  const auto ticks = static_cast<Eigen::Index>(V.size()) - 1;
  Eigen::MatrixX3d motion(ticks, 3);
  Eigen::VectorXd force(ticks);
  for (Eigen::Index k = 0; k < ticks; ++k) {
    const auto at = static_cast<std::size_t>(k);
    motion.row(k) << 1e3 * (V[at + 1] - V[at]), 0.5 * (V[at] + V[at + 1]), x[at] - x.front();
    force[k] = F[at];
  }
  return motion.colPivHouseholderQr().solve(force)[0];
}

Result through_coupler(const Context& context) {
  Record record({"t", "handle", "cart", "speed", "force"});
  const double free = felt_mass(context, false, &record), stuck = felt_mass(context, true, nullptr);
  record.write_csv(context, "gillespie2003-coupler.csv");
  record.write_svg(context, "gillespie2003-coupler.svg",
                   "The cart through a virtual coupler, along its heading",
                   {{"way [m]", {"handle", "cart"}}, {"speed [m/s]", {"speed"}}, {"force [N]", {"force"}}});
  constexpr double kShare = 0.01;
  Deviation d;
  d.add(free, free_mass(kAngle), kShare * free_mass(kAngle));
  d.add(stuck, stuck_mass(kAngle), kShare * stuck_mass(kAngle));
  return {
      "sections 1 and 5: a mechanism behind a virtual coupler, whose impedance changes with its constraints",
      fmt::format(
          "felt along the cart's heading: {:.3f} kg with a free caster, {:.3f} kg with a stuck one; {}", free,
          stuck, d.to_string()),
      closed_form(all_within(d), "the masses of (63) and (67) along u1, 21.641 and 25.054 kg, within 1 %"),
      "the paper gives neither parameters nor a coupler: 1500 N/m and 0.75 N s/m at 1 kHz, a push of 1 N at "
      "2 Hz",
      {"gillespie2003-coupler.csv", "gillespie2003-coupler.svg"}};
}

Result selection(const Context& context) {
  const describe::Model model = load(context, "shopping_cart");
  const derive::Equations equations(model);
  generate::Evaluator terms(generate::compile(equations.constrained_terms()));
  std::vector<std::size_t> on;
  for (std::size_t r = 0; r < equations.constraint_rows().size(); ++r)
    if (model.constraints[static_cast<std::size_t>(equations.constraint_rows()[r].constraint)].active)
      on.push_back(r);
  const Eigen::Index n = equations.nv(), m = static_cast<Eigen::Index>(on.size());
  Tally singular_values, pivots;
  Deviation same;
  Record record({"caster", "condition by singular values", "condition by pivots"});
  for (int k = 0; k <= 720; ++k) {
    const double q4 = 2.0 * std::numbers::pi * k / 720, u1 = 1.2, u2 = 0.5;
    const std::vector<double> q{0.0, 0.0, kHeading, q4},
        u{u1, u2, (-u1 * std::sin(q4) + u2 * kL2 * std::cos(q4)) / kL3, 0.0};
    std::copy(q.begin(), q.end(), terms.input("q").begin());
    std::copy(u.begin(), u.end(), terms.input("u").begin());
    terms.run();
    const std::span<const double> all = terms.output("A");
    Eigen::MatrixXd A(m, n), M(n, n);
    Eigen::VectorXd Q(n), gamma(m);
    for (Eigen::Index i = 0; i < n; ++i) {
      Q[i] = terms.output("Q")[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < n; ++j) M(i, j) = terms.output("M")[static_cast<std::size_t>(i * n + j)];
    }
    for (std::size_t r = 0; r < on.size(); ++r) {
      gamma[static_cast<Eigen::Index>(r)] = terms.output("gamma")[on[r]];
      for (Eigen::Index j = 0; j < n; ++j)
        A(static_cast<Eigen::Index>(r), j) =
            all[on[r] * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
    }
    singular_values.follow(A, by_singular_values(A));
    pivots.follow(A, by_pivots(A, M));
    const Eigen::VectorXd first = embedded(A, M, Q, gamma, singular_values.now),
                          second = embedded(A, M, Q, gamma, pivots.now);
    constexpr double kSame = 1e-9;
    same.add((first - second).norm() / (1.0 + second.norm()), 0.0, kSame);
    record.add({q4, condition(columns(A, singular_values.now)), condition(columns(A, pivots.now))});
  }
  record.write_csv(context, "gillespie2003-selection.csv");
  record.write_svg(context, "gillespie2003-selection.svg", "The cart's dependent speeds, chosen anew",
                   {{"condition", {"condition by singular values", "condition by pivots"}}}, {},
                   "caster q4 [rad]");
  return {"(43): independent speeds by singular values; they may be selected anew while the simulation runs",
          fmt::format(
              "the caster turned once round: {} choices by singular values, condition at most {:.1f}; {} by "
              "pivots in the metric of the masses, {:.1f}; accelerations: {}",
              singular_values.chosen, singular_values.worst, pivots.chosen, pivots.worst, same.to_string()),
          closed_form(
              all_within(same) && singular_values.chosen == 5 && pivots.chosen == 1,
              "the same accelerations by either choice to 1e-9; a choice in each quarter by singular values"),
          "the paper does not say when to select anew: here where another choice is ten times better",
          {"gillespie2003-selection.csv", "gillespie2003-selection.svg"}};
}

}  // namespace

std::vector<study::Case> display_cases() {
  return {{"example-3-coupler", "the cart through a virtual coupler", through_coupler},
          {"eq-43", "speeds selected anew", selection}};
}

}  // namespace tactus::studies::gillespie
