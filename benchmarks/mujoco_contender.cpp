// MuJoCo (Debian's libmujoco-dev), driven through the shortest sequences that give each quantity:
//
//   mass matrix        kinematics, comPos, crb                    (M stays in MuJoCo's sparse form)
//   inverse dynamics   kinematics, comPos, comVel, rne            plus armature qacc
//   forward dynamics   kinematics, comPos, crb, factorM, comVel, rne, solveM
//   step               mj_step, all optional stages disabled
//
// mj_inverse and mj_forward do the same and more (tendons, transmissions, constraints, sensors), and take
// longer.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <tactus/base/check.h>
#include <tactus/describe/model/model.h>

#include "contender.h"
#include "mujoco_simulator.h"
#include "rigid_numbers.h"

namespace tactus::bench {

namespace {

std::string vector_text(const Eigen::Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string pose_text(const Eigen::Isometry3d& X) {
  const Eigen::Vector3d ypr = X.linear().eulerAngles(2, 1, 0);
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", vector_text(X.translation()),
                     vector_text(ypr.reverse()));
}

/// As URDF, which is flat: MuJoCo's XML reader refuses elements nested deeper than 100. Masses and inertias
/// stand for their axes only: MuJoCo's compiler refuses some that the equations allow (thin rods), so that
/// the numbers are written into the model afterwards.
std::string urdf_of(const std::vector<RigidLink>& links) {
  std::string text = "<robot name=\"mechanism\"><link name=\"b0\"/>";
  Eigen::Isometry3d X_FB = Eigen::Isometry3d::Identity();  // of the parent; a link's frame in URDF is our F
  for (std::size_t i = 0; i < links.size(); ++i) {
    const RigidLink& link = links[i];
    Eigen::Isometry3d inertial = Eigen::Isometry3d::Identity();
    inertial.translation() = link.com;
    inertial.linear() = link.principal_axes;
    text += fmt::format(
        "<link name=\"b{0}\"><inertial>{1}<mass value=\"1\"/>"
        "<inertia ixx=\"3\" iyy=\"2\" izz=\"1.5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
        "<joint name=\"q{0}\" type=\"continuous\"><parent link=\"b{2}\"/><child link=\"b{0}\"/>{3}<axis "
        "xyz=\"{4}\"/></joint>",
        i + 1, pose_text(link.X_FB * inertial), i, pose_text(X_FB * link.X_PJ), vector_text(link.axis));
    X_FB = link.X_FB;
  }
  return text + "</robot>";
}

std::shared_ptr<MujocoSimulator> simulator_of(const Mechanism& mechanism) {
  const std::vector<RigidLink> links = rigid_links(mechanism.model);
  const std::string text = urdf_of(links);
  const std::shared_ptr<MujocoSimulator> simulator = load_mujoco(text, "mechanism.urdf");
  mjModel* m = simulator->model;
  TACTUS_CHECK(m->nv == mechanism.nv && m->nq == mechanism.nv);
  write_numbers(*simulator, links, gravity_of(mechanism.model));
  return simulator;
}

}  // namespace

std::optional<Contender> mujoco_contender(const Mechanism& mechanism, Quantity quantity) {
  const std::string system = fmt::format("MuJoCo {}", mj_versionString());
  const std::shared_ptr<MujocoSimulator> simulator = simulator_of(mechanism);
  const auto states = std::make_shared<std::vector<State>>(mechanism.states);
  mjModel* m = simulator->model;
  mjData* d = simulator->data;
  const int n = mechanism.nv;
  simulator->result.resize(static_cast<std::size_t>(n));
  double* result = simulator->result.data();
  const auto read = [simulator, n](double* to) { std::copy_n(simulator->result.data(), n, to); };
  switch (quantity) {
    case Quantity::mass_matrix:
      return contender(
          system,
          [simulator, states, m, d, n](std::size_t i) {
            std::copy_n((*states)[i].q.data(), n, d->qpos);
            mj_kinematics(m, d);
            mj_comPos(m, d);
            mj_crb(m, d);
          },
          [simulator, m, d](double* to) { mj_fullM(m, to, d->qM); });
    case Quantity::inverse_dynamics:
      return contender(
          system,
          [simulator, states, m, d, n, result](std::size_t i) {
            const State& s = (*states)[i];
            std::copy_n(s.q.data(), n, d->qpos);
            std::copy_n(s.u.data(), n, d->qvel);
            std::copy_n(s.udot.data(), n, d->qacc);
            mj_kinematics(m, d);
            mj_comPos(m, d);
            mj_comVel(m, d);
            mj_rne(m, d, 1, result);
            for (int k = 0; k < n; ++k) result[k] += m->dof_armature[k] * d->qacc[k];
          },
          read);
    case Quantity::forward_dynamics:
      return contender(
          system,
          [simulator, states, m, d, n, result](std::size_t i) {
            const State& s = (*states)[i];
            std::copy_n(s.q.data(), n, d->qpos);
            std::copy_n(s.u.data(), n, d->qvel);
            mj_kinematics(m, d);
            mj_comPos(m, d);
            mj_crb(m, d);
            mj_factorM(m, d);
            mj_comVel(m, d);
            mj_rne(m, d, 0, d->qfrc_bias);
            for (int k = 0; k < n; ++k)
              d->qfrc_smooth[k] = s.tau[static_cast<std::size_t>(k)] - d->qfrc_bias[k];
            mj_solveM(m, d, result, d->qfrc_smooth, 1);
          },
          read);
    case Quantity::step:
      // All that a free motion does not need is switched off.
      m->opt.integrator = mjINT_RK4;
      m->opt.timestep = kStep;
      m->opt.disableflags =
          mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR;
      return contender(
          system,
          [simulator, states, m, d, n](std::size_t i) {
            const State& s = (*states)[i];
            std::copy_n(s.q.data(), n, d->qpos);
            std::copy_n(s.u.data(), n, d->qvel);
            mj_step(m, d);
          },
          [simulator, d, n](double* to) {
            std::copy_n(d->qpos, n, to);
            std::copy_n(d->qvel, n, to + n);
          });
  }
  return std::nullopt;
}

}  // namespace tactus::bench
