// Which speeds belong together: those of one tree, and of trees that definitions of speeds or constraints of
// the model join. M, the constraints' rows and the bodies' Jacobians have no entries outside the blocks, so
// that a scene of many bodies costs in proportion to their number.
#pragma once

#include <vector>

#include <tactus/derive/constraints/constraints.h>
#include <tactus/derive/tree/speeds.h>
#include <tactus/derive/tree/tree.h>

namespace tactus::derive {

struct SpeedBlocks {
  std::vector<SpeedBlock> blocks;             // in the order of their first speeds
  std::vector<int> block;                     // of each speed
  std::vector<int> place;                     // of each speed among those of its block
  std::vector<int> block_of_body;             // -1: fixed in the ground
  std::vector<std::vector<int>> rate_speeds;  // for each joint rate the speeds that its row of W has
};

SpeedBlocks speed_blocks(const Tree<Expr>& tree, const SpeedMap& speeds,
                         const ConstraintEquations& constraints);

}  // namespace tactus::derive
