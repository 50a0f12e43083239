// Derivatives of inverse dynamics by recursion: M = d tau/d udot, C = d tau/d u and K = d tau/d q, each element in a fixed number of
// operations.
//
// All vectors of a tree are written in one frame, that of its root joint (of a root with a quaternion: the root link's own), so that
// what belongs to the bodies beyond a joint is a plain sum over them. Motions xi = (w, v) are fields v + w x r of that frame's space:
// V_b a body's velocity, A_b its spatial acceleration (the ground's is -g), xi_k the field of a unit of speed k. A body's particle at r
// accelerates with a(r) = A_b(r) + w_b x v_b(r), and the force that belongs to speed j is
//
//   tau_j = sum of bodies beyond j: integral of xi_j(r) . a(r) dm.
//
// Displacing speed k carries all bodies beyond its link, and their joints, rigidly along xi_k. Seen from them the link P below moves
// differently, dV_P = V_P x xi_k, and so
//
//   psi_k  = V_P x xi_k                        change of the velocity of every body beyond
//   psi'_k = A_P x xi_k + V_P x psi_k          change of A_b: psi'_k - V_b x psi_k
//   phi_k  = (V_P + V_i) x xi_k                the same for a unit of speed k itself: dV_b = xi_k, dA_b = phi_k - V_b x xi_k
//
// In the particle's acceleration the terms with V_b fold to a single one (Jacobi's identity):
//
//   da(r) by q_k:  psi'_k(r) + 2 psi_k,w x v_b(r),        by u_k:  phi_k(r) + 2 xi_k,w x v_b(r).
//
// With the composite body's second moments about the frame's origin, its momentum p and the moments G of its velocity,
//
//   G = integral of r v^T dm = h v^T - Sigma [w x],
//   Y(xi)  = (moment, force) of the field xi as an acceleration,
//   B(w)   = 2 ((trace(G) 1 - G^T) w,  w x p),       xi . B(w) = w . b(xi),  b(xi) = 2 (trace(G) z - G z + p x s),  xi = (z, s)
//
// all summed over the bodies beyond j or k, whichever is further out, the elements are
//
//   M_jk = Y(xi_j) . xi_k
//   C_jk = Y(xi_j) . phi_k  + b(xi_j) . xi_k,w          k on the way from the ground to j, or of the same link
//   K_jk = Y(xi_j) . psi'_k + b(xi_j) . psi_k,w
//   C_jk = xi_j . (Y(phi_k)  + B(xi_k,w))               j on the way from the ground to k
//   K_jk = xi_j . (Y(psi'_k) + B(psi_k,w) + xi_k x* F)  F: the force that the joint of k transmits
//
// The factors of two are spared where velocities are counted twice throughout: with W = 2 V, chi_k = 2 psi_k = W_P x xi_k (which is phi_k
// where a link has one speed), 2 p and 2 G there are none left in b and B,
//
//   psi'_k = A_P x xi_k + W_P x chi_k / 4,     K_jk = Y(xi_j) . psi'_k + (b(xi_j) / 2) . chi_k,w.
//
// In the last line of the elements F turns with the bodies while xi_j stays. q_k means a displacement along speed k; with quaternions, too. Compare
// [CarpentierMansard2018] and [SinghRussellWensing2022], who carry a matrix of six by six where G and p, twelve numbers, are enough.

#pragma once

#include <tactus/derive/recursion/root_frame.h>

namespace tactus::derive {

/// The mass of a body or of several, and how it moves, about the frame's origin.
template <class S>
struct MovingMass {
  MassMoments<S> mass;
  Vec3<S> p = Vec3<S>::zero();  // twice its momentum
  Mat3<S> G = Mat3<S>::zero();  // twice the moments of the velocity: integral of 2 r v^T dm
  Twist<S> F;                   // (moment, force) that its acceleration takes
};

/// sum + B(w).
template <class S>
Twist<S> plus_turned(const Twist<S>& sum, const MovingMass<S>& body, const Vec3<S>& w) {
  const Mat3<S>& G = body.G;
  const Vec3<S> n{sum.w.x + (G(1, 1) + G(2, 2)) * w.x - G(1, 0) * w.y - G(2, 0) * w.z,
                  sum.w.y + (G(0, 0) + G(2, 2)) * w.y - G(0, 1) * w.x - G(2, 1) * w.z,
                  sum.w.z + (G(0, 0) + G(1, 1)) * w.z - G(0, 2) * w.x - G(1, 2) * w.y};
  return {n, plus_cross(sum.v, w, body.p)};
}

/// B(w).
template <class S>
Twist<S> turned(const MovingMass<S>& body, const Vec3<S>& w) {
  const Mat3<S>& G = body.G;
  const Vec3<S> n{(G(1, 1) + G(2, 2)) * w.x - G(1, 0) * w.y - G(2, 0) * w.z,
                  (G(0, 0) + G(2, 2)) * w.y - G(0, 1) * w.x - G(2, 1) * w.z,
                  (G(0, 0) + G(1, 1)) * w.z - G(0, 2) * w.x - G(1, 2) * w.y};
  return {n, cross(w, body.p)};
}

/// b(xi).
template <class S>
Vec3<S> turned_back(const MovingMass<S>& body, const Twist<S>& xi) {
  const Mat3<S>& G = body.G;
  const Vec3<S>& z = xi.w;
  const Vec3<S> n{(G(1, 1) + G(2, 2)) * z.x - G(0, 1) * z.y - G(0, 2) * z.z,
                  (G(0, 0) + G(2, 2)) * z.y - G(1, 0) * z.x - G(1, 2) * z.z,
                  (G(0, 0) + G(1, 1)) * z.z - G(2, 0) * z.x - G(2, 1) * z.y};
  return plus_cross(n, body.p, xi.v);
}

/// Everything that the derivatives are made of, in the frames of the roots. Reused from call to call: sized once.
template <class S>
struct DerivativeMotion : RootFrame<S> {
  explicit DerivativeMotion(const Tree<S>& tree)
      : RootFrame<S>(tree),
        W(tree.links.size()),
        A(tree.links.size()),
        body(tree.links.size()),
        chi(static_cast<std::size_t>(tree.nv)),
        psi2(chi.size()),
        phi(chi.size()) {}

  std::vector<Twist<S>> W, A;            // W: twice the velocity
  std::vector<MovingMass<S>> body;       // own, then composite
  std::vector<Twist<S>> chi, psi2, phi;  // of each speed
};

/// The acceleration that is given to the ground, -g, in the axes of a link that is fixed in it (-1: its own).
template <class S>
Vec3<S> ground_acceleration(const Tree<S>& tree, const Motion<S>& motion, int i) {
  if (i < 0) return -tree.gravity;
  const Link<S>& link = tree.links[i];
  return to_link(link, motion, i, ground_acceleration(tree, motion, link.parent));
}

/// The same in the axes of a root's frame.
template <class S>
Vec3<S> root_acceleration(const Tree<S>& tree, const Motion<S>& motion, int root) {
  const Link<S>& link = tree.links[root];
  const Vec3<S> J = transpose_times(link.R_PJ, ground_acceleration(tree, motion, link.parent));
  const bool whole = link.kind == LinkKind::spherical || link.kind == LinkKind::free;
  return whole ? transpose_times(motion.R[root], J) : J;
}

/// The link's own mass, moving with W / 2 and A.
template <class S>
MovingMass<S> moving_mass(const Link<S>& link, const Pose<S>& X, const Twist<S>& W, const Twist<S>& A) {
  MovingMass<S> body;
  body.mass = placed_mass(link, X);
  const SecondMoments<S>& I = body.mass.sigma;
  const Vec3<S>&w = W.w, &v = W.v, &H = body.mass.h;
  body.p = link.m * v + cross(w, H);
  // 2 G = h (2 v)^T - Sigma [2 w x]: row i of Sigma [2 w x] is (that row of Sigma) x 2 w.
  const Mat3<S> Sigma = matrix_of(I);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<S> s = cross(Sigma.row(i), w);
    for (std::size_t j = 0; j < 3; ++j) body.G(i, j) = H[i] * v[j] - s[j];
  }
  // F = Y(A) + V x* (moment of momentum, momentum), all of the last term twice; the moment of momentum is the skew part of G.
  const Vec3<S> L{body.G(1, 2) - body.G(2, 1), body.G(2, 0) - body.G(0, 2), body.G(0, 1) - body.G(1, 0)};
  body.F = effort(body.mass, A) + S(0.25) * cross_wrench(W, Twist<S>{L, body.p});
  return body;
}

template <class S>
void add_body(MovingMass<S>& sum, const MovingMass<S>& body) {
  sum.mass = sum.mass + body.mass;
  sum.p = sum.p + body.p;
  sum.G = sum.G + body.G;
  sum.F = sum.F + body.F;
}

/// Motions outwards, composite bodies inwards. position() must have run.
template <class S>
void derivative_motion(const Tree<S>& tree, const S* u, const S* ud, const Motion<S>& motion,
                       DerivativeMotion<S>& d) {
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    d.body[i] = {};
    if (link.kind == LinkKind::fixed) continue;
    place_link(tree, motion, i, static_cast<RootFrame<S>&>(d));
    Twist<S> W_P, A_P;
    if (is_root(tree, i)) {
      A_P.v = root_acceleration(tree, motion, i);
    } else {
      W_P = d.W[link.parent];
      A_P = d.A[link.parent];
    }
    Twist<S> J, Jd;  // the joint's motion, twice, and its rate
    const int count = speed_count(link.kind);
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(link.v + k);
      d.xi[at] = speed_field(link, k, d.X[i]);
      d.chi[at] = cross(W_P, d.xi[at]);
      d.psi2[at] = cross(A_P, d.xi[at]) + S(0.25) * cross(W_P, d.chi[at]);
      J = J + (S(2.0) * u[at]) * d.xi[at];
      Jd = Jd + ((S(0.5) * u[at]) * d.chi[at] + ud[at] * d.xi[at]);
    }
    d.W[i] = W_P + J;
    d.A[i] = A_P + Jd;
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(link.v + k);
      // One speed: V_i x xi = V_P x xi.
      d.phi[at] = count == 1 ? d.chi[at] : S(0.5) * (d.chi[at] + cross(d.W[i], d.xi[at]));
    }
    if (link.kind != LinkKind::rotor) {
      d.body[i] = moving_mass(link, d.X[i], d.W[i], d.A[i]);
      continue;
    }
    // A rotor's mass is the parent's, at the parent's velocity. What is left of it: its spin about z beside the parent's, which takes
    // the moment spin (ud z + w_P x z u) and adds -spin u [z x] to 2 G.
    const auto at = static_cast<std::size_t>(link.v);
    const Vec3<S>& z = d.xi[at].w;
    const Mat3<S> turn = math::skew(z);
    d.body[i].G = -(link.spin * u[at]) * turn;
    d.body[i].F.w = (S(0.5) * (link.spin * u[at])) * d.chi[at].w + (link.spin * ud[at]) * z;
  }
  for (int i = tree.size() - 1; i >= 0; --i) {
    if (tree.links[i].kind != LinkKind::fixed && !is_root(tree, i))
      add_body(d.body[tree.links[i].parent], d.body[i]);
  }
}

/// What the elements of one speed's row and column are dots of.
template <class S>
struct SpeedTerms {
  Twist<S> effort;  // Y(xi)
  Vec3<S> back;     // b(xi)
  Twist<S> by_u;    // Y(phi) + B(xi)
  Twist<S> by_q;    // Y(psi') + B(psi) + xi x* F, with B(psi) = B(chi) / 2
};

template <class S>
SpeedTerms<S> speed_terms(const Link<S>& link, const DerivativeMotion<S>& d, int i, std::size_t at) {
  const MovingMass<S>& body = d.body[i];
  const Twist<S>& xi = d.xi[at];
  if (link.kind == LinkKind::rotor) {
    // Looks the same at every angle.
    const Vec3<S> gyro = (S(0.5) * link.spin) * d.chi[at].w;
    return {{link.spin * xi.w, Vec3<S>::zero()}, gyro, {gyro, Vec3<S>::zero()}, {}};
  }
  return {effort(body.mass, xi), turned_back(body, xi), plus_turned(effort(body.mass, d.phi[at]), body, xi.w),
          plus_cross_wrench(effort(body.mass, d.psi2[at]), xi, body.F) + S(0.5) * turned(body, d.chi[at].w)};
}

/// M, C and K (nv x nv by rows) of inertia and weight, armature included. position() must have run, on expressions group_angles() too.
template <class S>
void derivatives(const Tree<S>& tree, const S* u, const S* ud, const Motion<S>& motion,
                 DerivativeMotion<S>& d, S* M, S* C, S* K) {
  const int nv = tree.nv;
  for (int k = 0; k < nv * nv; ++k) M[k] = C[k] = K[k] = S(0.0);
  derivative_motion(tree, u, ud, motion, d);
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const int row = link.v + k;
      const SpeedTerms<S> terms = speed_terms(link, d, i, static_cast<std::size_t>(row));
      const Vec3<S> half_back = S(0.5) * terms.back;
      for (int a = i; a >= 0; a = is_root(tree, a) ? -1 : tree.links[a].parent) {
        const Link<S>& to = tree.links[a];
        for (int l = 0; l < speed_count(to.kind); ++l) {
          const int column = to.v + l;
          const auto at = static_cast<std::size_t>(column);
          if (a != i || l <= k) {
            S element = pairing(terms.effort, d.xi[at]);
            if (column == row) element = element + link.armature[static_cast<std::size_t>(k)];
            M[row * nv + column] = element;
            M[column * nv + row] = element;
          }
          C[row * nv + column] = pairing(terms.effort, d.phi[at], terms.back, d.xi[at].w);
          K[row * nv + column] = pairing(terms.effort, d.psi2[at], half_back, d.chi[at].w);
          if (a == i) continue;
          C[column * nv + row] = pairing(d.xi[at], terms.by_u);
          K[column * nv + row] = pairing(d.xi[at], terms.by_q);
        }
      }
    }
  }
}

}  // namespace tactus::derive
