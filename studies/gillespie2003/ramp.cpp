// Figure 2, with the disk of Example 1: dropped on the ramp it bounces, slides, rolls, and is pulled off.
// Collision, impulse, addition and deletion of constraints. The paper gives no numbers; those of the model
// are chosen, and everything has a closed form. With m = 1, gap h, slope phi, g_n = g cos(phi), g_t = g
// sin(phi), kappa = 1 + m r^2/J = 3, u1 up the slope, u2 = r times the spin, slip sigma = u1 + u2 < 0:
//
//   impact k     t_k = t_0 (1 + 2 (e + ... + e^k)), t_0 = sqrt(2 h/g_n), closing at w_k = e^k g_n t_0
//                impulse (1 + e) w_k, friction mu times that: u1 and u2 r^2/J gain it
//   bouncing     ends at t_0 (1 + e)/(1 - e)
//   rolls        at t_R = -u1(0)/(kappa mu g_n - g_t), whatever e is: while it slips, the impulses of
//                friction are mu times the normal ones
//                the way s then is that of steady sliding less mu h: the normal force, integrated twice, only
//                makes up for the gap
//   pull         P = F t along the normal, while it rolls: slips when mu (m g_n - P) = m g_t/3, leaves when
//                P = m g_n
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/base/output_file.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using simulate::Event;
using simulate::EventKind;
using study::Context;
using study::Result;

constexpr double kRadius = 0.1, kGap = 0.05, kMu = 0.2, kKappa = 3.0, kStart = -2.0;
constexpr double kSlope = 20.0 * std::numbers::pi / 180.0;
const double kAcross = 9.81 * std::cos(kSlope), kAlong = 9.81 * std::sin(kSlope);
const double kFirst = std::sqrt(2.0 * kGap / kAcross);
const double kRolls = -kStart / (kKappa * kMu * kAcross - kAlong);
// Between events the motion is a polynomial of second degree: the integrator is exact, and what is left is
// rounding. The last impacts close at 1e-6 m/s: a gap that is known to 1e-16 m closes at a time known to
// 1e-10 s.
constexpr double kEvent = 1e-9;
constexpr double kStep = 0.01;

describe::Model ramp(const Context& context, double e, double rest_speed) {
  describe::Model model = load(context, "ramp_drop");
  for (describe::ContactPair& pair : model.contact.pairs) {
    pair.law.restitution = e;
    pair.law.rest_speed = rest_speed;
  }
  return model;
}

Result events(const Context& context) {
  constexpr double e = 0.5, kDuration = 1.5, kStep = 1e-3;  // for a smooth picture
  const describe::Model model = ramp(context, e, 1e-6);
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(model, {.step = kStep});
  std::vector<Event> events;
  std::vector<display::Mark> marks;
  Record record({"t", "s", "height", "u1", "u2", "slip", "mode", "normal", "friction"});
  for (long k = 0;; ++k) {
    const simulate::State& s = disk->state();
    const simulate::PairReport touch = disk->contact_report().pairs[0];
    record.add({s.t, s.q[0], s.q[1], s.u[0], kRadius * s.u[2], s.u[0] + kRadius * s.u[2], touch.mode,
                touch.normal, touch.friction});
    if (k * kStep > kDuration - 0.5 * kStep) break;
    if (const simulate::Tick tick = disk->step(); !tick.ok())
      return {"", disk->explain(tick.status), {}, "", {}};
    for (const Event& event : disk->events()) {
      events.push_back(event);
      marks.push_back({event.t, std::string(name_of(event.kind))});
    }
  }

  // Every event against its closed form; the table goes to a file.
  OutputFile table((context.out / "gillespie2003-ramp-events.csv").string());
  table.write("event,t,t_closed_form,value,value_closed_form\n");
  Deviation d;
  int impacts = 0;
  const auto compare = [&](const std::string& what, double t, double t_expected, double value,
                           double expected) {
    table.write(fmt::format("{},{:.15g},{:.15g},{:.15g},{:.15g}\n", what, t, t_expected, value, expected));
    d.add(t, t_expected, kEvent);
    d.add(value, expected, kEvent);
  };
  double t_next = kFirst, w = kAcross * kFirst;
  for (const Event& event : events) {
    if (event.kind == EventKind::impact) {
      const double restitution = w < 1e-6 ? 0.0 : e;
      compare(fmt::format("impact {}: closing speed", ++impacts), event.t, t_next, -event.approach, w);
      compare(fmt::format("impact {}: normal impulse", impacts), event.t, t_next, event.impulse,
              (1.0 + restitution) * w);
      compare(fmt::format("impact {}: impulse of friction", impacts), event.t, t_next, event.friction_impulse,
              kMu * (1.0 + restitution) * w);
      w *= e;
      t_next += 2.0 * w / kAcross;
    }
    const double zeno = kFirst * (1.0 + e) / (1.0 - e);
    if (event.kind == EventKind::rests)
      compare("bouncing ends", event.bounce_end, zeno, event.bounce_end, zeno);
    if (event.kind == EventKind::sticks) compare("rolls", event.t, kRolls, event.t, kRolls);
  }
  const simulate::State& last = disk->state();
  const double after = last.t - kRolls, rolling = -kAlong / (1.0 + 0.5), sliding = kMu * kAcross - kAlong;
  const double u1 = kStart + sliding * kRolls + rolling * after;
  const double s = kStart * kRolls + 0.5 * sliding * kRolls * kRolls - kMu * kGap +
                   (kStart + sliding * kRolls + 0.5 * rolling * after) * after;
  compare("end: u1", last.t, kDuration, last.u[0], u1);
  compare("end: u2", last.t, kDuration, kRadius * last.u[2], -u1);
  compare("end: s", last.t, kDuration, last.q[0], s);
  table.finish();

  record.write_csv(context, "gillespie2003-ramp.csv");
  record.write_svg(context, "gillespie2003-ramp.svg", "Disk dropped on a ramp: bounces, slides, rolls",
                   {{"way [m]", {"s"}},
                    {"height [m]", {"height"}},
                    {"speeds [m/s]", {"u1", "u2", "slip"}},
                    {"on the ramp", {"mode"}, {"apart", "slides", "rolls"}},
                    {"forces [N]", {"normal", "friction"}}},
                   marks);
  return {
      "Figure 2: collision, impulse, constraint addition",
      fmt::format("{} impacts, then sliding, rolling from {:.12f} s; {}", impacts, kRolls, d.to_string()),
      closed_form(all_within(d) && impacts > 10, "the closed form of every event: instant, speeds, impulses"),
      "the paper gives no numbers: every event against its closed form",
      {"gillespie2003-ramp-events.csv", "gillespie2003-ramp.csv", "gillespie2003-ramp.svg"}};
}

/// The end of the motion, and when it begins to roll.
struct Ending {
  simulate::State state;
  double rolls = 0.0;
  long impacts = 0;
};

Ending ending(const Context& context, double e, double cut) {
  const describe::Model model = ramp(context, e, cut);
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(model, {.step = kStep});
  Ending result;
  while (disk->state().t < 1.5 - 0.5 * kStep) {
    if (const simulate::Tick tick = disk->step(); !tick.ok())
      throw InputError({}, disk->explain(tick.status));
    for (const Event& event : disk->events())
      if (event.kind == EventKind::sticks) result.rolls = event.t;
  }
  result.state = disk->state();
  result.impacts = disk->books().impacts;
  return result;
}

Result independence(const Context& context) {
  const Ending reference = ending(context, 0.5, 1e-3);
  Deviation d;
  long fewest = reference.impacts, most = reference.impacts;
  for (const double e : {0.0, 0.3, 0.5, 0.7, 0.79})
    for (const double cut : {1e-2, 1e-3, 1e-6}) {
      const Ending other = ending(context, e, cut);
      d.add(other.rolls, kRolls, kEvent);
      for (const std::size_t i : {0, 2}) {
        d.add(other.state.q[i], reference.state.q[i], kEvent);
        d.add(other.state.u[i], reference.state.u[i], kEvent);
      }
      fewest = std::min(fewest, other.impacts);
      most = std::max(most, other.impacts);
    }
  return {"Figure 2: impulses are resolved and constraints added; no numbers",
          fmt::format("e from 0 to 0.79, bouncing cut off at 1e-2, 1e-3, 1e-6 m/s: {} to {} impacts, {}",
                      fewest, most, d.to_string()),
          closed_form(all_within(d) && most > 20,
                      "the closed form of the instant of rolling; one motion with another"),
          "while it slips, friction's impulses are mu times the normal ones, so that rolling and all after "
          "it do not "
          "depend on how it bounced, as long as that ends first (e < 0.796)",
          {}};
}

Result deletion(const Context& context) {
  constexpr double kRate = 4.0;  // [N/s]
  describe::Model model = ramp(context, 0.5, 1e-3);
  const std::unique_ptr<simulate::Mechanism> disk =
      contact::open(model, {.step = kStep, .script_text = "tau: {p.y: 4 N/s * t}"});
  disk->set_state({0.0, {0.0, kRadius, 0.0}, {0.5, 0.0, -0.5 / kRadius}, {}});
  double slips = 0.0, leaves = 0.0;
  int others = 0;
  while (disk->state().t < 3.0 - 0.5 * kStep) {
    if (const simulate::Tick tick = disk->step(); !tick.ok())
      throw InputError({}, disk->explain(tick.status));
    for (const Event& event : disk->events()) {
      if (event.kind == EventKind::slides)
        slips = event.t;
      else if (event.kind == EventKind::leaves)
        leaves = event.t;
      else
        ++others;
    }
  }
  Deviation d;
  d.add(slips, (kAcross - kAlong / kKappa / kMu) / kRate, kEvent);
  d.add(leaves, kAcross / kRate, kEvent);
  const double lifted = disk->state().t - leaves;  // m y'' = F (t - leaves)
  d.add(disk->state().q[1], kRadius + kRate * lifted * lifted * lifted / 6.0, kEvent);
  return {"Figure 2: constraint deletion",
          fmt::format("slips at {:.12f} s, leaves at {:.12f} s; {}", slips, leaves, d.to_string()),
          closed_form(all_within(d) && others == 0, "the closed forms of both instants, and of the flight"),
          "a pull along the normal that grows by 4 N/s while the disk rolls: first the cone of friction is "
          "left, then "
          "the normal force ends; against the closed forms",
          {}};
}

}  // namespace

std::vector<study::Case> ramp_cases() {
  return {{"figure-2-ramp", "disk dropped on a ramp: every event", events},
          {"figure-2-independence", "what comes after does not depend on the bounces", independence},
          {"figure-2-deletion", "pulled off the ramp", deletion}};
}

}  // namespace tactus::studies::gillespie
