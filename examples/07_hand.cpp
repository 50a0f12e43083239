// A loop that somebody's hand could be in: every millisecond the hand's position comes in, a virtual coupler
// (spring and damper) turns its distance to the arm's tip into a force, and the arm feels it. Nothing in the
// loop allocates or throws.
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

int main() {
  using namespace tactus;

  const std::unique_ptr<simulate::Mechanism> arm = contact::open(describe::load_text(R"(
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
initial: {q: {shoulder: 0.2, elbow: 1.0}}
)",
                                                                                     "planar_arm.yaml"),
                                                                 {.step = 1e-3});
  const int tip = arm->port("tip");  // by name before the loop, by number in it

  constexpr double kStiffness = 400.0, kDamping = 8.0;  // [N/m] [N s/m] of the coupler
  double distance = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const double t = arm->state().t;
    const std::array<double, 2> hand{0.45 + 0.05 * std::cos(2.0 * t),
                                     0.35 + 0.05 * std::sin(2.0 * t)};  // [m]

    const simulate::PortMotion& motion = arm->motion(tip);
    const auto& p = motion.X_WP.p;
    simulate::PortWrench pull{tip, {}};  // torque, force at the tip, world axes
    for (std::size_t k = 0; k < 2; ++k)
      pull.wrench[3 + k] = kStiffness * (hand[k] - p[k]) - kDamping * motion.V_WP[3 + k];

    distance = std::hypot(hand[0] - p[0], hand[1] - p[1]);
    if (!arm->step({.ports = {&pull, 1}}).ok()) return 1;
    if (i % 500 == 0) std::printf("t = %4.1f s   hand and tip are %6.2f mm apart\n", t, 1e3 * distance);
  }
  std::printf("the tip feels like %.3f kg along x\n", arm->apparent_mass(tip, {1.0, 0.0, 0.0}));
  return distance < 0.02 ? 0 : 1;
}
