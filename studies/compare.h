// Comparing with what a paper prints.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <tactus/study/study.h>

namespace tactus::studies {

/// The larger and the smaller of both. What is not a number stays, unlike by std::max and std::min: a peak over
/// a run that has one is none, and no bound holds of it.
inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
inline double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

/// Of magnitudes; 0 where there are none.
inline double largest(std::span<const double> all) {
  double most = 0.0;
  for (const double x : all) most = larger(most, x);
  return most;
}

/// The largest deviation over many figures, and how many of them lie within a tolerance.
struct Deviation {
  double worst = 0.0;
  int within = 0;
  int count = 0;

  void add(double here, double published, double tolerance) {
    const double d = std::fabs(here - published);
    worst = std::isfinite(d) ? larger(worst, d) : INFINITY;
    within += d <= tolerance ? 1 : 0;
    ++count;
  }
  std::string to_string() const {
    return fmt::format("{} of {} within, largest deviation {:.2g}", within, count, worst);
  }
};

/// All of them are there and within.
inline bool all_within(const Deviation& d) { return d.count > 0 && d.within == d.count; }

inline study::Judgement judged(bool holds, study::Verdict verdict, std::string compared) {
  return {holds ? verdict : study::Verdict::failed, std::move(compared)};
}

/// Only numbers that are printed make this verdict, and only if every one of them comes out.
inline study::Judgement reproduced(const Deviation& printed, bool holds = true) {
  return judged(holds && all_within(printed), study::Verdict::reproduced,
                fmt::format("{} printed numbers", printed.count));
}

inline study::Judgement corrected(bool holds, std::string compared) {
  return judged(holds, study::Verdict::corrected, std::move(compared));
}

inline study::Judgement closed_form(bool holds, std::string compared) {
  return judged(holds, study::Verdict::closed_form, std::move(compared));
}

inline study::Judgement not_reproducible(bool holds, std::string required) {
  return judged(holds, study::Verdict::not_reproducible, std::move(required));
}

}  // namespace tactus::studies
