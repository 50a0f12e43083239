// Laws of forces written in the model: each against what the model has for it otherwise.
#include "random_state.h"

namespace tactus::derive {
namespace {

constexpr double kRounded = 1e-12;

std::string arm(const std::string& rest) {
  return "name: arm\nparameters: {k: 40, c: 3}\nbodies:\n"
         "  upper: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.2, 0.25]}\n"
         "  fore: {mass: 0.8, com: [0.1, 0.1, 0], inertia: [0.1, 0.15, 0.2]}\njoints:\n"
         "  q1: {type: revolute, parent: world, child: upper, axis: z}\n"
         "  q2: {type: revolute, parent: upper, child: fore, axis: y, placement: {xyz: [0.5, 0, "
         "0]}}\nframes:\n"
         "  post: {body: world, placement: {xyz: [0, 1, 0.2]}}\n"
         "  hand: {body: fore, placement: {xyz: [0.3, 0, 0.1], rpy: [0.2, 0.1, 0.4]}}\n" +
         rest;
}

void expect_same_motion(const std::string& a, const std::string& b) {
  const describe::Model first = describe::load_text(arm(a), "a.yaml"),
                        second = describe::load_text(arm(b), "b.yaml");
  const Equations x(first), y(second);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const State s = random_state(first, 10 + seed);
    EXPECT_LT(support::relative_difference(value(x.forward_dynamics(), s, "udot"),
                                           value(y.forward_dynamics(), s, "udot")),
              kRounded);
    EXPECT_LT(support::relative_difference(value(x.inverse_dynamics(), s, "tau"),
                                           value(y.inverse_dynamics(), s, "tau")),
              kRounded);
    EXPECT_LT(support::relative_difference(value(x.bias(), s, "h"), value(y.bias(), s, "h")), kRounded);
    EXPECT_LT(support::relative_difference(value(x.linear_model(), s, "K"), value(y.linear_model(), s, "K")),
              1e-9);
  }
}

TEST(ForceLaws, AtAJointAreItsSpringAndDamper) {
  expect_same_motion("springs: {s: {type: joint, joint: q2, stiffness: k, rest: 0.3, damping: c}}\n",
                     "forces: {s: {type: joint, joint: q2, force: -k*(q2 - 0.3) - c*q2_dot}}\n");
}

TEST(ForceLaws, AlongALineAreASpringBetweenPoints) {
  expect_same_motion(
      "springs: {s: {type: points, a: post, b: {body: fore, at: [0.1, 0, 0]}, stiffness: k, damping: c, "
      "rest_length: 0.2}}\n",
      "forces: {s: {type: line, a: post, b: {body: fore, at: [0.1, 0, 0]}, force: k*(distance - 0.2) + "
      "c*distance_rate}}\n");
}

// A spring without rest length and a damper against the world, with the frame's own words; and through definitions.
TEST(ForceLaws, AtAFrameAreASpringBetweenFrames) {
  const char* spring =
      "springs: {s: {type: frames, a: post, b: hand, linear_stiffness: k, linear_damping: c, "
      "angular_damping: 0.5*c}}\n";
  expect_same_motion(
      spring,
      "forces:\n  s:\n    type: frame\n    frame: hand\n"
      "    force: [-k*hand.px - c*hand.vx, -k*(hand.py - 1) - c*hand.vy, -k*(hand.pz - 0.2) - c*hand.vz]\n"
      "    torque: [-0.5*c*hand.wx, -0.5*c*hand.wy, -0.5*c*hand.wz]\n");
  expect_same_motion(
      spring,
      "definitions:\n  fz: up - c*hand.vz\n  up: -k*(hand.pz - 0.2)\n"
      "forces:\n  pull: {type: frame, frame: hand, force: [-k*hand.px - c*hand.vx, -k*(hand.py - 1) - "
      "c*hand.vy, "
      "fz]}\n"
      "  turn: {type: frame, frame: hand, axes: frame, torque: [-0.5*c*hand.body.wx, -0.5*c*hand.body.wy, "
      "-0.5*c*hand.body.wz]}\n");
}

// With speeds of one's own a law may be written in them; and articulated bodies take laws like composite ones.
TEST(ForceLaws, FollowSpeedsAndMethods) {
  const std::string speeds = "speeds: {from_rates: {u1: q1_dot + q2_dot, u2: q2_dot*cos(q1)}}\n";
  const describe::Model by_rates = describe::load_text(
                            arm(speeds +
                                "forces: {s: {type: joint, joint: q1, force: -c*(q1_dot + q2_dot)}}\n"),
                            "a.yaml"),
                        by_speeds = describe::load_text(
                            arm(speeds + "forces: {s: {type: joint, joint: q1, force: -c*u1}}\n"), "b.yaml");
  const describe::Model plain =
      describe::load_text(arm("forces: {s: {type: joint, joint: q1, force: -c*q1_dot}, f: {type: frame, "
                              "frame: hand, force: [hand.vy, 0, q1]}}\n"),
                          "c.yaml");
  for (unsigned seed = 0; seed < 3; ++seed) {
    const State s = random_state(by_rates, 20 + seed);
    EXPECT_LT(support::difference(value(Equations(by_rates).forward_dynamics(), s, "udot"),
                                  value(Equations(by_speeds).forward_dynamics(), s, "udot")),
              1e-10);
    Options articulated;
    articulated.method = ForwardMethod::articulated_body;
    EXPECT_LT(support::difference(value(Equations(plain).forward_dynamics(), s, "udot"),
                                  value(Equations(plain, articulated).forward_dynamics(), s, "udot")),
              1e-10);
  }
}

// A passive joint has no actuator; what a law says there acts all the same.
TEST(ForceLaws, ActAtPassiveJointsToo) {
  const auto pendulum = [](const std::string& rest) {
    return describe::load_text(
        "{name: p, bodies: {b: {mass: 2, com: [1, 0, 0]}}, joints: {q: {type: revolute, parent: world, "
        "child: b, axis: z, passive: true}}, gravity: [0, 0, 0]" +
            rest + "}",
        "p.yaml");
  };
  const describe::Model driven = pendulum(", forces: {f: {type: joint, joint: q, force: 6 + t}}");
  State s = random_state(driven, 1);
  s.t = 2.0;
  EXPECT_NEAR(value(Equations(driven).forward_dynamics(), s, "udot")[0], 4.0, kRounded);
}

}  // namespace
}  // namespace tactus::derive
