// Simbody (Debian's libsimbody-dev), through the shortest sequences that give each quantity:
//
//   mass matrix        realize Position, calcM
//   inverse dynamics   realize Velocity, the gravity element's body forces,
//                      calcResidualForceIgnoringConstraints
//   forward dynamics   realize Acceleration, with or without loops
//
// Simbody has no rotor inertia. For inverse dynamics and the mass matrix it is added here (one product per
// joint); for forward dynamics Simbody runs, and is checked on, the same mechanism without it.
//
// A loop is closed by two constraints, each of which keeps the point of one link in a plane of the other: two
// rows, while Simbody's ball constraint would have three.
#include <memory>

#include <Simbody.h>

#include <tactus/base/check.h>

#include "contender.h"
#include "rigid_numbers.h"

namespace tactus::bench {

namespace {

using SimTK::Vec3;

Vec3 vec3(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Rotation rotation(const Eigen::Matrix3d& R) {
  return SimTK::Rotation(
      SimTK::Mat33(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), true);
}

SimTK::Transform transform(const Eigen::Isometry3d& X) {
  return {rotation(X.linear()), vec3(X.translation())};
}

struct System {
  explicit System(const Mechanism& mechanism)
      : matter(system),
        forces(system),
        gravity(forces, matter, vec3(gravity_of(mechanism.model))),
        efforts(forces, matter),
        applied(mechanism.nv, 0.0),
        udot(mechanism.nv, 0.0),
        result(mechanism.nv, 0.0),
        M(mechanism.nv, mechanism.nv) {
    const std::vector<RigidLink> links = rigid_links(mechanism.model);
    for (const RigidLink& link : links) {
      const Eigen::Matrix3d& I = link.inertia;
      const Vec3 com = vec3(link.com);
      const SimTK::Inertia about_com(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
      const SimTK::Body::Rigid body(
          SimTK::MassProperties(link.mass, com, about_com.shiftFromMassCenter(-com, link.mass)));
      // A pin turns about z: both of its frames carry the axis there.
      Eigen::Isometry3d Z = Eigen::Isometry3d::Identity();
      Z.linear() = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), link.axis).toRotationMatrix();
      const SimTK::MobilizedBody::Pin pin(body_of(link.parent), transform(link.X_PJ * Z), body,
                                          transform(link.X_FB.inverse() * Z));
      bodies.push_back(pin.getMobilizedBodyIndex());
      armature.push_back(link.armature);
    }
    for (const RigidLoop& loop : rigid_loops(mechanism.model)) {
      const RigidLink& a = links[static_cast<std::size_t>(loop.link_a)];
      const Eigen::Vector3d axis = a.X_FB.linear().transpose() * a.axis, across = axis.unitOrthogonal();
      for (const Eigen::Vector3d& normal : {across, Eigen::Vector3d(axis.cross(across))}) {
        SimTK::Constraint::PointInPlane(body_of(loop.link_a), SimTK::UnitVec3(vec3(normal)),
                                        normal.dot(loop.at_a), body_of(loop.link_b), vec3(loop.at_b));
      }
    }
    state = system.realizeTopology();
    system.realizeModel(state);
    TACTUS_CHECK(state.getNU() == mechanism.nv);
  }

  SimTK::MobilizedBody& body_of(int link) {
    return matter.updMobilizedBody(link < 0 ? matter.Ground().getMobilizedBodyIndex()
                                            : bodies[static_cast<std::size_t>(link)]);
  }
  /// Where a link's coordinate stands among Simbody's.
  std::size_t place_of(std::size_t link) {
    return static_cast<std::size_t>(body_of(static_cast<int>(link)).getFirstUIndex(state));
  }

  void set_position(const State& s) {
    SimTK::Vector& q = state.updQ();
    for (int k = 0; k < q.size(); ++k) q[k] = s.q[static_cast<std::size_t>(k)];
  }
  void set_motion(const State& s) {
    set_position(s);
    SimTK::Vector& u = state.updU();
    for (int k = 0; k < u.size(); ++k) u[k] = s.u[static_cast<std::size_t>(k)];
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::Gravity gravity;
  SimTK::Force::DiscreteForces efforts;
  SimTK::State state;
  std::vector<SimTK::MobilizedBodyIndex> bodies;
  std::vector<double> armature;
  SimTK::Vector applied, udot, result;
  SimTK::Matrix M;
};

}  // namespace

std::optional<Contender> simbody_contender(const Mechanism& mechanism, Quantity quantity) {
  if (quantity == Quantity::step) return std::nullopt;  // its Runge-Kutta integrators choose their own steps
  const bool rigid_rotors = quantity == Quantity::forward_dynamics;
  const Mechanism simulated = rigid_rotors ? without_armature(mechanism) : mechanism;
  const auto s = std::make_shared<System>(simulated);
  const auto states = std::make_shared<std::vector<State>>(simulated.states);
  const int n = mechanism.nv;
  const std::string system = "Simbody 3.7";
  const auto read = [s, n](double* to) {
    for (int k = 0; k < n; ++k) to[k] = s->result[k];
  };
  switch (quantity) {
    case Quantity::mass_matrix:
      return contender(
          system,
          [s, states, n](std::size_t i) {
            s->set_position((*states)[i]);
            s->system.realize(s->state, SimTK::Stage::Position);
            s->matter.calcM(s->state, s->M);
            for (int k = 0; k < n; ++k) s->M(k, k) += s->armature[static_cast<std::size_t>(k)];
          },
          [s, n](double* to) {
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < n; ++j) to[i * n + j] = s->M(i, j);
          });
    case Quantity::inverse_dynamics:
      return contender(
          system,
          [s, states, n](std::size_t i) {
            const State& at = (*states)[i];
            s->set_motion(at);
            for (int k = 0; k < n; ++k) s->udot[k] = at.udot[static_cast<std::size_t>(k)];
            s->system.realize(s->state, SimTK::Stage::Velocity);
            s->matter.calcResidualForceIgnoringConstraints(
                s->state, s->applied, s->gravity.getBodyForces(s->state), s->udot, s->result);
            for (int k = 0; k < n; ++k) s->result[k] += s->armature[static_cast<std::size_t>(k)] * s->udot[k];
          },
          read);
    case Quantity::forward_dynamics: {
      Contender made = contender(
          system,
          [s, states, n](std::size_t i) {
            const State& at = (*states)[i];
            s->set_motion(at);
            for (int k = 0; k < n; ++k) s->applied[k] = at.tau[static_cast<std::size_t>(k)];
            s->efforts.setAllMobilityForces(s->state, s->applied);
            s->system.realize(s->state, SimTK::Stage::Acceleration);
          },
          [s, n](double* to) {
            for (int k = 0; k < n; ++k) to[k] = s->state.getUDot()[k];
          });
      made.without_rotors = true;
      return made;
    }
    case Quantity::step:
      break;
  }
  return std::nullopt;
}

std::optional<Contender> simbody_loop_contender(const Mechanism& mechanism) {
  const auto s = std::make_shared<System>(mechanism);
  const auto n = static_cast<std::size_t>(mechanism.nv);
  const auto states = std::make_shared<std::vector<State>>(mechanism.states);
  for (std::size_t i = 0; i < kStates; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t to = s->place_of(k);
      (*states)[i].q[to] = mechanism.states[i].q[k];
      (*states)[i].u[to] = mechanism.states[i].u[k];
      (*states)[i].tau[to] = mechanism.states[i].tau[k];
    }
  }
  return contender(
      "Simbody 3.7",
      [s, states, n](std::size_t i) {
        const State& at = (*states)[i];
        s->set_motion(at);
        for (std::size_t k = 0; k < n; ++k) s->applied[static_cast<int>(k)] = at.tau[k];
        s->efforts.setAllMobilityForces(s->state, s->applied);
        s->system.realize(s->state, SimTK::Stage::Acceleration);
      },
      [s, n](double* to) {
        for (std::size_t k = 0; k < n; ++k) to[k] = s->state.getUDot()[static_cast<int>(s->place_of(k))];
      });
}

}  // namespace tactus::bench
