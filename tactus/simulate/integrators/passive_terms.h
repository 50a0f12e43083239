// What the passive integrator knows of a mechanism beyond its accelerations: kernels, each of what one part of a step asks for
// (derive/linear/midpoint_terms.h). Compiled where it is asked for (CompileOptions::passive).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/derive/linear/midpoint_terms.h>
#include <tactus/generate/kernel.h>

namespace tactus::simulate {

struct PassiveTerms {
  PassiveTerms(const derive::Equations& equations, const std::optional<algebra::Function>& loads,
               generate::Backend backend);

  generate::Kernel forces;     // t q u tau wrench -> Q outside loss
  generate::Kernel momenta;    // t q a b -> M a, M b
  generate::Kernel rows;       // t q u -> velocity A c; nothing where there are no constraints
  generate::Kernel potential;  // t q u -> potential
  generate::Kernel
      matrix;  // t q u tau wrench c E -> what forces add to Newton's matrix, by blocks, or its parts
  generate::Kernel mass;                   // t q a E -> what one of the ends adds
  std::size_t outside = 0, loss = 0;       // where the outputs of forces stand
  std::size_t velocity = 0, A = 0, c = 0;  // and those of rows
  std::size_t K = 0, W = 0, D = 0, rates = 0,
              mass_K = 0;  // and those of matrix and mass in speeds of the model's own

  std::vector<std::vector<int>> blocks;  // speeds that the matrix couples
  bool own_speeds = false;
  std::vector<derive::MidpointTerms::Quaternion> quaternions;

 private:
  PassiveTerms(derive::MidpointTerms terms, bool constrained, generate::Backend backend);
};

}  // namespace tactus::simulate
