// Small scenes whose outcome is known: momentum, energy, places of rest.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>

namespace tactus::contact {
namespace {

struct Scene {
  describe::Model model;
  ContactModel contact_model;
  Engine engine;
  std::vector<Event> events;

  explicit Scene(const std::string& text, EngineOptions options = {})
      : model(describe::load_text(text, "scene")), contact_model(model), engine(contact_model, options) {
    engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  }
  Status run(double duration) {
    while (engine.state().t < duration - 0.5 * engine.options().step) {
      const Status status = engine.step();
      for (const Event& event : engine.events()) events.push_back(event);
      if (!status.ok()) {
        ADD_FAILURE() << engine.explain(status);
        return status;
      }
    }
    return {};
  }
};

TEST(Scenes, ABoxThatFallsFlatRestsOnItsCorners) {
  Scene scene(R"(
name: box
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true, name: floor}]}
  box: {mass: 1, inertia: [0.01, 0.01, 0.01], geometry: [{shape: box, size: [0.2, 0.2, 0.2], contact: true}]}
joints:
  box: {type: free, parent: world, child: box}
contact:
  defaults: {friction: 0.5, restitution: 0}
initial:
  q: {box.z: 0.15}
  u: {box.vx: 0.3}
)");
  scene.run(1.0);
  const State& s = scene.engine.state();
  EXPECT_NEAR(s.q[2], 0.1, 1e-9);
  for (const double u : s.u) EXPECT_NEAR(u, 0.0, 1e-9);
}

TEST(Scenes, NewtonsCradleAnswersOneBallWithOneBall) {
  std::string text = "name: cradle\nbodies:\n";
  for (int i = 0; i < 5; ++i)
    text += "  b" + std::to_string(i) +
            ": {mass: 1, com: [0, 0, -1], inertia: [0.001, 0.001, 0.001], geometry: [{shape: sphere, radius: "
            "0.05, "
            "placement: {xyz: [0, 0, -1]}, contact: true}]}\n";
  text += "joints:\n";
  for (int i = 0; i < 5; ++i)
    text += "  q" + std::to_string(i) + ": {type: revolute, axis: -y, parent: world, child: b" +
            std::to_string(i) + ", placement: {xyz: [" + std::to_string(0.1 * i) + ", 0, 0]}}\n";
  text += "contact: {defaults: {restitution: 1, friction: 0}}\ninitial: {q: {q0: -0.5}}\n";
  Scene scene(text);
  scene.run(0.8);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(scene.engine.state().u[i], 0.0, 1e-6) << i;
  EXPECT_GT(scene.engine.state().q[4], 0.1);
  EXPECT_NEAR(scene.engine.books().impact_loss, 0.0, 1e-14);
}

TEST(Scenes, ABallRollsInABowl) {
  Scene scene(R"(
name: bowl
bodies:
  world: {geometry: [{shape: sphere, radius: 1, hollow: true, contact: true}]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  ball: {type: free, parent: world, child: ball}
contact:
  defaults: {friction: 0.8, restitution: 0}
initial:
  q: {ball.x: 0.45, ball.z: -sqrt(0.9^2-0.45^2)}
)");
  scene.run(3.0);
  const State& s = scene.engine.state();
  EXPECT_NEAR(std::hypot(s.q[0], s.q[1], s.q[2]), 0.9, 1e-12);
  // Rolling takes nothing: what is lost in height is in the motion, to the integrator's error.
  const double fallen = 9.81 * (-std::sqrt(0.9 * 0.9 - 0.45 * 0.45) - s.q[2]);
  EXPECT_NEAR(scene.engine.kinetic_energy(), fallen, 1e-6 * 9.81);
}

TEST(Scenes, APendulumComesToRestAtAStop) {
  Scene scene(R"(
name: stop
bodies:
  rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
joints:
  q: {type: revolute, axis: y, parent: world, child: rod, limits: [0.2, 1.5]}
contact:
  stops: {restitution: 0.5}
initial: {q: {q: 1.2}}
)");
  scene.run(5.0);
  EXPECT_NEAR(scene.engine.state().q[0], 0.2, 1e-12);
  EXPECT_NEAR(scene.engine.state().u[0], 0.0, 1e-12);
}

/// A box 0.2 wide and 0.4 tall on a floor, pulled sideways at its centre by F: it tips about its corner where
/// F h/2 > m g w/2, and slides where F > mu m g.
std::string planar_box(double mu, double force) {
  return "name: planar_box\nparameters: {F: " + std::to_string(force) + R"(}
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  box: {mass: 1, inertia: [0.02, 0.02, 0.02], geometry: [{shape: box, size: [0.2, 0.1, 0.4], contact: true}]}
joints:
  at: {type: planar, axes: [x, z], parent: world, child: box}
contact:
  defaults: {restitution: 0, friction: )" +
         std::to_string(mu) + R"(}
initial:
  q: {at.y: 0.2}
)";
}

TEST(Scenes, ABoxThatIsPulledSlidesOrTips) {
  constexpr double kWeight = 9.81;
  struct Case {
    double mu, force;
    bool slides, tips;
  };
  for (const Case& c : {Case{0.3, 2.0, false, false}, Case{0.3, 4.0, true, false},
                        Case{0.8, 4.0, false, false}, Case{0.8, 6.0, false, true}}) {
    Scene scene(planar_box(c.mu, c.force));
    const std::vector<double> tau{c.force, 0.0, 0.0};
    for (int i = 0; i < 100; ++i) {
      const Status status = scene.engine.step({.tau = tau, .wrench = {}});
      ASSERT_TRUE(status.ok()) << scene.engine.explain(status);
    }
    const State& s = scene.engine.state();
    const double slide = c.slides ? c.force - c.mu * kWeight : 0.0;
    if (!c.tips) {
      EXPECT_NEAR(s.u[0], slide * 0.1, 1e-9) << c.mu << " " << c.force;
      EXPECT_NEAR(s.u[2], 0.0, 1e-9);
    } else {
      EXPECT_GT(std::abs(s.q[2]), 1e-3);
      EXPECT_GT(s.q[1], 0.2);
    }
  }
}

TEST(Scenes, ABoxOnTwoCornersBreaksLooseByItsStaticFriction) {
  // Pulled at its centre by a growing force, its corners are pressed unequally, and how they share the
  // friction is open: it holds as long as any sharing does, up to mu_s m g, and slides with mu m g.
  constexpr double kWeight = 9.81, kStatic = 0.45, kSliding = 0.3, kGrowth = 10.0;
  describe::Model model = describe::load_text(planar_box(kSliding, 0.0), "scene");
  for (describe::ContactPair& pair : model.contact.pairs) pair.law.static_friction = kStatic;
  ContactModel contact_model(model);
  const simulate::Script script =
      simulate::read_script(contact_model.equations, "tau: {at.x: 10 N/s * t}", "pull");
  contact_model.set_loads(*script.loads);
  Engine engine(contact_model);
  engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  std::vector<Event> slides;
  for (int i = 0; i < 460; ++i) {
    const Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    for (const Event& event : engine.events())
      if (event.kind == EventKind::slides) slides.push_back(event);
  }
  const double loose = kStatic * kWeight / kGrowth;
  ASSERT_EQ(slides.size(), 2u);
  // The slip is noticed where the force is past its limit by kAccelerationRounding.
  for (const Event& event : slides) EXPECT_NEAR(event.t, loose, 1e-8);
  const double after = engine.state().t - loose;
  EXPECT_NEAR(engine.state().u[0], (kStatic - kSliding) * kWeight * after + 0.5 * kGrowth * after * after,
              1e-6);
}

TEST(Scenes, ABoxOnASlopeSticksUpToItsStaticFriction) {
  // From rest, on four corners, turned about the normal: it stays below mu_s and slides with mu above it.
  constexpr double kGravity = 9.81, kStatic = 0.45, kSliding = 0.3, kTime = 0.2;
  for (const double slope : {0.29, 0.31, 0.44, 0.449, 0.451, 0.6}) {
    Scene scene("name: slope\ngravity: [" + std::to_string(slope * kGravity) + R"(, 0, -9.81]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  box: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
joints: {p: {type: free, parent: world, child: box}}
contact: {defaults: {friction: 0.3, static_friction: 0.45}}
initial: {q: {p.z: 0.05, p.qw: cos(0.15), p.qz: sin(0.15)}}
)");
    ASSERT_TRUE(scene.run(kTime).ok()) << slope;
    const double speed = slope > kStatic ? (slope - kSliding) * kGravity * kTime : 0.0;
    const State& s = scene.engine.state();
    EXPECT_NEAR(std::hypot(s.u[3], s.u[4], s.u[5]), speed, 1e-6) << slope;  // the digits of the slope
    EXPECT_NEAR(s.q[2], 0.05, 1e-9) << slope;
  }
}

/// A ball thrown over a floor with a dent of depth `dip`: gravity upwards bends its way, y'' = g, so that it
/// comes down to the gap -dip in the middle of a step and leaves again.
std::string grazing(double dip) {
  return R"(
name: grazing
gravity: [0, 0, 10]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  ball: {type: free, parent: world, child: ball}
contact: {defaults: {restitution: 0.5, friction: 0}}
initial:
  q: {ball.z: )" +
         std::to_string(0.1 + 5.0 * 0.0105 * 0.0105) + " - " + std::to_string(dip * 1e9) + R"(e-9}
  u: {ball.vx: 3, ball.vz: -0.105}
)";
}

TEST(Scenes, AGapThatClosesAndOpensWithinAStepIsFound) {
  // The lowest place is at 10.5 ms, between the ends of steps of 1 ms; std::to_string() leaves 1e-6 of the
  // height.
  Scene touches(grazing(3e-6)), misses(grazing(-3e-6));
  touches.run(0.03);
  misses.run(0.03);
  ASSERT_FALSE(touches.events.empty());
  EXPECT_EQ(touches.events.front().kind, EventKind::impact);
  EXPECT_NEAR(touches.events.front().t, 0.0105, 1e-3);
  EXPECT_TRUE(misses.events.empty());
}

TEST(Scenes, TwoEdgesThatCrossStrikeEachOther) {
  // Two bars like a cross, the upper one falling: 45 degrees about their lengths, so that edges point at each
  // other.
  Scene scene(R"(
name: edges
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [0.01, 0.02, 0.02], geometry: [{shape: box, size: [1, 0.1, 0.1], placement: {rpy: [45 deg, 0, 0]}, contact: true}]}
  b: {mass: 1, inertia: [0.02, 0.01, 0.02], geometry: [{shape: box, size: [0.1, 1, 0.1], placement: {rpy: [0, 45 deg, 0]}, contact: true}]}
joints:
  a: {type: free, parent: world, child: a}
  b: {type: free, parent: world, child: b}
contact: {defaults: {restitution: 1, friction: 0}}
initial:
  q: {b.z: 0.2}
  u: {b.vz: -1}
)");
  scene.run(0.2);
  ASSERT_EQ(scene.events.size(), 1u);
  // Edges meet when the centres are two half diagonals apart; equal masses exchange their velocities.
  EXPECT_NEAR(scene.events[0].t, 0.2 - 0.1 * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(scene.engine.state().u[5], -1.0, 1e-12);
  EXPECT_NEAR(scene.engine.state().u[11], 0.0, 1e-12);
}

TEST(Scenes, ShapesThatOverlapAtTheStartAreRefusedByName) {
  try {
    Scene scene(R"(
name: overlap
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  ball: {type: free, parent: world, child: ball}
contact: {pairs: {floor: {between: [world, ball]}}}
initial: {q: {ball.z: 0.09}}
)");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`floor`"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("0.01"), std::string::npos) << error.what();
  }
}

TEST(Scenes, AMassRatioOfTenThousandIsNoTrouble) {
  // A crumb under a heavy ball, both falling on a floor.
  Scene scene(R"(
name: crumb
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  crumb: {mass: 0.001, inertia: [1e-7, 1e-7, 1e-7], geometry: [{shape: sphere, radius: 0.02, contact: true}]}
  ball: {mass: 10, inertia: [0.04, 0.04, 0.04], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  crumb: {type: prismatic, axis: z, parent: world, child: crumb}
  ball: {type: prismatic, axis: z, parent: world, child: ball}
contact: {defaults: {restitution: 0.3}}
initial: {q: {crumb: 0.05, ball: 0.3}}
)");
  scene.run(2.0);
  EXPECT_NEAR(scene.engine.state().q[0], 0.02, 1e-9);
  EXPECT_NEAR(scene.engine.state().q[1], 0.14, 1e-9);
  // The crumb carries the ball.
  const std::size_t touches = scene.engine.touches().size();
  ASSERT_EQ(touches, 2u);
  for (std::size_t i = 0; i < touches; ++i) {
    const bool on_floor = scene.engine.touches()[i].body_a == 0 || scene.engine.touches()[i].body_b == 0;
    EXPECT_NEAR(scene.engine.touch_force(i)[0], (on_floor ? 10.001 : 10.0) * 9.81, 1e-8);
  }
}

}  // namespace
}  // namespace tactus::contact
