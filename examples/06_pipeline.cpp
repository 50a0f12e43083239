// The flow in C++: describe a mechanism, derive its equations, compile them, simulate.
#include <cmath>
#include <cstdio>
#include <memory>

#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>

int main() {
  using namespace tactus;

  const describe::Model model = describe::load_text(R"(
name: crane
parameters: {cart: 40 kg, load: 15 kg, rope: 2 m}
bodies:
  trolley: {mass: cart}
  hook: {mass: load, com: [0, 0, -rope]}
joints:
  rail: {type: prismatic, parent: world, child: trolley, axis: x}
  swing: {type: revolute, parent: trolley, child: hook, axis: y}
)",
                                                    "crane.yaml");
  const derive::Equations equations(model);  // to be read, counted, differentiated
  std::printf("%d coordinates, %d speeds\n", equations.nq(), equations.nv());

  // Derived, compiled to machine code, assembled, in motion.
  const std::unique_ptr<simulate::Mechanism> crane = contact::open(model, {.step = 1e-3});
  crane->set_state({.t = 0.0, .q = {0.0, 0.4}, .u = {0.0, 0.0}, .momentum = {}});
  const auto total_energy = [&] {
    const simulate::Energies energies = crane->energies();
    return energies.kinetic + energies.potential;
  };

  const double before = total_energy();
  std::puts("     t      rail     swing    energy");
  for (int i = 0; i < 5000; ++i) {
    if (const simulate::Tick tick = crane->step(); !tick.ok()) {
      std::puts(crane->explain(tick.status).c_str());
      return 1;
    }
    if (i % 500 == 499)
      std::printf("%6.2f  %8.4f  %8.4f  %8.4f\n", crane->state().t, crane->state().q[0], crane->state().q[1],
                  total_energy());
  }
  return std::abs(total_energy() - before) < 1e-8 ? 0 : 1;  // nothing takes energy away
}
