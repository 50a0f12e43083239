// DART (Debian's libdart-dev), through the shortest sequences of its skeleton:
//
//   inverse dynamics   setPositions, setVelocities, setAccelerations, computeInverseDynamics
//   forward dynamics   setPositions, setVelocities, setForces, computeForwardDynamics (articulated bodies)
//   mass matrix        setPositions, getMassMatrix
//
// DART's revolute joints have no rotor inertia. For inverse dynamics and the mass matrix it is added here (one product per joint); for
// forward dynamics DART runs, and is checked on, the same mechanism without it.
#include <memory>
#include <string>
#include <vector>

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "contender.h"
#include "rigid_numbers.h"

namespace tactus::bench {

namespace {

namespace dynamics = dart::dynamics;
using Vector = Eigen::VectorXd;

struct System {
  explicit System(const Mechanism& mechanism) : skeleton(dynamics::Skeleton::create("mechanism")) {
    skeleton->setGravity(gravity_of(mechanism.model));
    const std::vector<RigidLink> links = rigid_links(mechanism.model);
    std::vector<dynamics::BodyNode*> bodies;
    armature.resize(static_cast<Eigen::Index>(links.size()));
    for (std::size_t k = 0; k < links.size(); ++k) {
      const RigidLink& link = links[k];
      dynamics::RevoluteJoint::Properties joint;
      joint.mName = "q" + std::to_string(k);
      joint.mAxis = link.axis;
      joint.mT_ParentBodyToJoint = link.X_PJ;
      joint.mT_ChildBodyToJoint = link.X_FB.inverse();
      dynamics::BodyNode* parent = link.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(link.parent)];
      dynamics::BodyNode* body =
          skeleton->createJointAndBodyNodePair<dynamics::RevoluteJoint>(parent, joint).second;
      body->setInertia(dynamics::Inertia(link.mass, link.com, link.inertia));
      bodies.push_back(body);
      armature[static_cast<Eigen::Index>(k)] = link.armature;
    }
  }
  static Eigen::Map<const Vector> vector(const std::vector<double>& from) {
    return {from.data(), static_cast<Eigen::Index>(from.size())};
  }
  void set_motion(const State& at) {
    skeleton->setPositions(vector(at.q));
    skeleton->setVelocities(vector(at.u));
  }
  dynamics::SkeletonPtr skeleton;
  Vector armature, result;
  Eigen::MatrixXd M;
};

}  // namespace

std::optional<Contender> dart_contender(const Mechanism& mechanism, Quantity quantity) {
  if (quantity == Quantity::step) return std::nullopt;  // its steps are those of semi-implicit Euler
  const bool rigid_rotors = quantity == Quantity::forward_dynamics;
  const Mechanism simulated = rigid_rotors ? without_armature(mechanism) : mechanism;
  const auto s = std::make_shared<System>(simulated);
  const auto states = std::make_shared<std::vector<State>>(simulated.states);
  const auto n = static_cast<Eigen::Index>(mechanism.nv);
  const std::string system = "DART 6.12";
  const auto read = [s, n](double* to) { Eigen::Map<Vector>(to, n) = s->result; };
  switch (quantity) {
    case Quantity::inverse_dynamics:
      return contender(
          system,
          [s, states](std::size_t i) {
            const State& at = (*states)[i];
            s->set_motion(at);
            s->skeleton->setAccelerations(System::vector(at.udot));
            s->skeleton->computeInverseDynamics();
            s->result = s->skeleton->getForces() + s->armature.cwiseProduct(System::vector(at.udot));
          },
          read);
    case Quantity::forward_dynamics: {
      Contender made = contender(
          system,
          [s, states](std::size_t i) {
            const State& at = (*states)[i];
            s->set_motion(at);
            s->skeleton->setForces(System::vector(at.tau));
            s->skeleton->computeForwardDynamics();
            s->result = s->skeleton->getAccelerations();
          },
          read);
      made.without_rotors = true;
      return made;
    }
    case Quantity::mass_matrix:
      return contender(
          system,
          [s, states](std::size_t i) {
            s->skeleton->setPositions(System::vector((*states)[i].q));
            s->M = s->skeleton->getMassMatrix();
            s->M.diagonal() += s->armature;
          },
          [s, n](double* to) {
            for (Eigen::Index i = 0; i < n; ++i)
              for (Eigen::Index j = 0; j < n; ++j) to[i * n + j] = s->M(i, j);
          });
    case Quantity::step:
      break;
  }
  return std::nullopt;
}

}  // namespace tactus::bench
