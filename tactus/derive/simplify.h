// Model-level simplification: another tree with the same equations of motion and fewer operations in them.
//
// Five exact steps, each useful because zeros fold away in the recursions afterwards:
//   turn    A link's frame is turned about its own z so that the next placement becomes a single rotation about x
//           (the twist); a joint whose axis points against its parent's is counted the other way round. After this,
//           parallel axes are visible: R_PJ is the identity.
//   slide   A revolute link's frame is slid along its own z so that offsets of the next placement vanish.
//   regroup Base inertial parameters: mass that lies on a revolute axis (m, h_z, Sigma_zz) moves with both neighbours,
//           so it is counted to the parent; of a prismatic link, Sigma turns with the parent and is counted there.
//           What arrives at the ground is dropped: it never moves.
//   rotors  A last link whose mass is symmetric about its axis looks the same at every angle: its mass is counted to the
//           parent and only its spin remains.
//   fold    Dust from the arithmetic of constants (1e-17 where a zero is meant) is removed.
// The kinetic energy and all joint forces stay the same; the potential energy changes by a constant.
#pragma once

#include <functional>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/derive/tree.h>

namespace tactus::derive {

void turn_frames(Tree<algebra::Expr>& tree);

/// Slides link i's frame by s along its z (prismatic links: along any vector of their own axes, see shift_frame).
void slide_frame(Tree<algebra::Expr>& tree, int link, algebra::Expr s);

/// Base parameters and rotors. `loaded`: the links on which outside forces act; they keep their angle.
void regroup_inertia(Tree<algebra::Expr>& tree, const std::vector<bool>& loaded);


/// Useful slides of link i, given the frames as they stand: each makes an offset or a product of inertia vanish.
std::vector<algebra::Expr> slide_candidates(const Tree<algebra::Expr>& tree, int link);

/// One slide of the search's choice.
struct Slide {
  int link = 0;
  double by = 0.0;
};

/// The search for the best slides: link by link, each candidate judged by what `cost` counts of the regrouped tree
/// (usually the operations of its inverse dynamics). Frames must have been turned; the numbers must be constants.
std::vector<Slide> choose_slides(Tree<algebra::Expr> tree, const std::vector<bool>& loaded,
                                 const std::function<int(const Tree<algebra::Expr>&)>& cost);

}  // namespace tactus::derive
