// Whether the energy of a smooth motion can be explained. Three cases:
//
//   keeps   nothing but potentials and constraints at rest act on it: E is the same for ever, and what it changes by is the integrator's error, or
//           worse (a singular position left on no branch of the motion)
//   burns   dampers or friction besides, or an integrator that loses energy by itself: E never grows
//   none    a script, laws of forces or constraints that move give and take: nothing is known of E
//
// and in the first two, in ticks under forces at ports and joints from outside, E grows by no more than their work: they are held for a tick, so
// that it is what they do along the way that was made. Looked at every few ticks, the more seldom the calmer it is, and compared over kEvery of them. More than kLost of the energy in play is
// no motion of this mechanism; what it drifts by in all is for the books.
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
/// Whether some of these may give energy.
bool has_sources(const describe::Model& model, const derive::Equations& equations, const Dynamics& dynamics);

struct SmoothWatch {
  enum class Law : std::uint8_t { none, keeps, burns };

  static constexpr std::uint32_t kEvery = 32;  // [ticks] at most
  static constexpr double kLost = 0.1;
  /// Of the energy in play: less is calm.
  static constexpr double kCalm = 1e-3;
  /// Of the potential energy: what sums of many bodies round to.
  static constexpr double kRounding = 1e-9;
  /// [J] Less is nothing.
  static constexpr double kNothing = 1e-9;

  Law law = Law::none;
  double allowed = kLost;              // of the energy in play
  std::uint32_t since = 0, every = 1;  // [ticks] since the last look; to the next
  std::uint32_t age = 0;               // [ticks] of `energy`
  bool known = false;
  double energy = 0.0;              // [J] that looks compare with, kEvery ticks old at most
  double largest = 0.0;             // [J] kinetic energy at looks
  double drift = 0.0, worst = 0.0;  // [J] in all; the largest part of the energy in play between two looks

  /// Something else acted, or the mechanism was moved.
  void forget() { known = false, since = 0, every = 1; }
  /// Before a tick: whether it is looked at after it.
  bool is_due() {
    ++age;
    return law != Law::none && (!known || ++since >= every);
  }
  bool is_due_under_loads() {
    known = false;
    return law != Law::none && ++since >= every;
  }
  /// False: this cannot be.
  bool look(double kinetic, double potential) {
    const double now = kinetic + potential;
    if (!known) {
      largest = std::max(largest, kinetic);
      known = true;
      since = age = 0;
      energy = now;
      return true;
    }
    if (!explains(now - energy, kinetic, potential, 0.0)) return false;
    if (age < kEvery) return true;
    if (law == Law::keeps) drift += now - energy;
    energy = now;
    age = 0;
    return true;
  }
  /// The same of one tick in which forces from outside did `work` [J].
  bool look_at_tick(double before, double kinetic, double potential, double work) {
    return explains(kinetic + potential - before - work, kinetic, potential, work);
  }

 private:
  bool explains(double off, double kinetic, double potential, double work) {
    // What came from nowhere is not in play, but for those that keep their energy, where it may as well have been there before.
    largest = std::max(largest, law == Law::keeps ? kinetic : kinetic - std::max(off, 0.0));
    const double play = largest + std::abs(work) + kRounding * std::abs(potential);
    const double part = law == Law::keeps && work == 0.0 ? std::abs(off) : std::max(off, 0.0);
    if (!(part <= allowed * play + kNothing)) return false;
    largest = std::max(largest, kinetic);
    since = 0;
    every = part <= kCalm * play ? std::min(kEvery, 2 * every) : 1;
    if (work == 0.0) worst = std::max(worst, play > 0.0 ? part / play : 0.0);
    return true;
  }
};

}  // namespace tactus::simulate
