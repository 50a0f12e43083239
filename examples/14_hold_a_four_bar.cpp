// A hand holds a four-bar linkage by a virtual coupler: a simulated device, the loop in simulated time, what was felt. 30 lines of code, the
// model's among them; includes, comments and empty lines are not counted.
#include <cstdio>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

constexpr const char* kFourBar = R"(
name: four_bar
bodies:
  crank: {mass: 0.2, com: [0.05, 0, 0], inertia: [0, 2e-4, 2e-4]}
  coupler: {mass: 0.6, com: [0.15, 0, 0], inertia: [0, 5e-3, 5e-3]}
  rocker: {mass: 0.5, com: [0.125, 0, 0], inertia: [0, 3e-3, 3e-3]}
joints:
  q1: {type: revolute, parent: world, child: crank, axis: z}
  q2: {type: revolute, parent: crank, child: coupler, axis: z, placement: {xyz: [0.1, 0, 0]}}
  q3: {type: revolute, parent: world, child: rocker, axis: z, placement: {xyz: [0.35, 0, 0]}}
constraints:
  loop: {type: revolute, a: {body: rocker, at: [0.25, 0, 0], axis: z}, b: {body: coupler, at: [0.3, 0, 0], axis: z}}
frames: {middle: {body: coupler, placement: {xyz: [0.15, 0, 0]}, grasp: true}}
initial: {q: {q1: 1.05, q2: -0.5, q3: 1.9}})";

int main() {
  using namespace tactus;
  const auto linkage = contact::open(describe::load_text(kFourBar, "four_bar.yaml"), {.step = 1e-3});
  const auto device = device::open("simulated:planar", device::following(device::strokes({0.08, 0, 0}, 2.0)));
  const int mid = linkage->port("middle");
  // As stiff as is passive with the device, and stable with the mass behind the port.
  const auto gains = control::design(device->specification(), {0.01, linkage->apparent_mass(mid, {1, 0, 0})});
  display::HapticLoop loop(*linkage, *device, mid, gains, control::limits_for(device->specification()));
  if (!loop.enable()) return 1;
  for (int i = 0; i < 10; ++i) {
    if (run_loop(loop, {.duration = 0.4}).ticks != 400) return 1;  // meaning_of(loop.safety().fault) says why
    const display::TickRecord& at = loop.record();
    std::printf("%4.1f s: handle %.4f m, port %.4f m, %.3f N\n", at.t, at.p_H.x, at.p_P.x, at.on_handle[3]);
  }
  std::printf("coupler of %.0f N/m; the hand gave %.4f J\n", gains.stiffness[1], device->hand_work());
  return loop.record().into_port > 0.0 ? 0 : 1;
}
