// The flow in C++: describe a mechanism, derive its equations, compile them, simulate.
#include <cmath>
#include <cstdio>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/simulation.h>

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
  const derive::Equations equations(model);
  const simulate::Dynamics dynamics = simulate::compile(equations);  // machine code, or the interpreter

  simulate::Simulation crane(dynamics, {.step = 1e-3});
  crane.set_state({.t = 0.0, .q = {0.0, 0.4}, .u = {0.0, 0.0}, .momentum = {}});
  generate::Evaluator energy(generate::compile(equations.energy()));
  const auto total_energy = [&] {
    std::copy(crane.state().q.begin(), crane.state().q.end(), energy.input("q").begin());
    std::copy(crane.state().u.begin(), crane.state().u.end(), energy.input("u").begin());
    energy.run();
    return energy.output("kinetic")[0] + energy.output("potential")[0];
  };

  const double before = total_energy();
  std::puts("     t      rail     swing    energy");
  for (int i = 0; i < 5000; ++i) {
    if (const simulate::Status status = crane.step(); !status.ok()) {
      std::puts(crane.explain(status).c_str());
      return 1;
    }
    if (i % 500 == 499)
      std::printf("%6.2f  %8.4f  %8.4f  %8.4f\n", crane.state().t, crane.state().q[0], crane.state().q[1],
                  total_energy());
  }
  return std::abs(total_energy() - before) < 1e-8 ? 0 : 1;  // nothing takes energy away
}
