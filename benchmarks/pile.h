// Free bodies of simple shapes that lie, fall and pile up between planes: told to Tactus and to other engines
// with the same numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <tactus/describe/model/model.h>

namespace tactus::bench {

struct PileBody {
  enum class Shape { sphere, box, capsule } shape = Shape::sphere;
  // Of a sphere: radius; of a box: edges; of a capsule: radius, length between the centres of its ends (along z).
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  double mass = 0.0;
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  // about the centre of mass, body axes
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), turning = Eigen::Vector3d::Zero();  // world axes
};

struct PilePlane {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  double height = 0.0;  // along the normal
};

struct PileScene {
  std::vector<PileBody> bodies;
  std::vector<PilePlane> planes;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double friction = 0.0;
};

/// A model whose bodies have one shape each and free joints from the ground, in the order of the joints.
PileScene pile_scene(const describe::Model& model);

/// An engine that moves such a scene.
class Pile {
 public:
  virtual ~Pile() = default;
  virtual std::string name() const = 0;
  virtual bool step() = 0;
  /// Bodies with their positions and velocities now; the rest of each is left alone.
  virtual void read(std::vector<PileBody>& bodies) const = 0;
  /// How far the last impulses were from solving their problem, by the velocities; negative: not known.
  virtual double residual() const { return -1.0; }
};

// Of step h [s].
std::unique_ptr<Pile> tactus_pile(const describe::Model& model, double h);
#ifdef TACTUS_BENCH_MUJOCO
enum class MujocoSolver { conjugate_gradients, newton };
std::unique_ptr<Pile> mujoco_pile(const PileScene& scene, double h, MujocoSolver solver);
#endif
#ifdef TACTUS_BENCH_BULLET
std::unique_ptr<Pile> bullet_pile(const PileScene& scene, double h);
#endif
#ifdef TACTUS_BENCH_ODE
std::unique_ptr<Pile> ode_pile(const PileScene& scene, double h);
#endif

}  // namespace tactus::bench
