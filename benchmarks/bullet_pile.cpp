#include <cmath>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "pile.h"

namespace tactus::bench {

namespace {

btVector3 told(const Eigen::Vector3d& v) { return {btScalar(v[0]), btScalar(v[1]), btScalar(v[2])}; }
Eigen::Vector3d read_vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/// With its own numbers for the solver (ten sweeps); bodies do not fall asleep.
class BulletPile : public Pile {
 public:
  BulletPile(const PileScene& scene, double h)
      : h_(h), dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(told(scene.gravity));
    // Bullet multiplies the frictions of two bodies.
    const double friction = std::sqrt(scene.friction);
    for (const PilePlane& plane : scene.planes)
      add(std::make_unique<btStaticPlaneShape>(told(plane.normal), btScalar(plane.height)), 0.0, {0, 0, 0},
          btTransform::getIdentity(), friction);
    first_ = bodies_.size();
    for (const PileBody& body : scene.bodies) {
      std::unique_ptr<btCollisionShape> shape;
      if (body.shape == PileBody::Shape::sphere)
        shape = std::make_unique<btSphereShape>(btScalar(body.size[0]));
      else if (body.shape == PileBody::Shape::box)
        shape = std::make_unique<btBoxShape>(told(0.5 * body.size));
      else
        shape = std::make_unique<btCapsuleShapeZ>(btScalar(body.size[0]), btScalar(body.size[1]));
      const Eigen::Quaterniond& r = body.rotation;
      const btTransform X(btQuaternion(btScalar(r.x()), btScalar(r.y()), btScalar(r.z()), btScalar(r.w())),
                          told(body.position));
      btRigidBody& made = add(std::move(shape), body.mass, told(body.inertia), X, friction);
      made.setActivationState(DISABLE_DEACTIVATION);
      made.setLinearVelocity(told(body.velocity));
      made.setAngularVelocity(told(body.turning));
    }
  }
  ~BulletPile() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  std::string name() const override { return "Bullet, single precision"; }
  bool step() override {
    world_.stepSimulation(btScalar(h_), 0);
    return true;
  }
  void read(std::vector<PileBody>& bodies) const override {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const btRigidBody& body = *bodies_[first_ + i];
      const btQuaternion r = body.getWorldTransform().getRotation();
      bodies[i].position = read_vector(body.getWorldTransform().getOrigin());
      bodies[i].rotation = Eigen::Quaterniond(r.w(), r.x(), r.y(), r.z()).normalized();
      bodies[i].velocity = read_vector(body.getLinearVelocity());
      bodies[i].turning = read_vector(body.getAngularVelocity());
    }
  }

 private:
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const btVector3& inertia,
                   const btTransform& X, double friction) {
    motions_.push_back(std::make_unique<btDefaultMotionState>(X));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), motions_.back().get(), shape.get(),
                                                  inertia);
    info.m_friction = btScalar(friction);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    shapes_.push_back(std::move(shape));
    world_.addRigidBody(bodies_.back().get());
    return *bodies_.back();
  }

  double h_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btDefaultMotionState>> motions_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<Pile> bullet_pile(const PileScene& scene, double h) {
  return std::make_unique<BulletPile>(scene, h);
}

}  // namespace tactus::bench
