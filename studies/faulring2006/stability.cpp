// How stiff a hand an admittance display bears: over virtual mass, damping, the servo's lag and delay. The sampled map is that of running loops
// (tests/display/stability_test.cpp); the paper says nothing of it.
#include <cmath>

#include <studies/compare.h>
#include <studies/record.h>
#include <tactus/control/coupler_design.h>

#include "cases.h"

namespace tactus::studies::faulring {

namespace {

using control::AdmittanceLoop;
using study::Context;
using study::Result;

constexpr double kMass = 0.25, kDamping = 1.0, kLag = 5e-3;  // the disk's, and a servo's of 200 rad/s
constexpr double kGrip = 300.0;                              // [N/m] a relaxed to firm hand

AdmittanceLoop at(double rate, double mass, double damping, double lag, int delay = 0) {
  return {1.0 / rate, delay, lag, mass, damping, 0.0};
}

/// The value between low and high at which the continuous border is the grip, which it crosses once.
template <class Border>
double where_grip(double low, double high, const Border& border) {
  const bool rises = border(low) < border(high);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    ((border(middle) < kGrip) == rises ? low : high) = middle;
  }
  return low;
}

Result stability(const Context& context) {
  Record record({"mass", "continuous", "at 10 kHz", "at 1 kHz", "1 kHz, 2 ms late", "4 N s/m at 1 kHz",
                 "lag 1 ms at 1 kHz"});
  Deviation sampled;
  std::string table = "   mass [kg]   continuous [N/m]   10 kHz   1 kHz   2 ms late   4 N s/m   lag 1 ms\n";
  for (double mass = 0.05; mass < 12.0; mass *= 1.25) {
    const double continuous = control::continuous_hand_border(at(1e4, mass, kDamping, kLag));
    const double fast = control::sampled_hand_border(at(1e4, mass, kDamping, kLag));
    sampled.add(fast / continuous, 1.0, 0.05);
    const std::vector<double> row{mass,
                                  continuous,
                                  fast,
                                  control::sampled_hand_border(at(1e3, mass, kDamping, kLag)),
                                  control::sampled_hand_border(at(1e3, mass, kDamping, kLag, 2)),
                                  control::sampled_hand_border(at(1e3, mass, 4.0, kLag)),
                                  control::sampled_hand_border(at(1e3, mass, kDamping, 1e-3))};
    record.add(row);
    table += fmt::format("{:12.3g} {:18.4g} {:8.4g} {:7.4g} {:11.4g} {:9.4g} {:10.4g}\n", row[0], row[1],
                         row[2], row[3], row[4], row[5], row[6]);
  }
  record.write_svg(context, "faulring2006-stability.svg",
                   "The stiffest hand that an admittance display bears",
                   {{"hand's stiffness [N/m]", {"continuous", "at 10 kHz", "at 1 kHz", "1 kHz, 2 ms late"}},
                    {"hand's stiffness [N/m]", {"4 N s/m at 1 kHz", "lag 1 ms at 1 kHz"}}},
                   {}, "virtual mass [kg]");
  const double disk = control::continuous_hand_border(at(1e4, kMass, kDamping, kLag));
  const double damping = where_grip(
      0.1, 20.0, [](double b) { return control::continuous_hand_border(at(1e4, kMass, b, kLag)); });
  const double lag = where_grip(
      1e-4, 0.1, [](double tau) { return control::continuous_hand_border(at(1e4, kMass, kDamping, tau)); });
  return {
      "IV-A: a disk of 0.25 kg and 1 N s/m is rendered to a hand; of the hand and the servo nothing is said",
      fmt::format("with a servo of 5 ms the hand may have {:.0f} N/m; a grip of {:g} N/m asks for a lag "
                  "below {:.2f} ms, or for {:.2f} N s/m "
                  "({})",
                  disk, kGrip, 1e3 * lag, damping, sampled.to_string()),
      not_reproducible(
          all_within(sampled) &&
              std::fabs(disk / (kDamping * (kMass + kDamping * kLag) / (kMass * kLag)) - 1.0) < 1e-9,
          "the border b (m + b tau)/(m tau) of the hand's stiffness: the sampled one at 10 kHz within 5 % of "
          "it"),
      "the border is k_h = b (m + b tau)/(m tau); required: the sampled one at 10 kHz within 5 % of it "
      "for all masses. What the paper had is "
      "not said, and a servo of 5 ms does not bear a firm grip: a servo faster than this, feed-forward "
      "(which takes the lag away but for that of the "
      "drive), or a soft and damping hand",
      {"faulring2006-stability.svg"},
      table};
}

}  // namespace

std::vector<study::Case> stability_cases() {
  return {{"stability", "the stiffest hand that the display bears", stability}};
}

}  // namespace tactus::studies::faulring
