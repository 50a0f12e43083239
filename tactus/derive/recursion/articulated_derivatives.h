// Derivatives of forward dynamics by recursion: d udot/d q, d udot/d u and d udot/d tau = M^-1, each element in a fixed number of operations.
// Neither M nor the derivatives of inverse dynamics are formed.
//
// Everything is written in the frame of the tree's root, in the letters of derivatives.h. There a change of q_k or u_k is, for the bodies beyond
// speed k, a change of motion that is the same for all of them: the acceleration s_k and the turning w_k,
//
//   by q_k:  s = psi'_k,  w = psi_k,w        by u_k:  s = phi_k,  w = xi_k,w,
//
// which loads them with Y(s) + B(w); by q_k they also carry the force F of their joint along, xi_k x* F. With the articulated inertia I of what is
// beyond a joint, and B articulated in the same way, speed j is eliminated by
//
//   U = I xi_j,   D = xi_j . U + armature,   b = B^T xi_j,      I <- I - U U^T / D,   B <- B - U b^T / D,
//
// first the last speeds, and what is left is added to the parent's own I and B. A load N on the link below j (with its sign turned) and the link's
// acceleration a then obey [Featherstone2008, 7.3]
//
//   y_j = xi_j . N,   N <- N - U y_j / D            inwards, from the joint of k to the ground
//   x_j = (y_j - U . a) / D,   a <- a + xi_j x_j    outwards
//
// where x_j is the wanted element, and a column begins below the link of k with N = -(I s + B w + xi_k x* F). For the joints of k and beyond
//
//   x_j = -(b . w + U . (a + s)) / D.
//
// To have one form for all of a row, a + s is carried along from the ground on, and U . s / D is added again to x_j where j is not beyond k. A column
// of M^-1 begins with y_k = 1. The accelerations themselves are one more column, with the forces that are left when udot is zero for y.
//
// All elements of a row have one of two forms: code evaluates them side by side (generate/side_by_side.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <tactus/algebra/sign.h>
#include <tactus/derive/recursion/derivatives.h>
#include <tactus/derive/recursion/sparse_factor.h>

namespace tactus::derive {

/// A field or a wrench as six numbers, w before v.
template <class S>
using Six = std::array<S, 6>;

template <class S>
Six<S> six(const Twist<S>& a) {
  return {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
}

/// The rest of a sum of products, a . b.
template <class S, std::size_t n>
void add_dot(S& sum, const std::array<S, n>& a, const std::array<S, n>& b) {
  for (std::size_t c = 0; c < n; ++c) add_product(sum, a[c], b[c]);
}
template <class S>
void subtract_product(S& sum, const S& x, const S& y) {
  const S product = x * y;
  sum = sum - product;
}
template <class S, std::size_t n>
void subtract_dot(S& sum, const std::array<S, n>& a, const std::array<S, n>& b) {
  for (std::size_t c = 0; c < n; ++c) subtract_product(sum, a[c], b[c]);
}
template <class S, std::size_t n>
S dot(const std::array<S, n>& a, const std::array<S, n>& b) {
  S sum = a[0] * b[0];
  for (std::size_t c = 1; c < n; ++c) add_product(sum, a[c], b[c]);
  return sum;
}

/// What columns are made of has no signs in front: those of their sums are then the same in all of them.
inline double without_sign(double x) { return x; }
using algebra::without_sign;
template <class S, std::size_t n>
std::array<S, n> without_signs(std::array<S, n> x) {
  for (S& entry : x) entry = without_sign(entry);
  return x;
}

/// Several bodies with joints among them, as they resist from outside: the inertia I and the gyroscopic B.
template <class S>
struct ArticulatedMass {
  std::array<Six<S>, 6> I{};  // both triangles
  std::array<std::array<S, 3>, 6> B{};

  void add(const ArticulatedMass& other) {
    for (std::size_t r = 0; r < 6; ++r) {
      for (std::size_t c = 0; c < 6; ++c) I[r][c] = I[r][c] + other.I[r][c];
      for (std::size_t c = 0; c < 3; ++c) B[r][c] = B[r][c] + other.B[r][c];
    }
  }
};

/// A single body's.
template <class S>
ArticulatedMass<S> articulated(const MovingMass<S>& body) {
  ArticulatedMass<S> a;
  const SecondMoments<S>& J = body.mass.sigma;
  const Vec3<S>&h = body.mass.h, &p = body.p;
  const Mat3<S>& G = body.G;
  const S zero(0.0);
  const S& m = body.mass.m;
  a.I = {{{J.yy + J.zz, -J.xy, -J.xz, zero, -h.z, h.y},
          {-J.xy, J.xx + J.zz, -J.yz, h.z, zero, -h.x},
          {-J.xz, -J.yz, J.xx + J.yy, -h.y, h.x, zero},
          {zero, h.z, -h.y, m, zero, zero},
          {-h.z, zero, h.x, zero, m, zero},
          {h.y, -h.x, zero, zero, zero, m}}};
  a.B = {{{G(1, 1) + G(2, 2), -G(1, 0), -G(2, 0)},
          {-G(0, 1), G(0, 0) + G(2, 2), -G(2, 1)},
          {-G(0, 2), -G(1, 2), G(0, 0) + G(1, 1)},
          {zero, p.z, -p.y},
          {-p.z, zero, p.x},
          {p.y, -p.x, zero}}};
  return a;
}

/// What elimination leaves of a speed.
template <class S>
struct EliminatedSpeed {
  Six<S> xi{};
  Six<S> U{};            // -U / D
  std::array<S, 3> b{};  // -b / D
  S inverse{};           // 1 / D
};

/// N = -(I s + B w + F).
template <class S>
Six<S> load_below(const ArticulatedMass<S>& mass, const Six<S>& s, const std::array<S, 3>& w,
                  const Six<S>& F) {
  Six<S> N;
  for (std::size_t r = 0; r < 6; ++r) {
    N[r] = -F[r];
    subtract_dot(N[r], mass.I[r], s);
    subtract_dot(N[r], mass.B[r], w);
  }
  return without_signs(N);
}

/// Everything about the mechanism of which columns are made, and one column. Reused from call to call: sized once.
template <class S>
struct ArticulatedDerivatives {
  explicit ArticulatedDerivatives(const Tree<S>& tree)
      : motion(tree),
        parents(speed_parents(tree)),
        speed(parents.size()),
        mass(tree.links.size()),
        y(parents.size()),
        load(parents.size()),
        acceleration(parents.size()),
        beyond(parents.size()) {
    for (std::size_t j = 0; j < parents.size(); ++j)
      root.push_back(parents[j] < 0 ? j : root[static_cast<std::size_t>(parents[j])]);
  }

  DerivativeMotion<S> motion;
  std::vector<int> parents;       // of each speed the next one towards the ground, or -1
  std::vector<std::size_t> root;  // of each speed the last one towards the ground
  std::vector<EliminatedSpeed<S>> speed;
  std::vector<ArticulatedMass<S>> mass;  // of each link and what is beyond, its own speeds eliminated
  // Of a column:
  std::vector<S> y;
  std::vector<Six<S>> load, acceleration;  // before the speed is eliminated; after it has moved
  std::vector<bool> beyond;
};

/// Takes the speed out of the articulated mass.
template <class S>
EliminatedSpeed<S> eliminate(const Six<S>& xi, const Six<S>& U, const std::array<S, 3>& b, const S& armature,
                             ArticulatedMass<S>& mass) {
  EliminatedSpeed<S> e;
  e.xi = without_signs(xi);
  e.inverse = S(1.0) / (dot(xi, U) + armature);
  for (std::size_t c = 0; c < 6; ++c) e.U[c] = without_sign(-(U[c] * e.inverse));
  for (std::size_t c = 0; c < 3; ++c) e.b[c] = without_sign(-(b[c] * e.inverse));
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      add_product(mass.I[r][c], e.U[r], U[c]);
      mass.I[c][r] = mass.I[r][c];
    }
    for (std::size_t c = 0; c < 3; ++c) add_product(mass.B[r][c], e.U[r], b[c]);
  }
  return e;
}

/// All of them, the last first. derivative_motion() must have run, with whatever accelerations.
template <class S>
void eliminate_speeds(const Tree<S>& tree, const S* u, ArticulatedDerivatives<S>& d) {
  const DerivativeMotion<S>& motion = d.motion;
  for (ArticulatedMass<S>& mass : d.mass) mass = {};
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    if (link.kind == LinkKind::fixed) continue;
    ArticulatedMass<S>& mass = d.mass[i];
    const auto first = static_cast<std::size_t>(link.v);
    if (link.kind == LinkKind::rotor) {
      // Its mass is the parent's; what is left of it: derivatives.h.
      const Vec3<S>& z = motion.xi[first].w;
      const Vec3<S> gyro = (S(0.5) * link.spin) * motion.chi[first].w;
      MovingMass<S> turning;
      turning.G = -(link.spin * u[first]) * math::skew(z);
      mass = articulated(turning);
      d.speed[first] = eliminate(six(motion.xi[first]), six(Twist<S>{link.spin * z, Vec3<S>::zero()}),
                                 {gyro.x, gyro.y, gyro.z}, link.armature[0], mass);
    } else {
      mass.add(articulated(moving_mass(link, motion.X[i], motion.W[i], Twist<S>{})));
      for (int k = speed_count(link.kind) - 1; k >= 0; --k) {
        const auto at = static_cast<std::size_t>(link.v + k);
        const Six<S> xi = six(motion.xi[at]);
        Six<S> U;
        std::array<S, 3> b;
        for (std::size_t r = 0; r < 6; ++r) U[r] = dot(mass.I[r], xi);
        for (std::size_t c = 0; c < 3; ++c) {
          b[c] = mass.B[0][c] * xi[0];
          for (std::size_t r = 1; r < 6; ++r) add_product(b[c], mass.B[r][c], xi[r]);
        }
        d.speed[at] = eliminate(xi, U, b, link.armature[static_cast<std::size_t>(k)], mass);
      }
    }
    if (!is_root(tree, i)) d.mass[link.parent].add(mass);
  }
}

/// From speed j to the ground: y, with the load N.
template <class S>
void solve_inwards(ArticulatedDerivatives<S>& d, int j, Six<S> N) {
  for (; j >= 0; j = d.parents[static_cast<std::size_t>(j)]) {
    const auto at = static_cast<std::size_t>(j);
    const EliminatedSpeed<S>& speed = d.speed[at];
    d.y[at] = dot(speed.xi, N);
    for (std::size_t c = 0; c < 6; ++c) add_product(N[c], speed.U[c], d.y[at]);
  }
}

/// What a + s is before speed j moves.
template <class S>
const Six<S>& acceleration_below(const ArticulatedDerivatives<S>& d, std::size_t j, const Six<S>& s) {
  return d.parents[j] < 0 ? s : d.acceleration[static_cast<std::size_t>(d.parents[j])];
}
template <class S>
void accelerate_beyond(ArticulatedDerivatives<S>& d, std::size_t j, Six<S> a, const S& x) {
  for (std::size_t c = 0; c < 6; ++c) add_product(a[c], d.speed[j].xi[c], x);
  d.acceleration[j] = a;
}

/// udot for the forces that are left when it is zero.
template <class S>
void solve_accelerations(ArticulatedDerivatives<S>& d, const S* left, S* udot) {
  for (Six<S>& N : d.load) N.fill(S(0.0));
  for (std::size_t j = d.y.size(); j-- > 0;) {
    const EliminatedSpeed<S>& speed = d.speed[j];
    Six<S> N = d.load[j];
    d.y[j] = left[j];
    add_dot(d.y[j], speed.xi, N);
    if (d.parents[j] < 0) continue;
    Six<S>& below = d.load[static_cast<std::size_t>(d.parents[j])];
    for (std::size_t c = 0; c < 6; ++c) {
      add_product(N[c], speed.U[c], d.y[j]);
      below[c] = below[c] + N[c];
    }
  }
  const Six<S> rest{};
  for (std::size_t j = 0; j < d.y.size(); ++j) {
    const Six<S>& a = acceleration_below(d, j, rest);
    udot[j] = d.y[j] * d.speed[j].inverse;
    add_dot(udot[j], d.speed[j].U, a);
    accelerate_beyond(d, j, a, udot[j]);
  }
}

/// Column k for the change s, w of the motion beyond it; N acts on the link below.
template <class S>
void change_column(const Tree<S>& tree, ArticulatedDerivatives<S>& d, int i, std::size_t k, const Six<S>& s,
                   const std::array<S, 3>& w, const Six<S>& N, S* X) {
  const std::size_t n = d.y.size();
  const auto first = static_cast<std::size_t>(tree.links[i].v);
  const std::size_t end = first + static_cast<std::size_t>(speed_count(tree.links[i].kind));
  std::fill(d.y.begin(), d.y.end(), S(0.0));
  solve_inwards(d, d.parents[first], N);
  for (std::size_t j = 0; j < n; ++j) {
    d.beyond[j] =
        (j >= first && j < end) || (d.parents[j] >= 0 && d.beyond[static_cast<std::size_t>(d.parents[j])]);
    if (d.root[j] != d.root[k]) continue;
    const EliminatedSpeed<S>& speed = d.speed[j];
    const Six<S>& a = acceleration_below(d, j, s);
    S x;
    if (d.beyond[j]) {
      x = dot(speed.b, w);
    } else {
      x = d.y[j] * speed.inverse;
      subtract_dot(x, speed.U, s);
    }
    add_dot(x, speed.U, a);
    X[j * n + k] = x;
    accelerate_beyond(d, j, a, x);
  }
}

/// Column k of M^-1.
template <class S>
void inverse_column(ArticulatedDerivatives<S>& d, std::size_t k, S* X) {
  const std::size_t n = d.y.size();
  std::fill(d.y.begin(), d.y.end(), S(0.0));
  d.y[k] = S(1.0);
  solve_inwards(d, d.parents[k], d.speed[k].U);
  const Six<S> rest{};
  for (std::size_t j = 0; j < n; ++j) {
    if (d.root[j] != d.root[k]) continue;
    const Six<S>& a = acceleration_below(d, j, rest);
    S x = d.y[j] * d.speed[j].inverse;
    add_dot(x, d.speed[j].U, a);
    X[j * n + k] = x;
    accelerate_beyond(d, j, a, x);
  }
}

/// udot [nv] under the joints' forces, and its derivatives by place, speeds and those forces (nv x nv by rows each), of inertia and weight, armature
/// included. position() must have run, on expressions group_angles() too.
template <class S>
void articulated_derivatives(const Tree<S>& tree, const S* u, const S* forces, const Motion<S>& motion,
                             ArticulatedDerivatives<S>& d, S* udot, S* by_q, S* by_u, S* by_force) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (S* X : {by_q, by_u, by_force}) std::fill(X, X + n * n, S(0.0));
  std::vector<S> left(n);
  derivative_motion(tree, u, left.data(), motion, d.motion);
  eliminate_speeds(tree, u, d);
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const auto at = static_cast<std::size_t>(link.v + k);
      left[at] = forces[at] - pairing(d.motion.xi[at], d.motion.body[i].F);
      // Its parent's turning turns a rotor, too; that is in the parent's F, not in its own.
      if (link.kind == LinkKind::rotor && !is_root(tree, i))
        left[at] = left[at] - link.spin * dot(d.motion.xi[at].w, d.motion.A[link.parent].w);
    }
  }
  solve_accelerations(d, left.data(), udot);
  derivative_motion(tree, u, udot, motion, d.motion);
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    for (int l = 0; l < speed_count(link.kind); ++l) {
      const auto k = static_cast<std::size_t>(link.v + l);
      const Twist<S>&xi = d.motion.xi[k], &chi = d.motion.chi[k];
      const std::array<S, 3> by_turn =
          without_signs<S, 3>({S(0.5) * chi.w.x, S(0.5) * chi.w.y, S(0.5) * chi.w.z});
      const std::array<S, 3> by_rate = without_signs<S, 3>({xi.w.x, xi.w.y, xi.w.z});
      const Six<S> psi2 = without_signs(six(d.motion.psi2[k])), phi = without_signs(six(d.motion.phi[k]));
      const Six<S> none{};
      inverse_column(d, k, by_force);
      if (link.kind == LinkKind::rotor) {
        // Its angle changes nothing.
        const Vec3<S> gyro = (S(-0.5) * link.spin) * chi.w;
        change_column(tree, d, i, k, phi, by_rate, six(Twist<S>{gyro, Vec3<S>::zero()}), by_u);
        continue;
      }
      const Six<S> F = six(cross_wrench(xi, d.motion.body[i].F));
      change_column(tree, d, i, k, psi2, by_turn, load_below(d.mass[i], psi2, by_turn, F), by_q);
      change_column(tree, d, i, k, phi, by_rate, load_below(d.mass[i], phi, by_rate, none), by_u);
    }
  }
}

}  // namespace tactus::derive
