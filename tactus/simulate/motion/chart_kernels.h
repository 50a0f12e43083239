// Slopes and ends of steps as one piece of code each, for mechanisms with many bodies that fly.
//
// In the chart (chart.h) a slope is more than an acceleration: coordinates are displaced, q = q0 (+) theta, the rate of theta is found, and the
// momentum's rate P'. Written into the same code as the acceleration they share what they need, above all the rotation matrices:
//
//   exp(theta/2) = (c, s theta)      c = cos(a/2), s = sin(a/2)/a, a = |theta|
//   theta' = w + theta x w / 2 + b theta x (theta x w)      b = (1 - (a/2) cot(a/2))/a^2      [MuntheKaas1999]
//
// c, s and b are power series in a^2, cut where the next term is below rounding for a <= 1. Where a body turns by more within a step the
// general road is taken (coordinates.h).
//
// A body that hangs on nothing and carries none has the momentum P = [H; p] = [R I w; m R (v + w x c)], with its centre of mass c and central
// inertia I in its own axes. From outside act its weight m g and what acts at its joint, torque n and force f:
//
//   P' = [R (n - c x f); m g + R f]          w = I^-1 R^T H,   v = R^T p / m - w x c
//
// The latter gives the speeds at the end of a step (momentum.h). Whether all this is so, with all that else may act, is not assumed but looked at:
// where the formulas differ from the equations' own anywhere, there is no such code.
#pragma once

#include <memory>
#include <optional>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/momentum.h>

namespace tactus::simulate {

struct ChartKernels {
  /// Orientations that turn freely from which on such code is made.
  static constexpr int kManyTurns = 16;
  /// [rad] The series hold up to this angle.
  static constexpr double kMostTurn = 1.0;

  generate::Kernel slope;  // t q0 theta u tau -> theta_rate udot P_rate
  std::optional<generate::Kernel>
      settle;  // t q0 theta u P -> q u: where every tree that hangs free is one body
};

/// Null where the mechanism is not one for it: few turns, trees of more than a body, constraints, own speeds, wrenches.
std::shared_ptr<const ChartKernels> chart_kernels(const derive::Equations& equations,
                                                  const std::optional<MomentumFunctions>& momentum,
                                                  generate::Backend backend);

}  // namespace tactus::simulate
