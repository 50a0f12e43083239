// The mass matrix by composite bodies: each joint moves everything beyond it as one rigid body.
//
// The composite body of link i has mass moments (m, h, Sigma) about the link's origin. Moving it by a unit of
// the joint's speed, twist (w, v), takes
//   f = m v + w x h,      n = (trace(Sigma) 1 - Sigma) w + h x v
// and the component of (n, f) along each joint between i and the ground is an element of M. For a revolute
// joint (w = z) that is n = (-xz, -yz, xx + yy), f = (-h_y, h_x, 0).
//
// Turning Sigma about z by (c, s) takes four products: with w = s (xx - yy) + 2 c xy
//   xx' = xx - s w,   yy' = yy + s w,   xy' = c w - xy.
#pragma once

#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/tree/mass.h>

namespace tactus::derive {

/// R Sigma R^T for a turn about z.
template <class S>
SecondMoments<S> turned_about_z(const SecondMoments<S>& I, const S& c, const S& s) {
  const S w = s * (I.xx - I.yy) + c * (S(2.0) * I.xy);
  const S sw = s * w;
  return {I.xx - sw, I.yy + sw, I.zz, c * w - I.xy, c * I.xz - s * I.yz, s * I.xz + c * I.yz};
}

/// R Sigma R^T for any rotation; a turn about x (the usual twist) takes the short way.
template <class S>
SecondMoments<S> rotated(const SecondMoments<S>& I, const Mat3<S>& R) {
  if (is_identity(R)) return I;
  if (turns_about_x(R)) {
    const S &c = R(1, 1), &s = R(2, 1);
    const SecondMoments<S> t = turned_about_z(SecondMoments<S>{I.yy, I.zz, I.xx, I.yz, I.xy, I.xz}, c, s);
    return {t.zz, t.xx, t.yy, t.xz, t.yz, t.xy};
  }
  return moments_of(R * matrix_of(I) * R.transposed());
}

/// A composite body: its mass moments, and its moment of inertia about z = xx + yy on its own, which a turn
/// about z leaves alone (so that planar mechanisms never touch xx and yy).
template <class S>
struct CompositeBody : MassMoments<S> {
  S about_z{};
};

/// The composite body about the parent's origin, in the parent's axes.
template <class S>
CompositeBody<S> at_parent(const Link<S>& link, const Motion<S>& motion, int i, const CompositeBody<S>& C) {
  CompositeBody<S> P;
  P.m = C.m;
  const Vec3<S> h = to_parent(link, motion, i, C.h);
  SecondMoments<S> I = C.sigma;
  if (link.kind == LinkKind::revolute || link.kind == LinkKind::helical) {
    I = turned_about_z(I, motion.c[i], motion.s[i]);
  } else if (link.kind == LinkKind::spherical || link.kind == LinkKind::free) {
    I = rotated(I, motion.R[i]);
  }
  I = rotated(I, link.R_PJ);
  const Vec3<S>& r = motion.r[i];
  const Vec3<S> k = h + (S(0.5) * C.m) * r;  // Sigma + r h^T + h r^T + m r r^T = Sigma + r k^T + k r^T
  I.xx = I.xx + S(2.0) * r.x * k.x;
  I.yy = I.yy + S(2.0) * r.y * k.y;
  I.zz = I.zz + S(2.0) * r.z * k.z;
  I.xy = I.xy + (r.x * k.y + r.y * k.x);
  I.xz = I.xz + (r.x * k.z + r.z * k.x);
  I.yz = I.yz + (r.y * k.z + r.z * k.y);
  P.sigma = I;
  P.h = h + C.m * r;
  const bool keeps_z =
      is_identity(link.R_PJ) && link.kind != LinkKind::spherical && link.kind != LinkKind::free;
  P.about_z = keeps_z ? C.about_z + S(2.0) * (r.x * k.x + r.y * k.y) : I.xx + I.yy;
  return P;
}

/// (n, f) that a unit of the link's k-th speed takes from the composite body C.
template <class S>
void unit_wrench(const Link<S>& link, int k, const CompositeBody<S>& C, Vec3<S>& n, Vec3<S>& f) {
  const SecondMoments<S>& I = C.sigma;
  const S zero(0.0);
  const auto about = [&](int axis) {
    switch (axis) {
      case 0:
        return Vec3<S>{I.yy + I.zz, -I.xy, -I.xz};
      case 1:
        return Vec3<S>{-I.xy, I.xx + I.zz, -I.yz};
      default:
        return Vec3<S>{-I.xz, -I.yz, C.about_z};
    }
  };
  switch (link.kind) {
    case LinkKind::revolute:
      n = S(link.sign) * about(2);
      f = S(link.sign) * Vec3<S>{-C.h.y, C.h.x, zero};
      break;
    case LinkKind::rotor:
      n = {zero, zero, link.spin};
      f = Vec3<S>::zero();
      break;
    case LinkKind::prismatic:
      n = {C.h.y, -C.h.x, zero};
      f = {zero, zero, C.m};
      break;
    case LinkKind::helical:
      n = about(2) + link.pitch * Vec3<S>{C.h.y, -C.h.x, zero};
      f = {-C.h.y, C.h.x, link.pitch * C.m};
      break;
    case LinkKind::spherical:
    case LinkKind::free:
      if (k < 3) {
        n = about(k);
        f = cross(Vec3<S>::unit(static_cast<std::size_t>(k)), C.h);
      } else {
        const Vec3<S> e = Vec3<S>::unit(static_cast<std::size_t>(k - 3));
        n = cross(C.h, e);
        f = C.m * e;
      }
      break;
    case LinkKind::fixed:
      break;
  }
}

/// The component of (n, f) along the link's k-th speed.
template <class S>
S along_joint(const Link<S>& link, int k, const Vec3<S>& n, const Vec3<S>& f) {
  switch (link.kind) {
    case LinkKind::revolute:
      return S(link.sign) * n.z;
    case LinkKind::rotor:
      return n.z;
    case LinkKind::prismatic:
      return f.z;
    case LinkKind::helical:
      return n.z + link.pitch * f.z;
    case LinkKind::spherical:
      return n[static_cast<std::size_t>(k)];
    case LinkKind::free:
      return k < 3 ? n[static_cast<std::size_t>(k)] : f[static_cast<std::size_t>(k - 3)];
    case LinkKind::fixed:
      break;
  }
  return S(0.0);
}

/// From this many links on, a parallel group carries its wrenches in the axes of its base: the force then
/// needs no turning from link to link. (Shorter groups are cheaper in link axes, where offsets have zeros.)
inline constexpr int kLongGroup = 4;

/// Carries the wrench (n, f) at link i down to the ground, handing each link's (n, f) on the way to `visit`.
/// Inside a parallel group only the z component of n is complete, which is all that its joints ask for.
template <class S, class Visit>
void carry_down(const Tree<S>& tree, const Motion<S>& motion, bool by_groups, int i, Vec3<S> n, Vec3<S> f,
                const Visit& visit) {
  const Vec3<S> zero = Vec3<S>::zero();
  Vec3<S> base = zero;  // x and y moments that have gone straight to the base of a short group
  for (int j = i; tree.links[j].parent >= 0;) {
    const Link<S>& from = tree.links[j];
    const int Q = from.parent, g = motion.group[j];
    if (by_groups && g >= 0 && motion.group_size[g] >= kLongGroup) {
      // Base axes all the way to the group's first link.
      f = turn_from_link(motion.group_c[j], motion.group_s[j], f);
      n = turn_from_link(motion.group_c[j], motion.group_s[j], n);
      for (; j != g; j = tree.links[j].parent) {
        const int P = tree.links[j].parent;
        const Vec3<S> r = turn_from_link(motion.group_c[P], motion.group_s[P], motion.r[j]);
        n = n + cross(r, f);
        visit(P, n, f);
      }
      const Link<S>& first = tree.links[g];
      if (first.parent < 0) return;
      f = first.R_PJ * f;
      n = first.R_PJ * n + cross(motion.r[g], f);
      j = first.parent;
      visit(j, n, f);
      continue;
    }
    const Vec3<S> f_Q = to_parent(from, motion, j, f);
    if (by_groups && g >= 0) {
      base = base + turn_from_link(motion.group_c[j], motion.group_s[j], Vec3<S>{n.x, n.y, S(0.0)});
      const S n_z = n.z;
      n = cross(motion.r[j], f_Q);
      if (g == j) {
        n = n + from.R_PJ * Vec3<S>{base.x, base.y, n_z};
        base = zero;
      } else {
        n.z = n.z + n_z;
      }
    } else {
      n = cross(motion.r[j], f_Q) + to_parent(from, motion, j, n);
    }
    f = f_Q;
    visit(Q, n, f);
    j = Q;
  }
}

/// Counts the composite body of link i, complete by now, to its parent's.
template <class S>
void add_to_parent(const Tree<S>& tree, const Motion<S>& motion, int i,
                   std::vector<CompositeBody<S>>& composite) {
  const Link<S>& link = tree.links[i];
  const int P = link.parent;
  if (P >= 0 && link.kind != LinkKind::rotor) {
    const CompositeBody<S> at_P = at_parent(link, motion, i, composite[i]);
    CompositeBody<S>& sum = composite[P];
    sum = {{sum.m + at_P.m, sum.h + at_P.h, sum.sigma + at_P.sigma}, sum.about_z + at_P.about_z};
  }
  // Where xx and yy are needed anyway, further down, their sum is the cheaper way to the moment about z.
  const bool ends_here = motion.group[i] >= 0 && tree.links[motion.group[i]].parent < 0;
  if (!ends_here) composite[i].about_z = composite[i].sigma.xx + composite[i].sigma.yy;
}

/// Hands every element of M that the tree does not make zero to set(row, column, element), once for both
/// triangles (column <= row where the links are numbered from the ground). position() must have run;
/// `composite` is scratch of one entry per link.
template <class S, class Set>
void composite_elements(const Tree<S>& tree, const Policy& policy, Motion<S>& motion,
                        std::vector<CompositeBody<S>>& composite, const Set& set) {
  const bool by_groups = policy.group_moment && !std::is_same_v<S, double>;
  composite.resize(tree.links.size());
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    composite[i] = {{link.m, link.h, link.sigma}, link.sigma.xx + link.sigma.yy};
  }
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    add_to_parent(tree, motion, i, composite);
    for (int k = 0; k < speed_count(link.kind); ++k) {
      Vec3<S> n, f;
      unit_wrench(link, k, composite[i], n, f);
      for (int l = 0; l <= k; ++l) {
        S element = along_joint(link, l, n, f);
        if (l == k) element = element + link.armature[k];
        set(link.v + k, link.v + l, element);
      }
      carry_down(tree, motion, by_groups, i, n, f, [&](int Q, const Vec3<S>& n_Q, const Vec3<S>& f_Q) {
        const Link<S>& to = tree.links[Q];
        for (int l = 0; l < speed_count(to.kind); ++l) {
          set(link.v + k, to.v + l, along_joint(to, l, n_Q, f_Q));
        }
      });
    }
  }
}

/// M, row by row (nv x nv, both triangles).
template <class S>
void composite_body(const Tree<S>& tree, const Policy& policy, Motion<S>& motion,
                    std::vector<CompositeBody<S>>& composite, S* M) {
  const int nv = tree.nv;
  for (int k = 0; k < nv * nv; ++k) M[k] = S(0.0);
  composite_elements(tree, policy, motion, composite, [&](int row, int column, const S& element) {
    M[row * nv + column] = element;
    M[column * nv + row] = element;
  });
}

}  // namespace tactus::derive
