// Assembly: from a rough guess to a configuration and a velocity that the constraints allow, and what can be
// said of the constraints there.
//
// Position by Levenberg's and Marquardt's method in the metric of the mass matrix: with X and e the rows and
// errors of mass_metric.h,
//
//   x = -X^T (X X^T + mu)^-1 e     the shortest x with [X sqrt(mu)] [x; w] = -e
//
// mu falls with the error, so that the last steps are Newton's. Where it gets stuck the guess is shaken,
// gently first. Velocity by one projection; in singular configurations it is then moved to a branch
// (branches.h).
#pragma once

#include <string>
#include <vector>

#include <tactus/simulate/constraints/mass_metric.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

struct AssemblyReport {
  std::size_t rank = 0;
  int freedoms = 0;                                // speeds that remain free
  std::vector<char> redundant;                     // [rows] whether the row depends on other active ones
  std::vector<std::string> redundant_rows;         // their labels
  std::vector<std::string> redundant_constraints;  // constraints that would change nothing if left out
  bool singular = false;                           // fewer independent rows than in configurations nearby
  std::size_t rank_nearby = 0;
  double position_error = 0.0, velocity_error = 0.0;  // largest that is left
  /// Part of the guessed velocity, by its energy, that belonged to no motion from this singular
  /// configuration.
  double velocity_lost = 0.0;
};

class Assembler {
 public:
  Assembler(const Dynamics& dynamics, const Constraints& constraints);

  /// Speeds whose coordinates and values must stay as guessed.
  void keep(const std::vector<int>& speeds);

  /// Moves q onto the active constraints. `shakes`: how often to try again from a changed guess.
  bool close(State& state, int shakes = 0);
  /// Makes u agree with them, as near as possible to what it was.
  bool agree(State& state);
  /// The nearest velocity with which a motion can begin in a singular configuration. `lost`: see
  /// AssemblyReport.
  bool choose_branch(State& state, double& lost);
  /// Rank, redundant rows, singularity.
  AssemblyReport inspect(const State& state, bool look_nearby = false);

  /// Errors by constraint, largest first: "loop (0.012)".
  std::string errors_by_name(const State& state, bool velocity);

 private:
  bool newton(State& state);
  ConstrainedProblem problem(const State& state, bool positions);
  double largest_error(const State& state, bool velocity);

  const Dynamics& dynamics_;
  const Constraints& constraints_;
  std::size_t nq_, nv_, m_;
  ConstraintTerms terms_;
  MassMetric metric_;
  math::RowFactor damped_;
  std::vector<char> kept_;         // [nv]
  std::vector<std::size_t> rows_;  // gathered
  std::vector<double> M_, A_, scale_, error_, gamma_;
};

/// The state nearest to the guess that the active constraints allow. Throws InputError naming the constraints
/// that cannot be met and by how much. `kept` speeds (and their coordinates) stay as guessed.
State assemble(const Dynamics& dynamics, State guess, const std::vector<int>& kept = {},
               AssemblyReport* report = nullptr);

}  // namespace tactus::simulate
