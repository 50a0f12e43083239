// A hand holds a four-bar linkage by a virtual coupler: a simulated device, the loop in simulated time, what was felt.
//   example_14_hold_a_four_bar [MODEL]     from the project's folder, or with the place of a model
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <tactus/tactus.h>

int main(int argc, char** argv) {
  using namespace tactus;
  describe::Model model = describe::load(argc > 1 ? argv[1] : "models/four_bar.yaml");
  model.gravity = {0, 0, 0};
  const auto linkage = contact::open(model, {.step = 1e-3});
  const auto device =
      device::open("simulated:spatial", device::following(device::strokes({0.08, 0, 0}, 2.0)));
  const int held = 0;  // its first port
  // As stiff as is passive with the device, and stable with the mass behind the port.
  const double mass = linkage->apparent_mass(held, {1, 0, 0});
  const auto gains = control::design(device->specification(), {0.01, mass});
  display::HapticLoop loop(*linkage, *device, held, gains, control::limits_for(device->specification()));
  if (!loop.enable()) return 1;
  double felt = 0.0;  // [N] at most, since the last line
  for (int k = 1; k <= 4000; ++k) {
    if (!device->wait() || !loop.tick(loop.period())) return 1;  // said_of(loop.safety()) says why
    const display::TickRecord& at = loop.record();
    felt = std::max(felt, std::abs(at.on_handle[3]));
    if (k % 400 != 0) continue;
    std::printf("%4.1f s: handle %.4f m, port %.4f m, %.3f N\n", at.t, at.p_H.x, at.p_P.x, at.on_handle[3]);
    if (!(felt > 1.0)) return 1;
    felt = 0.0;
  }
  loop.disable();
  std::printf("coupler of %.0f N/m; the hand gave %.4f J\n", gains.stiffness[1], device->hand_work());
  return device->hand_work() > 0.0 ? 0 : 1;
}
