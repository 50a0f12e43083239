// How the adaptive integrators go from t to t + h: steps of their own choice, the last one ending exactly there.
// Nothing in it depends on how long h is: neither whether it succeeds nor, within the tolerance, what comes out.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

/// So many attempts in a row are looked at together.
inline constexpr int kWindow = 1000;
/// [s] Where they came less far than this each, on the mean, a force jumps again and again, as `sign(x)` does in a
/// motion that is held at x = 0: no step is small enough, and a second would take 10^9 attempts.
inline constexpr double kCrawl = 1e-9;
/// [s] The next kWindow steps then have at least this length, tolerance or not.
inline constexpr double kForcedStep = 1e-5;
/// The shortest step, relative to the time at which it starts: below it t + dt is no longer distinct enough
/// from t.
inline constexpr double kShortest = 1e-14;

/// The length of a first step for a method whose error goes with h^power, by the size of z and its first two
/// derivatives [Hairer1993, II.4]. Takes two slopes; f0 and f1 are memory of z's size.
double first_step(Chart& chart, double t, double most, std::span<const double> z, Tolerances tolerances,
                  double power, std::vector<double>& f0, std::vector<double>& f1, std::vector<double>& place);

/// Steps from t to t + h. `attempt(x, now, dt)` moves x and now and proposes the next dt, or only shortens
/// dt; `force(x, now, dt)` moves x in any case. The chart is settled after each step. `dt` > 0 remembers the step
/// between calls.
template <class Attempt, class Force>
Status step_adaptively(Chart& chart, double t, double h, std::span<double> z, std::vector<double>& x,
                       double& dt, const Attempt& attempt, const Force& force) {
  const double end = t + h;
  double now = t, window_start = t;
  int attempts = 0, forced = 0;
  bool missed = false;
  std::copy(z.begin(), z.end(), x.begin());
  while (now < end) {
    if (attempts == kWindow) {
      if (now - window_start < kWindow * kCrawl) forced = kWindow;
      attempts = 0;
      window_start = now;
    }
    const double wanted = forced > 0 ? std::max(dt, kForcedStep) : dt;
    const bool is_last = now + wanted >= end || end - (now + wanted) < kShortest * std::abs(end);
    double reach = is_last ? end - now : wanted;
    const bool whole = is_last && now == t;  // asked for so little: nothing to control
    const bool too_small = reach < kShortest * std::max(std::abs(now), std::abs(end));
    if (too_small && !whole && !is_last) return Status::step_too_small;
    if (forced > 0 || too_small) {
      force(x, now, reach);
      now += reach;
      missed = missed || forced > 0;
      forced -= forced > 0;
    } else {
      ++attempts;
      if (!attempt(x, now, reach)) {
        dt = reach;
        continue;
      }
      dt = is_last ? std::max(dt, reach) : reach;
    }
    if (is_last) now = end;
    std::copy(x.begin(), x.end(), z.begin());
    if (!std::all_of(z.begin(), z.end(), [](double value) { return std::isfinite(value); }))
      return Status::not_finite;
    if (const Status settled = chart.settle(now, z); !settled.ok()) return settled;
    std::copy(z.begin(), z.end(), x.begin());
  }
  return missed ? Status(Status::tolerance_missed) : Status();
}

}  // namespace tactus::simulate
