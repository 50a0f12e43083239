// Shorter roads to slopes and ends of steps (chart.h), where a mechanism has them.
//
// Bodies that fly, each alone: flying_bodies.h.
//
// Trees that hang free: the rate of a tree's momentum is the wrench that acts on it from outside (momentum.h). Where nothing
// acts at the free joint that it hangs on, neither force nor spring nor damping, and no spring or law of force acts between bodies, that is its
// weight, and nothing has to be computed:
//
//   P' = [0; m g]
//
// Which of this is so is read from the model, and compared besides with what the equations say.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/flying_bodies.h>

namespace tactus::simulate {

struct ChartKernels {
  /// [np] P' of states in which the forces at the roots are zero; empty: not known.
  std::vector<double> weight;
  std::optional<FlyingBodies> flying;
};

/// Null where the mechanism has no such road: constraints, own speeds, nothing that hangs free. The dynamics has its kernels of forward dynamics and
/// momentum already.
std::shared_ptr<const ChartKernels> chart_kernels(const derive::Equations& equations,
                                                  const Dynamics& dynamics, generate::Backend backend);

}  // namespace tactus::simulate
