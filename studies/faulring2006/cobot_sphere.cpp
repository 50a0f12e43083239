// Figures 10 and 11 with a display that is not ideal: the disk pressed onto a sphere, through the cobot; and
// how stiff a constraint is through other displays.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <studies/compare.h>
#include <studies/record.h>
#include <studies/statements.h>
#include <tactus/control/coupler_design.h>

#include "cases.h"
#include "cobot_scene.h"

namespace tactus::studies::faulring {

namespace {

using display::TickRecord;
using study::Context;
using study::Result;
using Vec3 = math::Vec3<double>;

// Of an independent computation [um rms].
constexpr double kWorthSphere = 129.0 / 21.9;

Size radial_error(const Run& run) {
  Size size;
  for (const TickRecord& tick : run.ticks)
    if (tick.t >= kStart) size.add(norm(run.start.p + tick.p_H) - kSphere);
  return size;
}

/// [rad] Between the disk's normal and the sphere's.
double tilt_at(const Run& run, std::size_t k) {
  const Vec3 p = run.start.p + run.ticks[k].p_H;
  const Vec3 off = cross(axis_of(run.ticks[k].R_H * run.start.R), (1.0 / norm(p)) * p);
  return std::asin(std::min(1.0, norm(off)));
}
Size tilt_on_sphere(const Run& run) {
  Size size;
  for (std::size_t k = 0; k < run.ticks.size(); ++k)
    if (run.ticks[k].t >= kStart) size.add(tilt_at(run, k));
  return size;
}

/// Figure 10: where the disk's centre goes, and how the disk is turned, by the way of a point of its rim from
/// there, every second. All of it as the device senses it. Returns how far it went [m] and how far it turned
/// about the contact's normal [rad].
struct Way {
  double length = 0.0, turned = 0.0;
};
Way draw_way(const Context& context, const Run& run) {
  constexpr double kArrow = 0.01;  // [m] the disk's radius
  Record record({"t", "x", "y", "z", "arrow_x", "arrow_y", "arrow_z"});
  display::Series above{"centre", {}, {}}, side = above, turned_above{"orientation, every second", {}, {}},
                                           turned_side = turned_above;
  const auto draw = [](display::Series& series, double x, double y) {
    series.x.push_back(x);
    series.y.push_back(y);
  };
  Way way;
  Vec3 before{};
  for (std::size_t k = 0; k < run.ticks.size(); k += 10) {
    const Vec3 p = run.start.p + run.ticks[k].p_H,
               a = run.ticks[k].R_H * run.start.R * Vec3{kArrow, 0.0, 0.0};
    record.add({run.ticks[k].t, p.x, p.y, p.z, a.x, a.y, a.z});
    draw(above, p.x, p.y);
    draw(side, p.x, p.z);
    if (k % 1000 == 0) {
      for (const double part : {0.0, 1.0}) {
        draw(turned_above, p.x + part * a.x, p.y + part * a.y);
        draw(turned_side, p.x + part * a.x, p.z + part * a.z);
      }
      draw(turned_above, NAN, NAN);
      draw(turned_side, NAN, NAN);
    }
    if (k > 0) way.length += norm(p - before);
    before = p;
  }
  // The mechanism's spin: sensed ones are differences of an encoder.
  for (const TickRecord& tick : run.ticks) {
    const Vec3 n = (1.0 / norm(tick.p_P)) * tick.p_P;
    way.turned += dot(Vec3{tick.V_P[0], tick.V_P[1], tick.V_P[2]}, n) / kRate;
  }
  record.write_csv(context, "faulring2006-cobot-way.csv");
  display::Figure figure{"Disk on a sphere, through a cobot: its way from above and from the side", "", {}};
  for (const auto& [label, centre, turned] :
       {std::tuple{"y [m]", above, turned_above}, std::tuple{"z [m]", side, turned_side}}) {
    display::Panel panel{label, {centre, turned}};
    panel.x_label = "x [m]";
    figure.panels.push_back(std::move(panel));
  }
  write_file((context.out / "faulring2006-cobot-way.svg").string(), display::to_svg(figure));
  return way;
}

Result sphere(const Context& context) {
  const Run with = run(context, sphere_scene(), by_name("simulated:cobot")),
            without = run(context, sphere_scene(), by_name("simulated:cobot-feedback"));
  const Size error = radial_error(with), feedback = radial_error(without), tilt = tilt_on_sphere(with),
             tilt_feedback = tilt_on_sphere(without);
  Record record({"t", "with_feed_forward", "by_feedback_alone", "tilt_with_feed_forward",
                 "tilt_by_feedback_alone", "normal_force"});
  double pressed = 0.0, speed = 0.0;
  for (std::size_t k = 0; k < std::min(with.ticks.size(), without.ticks.size()); ++k) {
    const TickRecord& a = with.ticks[k];
    const Vec3 p = with.start.p + a.p_H, F{a.on_port[3], a.on_port[4], a.on_port[5]};
    const double normal = -dot(F, p) / norm(p);
    pressed = std::max(pressed, normal);
    speed = std::max(speed, std::hypot(a.V_P[3], a.V_P[4], a.V_P[5]));
    if (k % 10 == 0)
      record.add({a.t, 1e6 * (norm(p) - kSphere),
                  1e6 * (norm(without.start.p + without.ticks[k].p_H) - kSphere), 1e3 * tilt_at(with, k),
                  1e3 * tilt_at(without, k), normal});
  }
  record.write_csv(context, "faulring2006-cobot-sphere.csv");
  record.write_svg(
      context, "faulring2006-cobot-sphere.svg", "Disk on a sphere, through a cobot",
      {{"radial error [um]", {"with_feed_forward", "by_feedback_alone"}},
       {"angle between the normals [mrad]", {"tilt_with_feed_forward", "tilt_by_feedback_alone"}},
       {"normal force [N]", {"normal_force"}}});
  const Way way = draw_way(context, with);
  const double better = feedback.rms() / error.rms();
  constexpr double kFarEnough = 0.05, kTurnedEnough = 0.5;  // [m] the sphere's radius; [rad]
  Statements statements;
  statements.judge(with.ok && way.length > kFarEnough && std::fabs(way.turned) > kTurnedEnough,
                   "Fig. 10: it tracks the sphere and may turn about the contact's normal",
                   fmt::format("{:.2f} m of way, {:.2f} rad about the normal", way.length, way.turned),
                   fmt::format("more than {:g} m and {:g} rad", kFarEnough, kTurnedEnough));
  statements.judge(with.ok && near_resolution(error) && pressed > 0.9 * kPress,
                   "Fig. 11 A and C: small radial errors during the application of large radial forces",
                   fmt::format("{} rms/largest, pressed by up to {:.1f} N", in_um(error), pressed),
                   fmt::format("{} at more than {:g} N", kNearResolution, 0.9 * kPress));
  statements.judge(with.ok && near_resolution(tilt, kTurnStep),
                   "Fig. 11 B: so are the errors of the disk's orientation", in_mrad(tilt), kNearResolution);
  statements.judge(without.ok && better > kSame * kWorthSphere && tilt_feedback.rms() > tilt.rms(),
                   "(18): feed-forward improves tracking",
                   fmt::format("without it {}, {:.1f} times, and {}; at up to {:.2f} m/s", in_um(feedback),
                               better, in_mrad(tilt_feedback), speed),
                   fmt::format("{:.1f} times within a fifth (129 by 21.9 um)", kWorthSphere));
  return {"Figs. 10 and 11: errors of about the display's resolution under large normal forces",
          fmt::format("radial error {} rms/largest at up to {:g} N and encoders of 10 um; without "
                      "feed-forward {}, {:.1f} times",
                      in_um(error), kPress, in_um(feedback), better),
          not_reproducible(statements.all(),
                           "3 steps of the encoders rms and 7 at most; without feed-forward as many times as "
                           "much as in an independent computation"),
          "device, gains and forces are not printed. An independent computation: 22/63 um and 129/348 um",
          {"faulring2006-cobot-sphere.csv", "faulring2006-cobot-sphere.svg", "faulring2006-cobot-way.csv",
           "faulring2006-cobot-way.svg"},
          statements.table()};
}

// How stiff a constraint is.

/// How far off a constraint is, and the most force with which it is pressed.
struct Pressed {
  double force = 0.0, error = 0.0;
  bool ok = false;
  double stiffness() const { return force / error; }
};
Pressed pressed(const Context& context, const Opens& opens, double share,
                const control::CouplerGains& gains) {
  const Run here = run(context, sphere_scene(share), opens, gains);
  Size force;
  for (const TickRecord& tick : here.ticks) {
    const Vec3 p = here.start.p + tick.p_H, F{tick.on_port[3], tick.on_port[4], tick.on_port[5]};
    const double pull = dot(F, p) / norm(p);
    if (tick.t >= kStart) force.add(pull > 0.0 ? 0.0 : pull);
  }
  return {force.largest, radial_error(here).largest, here.ok};
}

/// The stiff admittance device, its encoders with these steps.
Opens admittance_with_steps(double step) {
  return [step](device::HandPointer hand) {
    device::Specification s = specification_of("simulated:admittance");
    s.rate = kRate;
    s.resolution = {step > 0.0 ? s.resolution[0] : 0.0, step};
    return device::simulated_admittance(s, std::move(hand), {.compliance = {0.0, 1.0 / s.stiffness}});
  };
}

Result stiffness(const Context& context) {
  std::string table =
      "                                     device   pressed by [N]   error [um]   force/error [kN/m]   it "
      "states [kN/m]\n";
  const auto row = [&](const std::string& name, const Pressed& here, double stated) {
    table += fmt::format("{:>43} {:16.4g} {:12.4g} {:20.4g} {:18.4g}\n", name, here.force, 1e6 * here.error,
                         1e-3 * here.stiffness(), 1e-3 * stated);
  };
  const auto by_name = [](const std::string& name) {
    return [name](device::HandPointer hand) { return device::open(name, std::move(hand), {.rate = kRate}); };
  };
  Statements statements;

  // The stiffest that is passive, in front of a constraint: it does not move. A spring alone has all of the
  // device's damping, 2 b/T; a damper beside it, as couplers usually have, would take its part of b. A third
  // of what the device gives, where that is less.
  const device::Specification spatial = specification_of("simulated:spatial");
  control::CouplerGains gains = control::design(spatial, {1e12, 1e12}, 1.0);
  const double bound = device::largest_stiffness(spatial);
  gains.stiffness[1] = bound;
  gains.damping[1] = 0.0;
  const Pressed impedance =
      pressed(context, by_name(spatial.name), std::min(1.0, spatial.continuous[1] / (3.0 * kPress)), gains);
  row(spatial.name, impedance, bound);
  constexpr double kFriction = 0.1;  // what friction and damping of the device add to its spring, or take
  statements.judge(impedance.ok && std::fabs(impedance.stiffness() / bound - 1.0) < kFriction,
                   "an impedance device is as stiff as the stiffest passive spring, 2 b/T",
                   fmt::format("{:.3g} kN/m", 1e-3 * impedance.stiffness()),
                   fmt::format("{:.3g} kN/m within a tenth", 1e-3 * bound));

  // A servo without lag and steps yields by its compliance c alone. Places are rounded to D in each of three
  // axes, by sqrt(3) D/2 at most.
  const device::Specification stiff = specification_of("simulated:admittance");
  const double step = stiff.resolution[1];
  const Pressed admittance = pressed(context, by_name(stiff.name), 1.0, {}),
                smooth = pressed(context, admittance_with_steps(0.0), 1.0, {}),
                rounded = pressed(context, admittance_with_steps(step), 1.0, {});
  row(stiff.name, admittance, stiff.stiffness);
  row("the same, no noise", rounded, stiff.stiffness);
  row("the same, no noise, no steps of its encoders", smooth, stiff.stiffness);
  const double rounding = 0.5 * std::sqrt(3.0) * step;
  statements.judge(smooth.ok && std::fabs(smooth.stiffness() / stiff.stiffness - 1.0) < kFriction,
                   "a stiff admittance device yields by its compliance",
                   fmt::format("{:.0f} kN/m without steps of its encoders", 1e-3 * smooth.stiffness()),
                   fmt::format("{:.0f} kN/m within a tenth", 1e-3 * stiff.stiffness));
  statements.judge(admittance.ok && admittance.error <= admittance.force / stiff.stiffness + rounding,
                   "and seems softer by what its encoders round",
                   fmt::format("{:.2f} um at {:.1f} N: {:.0f} kN/m", 1e6 * admittance.error, admittance.force,
                               1e-3 * admittance.stiffness()),
                   fmt::format("no more than F c + sqrt(3) D/2 = {:.2f} um",
                               1e6 * (admittance.force / stiff.stiffness + rounding)));

  const device::Specification wheels = specification_of("simulated:cobot");
  const Pressed cobot = pressed(context, by_name(wheels.name), 1.0, {});
  row(wheels.name, cobot, wheels.stiffness);
  statements.judge(cobot.ok && cobot.stiffness() > 3e5 && cobot.stiffness() >= wheels.stiffness,
                   "IV-A: rigid constraints are rendered, through the cobot",
                   fmt::format("{:.0f} kN/m", 1e-3 * cobot.stiffness()),
                   fmt::format("more than 300 kN/m, 20 N by 63 um, and no less than the {:.0f} kN/m that it "
                               "states for the worst frequency, m_l K_d/tau",
                               1e-3 * wheels.stiffness));
  return {
      "IV-A: rigid constraints are rendered, \"in significant contrast to impedance displays that can only "
      "render constraints of a few kN/m\"",
      fmt::format(
          "the sphere at up to {:g} N: {:.0f} kN/m through the cobot, {:.1f} through an impedance device",
          kPress, 1e-3 * cobot.stiffness(), 1e-3 * impedance.stiffness()),
      not_reproducible(statements.all(),
                       "above 300 kN/m through the cobot; an impedance device at its own 2 b/T; a stiff "
                       "servo at its compliance and its encoders' steps"),
      "no stiffness is printed",
      {},
      statements.table() + "\n" + table};
}

}  // namespace

std::vector<study::Case> cobot_sphere_cases() {
  return {{"cobot-sphere", "Figures 10 and 11 through a simulated cobot", sphere},
          {"stiffness", "how stiff a constraint is, by display", stiffness}};
}

}  // namespace tactus::studies::faulring
