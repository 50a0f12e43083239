// A program that uses an installed Tactus: the loop of the README, as it stands there, and one with contact.
#include <cmath>
#include <cstdio>
#include <string>

#include <tactus/tactus.h>

using namespace tactus;

int report(const std::string& trouble) {
  std::puts(trouble.c_str());
  return 1;
}

int loop_of_the_readme() {
#include "readme_loop.inc"
  return 0;
}

/// A ball dropped from 1 m that loses everything at the floor: there at sqrt(2 h/g), and at rest from then on.
int loop_with_contact() {
  const describe::Model model = describe::load_text(R"(
name: drop
gravity: [0, 0, -10]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], geometry: [{shape: sphere, radius: 0.2, contact: true}]}
joints:
  fall: {type: prismatic, parent: world, child: ball, axis: z}
contact: {defaults: {render: rigid, restitution: 0}}
initial: {q: [1.2]}
)",
                                                    "drop.yaml");
  const std::unique_ptr<simulate::Mechanism> ball = contact::open(model, {.step = 1e-3});
  double touched = 0.0;
  while (ball->state().t < 1.0) {
    if (const simulate::Tick tick = ball->step(); !tick.ok()) return report(ball->explain(tick.status));
    if (!ball->events().empty() && touched == 0.0) touched = ball->events().front().t;
  }
  const bool right = std::abs(touched - std::sqrt(0.2)) < 1e-9 && std::abs(ball->state().q[0] - 0.2) < 1e-9;
  return right ? 0 : report("the ball did not land where and when it should");
}

int main() {
  const int result = loop_of_the_readme() + loop_with_contact();
  std::puts(result == 0 ? "both loops ran" : "failed");
  return result;
}
