#include "pile.h"

#include <tactus/base/check.h>
#include <tactus/contact/mechanism/stepping_mechanism.h>
#include <tactus/contact/open.h>

namespace tactus::bench {

namespace {

/// Reads coordinates x, y, z, quaternion and speeds w, v in body axes.
void read_free_joint(const double* q, const double* u, PileBody& body) {
  body.position = {q[0], q[1], q[2]};
  body.rotation = Eigen::Quaterniond(q[3], q[4], q[5], q[6]);
  body.turning = body.rotation * Eigen::Vector3d(u[0], u[1], u[2]);
  body.velocity = body.rotation * Eigen::Vector3d(u[3], u[4], u[5]);
}

class TactusPile : public Pile {
 public:
  TactusPile(const describe::Model& model, double h)
      : mechanism_(contact::open(model, {.step = h, .contact = contact::OpenOptions::Contact::stepping})) {}
  std::string name() const override { return "Tactus"; }
  bool step() override { return mechanism_->step().ok(); }
  void read(std::vector<PileBody>& bodies) const override {
    const simulate::State& state = mechanism_->state();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      read_free_joint(&state.q[7 * i], &state.u[6 * i], bodies[i]);
  }
  double residual() const override {
    const auto& solution = dynamic_cast<const contact::SteppingMechanism&>(*mechanism_).stepping().solution();
    return solution.scale > 0.0 ? solution.residual / solution.scale : 0.0;
  }

 private:
  std::unique_ptr<simulate::Mechanism> mechanism_;
};

}  // namespace

PileScene pile_scene(const describe::Model& model) {
  using Shape = describe::Geometry::Shape;
  const auto value = [&](const algebra::Expr& x) { return describe::value_of(model, x); };
  const auto vector = [&](const math::Vec3<algebra::Expr>& v) {
    return Eigen::Vector3d(value(v.x), value(v.y), value(v.z));
  };
  PileScene scene;
  scene.gravity = vector(model.gravity);
  scene.friction = model.contact.pairs.front().law.friction;
  for (const describe::Geometry& geometry : model.bodies.front().geometry) {
    TACTUS_CHECK(geometry.shape == Shape::plane);
    Eigen::Vector3d normal;
    for (int i = 0; i < 3; ++i) normal[i] = value(geometry.X_BG.R(static_cast<std::size_t>(i), 2));
    scene.planes.push_back({normal, normal.dot(vector(geometry.X_BG.p))});
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const describe::Joint& joint = model.joints[i];
    TACTUS_CHECK(joint.type == describe::JointType::free);
    const describe::Body& body = model.bodies[static_cast<std::size_t>(joint.child)];
    const describe::Geometry& geometry = body.geometry.front();
    PileBody told;
    told.shape = geometry.shape == Shape::sphere ? PileBody::Shape::sphere
                 : geometry.shape == Shape::box  ? PileBody::Shape::box
                                                 : PileBody::Shape::capsule;
    TACTUS_CHECK(told.shape != PileBody::Shape::capsule || geometry.shape == Shape::capsule);
    told.size = vector(geometry.size);
    told.mass = value(body.mass);
    for (std::size_t k = 0; k < 3; ++k) told.inertia[static_cast<int>(k)] = value(body.inertia(k, k));
    read_free_joint(&model.initial_q[7 * i], &model.initial_u[6 * i], told);
    scene.bodies.push_back(told);
  }
  return scene;
}

std::unique_ptr<Pile> tactus_pile(const describe::Model& model, double h) {
  return std::make_unique<TactusPile>(model, h);
}

}  // namespace tactus::bench
