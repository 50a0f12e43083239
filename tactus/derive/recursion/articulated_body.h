// Forward dynamics by articulated bodies: the work grows in proportion to the number of links.
//
// The force that link i, with everything beyond it free to give way, takes at its origin is linear in its
// acceleration:
//   n = A wd + B a + n0,      f = B^T wd + C a + f0        (A, C symmetric)
// For a rigid link A = trace(Sigma) 1 - Sigma, B = h x, C = m 1, and n0, f0 hold the velocity products. One
// degree of freedom with direction S (twist in link axes) and armature I_a is eliminated by
//   U = I S,   D = S^T U + I_a,   y = (tau - S^T p) / D,   I <- I - U U^T / D,   p <- p + U y
// and its acceleration follows on the way out: udot = y - U^T (acceleration) / D. Joints with several degrees
// of freedom are eliminated one after the other.
#pragma once

#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/newton_euler.h>

namespace tactus::derive {

/// R B R^T about z for a matrix without symmetry, in four products for the upper left block: w = s(a-d) +
/// c(b+c').
template <class S>
Mat3<S> turned_about_z(const Mat3<S>& B, const S& c, const S& s) {
  Mat3<S> T;
  const S w = s * (B(0, 0) - B(1, 1)) + c * (B(0, 1) + B(1, 0));
  const S sw = s * w, cw = c * w;
  T.m[0] = {B(0, 0) - sw, cw - B(1, 0), c * B(0, 2) - s * B(1, 2)};
  T.m[1] = {cw - B(0, 1), B(1, 1) + sw, s * B(0, 2) + c * B(1, 2)};
  T.m[2] = {c * B(2, 0) - s * B(2, 1), s * B(2, 0) + c * B(2, 1), B(2, 2)};
  return T;
}

template <class S>
Mat3<S> rotated(const Mat3<S>& B, const Mat3<S>& R) {
  if (is_identity(R)) return B;
  if (turns_about_x(R)) {
    // About x: the same with the axes renamed x -> y -> z -> x.
    Mat3<S> P;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) P(i, j) = B((i + 1) % 3, (j + 1) % 3);
    const Mat3<S> T = turned_about_z(P, R(1, 1), R(2, 1));
    Mat3<S> Q;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) Q((i + 1) % 3, (j + 1) % 3) = T(i, j);
    return Q;
  }
  return R * B * R.transposed();
}

template <class S>
Vec3<S> operator*(const SecondMoments<S>& A, const Vec3<S>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}

template <class S>
struct ArticulatedBody {
  SecondMoments<S> A, C;  // symmetric blocks (the names of their entries are all that second moments lend)
  Mat3<S> B = Mat3<S>::zero();
  Vec3<S> n = Vec3<S>::zero(), f = Vec3<S>::zero();
};

template <class S>
struct ArticulatedMotion {
  explicit ArticulatedMotion(const Tree<S>& tree)
      : body(tree.links.size()),
        cw(tree.links.size()),
        ca(tree.links.size()),
        Uw(tree.nv),
        Uv(tree.nv),
        inverse(tree.nv),
        y(tree.nv) {}
  std::vector<ArticulatedBody<S>> body;
  std::vector<Vec3<S>> cw, ca;  // velocity-product accelerations
  std::vector<Vec3<S>> Uw, Uv;  // U per speed
  std::vector<S> inverse, y;    // 1/D and y per speed
};

/// The twist of the link's k-th speed, in link axes.
template <class S>
void joint_direction(const Link<S>& link, int k, Vec3<S>& w, Vec3<S>& v) {
  w = v = Vec3<S>::zero();
  switch (link.kind) {
    case LinkKind::revolute:
      w.z = S(link.sign);
      break;
    case LinkKind::rotor:
      w.z = S(1.0);
      break;
    case LinkKind::prismatic:
      v.z = S(1.0);
      break;
    case LinkKind::helical:
      w.z = S(1.0);
      v.z = link.pitch;
      break;
    case LinkKind::spherical:
    case LinkKind::free:
      if (k < 3) {
        w[static_cast<std::size_t>(k)] = S(1.0);
      } else {
        v[static_cast<std::size_t>(k - 3)] = S(1.0);
      }
      break;
    case LinkKind::fixed:
      break;
  }
}

/// A - u v^T, which is symmetric here (v is a multiple of u).
template <class S>
void subtract_square(SecondMoments<S>& A, const Vec3<S>& u, const Vec3<S>& v) {
  A.xx = A.xx - u.x * v.x;
  A.yy = A.yy - u.y * v.y;
  A.zz = A.zz - u.z * v.z;
  A.xy = A.xy - u.x * v.y;
  A.xz = A.xz - u.x * v.z;
  A.yz = A.yz - u.y * v.z;
}

template <class S>
void articulated_body(const Tree<S>& tree, const S* u, const S* tau,
                      const std::vector<OutsideWrench<S>>& outside, const Policy& policy, Motion<S>& motion,
                      ArticulatedMotion<S>& work, S* ud) {
  const int size = tree.size();
  const Vec3<S> zero = Vec3<S>::zero();
  // Outwards: angular velocities and the accelerations that products of velocities cause.
  for (int i = 0; i < size; ++i) {
    const Link<S>& link = tree.links[i];
    const int P = link.parent;
    const Vec3<S> w = P < 0 ? zero : to_link(link, motion, i, motion.w[P]);
    work.ca[i] = P < 0 ? zero : to_link(link, motion, i, motion.U[P] * motion.r[i]);
    work.cw[i] = zero;
    motion.w[i] = w;
    switch (link.kind) {
      case LinkKind::revolute:
      case LinkKind::helical: {
        const S qd = S(link.kind == LinkKind::revolute ? link.sign : 1.0) * u[link.v];
        motion.w[i].z = w.z + qd;
        work.cw[i] = {w.y * qd, -(w.x * qd), S(0.0)};
        if (link.kind == LinkKind::helical) {
          const S slide2 = S(2.0) * (link.pitch * qd);
          work.ca[i] = work.ca[i] + Vec3<S>{w.y * slide2, -(w.x * slide2), S(0.0)};
        }
        break;
      }
      case LinkKind::prismatic: {
        const S slide2 = S(2.0) * u[link.v];
        work.ca[i] = work.ca[i] + Vec3<S>{w.y * slide2, -(w.x * slide2), S(0.0)};
        break;
      }
      case LinkKind::spherical:
      case LinkKind::free: {
        const Vec3<S> uw{u[link.v], u[link.v + 1], u[link.v + 2]};
        motion.w[i] = w + uw;
        work.cw[i] = cross(w, uw);
        if (link.kind == LinkKind::free) {
          const Vec3<S> uv{u[link.v + 3], u[link.v + 4], u[link.v + 5]};
          work.ca[i] = work.ca[i] + cross(w + w + uw, uv);
        }
        break;
      }
      case LinkKind::rotor:
      case LinkKind::fixed:
        break;
    }
    motion.U[i] = Acceleration2<S>(motion.w[i], zero);
    ArticulatedBody<S>& body = work.body[i];
    body = {};
    if (link.kind == LinkKind::rotor) {
      const S H = link.spin * u[link.v];
      body.n = {w.y * H, -(w.x * H), S(0.0)};
      continue;
    }
    const SecondMoments<S>& I = link.sigma;
    body.A = {I.yy + I.zz, I.xx + I.zz, I.xx + I.yy, -I.xy, -I.xz, -I.yz};
    body.B = skew(link.h);
    body.C = {link.m, link.m, link.m, S(0.0), S(0.0), S(0.0)};
    body.n = own_moment(link.sigma, motion.U[i], motion.w[i], zero, policy);
    body.f = motion.U[i] * link.h;
  }
  for (const OutsideWrench<S>& wrench : outside) {
    work.body[wrench.link].n = work.body[wrench.link].n - wrench.n;
    work.body[wrench.link].f = work.body[wrench.link].f - wrench.f;
  }
  // Inwards: eliminate each joint, hand the rest to the parent.
  for (int i = size - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    ArticulatedBody<S>& body = work.body[i];
    const int P = link.parent;
    if (link.kind == LinkKind::rotor) {
      // The parent carries the rotor's mass; what is left is spin (qdd + wd_z), of which it has the second
      // part.
      const S inverse = S(1.0) / (link.spin + link.armature[0]);
      const S y = tau[link.v] * inverse;
      work.inverse[link.v] = inverse;
      work.y[link.v] = y;
      work.Uw[link.v] = {S(0.0), S(0.0), link.spin};
      work.Uv[link.v] = zero;
      if (P < 0) continue;
      body.A.zz = -(link.spin * inverse) * link.spin;
      body.n.z = body.n.z + link.spin * y;
    }
    for (int k = speed_count(link.kind) - 1; k >= 0 && link.kind != LinkKind::rotor; --k) {
      Vec3<S> Sw, Sv;
      joint_direction(link, k, Sw, Sv);
      const Vec3<S> Uw = body.A * Sw + body.B * Sv;
      const Vec3<S> Uv = transpose_times(body.B, Sw) + body.C * Sv;
      const S inverse = S(1.0) / (dot(Sw, Uw) + dot(Sv, Uv) + link.armature[k]);
      const S y = (tau[link.v + k] - (dot(Sw, body.n) + dot(Sv, body.f))) * inverse;
      work.Uw[link.v + k] = Uw;
      work.Uv[link.v + k] = Uv;
      work.inverse[link.v + k] = inverse;
      work.y[link.v + k] = y;
      if (P < 0 && k == 0) break;
      const Vec3<S> Vw = inverse * Uw, Vv = inverse * Uv;
      subtract_square(body.A, Uw, Vw);
      subtract_square(body.C, Uv, Vv);
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) body.B(a, b) = body.B(a, b) - Uw[a] * Vv[b];
      body.n = body.n + y * Uw;
      body.f = body.f + y * Uv;
    }
    if (P < 0) continue;
    const Vec3<S> n0 = body.n + (body.A * work.cw[i] + body.B * work.ca[i]);
    const Vec3<S> f0 = body.f + (transpose_times(body.B, work.cw[i]) + body.C * work.ca[i]);
    SecondMoments<S> A = body.A, C = body.C;
    Mat3<S> B = body.B;
    if (link.kind == LinkKind::revolute || link.kind == LinkKind::helical) {
      const S &c = motion.c[i], &s = motion.s[i];
      A = turned_about_z(A, c, s);
      C = turned_about_z(C, c, s);
      B = turned_about_z(B, c, s);
    } else if (link.kind == LinkKind::spherical || link.kind == LinkKind::free) {
      A = rotated(A, motion.R[i]);
      C = rotated(C, motion.R[i]);
      B = rotated(B, motion.R[i]);
    }
    A = rotated(A, link.R_PJ);
    C = rotated(C, link.R_PJ);
    B = rotated(B, link.R_PJ);
    // At the parent's origin: B_P = B + (r x) C,  A_P = A - B_P (r x) + (r x) B^T.
    const Vec3<S>& r = motion.r[i];
    const Mat3<S> rx = skew(r);
    const Mat3<S> B_P = B + rx * matrix_of(C);
    const Mat3<S> BP_rx = B_P * rx, rx_BT = rx * B.transposed();
    ArticulatedBody<S>& parent = work.body[P];
    parent.A.xx = parent.A.xx + (A.xx - BP_rx(0, 0) + rx_BT(0, 0));
    parent.A.yy = parent.A.yy + (A.yy - BP_rx(1, 1) + rx_BT(1, 1));
    parent.A.zz = parent.A.zz + (A.zz - BP_rx(2, 2) + rx_BT(2, 2));
    parent.A.xy = parent.A.xy + (A.xy - BP_rx(0, 1) + rx_BT(0, 1));
    parent.A.xz = parent.A.xz + (A.xz - BP_rx(0, 2) + rx_BT(0, 2));
    parent.A.yz = parent.A.yz + (A.yz - BP_rx(1, 2) + rx_BT(1, 2));
    parent.B = parent.B + B_P;
    parent.C = parent.C + C;
    const Vec3<S> f = to_parent(link, motion, i, f0);
    parent.f = parent.f + f;
    parent.n = parent.n + (to_parent(link, motion, i, n0) + cross(r, f));
  }
  // Outwards: accelerations.
  for (int i = 0; i < size; ++i) {
    const Link<S>& link = tree.links[i];
    const int P = link.parent;
    Vec3<S> wd = zero, a = -tree.gravity;
    if (P >= 0) {
      wd = motion.wd[P];
      a = motion.a[P] + cross(motion.wd[P], motion.r[i]);
    }
    wd = to_link(link, motion, i, wd) + work.cw[i];
    a = to_link(link, motion, i, a) + work.ca[i];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      Vec3<S> Sw, Sv;
      joint_direction(link, k, Sw, Sv);
      const int v = link.v + k;
      ud[v] = work.y[v] - (dot(work.Uw[v], wd) + dot(work.Uv[v], a)) * work.inverse[v];
      wd = wd + ud[v] * Sw;
      a = a + ud[v] * Sv;
    }
    motion.wd[i] = wd;
    motion.a[i] = a;
  }
}

}  // namespace tactus::derive
