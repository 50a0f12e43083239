// What the passive integrator knows of a mechanism beyond its accelerations. Compiled where it is asked for
// (CompileOptions::passive).
#pragma once

#include <cstddef>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

namespace tactus::simulate {

struct PassiveTerms {
  PassiveTerms(const derive::Equations& equations, generate::Backend backend);

  generate::Kernel terms;         // t q u tau wrench -> M Q Phi velocity A c gamma qdot
  generate::Kernel bias;          // t q u -> h
  generate::Kernel without_loss;  // the same without dampers and friction
  generate::Kernel energy;        // t q u -> kinetic potential ...
  std::size_t M = 0, Q = 0, velocity = 0, A = 0, c = 0, potential = 0;  // where the outputs stand
};

}  // namespace tactus::simulate
