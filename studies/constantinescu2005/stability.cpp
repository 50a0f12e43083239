// How stiff penalties and couplers may be, by bisection, for one device: S1 chose 200 1/s^2 and 50 1/s for
// its penalties and 50 N/m, 3 N s/m for its coupler, and says that penalties can be stiffer.
//
// They are the same law at the handle (sampled_axis.h). What differs is the other end: a penalty acts along
// directions that the chain resists, which stand. A coupler has one pair of gains for all directions, and
// bears both those and the ones that move, at the simulation's rate. So its border is the lower one of the
// two, for the damping that it has.
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <studies/compare.h>
#include <studies/record.h>
#include <studies/statements.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>

#include "cases.h"
#include "sampled_axis.h"

namespace tactus::studies::constantinescu {

namespace {

using control::SampledLoop;
using study::Context;
using study::Result;

constexpr double kRate = 512.0, kDeviceMass = 1.0;                // [Hz], [kg]
constexpr double kPenaltyDamping = 50.0, kPenaltyChosen = 200.0;  // [1/s], [1/s^2]
constexpr double kCouplerDamping = 3.0, kCouplerChosen = 50.0;    // [N s/m], [N/m]
constexpr double kStep = 1e-5;                                    // [m] of the device's encoders, chosen
/// [kg] at the port: as much as the device has, and what the chain's distal link has along its lightest way:
/// 1/0.167 kg, of Lambda^-1 at (-pi/4, pi/6, -pi/6).
constexpr double kLight = 1.0, kChain = 6.0;

/// The largest x up to which it is stable, to 1e-6 of itself; 0 where none is. Borders are looked for from
/// below: beyond the first one there may be more.
double largest(const std::function<bool(double)>& stable) {
  double low = 1e-2, high = 1e8;
  if (!stable(low)) return 0.0;
  constexpr double kStride = 1.15;
  for (double x = low; x < 1e8; x *= kStride) {
    if (!stable(x)) {
      high = x;
      break;
    }
    low = x;
  }
  while (high / low > 1.0 + 1e-6) {
    const double middle = std::sqrt(low * high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

/// What a controller has to bear.
using Ends = std::function<bool(double K, double B)>;

struct Best {
  double K = 0.0, B = 0.0;
};
/// Over dampings a tenth apart, and a hundredth near the best of them.
Best stiffest(const Ends& stable) {
  Best best;
  const auto look = [&](double from, double to, double by) {
    for (double B = from; B < to; B *= by)
      if (const double K = largest([&](double x) { return stable(x, B); }); K > best.K) best = {K, B};
  };
  constexpr double kCoarse = 1.1, kFine = 1.01;
  look(1.0, 2.0 * kRate * kDeviceMass, kCoarse);
  look(best.B / kCoarse, best.B * kCoarse, kFine);
  return best;
}

/// With how many times its gains it is stable.
double margin(const Ends& stable, double K, double B) {
  return largest([&](double g) { return stable(g * K, g * B); });
}

/// An estimate of velocity.
struct Estimate {
  const char* name;
  double bandwidth;  // [rad/s]
  /// [m/s] at most, of one step of the encoders: two poles a make (1 - a)^2 (k + 1) a^k of it after k
  /// periods.
  double of_a_step() const {
    const double a = bandwidth > 0.0 ? std::exp(-bandwidth / kRate) : 0.0;
    double most = 0.0;
    for (int k = 0; k < 64; ++k) most = larger(most, (1.0 - a) * (1.0 - a) * (k + 1.0) * std::pow(a, k));
    return most * kStep * kRate;
  }
};
constexpr Estimate kEstimates[] = {{"differences", 0.0}, {"100 Hz", 628.0}, {"30 Hz", 188.0}};
constexpr int kDelays[] = {0, 1, 2, 4, 8};
constexpr double kSimulationRates[] = {30.0, 60.0, 125.0, 250.0, 512.0};

SampledAxis wall(double bandwidth, int delay) {
  SampledAxis axis;
  axis.period = 1.0 / kRate;
  axis.bandwidth = bandwidth;
  axis.delay = delay;
  axis.device_mass = kDeviceMass;
  return axis;
}
Ends penalties(double bandwidth, int delay) {
  return [axis = wall(bandwidth, delay)](double K, double B) { return axis.stable(K, B); };
}
/// A resisted direction and one that moves.
Ends coupler(double bandwidth, int delay, double simulation_rate, double mass) {
  SampledAxis moving = wall(bandwidth, delay);
  moving.port_mass = mass;
  moving.every = static_cast<int>(std::lround(kRate / simulation_rate));
  return [moving, resisted = wall(bandwidth, delay)](double K, double B) {
    return resisted.stable(K, B) && moving.stable(K, B);
  };
}

/// As control/coupler_design.h has it: another state, and no runs.
SampledLoop designed(double bandwidth, int delay, double mass = std::numeric_limits<double>::infinity()) {
  SampledLoop loop;
  loop.period = 1.0 / kRate;
  loop.delay = delay;
  loop.velocity_pole = bandwidth > 0.0 ? std::exp(-bandwidth / kRate) : 0.0;
  loop.device_mass = kDeviceMass;
  loop.port_mass = mass;
  return loop;
}
Deviation against_design() {
  Deviation same;
  for (const Estimate& estimate : kEstimates)
    for (const int delay : kDelays)
      for (const double mass : {kLight, std::numeric_limits<double>::infinity()}) {
        SampledAxis axis = wall(estimate.bandwidth, delay);
        axis.port_mass = mass;
        const SampledLoop loop = designed(estimate.bandwidth, delay, mass);
        const double here = largest([&](double K) { return axis.stable(K, kCouplerDamping); });
        const double there = largest(
            [&](double K) { return control::spectral_radius(loop, K, kCouplerDamping) < 1.0 + 1e-9; });
        same.add(here / there, 1.0, 1e-4);  // two bisections, and eigenvalues that are 1 but for rounding
      }
  return same;
}

/// [kg] At a port that the simulation moves at 30 Hz, with which the coupler's gains are half of what is
/// stable.
double light_port(double bandwidth, int delay) {
  double low = 0.01, high = kLight;
  while (high / low > 1.0 + 1e-4) {
    const double middle = std::sqrt(low * high);
    (margin(coupler(bandwidth, delay, 30.0, middle), kCouplerChosen, kCouplerDamping) < 2.0 ? low : high) =
        middle;
  }
  return low;
}

/// [1] Steps from end to end: the dead band in which nothing is seen, and one to either side, for what
/// harmonics and the time between samples leave. (Plain differences leave 3.3, where the border lies near
/// half of the rate.)
constexpr double kRest = 3.0;
/// [1] Of the steps: what is left of pushes at half of the gains with which the loop is at its border.
double rest_at_half(const SampledAxis& axis) {
  const double k = largest([&](double x) { return axis.stable(x, kPenaltyDamping); });
  SampledAxis stepped = axis;
  stepped.step = kStep;
  double most = 0.0;
  for (const double speed : {1e-3, 3.7e-3, 2e-2})
    most = larger(most, stepped.swing(0.5 * k, 0.5 * kPenaltyDamping, speed) / kStep);
  return most;
}
bool swings_up(const SampledAxis& axis) {
  const double k = largest([&](double x) { return axis.stable(x, kPenaltyDamping); });
  SampledAxis stepped = axis;
  stepped.step = kStep;
  constexpr double kBeyond = 1.05, kManySteps = 1e3;
  return stepped.swing(kBeyond * k, kPenaltyDamping, 2e-2) > kManySteps * kStep;
}

/// Both controllers, by how late forces are and how the velocity is estimated.
std::string by_lateness(Statements& statements) {
  std::string table =
      "one device, 1 kg at 512 Hz with encoders of 10 um; the coupler's simulation at 30 Hz, 1 kg at the "
      "port\n"
      "margin: with how many times the paper's gains (200/50, 50/3) it is stable; passive: with how much "
      "damping of the device no hand gains from them\n"
      "                        penalties [1/s^2, 1/s]                               coupler [N/m, N s/m]\n"
      "  velocity       late   b_j most  k_j at 50   k_j most (b_j)  margin  passive   B most  K at 3   K "
      "most (B)  margin  passive\n";
  double until_8 = INFINITY, at_16 = 0.0, coupler_margin = INFINITY, ratio = INFINITY, rest = 0.0,
         light_low = INFINITY, light_high = 0.0;
  double passive_least = INFINITY, passive_coupler = 0.0;
  std::array<double, 2> third{};
  bool falls = true, ups = true;
  for (const Estimate& estimate : kEstimates) {
    double before = INFINITY;
    for (const int delay : kDelays) {
      const double w = estimate.bandwidth;
      const Ends penalty = penalties(w, delay), spring = coupler(w, delay, 30.0, kLight);
      constexpr double kNone = 1e-3;  // [1/s^2], [N/m]
      const double b = largest([&](double x) { return penalty(kNone, x); });
      const double k = largest([&](double x) { return penalty(x, kPenaltyDamping); });
      const double B = largest([&](double x) { return spring(kNone, x); });
      const double K = largest([&](double x) { return spring(x, kCouplerDamping); });
      const Best k_best = stiffest(penalty), K_best = stiffest(spring);
      const double own = margin(penalty, kPenaltyChosen, kPenaltyDamping),
                   its = margin(spring, kCouplerChosen, kCouplerDamping);
      const SampledLoop loop = designed(w, delay);
      const double b_passive = control::required_damping(loop, kPenaltyChosen, kPenaltyDamping),
                   B_passive = control::required_damping(loop, kCouplerChosen, kCouplerDamping);
      table += fmt::format(
          "{:>12} {:5.1f} ms {:9.1f} {:10.0f} {:10.0f} ({:3.0f}) {:7.2f} {:8.1f} {:8.1f} {:7.0f} {:6.0f} "
          "({:3.0f}) {:7.2f} {:8.2f}\n",
          estimate.name, 1e3 * delay / kRate, b, k, k_best.K, k_best.B, own, b_passive, B, K, K_best.K,
          K_best.B, its, B_passive);
      falls = falls && k < before;
      before = k;
      if (delay < 8)
        until_8 = smaller(until_8, own);
      else
        at_16 = larger(at_16, own);
      third = {k / kPenaltyChosen, K / kCouplerChosen};  // the last row's
      coupler_margin = smaller(coupler_margin, its);
      ratio = smaller(ratio, kDeviceMass * k_best.K / K_best.K);
      passive_least = smaller(passive_least, b_passive);
      passive_coupler = larger(passive_coupler, B_passive);
      const double light = light_port(w, delay);
      light_low = smaller(light_low, light);
      light_high = larger(light_high, light);
      if (w > 0.0) rest = larger(rest, rest_at_half(wall(w, delay)));
      ups = ups && swings_up(wall(w, delay));
    }
  }
  table +=
      "\n  of one step of the encoders a motor gives at once     penalties (50 1/s)    coupler (3 N s/m)\n";
  for (const Estimate& estimate : kEstimates)
    table += fmt::format("{:>48} {:21.3f} N {:17.3f} N\n", estimate.name,
                         kDeviceMass * kPenaltyDamping * estimate.of_a_step(),
                         kCouplerDamping * estimate.of_a_step());
  statements.judge(falls, "lateness costs stiffness", "k_j at 50 1/s falls with it by every estimate",
                   "that");
  constexpr double kHalf = 2.0, kHalfOff = 0.05;
  statements.judge(until_8 > kHalf * (1.0 - kHalfOff) && at_16 < kHalf && at_16 > 1.0,
                   "200 1/s^2, 50 1/s: half of what is stable with forces 8 to 16 ms late",
                   fmt::format("{:.2f} times and more up to 7.8 ms, up to {:.2f} at 15.6 ms", until_8, at_16),
                   "2 within 5 % and more; less than 2, and stable");
  constexpr double kAlike = 0.2;
  statements.judge(
      third[0] > 2.5 && std::fabs(third[1] / third[0] - 1.0) < kAlike,
      "200 1/s^2 at 50 1/s and 50 N/m at 3 N s/m: one choice where forces come 16 ms late through 30 Hz",
      fmt::format("the borders there are {:.1f} and {:.1f} times as stiff", third[0], third[1]),
      "more than 2.5 times, and within a fifth of each other");
  // A port that the simulation moves bears B < 2 m_P/(n T): for twice the coupler's damper that is m_P = B n
  // T.
  const double lightest = kCouplerDamping * std::lround(kRate / 30.0) / kRate;
  statements.judge(coupler_margin > 5.0 * kHalf && light_low > lightest * (1.0 - kHalfOff) &&
                       light_high < lightest * (1.0 + 2.0 * kHalfOff),
                   "50 N/m and 3 N s/m together are half of no border of this device",
                   fmt::format("{:.1f} times and more; 2 times only with {:.3f} to {:.3f} kg at the port",
                               coupler_margin, light_low, light_high),
                   fmt::format("more than 10 times; B n T = {:.3f} kg by 5 % less to 10 % more (its spring). "
                               "The chain's distal link has 6 kg",
                               lightest));
  constexpr double kDamped = 4.0;  // [N s/m] of simulated:planar
  statements.judge(
      passive_coupler < kDamped && passive_least > kDamped,
      "a device's own damping bears the coupler's gains before every hand, and not the penalties'",
      fmt::format("up to {:.2f} N s/m; {:.1f} N s/m and more", passive_coupler, passive_least),
      "less and more than 4 N s/m, as simulated:planar has");
  statements.judge(ratio > 1.0, "penalties stiffer than the coupler at 30 Hz, each with its own best damping",
                   fmt::format("{:.3f} times and more, in every row", ratio), "more than once");
  statements.judge(rest <= kRest && ups,
                   "steps of the encoders: running loops through 100 Hz and 30 Hz rest at half of the "
                   "border's gains, all swing up 5 % beyond it",
                   fmt::format("{:.2f} steps from end to end", rest),
                   "the dead band and a step to either side of it");
  return table;
}

/// Both controllers, by the simulation's rate.
std::string by_simulation_rate(Statements& statements) {
  constexpr int kLate = 2;
  constexpr double kPoles = 188.0, kMore = 1.01, kFast = 125.0;
  const Ends penalty = penalties(kPoles, kLate);
  const Best best = stiffest(penalty);
  const double at_3 = largest([&](double x) { return penalty(x, kCouplerDamping); }),
               at_50 = largest([&](double x) { return penalty(x, kPenaltyDamping); });
  std::string table = fmt::format(
      "\nby the simulation's rate, forces {:.1f} ms late, velocities through 30 Hz: stiffness in N/m for the "
      "device of 1 kg\n"
      "              each with its own best damping      at 3 N s/m                             as chosen\n"
      "  rate [Hz]   penalties  coupler, 1 kg    6 kg    penalties  coupler, 1 kg    6 kg       penalties at "
      "50  coupler at 3\n",
      1e3 * kLate / kRate);
  std::string stiffer, equal;
  bool never_softer = true, slow = true, same_damping = true, chosen = true;
  for (const double rate : kSimulationRates) {
    std::array<double, 2> most{}, same{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Ends spring = coupler(kPoles, kLate, rate, i == 0 ? kLight : kChain);
      most[i] = stiffest(spring).K;
      same[i] = largest([&](double x) { return spring(x, kCouplerDamping); });
      never_softer = never_softer && best.K * kMore >= most[i];
      same_damping = same_damping && same[i] < kMore * at_3 && (rate < kFast || same[i] > at_3 / kMore);
      chosen = chosen && at_50 > 2.0 * same[i];
    }
    const bool by_port = best.K > kMore * most[0];
    if (rate <= 30.0) slow = slow && by_port && best.K > kMore * most[1];
    std::string& list = by_port ? stiffer : equal;
    list += fmt::format("{}{:g}", list.empty() ? "" : ", ", rate);
    table += fmt::format("{:11.0f} {:11.0f} {:14.0f} {:7.0f} {:12.0f} {:14.0f} {:7.0f} {:21.0f} {:13.0f}\n",
                         rate, best.K, most[0], most[1], at_3, same[0], same[1], at_50, same[0]);
  }
  statements.judge(never_softer && slow,
                   "penalties are nowhere softer than a coupler with its own best damping, and stiffer where "
                   "the simulation is slow",
                   fmt::format("stiffer at {} Hz, as stiff at {} Hz", stiffer, equal),
                   "nowhere softer by 1 %; stiffer at 30 Hz before 1 kg and before 6 kg");
  statements.judge(same_damping,
                   "with the coupler's 3 N s/m for both, penalties are nowhere softer; from 125 Hz on both "
                   "have the resisted direction's border",
                   fmt::format("{:.0f} N/m", at_3), "within 1 %");
  statements.judge(chosen, "with the dampings that were chosen penalties can be stiffer at every rate",
                   fmt::format("{:.0f} N/m at 50 N s/m, {:.1f} times", at_50, at_50 / at_3),
                   "more than twice");
  return table;
}

Result borders(const Context&) {
  Statements statements;
  SampledAxis known = wall(0.0, 0);
  known.velocity_is_known = true;
  const double b_most = largest([&](double b) { return known.stable(1e-6, b); });
  const double k_most = largest([&](double k) { return known.stable(k, kPenaltyDamping); });
  Deviation ideal;
  ideal.add(b_most, 2.0 * kRate, 0.02 * 2.0 * kRate);
  ideal.add(k_most, 2.0 * kPenaltyDamping * kRate, 0.02 * 2.0 * kPenaltyDamping * kRate);
  statements.judge(all_within(ideal), "without delay, velocities known: b_j < 2/T and k_j < 2 b_j/T",
                   fmt::format("{:.1f} 1/s, and {:.0f} 1/s^2 at 50 1/s", b_most, k_most),
                   "1024 1/s and 51,200 1/s^2 within 2 %");
  const Deviation same = against_design();
  statements.judge(all_within(same), "the same borders by another map (control/coupler_design.h)",
                   same.to_string(), "1e-4 of each");

  std::string table = by_lateness(statements);
  table += by_simulation_rate(statements);
  return {
      "section VII: \"stiffer joint constraints\" can be imposed than by virtual coupling; 200 1/s^2, 50 1/s "
      "and 50 N/m, 3 N s/m were used",
      fmt::format("b_j below {:.0f} 1/s, k_j below {:.0f} 1/s^2 with nothing late. For one device, each with "
                  "its own best "
                  "damping, penalties are stiffer where the simulation has 30 or 60 Hz, and as stiff from "
                  "125 Hz on: the resisted "
                  "direction, in which both act, is then the border of both",
                  b_most, k_most),
      closed_form(statements.all(),
                  "2/T and 2 b_j/T within 2 %, another map of the same loop, and the statements below"),
      "no borders are printed. \"Stiffer at every rate\" is not so with the same damping or each with its "
      "own best one; it is with the dampings "
      "that were chosen, 50 1/s beside 3 N s/m. 50 1/s is half of what is stable with forces 8 to 16 ms "
      "late, by any estimate; where they are 16 ms late "
      "through poles of 30 Hz, both stiffnesses are a third of their borders. 3 N s/m is no border of this "
      "device: with it "
      "a device that damps 4 N s/m is passive before every hand, which with penalties none is",
      {},
      statements.table() + "\n" + table};
}

/// A designed coupler's neighbourhood: passive and stable, for a device and its rate.
Result map(const Context& context) {
  device::Specification s;
  for (const device::Specification& one : device::devices())
    if (one.name == "simulated:ideal") s = one;
  const double b = s.damping[1];
  Record record({"damping", "passive 1 kHz", "stable 1 kHz", "passive 2 ms late", "stable 2 ms late",
                 "passive 4 kHz", "stable 4 kHz"});
  Deviation closed;
  bool inside = true;
  for (double B = 0.0; B < b; B += 0.02 * b) {
    std::vector<double> row{B};
    for (const auto& [rate, delay] : {std::pair{1000.0, 0}, {1000.0, 2}, {4000.0, 0}}) {
      s.rate = rate;
      s.latency = delay / rate;
      s.velocity_bandwidth = 0.0;
      const SampledLoop wall = control::loop_of(s, 1, std::numeric_limits<double>::infinity());
      const double passive = largest([&](double K) { return control::required_damping(wall, K, B) <= b; });
      const double stable =
          largest([&](double K) { return control::spectral_radius(wall, K, B) < 1.0 + 1e-12; });
      if (delay == 0) closed.add(passive, 2.0 * (b - B) * rate, 2e-3 * 2.0 * b * rate);  // b > K T/2 + B
      inside = inside && passive <= stable * (1.0 + 1e-6);
      row.push_back(passive);
      row.push_back(stable);
    }
    record.add(row);
  }
  record.write_csv(context, "constantinescu2005-coupler-map.csv");
  record.write_svg(context, "constantinescu2005-coupler-map.svg",
                   "A coupler in front of a wall: passive and stable up to",
                   {{"stiffness at 1 kHz [N/m]",
                     {"passive 1 kHz", "stable 1 kHz", "passive 2 ms late", "stable 2 ms late"}},
                    {"stiffness at 4 kHz [N/m]", {"passive 4 kHz", "stable 4 kHz"}}},
                   {}, "coupler's damping [N s/m]");
  return {"the virtual coupler in front of a wall: stiffness and damping against rate and delay",
          fmt::format("passive up to 2 (b - B)/T: {}; never beyond the stable border", closed.to_string()),
          closed_form(all_within(closed) && inside, "Colgate's condition, K < 2 (b - B)/T, within 0.2 %"),
          "nothing of it is printed. Required: Colgate's condition in closed form within 0.2 % where nothing "
          "is late, and passive within stable "
          "everywhere. Running loops meet the stable border within 2 % (tests/display/stability_test.cpp); "
          "beyond the passive one random hands gain "
          "energy (tests/display/random_passivity_test.cpp)",
          {"constantinescu2005-coupler-map.csv", "constantinescu2005-coupler-map.svg"}};
}

}  // namespace

std::vector<study::Case> stability_cases() {
  return {{"stability", "borders of penalties and couplers", borders},
          {"coupler-map", "stiffness and damping of a coupler", map}};
}

}  // namespace tactus::studies::constantinescu
