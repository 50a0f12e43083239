// Which forward dynamics for which tree: the measurement behind derive's choice.
#pragma once

#include "stopwatch.h"

namespace tactus::bench {

/// Prints, for planar and spatial chains and for legs on a base, ns per call of generated composite-body and
/// articulated-body code and of the looped articulated body, in hot and cold caches.
void measure_thresholds(const Effort& effort);

}  // namespace tactus::bench
