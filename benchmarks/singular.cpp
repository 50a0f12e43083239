#include "singular.h"

#include <string>

#include <fmt/format.h>

#include <studies/ladder/convergence.h>

namespace tactus::bench {

void measure_singular(bool quick) {
  using simulate::Formulation;
  fmt::print(
      "\nThrough singular positions: the dearest of 1,500 RK4 steps of 1 ms by the median (processor time, "
      "least of "
      "several runs each; aim: 20)\n{:<16} {:>12} {:>12} {:>12} {:>12}\n",
      "ladder", "automatic", "multipliers", "embedding", "projection");
  const study::Context context{std::string(TACTUS_SOURCE_DIR) + "/models", "."};
  for (const int loops : {1, 2, 10, 40}) {
    if (quick && loops == 40) continue;
    std::string line = fmt::format("{:<16}", fmt::format("{} loop{}", loops, loops == 1 ? "" : "s"));
    for (const Formulation formulation :
         {Formulation::automatic, Formulation::multipliers, Formulation::embedding, Formulation::projection})
      line += fmt::format(" {:>12.1f}", studies::ladder::dearest_step(
                                            context, loops, {simulate::Integrator::rk4, formulation, 0.0}));
    fmt::print("{}\n", line);
  }
}

}  // namespace tactus::bench
