// Model-level simplification: another tree with the same equations of motion and fewer operations in them.
//
// Five exact steps, each useful because zeros fold away in the recursions afterwards:
//   turn     A link's frame is turned about its own z so that the next placement becomes a single rotation
//            about x (the twist); a joint whose axis points against its parent's is counted the other way
//            round. After this, parallel axes are visible: R_PJ is the identity.
//   slide    A revolute link's frame is slid along its own z so that offsets of the next placement vanish.
//   regroup  Base inertial parameters: mass that lies on a revolute axis (m, h_z, Sigma_zz) moves with both
//            neighbours, so it is counted to the parent; of a prismatic link, Sigma turns with the parent and
//            is counted there. What arrives at the ground is dropped: it never moves.
//   rotors   A last link whose mass is symmetric about its axis looks the same at every angle: its mass is
//            counted to the parent and only its spin remains.
//   fold     Dust from the arithmetic of constants (1e-17 where a zero is meant) is removed.
// The kinetic energy and all joint forces stay the same; the potential energy changes by a constant.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/derive/tree/tree.h>

namespace tactus::derive {

void turn_frames(Tree<algebra::Expr>& tree);

/// Slides link i's frame by s along its z.
void slide_frame(Tree<algebra::Expr>& tree, int link, algebra::Expr s);

/// Base parameters and rotors. `loaded`: the links on which outside forces act; they keep their angle.
void regroup_inertia(Tree<algebra::Expr>& tree, const std::vector<bool>& loaded);

/// What a slide makes vanish: a component of the link's own offset, the z of a child's offset, or a product
/// of inertia.
struct SlideAim {
  enum class What { offset_x, offset_y, offset_z, child_offset, moment_xz, moment_yz };
  int link = 0;
  What what = What::offset_x;
  int child = -1;
};

/// All aims that a link's frame may have; some of them may be nothing to do.
std::vector<SlideAim> slide_aims(const Tree<algebra::Expr>& tree, int link);

/// How far to slide for that aim; nothing where it is met already or cannot be.
std::optional<algebra::Expr> slide_for(const Tree<algebra::Expr>& tree, const SlideAim& aim);

/// The search for the best slides: link by link, each aim judged by what `cost` counts of the regrouped tree
/// (usually the operations of its inverse dynamics). Frames must have been turned; the tree's numbers must be
/// constants. The aims found, not the lengths, can be repeated on a tree with symbolic parameters.
std::vector<SlideAim> choose_slides(Tree<algebra::Expr> tree, const std::vector<bool>& loaded,
                                    const std::function<int(const Tree<algebra::Expr>&)>& cost);

}  // namespace tactus::derive
