// The momentum of trees that hang on nothing: kept to rounding, however long the simulation.
//
// Take a tree whose root joint on the world is free or spherical. In world axes its momentum P obeys a
// balance of its own, P' = outside wrench, in which the inner motions do not appear:
//
//   free root        P = [H_c; p]  angular momentum about the tree's mass centre, and linear momentum
//   spherical root   P = H_o       angular momentum about the joint's centre
//
// P = A(q) u is linear in the speeds, with a square block A_r for the root's own speeds u_r. An integrator
// that carries P along with q and u, and after each step moves u_r by
//
//   A_r du_r = P - A(q) u
//
// loses nothing of its order (du_r is of the size of its local error), and has no truncation error in P at
// all where nothing acts from outside: a free body's momentum is then constant to rounding, for ever.
//
// P' is the derivative of P(q, u) along qdot and udot. It equals the outside wrench, whatever the loads are
// made of, because qdot and udot solve the equations of motion.
//
// The mass centre needs no equations of its own: dp/dv = m R and dH_B/dv = m [c]x R for the root's linear
// speeds v, with H_B about the root body's origin, so [c]x = (dH_B/dv)(dp/dv)^T / m^2. The root's position
// drops out of P, which keeps its digits however far the body has flown.
#pragma once

#include <optional>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/derive/equations.h>

namespace tactus::simulate {

struct MomentumRoot {
  int speed = 0;              // first of the root's speeds
  int size = 0;               // 6 free, 3 spherical
  int offset = 0;             // first entry of P
  std::vector<int> speeds{};  // of the whole tree
};

struct MomentumFunctions {
  std::vector<MomentumRoot> roots;
  algebra::Function momentum;  // t q u -> P, then A_0, A_1, ... (one block per root)
  algebra::Function rate;      // t q u tau wrench udot -> P_rate
};

/// Nothing where no tree hangs on a free or spherical joint, or where the model defines its own speeds.
std::optional<MomentumFunctions> momentum_functions(const derive::Equations& equations);

}  // namespace tactus::simulate
