#include "haptic_rate.h"

#include <algorithm>
#include <cmath>

namespace tactus::apps {

double fastest_turn(simulate::Mechanism& mechanism) {
  constexpr double kMoments = 0.25;  // [s] while forces come on
  double fastest = 0.0;
  const long steps = std::lround(kMoments / mechanism.step_length());
  for (long k = 0; k < steps; ++k) {
    if (!mechanism.step({}).ok()) break;  // the loop will say why
    for (std::size_t port = 0; port < mechanism.ports().size(); ++port) {
      const auto& V = mechanism.motion(static_cast<int>(port)).V_WP;
      fastest = std::max(fastest, std::hypot(V[0], V[1], V[2]));
    }
  }
  return fastest;
}

double calm_rate(double turn, double usual) {
  constexpr double kLittle = 0.05;  // [rad] a force is off by a fortieth then
  constexpr double kMost = 20e3;    // [Hz]
  double rate = usual;
  while (rate < kMost / 2.0 && turn > kLittle * rate) rate *= 2.0;
  return rate;
}

}  // namespace tactus::apps
