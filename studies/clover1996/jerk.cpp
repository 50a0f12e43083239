// Chapter II, (17): the index that the slew (18)-(20) makes least.
#include <cmath>
#include <numbers>

#include <studies/clover1996/slew.h>
#include <studies/compare.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;

constexpr double kDuration = 1.5, kTurn = 2.0 * std::numbers::pi;

/// A variation that keeps place, rate and acceleration at both ends, x^4 (1 - x)^4 over x = t/T, and its third derivative.
double variation(double x) { return std::pow(x * (1.0 - x), 4); }
double variation_jerk(double x) {
  // x^4 - 4 x^5 + 6 x^6 - 4 x^7 + x^8, derived three times
  return (24.0 * x - 240.0 * x * x + 720.0 * x * x * x - 840.0 * std::pow(x, 4) + 336.0 * std::pow(x, 5)) /
         std::pow(kDuration, 3);
}
double slew_jerk(double x) { return kTurn / std::pow(kDuration, 3) * (60.0 - 360.0 * x + 360.0 * x * x); }

/// Simpson's rule over the slew.
template <class F>
double integral(const F& f) {
  constexpr int kParts = 2000;
  double sum = 0.0;
  for (int k = 0; k <= kParts; ++k)
    sum += (k == 0 || k == kParts ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * f(static_cast<double>(k) / kParts);
  return sum * kDuration / kParts / 3.0;
}

Result jerk(const Context&) {
  // The slope of each index along the variation: zero where it is least. By (17) as it stands there, the square of q; by the jerk's.
  const double by_place =
      integral([](double x) { return 2.0 * tactus::clover::slew(kDuration * x).q[0] * variation(x); });
  const double by_jerk = integral([](double x) { return 2.0 * slew_jerk(x) * variation_jerk(x); });
  const double index = integral([](double x) { return slew_jerk(x) * slew_jerk(x); }),
               more = integral([](double x) { return variation_jerk(x) * variation_jerk(x); });
  Deviation d;
  d.add(by_jerk, 0.0, 1e-8 * more);
  const double closed = 720.0 * kTurn * kTurn / std::pow(kDuration, 5);
  d.add(index, closed, 1e-9 * closed);
  // The jerk used here is that of (20), by a difference.
  constexpr double kStep = 1e-4;
  for (const double x : {0.2, 0.5, 0.7}) {
    const double t = kDuration * x;
    d.add((tactus::clover::slew(t + kStep).udot[0] - tactus::clover::slew(t - kStep).udot[0]) / (2.0 * kStep),
          slew_jerk(x), 1e-5);
  }
  return {
      "(17): the index of the slew, the integral of q^2",
      fmt::format("the slew's integral of jerk^2 is {:.2f} rad^2/s^5, 720 q(T)^2/T^5, and a variation does "
                  "not change it in first order; that of q^2 it changes by {:.3g} rad^2 s; {}",
                  index, by_place, d.to_string()),
      corrected(all_within(d) && more > 0.0 && std::fabs(by_place) > 1e-3,
                "the first variation of (17) as it stands in our text and of the integral of the squared "
                "jerk, along (18)"),
      "(17) stands without its three dots in our text (a loss of the scan, perhaps): the slew makes the "
      "integral of the squared jerk least, as the text says in words",
      {}};
}

}  // namespace

std::vector<study::Case> jerk_cases() { return {{"ii-jerk", "the index of the slew", jerk}}; }

}  // namespace tactus::studies::clover
