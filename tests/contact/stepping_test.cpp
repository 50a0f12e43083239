#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/contact/events/engine.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::contact {
namespace {

using simulate::State;
using tactus::test::allocation_count;

std::string model_file(const std::string& name) {
  return tactus::support::source_dir() + "/models/" + name + ".yaml";
}

/// A model with its engine and its energy.
class Motion {
 public:
  explicit Motion(const describe::Model& model, SteppingOptions options = {})
      : contact_model_(model),
        engine_(contact_model_, options),
        energy_(generate::compile(contact_model_.equations.energy())) {
    engine_.set_state({0.0, model.initial_q, model.initial_u, {}});
  }

  TimeStepping& engine() { return engine_; }
  const State& state() const { return engine_.state(); }
  void run(double time) {
    const long steps = std::lround(time / engine_.options().step);
    for (long i = 0; i < steps; ++i) {
      const simulate::Status status = engine_.step();
      ASSERT_TRUE(status.ok()) << engine_.explain(status);
    }
  }
  double kinetic() { return output("kinetic")[0]; }
  double potential() { return output("potential")[0]; }
  double energy() {
    output("kinetic");
    return energy_.output("kinetic")[0] + energy_.output("potential")[0];
  }
  std::vector<double> linear_momentum() {
    const auto p = output("linear_momentum");
    return {p.begin(), p.end()};
  }
  std::vector<double> angular_momentum() {
    const auto L = output("angular_momentum");
    return {L.begin(), L.end()};
  }

 private:
  std::span<const double> output(const char* name) {
    energy_.input("t")[0] = state().t;
    std::copy(state().q.begin(), state().q.end(), energy_.input("q").begin());
    std::copy(state().u.begin(), state().u.end(), energy_.input("u").begin());
    energy_.run();
    return energy_.output(name);
  }

  ContactModel contact_model_;
  TimeStepping engine_;
  generate::Evaluator energy_;
};

describe::Model text_model(const std::string& text) { return describe::load_text(text, "test.yaml"); }

/// Balls of radius 0.1 and mass 1 above a floor.
std::string balls(const std::string& contact, const std::string& initial, int count = 1,
                  bool gravity = true) {
  std::string text = "name: balls\n";
  if (!gravity) text += "gravity: [0, 0, 0]\n";
  text +=
      "bodies:\n  world: {geometry: [{shape: plane, name: floor, size: [2, 2], contact: true}]}\n"
      "repeat:\n  count: " +
      std::to_string(count) +
      "\n  bodies:\n    ball_{i}: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, "
      "radius: 0.1, "
      "contact: true}]}\n"
      "  joints:\n    p{i}: {type: free, parent: world, child: \"ball_{i}\"}\n";
  return text + "contact:\n  defaults: {" + contact + "}\ninitial:\n" + initial;
}

TEST(TimeStepping, LetsTenBoxesStandForAMinute) {
  // Over 60 s at 1 kHz, each coordinate. The solver's tolerance leaves 1e-8 m/s at first, and nothing once
  // the impulses are found.
  constexpr double kDrift = 1e-6;
  const describe::Model model = describe::load(model_file("box_stack"));
  Motion stack(model);
  stack.run(60.0);
  for (std::size_t i = 0; i < model.initial_q.size(); ++i)
    EXPECT_NEAR(stack.state().q[i], model.initial_q[i], kDrift) << i;
  EXPECT_LT(stack.kinetic(), 1e-11);
  EXPECT_EQ(stack.engine().contacts().size(), 40u);
  double weight = 0.0;
  for (const StepContact& contact : stack.engine().contacts())
    if (contact.body_a == 0) {
      weight += contact.impulse.z / stack.engine().options().step;
      EXPECT_EQ(contact.mode, Mode::sticking);
    }
  EXPECT_NEAR(weight, 10 * 9.81, 1e-4);
}

TEST(TimeStepping, SettlesAStackThatIsDroppedCrooked) {
  describe::Model model = describe::load(model_file("box_stack"));
  for (std::size_t i = 0; i < 10; ++i) {
    model.initial_q[7 * i] = 0.008 * std::sin(5.0 * static_cast<double>(i));
    model.initial_q[7 * i + 1] = 0.008 * std::cos(7.0 * static_cast<double>(i));
    model.initial_q[7 * i + 2] += 5e-4 * static_cast<double>(i + 1);
  }
  Motion stack(model);
  stack.run(1.5);
  const std::vector<double> then = stack.state().q;
  stack.run(0.5);
  for (std::size_t i = 0; i < 10; ++i) {
    // Each box is where it was put, to a tenth of an edge, and at rest.
    EXPECT_NEAR(stack.state().q[7 * i], model.initial_q[7 * i], 0.01);
    EXPECT_NEAR(stack.state().q[7 * i + 2], 0.1 * static_cast<double>(i) + 0.05, 1e-4);
    EXPECT_NEAR(stack.state().q[7 * i], then[7 * i], 1e-6);
  }
  EXPECT_LE(stack.engine().books().friction_work, 0.0);
}

TEST(TimeStepping, LetsTwoHundredBodiesFallWithoutBlowingUp) {
  Motion scene(describe::load(model_file("many_bodies")), {.step = 2e-3});
  const double start = scene.energy();
  double before = start;
  // Energy that a step may add: the correction of overlaps, which is kept in the books, and the first-order
  // error of free fall, m g^2 h^2/2 per body and step.
  const double allowed = 200 * 0.5 * 0.5 * 9.81 * 9.81 * 2e-3 * 2e-3;
  double corrected = 0.0;
  for (int i = 0; i < 200; ++i) {
    scene.run(2e-3);
    const double now = scene.energy(), correction = scene.engine().books().correction_work;
    ASSERT_LE(now, before + (correction - corrected) + allowed) << i;
    before = now;
    corrected = correction;
  }
  const StepBooks& books = scene.engine().books();
  EXPECT_GT(books.most_contacts, 400);
  EXPECT_LE(books.friction_work, 0.0);
  EXPECT_LE(books.normal_work, 0.0);
  // A body falls at most 1 m: its weight times that would be 4.9 J; pushing apart gives the 200 of them less.
  EXPECT_LT(books.correction_work, 1.0);
  // No deeper than what the fastest bodies move in a step.
  EXPECT_LT(books.deepest, 4.5 * 2e-3);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_LT(std::abs(scene.state().q[7 * i]), 0.4);
    EXPECT_LT(std::abs(scene.state().q[7 * i + 1]), 0.4);
    EXPECT_GT(scene.state().q[7 * i + 2], 0.0);
  }
}

TEST(TimeStepping, ConvergesToTheRampScenarioAtFirstOrder) {
  // Closed forms of the disk that bounces, slides, then rolls: at t = 1.5 s it rolls.
  constexpr double u1 = -4.688550939358144, s = -4.832812062171835;
  const describe::Model model = describe::load(model_file("ramp_drop"));
  std::vector<double> speed_error, place_error;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
    Motion disk(model, {.step = h, .all_pairs = true});
    disk.run(1.5);
    speed_error.push_back(std::abs(disk.state().u[0] - u1));
    place_error.push_back(std::abs(disk.state().q[0] - s));
    EXPECT_LT(place_error.back(), 20.0 * h);
    EXPECT_LT(speed_error.back(), 20.0 * h);
    EXPECT_NEAR(disk.state().u[0] + 0.1 * disk.state().u[2], 0.0, 1e-9);  // it rolls
  }
  EXPECT_LT(place_error.back(), place_error.front() / 6.0);  // eight at first order
}

TEST(TimeStepping, ConvergesToTheEventDrivenMotionOfABallInABowl) {
  // Falling, bouncing, slipping, rolling in three dimensions: where the ball is after a second.
  const describe::Model model = describe::load(model_file("ball_in_bowl"));
  const ContactModel contact_model(model);
  Engine engine(contact_model, {.step = 1e-3});
  engine.set_state({0.0, model.initial_q, model.initial_u, {}});
  while (engine.state().t < 0.9995) ASSERT_TRUE(engine.step().ok());
  std::vector<double> error;
  for (const double h : {4e-4, 1e-4}) {
    Motion ball(model, {.step = h, .all_pairs = true});
    ball.run(1.0);
    error.push_back(0.0);
    for (std::size_t i = 0; i < 3; ++i)
      error.back() = std::hypot(error.back(), ball.state().q[i] - engine.state().q[i]);
  }
  EXPECT_LT(error[0], 5e-3);
  EXPECT_LT(error[1], error[0] / 2.5);  // four at first order; bounces are met within a step
}

TEST(TimeStepping, LaysABarAcrossAnother) {
  // Edge over edge: boxes turned by 45 degrees about their lengths, crossing at right angles. The upper one
  // rests on the edge for as long as nothing disturbs its balance, and the contact is where the edges cross.
  const double c = std::cos(std::acos(-1.0) / 8.0), s = std::sin(std::acos(-1.0) / 8.0),
               half = 0.05 * std::sqrt(2.0);
  describe::Model model = text_model(
      "name: bars\n"
      "bodies:\n"
      "  world: {geometry: [{shape: box, name: rail, size: [1, 0.1, 0.1], placement: {axis_angle: {axis: x, "
      "angle: "
      "45 deg}}, contact: true}]}\n"
      "  bar: {mass: 1, inertia: [0.1, 0.01, 0.1], geometry: [{shape: box, size: [0.1, 1, 0.1], contact: "
      "true}]}\n"
      "joints: {p: {type: free, parent: world, child: bar}}\n"
      "contact: {defaults: {render: stepping, friction: 0.5}}\n");
  model.initial_q = {0.0, 0.0, 2.0 * half + 1e-3, c, 0.0, s, 0.0};
  Motion bars(model);
  bars.run(0.2);
  ASSERT_EQ(bars.engine().contacts().size(), 1u);
  const StepContact& contact = bars.engine().contacts()[0];
  EXPECT_NEAR(contact.point.x, 0.0, 1e-9);
  EXPECT_NEAR(contact.point.y, 0.0, 1e-9);
  EXPECT_NEAR(contact.point.z, half, 1e-6);
  EXPECT_NEAR(contact.impulse.z, 9.81e-3, 1e-9);
  EXPECT_NEAR(bars.state().q[2], 2.0 * half, 1e-6);
}

TEST(TimeStepping, HoldsABoxOnASlopeByItsStaticFriction) {
  // From rest: below mu_s it stays, above it slides with mu.
  constexpr double kGravity = 9.81, kStatic = 0.45, kSliding = 0.3, kTime = 0.2;
  for (const double slope : {0.29, 0.31, 0.44, 0.46}) {
    Motion box(text_model("name: slope\ngravity: [" + std::to_string(slope * kGravity) + R"(, 0, -9.81]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  box: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
joints: {p: {type: free, parent: world, child: box}}
contact: {defaults: {render: stepping, friction: 0.3, static_friction: 0.45}}
initial: {q: {p.z: 0.05}}
)"));
    box.run(kTime);
    const double speed = slope > kStatic ? (slope - kSliding) * kGravity * kTime : 0.0;
    // Of the first step, which still holds with mu_s.
    EXPECT_NEAR(box.state().u[3], speed, (kStatic - kSliding) * kGravity * 1e-3 + 1e-6) << slope;
    if (speed == 0.0) {
      EXPECT_NEAR(box.state().q[0], 0.0, 1e-8) << slope;
    }
  }
}

TEST(TimeStepping, LeavesAGrazingBallAlone) {
  // It touches the floor exactly, moves along it, and nothing presses.
  for (const std::string friction : {"render: stepping", "render: stepping, friction: 0.8"}) {
    Motion ball(text_model(balls(friction, "  q: {p1.z: 0.1}\n  u: {p1.vx: 3}\n", 1, false)));
    ball.run(0.5);
    EXPECT_DOUBLE_EQ(ball.state().u[3], 3.0);
    EXPECT_NEAR(ball.state().q[0], 1.5, 1e-12);
    EXPECT_EQ(ball.state().q[2], 0.1);
    EXPECT_TRUE(ball.engine().contacts().empty());
  }
}

TEST(TimeStepping, PushesOverlappingBodiesApartWithoutGivingThemSpeed) {
  Motion ball(text_model(balls("render: stepping, friction: 0.5, restitution: 0.9", "  q: {p1.z: 0.096}\n")));
  double fastest = 0.0;
  for (int i = 0; i < 400; ++i) {
    ball.run(1e-3);
    fastest = support::larger(fastest, ball.kinetic());
  }
  EXPECT_NEAR(ball.state().q[2], 0.1, 2e-6);  // but for the slop
  EXPECT_LT(fastest, 1e-20);
  EXPECT_NEAR(ball.engine().books().correction_work, 9.81 * 0.004, 1e-3 * 9.81 * 0.004);
}

TEST(TimeStepping, RefusesBodiesThatOverlapDeeply) {
  const describe::Model model = text_model(balls("render: stepping, friction: 0.5", "  q: {p1.z: 0.05}\n"));
  const ContactModel contact_model(model);
  TimeStepping engine(contact_model);
  try {
    engine.set_state({0.0, model.initial_q, model.initial_u, {}});
    FAIL() << "it took the state";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("overlap by 0.05 m"), std::string::npos) << error.what();
  }
}

TEST(TimeStepping, RefusesPairsOfOtherRenderingsUnlessAsked) {
  const ContactModel contact_model(describe::load(model_file("ramp_drop")));
  EXPECT_THROW(TimeStepping engine(contact_model), InputError);
  TimeStepping engine(contact_model, {.all_pairs = true});
  EXPECT_TRUE(engine.step().ok());
}

TEST(TimeStepping, CarriesTenTonsOnAKilogram) {
  for (const double upper : {1e4, 1e-4}) {
    const std::string text =
        "name: heavy\nparameters: {M: {value: " + std::to_string(upper) +
        ", unit: kg}}\n"
        "bodies:\n  world: {geometry: [{shape: plane, name: floor, size: [2, 2], contact: true}]}\n"
        "  low: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], "
        "contact: "
        "true}]}\n"
        "  high: {mass: M, inertia: [0.002*M, 0.002*M, 0.002*M], geometry: [{shape: box, size: [0.1, 0.1, "
        "0.1], "
        "contact: true}]}\n"
        "joints:\n  a: {type: free, parent: world, child: low}\n  b: {type: free, parent: world, child: "
        "high}\n"
        "contact: {defaults: {render: stepping, friction: 0.5}}\n"
        "initial: {q: {a.z: 0.05, b.z: 0.151}}\n";
    Motion pair(text_model(text));
    pair.run(2.0);
    EXPECT_NEAR(pair.state().q[2], 0.05, 1e-6) << upper;
    EXPECT_NEAR(pair.state().q[9], 0.15, 1e-5) << upper;
    EXPECT_LT(pair.kinetic(), 1e-8 * upper) << upper;
    EXPECT_EQ(pair.engine().books().not_converged, 0) << upper;
  }
}

TEST(TimeStepping, StopsWhereALightBoxUnderAHeavyOneIsNotSolved) {
  // 10 kg fall on 1 g with restitution. Either it stands, or the run ends.
  const describe::Model model = describe::load_text(R"(
name: crushed
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  light: {mass: 0.001, inertia: [1e-6, 1e-6, 1e-6], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
  heavy: {mass: 10, inertia: [0.02, 0.02, 0.02], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
joints:
  light: {type: free, parent: world, child: light}
  heavy: {type: free, parent: world, child: heavy}
contact: {defaults: {render: stepping, restitution: 0.2, friction: 0.5}}
initial: {q: {light.z: 0.05, heavy.z: 0.16}}
)",
                                                    "crushed");
  Motion motion(model);
  simulate::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = motion.engine().step();
  EXPECT_LE(motion.engine().books().deepest, motion.engine().options().deepest);
  if (status.ok()) return;
  EXPECT_TRUE(status.has(simulate::Status::overlap_lost));
  EXPECT_NE(motion.engine().explain(status).find("overlap by"), std::string::npos);
}

TEST(TimeStepping, CarriesTenKilogramsThatFallOnAGram) {
  // 1:1000 and 1:10,000, with and without restitution: every step is solved, and the boxes come to stand.
  constexpr double kPlace = 1e-6;  // [m] slop
  for (const char* light : {"0.01", "0.001"}) {
    for (const char* e : {"0", "0.2"}) {
      const std::string text =
          "name: crushed\nparameters: {m: {value: " + std::string(light) +
          ", unit: kg}}\nbodies:\n  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}\n"
          "  light: {mass: m, inertia: [0.001*m, 0.001*m, 0.001*m], geometry: [{shape: box, size: [0.1, 0.1, "
          "0.1], "
          "contact: true}]}\n"
          "  heavy: {mass: 10, inertia: [0.02, 0.02, 0.02], geometry: [{shape: box, size: [0.1, 0.1, 0.1], "
          "contact: "
          "true}]}\n"
          "joints:\n  light: {type: free, parent: world, child: light}\n  heavy: {type: free, parent: world, "
          "child: "
          "heavy}\n"
          "contact: {defaults: {render: stepping, friction: 0.5, restitution: " +
          e + "}}\ninitial: {q: {light.z: 0.05, heavy.z: 0.16}}\n";
      Motion pair(text_model(text));
      pair.run(2.0);
      EXPECT_NEAR(pair.state().q[2], 0.05, kPlace) << light << ' ' << e;
      EXPECT_NEAR(pair.state().q[9], 0.15, 2.0 * kPlace) << light << ' ' << e;
      EXPECT_EQ(pair.engine().books().not_converged, 0) << light << ' ' << e;
    }
  }
}

TEST(TimeStepping, KeepsMomentumInAClosedSystem) {
  // Balls that meet off centre, with friction, far from the floor. By the momentum there is.
  constexpr double kMomentum = 1e-12;
  Motion scene(text_model(balls("render: stepping, friction: 0.4, restitution: 0.6",
                                "  q: {p1.z: 5, p2.x: 0.5, p2.y: 0.07, p2.z: 5.05, p3.x: 1, p3.z: 5.1}\n"
                                "  u: {p1.vx: 4, p1.wy: 10, p3.vx: -1}\n",
                                3, false)));
  const auto P = scene.linear_momentum(), L = scene.angular_momentum();
  const double energy = scene.energy();
  scene.run(0.5);
  EXPECT_LT(scene.engine().books().normal_work, -0.1);  // they have met
  const auto P_end = scene.linear_momentum(), L_end = scene.angular_momentum();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(P_end[i], P[i], kMomentum * 3.0);
    EXPECT_NEAR(L_end[i], L[i], kMomentum * 15.0);
  }
  EXPECT_LT(scene.energy(), energy);
  const StepBooks& books = scene.engine().books();
  EXPECT_NEAR(scene.energy() - energy, books.normal_work + books.friction_work, 1e-12 * energy);
}

TEST(TimeStepping, BouncesByTheRestitution) {
  // Dropped from 1 m: after the first impact it rises to e^2 of that, to first order in h.
  Motion ball(text_model(balls("render: stepping, restitution: 0.5", "  q: {p1.z: 1.1}\n")), {.step = 1e-4});
  double top = 0.0;
  ball.run(std::sqrt(2.0 / 9.81) + 0.01);
  for (int i = 0; i < 4000; ++i) {
    ball.run(1e-4);
    top = support::larger(top, ball.state().q[2] - 0.1);
  }
  EXPECT_NEAR(top, 0.25, 2e-3);
  ball.run(3.0);
  EXPECT_NEAR(ball.state().q[2], 0.1, 1e-9);  // it comes to rest
  EXPECT_LT(ball.kinetic(), 1e-20);
}

TEST(TimeStepping, KeepsTheEnergyOfASpinningBody) {
  // A body without contact that tumbles about its middle axis and flies: energy to 1e-4 in ten seconds,
  // though its velocity's components turn with it.
  const describe::Model model = text_model(
      "name: tumbling\ngravity: [0, 0, 0]\n"
      "bodies: {brick: {mass: 1, inertia: [0.01, 0.02, 0.03], geometry: [{shape: box, size: [0.1, 0.2, 0.3], "
      "contact: "
      "true}]}}\n"
      "joints: {p: {type: free, parent: world, child: brick}}\n"
      "contact: {defaults: {render: stepping}}\n"
      "initial: {u: {p.wx: 0.01, p.wy: 10, p.vx: 2, p.vz: 1}}\n");
  Motion brick(model, {.all_pairs = true});
  const double start = brick.energy();
  const auto P = brick.linear_momentum();
  brick.run(10.0);
  EXPECT_NEAR(brick.energy(), start, 1e-4 * start);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(brick.linear_momentum()[i], P[i], 1e-10);
}

TEST(TimeStepping, SinksIntoACompliantFloorByItsWeight) {
  Motion ball(
      text_model(balls("render: compliant, stiffness: 1000 N/m, damping: 40 N s/m", "  q: {p1.z: 0.1}\n")),
      {.all_pairs = true});
  ball.run(2.0);
  EXPECT_NEAR(ball.state().q[2], 0.1 - 9.81 / 1000.0, 1e-9);
}

TEST(TimeStepping, HoldsLoopsToSecondOrderOfTheStep) {
  // What the loop is off at the start of a step is what one step has lost.
  const describe::Model model = describe::load(model_file("four_bar"));
  const derive::Equations equations(model);
  generate::Evaluator terms(generate::compile(equations.constraint_terms()));
  std::vector<double> worst;
  for (const double h : {1e-3, 5e-4}) {
    Motion linkage(model, {.step = h, .all_pairs = true});
    const double start = linkage.energy();
    worst.push_back(0.0);
    for (int i = 0; i < 100; ++i) {
      linkage.run(0.01);
      const State& state = linkage.state();
      terms.input("t")[0] = state.t;
      std::copy(state.q.begin(), state.q.end(), terms.input("q").begin());
      std::copy(state.u.begin(), state.u.end(), terms.input("u").begin());
      terms.run();
      for (const double phi : terms.output("Phi"))
        worst.back() = support::larger(worst.back(), std::abs(phi));
    }
    EXPECT_NEAR(linkage.energy(), start, 20.0 * h * std::abs(start)) << h;
  }
  EXPECT_LT(worst[0], 1e-3);
  EXPECT_LT(worst[1], worst[0] / 3.0);
}

TEST(TimeStepping, StopsAJointAtItsLimit) {
  const describe::Model model = text_model(
      "name: door\ngravity: [0, 0, 0]\n"
      "bodies: {door: {mass: 2, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"
      "joints: {hinge: {type: revolute, parent: world, child: door, axis: z, limits: [-1, 1]}}\n"
      "contact: {stops: {restitution: 0.5}}\n"
      "initial: {u: {hinge: 2}}\n");
  Motion door(model);
  double farthest = 0.0;
  for (int i = 0; i < 600; ++i) {
    door.run(1e-3);
    farthest = support::larger(farthest, door.state().q[0]);
  }
  EXPECT_LE(farthest, 1.0);
  EXPECT_GT(farthest, 0.99);
  EXPECT_NEAR(door.state().u[0], -1.0, 1e-12);
  // And at the other one.
  double least = 0.0;
  for (int i = 0; i < 2400; ++i) {
    door.run(1e-3);
    least = std::min(least, door.state().q[0]);
  }
  EXPECT_GE(least, -1.0);
  EXPECT_LT(least, -0.99);
  EXPECT_NEAR(door.state().u[0], 0.5, 1e-12);
}

describe::Model two_boxes() {
  return text_model(R"(
name: two_boxes
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  a: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
  b: {mass: 1, inertia: [0.002, 0.002, 0.002], geometry: [{shape: box, size: [0.1, 0.1, 0.1], contact: true}]}
joints:
  a: {type: free, parent: world, child: a}
  b: {type: free, parent: world, child: b}
contact: {defaults: {render: stepping, friction: 0.5}}
initial: {q: {a.z: 0.0505, b.z: 0.1512}, u: {a.vx: 0.4, b.wz: 1}}
)");
}

TEST(TimeStepping, RefusesInputOfTheWrongSizeAndStaysWhereItWas) {
  Motion boxes(two_boxes());
  boxes.run(0.01);
  const State before = boxes.state();
  const std::vector<double> tau(13, 1.0), wrench(6, 1.0);
  for (const simulate::Input& input :
       {simulate::Input{tau, {}}, simulate::Input{{tau.data(), 11}, {}}, simulate::Input{{}, wrench}}) {
    const simulate::Status status = boxes.engine().step(input);
    EXPECT_TRUE(status.has(simulate::Status::bad_input));
    EXPECT_FALSE(status.ok());
    EXPECT_NE(boxes.engine().explain(status).find("12"), std::string::npos);
  }
  EXPECT_EQ(boxes.state().t, before.t);
  EXPECT_EQ(boxes.state().q, before.q);
  EXPECT_EQ(boxes.state().u, before.u);
  EXPECT_TRUE(boxes.engine().step({{tau.data(), 12}, {}}).ok());
}

TEST(TimeStepping, SaysThatContactsDoNotFitAndChangesNothing) {
  // Two boxes on a floor have eight contacts once both lie; there is room for six.
  Motion full(two_boxes(), {.most_contacts = 6});
  simulate::Status status;
  State before;
  StepBooks books;
  for (int i = 0; i < 200 && status.ok(); ++i) {
    before = full.state();
    books = full.engine().books();
    status = full.engine().step();
  }
  EXPECT_TRUE(status.has(simulate::Status::contacts_overflow));
  EXPECT_NE(full.engine().explain(status).find("more than 6 contacts"), std::string::npos);
  EXPECT_EQ(full.state().t, before.t);
  EXPECT_EQ(full.state().q, before.q);
  EXPECT_EQ(full.state().u, before.u);
  EXPECT_EQ(full.engine().books().steps, books.steps);
  EXPECT_EQ(full.engine().books().correction_work, books.correction_work);
}

TEST(TimeStepping, GoesOnFromASnapshotWithTheSameBits) {
  // Also after trouble: a step that is refused leaves no trace.
  Motion first(two_boxes()), second(two_boxes());
  first.run(0.02);
  SteppingSnapshot snapshot = second.engine().make_snapshot();
  const std::vector<double> wrong(5, 1.0), endless(12, std::numeric_limits<double>::infinity());
  const long allocated = allocation_count();
  first.engine().save(snapshot);
  second.engine().load(snapshot);
  EXPECT_EQ(allocation_count(), allocated);
  for (int i = 0; i < 60; ++i) {
    EXPECT_FALSE(second.engine().step({wrong, {}}).ok());
    EXPECT_TRUE(second.engine().step({endless, {}}).has(simulate::Status::not_finite));
    ASSERT_TRUE(first.engine().step().ok());
    ASSERT_TRUE(second.engine().step().ok());
    ASSERT_EQ(first.state().q, second.state().q) << i;
    ASSERT_EQ(first.state().u, second.state().u) << i;
    ASSERT_EQ(first.state().t, second.state().t) << i;
  }
  EXPECT_EQ(first.engine().books().friction_work, second.engine().books().friction_work);
}

TEST(TimeStepping, CatchesTheSpeedsWhereAConstraintIsSwitchedOn) {
  // A bead of 1 kg slides on a rail with 2 m/s; a latch ties it to a cart of 3 kg that stands: both go on
  // with a quarter of the speed, and half the kinetic energy of the relative motion is what is lost.
  const describe::Model model = text_model(R"(
name: latch
gravity: [0, 0, 0]
bodies: {bead: {mass: 1}, cart: {mass: 3}}
joints:
  x: {type: prismatic, parent: world, child: bead, axis: x}
  y: {type: prismatic, parent: world, child: cart, axis: x}
constraints: {latch: {type: equation, equations: x - y, active: false}}
initial: {q: {x: 0, y: 0}, u: {x: 2}}
)");
  Motion motion(model, {.all_pairs = true});
  const long allocated = allocation_count();
  EXPECT_TRUE(motion.engine().set_active(0, true).ok());
  EXPECT_EQ(allocation_count(), allocated);
  EXPECT_TRUE(motion.engine().is_active(0));
  EXPECT_NEAR(motion.state().u[0], 0.5, 1e-15);
  EXPECT_NEAR(motion.state().u[1], 0.5, 1e-15);
  motion.run(0.1);
  EXPECT_NEAR(motion.state().q[0], 0.05, 1e-12);
  EXPECT_NEAR(motion.state().q[1], 0.05, 1e-12);
  EXPECT_TRUE(motion.engine().set_active(0, false).ok());
  EXPECT_FALSE(motion.engine().is_active(0));
  EXPECT_TRUE(motion.engine().set_active(7, true).has(simulate::Status::bad_input));
  // Out of place it is refused, and nothing changes.
  motion.engine().set_state({0.0, {0.1, 0.0}, {2.0, 0.0}, {}});
  EXPECT_TRUE(motion.engine().set_active(0, true).has(simulate::Status::constraint_lost));
  EXPECT_FALSE(motion.engine().is_active(0));
  EXPECT_EQ(motion.state().u[0], 2.0);
}

TEST(TimeStepping, TakesAllPairsOfAModelInWhichOneAsksForIt) {
  const auto mixed = [](const std::string& first, const std::string& second) {
    return text_model(
        "name: mixed\nbodies:\n"
        "  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}\n"
        "  a: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: "
        "true}]}\n"
        "  b: {mass: 1, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: "
        "true}]}\n"
        "joints:\n  a: {type: free, parent: world, child: a}\n  b: {type: free, parent: world, child: b}\n"
        "contact:\n  ignore: [[a, b]]\n  pairs:\n    floor_a: {between: [world, a], render: " +
        first + "}\n    floor_b: {between: [world, b], render: " + second +
        "}\ninitial: {q: {a.z: 0.1, b.z: 0.1, b.x: 1}}\n");
  };
  const describe::Model both = mixed("stepping", "rigid");
  EXPECT_TRUE(asks_for_stepping(both));
  EXPECT_NE(stepping_note(both).find("1 of them written `rigid`"), std::string::npos);
  Motion motion(both);
  motion.run(0.01);
  EXPECT_EQ(motion.engine().contacts().size(), 2u);
  EXPECT_FALSE(asks_for_stepping(mixed("rigid", "rigid")));
  EXPECT_TRUE(stepping_note(mixed("stepping", "stepping")).empty());
}

TEST(TimeStepping, StepsWithoutAllocating) {
  // Boxes that fall on each other: contacts come and go.
  describe::Model model = describe::load(model_file("box_stack"));
  for (std::size_t i = 0; i < 10; ++i) model.initial_q[7 * i + 2] += 1e-3 * static_cast<double>(i + 1);
  Motion stack(model);
  const long before = allocation_count();
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    stack.engine().step();
    most = support::larger(most, stack.engine().contacts().size());
  }
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(most, 20u);
}

TEST(TimeStepping, GivesTheSameBitsEveryTime) {
  const describe::Model model = describe::load(model_file("box_stack"));
  Motion first(model), second(model);
  first.run(0.02);
  second.run(0.02);
  EXPECT_EQ(first.state().q, second.state().q);
  EXPECT_EQ(first.state().u, second.state().u);
}

}  // namespace
}  // namespace tactus::contact
