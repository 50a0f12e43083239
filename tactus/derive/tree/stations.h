// Frames fixed in bodies, as the loads and the constraints need them: where they are and how they move in the
// world.
#pragma once

#include <vector>

#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>

namespace tactus::derive {

using algebra::Expr;

/// World components of a vector given in link axes, and back. Link -1 is the ground.
Vec3<Expr> to_world(const Tree<Expr>& tree, const Motion<Expr>& motion, int link, Vec3<Expr> v);
Vec3<Expr> from_world(const Tree<Expr>& tree, const Motion<Expr>& motion, int link, const Vec3<Expr>& v);

/// A frame fixed in a body: its link, and its pose and velocity in the world.
struct Station {
  int link = -1;
  Vec3<Expr> p_LF;  // in link axes
  Mat3<Expr> R_WF;
  Vec3<Expr> p_WF;
  Vec3<Expr> w, v;  // world axes
};

class Stations {
 public:
  /// position() and group_angles() must have run on `motion`; without rates all velocities are zero.
  Stations(const Tree<Expr>& tree, const Motion<Expr>& motion, const std::vector<Expr>& rates);

  Station at(int body, const Pose<Expr>& X_BF) const;

  /// The wrench (torque, force at the station's point, world axes) as one on its link.
  void apply(const Station& s, const Vec3<Expr>& torque, const Vec3<Expr>& force,
             std::vector<OutsideWrench<Expr>>& wrenches) const;

 private:
  const Tree<Expr>& tree_;
  Motion<Expr> motion_;
  std::vector<Pose<Expr>> poses_;
};

}  // namespace tactus::derive
