// Mechanisms of bodies that fly, each alone on a free joint: slopes and ends of steps, several bodies side by side in the lanes of one small kernel.
//
// Bodies that hang on nothing and carry none differ in their numbers alone. One kernel for one body therefore does for all of them, four or eight at
// a time (generate/batch.h); numbers that all share are written into it, the others are among its inputs. Straight-line code of all bodies would be
// read from memory once for every slope.
//
// In the axes of its joint's frame F a body has the mass m, the centre of mass c, the central inertia I, the speeds w and v of F, and the torque n and
// the force f that act at the joint; R is F's rotation in the world, g free fall. Newton and Euler:
//
//   I w' = n - c x f - w x I w
//   v' = R^T g + f/m - w x v - w' x c - w x (w x c)
//
// In the chart (chart.h), with theta = [x; a], R = R_PJ R(q0 exp(a/2)), and the momentum P = [H; p] (momentum.h):
//
//   exp(a/2) = (cos(|a|/2), s a)   s = sin(|a|/2)/|a|
//   x' = R_PJ^T R v      a' = w + a x w / 2 + b a x (a x w)      b = (1 - (|a|/2) cot(|a|/2))/|a|^2      [MuntheKaas1999]
//   H' = R (n - c x f)   p' = m g + R f
//
// and at the end of a step, where the speeds follow the momentum:  w = I^-1 R^T H,   v = R^T p / m - w x c.
//
// cos, s and b are power series in |a|^2, cut where the next term is below rounding for |a| <= 1. Where a body turns by more within a step the
// general road is taken (coordinates.h).
//
// A whole step of the classical Runge-Kutta method under weight alone (explicit_steppers.cpp) is one kernel besides: four slopes, their sums and the end.
// The first slope is at a = 0, where the series are their first terms, and of the last one no more is computed than theta', for the speeds at
// the end are those of the momentum. It groups and fuses its operations in another way than slope by slope, so that places and speeds differ by roundings;
// the momentum is summed outside of it and has the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/batch.h>

namespace tactus::simulate {

/// A kernel for several bodies side by side, or for one at a time.
class KernelOfBodies {
 public:
  KernelOfBodies() = default;
  /// Lanes: 1, 4 or 8.
  KernelOfBodies(const algebra::Function& function, std::size_t lanes, generate::Backend backend);

  void operator()(const double* in, double* out, double* work) const noexcept {
    if (alone_)
      one_(in, out, work);
    else
      several_(in, out, work);
  }
  std::size_t input_size() const { return alone_ ? one_.input_size() : several_.input_size(); }
  std::size_t output_size() const { return alone_ ? one_.output_size() : several_.output_size(); }
  std::size_t work_size() const { return alone_ ? one_.work_size() : several_.work_size(); }

 private:
  bool alone_ = false;
  generate::Kernel one_;
  generate::BatchKernel several_;
};

class FlyingBodies {
 public:
  /// [rad] The series hold up to this angle.
  static constexpr double kMostTurn = 1.0;
  /// [rad] Those of a whole step: the squares of the turns of all stages together may be its square.
  static constexpr double kMostTurnInStep = 0.5;

  /// Nothing where some body is no free one, or where numbers of the model may change. What else acts on them (springs, damping) is not
  /// looked at: the caller compares.
  static std::optional<FlyingBodies> of(const derive::Equations& equations, generate::Backend backend);

  /// That a call needs: so many doubles each.
  struct Memory {
    double *in, *out, *work;
  };
  std::size_t input_size() const {
    return std::max({pushed_.input_size(), settle_.input_size(), flight_.input_size()});
  }
  std::size_t output_size() const {
    return std::max({pushed_.output_size(), settle_.output_size(), groups() * flight_.output_size()});
  }
  std::size_t work_size() const {
    return std::max({falling_.work_size(), pushed_.work_size(), settle_.work_size(), flight_.work_size()});
  }
  /// Whether no body turns by more than kMostTurn.
  bool turn_little(const double* z) const noexcept;
  /// z' of z = [theta; u; P], which depends on theta and u, under the joints' forces tau.
  void slope(const double* q0, const double* z, const double* tau, double* z_rate,
             const Memory& memory) const noexcept;
  /// Moves the centre to where z points: theta becomes zero, and the speeds those of the momentum.
  void settle(double* q0, double* z, const Memory& memory) const noexcept;
  /// A Runge-Kutta step of length h under weight alone, from a settled z to a settled one. False where a body turns by more than kMostTurnInStep:
  /// nothing has changed then.
  bool fly(double h, double* q0, double* z, const Memory& memory) const noexcept;

 private:
  FlyingBodies() = default;
  template <std::size_t lanes>
  void slope_by(const double* q0, const double* z, const double* tau, double* z_rate,
                const Memory& memory) const noexcept;
  template <std::size_t lanes>
  void settle_by(double* q0, double* z, const Memory& memory) const noexcept;
  template <std::size_t lanes>
  bool fly_by(double h, double* q0, double* z, const Memory& memory) const noexcept;
  double* put_numbers(std::size_t first, double* in) const noexcept;
  std::size_t groups() const { return (count_ + lanes_ - 1) / lanes_; }

  std::size_t count_ = 0, lanes_ = 1;
  std::size_t numbers_each_ = 0;            // of a body, that are not those of all
  std::vector<double> numbers_;             // as the kernels read them, group by group
  std::vector<double> weight_;              // [0; m g] of each body
  std::vector<double> weight_in_step_;      // of each, as the sums of Runge and Kutta have it: six times
  std::vector<std::size_t> without_force_;  // speeds whose force in tau does not count
  KernelOfBodies falling_, pushed_, settle_, flight_;
};

}  // namespace tactus::simulate
