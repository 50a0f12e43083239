// Figure 12 with a display that is not ideal: the arm led around and let go, through the cobot.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/record.h>
#include <studies/statements.h>

#include "cases.h"
#include "cobot_scene.h"
#include "reduced_arm.h"

namespace tactus::studies::faulring {

namespace {

using display::TickRecord;
using study::Context;
using study::Result;
using Vec3 = math::Vec3<double>;

// Of an independent computation [um rms].
constexpr double kWorthArm = 958.0 / 94.5;

struct ArmErrors {
  Size along, across;
};
/// [m] Along the circle and across it.
std::array<double, 2> error_of(const Run& run, std::size_t k) {
  const TickRecord& tick = run.ticks[k];
  const Vec3 e = tick.p_P - run.start.p - tick.p_H;
  const Vec3 n = (1.0 / norm(tick.p_P)) * tick.p_P;  // the circle's centre is the origin
  return {n.x * e.y - n.y * e.x, dot(e, n)};
}
ArmErrors arm_errors(const Run& run) {
  ArmErrors errors;
  for (std::size_t k = 0; k < run.ticks.size(); ++k) {
    if (run.ticks[k].t < kStart) continue;
    const auto [along, across] = error_of(run, k);
    errors.across.add(across);
    errors.along.add(along);
  }
  return errors;
}

/// The energies of Figure 12 A where a tick begins [J]: of the mechanism's links, and what all of it would
/// have by the place and the velocity that the device senses.
struct Energy {
  double total, link_1, link_2, sensed;
};
Energy energy_at(const Run& run, std::size_t k) {
  const TickRecord& tick = run.ticks[k];
  const double rate = run.speeds[k][0], total = run.kinetic[k],
               link_1 =
                   0.5 * ReducedArm::kMass * ReducedArm::kLength * ReducedArm::kLength / 3.0 * rate * rate;
  const Vec3 p = run.start.p + tick.p_H;
  const double zd = (p.x * tick.V_H[4] - p.y * tick.V_H[3]) / (p.x * p.x + p.y * p.y);
  return {total, link_1, total - link_1, ReducedArm::kinetic(std::atan2(p.y, p.x), zd)};
}

/// Where a number turns from falling to rising, by more than what is noise in it.
struct Rises {
  double noise = 0.0;
  struct Rise {
    double t = 0.0, energy = 0.0;
  };
  std::vector<Rise> from{};
  void add(double x, const Rise& at) {
    if (!(x >= least)) {
      least = x;
      lowest = at;
    }
    if (!(x <= most)) most = x;
    if (rising && x < most - noise) {
      rising = false;
      least = x;
      lowest = at;
    } else if (!rising && x > least + noise) {
      rising = true;
      most = x;
      from.push_back(lowest);
    }
  }

  // Since it last turned:
  double least = INFINITY, most = -INFINITY;
  bool rising = true;
  Rise lowest{};
};

/// The statements of Figure 12 on energy, tick by tick from the release on. The sensor goes on to read its
/// noise, and that is work: what decays is the energy less it.
void judge_energy(const Run& run, Statements& statements) {
  constexpr double kAtRest = 2e-7, kLeastShare = 0.7226;  // [J], [1] of an independent computation
  constexpr double kSwing = 2e-4, kFaster = 2e-3;         // [J], [m/s] more than the noise makes in a second
  constexpr double kRounding = 1e-9;                      // [J] of a tick of Runge and Kutta
  double at_release = NAN, end = NAN, by_noise = 0.0, steepest = -INFINITY;
  double least_1 = INFINITY, before = NAN, before_1 = NAN;
  int ticks = 0, risen = 0, reversals = 0, rests = 0, rises_while_it_falls = 0;
  Range share;
  Deviation placed;
  Rises of_1{kSwing}, of_2{kSwing}, speed{kFaster};
  for (std::size_t k = 1; k + 1 < run.ticks.size(); ++k) {
    const TickRecord& tick = run.ticks[k];
    if (!(tick.t >= kLetGo)) continue;
    const Energy now = energy_at(run, k);
    const double work = tick.into_port - run.ticks[k - 1].into_port, gained = run.kinetic[k + 1] - now.total;
    if (ticks++ == 0) at_release = now.total;
    end = run.kinetic[k + 1];
    by_noise += work;
    risen += gained > 0.0 ? 1 : 0;
    if (!(gained - work <= steepest)) steepest = gained - work;
    share.add(now.link_2 / now.total);
    const double z = std::atan2(tick.p_P.y, tick.p_P.x);
    placed.add(now.link_2 / now.total, ReducedArm::share_of_link_2(z), kRounding);
    const double rate = run.speeds[k][0];
    if (rate * before <= 0.0) {
      const double least = std::min(now.link_1, before_1);
      ++reversals;
      rests += least <= kAtRest ? 1 : 0;
      least_1 = std::min(least_1, least);
    }
    before = rate;
    before_1 = now.link_1;
    const Rises::Rise at{tick.t, now.total};
    of_1.add(now.link_1, at);
    of_2.add(now.link_2, at);
    const std::size_t rises = speed.from.size();
    speed.add(std::hypot(tick.V_P[3], tick.V_P[4]), at);
    if (speed.from.size() > rises) rises_while_it_falls += now.total < speed.from.back().energy ? 1 : 0;
  }
  std::string times;
  for (const Rises::Rise& rise : speed.from)
    times += fmt::format("{}{:.2f}", times.empty() ? "" : ", ", rise.t);
  statements.judge(
      ticks > 1000 && steepest <= kRounding && end < 0.5 * at_release,
      "Fig. 12 A: once let go, the kinetic energy decays monotonically",
      fmt::format("from {:.3g} to {:.3g} J, in every tick by {:.2g} J at least, less the work of the "
                  "sensor's noise, {:.2g} J in all, with which it rises in {} of {} ticks",
                  at_release, end, -steepest, by_noise, risen, ticks),
      fmt::format("in every tick but for {:g} J, to less than half", kRounding));
  statements.judge(reversals >= 2 && rests == reversals,
                   "the kinetic energy of link 1 goes to zero each time it reverses direction",
                   fmt::format("{} of {} reversals at rest, down to {:.1g} J", rests, reversals, least_1),
                   fmt::format("all of them, {:g} J at most in the nearest tick", kAtRest));
  statements.judge(share.least >= kLeastShare - 0.5e-4 && share.most <= 1.0 && all_within(placed),
                   "that of link 2 never approaches zero",
                   fmt::format("at least {:.4f} % of all; by the place on the circle {}", 100.0 * share.least,
                               placed.to_string()),
                   "72.26 %");
  statements.judge(of_1.from.size() >= 2 && of_2.from.size() >= 2, "that of each link rises and falls",
                   fmt::format("they rise {} and {} times by more than {:g} J", of_1.from.size(),
                               of_2.from.size(), kSwing),
                   "twice each");
  statements.judge(
      rises_while_it_falls >= 2 && static_cast<std::size_t>(rises_while_it_falls) == speed.from.size(),
      "Fig. 12 B: the end point's speed rises even while the energy is decaying",
      fmt::format("from {} s on, by more than {:g} m/s, in {} of {} rises with less energy", times, kFaster,
                  rises_while_it_falls, speed.from.size()),
      "two rises at least, all with less energy; the printed instants depend on the hand");
}

Result arm(const Context& context) {
  const Run with = run(context, arm_scene(), by_name("simulated:cobot")),
            without = run(context, arm_scene(), by_name("simulated:cobot-feedback"));
  const ArmErrors a = arm_errors(with), b = arm_errors(without);
  Record record({"t", "total", "link_1", "link_2", "as_sensed", "speed", "speed_as_sensed", "along", "across",
                 "along_by_feedback_alone", "across_by_feedback_alone"});
  for (std::size_t k = 0; k < std::min(with.ticks.size(), without.ticks.size()); k += 5) {
    const TickRecord& tick = with.ticks[k];
    const Energy energy = energy_at(with, k);
    const auto [along, across] = error_of(with, k);
    const auto [along_alone, across_alone] = error_of(without, k);
    record.add({tick.t, energy.total, energy.link_1, energy.link_2, energy.sensed,
                std::hypot(tick.V_P[3], tick.V_P[4]), std::hypot(tick.V_H[3], tick.V_H[4]), along, across,
                along_alone, across_alone});
  }
  record.write_csv(context, "faulring2006-cobot-arm.csv");
  record.write_svg(context, "faulring2006-cobot-arm.svg",
                   "Two links on a circle, through a cobot, let go at 2.8 s",
                   {{"kinetic energy [J]", {"as_sensed", "total", "link_1", "link_2"}},
                    {"end point's speed [m/s]", {"speed_as_sensed", "speed"}},
                    {"error along the circle [m]", {"along", "along_by_feedback_alone"}},
                    {"error across it [m]", {"across", "across_by_feedback_alone"}}});
  // 275/820 and 94.5/305 um rms/largest are those of an independent computation.
  const auto within = [](const Size& size, double rms, double largest) {
    return size.rms() <= rms && size.largest <= largest;
  };
  const double better = b.across.rms() / a.across.rms();
  double fastest = 0.0;
  for (const TickRecord& tick : with.ticks) fastest = std::max(fastest, std::hypot(tick.V_P[3], tick.V_P[4]));
  Statements statements;
  statements.judge(
      with.ok && within(a.along, 275e-6, 820e-6), "Fig. 12 C: small errors in the direction of free motion",
      fmt::format("{} rms/largest along the circle, at up to {:.2f} m/s", in_um(a.along), fastest),
      "275/820 um");
  statements.judge(within(a.across, 94.5e-6, 305e-6), "IV-C: and in the constrained one",
                   fmt::format("{} across it", in_um(a.across)), "95/305 um");
  statements.judge(
      without.ok && better > kSame * kWorthArm && b.along.rms() > a.along.rms(),
      "(18): feed-forward improves tracking",
      fmt::format("without it {} along the circle, {} across it: {:.1f} times", in_um(b.along),
                  in_um(b.across), better),
      fmt::format("{:.1f} times within a fifth across it (958 by 94.5 um), more along it", kWorthArm));
  judge_energy(with, statements);
  return {"Fig. 12: the energies of the links, the end point's speed, and its errors of position",
          fmt::format("along the circle {} rms/largest, across it {}; without feed-forward {} and {}",
                      in_um(a.along), in_um(a.across), in_um(b.along), in_um(b.across)),
          not_reproducible(
              statements.all(),
              "no more than the errors of an independent computation; without feed-forward as many times as "
              "much as there"),
          "forces, gains and device are not printed. Across the circle the acceleration is the circle's own: "
          "without feed-forward nearly all of it, by K_p, is the error, with it what K_d makes of a velocity "
          "that is seen late",
          {"faulring2006-cobot-arm.csv", "faulring2006-cobot-arm.svg"},
          statements.table()};
}

}  // namespace

std::vector<study::Case> cobot_arm_cases() {
  return {{"cobot-arm", "Figure 12 through a simulated cobot", arm}};
}

}  // namespace tactus::studies::faulring
