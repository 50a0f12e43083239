// The hand's wrench on a device without a force sensor: what its momentum gained and its motors did not give.
//
//   p' = M_d v,     ph' = u - B_d v + F,     F = g (p - ph)        so that     F' = g (F_h - F)
//
// A low pass of the hand's force with the bandwidth g, whatever u is. Sampled, with u held for the period T:
//
//   F += g (M_d (v - v_before) - T (u - B_d v_before + F))
//
// Dry friction of the device counts as the hand's. Stable for g T < 2; what the velocity's estimate adds in noise, g M_d dv, is
// the price of a large g.
#pragma once

#include <tactus/control/four_channel.h>

namespace tactus::control {

/// All that it remembers.
struct ForceObserverMemory {
  bool begun = false;
  Vector6 v{}, F{};
};

struct ForceObserver {
  Matrix6 M_d{};
  std::array<double, 2> B_d{};  // {rotation, translation}
  double bandwidth = 100.0;     // [rad/s] g
  double period = 1e-3;         // [s] T

  /// `u` was held on the handle since the call before.
  Vector6 observe(ForceObserverMemory& memory, const Vector6& v, const Vector6& u) const noexcept {
    if (memory.begun) {
      for (std::size_t i = 0; i < 6; ++i) {
        double gained = 0.0;
        for (std::size_t j = 0; j < 6; ++j) gained += M_d[6 * i + j] * (v[j] - memory.v[j]);
        memory.F[i] += bandwidth * (gained - period * (u[i] - B_d[i / 3] * memory.v[i] + memory.F[i]));
      }
    }
    memory.begun = true;
    memory.v = v;
    return memory.F;
  }
};

}  // namespace tactus::control
