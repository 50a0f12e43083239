// Whether a smooth motion keeps its energy, where nothing but potentials and constraints at rest act on it: E is then the same for
// ever, and what it changes by is the integrator's error, or worse (a singular position left on no branch of the motion). Looked at every
// kEvery ticks, which costs little. More than kLost of the energy in play between two looks is no motion of this mechanism; what it drifts by
// in all is for the books.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tactus/derive/equations.h>
#include <tactus/simulate/choices.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

/// Whether a model has forces, with those of `dynamics`, that no potential explains, or constraints that move.
bool has_other_forces(const describe::Model& model, const derive::Equations& equations,
                      const Dynamics& dynamics);

struct SmoothWatch {
  static constexpr std::uint32_t kEvery = 32;  // [ticks]
  static constexpr double kLost = 0.1;
  /// Of the potential energy: what sums of many bodies round to.
  static constexpr double kRounding = 1e-9;

  bool keeps = false;  // the energy is to stay; false: nothing is watched
  std::uint32_t since = 0;
  bool known = false;
  double energy = 0.0;              // [J] at the last look
  double largest = 0.0;             // [J] kinetic energy at looks
  double drift = 0.0, worst = 0.0;  // [J] in all; the largest part of the energy in play between two looks

  /// Something else acted, or the mechanism was moved.
  void forget() { known = false, since = 0; }
  /// Before a tick: whether it is looked at after it.
  bool is_due() { return keeps && (!known || ++since >= kEvery); }
  /// False: this cannot be.
  bool look(double kinetic, double potential) {
    const double now = kinetic + potential;
    largest = std::max(largest, kinetic);
    if (!known) {
      known = true;
      since = 0;
      energy = now;
      return true;
    }
    const double off = now - energy, play = largest + kRounding * std::abs(potential);
    if (!(std::abs(off) <= kLost * play)) return false;
    since = 0;
    energy = now;
    drift += off;
    worst = std::max(worst, play > 0.0 ? std::abs(off) / play : 0.0);
    return true;
  }
};

}  // namespace tactus::simulate
