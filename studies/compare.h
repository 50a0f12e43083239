// Comparing with what a paper prints.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <tactus/study/study.h>

namespace tactus::studies {

/// The largest deviation over many figures, and how many of them lie within a tolerance.
struct Deviation {
  double worst = 0.0;
  int within = 0;
  int count = 0;

  void add(double here, double published, double tolerance) {
    const double d = std::fabs(here - published);
    worst = std::isfinite(d) ? std::max(worst, d) : INFINITY;
    within += d <= tolerance ? 1 : 0;
    ++count;
  }
  std::string to_string() const {
    return fmt::format("{} of {} within, largest deviation {:.2g}", within, count, worst);
  }
};

/// Reproduced where the bound holds, failed otherwise.
inline study::Verdict judged(bool holds, study::Verdict verdict = study::Verdict::reproduced) {
  return holds ? verdict : study::Verdict::failed;
}

}  // namespace tactus::studies
