// What a step through a singular position costs.
#pragma once

namespace tactus::bench {

/// Ladders of 1, 2, 10 and 40 loops (quick: without the last) by all formulations: the dearest of 1,500 steps by the median.
void measure_singular(bool quick);

}  // namespace tactus::bench
