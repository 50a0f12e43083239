// Section VIII, Figures 13 and 14: what the hand feels of collisions, by (18) and by the virtual coupler.
//
// Felt is what the device, with the mechanism's inertia lent to it, shows of everything but that inertia:
//
//   (18):     J_h^-T J_c^T F_c + F_pc + M_d u_add,   M_d = 1 kg          coupler:   F_vc
//
// The force that the motors give for the collision is another number, M_d J_h D^-1 J_c^T F_c: both are reported. The scenes run through the
// loop of the display, one of them also outside of it (felt_scene.h).
#include <map>
#include <tuple>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "felt_scene.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

constexpr double kPi = 3.14159265358979323846;

double size(const Vector6& F) { return std::hypot(F[3], F[4]); }
double apart(const Vector6& a, const Vector6& b) { return std::hypot(a[3] - b[3], a[4] - b[4]); }

/// The first collision as the hand feels it.
struct Felt {
  double met = 0.0;          // [s]
  double contact = 0.0;      // [N] largest
  double peak = 0.0;         // [N] of all that is felt, over the run
  double change = 0.0;       // [N] from the last tick before the contact, within 50 ms of it
  double for_contact = 0.0;  // [N] M_d J D^-1 J_c^T F_c
  double motors = 0.0;       // [N] change of what the motors give, through the loop, likewise
  double impulse = 0.0;      // [N s]
  double soon = 0.0;         // [N] of that, within 2 ms
  double steepest = 0.0;     // [N/s] from tick to tick
  Vector6 last{};
};

/// `scene` until 0.3 s after it has met the wall.
template <class Scene>
Felt collide(Scene&& scene, Record* record = nullptr) {
  const double period = scene.period();
  Felt result;
  Vector6 before{}, motors_before{};
  for (long k = 0;; ++k) {
    const Told& told = scene.advance();
    if (told.t > 3.0 || (result.met > 0.0 && told.t > result.met + 0.3)) break;
    const bool touches = told.contact > 0.0 || told.impulse > 0.0;
    if (touches && result.met == 0.0) result.met = told.t;
    if (result.met == 0.0) {
      before = told.felt;
      motors_before = told.motors;
    }
    result.impulse = std::max(result.impulse, told.impulse);
    result.contact = std::max({result.contact, told.contact, told.impulse / period});
    result.peak = std::max(result.peak, size(told.felt));
    result.for_contact = std::max(result.for_contact, size(told.for_contact));
    if (result.met > 0.0 && told.t < result.met + 0.05) {
      result.change = std::max(result.change, apart(told.felt, before));
      result.motors = std::max(result.motors, apart(told.motors, motors_before));
      if (told.t < result.met + 2.5e-3)
        result.soon = std::max(result.soon, apart(told.motors, motors_before));
    }
    result.steepest = std::max(result.steepest, apart(told.felt, result.last) / period);
    result.last = told.felt;
    if (record != nullptr && k % 2 == 0)
      record->add(
          {told.t, told.x, told.y, told.felt[3], told.felt[4], told.contact, told.motors[3], told.motors[4]});
  }
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
  Record penalties({"t", "x", "y", "felt x", "felt y", "contact", "motors x", "motors y"}),
      coupler = penalties;
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
                      {{"hand [m]", {"x", "y"}},
                       {"felt [N]", {"felt x", "felt y"}},
                       {"contact [N]", {"contact"}},
                       {"motors [N]", {"motors x", "motors y"}}});
  }
  std::string table =
      "  through             met [s]   contact [N]   felt [N]   change in 50 ms [N]   by 1 kg: for the "
      "contact "
      "[N]   motors' change [N]   within 2 ms [N]\n";
  for (const auto& [name, one] : {std::pair{"(18), loop", &a},
                                  {"coupler, loop", &b},
                                  {"(11), loop", &by_11},
                                  {"(18), 50 N/s", &slow},
                                  {"(18), outside", &a_2},
                                  {"coupler, outside", &b_2}})
    table +=
        fmt::format("  {:<18} {:8.3f} {:13.2f} {:10.3f} {:21.4f} {:28.3f} {:20.3f} {:17.3f}\n", name,
                    one->met, one->contact, one->peak, one->change, one->for_contact, one->motors, one->soon);
  const double total = a.peak / b.peak, change = a.change / b.change;
  const double total_2 = a_2.peak / b_2.peak, change_2 = a_2.change / b_2.change;
  // The clamp stands above peak/T, and nothing of it shows.
  const bool unclamped = a.steepest < kFast && a.peak == free.peak && a.motors == free.motors;
  return {
      "section VIII, Figures 13 and 14: collisions are felt two orders of magnitude larger by (18) than by "
      "the coupler",
      fmt::format(
          "through the loop (18): met at {:.3f} s, contact up to {:.2f} N, felt {:.2f} N, change "
          "{:.2f} N, as the force of 1 kg {:.2f} N; coupler: {:.3f} s, {:.2f} N, {:.3f} N, {:.4f} N; "
          "ratios: total {:.3g}, change {:.4g}, by the motors {:.3g}; outside of it {:.3g} and {:.4g}; by "
          "(11) felt {:.2f} N, change {:.2f} N",
          a.met, a.contact, a.peak, a.change, a.motors, b.met, b.contact, b.peak, b.change, total, change,
          a.motors / b.peak, total_2, change_2, by_11.peak, by_11.change),
      not_reproducible(total > 10.0 && change > 100.0 && total_2 > 10.0 && change_2 > 100.0 && unclamped &&
                           a.met > 0.0 && b.met > 0.0 && by_11.met > 0.0 && by_11.change > 100.0 * b.change &&
                           slow.soon < 0.5 * a.soon,
                       "two orders of magnitude in the change that the collision brings, one in the total, "
                       "through the loop and outside of it"),
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
  const double ratio = at_512.change / coupler.change;
  constexpr double kShare = 0.01;  // of the impulse, and of the same one by another road
  // What is felt in the tick of the impact is the wall's impulse over that tick.
  Deviation d;
  d.add(at_512.change * (1.0 / 512.0), at_512.impulse, kShare * at_512.impulse);
  d.add(at_1k.change * 1e-3, at_1k.impulse, kShare * at_1k.impulse);
  d.add(at_1k.impulse, outside.impulse, kShare * outside.impulse);
  const bool scales = std::abs(at_1k.impulse / at_512.impulse - 1.0) < 0.05;
  return {
      "section VIII: the same with impulses within one step, as the paper's collisions are",
      fmt::format("through the loop: impulse {:.4f} N s at 512 Hz, {:.4f} N s at 1 kHz ({:.4f} outside of "
                  "it): felt as {:.1f} and {:.1f} N, as forces of 1 kg {:.1f} and {:.1f} N; coupler {:.3f} "
                  "N, change {:.4f} N; ratio of the changes {:.4g}; {}",
                  at_512.impulse, at_1k.impulse, outside.impulse, at_512.peak, at_1k.peak, at_512.motors,
                  at_1k.motors, coupler.peak, coupler.change, ratio, d.to_string()),
      not_reproducible(
          scales && all_within(d) && at_512.peak > 100.0 * coupler.peak && ratio > 100.0,
          "two orders of magnitude, one impulse at either rate, and felt is that impulse within 1 %"),
      "a force of one step grows with the rate: the impulse is what does not depend on it",
      {}};
}

/// The scene of Figures 10, 13 and 14: an enclosure, two boxes, a hand that moves about.
struct Moved {
  double peak = 0.0, contact = 0.0;  // [N] felt, and of the links with what is around them
  double apart = 0.0;                // [m] hand and link, at most
  double boxes = 0.0;                // [m] the way of the box that was pushed furthest
  bool finite = true;
};

Moved in_enclosure(const Context& context, Law law, const std::string& file) {
  constexpr double kPeriod = 1e-3, kDuration = 10.0;
  // 100 N/m to a point on a circle, 5 N at most; all chosen.
  const auto led = [](double t, double x, double y) -> std::array<double, 2> {
    constexpr double kStiffness = 100.0, kMost = 5.0, kRadius = 0.09,
                     kTurns = 0.25;  // [N/m], [N], [m], [1/s]
    const double angle = 2.0 * kPi * kTurns * t;
    const double dx = kRadius * std::cos(angle) - x, dy = kRadius * std::sin(angle) - y;
    const double pull = kStiffness * std::hypot(dx, dy), share = pull > kMost ? kMost / pull : 1.0;
    return {share * kStiffness * dx, share * kStiffness * dy};
  };
  LoopScene scene(load(context, "chain_in_enclosure"), law, kPeriod, clamped(0.0), led);
  const int boxes[] = {scene.mechanism().port("body:box_a"), scene.mechanism().port("body:box_b")};
  const auto place = [&](int box) { return scene.mechanism().motion(box).X_WP.p; };
  const math::Vec3<double> start[] = {place(boxes[0]), place(boxes[1])};
  Record record({"t", "x", "y", "felt x", "felt y", "contact", "box a x", "box a y", "box b x", "box b y"});
  Moved moved;
  const long ticks = std::lround(kDuration / kPeriod);
  for (long k = 0; k < ticks; ++k) {
    const Told& told = scene.advance();
    moved.finite = moved.finite && std::isfinite(size(told.felt)) && std::isfinite(told.x);
    moved.peak = std::max(moved.peak, size(told.felt));
    moved.contact = std::max(moved.contact, told.contact);
    moved.apart = std::max(moved.apart, told.apart);
    const math::Vec3<double> at[] = {place(boxes[0]), place(boxes[1])};
    for (std::size_t i = 0; i < 2; ++i) {
      const math::Vec3<double> way = at[i] - start[i];
      moved.boxes = std::max(moved.boxes, std::sqrt(dot(way, way)));
    }
    if (k % 5 == 0)
      record.add({told.t, told.x, told.y, told.felt[3], told.felt[4], told.contact, at[0].x, at[0].y, at[1].x,
                  at[1].y});
  }
  record.write_csv(context, file + ".csv");
  record.write_svg(
      context, file + ".svg",
      fmt::format("The chain among two boxes, held {}", law == Law::coupler     ? "by the virtual coupler"
                                                        : law == Law::penalties ? "by (18)"
                                                                                : "by (11)"),
      {{"hand [m]", {"x", "y"}},
       {"felt [N]", {"felt x", "felt y"}},
       {"contact [N]", {"contact"}},
       {"boxes [m]", {"box a x", "box a y", "box b x", "box b y"}}});
  return moved;
}

Result enclosure(const Context& context) {
  constexpr const char* kFiles[] = {"constantinescu2005-figure-10-acceleration",
                                    "constantinescu2005-figure-10-penalties",
                                    "constantinescu2005-figure-10-coupler"};
  const Moved by_11 = in_enclosure(context, Law::acceleration, kFiles[0]),
              a = in_enclosure(context, Law::penalties, kFiles[1]),
              b = in_enclosure(context, Law::coupler, kFiles[2]);
  bool runs = true;
  std::string table =
      "  controller      felt up to [N]   contact up to [N]   hand and link apart [mm]   a box pushed [mm]\n";
  for (const auto& [name, one] : {std::pair{"(11)", &by_11}, {"(18)", &a}, {"coupler", &b}}) {
    constexpr double kPushed = 0.01;  // [m]
    runs = runs && one->finite && one->contact > 0.0 && one->boxes > kPushed;
    table += fmt::format("  {:<12} {:16.3g} {:19.3g} {:26.3g} {:19.3g}\n", name, one->peak, one->contact,
                         1e3 * one->apart, 1e3 * one->boxes);
  }
  std::vector<std::string> files;
  for (const char* const file : kFiles)
    for (const char* const kind : {".csv", ".svg"}) files.push_back(std::string(file) + kind);
  return {
      "section VIII, Figures 10, 13 and 14: the chain in an enclosure with two boxes, moved about by a hand",
      fmt::format("felt up to {:.1f} N by (18), {:.2f} N by the coupler: ratio {:.3g}; {:.1f} N by (11)",
                  a.peak, b.peak, a.peak / b.peak, by_11.peak),
      not_reproducible(runs && a.peak > 5.0 * b.peak, "five times as much by (18) as by the coupler"),
      "enclosure, boxes and the hand are chosen; the total peak does not show two orders of magnitude. "
      "Required besides: by every controller the links touch, and a box is pushed by more than 1 cm",
      files,
      table};
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
    shown.peak = std::max(shown.peak, size(F));
    if (kPeriod * k < shown.met + 0.05)
      shown.change = std::max(shown.change, std::hypot(F[3] - before[3], F[4] - before[4]));
    shown.beyond = std::max(shown.beyond, record.p_H.x + apart.x - record.p_P.x);
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
    ok = ok && shown.ok && shown.met > 0.0 && std::isfinite(shown.peak);
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
          {"controllers", "one wall, by every controller of the loop", controllers},
          {"figure-10", "what is felt in the enclosure", enclosure}};
}

}  // namespace tactus::studies::constantinescu
