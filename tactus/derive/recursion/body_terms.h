// Pose, velocity, bias acceleration and Jacobian of bodies, in the speeds of their blocks: what contact rows
// are made of.
//
//   V_b = J_b u + (what does not depend on u),    d V_b / dt = J_b udot + a_b
//
// all of the body's origin, [angular; linear], world axes.
#pragma once

#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/tree/speed_blocks.h>

namespace tactus::derive {

class BodyTerms {
 public:
  /// position() and group_angles() must have run on `motion`.
  BodyTerms(const Tree<Expr>& tree, Motion<Expr> motion, const SpeedMap& speeds, const SpeedBlocks& blocks);

  /// Appends X_b, V_b, a_b and J_b.
  void append(int body, std::vector<algebra::Block>& outputs) const;

 private:
  std::vector<Expr> jacobian(int body, const Vec3<Expr>& p_W) const;

  const Tree<Expr>& tree_;
  const SpeedMap& speeds_;
  const SpeedBlocks& blocks_;
  Motion<Expr> motion_;
  std::vector<Pose<Expr>> X_WL_;
};

}  // namespace tactus::derive
