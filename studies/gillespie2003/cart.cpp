// Example 3: the shopping cart, its caster free or stuck; and Example 1, the disk on the ramp.
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;
using study::Verdict;

constexpr double kF = 15.0, kTorque = -3.0, kHeading = 0.3, kCaster = 0.4;

/// The push at P1: a force F along the cart and a torque, as forces on the tree's joints (x, y, heading,
/// caster).
std::vector<double> push(double F, double torque, double heading) {
  return {F * std::cos(heading), F * std::sin(heading), torque, 0.0};
}

/// The state of the golden values: u = (u1, u2, u3, sideways).
simulate::State state(double u1, double u2, double u3) {
  return {0.0, {0.0, 0.0, kHeading, kCaster}, {u1, u2, u3, 0.0}, {}};
}

Result free_caster(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(load(context, "shopping_cart"));
  cart->set_state(state(1.2, 0.5, -0.6591840877948437));
  const std::vector<double> tau = push(kF, kTorque, kHeading);
  cart->hold({.tau = tau});
  const std::vector<double> udot(cart->accelerations().begin(), cart->accelerations().end());
  const double golden[] = {0.8112104746208149, -1.4144559951954845, 0.690917879380688};
  Deviation d;
  for (std::size_t k = 0; k < 3; ++k) d.add(udot[k], golden[k], 1e-11);
  return {"(63): two equations of motion, caster free",
          d.to_string(),
          judged(d.within == d.count),
          "(63) is right as printed; compared with it at one state, by the default formulation",
          {}};
}

Result stuck_caster(const Context& context) {
  describe::Model model = load(context, "shopping_cart");
  for (describe::Constraint& c : model.constraints) c.active = true;
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(model);
  const double k = 0.6635752607695206;
  cart->set_state(state(1.2, k * 1.2, k * 1.2));
  const std::vector<double> tau = push(kF, kTorque, kHeading);
  cart->hold({.tau = tau});
  const std::vector<double> udot(cart->accelerations().begin(), cart->accelerations().end());
  Deviation d;
  d.add(udot[0], 0.5192555392944916, 1e-11);
  d.add(udot[1], 0.3445651298933603, 1e-11);
  return {"(67): u1' = 0.9912 at this state",
          fmt::format("u1' = {:.10f}; {}", udot[0], d.to_string()),
          judged(d.within == d.count, Verdict::corrected),
          "(67) has a sign wrong: F* = -Mt u1' without any product of speeds; found by direct derivation and "
          "by recombination",
          {}};
}

Result sticking_impulse(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(load(context, "shopping_cart"));
  cart->set_state(state(1.2, 0.5, -0.6591840877948437));
  cart->set_active(cart->constraint("stick"), true);
  const double golden[] = {1.146958640759422, 0.7610933791338, 0.7610933791338};
  Deviation d;
  for (std::size_t k = 0; k < 3; ++k) d.add(cart->state().u[k], golden[k], 1e-12);
  return {"no law is given",
          d.to_string() + ": the velocity after the caster has stuck",
          judged(d.within == d.count, Verdict::not_reproducible),
          "the paper says that an impulse resolves the change but not which; here the plastic one, the "
          "projection in the metric of "
          "the mass matrix, against an independent computation",
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
  double work = 0.0, lost = 0.0, worst = 0.0;
  for (long k = 0; k <= 4000; ++k) {
    if (k == 1000 || k == 2500) {
      const double before = kinetic();
      cart->set_active(stick, k == 1000);
      lost += before - kinetic();
    }
    worst = std::max(worst, std::fabs(kinetic() + lost - work));
    if (k % 10 == 0) {
      const auto& s = cart->state();
      record.add({s.t, s.q[0], s.q[1], s.q[2], s.q[3], s.u[0], s.u[1], s.u[2], kinetic(), work, lost});
    }
    const double p0 = power();
    bool ok = cart->step().ok();
    const double p1 = power();
    ok = ok && cart->step().ok();
    if (!ok) return {"", "the motion failed", Verdict::failed, "", {}};
    work += kStep / 3.0 * (p0 + 4.0 * p1 + power());
  }
  record.write_csv(context, "gillespie2003-cart.csv");
  record.write_svg(context, "gillespie2003-cart.svg",
                   "Shopping cart: the caster sticks at 1 s, lets go at 2.5 s",
                   {{"path [m]", {"x", "y"}},
                    {"angles [rad]", {"heading", "caster"}},
                    {"speeds", {"u1", "u2", "u3"}},
                    {"energy [J]", {"kinetic", "work", "lost"}}});
  return {"Figure 5: free and stuck caster",
          fmt::format(
              "{:.3f} J of work, {:.4f} J lost when the caster sticks, energy balance within {:.1g} of it",
              work, lost, worst / work),
          judged(worst < 1e-12 * work && lost > 0.0, Verdict::not_reproducible),
          "the paper gives neither parameters nor the push",
          {"gillespie2003-cart.csv", "gillespie2003-cart.svg"}};
}

Result disk_on_ramp(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(load(context, "disk_on_ramp"));
  disk->set_state({0.0, {0.0, 0.1, 0.0}, {0.5, 0.0, -5.0}, {}});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  // Rolling: u1' = -g sin(phi) / (1 + J/(m r^2)) = -2/3 g sin(20 deg), friction m g sin(phi)/3.
  const double expected = -2.236811737349874;
  const simulate::ConstraintReport c = disk->constraint_report(true);
  Deviation d;
  d.add(udot[0], expected, 1e-12);
  d.add(c.force[0], 1.118405868674937, 1e-12);
  return {"(47): m(1 + J/(m r^2)) u1' = -m g sin(phi)",
          fmt::format("u1' = {:.12f} m/s^2; {}", udot[0], d.to_string()),
          judged(d.within == d.count),
          "the rolling constraint embedded; the friction it needs comes out as its reaction",
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
