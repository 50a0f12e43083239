// Words of frames written out in coordinates and joint rates, in the model's own graph: for what must be known while a file
// is read. (Equations take them from their own recursions, with fewer operations: derive/tree/formulas.h.)
//
//   X_WB = X_WP X_PJ X_JF(q) X_FB,    v = dp/dt,    w = 1/2 sum_k e_k x de_k/dt,   e_k the columns of R
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
  Pose pose_of(int body) const;

  const Model& model_;
};

/// The coordinates' symbols in the current graph and their rates in the symbols of the joint rates, quaternions included.
struct MovingCoordinates {
  explicit MovingCoordinates(const Model& model);
  std::vector<Expr> q, rates;
};

}  // namespace tactus::describe
