// Constrained forward dynamics of planar mechanisms with closed loops: the four-bar linkage and ladders of
// them.
#pragma once

#include <vector>

#include "contender.h"
#include "report.h"

namespace tactus::bench {

/// models/four_bar.yaml, its crank all round, with random speeds and joint forces.
Mechanism four_bar();

/// models/four_bar_ladder.yaml with that many loops: the rods side by side at a random angle of 30 to 150
/// degrees, away from the singular line, with random speeds and joint forces.
Mechanism ladder(int loops);

/// Straight-line code, and the rank-revealing formulations.
std::vector<Contender> tactus_loop_contenders(const Mechanism& mechanism);

/// One row per system and mechanism, the ladders up to that length, checked first. False where results do not
/// agree.
bool measure_loops(int most_loops, const Effort& effort, Report& report);

}  // namespace tactus::bench
