// KDL (Debian's liborocos-kdl-dev), for chains:
//
//   inverse dynamics   ChainIdSolver_RNE
//   mass matrix        ChainDynParam::JntToMass
//   forward dynamics   ChainFdSolver_RNE: the mass matrix, its factors, and the bias by inverse dynamics
//
// Rotor inertia is the joints' own `inertia`.
#include <memory>
#include <string>
#include <vector>

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "contender.h"
#include "rigid_numbers.h"

namespace tactus::bench {

namespace {

KDL::Vector vector(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

KDL::Frame frame(const Eigen::Isometry3d& X) {
  const Eigen::Matrix3d R = X.linear();
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          vector(X.translation())};
}

/// A segment's tip is the link's body frame; its joint turns about an axis through a point of the link before.
KDL::Chain chain_of(const std::vector<RigidLink>& links) {
  KDL::Chain chain;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const RigidLink& link = links[k];
    const Eigen::Vector3d axis = link.X_PJ.linear() * link.axis;
    const KDL::Joint joint("q" + std::to_string(k), vector(link.X_PJ.translation()), vector(axis),
                           KDL::Joint::RotAxis, 1.0, 0.0, link.armature);
    const Eigen::Matrix3d& I = link.inertia;
    chain.addSegment(KDL::Segment(
        joint, frame(link.X_PJ * link.X_FB),
        KDL::RigidBodyInertia(link.mass, vector(link.com),
                              KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)))));
  }
  return chain;
}

bool is_chain(const std::vector<RigidLink>& links) {
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].parent != static_cast<int>(k) - 1) return false;
  return true;
}

struct System {
  System(const KDL::Chain& links, const KDL::Vector& gravity, unsigned n)
      : chain(links),
        inverse(chain, gravity),
        forward(chain, gravity),
        parameters(chain, gravity),
        none(chain.getNrOfSegments(), KDL::Wrench::Zero()),
        q(n),
        u(n),
        in(n),
        out(n),
        M(n) {}
  static void set(const std::vector<double>& from, KDL::JntArray& to) {
    for (unsigned k = 0; k < to.rows(); ++k) to(k) = from[k];
  }
  KDL::Chain chain;
  KDL::ChainIdSolver_RNE inverse;
  KDL::ChainFdSolver_RNE forward;
  KDL::ChainDynParam parameters;
  KDL::Wrenches none;
  KDL::JntArray q, u, in, out;
  KDL::JntSpaceInertiaMatrix M;
};

}  // namespace

std::optional<Contender> kdl_contender(const Mechanism& mechanism, Quantity quantity) {
  const std::vector<RigidLink> links = rigid_links(mechanism.model);
  if (quantity == Quantity::step || !is_chain(links)) return std::nullopt;
  const auto n = static_cast<unsigned>(mechanism.nv);
  const auto s = std::make_shared<System>(chain_of(links), vector(gravity_of(mechanism.model)), n);
  const auto states = std::make_shared<std::vector<State>>(mechanism.states);
  const auto read = [s, n](double* to) {
    for (unsigned k = 0; k < n; ++k) to[k] = s->out(k);
  };
  const std::string system = "KDL 1.5";
  // With udot or tau in, tau or udot out.
  const auto solved = [&](std::vector<double> State::*given, auto* solver) {
    return contender(
        system,
        [s, states, given, solver](std::size_t i) {
          const State& at = (*states)[i];
          System::set(at.q, s->q);
          System::set(at.u, s->u);
          System::set(at.*given, s->in);
          solver->CartToJnt(s->q, s->u, s->in, s->none, s->out);
        },
        read);
  };
  switch (quantity) {
    case Quantity::inverse_dynamics:
      return solved(&State::udot, &s->inverse);
    case Quantity::forward_dynamics:
      return solved(&State::tau, &s->forward);
    case Quantity::mass_matrix:
      return contender(
          system,
          [s, states](std::size_t i) {
            System::set((*states)[i].q, s->q);
            s->parameters.JntToMass(s->q, s->M);
          },
          [s, n](double* to) {
            for (unsigned i = 0; i < n; ++i)
              for (unsigned j = 0; j < n; ++j) to[i * n + j] = s->M(i, j);
          });
    case Quantity::step:
      break;
  }
  return std::nullopt;
}

}  // namespace tactus::bench
