// The matrix of an implicit midpoint step by recursion, each element one dot:
//
//   J = M + c C + c^2 K E,      M = d tau/d udot, C = d tau/d u, K = d tau/d place (derivatives.h),   c = h/2
//
// is what M (u1 - u0) - h Q, taken at the middle of a step, changes by for a change of the speeds at its end: those in the middle change by
// half as much, and the place in the middle by c E times that. M, C and K are made of the same efforts; what they multiply can be summed
// first, once for each speed:
//
//   J_jk = Y(xi_j) . (xi_k + c phi_k + c^2 psi'_k) + b(xi_j) . (c xi_k,w + c^2 psi_k,w)      k on the way from the ground to j, or of the same link
//   J_jk = xi_j . (Y(xi_k) + c (Y(phi_k) + B(xi_k,w)) + c^2 (Y(psi'_k) + B(psi_k,w) + xi_k x* F))      j on the way from the ground to k
//
// so that J costs little more than M alone.
//
// E is one but for quaternions. The middle is q0 exp(phi) with phi = c w, and a change of w moves it by c D dw seen from there,
// D = dexp(-phi) (Coordinates). A free joint moves by c R(q) v, v in the axes of the body that turns meanwhile:
//
//   E = [ D  0 ]
//       [ -c v~ D  1 ]
#pragma once

#include <array>
#include <utility>

#include <tactus/derive/recursion/derivatives.h>

namespace tactus::derive {

/// [links] D of those with a quaternion.
template <class S>
using MidwayTurns = std::vector<Mat3<S>>;

/// E of one link: column k in terms of the link's speeds.
template <class S>
std::array<S, 6> midway_column(const Link<S>& link, const S* u, const S& c, const Mat3<S>& D, int k) {
  std::array<S, 6> column{};
  if (k >= 3) {
    column[static_cast<std::size_t>(k)] = S(1.0);
    return column;
  }
  const Vec3<S> turned = D.col(static_cast<std::size_t>(k));
  for (std::size_t a = 0; a < 3; ++a) column[a] = turned[a];
  if (link.kind != LinkKind::free) return column;
  const Vec3<S> v{u[link.v + 3], u[link.v + 4], u[link.v + 5]};
  const Vec3<S> moved = cross(v, turned);
  for (std::size_t a = 0; a < 3; ++a) column[3 + a] = -(c * moved[a]);
  return column;
}

/// What the elements of a speed's row and column are dots of.
template <class S>
struct StepTerms {
  Twist<S> effort;  // Y(xi)
  Vec3<S> back;     // b(xi)
  Twist<S> along;   // xi + c phi + c^2 psi'
  Vec3<S> turning;  // c xi,w + c^2 psi,w
  Twist<S> within;  // effort and its changes, for speeds below
};

/// set(row, column, element) of every element that the tree does not make zero. position() must have run, on expressions group_angles() too.
template <class S, class Set>
void step_matrix(const Tree<S>& tree, const S* u, const S* ud, const S& c, const MidwayTurns<S>& turns,
                 const Motion<S>& motion, DerivativeMotion<S>& d, const Set& set) {
  derivative_motion(tree, u, ud, motion, d);
  const S cc = c * c;
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
      const Mat3<S>& D = turns[static_cast<std::size_t>(i)];
      for (int k = 0; k < count; ++k) {
        const std::array<S, 6> E = midway_column(link, u, c, D, k);
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
      terms.along = d.xi[at] + c * d.phi[at] + cc * psi2[l];
      terms.turning = c * d.xi[at].w + (S(0.5) * cc) * chi[l];
      terms.within = own[l].effort + c * own[l].by_u + cc * by_q[l];
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
          if (column == row) element = element + link.armature[static_cast<std::size_t>(k)];
          set(row, column, element);
          if (a != i) set(column, row, pairing(d.xi[at], outer.within));
        }
      }
    }
  }
}

}  // namespace tactus::derive
