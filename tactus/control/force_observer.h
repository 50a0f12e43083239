// The hand's wrench on a device without a force sensor: what its momentum gained and its motors did not give, by the observer of momenta of [DeLucaMattone2003].
//
//   p' = M_d v,     ph' = u - B_d v + F,     F = g (p - ph)        so that     F' = g (F_h - F)
//
// A low pass of the hand's force with the bandwidth g, whatever u is. Sampled, with u held for the period T:
//
//   F += g (M_d (v - v_before) - T (u - B_d v_before + F))
//
// Stable for g T < 2; what the velocity's estimate adds in noise, g M_d dv, is the price of a large g.
//
// A velocity that is a difference of readings through two poles is late, and u must be late by the same: otherwise what the motors do now is taken
// for the hand's until the velocity tells of it, and a controller that answers feeds itself. With v the mean of the last period, seen through f(z),
// M_d (v_k - v_k-1) is T times the mean of the last two held u; so that mean, through the same f(z), stands for u, and F is g/(s + g) f F_h
// whatever u is. Dry friction that the controller masks is no motors' work on the handle: the caller takes it out of u. What is left counts as the hand's.
#pragma once

#include <tactus/control/four_channel.h>

namespace tactus::control {

/// All that it remembers.
struct ForceObserverMemory {
  bool begun = false;
  Vector6 v{}, F{};
  Vector6 u{}, once{}, twice{};  // of the motors: as held before, and through the poles
};

struct ForceObserver {
  Matrix6 M_d{};
  std::array<double, 2> B_d{};  // {rotation, translation}
  double bandwidth = 100.0;     // [rad/s] g
  double period = 1e-3;         // [s] T
  bool differences = false;     // v is the difference of two readings
  double velocity_pole = 0.0;   // of the two equal poles through which it then comes; 0: none

  /// `u` was held on the handle since the call before.
  Vector6 observe(ForceObserverMemory& memory, const Vector6& v, const Vector6& held) const noexcept {
    Vector6 u = held;
    if (differences)
      for (std::size_t i = 0; i < 6; ++i) {
        const double mean = 0.5 * (held[i] + memory.u[i]);
        memory.once[i] = mean + velocity_pole * (memory.once[i] - mean);
        u[i] = memory.twice[i] = memory.once[i] + velocity_pole * (memory.twice[i] - memory.once[i]);
      }
    memory.u = held;
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
