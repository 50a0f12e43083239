// Example 3 with friction: the shopping cart whose caster sticks when its hinge comes to rest, and breaks
// loose when the hinge must bear too much.
//
// The push is held constant over phases, in world axes at P1 (its force on q1, q2) and as a couple on q3: its
// work is force times way. The turning hinge's damping takes b q4'^2, by Simpson's rule over two steps.
// Sticking takes the kinetic energy dT that the plastic impulse takes. So at all times
//
//   T + integral b q4'^2 dt + sum dT = T(0) + F . (dx, dy) + tau dq3
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include <tactus/simulate/files/recording.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using simulate::Event;
using simulate::EventKind;
using study::Context;
using study::Result;

constexpr double kDamping = 0.05, kBreakaway = 0.8;  // [N m s/rad], [N m] of models/cart_caster.yaml
constexpr double kStep = 5e-4;
constexpr double kRounding = 1e-9;  // of the couple at which it breaks loose

/// Forces on q1, q2 and a couple on q3, from `from` [s] on.
struct Phase {
  double from, x, y, couple;
};
// Straight on until the caster has come to rest; a couple that breaks it loose; straight on again.
constexpr Phase kPhases[] = {{0.0, 6.0, 2.0, 0.0}, {3.0, 0.0, 0.0, 12.0}, {4.0, 4.0, 4.0, 0.0}};
constexpr double kDuration = 8.0;

Result friction(const Context& context) {
  const describe::Model model = load(context, "cart_caster");
  const std::unique_ptr<simulate::Mechanism> cart = contact::open(model, {.step = kStep});
  const int stick = cart->constraint("stick");
  const std::size_t stick_row = cart->constraints()[static_cast<std::size_t>(stick)].rows.front();

  Record record({"t", "x", "y", "heading", "caster", "u1", "u2", "u3", "stuck", "hinge", "kinetic", "work",
                 "damped", "lost"});
  const double T0 = cart->energies().kinetic;
  double work = 0.0, damped = 0.0;
  Deviation balance, couple;
  int sticks = 0, releases = 0;
  std::vector<display::Mark> marks;
  double first_release = 0.0, first_stick = 0.0;
  std::size_t phase = 0;
  std::vector<double> q = cart->state().q;
  const auto damping = [&] {
    const double rate = cart->state().u[2] - cart->state().u[1];
    return kDamping * rate * rate;
  };
  for (long k = 0; 2 * k * kStep < kDuration - kStep; ++k) {
    if (phase + 1 < std::size(kPhases) && 2 * k * kStep > kPhases[phase + 1].from - kStep) ++phase;
    const Phase& p = kPhases[phase];
    const double tau[] = {p.x, p.y, p.couple, 0.0};
    double weighted = damping();
    for (const double weight : {4.0, 1.0}) {
      if (const simulate::Tick tick = cart->step({.tau = tau}); !tick.ok())
        return {"", cart->explain(tick.status), {}, "", {}};
      weighted += weight * damping();
      for (const Event& event : cart->events()) {
        if (event.kind != EventKind::transition) continue;
        const bool stuck = simulate::name_of(model, event) == "sticks";
        marks.push_back({event.t, simulate::name_of(model, event)});
        if (stuck && sticks++ == 0) first_stick = event.t;
        if (!stuck && releases++ == 0) first_release = event.t;
      }
    }
    const simulate::State& s = cart->state();
    work += p.x * (s.q[0] - q[0]) + p.y * (s.q[1] - q[1]) + p.couple * (s.q[2] - q[2]);
    damped += kStep / 3.0 * weighted;
    q = s.q;
    const double lost = cart->books().impact_loss, hinge = cart->constraint_report(true).lambda[stick_row];
    couple.add(hinge, 0.0, kBreakaway * (1.0 + kRounding));
    const double kinetic = cart->energies().kinetic;
    balance.add(kinetic + damped + lost, work + T0, INFINITY);
    if (k % 10 == 9)
      record.add({s.t, s.q[0], s.q[1], s.q[2], s.q[3], s.u[0], s.u[1], s.u[2],
                  cart->is_active(stick) ? 1.0 : 0.0, hinge, kinetic, work, damped, lost});
  }
  record.write_csv(context, "gillespie2003-caster.csv");
  record.write_svg(context, "gillespie2003-caster.svg",
                   "Shopping cart: the caster sticks and breaks loose by friction",
                   {{"path [m]", {"x", "y"}},
                    {"angles [rad]", {"heading", "caster"}},
                    {"speeds [m/s, rad/s]", {"u1", "u2", "u3"}},
                    {"caster", {"stuck"}, {"free", "stuck"}},
                    {"couple at its hinge [N m]", {"hinge"}},
                    {"energy [J]", {"kinetic", "work"}},
                    {"taken [J]", {"damped", "lost"}}},
                   marks);
  // Of the work. Simpson's rule runs over the instants of sticking, with a jump of b creep^2 = 2e-5 W.
  constexpr double kBalance = 1e-9;
  const bool holds =
      balance.worst < kBalance * std::abs(work) && sticks > 0 && releases > 0 && all_within(couple);
  return {
      "Example 3: a caster \"whose vertical axis is subject to sticking\"; no motion is shown",
      fmt::format(
          "sticks {} times (first at {:.4f} s), breaks loose {} times (first at {:.4f} s); {:.3f} J of work, "
          "{:.4f} J taken by its damping, {:.2g} J lost in sticking, balance within {:.1g} J",
          sticks, first_stick, releases, first_release, work, damped, cart->books().impact_loss,
          balance.worst),
      closed_form(holds, "the balance of energy at every step; the hinge's couple stays below 0.8 N m"),
      "the paper gives neither parameters nor a law of the hinge's friction: damping while it turns, "
      "0.8 N m to break it loose; T + damping + losses = T(0) + work at every step",
      {"gillespie2003-caster.csv", "gillespie2003-caster.svg"}};
}

}  // namespace

std::vector<study::Case> caster_cases() {
  return {{"example-3-friction", "the caster sticks and breaks loose by friction", friction}};
}

}  // namespace tactus::studies::gillespie
