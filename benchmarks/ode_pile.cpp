#include <vector>

#include <ode/ode.h>

#include "pile.h"

namespace tactus::bench {

namespace {

constexpr int kMostContacts = 8;  // of a pair of shapes

/// Quick steps with the library's own numbers (twenty sweeps); bodies do not fall asleep.
class OdePile : public Pile {
 public:
  OdePile(const PileScene& scene, double h) : h_(h), friction_(scene.friction) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    for (const PilePlane& plane : scene.planes)
      dCreatePlane(space_, plane.normal[0], plane.normal[1], plane.normal[2], plane.height);
    for (const PileBody& told : scene.bodies) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, told.mass, 0, 0, 0, told.inertia[0], told.inertia[1], told.inertia[2], 0, 0,
                         0);
      dBodySetMass(body, &mass);
      const dGeomID geom = told.shape == PileBody::Shape::sphere ? dCreateSphere(space_, told.size[0])
                           : told.shape == PileBody::Shape::box
                               ? dCreateBox(space_, told.size[0], told.size[1], told.size[2])
                               : dCreateCapsule(space_, told.size[0], told.size[1]);
      dGeomSetBody(geom, body);
      dBodySetPosition(body, told.position[0], told.position[1], told.position[2]);
      const dQuaternion q = {told.rotation.w(), told.rotation.x(), told.rotation.y(), told.rotation.z()};
      dBodySetQuaternion(body, q);
      dBodySetLinearVel(body, told.velocity[0], told.velocity[1], told.velocity[2]);
      dBodySetAngularVel(body, told.turning[0], told.turning[1], told.turning[2]);
      bodies_.push_back(body);
    }
  }
  ~OdePile() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  OdePile(const OdePile&) = delete;
  OdePile& operator=(const OdePile&) = delete;

  std::string name() const override { return "ODE, quick step"; }
  bool step() override {
    dSpaceCollide(space_, this, &OdePile::near);
    const bool done = dWorldQuickStep(world_, h_) != 0;
    dJointGroupEmpty(contacts_);
    return done;
  }
  void read(std::vector<PileBody>& bodies) const override {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const dReal* p = dBodyGetPosition(bodies_[i]);
      const dReal* q = dBodyGetQuaternion(bodies_[i]);
      const dReal* v = dBodyGetLinearVel(bodies_[i]);
      const dReal* w = dBodyGetAngularVel(bodies_[i]);
      bodies[i].position = {p[0], p[1], p[2]};
      bodies[i].rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
      bodies[i].velocity = {v[0], v[1], v[2]};
      bodies[i].turning = {w[0], w[1], w[2]};
    }
  }

 private:
  static void near(void* self, dGeomID a, dGeomID b) {
    auto& pile = *static_cast<OdePile*>(self);
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    dContact contacts[kMostContacts];
    const int count = dCollide(a, b, kMostContacts, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = pile.friction_;
      dJointAttach(dJointCreateContact(pile.world_, pile.contacts_, &contacts[i]), body_a, body_b);
    }
  }

  double h_, friction_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

std::unique_ptr<Pile> ode_pile(const PileScene& scene, double h) {
  return std::make_unique<OdePile>(scene, h);
}

}  // namespace tactus::bench
