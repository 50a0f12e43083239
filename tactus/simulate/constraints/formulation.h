// Constrained dynamics, four ways behind one interface:
//
//   M udot = Q + A^T lambda,    A udot = gamma          M [n x n], A [m x n]
//
// Q = W^T tau + wrenches - h. The constraint force on the mechanism is A^T lambda (papers that put it on the
// other side of the equation have the opposite sign). Rows of A may depend on each other and may vanish: a
// solver finds the rank, solves for a set of independent rows, and says so. A^T lambda is unique always,
// lambda only where no row is redundant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tactus/simulate/choices.h>

namespace tactus::simulate {

struct ConstrainedProblem {
  std::size_t n = 0, m = 0;
  const double* M = nullptr;      // [n x n] symmetric, positive definite
  const double* Q = nullptr;      // [n]
  const double* A = nullptr;      // [m x n]
  const double* gamma = nullptr;  // [m]
  const double* scale = nullptr;  // [m] natural sizes of the rows, in the metric of the inverse of M
  double rank_tolerance = kRankTolerance;
  // Where entries can be, of mechanisms with many parts; null: anywhere.
  const std::uint32_t* M_first = nullptr;    // [n] of each row of M, the column before which it has none
  const std::uint32_t* A_columns = nullptr;  // of row k, in order: from A_begin[k] to A_begin[k + 1]
  const std::size_t* A_begin = nullptr;      // [m + 1]
};

/// The answer, with memory for the largest problem.
struct ConstrainedMotion {
  explicit ConstrainedMotion(std::size_t n = 0, std::size_t most_rows = 0)
      : udot(n), force(n), lambda(most_rows), redundant(most_rows) {}

  std::vector<double> udot;     // [n]
  std::vector<double> force;    // [n] A^T lambda
  std::vector<double> lambda;   // [m] of least size where rows are redundant
  std::vector<char> redundant;  // [m] whether the row depends on others
  std::size_t rank = 0;
  Formulation used = Formulation::automatic;
  /// Of a ConstraintSolver: held rows depend on others, because branches meet here or because they are redundant and not yet set aside; and whether
  /// udot, force and lambda are those of the branch that the velocity is on. Where branches meet they belong to none without it.
  bool singular = false, across = false;
};

class FormulationSolver {
 public:
  virtual ~FormulationSolver() = default;
  /// False where M is not positive definite on the motions that the constraints leave, or a number is not
  /// finite. No allocation.
  virtual bool solve(const ConstrainedProblem& problem, ConstrainedMotion& motion) = 0;
  /// Forgets what was learnt from earlier problems.
  virtual void reset() {}
  /// What was learnt, to be kept and put back. Its size stays the same.
  virtual std::span<char> memory() { return {}; }
};

/// Memory for n speeds and up to that many rows.
std::unique_ptr<FormulationSolver> make_multipliers(std::size_t n, std::size_t most_rows);
std::unique_ptr<FormulationSolver> make_embedding(std::size_t n, std::size_t most_rows);

std::unique_ptr<FormulationSolver> make_projection(std::size_t n, std::size_t most_rows,
                                                   ProjectionOptions options = {});

/// automatic gives multipliers: the unrolled road belongs to ConstraintSolver, and so does the parametric
/// formulation, which needs more than a problem: see parametric.h.
std::unique_ptr<FormulationSolver> make_formulation(Formulation formulation, std::size_t n,
                                                    std::size_t most_rows,
                                                    const ProjectionOptions& projection = {});

}  // namespace tactus::simulate
