// A model as the recursions see it: links carried by elementary joints whose axis is the link's own z.
//
// Every joint of a model becomes one link or several (a universal joint is two revolute links, the first
// without inertia). The scalar S is double, or Expr for symbolic derivation; the recursions are the same
// templates.
#pragma once

#include <string>
#include <vector>

#include <tactus/math/rotation.h>
#include <tactus/math/vec3.h>

namespace tactus::derive {

using math::Mat3;
using math::Pose;
using math::Vec3;

enum class LinkKind {
  revolute,   // turns about z by sign q + offset
  prismatic,  // slides along z by q
  helical,    // turns about z by q and slides along z by pitch q
  spherical,  // orientation by a unit quaternion; speeds: angular velocity in the link's axes
  free,   // position in the joint's frame, then a unit quaternion; speeds: [angular; linear] in the link's
          // axes
  rotor,  // a last revolute link, symmetric about z: its mass counts to the parent, here only its spin is
          // left
  fixed,  // carries inertia that no joint moves: only as a root (ground)
};

/// Second moments of mass about a point: the integral of r r^T dm. The inertia matrix is trace(Sigma) 1 -
/// Sigma. Mass on the z axis changes only zz, which is why the recursions are written in these numbers.
template <class S>
struct SecondMoments {
  S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
};

template <class S>
struct Link {
  int parent = -1;  // index of the parent link; -1 for the ground
  LinkKind kind = LinkKind::revolute;
  std::string name;

  Mat3<S> R_PJ = Mat3<S>::identity();  // the joint's frame J in the parent's axes
  Vec3<S> p_PJ = Vec3<S>::zero();      // p_PoJo_P
  S offset{};                          // revolute: the angle is sign q + offset
  double sign = 1.0;                   // revolute: which way the coordinate counts
  S pitch{};                           // helical [m/rad]

  S m{};                        // mass [kg]
  Vec3<S> h = Vec3<S>::zero();  // first moments about the link's origin [kg m]
  SecondMoments<S> sigma;       // second moments about the link's origin [kg m^2]
  S spin{};                     // rotor: moment of inertia about z
  std::array<S, 6> armature{};  // rotor inertia of each degree of freedom

  int q = 0;  // index of its first coordinate
  int v = 0;  // index of its first speed
};

inline int speed_count(LinkKind kind) {
  switch (kind) {
    case LinkKind::spherical:
      return 3;
    case LinkKind::free:
      return 6;
    case LinkKind::fixed:
      return 0;
    default:
      return 1;
  }
}

template <class S>
struct Tree {
  std::vector<Link<S>> links;  // parents first
  Vec3<S> gravity = Vec3<S>::zero();
  int nq = 0;
  int nv = 0;

  /// Where each body of the model is: fixed in a link, at X_LB. Link -1: the ground.
  struct BodyPlace {
    int link = -1;
    Pose<S> X_LB;
  };
  std::vector<BodyPlace> bodies;

  int size() const { return static_cast<int>(links.size()); }
};

}  // namespace tactus::derive
