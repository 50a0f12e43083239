// How a mechanism is assembled.
//
// Position by Levenberg's and Marquardt's method in the metric of the mass matrix: with X and e the rows and
// errors of mass_metric.h,
//
//   x = -X^T (X X^T + mu)^-1 e     the shortest x with [X sqrt(mu)] [x; w] = -e
//
// mu falls with the error, so that the last steps are Newton's. Mechanisms of many parts go by X X^T + mu itself, whose entries are few
// (math/damped_rows.h), while mu is large enough for it; then by the orthogonal factors of X without mu, where its rows are well apart. Where it gets stuck
// the guess is shaken,
// gently first. Velocity by one projection; in singular configurations it is then moved to a branch
// (branches.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tactus/math/damped_rows.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/constraints/mass_metric.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

class Assembler {
 public:
  Assembler(const Dynamics& dynamics, const Constraints& constraints);

  void keep(const KeptSpeeds& speeds);

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
  bool factor(const ConstrainedProblem& p, const char* late = nullptr);
  bool factor_mass(const ConstrainedProblem& p);
  /// The step x [n] that the errors ask for, in the metric of the mass matrix's factors: to be multiplied by L^-T.
  void damped_step(const ConstrainedProblem& p, double mu, std::vector<double>& x);
  /// The same for many parts; false where it cannot be had so.
  bool sparse_step(const ConstrainedProblem& p, double mu, std::vector<double>& x);
  double largest_error(const State& state, bool velocity);
  /// Columns of a row's entries that are not known to be zero.
  template <class Action>
  void each_entry(std::size_t row, const Action& action) const {
    for (std::size_t e = constraints_.A_begin[row]; e < constraints_.A_begin[row + 1]; ++e)
      action(static_cast<std::size_t>(constraints_.A_entries[e].column));
  }

  const Dynamics& dynamics_;
  const Constraints& constraints_;
  std::size_t nq_, nv_, m_;
  ConstraintTerms terms_;
  MassMetric metric_;
  math::RowFactor damped_;
  std::vector<char> kept_q_, kept_u_;  // [nv]
  std::vector<std::size_t> rows_;      // gathered
  bool lent_diagonal_ = false;
  math::LazyZeros<double> M_, A_;
  std::vector<double> scale_, error_, gamma_;
  std::vector<std::uint32_t> M_first_, A_columns_;  // where they have entries
  std::vector<std::size_t> A_begin_;
  std::optional<math::DampedRows> products_;  // of many parts
  std::vector<double> row_;                   // [nv] zeros
};

}  // namespace tactus::simulate
