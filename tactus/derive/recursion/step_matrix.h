// Sums of the derivatives of inverse dynamics by recursion, each element one dot:
//
//   J = m M + c C + k K E,      M = d tau/d udot, C = d tau/d u, K = d tau/d place (derivatives.h)
//
// with weights m, c, k of the caller's: the matrix of an implicit step is such a sum (linear/midpoint_terms.h). M, C and K are made of the same
// efforts; what they multiply can be summed first, once for each speed:
//
//   J_jk = Y(xi_j) . (m xi_k + c phi_k + k psi'_k) + b(xi_j) . (c xi_k,w + k psi_k,w)      k on the way from the ground to j, or of the same link
//   J_jk = xi_j . (m Y(xi_k) + c (Y(phi_k) + B(xi_k,w)) + k (Y(psi'_k) + B(psi_k,w) + xi_k x* F))      j on the way from the ground to k
//
// so that J costs little more than M alone. E says what a change of the speeds does to the place: one, but for the speeds of joints with a quaternion.
#pragma once

#include <array>
#include <utility>

#include <tactus/derive/recursion/derivatives.h>

namespace tactus::derive {

/// E of a joint with a quaternion: of turns on the place's turn and shift, and of shifts on its shift.
template <class S>
struct PlaceChange {
  Mat3<S> turn, shift_by_turn, shift;
};
/// Column k of it, in terms of the link's speeds.
template <class S>
std::array<S, 6> column_of(const PlaceChange<S>& E, int k) {
  std::array<S, 6> column{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto l = static_cast<std::size_t>(k);
    if (k < 3) column[a] = E.turn(a, l);
    column[3 + a] = k < 3 ? E.shift_by_turn(a, l) : E.shift(a, l - 3);
  }
  return column;
}

/// What the elements of a speed's row and column are dots of.
template <class S>
struct StepTerms {
  Twist<S> effort;  // Y(xi)
  Vec3<S> back;     // b(xi)
  Twist<S> along;   // m xi + c phi + k psi'
  Vec3<S> turning;  // c xi,w + k psi,w
  Twist<S> within;  // effort and its changes, for speeds below
};

/// Weights of M, C and K.
template <class S>
struct DerivativeWeights {
  S mass, speed, place;  // m, c, k
};

/// set(row, column, element) of every element that the tree does not make zero. `changes` [links]: E of those with a quaternion.
/// position() must have run, on expressions group_angles() too.
template <class S, class Set>
void step_matrix(const Tree<S>& tree, const S* u, const S* ud, const DerivativeWeights<S>& weights,
                 const std::vector<PlaceChange<S>>& changes, const Motion<S>& motion, DerivativeMotion<S>& d,
                 const Set& set) {
  derivative_motion(tree, u, ud, motion, d);
  const auto& [m, c, k_place] = weights;
  std::vector<StepTerms<S>> all(static_cast<std::size_t>(tree.nv));
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    const int count = speed_count(link.kind);
    std::array<Twist<S>, 6> psi2, by_q;  // along the speeds, then along what they do to the middle
    std::array<Vec3<S>, 6> chi;
    std::array<SpeedTerms<S>, 6> own;
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(link.v + k), l = static_cast<std::size_t>(k);
      own[l] = speed_terms(link, d, i, at);
      psi2[l] = d.psi2[at];
      chi[l] = d.chi[at].w;
      by_q[l] = own[l].by_q;
    }
    if (count > 1) {
      const auto psi2_before = psi2, by_q_before = by_q;
      const auto chi_before = chi;
      for (int k = 0; k < count; ++k) {
        const std::array<S, 6> E = column_of(changes[static_cast<std::size_t>(i)], k);
        const auto to = static_cast<std::size_t>(k);
        psi2[to] = by_q[to] = Twist<S>{};
        chi[to] = Vec3<S>::zero();
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) {
          psi2[to] = psi2[to] + E[l] * psi2_before[l];
          by_q[to] = by_q[to] + E[l] * by_q_before[l];
          chi[to] = chi[to] + E[l] * chi_before[l];
        }
      }
    }
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(link.v + k), l = static_cast<std::size_t>(k);
      StepTerms<S>& terms = all[at];
      terms.effort = own[l].effort;
      terms.back = own[l].back;
      terms.along = m * d.xi[at] + c * d.phi[at] + k_place * psi2[l];
      terms.turning = c * d.xi[at].w + (S(0.5) * k_place) * chi[l];
      terms.within = m * own[l].effort + c * own[l].by_u + k_place * by_q[l];
    }
  }
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const int row = link.v + k;
      const StepTerms<S>& outer = all[static_cast<std::size_t>(row)];
      for (int a = i; a >= 0; a = is_root(tree, a) ? -1 : tree.links[a].parent) {
        const Link<S>& to = tree.links[a];
        for (int l = 0; l < speed_count(to.kind); ++l) {
          const int column = to.v + l;
          const auto at = static_cast<std::size_t>(column);
          S element = pairing(outer.effort, all[at].along, outer.back, all[at].turning);
          if (column == row) element = element + m * link.armature[static_cast<std::size_t>(k)];
          set(row, column, element);
          if (a != i) set(column, row, pairing(d.xi[at], outer.within));
        }
      }
    }
  }
}

}  // namespace tactus::derive
