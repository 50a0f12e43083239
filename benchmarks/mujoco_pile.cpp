#include <algorithm>

#include <fmt/format.h>

#include "mujoco_simulator.h"
#include "pile.h"

namespace tactus::bench {

namespace {

// Time constant of a contact [s]: with the default, 0.02, bodies of these scenes sink in by centimetres; MuJoCo
// asks for at least two steps.
constexpr double kTimeConstant = 0.003;

// Room, per body.
constexpr std::size_t kMostRows = 30, kMostContacts = 10;

std::string text_of(const PileScene& scene, double h, MujocoSolver solver) {
  const bool newton = solver == MujocoSolver::newton;
  std::string text = fmt::format(
      "<mujoco><option timestep='{}' gravity='{} {} {}' solver='{}' cone='elliptic'/>"
      "<size njmax='{}' nconmax='{}'/>"
      "<default><geom friction='{} 0 0' condim='3' solref='{} 1'/></default><worldbody>\n",
      h, scene.gravity[0], scene.gravity[1], scene.gravity[2], newton ? "Newton" : "CG",
      kMostRows * scene.bodies.size(), kMostContacts * scene.bodies.size(), scene.friction, kTimeConstant);
  for (const PilePlane& plane : scene.planes) {
    const Eigen::Vector3d n = plane.normal, p = plane.height * n;
    text += fmt::format("<geom type='plane' size='2 2 1' pos='{} {} {}' zaxis='{} {} {}'/>\n", p[0], p[1],
                        p[2], n[0], n[1], n[2]);
  }
  for (const PileBody& body : scene.bodies) {
    using Shape = PileBody::Shape;
    const std::string geom =
        body.shape == Shape::sphere ? fmt::format("type='sphere' size='{}'", body.size[0])
        : body.shape == Shape::box
            ? fmt::format("type='box' size='{} {} {}'", 0.5 * body.size[0], 0.5 * body.size[1],
                          0.5 * body.size[2])
            : fmt::format("type='capsule' size='{} {}'", body.size[0], 0.5 * body.size[1]);
    text += fmt::format(
        "<body pos='{} {} {}'><freejoint/><inertial pos='0 0 0' mass='{}' diaginertia='{} {} {}'/><geom "
        "{}/></body>\n",
        body.position[0], body.position[1], body.position[2], body.mass, body.inertia[0], body.inertia[1],
        body.inertia[2], geom);
  }
  return text + "</worldbody></mujoco>";
}

class MujocoPile : public Pile {
 public:
  MujocoPile(const PileScene& scene, double h, MujocoSolver solver)
      : solver_(solver), simulator_(load_mujoco(text_of(scene, h, solver), "pile.xml")) {
    simulator_->data = mj_makeData(simulator_->model);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const PileBody& body = scene.bodies[i];
      double* q = simulator_->data->qpos + 7 * i;
      double* u = simulator_->data->qvel + 6 * i;  // v in world axes, w in body axes
      const Eigen::Vector3d w = body.rotation.conjugate() * body.turning;
      const Eigen::Quaterniond& r = body.rotation;
      std::copy_n(body.position.data(), 3, q);
      q[3] = r.w(), q[4] = r.x(), q[5] = r.y(), q[6] = r.z();
      std::copy_n(body.velocity.data(), 3, u);
      std::copy_n(w.data(), 3, u + 3);
    }
  }
  std::string name() const override {
    return fmt::format("MuJoCo {}, {}", mj_versionString(),
                       solver_ == MujocoSolver::newton ? "Newton" : "CG");
  }
  bool step() override {
    mj_step(simulator_->model, simulator_->data);
    for (const auto& warning : simulator_->data->warning)
      if (warning.number > 0) return false;
    return true;
  }
  void read(std::vector<PileBody>& bodies) const override {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double* q = simulator_->data->qpos + 7 * i;
      const double* u = simulator_->data->qvel + 6 * i;
      bodies[i].position = {q[0], q[1], q[2]};
      bodies[i].rotation = Eigen::Quaterniond(q[3], q[4], q[5], q[6]);
      bodies[i].velocity = {u[0], u[1], u[2]};
      bodies[i].turning = bodies[i].rotation * Eigen::Vector3d(u[3], u[4], u[5]);
    }
  }

 private:
  MujocoSolver solver_;
  std::shared_ptr<MujocoSimulator> simulator_;
};

}  // namespace

std::unique_ptr<Pile> mujoco_pile(const PileScene& scene, double h, MujocoSolver solver) {
  return std::make_unique<MujocoPile>(scene, h, solver);
}

}  // namespace tactus::bench
