// Forms of functions that suit many states at once.
#pragma once

#include <tactus/derive/equations.h>

namespace tactus::derive {

/// Equations::mass_matrix() with each composite body's wrench carried down joint by joint, whatever the tree's depth. Dots in the root's
/// frame, which deep trees get otherwise, pay where their elements share the lanes of one state; in a batch the lanes are taken, and
/// there the values carried down live shorter. Measured: a tenth to a fifth less time (docs/benchmarks.md).
Function mass_matrix_for_batches(const Equations& equations);

}  // namespace tactus::derive
