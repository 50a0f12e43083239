// Times contenders side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "contender.h"

namespace tactus::bench {

/// Nanoseconds per state: median and quartiles of the repetitions.
struct Measurement {
  double ns = 0.0, lower_quartile = 0.0, upper_quartile = 0.0;
  double allocations = 0.0;  // per call
};

struct Effort {
  int repetitions = 31;
  double seconds = 2e-3;  // of each repetition
};

/// All contenders in turn, then all again, and so on: what disturbs the machine disturbs them alike.
/// Processor time, so that waiting for a busy processor does not count.
std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Effort& effort);

/// Single calls, each after walking through memory larger than the caches: code, constants and data come from
/// afar, as in a loop that sleeps between its ticks. The clock's own time is taken off.
std::vector<Measurement> measure_cold(const std::vector<Contender>& contenders, int repetitions);

}  // namespace tactus::bench
