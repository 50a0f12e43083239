// Energies and momenta of a tree, over any scalar.
//
// Per link, in its axes: p = m v + w x h, L = J w + h x v (about its origin); kinetic energy 1/2 (v.p + w.L),
// to which rotors on the joints' side add 1/2 armature qd^2.
#pragma once

#include <tactus/derive/recursion/articulated_body.h>

namespace tactus::derive {

template <class S>
struct EnergyAndMomentum {
  S kinetic{}, potential{}, mass{};
  Vec3<S> linear = Vec3<S>::zero();        // world axes
  Vec3<S> angular = Vec3<S>::zero();       // about the world's origin, world axes
  Vec3<S> first_moment = Vec3<S>::zero();  // mass times the centre of mass
};

/// position() and velocities() must have run.
template <class S>
EnergyAndMomentum<S> energy_and_momentum(const Tree<S>& tree, const Motion<S>& motion, const S* u) {
  EnergyAndMomentum<S> sum;
  const std::vector<Pose<S>> X_WL = world_poses(tree, motion);
  const S half(0.5);
  for (int i = 0; i < tree.size(); ++i) {
    const Link<S>& link = tree.links[i];
    const Vec3<S>&w = motion.w[i], &v = motion.v[i];
    const SecondMoments<S>& I = link.sigma;
    const SecondMoments<S> J{I.yy + I.zz, I.xx + I.zz, I.xx + I.yy, -I.xy, -I.xz, -I.yz};
    const Vec3<S> p = link.m * v + cross(w, link.h);
    const Vec3<S> L = J * w + cross(link.h, v);
    sum.kinetic = sum.kinetic + half * (dot(v, p) + dot(w, L));
    for (int k = 0; k < speed_count(link.kind); ++k) {
      sum.kinetic = sum.kinetic + half * link.armature[k] * (u[link.v + k] * u[link.v + k]);
    }
    const Vec3<S> p_W = X_WL[i].R * p;
    const Vec3<S> moment = link.m * X_WL[i].p + X_WL[i].R * link.h;
    sum.linear = sum.linear + p_W;
    sum.angular = sum.angular + (X_WL[i].R * L + cross(X_WL[i].p, p_W));
    sum.first_moment = sum.first_moment + moment;
    sum.mass = sum.mass + link.m;
  }
  sum.potential = -dot(tree.gravity, sum.first_moment);
  return sum;
}

}  // namespace tactus::derive
