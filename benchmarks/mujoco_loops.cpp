// Loops in MuJoCo: each closed by an equality constraint of type connect, which has three rows in a planar
// mechanism too. As stiff as MuJoCo lets them be: impedance 0.9999, and the shortest time constant that its
// integrator's safety allows, two time steps. The shortest sequence of its own functions:
//
//   kinematics, comPos, crb, factorM, makeConstraint, comVel, referenceConstraint, rne, solveM, fwdConstraint
//
// Both forms of the Jacobian are timed with the Newton solver, which is done after one iteration where all
// rows are equalities. Conjugate gradients take two iterations per loop: they are timed for few loops only.
#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <tactus/base/check.h>

#include "contender.h"
#include "mujoco_simulator.h"

namespace tactus::bench {

namespace {

std::string text_of(const Eigen::Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string placement(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond h(R);
  return fmt::format("pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"", text_of(p), h.w(), h.x(), h.y(),
                     h.z());
}

void append_body(const std::vector<RigidLink>& links, std::size_t index, std::string& text) {
  const RigidLink& link = links[index];
  const Eigen::Isometry3d X_PB = link.X_PJ * link.X_FB, X_BF = link.X_FB.inverse();
  text += fmt::format(
      "<body name=\"b{}\" {}><inertial {} mass=\"1\" diaginertia=\"3 2 1.5\"/>"
      "<joint type=\"hinge\" pos=\"{}\" axis=\"{}\"/>",
      index + 1, placement(X_PB.translation(), X_PB.linear()), placement(link.com, link.principal_axes),
      text_of(X_BF.translation()), text_of(X_BF.linear() * link.axis));
  for (std::size_t child = index + 1; child < links.size(); ++child)
    if (links[child].parent == static_cast<int>(index)) append_body(links, child, text);
  text += "</body>";
}

std::string mjcf_of(const std::vector<RigidLink>& links, const std::vector<RigidLoop>& loops) {
  std::string text = fmt::format("<mujoco><size njmax=\"{}\" nconmax=\"1\" nstack=\"8000000\"/><worldbody>",
                                 3 * loops.size() + 8);
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].parent < 0) append_body(links, i, text);
  text += "</worldbody><equality>";
  for (const RigidLoop& loop : loops) {
    text += fmt::format("<connect body1=\"b{}\" body2=\"b{}\" anchor=\"{}\"/>", loop.link_a + 1,
                        loop.link_b + 1, text_of(loop.at_a));
  }
  return text + "</equality></mujoco>";
}

Contender loop_contender(const Mechanism& mechanism, mjtJacobian jacobian, mjtSolver solver,
                         const char* name) {
  const std::vector<RigidLink> links = rigid_links(mechanism.model);
  const std::vector<RigidLoop> loops = rigid_loops(mechanism.model);
  const std::shared_ptr<MujocoSimulator> simulator = load_mujoco(mjcf_of(links, loops), "mechanism.xml");
  mjModel* m = simulator->model;
  m->opt.jacobian = jacobian;
  m->opt.solver = solver;
  m->opt.disableflags = mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART;
  TACTUS_CHECK(m->nv == mechanism.nv && m->neq == static_cast<int>(loops.size()));
  write_numbers(*simulator, links, gravity_of(mechanism.model));
  for (std::size_t i = 0; i < loops.size(); ++i) {
    double* data =
        m->eq_data + mjNEQDATA * i;  // MuJoCo takes b's point from the loop at q = 0, open in general
    std::copy_n(loops[i].at_a.data(), 3, data);
    std::copy_n(loops[i].at_b.data(), 3, data + 3);
    constexpr double kHardest = 0.9999;
    const double impedance[mjNIMP] = {kHardest, kHardest, 0.001, 0.5, 2.0};
    const double reference[mjNREF] = {2.0 * m->opt.timestep, 1.0};
    std::copy_n(impedance, mjNIMP, m->eq_solimp + mjNIMP * i);
    std::copy_n(reference, mjNREF, m->eq_solref + mjNREF * i);
  }

  // MuJoCo numbers the bodies branch by branch: states in its order.
  const auto n = static_cast<std::size_t>(mechanism.nv);
  struct Run {
    std::vector<State> states;
    std::vector<std::size_t> place;
  };
  const auto run = std::make_shared<Run>();
  for (std::size_t k = 0; k < n; ++k) {
    const int body = mj_name2id(m, mjOBJ_BODY, fmt::format("b{}", k + 1).c_str());
    run->place.push_back(static_cast<std::size_t>(m->body_dofadr[body]));
  }
  for (const State& s : mechanism.states) {
    State t = s;
    for (std::size_t k = 0; k < n; ++k) {
      t.q[run->place[k]] = s.q[k];
      t.u[run->place[k]] = s.u[k];
      t.tau[run->place[k]] = s.tau[k];
    }
    run->states.push_back(std::move(t));
  }
  mjData* d = simulator->data;
  const auto call = [simulator, run, m, d, n](std::size_t i, bool moving) {
    const State& s = run->states[i];
    std::copy_n(s.q.data(), n, d->qpos);
    if (moving) {
      std::copy_n(s.u.data(), n, d->qvel);
    } else {
      std::fill_n(d->qvel, n, 0.0);
    }
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_makeConstraint(m, d);
    mj_comVel(m, d);
    mj_referenceConstraint(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (std::size_t k = 0; k < n; ++k) d->qfrc_smooth[k] = s.tau[k] - d->qfrc_bias[k];
    mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
    mj_fwdConstraint(m, d);
  };
  Contender c;
  c.system = fmt::format("MuJoCo {}, {}", mj_versionString(), name);
  c.run = [call](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) call(i % kStates, true);
  };
  c.evaluate = [call, run, d, n](std::size_t state, double* result) {
    call(state, false);
    for (std::size_t k = 0; k < n; ++k) result[k] = d->qacc[run->place[k]];
  };
  return c;
}

}  // namespace

std::vector<Contender> mujoco_loop_contenders(const Mechanism& mechanism) {
  std::vector<Contender> contenders{loop_contender(mechanism, mjJAC_SPARSE, mjSOL_NEWTON, "sparse"),
                                    loop_contender(mechanism, mjJAC_DENSE, mjSOL_NEWTON, "dense")};
  constexpr std::size_t kFewLoops = 5;
  if (mechanism.model.constraints.size() <= kFewLoops)
    contenders.push_back(loop_contender(mechanism, mjJAC_DENSE, mjSOL_CG, "dense, gradients"));
  return contenders;
}

}  // namespace tactus::bench
