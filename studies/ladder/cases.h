// IFToMM benchmark A02: ladders of parallelogram linkages, which lie on one line twice a turn.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::ladder {

/// 1, 2, 10 and 40 loops: tables of convergence through the singular positions.
std::vector<study::Case> convergence_cases();

}  // namespace tactus::studies::ladder
