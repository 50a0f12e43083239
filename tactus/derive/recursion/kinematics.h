// Positions, velocities and accelerations of the links, from the ground outwards.
//
// Link i with parent P: R = R_PJ Rz(theta) takes the link's components to the parent's; r = p_PoLo_P. In link
// axes:
//
//   w_i  = R^T w_P + z qd                                      angular velocity
//   wd_i = R^T wd_P + z qdd + (R^T w_P) x z qd                 angular acceleration
//   a_i  = R^T (a_P + U_P r) + [2 (R^T w_P) x z dd + z ddd]    acceleration of the origin (d: slide along z)
//   U    = wd x + w x (w x .)
//
// The ground accelerates with -g, which makes every weight appear by itself. Revolute links whose axes are
// parallel form a group: all their orientations differ by a turn about the common z, so angular quantities
// may be turned into each link's axes by one angle, the sum of the group's, instead of link by link. That is
// cheaper whenever the group's base vector has structural zeros (the PUMA's links 2 and 3 see (0, qd1, 0)).
#pragma once

#include <vector>

#include <tactus/derive/tree/scalar.h>
#include <tactus/derive/tree/tree.h>

namespace tactus::derive {

/// x, y components turned from the axes before a turn about z into those after it (inverse: back).
template <class S>
Vec3<S> turn_to_link(const S& c, const S& s, const Vec3<S>& v) {
  return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
}
template <class S>
Vec3<S> turn_from_link(const S& c, const S& s, const Vec3<S>& v) {
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/// U = wd x + w x w x, with the products it is made of.
template <class S>
struct Acceleration2 {
  S xx, yy, zz, xy, xz, yx, yz, zx, zy;  // entries of U
  S wx2, wy2, wz2;

  Acceleration2() = default;
  Acceleration2(const Vec3<S>& w, const Vec3<S>& wd) {
    wx2 = w.x * w.x;
    wy2 = w.y * w.y;
    wz2 = w.z * w.z;
    const S wxy = w.x * w.y, wxz = w.x * w.z, wyz = w.y * w.z;
    xx = -(wy2 + wz2);
    yy = -(wx2 + wz2);
    zz = -(wx2 + wy2);
    xy = wxy - wd.z;
    yx = wxy + wd.z;
    xz = wxz + wd.y;
    zx = wxz - wd.y;
    yz = wyz - wd.x;
    zy = wyz + wd.x;
  }

  Vec3<S> operator*(const Vec3<S>& r) const {
    return {xx * r.x + xy * r.y + xz * r.z, yx * r.x + yy * r.y + yz * r.z, zx * r.x + zy * r.y + zz * r.z};
  }
};

/// Choices that do not change the result, only the number of operations.
struct Policy {
  bool group_angular = true;  // angular velocity and acceleration through the sum angle of a parallel group
  bool group_moment = true;   // moments (x, y) to the group's base through the sum angle
  bool spin_sum = true;       // own moment about z from (xx - yy) wx wy + (xx + yy) wdz rather than from U
};

/// Everything the recursions compute on the way out, per link. Reused from call to call: sized once.
template <class S>
struct Motion {
  explicit Motion(const Tree<S>& tree)
      : c(tree.links.size()),
        s(tree.links.size()),
        R(tree.links.size()),
        r(tree.links.size()),
        group(tree.links.size(), -1),
        group_size(tree.links.size(), 0),
        group_c(tree.links.size()),
        group_s(tree.links.size()),
        w_base(tree.links.size()),
        wd_base(tree.links.size()),
        spin(tree.links.size()),
        w(tree.links.size()),
        wd(tree.links.size()),
        v(tree.links.size()),
        a(tree.links.size()),
        U(tree.links.size()),
        U0(),
        f(tree.links.size()),
        n(tree.links.size()) {
    find_groups(tree);
  }

  // position
  std::vector<S> c, s;          // revolute, helical: cosine and sine of the joint's angle
  std::vector<Mat3<S>> R;       // spherical, free: R_JL
  std::vector<Vec3<S>> r;       // p_PoLo_P
  std::vector<int> group;       // the first link of the parallel group; -1 for links that turn in no group
  std::vector<int> group_size;  // of the group that begins with this link
  std::vector<S> group_c, group_s;
  // velocity [rad/s], [m/s]
  std::vector<Vec3<S>> w_base, wd_base;  // of a group's first link: the parent's, in J axes
  std::vector<S> spin;                   // turning speed about z relative to the group's base
  std::vector<Vec3<S>> w;
  // acceleration
  std::vector<Vec3<S>> wd, v, a;
  std::vector<Acceleration2<S>> U;
  Acceleration2<S> U0;
  // force, moment about the link's origin that the joint must transmit
  std::vector<Vec3<S>> f, n;

 private:
  /// A link continues its parent's group when both turn about the same direction: R_PJ is the identity.
  void find_groups(const Tree<S>& tree);
};

inline bool exactly(double x, double value) { return x == value; }
inline bool exactly(algebra::Expr x, double value) { return x.is_constant(value); }

template <class S>
bool is_identity(const Mat3<S>& R) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!exactly(R(i, j), i == j ? 1.0 : 0.0)) return false;
  return true;
}

/// Whether R is a turn about x and nothing else. Its first element alone does not tell: within rounding it is 1 for any
/// axis within 1e-8 of x, whose small components are no rounding.
template <class S>
bool turns_about_x(const Mat3<S>& R) {
  return exactly(R(0, 0), 1.0) && exactly(R(0, 1), 0.0) && exactly(R(0, 2), 0.0) && exactly(R(1, 0), 0.0) &&
         exactly(R(2, 0), 0.0);
}

template <class S>
void Motion<S>::find_groups(const Tree<S>& tree) {
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    if (link.kind != LinkKind::revolute) continue;
    const bool continues = link.parent >= 0 && group[link.parent] >= 0 && is_identity(link.R_PJ);
    group[i] = continues ? group[link.parent] : i;
    ++group_size[group[i]];
  }
}

/// Link axes -> parent axes.
template <class S>
Vec3<S> to_parent(const Link<S>& link, const Motion<S>& motion, int i, const Vec3<S>& v) {
  switch (link.kind) {
    case LinkKind::revolute:
    case LinkKind::helical:
      return link.R_PJ * turn_from_link(motion.c[i], motion.s[i], v);
    case LinkKind::spherical:
    case LinkKind::free:
      return link.R_PJ * (motion.R[i] * v);
    default:
      return link.R_PJ * v;
  }
}

/// Parent axes -> link axes.
template <class S>
Vec3<S> to_link(const Link<S>& link, const Motion<S>& motion, int i, const Vec3<S>& v) {
  const Vec3<S> J = transpose_times(link.R_PJ, v);
  switch (link.kind) {
    case LinkKind::revolute:
    case LinkKind::helical:
      return turn_to_link(motion.c[i], motion.s[i], J);
    case LinkKind::spherical:
    case LinkKind::free:
      return transpose_times(motion.R[i], J);
    default:
      return J;
  }
}

/// Cosines, sines, rotations and origins of all links at q.
template <class S>
void position(const Tree<S>& tree, const S* q, Motion<S>& motion) {
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    motion.r[i] = link.p_PJ;
    switch (link.kind) {
      case LinkKind::revolute:
        sine_cosine(q[link.q], link.sign, link.offset, motion.s[i], motion.c[i]);
        break;
      case LinkKind::helical:
        sine_cosine(q[link.q], 1.0, link.offset, motion.s[i], motion.c[i]);
        motion.r[i] = motion.r[i] + (link.pitch * q[link.q]) * link.R_PJ.col(2);
        break;
      case LinkKind::prismatic:
        motion.r[i] = motion.r[i] + q[link.q] * link.R_PJ.col(2);
        break;
      case LinkKind::free:
        motion.r[i] = motion.r[i] + link.R_PJ * Vec3<S>{q[link.q], q[link.q + 1], q[link.q + 2]};
        motion.R[i] =
            rotation_of(math::Quaternion<S>{q[link.q + 3], q[link.q + 4], q[link.q + 5], q[link.q + 6]});
        break;
      case LinkKind::spherical:
        motion.R[i] =
            rotation_of(math::Quaternion<S>{q[link.q], q[link.q + 1], q[link.q + 2], q[link.q + 3]});
        break;
      case LinkKind::rotor:
      case LinkKind::fixed:
        break;
    }
  }
}

/// Sines and cosines of the sum angles of each group; only the symbolic recursions use them.
void group_angles(const Tree<algebra::Expr>& tree, const algebra::Expr* q, Motion<algebra::Expr>& motion);
inline void group_angles(const Tree<double>&, const double*, Motion<double>&) {}

/// Whether the group's way is the cheaper one for the angular quantities of link i.
template <class S>
bool through_group(const Motion<S>& motion, int i, const Policy& policy) {
  const int g = motion.group[i];
  return policy.group_angular && g >= 0 && g != i &&
         (known_zero(motion.w_base[g].x) || known_zero(motion.w_base[g].y));
}

/// Angular velocities and accelerations, accelerations of the origins. `ud` are the rates of the speeds; `a0`
/// is the acceleration given to the ground (-g for dynamics, 0 for pure kinematics).
template <class S>
void accelerations(const Tree<S>& tree, const S* u, const S* ud, const Vec3<S>& a0, const Policy& policy,
                   Motion<S>& motion) {
  const Vec3<S> zero = Vec3<S>::zero();
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    const int P = link.parent;
    const Vec3<S>& w_P = P < 0 ? zero : motion.w[P];
    const Vec3<S>& wd_P = P < 0 ? zero : motion.wd[P];
    const Vec3<S> a_J = P < 0 ? a0 : motion.a[P] + motion.U[P] * motion.r[i];
    const S one(1.0);
    switch (link.kind) {
      case LinkKind::revolute: {
        const S qd = S(link.sign) * u[link.v], qdd = S(link.sign) * ud[link.v];
        if (motion.group[i] == i) {
          motion.w_base[i] = transpose_times(link.R_PJ, w_P);
          motion.wd_base[i] = transpose_times(link.R_PJ, wd_P);
          motion.spin[i] = qd;
        } else {
          motion.spin[i] = motion.spin[P] + qd;
        }
        if (through_group(motion, i, policy)) {
          const int g = motion.group[i];
          const S &c = motion.group_c[i], &s = motion.group_s[i], &spin = motion.spin[i];
          Vec3<S> w = turn_to_link(c, s, motion.w_base[g]);
          Vec3<S> wd = turn_to_link(c, s, motion.wd_base[g]);
          motion.w[i] = {w.x, w.y, w_P.z + qd};
          motion.wd[i] = {wd.x + w.y * spin, wd.y - w.x * spin, wd_P.z + qdd};
        } else {
          const Vec3<S> w = to_link(link, motion, i, w_P);
          const Vec3<S> wd = to_link(link, motion, i, wd_P);
          motion.w[i] = {w.x, w.y, w.z + qd};
          motion.wd[i] = {wd.x + w.y * qd, wd.y - w.x * qd, wd.z + qdd};
        }
        motion.a[i] = to_link(link, motion, i, a_J);
        break;
      }
      case LinkKind::helical:
      case LinkKind::prismatic: {
        const bool turns = link.kind == LinkKind::helical;
        const S qd = turns ? u[link.v] : S(0.0), qdd = turns ? ud[link.v] : S(0.0);
        const S k = turns ? link.pitch : one;
        const Vec3<S> w = to_link(link, motion, i, w_P);
        const Vec3<S> wd = to_link(link, motion, i, wd_P);
        const Vec3<S> a = to_link(link, motion, i, a_J);
        const S slide2 = S(2.0) * (k * u[link.v]);
        motion.w[i] = {w.x, w.y, w.z + qd};
        motion.wd[i] = {wd.x + w.y * qd, wd.y - w.x * qd, wd.z + qdd};
        motion.a[i] = {a.x + w.y * slide2, a.y - w.x * slide2, a.z + k * ud[link.v]};
        break;
      }
      case LinkKind::spherical:
      case LinkKind::free: {
        const Vec3<S> uw{u[link.v], u[link.v + 1], u[link.v + 2]};
        const Vec3<S> uwd{ud[link.v], ud[link.v + 1], ud[link.v + 2]};
        const Vec3<S> w = to_link(link, motion, i, w_P);
        const Vec3<S> wd = to_link(link, motion, i, wd_P);
        motion.w[i] = w + uw;
        motion.wd[i] = wd + uwd + cross(w, uw);
        motion.a[i] = to_link(link, motion, i, a_J);
        if (link.kind == LinkKind::free) {
          // The origin's velocity in the parent is R_JL uv, its rate R_JL (uvd + uw x uv); Coriolis: 2 w x
          // uv.
          const Vec3<S> uv{u[link.v + 3], u[link.v + 4], u[link.v + 5]};
          const Vec3<S> uvd{ud[link.v + 3], ud[link.v + 4], ud[link.v + 5]};
          motion.a[i] = motion.a[i] + uvd + cross(w + w + uw, uv);
        }
        break;
      }
      case LinkKind::rotor:  // what turns with the parent, in J axes
      case LinkKind::fixed:
        motion.w[i] = to_link(link, motion, i, w_P);
        motion.wd[i] = to_link(link, motion, i, wd_P);
        motion.a[i] = to_link(link, motion, i, a_J);
        break;
    }
    motion.U[i] = Acceleration2<S>(motion.w[i], motion.wd[i]);
  }
}

/// Angular velocities and velocities of the origins, in link axes.
template <class S>
void velocities(const Tree<S>& tree, const S* u, Motion<S>& motion) {
  const Vec3<S> zero = Vec3<S>::zero();
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    const int P = link.parent;
    Vec3<S> w = P < 0 ? zero : to_link(link, motion, i, motion.w[P]);
    Vec3<S> v = P < 0 ? zero : to_link(link, motion, i, motion.v[P] + cross(motion.w[P], motion.r[i]));
    switch (link.kind) {
      case LinkKind::revolute:
        w.z = w.z + S(link.sign) * u[link.v];
        break;
      case LinkKind::prismatic:
        v.z = v.z + u[link.v];
        break;
      case LinkKind::helical:
        w.z = w.z + u[link.v];
        v.z = v.z + link.pitch * u[link.v];
        break;
      case LinkKind::free:
        v = v + Vec3<S>{u[link.v + 3], u[link.v + 4], u[link.v + 5]};
        [[fallthrough]];
      case LinkKind::spherical:
        w = w + Vec3<S>{u[link.v], u[link.v + 1], u[link.v + 2]};
        break;
      case LinkKind::rotor:
      case LinkKind::fixed:
        break;
    }
    motion.w[i] = w;
    motion.v[i] = v;
  }
}

/// World poses X_WL of all links. On expressions the orientations within a parallel group are one turn by the
/// sum angle (group_angles() must have run); on numbers the turns follow each other.
template <class S>
std::vector<Pose<S>> world_poses(const Tree<S>& tree, const Motion<S>& motion) {
  constexpr bool by_groups = !std::is_same_v<S, double>;
  std::vector<Pose<S>> X_WL(tree.links.size());
  std::vector<Mat3<S>> R_WJ(tree.links.size());  // orientation of the joint's frame, kept for groups
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    const Pose<S> X_WP = link.parent < 0 ? Pose<S>{} : X_WL[link.parent];
    X_WL[i].p = X_WP.p + X_WP.R * motion.r[i];
    const int g = motion.group[i];
    if (by_groups && g >= 0 && g != i) {
      X_WL[i].R = R_WJ[g] * math::rotation_z(motion.group_c[i], motion.group_s[i]);
      continue;
    }
    R_WJ[i] = X_WP.R * link.R_PJ;
    if (link.kind == LinkKind::revolute || link.kind == LinkKind::helical) {
      X_WL[i].R = R_WJ[i] * math::rotation_z(motion.c[i], motion.s[i]);
    } else if (link.kind == LinkKind::spherical || link.kind == LinkKind::free) {
      X_WL[i].R = R_WJ[i] * motion.R[i];
    } else {
      X_WL[i].R = R_WJ[i];
    }
  }
  return X_WL;
}

}  // namespace tactus::derive
