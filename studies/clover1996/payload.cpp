// Chapter III, IV-A: a payload that the law does not know. "The control system can be derived in terms of the maximum expected payload and continuous
// system stability and performance would not be negatively impacted when less payload is present"; and gamma > 1, by itself.
//
// With the arm's own C and K known and gamma M for M, pole placement leaves for each joint's pair of sum S and product P
//
//   s^2 - gamma S s + gamma P = 0
//
// which is stable for every gamma > 0. While its roots are a pair their real part is gamma S/2; once they are real, gamma >= 4 P/S^2, the slower one tends to P/S.
// It is never slower than at gamma = 1 where im^2 >= re^2, and half as fast in the end where im = 0.
#include <algorithm>
#include <array>
#include <cmath>

#include <studies/clover1996/tables.h>
#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/control/arm/robustness.h>
#include <tactus/control/arm/trial.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using control::ArmLaw;
using control::LawAnalysis;
using control::PolePair;
using study::Context;
using study::Result;

constexpr double kMost = 5.0;  // [kg]

LawAnalysis carrying(const Context& context, ArmLaw law, const PolePair& poles, double mass) {
  LawAnalysis analysis(control::with_payload(load(context, "puma560"), "tool", mass),
                       {law, {poles}, 0.002, false}, 0.002);
  const tactus::clover::Table& table = tactus::clover::kTables[2];
  analysis.at(0.0, table.q, table.qd, table.qdd);
  return analysis;
}

Result payload(const Context& context) {
  std::string table = fmt::format("largest real part of the closed loop [1/s]\n{:<12} {:<17} {:>8}", "poles",
                                  "law", "assumed");
  for (int kg = 0; kg <= 5; ++kg) table += fmt::format(" {:>8}", fmt::format("{} kg", kg));
  table += "\n";
  bool stable = true, exact = true;
  double slow = 0.0;                // of -4.5 +- 4.5j by pole placement, 5 kg assumed and none there
  double light = 0.0, heavy = 0.0;  // of -45 +- 45j by pole placement: the worst over the payloads
  for (const auto& [re, im] : {std::pair{-4.5, 4.5}, {-12.0, 45.0}, {-45.0, 45.0}})
    for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::computed_torque}) {
      std::array<std::optional<LawAnalysis>, 6> arms;
      for (int kg = 0; kg <= 5; ++kg)
        arms[static_cast<std::size_t>(kg)].emplace(carrying(context, law, PolePair::complex(re, im), kg));
      for (const double assumed : {0.0, kMost}) {
        const control::PoleGains gains = arms[static_cast<std::size_t>(assumed)]->gains({});
        table += fmt::format("{:<12} {:<17} {:>8}", fmt::format("{:g}+-{:g}j", re, im), name_of(law),
                             fmt::format("{:g} kg", assumed));
        for (int kg = 0; kg <= 5; ++kg) {
          const double own = control::stability(
              control::closed_loop_poles(arms[static_cast<std::size_t>(kg)]->arm(), gains));
          table += fmt::format(" {:>8.3f}", own);
          if (re == -4.5 && law == ArmLaw::pole_placement && assumed == kMost && kg == 0) slow = own;
          if (re == -45.0) {
            stable = stable && own < 0.0;
            if (law == ArmLaw::pole_placement) {
              double& worst = assumed == 0.0 ? light : heavy;
              worst = worst == 0.0 ? own : std::max(worst, own);
            }
          }
          // What is known is met: six equal pairs, whose rounding enters by its sixth root.
          if (law == ArmLaw::pole_placement && assumed == kg)
            exact = exact && std::abs(own - re) < 0.01 * std::abs(re);
        }
        table += "\n";
      }
    }
  return {"derived for the largest payload, stability and performance are not impaired by less",
          fmt::format("poles -45+-45j by pole placement, 0 to 5 kg: at most {:.2f} 1/s where none is "
                      "assumed, {:.2f} where 5 kg are; poles -4.5+-4.5j: {:+.2f}, "
                      "unstable, with 5 kg assumed and none there",
                      light, heavy, slow),
          corrected(stable && exact && heavy <= light && slow > 0.0,
                    "eigenvalues for six payloads, three sets of poles, two laws: the assumed payload meets "
                    "its poles; poles -45+-45j are stable with all, and better "
                    "so with the largest assumed"),
          "it holds for poles that are fast beside what C and K do, at this point (Table I, 10 rad/s) "
          "-45+-45j and -12+-45j. A payload changes C and K, too, which gamma > 1 "
          "leaves out: by slow poles the weight and the centrifugal forces of a load that is not there are "
          "the larger error",
          {},
          table};
}

Result gamma(const Context& context) {
  // The largest real part by the closed form, and by the eigenvalues of the loop.
  const auto slowest = [](const PolePair& poles, double g) {
    const double S = g * poles.sum, P = g * poles.product, square = 0.25 * S * S - P;
    return square < 0.0 ? 0.5 * S : P / (0.5 * S - std::sqrt(square));  // without cancellation
  };
  double apart = 0.0;
  bool never = true, less = true;
  for (const auto& [re, im] : {std::pair{-45.0, 45.0}, {-12.0, 45.0}, {-4.5, 4.5}, {-20.0, 5.0}}) {
    const PolePair poles = PolePair::complex(re, im);
    const LawAnalysis analysis = carrying(context, ArmLaw::pole_placement, poles, 0.0);
    bool slower = false;
    for (double g = 1.0; g < 1e3; g *= 1.17) {
      const double closed = slowest(poles, g);
      // Six equal pairs again.
      const double here = control::stability(analysis.poles({1.0, 1.0, g}, false)) / closed - 1.0;
      apart = !(std::abs(here) <= apart) ? std::abs(here) : apart;
      never = never && closed < 0.0;
      slower = slower || closed > re * (1.0 - 1e-12);
    }
    less = less && slower == (im * im < re * re);
  }
  return {"a larger modelled inertia leads to roots further in the left half plane",
          fmt::format("stable for every gamma, by s^2 - gamma S s + gamma P = 0, which the eigenvalues meet "
                      "to {:.1e}; never slower than at gamma = 1 where "
                      "im >= re; with poles -20+-5j slower, by up to {:.1f} %",
                      apart, 100.0 * (1.0 - (400.0 + 25.0) / 40.0 / 20.0)),
          corrected(never && less && apart < 0.02,
                    "the closed form of the roots for four sets of poles and gamma from 1 to 1000"),
          "gamma > 1 is never less stable in continuous time, but roots go further left only until they are "
          "real: the slower one then comes back, towards P/S",
          {}};
}

}  // namespace

std::vector<study::Case> payload_cases() {
  return {{"iii-payload", "an unknown payload, assumed none or the largest", payload},
          {"iii-gamma", "a modelled inertia that is too large", gamma}};
}

}  // namespace tactus::studies::clover
