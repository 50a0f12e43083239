#include "contender.h"

#include <algorithm>
#include <cmath>

namespace tactus::bench {

double disagreement(const Contender& contender, const std::vector<std::vector<double>>& expected) {
  double worst = 0.0;
  std::vector<double> result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.assign(expected[i].size(), std::nan(""));
    contender.evaluate(i, result.data());
    double scale = 0.0, difference = 0.0;
    for (std::size_t k = 0; k < result.size(); ++k) {
      scale = std::max(scale, std::fabs(expected[i][k]));
      const double d = std::fabs(result[k] - expected[i][k]);
      difference = std::isfinite(d) ? std::max(difference, d) : INFINITY;
    }
    worst = std::max(worst, difference / scale);
  }
  return worst;
}

#ifndef TACTUS_BENCH_MUJOCO
std::optional<Contender> mujoco_contender(const Mechanism&, Quantity) { return std::nullopt; }
std::vector<Contender> mujoco_loop_contenders(const Mechanism&) { return {}; }
#endif
#ifndef TACTUS_BENCH_DART
std::optional<Contender> dart_contender(const Mechanism&, Quantity) { return std::nullopt; }
#endif
#ifndef TACTUS_BENCH_KDL
std::optional<Contender> kdl_contender(const Mechanism&, Quantity) { return std::nullopt; }
#endif
#ifndef TACTUS_BENCH_SIMBODY
std::optional<Contender> simbody_contender(const Mechanism&, Quantity) { return std::nullopt; }
std::optional<Contender> simbody_loop_contender(const Mechanism&) { return std::nullopt; }
#endif

}  // namespace tactus::bench
