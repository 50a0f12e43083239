// Words of frames written out in coordinates and joint rates, in the model's own graph: for what must be known while a file
// is read. (Equations take them from their own recursions, with fewer operations: derive/tree/formulas.h.)
//
// From frame A to the next one B, all in a frame's own axes: X_WB = X_WA X_AB, and
//
//   w_B = R_AB^T w_A + (what the joint turns by),    v_B = R_AB^T (v_A + w_A x p_AB) + (what it slides by)
#pragma once

#include <span>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

class FrameKinematics {
 public:
  /// The model's tree and frames must be complete; its graph must be the current one.
  explicit FrameKinematics(const Model& model) : model_(model) {}

  /// The formulas with every word of a frame replaced: in the coordinates, "<coordinate>_dot" or the speeds of a
  /// quaternion's joint, and parameters.
  std::vector<Expr> expand(std::span<const Expr> formulas) const;
  Expr expand(Expr formula) const { return expand(std::span(&formula, 1)).front(); }

 private:
  const Model& model_;
};

}  // namespace tactus::describe
