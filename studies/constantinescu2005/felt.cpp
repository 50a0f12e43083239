// Section VIII, Figures 13 and 14: what the hand feels of a collision, by (18) and by the virtual coupler;
// one wall, chosen so that both roads to it can be compared. The paper's scene with boxes is in
// enclosure.cpp.
//
// Felt is what the device, with the mechanism's inertia lent to it, shows of everything but that inertia:
//
//   (18):     J_h^-T J_c^T F_c + F_pc + M_d u_add,   M_d = 1 kg          coupler:   F_vc
//
// The force that the motors give for the collision is another number, M_d J_h D^-1 J_c^T F_c: both are
// reported. The scenes run through the loop of the display, one of them also outside of it (felt_scene.h).
#include <map>
#include <tuple>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "collisions.h"
#include "felt_scene.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

/// The first collision as the hand feels it, and the largest over the run.
struct Felt {
  Collision met;                     // the first
  double contact = 0.0;              // [N] largest
  double peak = 0.0, torque = 0.0;   // [N], [N m] of all that is felt, over the run
  double for_contact = 0.0;          // [N] M_d J D^-1 J_c^T F_c
  double impulse = 0.0;              // [N s]
  double steepest = 0.0;             // [N/s] from tick to tick
  double apart = 0.0, turned = 0.0;  // [m], [rad] hand and port
  bool collides() const { return met.t > 0.0; }
};

Record felt_record() {
  return Record({"t", "hand x", "hand y", "hand theta", "port x", "port y", "port theta", "felt x", "felt y",
                 "felt torque", "motors x", "motors y", "motors torque", "contact"});
}

/// `scene` until 0.3 s after it has met the wall.
template <class Scene>
Felt collide(Scene&& scene, Record* record = nullptr) {
  const double period = scene.period();
  Felt result;
  Collisions collisions;
  Vector6 last{};
  for (long k = 0;; ++k) {
    const Told& told = scene.advance();
    if (told.t > 3.0 || (!collisions.all.empty() && told.t > collisions.all.front().t + 0.3)) break;
    collisions.see(told);
    result.impulse = larger(result.impulse, told.impulse);
    result.contact = larger(result.contact, larger(told.contact, told.impulse / period));
    result.peak = larger(result.peak, force_of(told.felt));
    result.torque = larger(result.torque, std::fabs(told.felt[2]));
    result.for_contact = larger(result.for_contact, force_of(told.for_contact));
    result.steepest = larger(result.steepest, change_of(told.felt, last) / period);
    result.apart = larger(result.apart, told.apart());
    result.turned = larger(result.turned, told.turned());
    last = told.felt;
    if (record != nullptr && k % 2 == 0)
      record->add({told.t, told.hand[0], told.hand[1], told.hand[2], told.port[0], told.port[1], told.port[2],
                   told.felt[3], told.felt[4], told.felt[2], told.motors[3], told.motors[4], told.motors[2],
                   told.contact});
  }
  if (!collisions.all.empty()) result.met = collisions.all.front();
  return result;
}

/// 0.4 N along x, the paper's.
std::array<double, 2> steady_push(double, double, double) { return {0.4, 0.0}; }

/// No ramp; of all clamps the one on changes of force alone [N/s], 0: none.
control::SafetyLimits clamped(double force_rate) {
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  limits.force_rate = {0.0, force_rate};
  return limits;
}

Felt in_loop(Law law, bool rigid, double period, double force_rate, Record* record = nullptr) {
  return collide(LoopScene(before_wall(rigid), law, period, clamped(force_rate), steady_push), record);
}

Result one_wall(const Context& context) {
  constexpr double kPeriod = 1e-3;
  constexpr double kFast = 20.0 / kPeriod;  // [N/s] above peak/T of all that is felt
  constexpr double kSlow = 50.0;            // [N/s] a clamp that is a low-pass
  Record penalties = felt_record(), coupler = felt_record();
  const Felt a = in_loop(Law::penalties, false, kPeriod, kFast, &penalties),
             b = in_loop(Law::coupler, false, kPeriod, kFast, &coupler),
             by_11 = in_loop(Law::acceleration, false, kPeriod, kFast),
             free = in_loop(Law::penalties, false, kPeriod, 0.0),
             slow = in_loop(Law::penalties, false, kPeriod, kSlow);
  const Felt a_2 = collide(OutsideScene(before_wall(false), Law::penalties, kPeriod)),
             b_2 = collide(OutsideScene(before_wall(false), Law::coupler, kPeriod));
  for (const auto& [record, name, by] :
       {std::tuple{&penalties, "13", "by (18)"}, {&coupler, "14", "by the virtual coupler"}}) {
    record->write_csv(context, fmt::format("constantinescu2005-figure-{}.csv", name));
    record->write_svg(context, fmt::format("constantinescu2005-figure-{}.svg", name),
                      fmt::format("The chain meets the wall, held {}", by),
                      {{"x and y [m]", {"hand x", "port x", "hand y", "port y"}},
                       {"theta [rad]", {"hand theta", "port theta"}},
                       {"felt [N]", {"felt x", "felt y"}},
                       {"felt torque [N m]", {"felt torque"}},
                       {"motors [N]", {"motors x", "motors y"}},
                       {"motors' torque [N m]", {"motors torque"}},
                       {"contact [N]", {"contact"}}});
  }
  const std::pair<const char*, const Felt*> columns[] = {{"(18), loop", &a},      {"coupler, loop", &b},
                                                         {"(11), loop", &by_11},  {"(18), 50 N/s", &slow},
                                                         {"(18), outside", &a_2}, {"coupler, outside", &b_2}};
  std::string table = fmt::format("  {:<36}", "through");
  for (const auto& [name, one] : columns) table += fmt::format(" {:>16}", name);
  const auto row = [&](const char* label, const auto& value) {
    table += fmt::format("\n  {:<36}", label);
    for (const auto& [name, one] : columns) table += fmt::format(" {:16.4g}", value(*one));
  };
  row("met [s]", [](const Felt& f) { return f.met.t; });
  row("contact [N]", [](const Felt& f) { return f.contact; });
  row("felt [N]", [](const Felt& f) { return f.peak; });
  row("felt, change in 50 ms [N]", [](const Felt& f) { return f.met.felt; });
  row("felt torque [N m]", [](const Felt& f) { return f.torque; });
  row("felt torque, change in 50 ms [N m]", [](const Felt& f) { return f.met.torque; });
  row("by 1 kg: for the contact [N]", [](const Felt& f) { return f.for_contact; });
  row("motors, change in 50 ms [N]", [](const Felt& f) { return f.met.motors; });
  row("motors, change in 2 ms [N]", [](const Felt& f) { return f.met.soon; });
  row("hand from port [mm]", [](const Felt& f) { return 1e3 * f.apart; });
  row("hand from port, angle [mrad]", [](const Felt& f) { return 1e3 * f.turned; });
  table += "\n";
  const double total = a.peak / b.peak, change = a.met.felt / b.met.felt;
  const double total_2 = a_2.peak / b_2.peak, change_2 = a_2.met.felt / b_2.met.felt;
  // By both roads, the loop's and that outside of it.
  constexpr double kRoads = 0.05;
  Deviation roads;
  for (const auto& [one, other] : {std::pair{&a, &a_2}, {&b, &b_2}}) {
    roads.add(one->met.felt, other->met.felt, kRoads * other->met.felt);
    roads.add(one->met.torque, other->met.torque, kRoads * other->met.torque);
    roads.add(one->torque, other->torque, kRoads * other->torque);
  }
  constexpr double kApart = 0.5e-3, kTurned = 1e-3;  // [m], [rad] as without contact
  const bool together = a.apart < kApart && a.turned < kTurned && a_2.apart < kApart && a_2.turned < kTurned;
  // The clamp stands above peak/T, and nothing of it shows.
  const bool unclamped = a.steepest < kFast && a.peak == free.peak && a.met.motors == free.met.motors;
  return {
      "section VIII, Figures 13 and 14: collisions are felt two orders of magnitude larger by (18) than by "
      "the coupler",
      fmt::format(
          "through the loop (18): met at {:.3f} s, contact up to {:.2f} N, felt {:.2f} N, change "
          "{:.2f} N, as the force of 1 kg {:.2f} N; coupler: {:.3f} s, {:.2f} N, {:.3f} N, {:.4f} N; "
          "ratios: total {:.3g}, change {:.4g}, by the motors {:.3g}; outside of it {:.3g} and {:.4g}; by "
          "(11) felt {:.2f} N, change {:.2f} N; the felt torque changes by {:.4f} and {:.5f} N m, ratio "
          "{:.3g}, in total "
          "{:.3g}; roads: {}",
          a.met.t, a.contact, a.peak, a.met.felt, a.met.motors, b.met.t, b.contact, b.peak, b.met.felt, total,
          change, a.met.motors / b.peak, total_2, change_2, by_11.peak, by_11.met.felt, a.met.torque,
          b.met.torque, a.met.torque / b.met.torque, a.torque / b.torque, roads.to_string()),
      not_reproducible(
          total > 10.0 && change > 100.0 && total_2 > 10.0 && change_2 > 100.0 && unclamped &&
              all_within(roads) && together && a.collides() && b.collides() && by_11.collides() &&
              by_11.met.felt > 100.0 * b.met.felt && slow.met.soon < 0.5 * a.met.soon,
          "two orders of magnitude in the change that the collision brings, one in the total, "
          "through the loop and outside of it; both roads within 5 %, torques with them; by (18) hand "
          "and port within 0.5 mm and 1 mrad"),
      "the scene is chosen: one wall, a device of 1 kg, and clamps on the change of force above peak/T, 20 N "
      "in a tick: a lower one is a low-pass. Two orders of magnitude hold "
      "for the change that the collision brings, "
      "not for the total, "
      "where the coupler's own steady force counts, and not for the motors' force",
      {"constantinescu2005-figure-13.csv", "constantinescu2005-figure-13.svg",
       "constantinescu2005-figure-14.csv", "constantinescu2005-figure-14.svg"},
      table};
}

Result by_impulse(const Context&) {
  const Felt at_512 = in_loop(Law::penalties, true, 1.0 / 512.0, 0.0),
             at_1k = in_loop(Law::penalties, true, 1e-3, 0.0),
             coupler = in_loop(Law::coupler, true, 1.0 / 512.0, 0.0),
             outside = collide(OutsideScene(before_wall(true), Law::penalties, 1e-3));
  const double ratio = at_512.met.felt / coupler.met.felt;
  constexpr double kShare = 0.01;  // of the impulse, and of the same one by another road
  // What is felt in the tick of the impact is the wall's impulse over that tick.
  Deviation d;
  d.add(at_512.met.felt * (1.0 / 512.0), at_512.impulse, kShare * at_512.impulse);
  d.add(at_1k.met.felt * 1e-3, at_1k.impulse, kShare * at_1k.impulse);
  d.add(at_1k.impulse, outside.impulse, kShare * outside.impulse);
  const bool scales = std::abs(at_1k.impulse / at_512.impulse - 1.0) < 0.05;
  return {
      "section VIII: the same with impulses within one step, as the paper's collisions are",
      fmt::format("through the loop: impulse {:.4f} N s at 512 Hz, {:.4f} N s at 1 kHz ({:.4f} outside of "
                  "it): felt as {:.1f} and {:.1f} N, as forces of 1 kg {:.1f} and {:.1f} N; coupler {:.3f} "
                  "N, change {:.4f} N; ratio of the changes {:.4g}; {}",
                  at_512.impulse, at_1k.impulse, outside.impulse, at_512.peak, at_1k.peak, at_512.met.motors,
                  at_1k.met.motors, coupler.peak, coupler.met.felt, ratio, d.to_string()),
      not_reproducible(
          scales && all_within(d) && at_512.peak > 100.0 * coupler.peak && ratio > 100.0,
          "two orders of magnitude, one impulse at either rate, and felt is that impulse within 1 %"),
      "a force of one step grows with the rate: the impulse is what does not depend on it",
      {}};
}

/// The same wall through the running loop, by every controller: what the device's motors give.
struct Shown {
  bool ok = true;
  double met = 0.0;     // [s] the wall
  double change = 0.0;  // [N] of the force from the last tick before, within 50 ms
  double peak = 0.0;    // [N] largest within a second
  double beyond = 0.0;  // [m] the handle past the place that it stands for, along the wall's normal
};

/// An arm leads the handle towards the wall at 20 mm/s, and past it.
Shown through_loop(const std::string& controller) {
  constexpr double kPeriod = 1e-3, kDuration = 6.0, kSpeed = 0.02, kFar = 0.06;  // [s], [s], [m/s], [m]
  constexpr device::Arm kArm{{0.0, 200.0}, {0.002, 20.0}};                       // it does not turn the link
  const auto mechanism = contact::open(before_wall(false), {.step = kPeriod});
  const int port = mechanism->port("distal");
  const auto device = device::open("simulated:planar-force",
                                   device::following(
                                       [=](double t) {
                                         return device::Intention{{std::min(kSpeed * t, kFar), 0.0, 0.0}, {}};
                                       },
                                       kArm));
  const device::Specification& s = device->specification();
  std::array<double, 36> L{};
  mechanism->mobility(port, L);
  const double mass = 1.0 / L[3 * 6 + 3];
  const control::CouplerGains printed{{0.2, 50.0}, {0.005, 3.0}};
  display::HapticLoop loop(
      *mechanism, *device, port,
      controller == "stiff coupler" ? control::design(s, {1.0 / L[2 * 6 + 2], mass}, 0.9) : printed,
      control::limits_for(s));
  if (controller == "penalties") loop.use(control::FourChannelGains{});
  if (controller == "proxy")
    loop.use(control::ProxyGains{.stiffness = control::design(s, {1e12, 1e12}, 0.9).stiffness[1]});
  const math::Vec3<double> apart = mechanism->motion(port).X_WP.p;
  Shown shown;
  shown.ok = loop.enable();
  Vector6 before{};
  for (int k = 0; kPeriod * k < kDuration && shown.ok; ++k) {
    shown.ok = device->wait() && loop.tick(kPeriod);
    const display::TickRecord& record = loop.record();
    const Vector6& F = record.on_handle;
    std::array<simulate::ContactPoint, 8> points;
    const std::size_t count = std::min(mechanism->contact_points(points), points.size());
    bool touches = controller == "proxy" && F[3] != 0.0;
    for (std::size_t i = 0; i < count && controller != "proxy"; ++i)
      touches = touches || points[i].force.x != 0.0;
    if (touches && shown.met == 0.0) shown.met = kPeriod * k;
    if (shown.met == 0.0) before = F;
    if (shown.met == 0.0 || kPeriod * k > shown.met + 1.0) continue;
    shown.peak = larger(shown.peak, force_of(F));
    if (kPeriod * k < shown.met + 0.05) shown.change = larger(shown.change, change_of(F, before));
    shown.beyond = larger(shown.beyond, record.p_H.x + apart.x - record.p_P.x);
  }
  return shown;
}

Result controllers(const Context&) {
  std::string table =
      "  controller       met [s]   change in 50 ms [N]   largest in 1 s [N]   handle past it [mm]\n";
  std::map<std::string, Shown> all;
  bool ok = true;
  for (const char* name : {"penalties", "coupler", "stiff coupler", "proxy"}) {
    const Shown& shown = all[name] = through_loop(name);
    ok = ok && shown.ok && shown.met > 0.0 && std::isfinite(shown.peak + shown.change + shown.beyond);
    table += fmt::format("  {:<15} {:8.3f} {:21.3f} {:20.3f} {:21.3f}\n", name, shown.met, shown.change,
                         shown.peak, 1e3 * shown.beyond);
  }
  return {
      "section VIII and footnote 1: penalties, the virtual coupler, and the proxy",
      fmt::format(
          "one wall through the running loop of a simulated device: within 50 ms of the collision the "
          "force of the motors changes by {:.3g} N with (18), {:.3g} N with the paper's coupler, {:.3g} N "
          "with the "
          "stiffest passive one, {:.3g} N with a proxy",
          all["penalties"].change, all["coupler"].change, all["stiff coupler"].change, all["proxy"].change),
      not_reproducible(ok && all["penalties"].change > all["coupler"].change &&
                           all["proxy"].beyond < all["coupler"].beyond,
                       "the order of the controllers"),
      "the paper shows no such table. A proxy is a point before the wall, with nothing behind it: it feels "
      "the wall where the "
      "held point itself would enter it, and of the mechanism nothing. Required: every loop runs, (18) shows "
      "more of the collision than the "
      "coupler, the proxy holds the handle nearer to the wall than the coupler",
      {},
      table};
}

}  // namespace

std::vector<study::Case> felt_cases() {
  return {{"figure-13", "what is felt of a collision with a wall", one_wall},
          {"figure-13-impulse", "the same by impulses", by_impulse},
          {"controllers", "one wall, by every controller of the loop", controllers}};
}

}  // namespace tactus::studies::constantinescu
