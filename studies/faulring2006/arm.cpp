// Example C, two links whose end point stays on a circle: energy, and Figure 12.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <studies/statements.h>
#include <tactus/control/algorithm_1.h>

#include "cases.h"
#include "reduced_arm.h"
#include "size.h"

namespace tactus::studies::faulring {

using control::Algorithm1;
using control::Drift;
using control::Scheme;

namespace {

using study::Context;
using study::Result;

constexpr double kStep = 1e-3, kRadius = 0.05, kLength = 0.15, kMass = 2.0;
constexpr double kTurn = 2.0943951023931953;  // [s] once around at 0.15 m/s: 2 pi 0.05 m
const std::vector<double> kNoForce{0.0, 0.0};

Result energy_of_two_links(const Context& context) {
  const describe::Model model = load(context, "two_link_on_circle", {{"b", 0.0}});
  Algorithm1 printed(model, Scheme::printed, {0.0}, {5.0}), mended(model, Scheme::projected, {0.0}, {5.0}),
      better(model, Scheme::runge_kutta, {0.0}, {5.0}), direct(model, Scheme::direct, {0.0}, {5.0});
  const double start = printed.kinetic();
  const double known = ReducedArm::kinetic(0.0, 5.0);
  Drift drift, mended_drift, better_drift, direct_drift;
  Record record({"t", "printed", "projected", "runge_kutta"});
  for (int k = 0; k < 10000; ++k) {
    if (k % 10 == 0) record.add({printed.t(), printed.kinetic(), mended.kinetic(), better.kinetic()});
    for (const auto& [arm, worst] : {std::pair{&printed, &drift}, std::pair{&mended, &mended_drift},
                                     std::pair{&better, &better_drift}, std::pair{&direct, &direct_drift}}) {
      arm->step(kStep, kNoForce);
      worst->add(arm->drift());
    }
  }
  record.write_csv(context, "faulring2006-energy.csv");
  record.write_svg(context, "faulring2006-energy.svg", "Two links on a circle, undamped",
                   {{"kinetic energy [J]", {"printed", "projected", "runge_kutta"}}});
  const double loss = 1.0 - printed.kinetic() / start, mended_loss = 1.0 - mended.kinetic() / start,
               change = std::fabs(better.kinetic() / start - 1.0);
  const double radial = larger(larger(drift.position, mended_drift.position), better_drift.position);
  return {
      "II-G: \"the method of integration should be chosen carefully\"; of energy nothing is said. Algorithm "
      "1, line 10: zd + zdd T",
      fmt::format(
          "as printed it loses {:.1f} % in 10 s, with the velocity projection {:.1f} %, Runge-Kutta in z "
          "{:.1g}; the circle is kept to {:.1g} m, by integrating q instead to {:.1g} m",
          100.0 * loss, 100.0 * mended_loss, change, radial, direct_drift.position),
      closed_form(std::fabs(start / known - 1.0) < 1e-12 && loss > 0.06 && loss < 0.07 &&
                      mended_loss > 0.06 && mended_loss < 0.07 && change < 1e-9 && radial < 1e-15 &&
                      direct_drift.position > 1e-4,
                  "the kinetic energy, which without damping is m(z) zd^2/2 and stays; an independent "
                  "computation of the loss, 6.5 %"),
      "the velocity step of Algorithm 1 is of first order: it damps where nothing does, and a projection "
      "does not mend that",
      {"faulring2006-energy.csv", "faulring2006-energy.svg"}};
}

/// A hand that keeps the end point at a speed along the circle, until it lets go.
struct Leading {
  double wanted = 0.15, grip = 20.0, release = 3.0, end = 8.0;  // [m/s], [N s/m], [s], [s]
};

/// The tangential force on the joints: J^T f.
std::vector<double> torques(const Algorithm1& arm, double force) {
  const double fx = -force * std::sin(arm.z()[0]), fy = force * std::cos(arm.z()[0]);
  const double q1 = arm.q()[0], q12 = q1 + arm.q()[1];
  const double tau2 = kLength * (-std::sin(q12) * fx + std::cos(q12) * fy);
  return {tau2 + kLength * (-std::sin(q1) * fx + std::cos(q1) * fy), tau2};
}

/// What Figure 12 shows, at one instant.
struct Moment {
  double t, z, force, speed, total, link_1, link_2;  // [s], [rad], [N], [m/s], [J]
};

std::vector<Moment> lead(const Context& context, const Leading& hand, double step = kStep) {
  Algorithm1 arm(load(context, "two_link_on_circle"), Scheme::runge_kutta, {0.0}, {0.0});
  std::vector<Moment> moments;
  for (long k = 0; k <= std::lround(hand.end / step); ++k) {
    const double speed = kRadius * arm.zd()[0], total = arm.kinetic();
    const double force = arm.t() < hand.release ? hand.grip * (hand.wanted - speed) : 0.0;
    const double link_1 = 0.5 * kMass * kLength * kLength / 3.0 * arm.u()[0] * arm.u()[0];
    moments.push_back({arm.t(), arm.z()[0], force, speed, total, link_1, total - link_1});
    arm.step(step, torques(arm, force));
  }
  return moments;
}

/// Of a part of the energy: how often it turns from falling to rising.
struct Rises {
  double before = -1.0;
  bool rising = true;
  int count = 0;
  void add(double x) {
    const bool now = before >= 0.0 && x > before;
    count += now && !rising ? 1 : 0;
    rising = now;
    before = x;
  }
};

constexpr const char* kChosen = "the hand's force is not printed: it is chosen";

Result figure_12(const Context& context) {
  const Leading hand;
  Record record({"t", "total", "link_1", "link_2", "speed", "hand"});
  bool falls = true;
  double before = INFINITY, at_release = 0.0, worst = 0.0, z = 0.0, zd = 0.0;
  const ReducedArm reduced;
  long k = 0;
  for (const Moment& m : lead(context, hand)) {
    if (k++ % 5 == 0) record.add({m.t, m.total, m.link_1, m.link_2, m.speed, m.force});
    if (m.t < hand.release) continue;
    if (std::isinf(before)) {
      at_release = m.total;
      z = m.z;
      zd = m.speed / kRadius;
    } else {
      reduced.coast(z, zd, kStep);
    }
    const double error = std::fabs(m.total - ReducedArm::kinetic(z, zd));
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    falls = falls && m.total <= before;
    before = m.total;
  }
  record.write_csv(context, "faulring2006-figure-12.csv");
  record.write_svg(context, "faulring2006-figure-12.svg", "Two links on a circle, let go at 3 s",
                   {{"kinetic energy [J]", {"total", "link_1", "link_2"}},
                    {"end point's speed [m/s]", {"speed"}},
                    {"hand's force [N]", {"hand"}}});
  return {"Fig. 12: once let go, the kinetic energy decays monotonically",
          fmt::format("from {:.3g} to {:.3g} J: {}; within {:.1g} J of the reduced equation", at_release,
                      before, falls ? "always" : "no", worst),
          closed_form(falls && at_release > 0.0 && before < at_release && worst < 1e-10 * at_release,
                      "the equation of one angle, from the release on: the energy at every step"),
          kChosen,
          {"faulring2006-figure-12.csv", "faulring2006-figure-12.svg"}};
}

/// Each link's part, once the hand has let go; with a step that meets the instants of reversal closely.
Result links(const Context& context) {
  const Leading hand;
  double least_1 = INFINITY, least_share = INFINITY, share_1 = 0.0, rate_before = 0.0, turned = 0.0,
         start = 0.0;
  int rests = 0, reversals = 0;
  Rises of_1, of_2;
  Deviation shares;
  for (const Moment& m : lead(context, hand, 0.1 * kStep)) {
    if (m.t < hand.release) continue;
    if (std::isinf(least_1)) start = m.z;
    turned = m.z - start;
    least_1 = std::min(least_1, m.link_1);
    least_share = std::min(least_share, m.link_2 / m.total);
    share_1 = std::max(share_1, m.link_1 / m.total);
    shares.add(m.link_2 / m.total, ReducedArm::share_of_link_2(m.z), 1e-9);
    of_1.add(m.link_1);
    of_2.add(m.link_2);
    // Link 1 reverses where dq1/dz changes its sign.
    const double rate = ReducedArm::rates(m.z).q1;
    reversals += rate * rate_before < 0.0 ? 1 : 0;
    if (rate * rate_before < 0.0) rests += m.link_1 < 1e-5 * m.total ? 1 : 0;
    rate_before = rate;
  }
  // The least that link 2 can have, anywhere on the circle: it depends on the place alone.
  double least = 1.0;
  constexpr int kPlaces = 100000;
  for (int k = 0; k < kPlaces; ++k)
    least = std::min(least, ReducedArm::share_of_link_2(2.0 * std::numbers::pi * k / kPlaces));
  constexpr double kAtRest = 2e-7, kLeastShare = 0.7226;  // [J], [1] of an independent computation
  Statements statements;
  statements.judge(reversals >= 2 && rests == reversals && least_1 <= kAtRest && share_1 > 0.1,
                   "the kinetic energy of link 1 goes to zero each time it reverses direction",
                   fmt::format("{} of {} reversals at rest, down to {:.1g} J of up to {:.0f} %", rests,
                               reversals, least_1, 100.0 * share_1),
                   "all of them, 2e-7 J at most");
  statements.judge(least_share >= kLeastShare - 0.5e-4 && least_share >= least - 1e-9 &&
                       least_share < least + 1e-4 && all_within(shares),
                   "that of link 2 never approaches zero",
                   fmt::format("at least {:.4f} % of all", 100.0 * least_share), "72.26 %");
  statements.judge(of_1.count >= 2 && of_2.count >= 2, "that of each link rises and falls",
                   fmt::format("they rise {} and {} times", of_1.count, of_2.count), "twice each");
  return {
      "Fig. 12: the kinetic energy of link 1 goes to zero each time it reverses direction, that of link 2 "
      "never approaches zero; that of "
      "each link rises and falls",
      fmt::format("in {:.2f} turns link 1 reverses {} times and is at rest in {} of them, down to {:.1g} J, "
                  "having up to {:.0f} % in "
                  "between; link 2 keeps at least {:.4f} % of all, on the whole circle {:.4f} %; they rise "
                  "{} and {} times",
                  turned / (2.0 * std::numbers::pi), reversals, rests, least_1, 100.0 * share_1,
                  100.0 * least_share, 100.0 * least, of_1.count, of_2.count),
      closed_form(statements.all(), "the links' shares as a function of the place on the circle"),
      kChosen,
      {},
      statements.table()};
}

Result speed(const Context& context) {
  const Leading hand;
  int rises = 0;
  bool rising = false, falls = true;
  double before = INFINITY, energy = INFINITY, z = 0.0, zd = 0.0, worst = 0.0;
  const ReducedArm reduced;
  std::string times;
  for (const Moment& m : lead(context, hand)) {
    if (m.t < hand.release) continue;
    if (std::isinf(before)) {
      z = m.z;
      zd = m.speed / kRadius;
    } else {
      reduced.coast(z, zd, kStep);
    }
    const double error = std::fabs(m.speed - kRadius * zd);
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    const bool now = m.speed > before;
    if (now && !rising) times += fmt::format("{}{:.2f}", rises++ == 0 ? "" : ", ", m.t);
    falls = falls && m.total <= energy;
    rising = now;
    before = m.speed;
    energy = m.total;
  }
  return {
      "Fig. 12: the end point's speed rises at 4.7 s and 6.2 s, while the energy falls",
      fmt::format(
          "it rises from {} s on, the energy {}; the speed is within {:.1g} m/s of the reduced equation",
          times, falls ? "never" : "too", worst),
      not_reproducible(rises >= 2 && falls && worst < 1e-10,
                       "two rises of the speed while the energy falls; the equation of one angle, from the "
                       "release on, at every step"),
      "the two printed times depend on when and how fast the hand let go, which is not printed: here they "
      "are others",
      {}};
}

/// What a hand gives [N] and how fast the end point is then, from `from` on until it lets go.
struct Held {
  Range force, speed;
};
Held held_by(const Context& context, const Leading& hand, double from) {
  Held held;
  for (const Moment& m : lead(context, hand, 0.5 * kStep)) {
    if (m.t < from || m.t >= hand.release) continue;
    held.force.add(m.force);
    held.speed.add(m.speed);
  }
  return held;
}

/// A hand that holds the speed firmly, and one that is as soft as that of Figure 12's cases: it gives way,
/// and is spared a part of the push, not of the braking, because the end point comes to where it is to be
/// pushed faster than it is wanted.
Result hand_force(const Context& context) {
  constexpr double kFromRest = 0.5, kSettled = 2.0;  // [s]: the soft hand takes longer
  Leading firm;
  firm.grip = 400.0;  // [N s/m] holds 0.15 m/s within 2 mm/s
  firm.end = firm.release = 2.0 * kTurn + kFromRest;
  Leading soft;
  soft.end = soft.release = 3.0 * kTurn + kSettled;
  const Held by_firm = held_by(context, firm, kFromRest), by_soft = held_by(context, soft, kSettled);
  // At the speed itself.
  Range known;
  constexpr int kPlaces = 20000;
  const ReducedArm reduced;
  for (int k = 0; k < kPlaces; ++k)
    known.add(reduced.steady_force(2.0 * std::numbers::pi * k / kPlaces, firm.wanted / kRadius));
  constexpr double kShare = 0.03;    // forces go with the speed's square, which the grip leaves 1 % of
  constexpr double kRounded = 5e-3;  // [N] of two decimals
  Deviation d;
  d.add(by_firm.force.least, known.least, kShare * std::fabs(known.least));
  d.add(by_firm.force.most, known.most, kShare * known.most);
  Statements statements;
  statements.judge(
      all_within(d) && by_firm.speed.width() < 0.005 && by_firm.force.least < 0.0 && by_firm.force.most > 0.0,
      "\"the user must alternately push and hold back\"",
      fmt::format("{:.3f} to {:.3f} N at {:.3f} to {:.3f} m/s", by_firm.force.least, by_firm.force.most,
                  by_firm.speed.least, by_firm.speed.most),
      fmt::format("{:.3f} to {:.3f} N, what keeps 0.15 m/s sharp, within 3 %", known.least, known.most));
  statements.judge(
      std::fabs(by_soft.force.least + 0.67) <= kRounded && std::fabs(by_soft.force.most - 0.48) <= kRounded,
      "a hand of 20 N s/m that wants 0.15 m/s",
      fmt::format("{:.3f} to {:.3f} N at {:.3f} to {:.3f} m/s", by_soft.force.least, by_soft.force.most,
                  by_soft.speed.least, by_soft.speed.most),
      "-0.67 to 0.48 N of an independent computation");
  return {
      "IV-C: to keep the speed \"the user must alternately push and hold back\"",
      fmt::format(
          "at {:.3f} to {:.3f} m/s its tangential force is {:.3f} to {:.3f} N; at 0.15 m/s sharp {:.3f} "
          "to {:.3f} N; by a hand of 20 N s/m {:.3f} to {:.3f} N",
          by_firm.speed.least, by_firm.speed.most, by_firm.force.least, by_firm.force.most, known.least,
          known.most, by_soft.force.least, by_soft.force.most),
      closed_form(statements.all(),
                  "the force that keeps the speed, (m'/2 zd^2 + b zd)/r_c: its least and most on the circle "
                  "within 3 %; a softer hand by an independent computation"),
      "speed and grip are chosen: they are not printed. -0.67 to 0.48 N is what a soft hand gives, which "
      "lets "
      "the speed change",
      {},
      statements.table()};
}

}  // namespace

std::vector<study::Case> arm_cases() {
  return {{"algorithm-1-energy", "energy of the undamped arm", energy_of_two_links},
          {"fig-12", "the arm led around and let go: energy", figure_12},
          {"fig-12-links", "the links' parts of the energy", links},
          {"fig-12-speed", "the end point's speed", speed},
          {"fig-12-hand", "the hand's force at a constant speed", hand_force}};
}

}  // namespace tactus::studies::faulring
