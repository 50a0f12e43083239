// Links in the frame of their tree's root: poses, the fields of their speeds, their mass.
//
// All vectors of a tree are written in one frame, that of its root joint (of a root with a quaternion: the root link's own). What
// belongs to the bodies beyond a joint is then a plain sum over them, and each element of a matrix one dot of two vectors of six:
//
//   M_jk = Y(xi_j) . xi_k            k on the way from the ground to j
//
// with the field xi_k = (w, v) of a unit of speed k, v + w x r at the point r, and Y(xi) the (moment, force) that gives the bodies
// beyond j, as one, the acceleration xi. Elements of a row have one form: code evaluates them side by side (generate/side_by_side.h).
#pragma once

#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/newton_euler.h>

namespace tactus::derive {

/// A field of velocities or accelerations v + w x r; or (moment, force), with the moment about the same origin.
template <class S>
struct Twist {
  Vec3<S> w = Vec3<S>::zero(), v = Vec3<S>::zero();
};

template <class S>
Twist<S> operator+(const Twist<S>& a, const Twist<S>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class S>
Twist<S> operator*(const S& k, const Twist<S>& a) {
  return {k * a.w, k * a.v};
}
/// sum + a x b, product by product: each is one fused instruction.
template <class S>
Vec3<S> plus_cross(const Vec3<S>& sum, const Vec3<S>& a, const Vec3<S>& b) {
  return {sum.x + a.y * b.z - a.z * b.y, sum.y + a.z * b.x - a.x * b.z, sum.z + a.x * b.y - a.y * b.x};
}
/// The rate of b when its space moves with a.
template <class S>
Twist<S> cross(const Twist<S>& a, const Twist<S>& b) {
  return {cross(a.w, b.w), plus_cross(cross(a.w, b.v), a.v, b.w)};
}
/// The rate of the wrench F when its space moves with a, and the sum with that.
template <class S>
Twist<S> cross_wrench(const Twist<S>& a, const Twist<S>& F) {
  return {plus_cross(cross(a.w, F.w), a.v, F.v), cross(a.w, F.v)};
}
template <class S>
Twist<S> plus_cross_wrench(const Twist<S>& sum, const Twist<S>& a, const Twist<S>& F) {
  return {plus_cross(plus_cross(sum.w, a.w, F.w), a.v, F.v), plus_cross(sum.v, a.w, F.v)};
}

/// The sum so far and one product more. The product is made after the sum: on expressions the sum then keeps its sign, whatever the
/// product's, and elements of a row have the same form.
template <class S>
void add_product(S& sum, const S& x, const S& y) {
  const S product = x * y;
  sum = sum + product;
}

/// The power of a field on a wrench, by one chain of products as a processor adds them.
template <class S>
S pairing(const Twist<S>& a, const Twist<S>& b) {
  S sum = a.w.x * b.w.x;
  add_product(sum, a.w.y, b.w.y);
  add_product(sum, a.w.z, b.w.z);
  add_product(sum, a.v.x, b.v.x);
  add_product(sum, a.v.y, b.v.y);
  add_product(sum, a.v.z, b.v.z);
  return sum;
}
template <class S>
S pairing(const Twist<S>& a, const Twist<S>& b, const Vec3<S>& c, const Vec3<S>& d) {
  S sum = pairing(a, b);
  add_product(sum, c.x, d.x);
  add_product(sum, c.y, d.y);
  add_product(sum, c.z, d.z);
  return sum;
}

/// Y(xi): what giving the mass the acceleration xi takes.
template <class S>
Twist<S> effort(const MassMoments<S>& mass, const Twist<S>& xi) {
  const SecondMoments<S>& I = mass.sigma;
  const Vec3<S>&w = xi.w, &h = mass.h;
  const S yz = I.yy + I.zz, xz = I.xx + I.zz, xy = I.xx + I.yy;
  const Vec3<S> n{yz * w.x - I.xy * w.y - I.xz * w.z, xz * w.y - I.xy * w.x - I.yz * w.z,
                  xy * w.z - I.xz * w.x - I.yz * w.y};
  return {plus_cross(n, h, xi.v), plus_cross(mass.m * xi.v, w, h)};
}

/// Whether nothing that moves is below the link.
template <class S>
bool is_root(const Tree<S>& tree, int i) {
  const int P = tree.links[i].parent;
  return P < 0 || tree.links[P].kind == LinkKind::fixed;
}

/// Poses in the frames of the roots. Reused from call to call: sized once.
template <class S>
struct RootFrame {
  explicit RootFrame(const Tree<S>& tree)
      : X(tree.links.size()), R_J(tree.links.size()), xi(static_cast<std::size_t>(tree.nv)) {}

  std::vector<Pose<S>> X;    // of each link
  std::vector<Mat3<S>> R_J;  // of each link's joint frame
  std::vector<Twist<S>> xi;  // of each speed
};

/// The link's pose in the frame of its root, and that of its joint's frame.
template <class S>
void place_link(const Tree<S>& tree, const Motion<S>& motion, int i, RootFrame<S>& d) {
  constexpr bool by_groups = !std::is_same_v<S, double>;
  const Link<S>& link = tree.links[i];
  const bool whole = link.kind == LinkKind::spherical || link.kind == LinkKind::free;
  const bool turns = link.kind == LinkKind::revolute || link.kind == LinkKind::helical;
  Pose<S>& X = d.X[i];
  const int g = motion.group[i];
  if (is_root(tree, i)) {
    // Along its own axis the joint's frame and the link's are as good as each other: a slide is left out.
    d.R_J[i] = Mat3<S>::identity();
    X.p = Vec3<S>::zero();
  } else {
    const Pose<S>& X_P = d.X[link.parent];
    X.p = X_P.p + X_P.R * motion.r[i];
    if (!(by_groups && g >= 0 && g != i)) d.R_J[i] = X_P.R * link.R_PJ;
  }
  if (by_groups && g >= 0) {
    X.R = d.R_J[g] * math::rotation_z(motion.group_c[i], motion.group_s[i]);
  } else if (turns) {
    X.R = d.R_J[i] * math::rotation_z(motion.c[i], motion.s[i]);
  } else if (whole) {
    X.R = is_root(tree, i) ? Mat3<S>::identity() : d.R_J[i] * motion.R[i];
  } else {
    X.R = d.R_J[i];
  }
}

/// xi of the link's k-th speed, in the frame of the root.
template <class S>
Twist<S> speed_field(const Link<S>& link, int k, const Pose<S>& X) {
  const auto axis = [&](int i) { return X.R.col(static_cast<std::size_t>(i)); };
  switch (link.kind) {
    case LinkKind::revolute: {
      const Vec3<S> z = S(link.sign) * axis(2);
      return {z, cross(X.p, z)};
    }
    case LinkKind::rotor:
      return {axis(2), cross(X.p, axis(2))};
    case LinkKind::prismatic:
      return {Vec3<S>::zero(), axis(2)};
    case LinkKind::helical:
      return {axis(2), cross(X.p, axis(2)) + link.pitch * axis(2)};
    case LinkKind::spherical:
    case LinkKind::free:
      if (k >= 3) return {Vec3<S>::zero(), axis(k - 3)};
      return {axis(k), cross(X.p, axis(k))};
    case LinkKind::fixed:
      break;
  }
  return {};
}

/// The link's own mass about the frame's origin.
template <class S>
MassMoments<S> placed_mass(const Link<S>& link, const Pose<S>& X) {
  // Sigma + p k^T + k p^T with k = R h + m p / 2
  const Vec3<S> h = X.R * link.h;
  const Vec3<S>& r = X.p;
  const Vec3<S> k = h + (S(0.5) * link.m) * r;
  SecondMoments<S> I = moments_of(X.R * matrix_of(link.sigma) * X.R.transposed());
  I.xx = I.xx + S(2.0) * (r.x * k.x);
  I.yy = I.yy + S(2.0) * (r.y * k.y);
  I.zz = I.zz + S(2.0) * (r.z * k.z);
  I.xy = I.xy + (r.x * k.y + r.y * k.x);
  I.xz = I.xz + (r.x * k.z + r.z * k.x);
  I.yz = I.yz + (r.y * k.z + r.z * k.y);
  return {link.m, h + link.m * r, I};
}

template <class S>
MassMoments<S> operator+(const MassMoments<S>& a, const MassMoments<S>& b) {
  return {a.m + b.m, a.h + b.h, a.sigma + b.sigma};
}

/// M (nv x nv, both triangles) by dots. Each Y(xi) is that of the composite body in link axes, where a joint's xi is an axis and Y needs
/// no products, brought to the frame of the root. position() must have run, on expressions group_angles() too.
template <class S>
void mass_by_dots(const Tree<S>& tree, const Motion<S>& motion, RootFrame<S>& frame, S* M) {
  const int nv = tree.nv;
  for (int k = 0; k < nv * nv; ++k) M[k] = S(0.0);
  std::vector<CompositeBody<S>> composite(tree.links.size());
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    composite[i] = {{link.m, link.h, link.sigma}, link.sigma.xx + link.sigma.yy};
    if (link.kind == LinkKind::fixed) continue;
    place_link(tree, motion, i, frame);
    for (int k = 0; k < speed_count(link.kind); ++k)
      frame.xi[static_cast<std::size_t>(link.v + k)] = speed_field(link, k, frame.X[i]);
  }
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Link<S>& link = tree.links[i];
    if (link.kind == LinkKind::fixed) continue;
    add_to_parent(tree, motion, i, composite);
    const Pose<S>& X = frame.X[i];
    for (int k = 0; k < speed_count(link.kind); ++k) {
      const int row = link.v + k;
      Vec3<S> n, f;
      unit_wrench(link, k, composite[i], n, f);
      f = X.R * f;
      const Twist<S> Y{X.R * n + cross(X.p, f), f};
      for (int a = i; a >= 0; a = is_root(tree, a) ? -1 : tree.links[a].parent) {
        const Link<S>& to = tree.links[a];
        for (int l = 0; l < speed_count(to.kind); ++l) {
          const int column = to.v + l;
          if (a == i && l > k) continue;
          S element = pairing(Y, frame.xi[static_cast<std::size_t>(column)]);
          if (column == row) element = element + link.armature[static_cast<std::size_t>(k)];
          M[row * nv + column] = element;
          M[column * nv + row] = element;
        }
      }
    }
  }
}

}  // namespace tactus::derive
