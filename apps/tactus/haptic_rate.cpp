#include "haptic_rate.h"

#include <algorithm>
#include <cmath>

namespace tactus::apps {

OwnMotion own_motion(simulate::Mechanism& mechanism, int held) {
  constexpr double kMoments = 0.25;  // [s] while forces come on
  OwnMotion own;
  const long steps = std::lround(kMoments / mechanism.step_length());
  for (long k = 0; k < steps; ++k) {
    if (!mechanism.step({}).ok()) break;  // the loop will say why
    for (std::size_t i = 0; i < mechanism.ports().size(); ++i) {
      const auto port = static_cast<int>(i);
      const auto& V = mechanism.motion(port).V_WP;
      const double turn = std::hypot(V[0], V[1], V[2]);
      own.turn = std::max(own.turn, turn);
      if (port == held)
        own.port = {std::max(own.port[0], turn), std::max(own.port[1], std::hypot(V[3], V[4], V[5]))};
    }
    own.kinetic = std::max(own.kinetic, mechanism.energies().kinetic);
  }
  return own;
}

double calm_rate(double turn, double usual) {
  constexpr double kLittle = 0.05;  // [rad] a force is off by a fortieth then
  constexpr double kMost = 20e3;    // [Hz]
  double rate = usual;
  while (rate < kMost / 2.0 && turn > kLittle * rate) rate *= 2.0;
  return rate;
}

std::array<double, 2> taming_inertia(const OwnMotion& own, const std::array<double, 2>& speed) {
  std::array<double, 2> inertia{};
  if (own.port[0] <= speed[0] && own.port[1] <= speed[1]) return inertia;
  for (std::size_t k = 0; k < 2; ++k) inertia[k] = 2.0 * own.kinetic / (speed[k] * speed[k]);
  return inertia;
}

}  // namespace tactus::apps
