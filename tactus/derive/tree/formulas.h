// Users' formulas of the motion (constraints, definitions, laws of forces) in the graph of the equations.
#pragma once

#include <span>
#include <vector>

#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/speeds.h>
#include <tactus/derive/tree/stations.h>
#include <tactus/derive/tree/symbols.h>

namespace tactus::derive {

/// Formulas of the model's graph in the current one: parameters folded in or kept, words of frames
/// (describe/model/frame_word.h) by where the stations are and how they move, joint rates by the speeds.
std::vector<Expr> formulas_of_motion(const describe::Model& model, const Numbers& numbers,
                                     const Symbols& symbols, const SpeedMap& speeds, const Stations& stations,
                                     std::span<const Expr> formulas);

}  // namespace tactus::derive
