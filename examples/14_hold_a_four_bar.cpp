// A hand holds a four-bar linkage by a virtual coupler: a simulated device, the loop in simulated time, what was felt.
#include <cmath>
#include <cstdio>
#include <memory>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

int main() {
  using namespace tactus;
  const std::unique_ptr<simulate::Mechanism> linkage = contact::open(describe::load_text(R"(
name: four_bar
gravity: [0, 0, 0]
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
frames:
  middle: {body: coupler, placement: {xyz: [0.15, 0, 0]}, grasp: true}
initial: {q: {q1: 1.05, q2: -0.5, q3: 1.9}}
)",
                                                                                         "four_bar.yaml"),
                                                                     {.step = 1e-3});
  const auto device = device::open("simulated:planar", device::following(device::strokes({0.08, 0, 0}, 2.0)));
  const int middle = linkage->port("middle");
  const double mass = linkage->apparent_mass(middle, {1, 0, 0});  // [kg]
  const control::CouplerGains gains = control::design(device->specification(), {0.01, mass});

  display::HapticLoop loop(*linkage, *device, middle, gains, control::limits_for(device->specification()));
  if (!loop.enable()) return 1;
  std::puts("     t   handle     port    force");
  for (int i = 0; i < 10; ++i) {
    if (run_loop(loop, {.duration = 0.4}).ticks != 400) {
      std::printf("forces off: %s\n", meaning_of(loop.safety().fault).data());
      return 1;
    }
    const display::TickRecord& now = loop.record();
    std::printf("%6.2f %8.4f %8.4f %8.3f\n", now.t, now.p_H.x, now.p_P.x, now.on_handle[3]);
  }
  std::printf("the coupler has %.0f N/m, %.2f N s/m; the hand gave %.4f J\n", gains.stiffness[1],
              gains.damping[1], device->hand_work());
  return loop.record().into_port > 0.0 ? 0 : 1;
}
