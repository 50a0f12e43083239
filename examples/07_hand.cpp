// A loop that somebody's hand could be in: every millisecond the hand's position comes in, a virtual coupler
// (spring and damper) turns its distance to the arm's tip into a force, and the arm feels it. Nothing in the
// loop allocates or throws.
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/simulation.h>

int main() {
  using namespace tactus;

  const describe::Model model = describe::load_text(R"(
name: planar_arm
gravity: [0, 0, 0]
bodies:
  upper: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02]}
  fore: {mass: 0.8, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  shoulder: {type: revolute, parent: world, child: upper, axis: z, damping: 0.2}
  elbow: {type: revolute, parent: upper, child: fore, axis: z, placement: {xyz: [0.4, 0, 0]}, damping: 0.1}
frames:
  tip: {body: fore, placement: {xyz: [0.3, 0, 0]}, grasp: true}
)",
                                                    "planar_arm.yaml");
  const int tip = model.frame_index("tip");
  derive::Options options;
  options.wrenches = {{.frame = tip, .world_axes = true}};
  const derive::Equations equations(model, options);
  const simulate::Dynamics dynamics = simulate::compile(equations);
  generate::Evaluator tip_motion(generate::compile(equations.frame_motion(tip)));

  simulate::Simulation arm(dynamics, {.step = 1e-3});
  arm.set_state({.t = 0.0, .q = {0.2, 1.0}, .u = {0.0, 0.0}, .momentum = {}});

  constexpr double kStiffness = 400.0, kDamping = 8.0;  // [N/m] [N s/m] of the coupler
  double distance = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const double t = arm.state().t;
    const std::array<double, 2> hand{0.45 + 0.05 * std::cos(2.0 * t),
                                     0.35 + 0.05 * std::sin(2.0 * t)};  // [m]

    std::copy(arm.state().q.begin(), arm.state().q.end(), tip_motion.input("q").begin());
    std::copy(arm.state().u.begin(), arm.state().u.end(), tip_motion.input("u").begin());
    tip_motion.run();
    const std::span<const double> p = tip_motion.output("p"), V = tip_motion.output("V");
    std::array<double, 6> wrench{};  // torque, force at the tip
    for (std::size_t k = 0; k < 2; ++k) wrench[3 + k] = kStiffness * (hand[k] - p[k]) - kDamping * V[3 + k];

    if (!arm.step({.tau = {}, .wrench = wrench}).ok()) return 1;
    distance = std::hypot(hand[0] - p[0], hand[1] - p[1]);
    if (i % 500 == 0) std::printf("t = %4.1f s   hand and tip are %6.2f mm apart\n", t, 1e3 * distance);
  }
  return distance < 0.02 ? 0 : 1;
}
