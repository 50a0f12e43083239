// How far fixed steps lead astray: now and then a step is taken again in two halves. The difference of the two ends, times
// 2^p/(2^p - 1) for a method of order p, is the error of the step [Hairer1993, II.4]. Over a run these errors are summed by
// their sizes: a bound while the motion does not amplify them, and a fair guess otherwise.
#pragma once

#include <vector>

#include <tactus/simulate/integrators/stepper.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

/// Beyond this part of the speeds a run is not to be trusted without a word.
inline constexpr double kLongStep = 1e-3;

class StepError {
 public:
  /// Every so many steps; 0: never. Nothing is allocated afterwards.
  StepError(int every, Integrator integrator, const State& state);

  bool is_due(std::uint64_t steps) const {
    return every_ > 0 && steps % static_cast<std::uint64_t>(every_) == 0;
  }
  void reset();
  /// The two ends of one step.
  void note(const State& whole, const State& halves);

  State& whole() { return whole_; }
  State& halves() { return halves_; }

  /// Steps that were looked at.
  long looked() const { return looked_; }
  /// [rad or m] of the worst coordinate, summed over the run.
  double coordinates() const;
  /// Of the worst speed, summed over the run, by the largest that it was.
  double relative() const;
  /// [s] A step, of 1, 2 or 5 times a power of ten, for which that would be within kLongStep; the given one where it is.
  double advised(double step) const;

 private:
  int every_;
  double order_;
  State whole_, halves_;
  long looked_ = 0;
  std::vector<double> q_, u_, fastest_;
};

}  // namespace tactus::simulate
