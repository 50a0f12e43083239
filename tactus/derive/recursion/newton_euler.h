// Inverse dynamics by Newton and Euler's equations: motion outwards, forces inwards.
//
// With mass m, first moments h and second moments Sigma about the link's origin, and U = wd x + w x w x:
//
//   F = m a + U h                        the link's own force
//   N = skew part of U Sigma + h x a     its own moment about the origin
//   f_i = F_i + sum over children of R f,        n_i = N_i + sum of (R n + r x R f)
//   tau_i = n_i . z (or f_i . z) + armature qdd
//
// A rotor (symmetric about its axis, mass counted to the parent) adds n = spin (qdd z + w_P x z qd).
//
// Base parameters: of a revolute link m = 0, h_z = 0 and Sigma_zz = 0 (moved to its parent, see simplify.h),
// so every product with them folds away. See [Clover1996, II (1)-(10)] for the classical form.
#pragma once

#include <tactus/derive/recursion/kinematics.h>

namespace tactus::derive {

/// A force and a moment about the link's origin, in link axes, that act on a link from outside.
template <class S>
struct OutsideWrench {
  int link = 0;
  Vec3<S> n, f;
};

template <class S>
Vec3<S> own_moment(const SecondMoments<S>& I, const Acceleration2<S>& U, const Vec3<S>& w, const Vec3<S>& wd,
                   const Policy& policy) {
  Vec3<S> N;
  N.x = I.yy * U.zy - I.zz * U.yz + I.yz * (U.wz2 - U.wy2) + I.xy * U.zx - I.xz * U.yx;
  N.y = I.zz * U.xz - I.xx * U.zx + I.xz * (U.wx2 - U.wz2) + I.yz * U.xy - I.xy * U.zy;
  N.z = policy.spin_sum ? (I.xx + I.yy) * wd.z + (I.xx - I.yy) * (w.x * w.y) : I.xx * U.yx - I.yy * U.xy;
  N.z = N.z + I.xy * (U.wy2 - U.wx2) + I.xz * U.yz - I.yz * U.xz;
  return N;
}

/// Whether the moment about a revolute link's z reaches no other joint: the parent is the ground, or a link
/// that turns about a fixed axis across this one.
template <class S>
bool moment_ends_here(const Tree<S>& tree, int i) {
  const Link<S>& link = tree.links[i];
  if (link.kind != LinkKind::revolute) return false;
  if (link.parent < 0) return true;
  const Link<S>& parent = tree.links[link.parent];
  return parent.kind == LinkKind::revolute && parent.parent < 0 && exactly(link.R_PJ(2, 2), 0.0);
}

/// From accelerations to joint forces; motion holds the results of accelerations().
template <class S>
void joint_forces(const Tree<S>& tree, const S* u, const S* ud, const std::vector<OutsideWrench<S>>& outside,
                  const Policy& policy, Motion<S>& motion, S* tau) {
  const int size = tree.size();
  for (int i = 0; i < size; ++i) {
    const Link<S>& link = tree.links[i];
    if (link.kind == LinkKind::rotor) {
      const S H = link.spin * u[link.v];
      motion.f[i] = Vec3<S>::zero();
      motion.n[i] = {motion.w[i].y * H, -(motion.w[i].x * H), link.spin * ud[link.v]};
      continue;
    }
    motion.f[i] = link.m * motion.a[i] + motion.U[i] * link.h;
    motion.n[i] =
        own_moment(link.sigma, motion.U[i], motion.w[i], motion.wd[i], policy) + cross(link.h, motion.a[i]);
    // Inertia that acts only at the joint joins the link's own moment first, where equal factors fold
    // together.
    if (moment_ends_here(tree, i)) {
      motion.n[i].z = motion.n[i].z + link.armature[0] * (S(link.sign) * ud[link.v]);
    }
  }
  for (const OutsideWrench<S>& wrench : outside) {
    motion.f[wrench.link] = motion.f[wrench.link] - wrench.f;
    motion.n[wrench.link] = motion.n[wrench.link] - wrench.n;
  }
  // Moments that go to the base of a parallel group by the sum angle, collected there.
  std::vector<Vec3<S>> at_base;
  const bool by_groups = policy.group_moment && !std::is_same_v<S, double>;
  if (by_groups) at_base.assign(static_cast<std::size_t>(size), Vec3<S>::zero());

  for (int i = size - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    const int P = link.parent;
    switch (link.kind) {
      case LinkKind::revolute:
        tau[link.v] = S(link.sign) * motion.n[i].z;
        if (!moment_ends_here(tree, i)) tau[link.v] = tau[link.v] + link.armature[0] * ud[link.v];
        break;
      case LinkKind::rotor:
        tau[link.v] = link.spin * motion.wd[i].z + (link.spin + link.armature[0]) * ud[link.v];
        break;
      case LinkKind::prismatic:
        tau[link.v] = motion.f[i].z + link.armature[0] * ud[link.v];
        break;
      case LinkKind::helical:
        tau[link.v] = motion.n[i].z + link.pitch * motion.f[i].z + link.armature[0] * ud[link.v];
        break;
      case LinkKind::spherical:
      case LinkKind::free:
        for (int k = 0; k < 3; ++k) tau[link.v + k] = motion.n[i][k] + link.armature[k] * ud[link.v + k];
        if (link.kind == LinkKind::spherical) break;
        for (int k = 3; k < 6; ++k) tau[link.v + k] = motion.f[i][k - 3] + link.armature[k] * ud[link.v + k];
        break;
      case LinkKind::fixed:
        break;
    }
    const int g = motion.group[i];
    const bool grouped = by_groups && g >= 0;
    if (grouped) {
      // The x and y moments of this link go straight to the group's base.
      const Vec3<S> xy{motion.n[i].x, motion.n[i].y, S(0.0)};
      at_base[g] = at_base[g] + turn_from_link(motion.group_c[i], motion.group_s[i], xy);
    }
    if (P < 0) continue;
    const Vec3<S> f = to_parent(link, motion, i, motion.f[i]);
    motion.f[P] = motion.f[P] + f;
    Vec3<S> n = cross(motion.r[i], f);
    if (!grouped) {
      n = n + to_parent(link, motion, i, motion.n[i]);
    } else if (g == i) {
      n = n + link.R_PJ * Vec3<S>{at_base[g].x, at_base[g].y, motion.n[i].z};
    } else {
      n.z = n.z + motion.n[i].z;
    }
    motion.n[P] = motion.n[P] + n;
  }
}

/// tau = M ud + h: position() must have run.
template <class S>
void newton_euler(const Tree<S>& tree, const S* u, const S* ud, const std::vector<OutsideWrench<S>>& outside,
                  const Policy& policy, Motion<S>& motion, S* tau) {
  accelerations(tree, u, ud, -tree.gravity, policy, motion);
  joint_forces(tree, u, ud, outside, policy, motion, tau);
}

}  // namespace tactus::derive
