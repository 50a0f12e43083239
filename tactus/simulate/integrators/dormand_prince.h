// The explicit Runge-Kutta pair of Dormand and Prince of order 8 with error estimates of orders 5 and 3 [Hairer1993, II.5, II.10],
// in the chart.
//
//   z1 = z + h sum_i b_i k_i,    k_i = f(t + c_i h, z + h sum_j a_ij k_j),    i = 1..12
//
// Its estimates are differences of quadrature formulas with different nodes: they see f(t) as well as f(z). (That of
// Fehlberg's 7(8) compares f at the step's two ends with f at the same two ends: for f(t) it is zero.)
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

/// The method's numbers, for itself and for those who check them.
struct DormandPrince853 {
  static constexpr std::size_t kStages = 12;
  static const std::array<double, kStages> c, b, e5, e3;  // e5, e3: weights of the error estimates
  static const std::array<std::array<double, kStages>, kStages> a;
};

class DormandPrince {
 public:
  DormandPrince(std::size_t size, double absolute_tolerance, double relative_tolerance);

  /// True: x and t moved by dt, and dt is the proposal for the next step. False: the error was too large, or
  /// something was not finite; only dt changed, to what should be tried instead.
  bool attempt(Chart& chart, double* x, double& t, double& dt);
  /// Moves x by dt, whatever the error.
  void force(Chart& chart, double* x, double t, double dt);
  /// x was changed from outside: its slope is no longer known.
  void forget_slope() { slope_known_ = false; }

 private:
  void stages(Chart& chart, const double* x, double t, double dt);
  void combine(const double* x, double dt);
  double error(const double* x, double dt) const;

  double absolute_, relative_;
  std::array<std::vector<double>, DormandPrince853::kStages> k_;
  std::vector<double> place_, next_;
  bool slope_known_ = false;  // k_[0] is that of the x to come: after a step that was not taken
};

}  // namespace tactus::simulate
