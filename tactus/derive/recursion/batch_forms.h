// Forms of functions that suit many states at once.
#pragma once

#include <tactus/derive/equations.h>

namespace tactus::derive {

/// Equations::mass_matrix() with each composite body's wrench carried down joint by joint, for trees up to 40 speeds deep. Dots in the
/// root's frame, which trees deeper than 24 get otherwise, pay where their elements share the lanes of one state; in a batch the lanes are
/// taken. Measured: a tenth to a fifth less time at a depth of 30 (docs/benchmarks.md).
Function mass_matrix_for_batches(const Equations& equations);

}  // namespace tactus::derive
