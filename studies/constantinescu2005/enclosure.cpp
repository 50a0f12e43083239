// Section VIII, Figures 10, 13 and 14: the chain in an enclosure with two boxes, moved about by a hand
// through the loop of the display, with the paper's compliant contacts and with rigid ones, whose impulses
// are forces of one step. Felt is what felt.cpp says:
//
//   (11), (18):   J_h^-T J_c^T F_c + F_pc + M_d u_add,   M_d = 1 kg          coupler:   F_vc
//
// and beside it the force of the motors; their torque is that of the paper's unit M_d, 1 kg m^2. Two measures
// of both: the largest of the run, which is what the paper's plots compare, and the largest change that one
// collision brings (collisions.h).
#include <algorithm>
#include <map>

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

struct Moved {
  double felt = 0.0, torque = 0.0, motors = 0.0;  // [N], [N m], [N] largest
  double contact = 0.0;                           // [N] of the links with what is around them
  double impulse = 0.0;                           // [N s] of a tick
  double apart = 0.0, turned = 0.0;               // [m], [rad] hand and link, at most
  double boxes = 0.0;                             // [m] the way of the box that was pushed furthest
  Collisions collisions;
};

constexpr double kMostPush = 5.0;  // [N]

/// 100 N/m to a point on a circle, 5 N at most; all chosen.
std::array<double, 2> led(double t, double x, double y) {
  constexpr double kStiffness = 100.0, kRadius = 0.09, kTurns = 0.25;  // [N/m], [m], [1/s]
  const double angle = 2.0 * kPi * kTurns * t;
  const double dx = kRadius * std::cos(angle) - x, dy = kRadius * std::sin(angle) - y;
  const double pull = kStiffness * std::hypot(dx, dy), share = pull > kMostPush ? kMostPush / pull : 1.0;
  return {share * kStiffness * dx, share * kStiffness * dy};
}

Moved move_about(const Context& context, Law law, bool rigid, double period, const std::string& title,
                 const std::string& file) {
  constexpr double kDuration = 10.0;
  control::SafetyLimits unclamped;
  unclamped.ramp = 0.0;
  LoopScene scene(load(context, rigid ? "chain_in_enclosure_rigid" : "chain_in_enclosure"), law, period,
                  unclamped, led);
  const int boxes[] = {scene.mechanism().port("body:box_a"), scene.mechanism().port("body:box_b")};
  const auto place = [&](int box) { return scene.mechanism().motion(box).X_WP.p; };
  const math::Vec3<double> start[] = {place(boxes[0]), place(boxes[1])};
  Record record({"t", "hand x", "hand y", "hand theta", "port x", "port y", "port theta", "felt x", "felt y",
                 "felt torque", "motors x", "motors y", "motors torque", "contact", "box a x", "box a y",
                 "box b x", "box b y"});
  Moved moved;
  const long ticks = std::lround(kDuration / period);
  for (long k = 0; k < ticks; ++k) {
    const Told& told = scene.advance();
    moved.collisions.see(told);
    moved.felt = larger(moved.felt, force_of(told.felt));
    moved.torque = larger(moved.torque, std::fabs(told.felt[2]));
    moved.motors = larger(moved.motors, force_of(told.motors));
    moved.contact = larger(moved.contact, told.contact);
    moved.impulse = larger(moved.impulse, told.impulse);
    moved.apart = larger(moved.apart, told.apart());
    moved.turned = larger(moved.turned, told.turned());
    const math::Vec3<double> at[] = {place(boxes[0]), place(boxes[1])};
    for (std::size_t i = 0; i < 2; ++i) {
      const math::Vec3<double> way = at[i] - start[i];
      moved.boxes = larger(moved.boxes, std::sqrt(dot(way, way)));
    }
    // An impulse is a force of one tick.
    if (!rigid && k % 2 == 1) continue;
    record.add({told.t, told.hand[0], told.hand[1], told.hand[2], told.port[0], told.port[1], told.port[2],
                told.felt[3], told.felt[4], told.felt[2], told.motors[3], told.motors[4], told.motors[2],
                told.contact, at[0].x, at[0].y, at[1].x, at[1].y});
  }
  record.write_csv(context, file + ".csv");
  record.write_svg(context, file + ".svg", title,
                   {{"x and y [m]", {"hand x", "port x", "hand y", "port y"}},
                    {"theta [rad]", {"hand theta", "port theta"}},
                    {"felt [N]", {"felt x", "felt y"}},
                    {"felt torque [N m]", {"felt torque"}},
                    {"motors [N]", {"motors x", "motors y"}},
                    {"motors' torque [N m]", {"motors torque"}},
                    {rigid ? "contact besides impulses [N]" : "contact [N]", {"contact"}},
                    {"boxes [m]", {"box a x", "box a y", "box b x", "box b y"}},
                    {"hand in the plane: y [m]", {"hand y"}, {}, "hand x", "x [m]"}});
  return moved;
}

/// By (11), by (18) and by the coupler.
struct Three {
  Moved by_11, by_18, coupler;

  double total() const { return by_18.felt / coupler.felt; }
  double change() const { return ratio(&Collisions::largest_of, &Collision::felt); }
  double median_change() const { return ratio(&Collisions::median_of, &Collision::felt); }
  double by_motors() const { return ratio(&Collisions::largest_of, &Collision::motors); }

 private:
  double ratio(double (Collisions::*of)(double Collision::*) const, double Collision::*what) const {
    return (by_18.collisions.*of)(what) / (coupler.collisions.*of)(what);
  }
};

Result enclosure(const Context& context) {
  std::vector<std::string> files;
  const auto move = [&](Law law, bool rigid) {
    const char* const name = law == Law::coupler     ? "coupler"
                             : law == Law::penalties ? "penalties"
                                                     : "acceleration";
    const char* const by = law == Law::coupler     ? "the virtual coupler"
                           : law == Law::penalties ? "(18)"
                                                   : "(11)";
    const std::string file = fmt::format("constantinescu2005-figure-10-{}{}", name, rigid ? "-rigid" : "");
    for (const char* const kind : {".csv", ".svg"}) files.push_back(file + kind);
    // Rigid: at the rate of the paper's loop, a force of one step depends on it.
    return move_about(
        context, law, rigid, rigid ? 1.0 / 512.0 : 1e-3,
        fmt::format("The chain among two boxes, held by {}, contacts {}", by, rigid ? "rigid" : "compliant"),
        file);
  };
  const auto three = [&](bool rigid) {
    return Three{move(Law::acceleration, rigid), move(Law::penalties, rigid), move(Law::coupler, rigid)};
  };
  const Three soft = three(false), hard = three(true);
  const std::pair<const char*, const Moved*> columns[] = {
      {"(11)", &soft.by_11},        {"(18)", &soft.by_18},        {"coupler", &soft.coupler},
      {"(11), rigid", &hard.by_11}, {"(18), rigid", &hard.by_18}, {"coupler, rigid", &hard.coupler}};
  std::string table = fmt::format("  {:<38}", "");
  for (const auto& [name, one] : columns) table += fmt::format(" {:>14}", name);
  const auto row = [&](const char* label, const auto& value) {
    table += fmt::format("\n  {:<38}", label);
    for (const auto& [name, one] : columns) table += fmt::format(" {:14.4g}", value(*one));
  };
  row("felt up to [N]", [](const Moved& m) { return m.felt; });
  row("felt torque up to [N m]", [](const Moved& m) { return m.torque; });
  row("motors up to [N]", [](const Moved& m) { return m.motors; });
  row("collisions", [](const Moved& m) { return static_cast<double>(m.collisions.all.size()); });
  row("felt, largest change [N]", [](const Moved& m) { return m.collisions.largest_of(&Collision::felt); });
  row("felt, median change [N]", [](const Moved& m) { return m.collisions.median_of(&Collision::felt); });
  row("felt torque, largest change [N m]",
      [](const Moved& m) { return m.collisions.largest_of(&Collision::torque); });
  row("motors, largest change [N]",
      [](const Moved& m) { return m.collisions.largest_of(&Collision::motors); });
  row("motors, median change [N]", [](const Moved& m) { return m.collisions.median_of(&Collision::motors); });
  row("contact up to [N]", [](const Moved& m) { return m.contact; });
  row("impulse of a tick up to [N s]", [](const Moved& m) { return m.impulse; });
  row("hand from link [mm]", [](const Moved& m) { return 1e3 * m.apart; });
  row("hand from link, angle [mrad]", [](const Moved& m) { return 1e3 * m.turned; });
  row("a box pushed [mm]", [](const Moved& m) { return 1e3 * m.boxes; });
  table += fmt::format(
      "\n  (18) over the coupler: felt in total {:.3g}, largest change {:.3g}, median change {:.3g}, motors' "
      "largest "
      "change {:.3g}; rigid {:.3g}, {:.3g}, {:.3g}, {:.3g}\n",
      soft.total(), soft.change(), soft.median_change(), soft.by_motors(), hard.total(), hard.change(),
      hard.median_change(), hard.by_motors());
  constexpr double kPushed = 0.01;                                         // [m]
  constexpr std::size_t kEnough = 10;                                      // collisions
  constexpr double kApart = 0.5e-3, kDrifts = 0.01;                        // [m] by (18), by (11)
  constexpr double kStretched = kMostPush / kPrintedCoupler.stiffness[1];  // [m] of the coupler
  bool runs = true, bounded = true;
  for (const auto& [name, one] : columns)
    runs = runs && one->collisions.all.size() >= kEnough && one->boxes > kPushed &&
           std::isfinite(one->motors + one->torque + one->turned + one->impulse + one->contact);
  for (const Three* one : {&soft, &hard})
    bounded =
        bounded && one->by_18.apart < kApart && one->by_11.apart < kDrifts && one->coupler.apart < kStretched;
  const auto two_orders = [](const Three& of) {
    return of.total() > 10.0 && of.change() > 100.0 && of.median_change() > 100.0;
  };
  return {
      "section VIII, Figures 10, 13 and 14: among two boxes collisions are felt two orders of magnitude "
      "larger by "
      "(18) than by the coupler",
      fmt::format(
          "(18) over the coupler: compliant contacts {:.1f} over {:.2f} N in total, ratio {:.3g}; largest "
          "change by a "
          "collision {:.3g} times, the median {:.3g} times; as forces of 1 kg {:.3g} times. Rigid contacts, "
          "one "
          "step's force at 512 Hz: {:.0f} over {:.2f} N, {:.3g} times; {:.3g}, {:.3g} and {:.3g} times",
          soft.by_18.felt, soft.coupler.felt, soft.total(), soft.change(), soft.median_change(),
          soft.by_motors(), hard.by_18.felt, hard.coupler.felt, hard.total(), hard.change(),
          hard.median_change(), hard.by_motors()),
      not_reproducible(runs && bounded && two_orders(soft) && two_orders(hard),
                       "ten times in total and a hundred times in the largest and in the median change by a "
                       "collision, with "
                       "compliant and with rigid contacts; hand and link within 0.5 mm by (18), 10 mm by "
                       "(11), and what 5 N "
                       "stretch the coupler by"),
      "enclosure, boxes and the hand are chosen. With compliant contacts two orders of magnitude hold for "
      "what a "
      "collision changes, not for the total, where the coupler's own steady force counts, nor for the force "
      "of the "
      "motors; with impulses for all three, in proportion to the rate. Required besides: by every controller "
      "ten "
      "collisions, and a box is pushed by more than 1 cm",
      files,
      table};
}

}  // namespace

std::vector<study::Case> enclosure_cases() {
  return {{"figure-10", "what is felt in the enclosure", enclosure}};
}

}  // namespace tactus::studies::constantinescu
