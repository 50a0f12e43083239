// Example 3: the shopping cart, its caster free or stuck; and Example 1, the disk on the ramp.
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;

constexpr double kF = 15.0, kTorque = -3.0, kHeading = 0.3, kCaster = 0.4;

/// The push at P1: a force F along the cart and a torque, as forces on the tree's joints (x, y, heading,
/// caster).
std::vector<double> push(double F, double torque, double heading) {
  return {F * std::cos(heading), F * std::sin(heading), torque, 0.0};
}

/// The parameters of models/shopping_cart.yaml.
constexpr double m_B = 20.0, I_B = 2.5, m_C = 2.0, L1 = 0.4, L2 = 0.8, L3 = 0.15;

/// The state that is compared: u = (u1, u2, u3, sideways).
simulate::State state(double u1, double u2, double u3) {
  return {0.0, {0.0, 0.0, kHeading, kCaster}, {u1, u2, u3, 0.0}, {}};
}

/// (60), as printed: u3 of a caster that is free.
double equation_60(double u1, double u2) {
  const double s4 = std::sin(kCaster), c4 = std::cos(kCaster);
  return -s4 / L3 * u1 + L2 * c4 / L3 * u2;
}

/// (63), as printed, solved for u1', u2'; u3' is the rate of (60).
std::array<double, 3> equation_63(double u1, double u2) {
  const double s4 = std::sin(kCaster), c4 = std::cos(kCaster), u3 = equation_60(u1, u2);
  const double b1 =
      kF + (L1 * m_B + L2 * m_C * c4 * c4) * u2 * u2 - L3 * m_C * c4 * u3 * u3 - m_C * s4 * c4 * u1 * u2;
  const double b2 = kTorque + m_C * L2 * L2 * s4 * c4 * u2 * u2 - L2 * L3 * m_C * s4 * u3 * u3 -
                    (L1 * m_B + L2 * m_C * s4 * s4) * u1 * u2;
  const double a11 = m_B + m_C * c4 * c4, a12 = L2 * m_C * s4 * c4,
               a22 = I_B + m_B * L1 * L1 + m_C * L2 * L2 * s4 * s4;
  const double det = a11 * a22 - a12 * a12;
  const double d1 = (a22 * b1 - a12 * b2) / det, d2 = (a11 * b2 - a12 * b1) / det, q4_dot = u3 - u2;
  return {d1, d2, -s4 / L3 * d1 + L2 * c4 / L3 * d2 + (-c4 / L3 * u1 - L2 * s4 / L3 * u2) * q4_dot};
}

/// (66) and (67), as printed, solved for u1'; `sign` is that of the product u1 u2, printed -1.
double equation_67(double u1, double u2, double u3, double sign) {
  const double s4 = std::sin(kCaster), c4 = std::cos(kCaster);
  const double Z1 = u3 - u2, Z2 = L3 - L2 * c4, Z3 = L2 * m_C * (L2 - L3 * c4), Z4 = L1 * m_B + L2 * m_C,
               Z5 = I_B + Z3 + m_B * L1 * L1,
               Z6 = s4 * Z1 * (Z5 + m_C * L3 * L3 - L2 * L3 * m_C * c4) / (Z2 * Z2);
  const double active = kF - s4 * kTorque / Z2;
  const double products = (Z4 - L2 * L3 * m_C * s4 * s4 / Z2) * u2 * u2 -
                          L3 * m_C * (c4 - L2 * s4 * s4 / Z2) * u3 * u3 - Z6 * c4 * u1 + L2 * Z6 * s4 * u2 +
                          sign * s4 * (Z4 - L3 * m_C * c4) / Z2 * u1 * u2;
  return (active + products) / (m_B + Z5 * s4 * s4 / (Z2 * Z2) + m_C * (1.0 - L3 * s4 * s4 / Z2));
}

Result free_caster(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(load(context, "shopping_cart"));
  cart->set_state(state(1.2, 0.5, equation_60(1.2, 0.5)));
  const std::vector<double> tau = push(kF, kTorque, kHeading);
  cart->hold({.tau = tau});
  const std::vector<double> udot(cart->accelerations().begin(), cart->accelerations().end());
  const std::array<double, 3> printed = equation_63(1.2, 0.5);
  Deviation d;
  for (std::size_t k = 0; k < 3; ++k) d.add(udot[k], printed[k], 1e-11);
  return {"(63): two equations of motion, caster free",
          d.to_string(),
          closed_form(all_within(d), "the formulas (60) and (63), evaluated as printed at one state"),
          "as printed; by the default formulation. The paper prints no numbers",
          {}};
}

Result stuck_caster(const Context& context) {
  describe::Model model = load(context, "shopping_cart");
  for (describe::Constraint& c : model.constraints) c.active = true;
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(model);
  const double k = std::sin(kCaster) / (L2 * std::cos(kCaster) - L3);  // (65)
  cart->set_state(state(1.2, k * 1.2, k * 1.2));
  const std::vector<double> tau = push(kF, kTorque, kHeading);
  cart->hold({.tau = tau});
  const std::vector<double> udot(cart->accelerations().begin(), cart->accelerations().end());
  const double printed = equation_67(1.2, k * 1.2, k * 1.2, -1.0),
               mended = equation_67(1.2, k * 1.2, k * 1.2, 1.0);
  Deviation d;
  d.add(udot[0], mended, 1e-11);
  d.add(udot[1], k * mended, 1e-11);
  constexpr double kWrong = 0.1;  // [m/s^2] far from rounding
  return {fmt::format("(67): u1' = {:.4f} at this state", printed),
          fmt::format("u1' = {:.10f}; with the sign of u1 u2 in (67) changed {}", udot[0], d.to_string()),
          corrected(all_within(d) && std::fabs(printed - udot[0]) > kWrong,
                    "(67), evaluated as printed and with one sign changed"),
          "(67) has a sign wrong, that of u1 u2: the products of speeds then cancel, and F* = -Mt u1'",
          {}};
}

Result sticking_impulse(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(load(context, "shopping_cart"));
  const double u3 = equation_60(1.2, 0.5);
  cart->set_state(state(1.2, 0.5, u3));
  cart->set_active(cart->constraint("stick"), true);
  // What the impulse leaves alone is the momentum along the only motion that remains, (1, k) in (u1, u2): that of (63)'s mass matrix.
  const double s4 = std::sin(kCaster), c4 = std::cos(kCaster), k = s4 / (L2 * c4 - L3);
  const double a11 = m_B + m_C * c4 * c4, a12 = L2 * m_C * s4 * c4,
               a22 = I_B + m_B * L1 * L1 + m_C * L2 * L2 * s4 * s4;
  const double u1 = ((a11 + k * a12) * 1.2 + (a12 + k * a22) * 0.5) / (a11 + 2.0 * k * a12 + k * k * a22);
  Deviation d;
  d.add(cart->state().u[0], u1, 1e-12);
  d.add(cart->state().u[1], k * u1, 1e-12);
  d.add(cart->state().u[2], k * u1, 1e-12);
  return {
      "no law is given",
      d.to_string() + ": the velocity after the caster has stuck",
      closed_form(all_within(d), "the momentum along the motion that remains, by the mass matrix of (63)"),
      "the paper says that an impulse resolves the change but not which; here the plastic one, the "
      "projection in the metric of "
      "the mass matrix",
      {}};
}

Result stick_and_release(const Context& context) {
  // Pushed from rest; the caster sticks at 1 s, lets go at 2.5 s: kinetic energy = work - what the sticking
  // took.
  constexpr double kStep = 5e-4;  // two of them make one interval of Simpson's rule
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(
      load(context, "shopping_cart"),
      {.step = kStep,
       .script_text = "tau: {q1: 12*cos(q3), q2: 12*sin(q3), q3: 10*cos(2*t)}\ninitial: {q: {q4: 0.3}}\n"});
  cart->set_state({0.0, {0.0, 0.0, 0.0, 0.3}, {0.0, 0.0, 0.0, 0.0}, {}});
  const auto kinetic = [&] { return cart->energies().kinetic; };
  const auto power = [&] {
    return 12.0 * cart->state().u[0] + 10.0 * std::cos(2.0 * cart->state().t) * cart->state().u[1];
  };
  const int stick = cart->constraint("stick");
  Record record({"t", "x", "y", "heading", "caster", "u1", "u2", "u3", "kinetic", "work", "lost"});
  double work = 0.0, lost = 0.0;
  Deviation balance;
  for (long k = 0; k <= 4000; ++k) {
    if (k == 1000 || k == 2500) {
      const double before = kinetic();
      cart->set_active(stick, k == 1000);
      lost += before - kinetic();
    }
    balance.add(kinetic() + lost, work, INFINITY);
    if (k % 10 == 0) {
      const auto& s = cart->state();
      record.add({s.t, s.q[0], s.q[1], s.q[2], s.q[3], s.u[0], s.u[1], s.u[2], kinetic(), work, lost});
    }
    if (k == 4000) break;
    const double p0 = power();
    bool ok = cart->step().ok();
    const double p1 = power();
    ok = ok && cart->step().ok();
    if (!ok) return {"", "the motion failed", {}, "", {}};
    work += kStep / 3.0 * (p0 + 4.0 * p1 + power());
  }
  record.write_csv(context, "gillespie2003-cart.csv");
  record.write_svg(context, "gillespie2003-cart.svg",
                   "Shopping cart: the caster sticks at 1 s, lets go at 2.5 s",
                   {{"path [m]", {"x", "y"}},
                    {"angles [rad]", {"heading", "caster"}},
                    {"speeds [m/s, rad/s]", {"u1", "u2", "u3"}},
                    {"energy [J]", {"kinetic", "work", "lost"}}});
  return {"Example 3 (the cart of Figure 4): the caster turns freely, or sticks; no motion is shown",
          fmt::format("to {:.3f} s: {:.3f} J of work, {:.4f} J lost when the caster sticks, energy balance "
                      "within {:.1g} of it",
                      cart->state().t, work, lost, balance.worst / work),
          closed_form(balance.worst < 1e-12 * work && lost > 0.0 && std::fabs(cart->state().t - 4.0) < 1e-9,
                      "the balance of energy: kinetic energy and loss against the work, at every step"),
          "the paper gives neither parameters nor the push",
          {"gillespie2003-cart.csv", "gillespie2003-cart.svg"}};
}

Result disk_on_ramp(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(load(context, "disk_on_ramp"));
  disk->set_state({0.0, {0.0, 0.1, 0.0}, {0.5, 0.0, -5.0}, {}});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  // (42): (m + J/r^2) u1' = -m g sin(phi), with J = m r^2/2 and 1 kg; the friction is what is left of the weight, m g sin(phi)/3.
  const double along = 9.81 * std::sin(20.0 * std::numbers::pi / 180.0);
  const simulate::ConstraintReport c = disk->constraint_report(true);
  Deviation d;
  d.add(udot[0], -along / 1.5, 1e-12);
  d.add(c.force[0], along / 3.0, 1e-12);
  return {"(42) and (47): (m + J/r^2) u1' = -m g sin(phi)",
          fmt::format("u1' = {:.12f} m/s^2; {}", udot[0], d.to_string()),
          closed_form(all_within(d), "the formula (42), evaluated as printed at one state"),
          "the rolling constraint embedded; the friction it needs comes out as its reaction. The paper "
          "prints no numbers",
          {}};
}

}  // namespace

std::vector<study::Case> constraint_cases() {
  return {{"example-1", "disk rolling on a ramp", disk_on_ramp},
          {"example-3-free", "shopping cart, caster free", free_caster},
          {"example-3-stuck", "shopping cart, caster stuck", stuck_caster},
          {"example-3-impulse", "the caster sticks", sticking_impulse},
          {"example-3-motion", "the caster sticks and lets go", stick_and_release}};
}

}  // namespace tactus::studies::gillespie
