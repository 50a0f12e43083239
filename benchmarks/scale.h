// How costs grow with the size of a mechanism.
#pragma once

#include <string>

namespace tactus::bench {

struct ScaleOptions {
  bool quick = false;       // no size above 100
  std::string only{};       // one family alone; "": all
  double time_limit = 120;  // [s] of processor time for one size
};

/// Prints, for chains, ladders of loops, trees and free bodies of 10 to 1,000 (chains: 10,000) parts, the time to derive, to compile, of a call, until a motion
/// can begin, of a step and of a recorded row, the most memory, and the exponents of their growth. Every size runs in a process of its own, which is
/// given up when the time limit is reached. False where there is no such family.
bool measure_scale(const ScaleOptions& options);

}  // namespace tactus::bench
