// Holding positions: Newton's method in the metric of the mass matrix, with halving. For the rows of a
// mechanism (constraint_solver.h), and for those together with what touches (contact/events/contact_motion.h).
#pragma once

#include <algorithm>
#include <cstddef>

namespace tactus::simulate {

/// Errors below this [m, rad; of velocities by the fastest speed] are left alone: rounding of lengths of
/// metres is not far below.
inline constexpr double kHeld = 1e-13;
/// Newton's method converges quadratically where the constraints are regular, and halves the distance each
/// time where they are singular.
inline constexpr int kMostNewtonSteps = 30;
inline constexpr int kMostHalvings = 4;
/// Of velocities: the second only refines what the first one's rounding left.
inline constexpr int kMostVelocitySteps = 2;
/// Rows that were set aside follow from the others: their errors, by the rows' natural sizes (for velocities:
/// and the speeds), are rounding. Beyond this they do not follow, and are taken back.
inline constexpr double kFollows = 1e-11;
/// Beyond this many times the errors of the held rows, an error of a row set aside is its own.
inline constexpr double kAmplified = 100.0;

/// Moves q [nq] until the error is at most `held`, or no step makes it smaller; the error left.
///   error_at()   the largest error at q, whose parts it leaves for the next step
///   find_step()  the step there; false where there is none
///   move(part)   q <- q (+) part * step
template <class ErrorAt, class FindStep, class Move>
double newton_hold(double held, std::size_t nq, double* q, double* q_before, const ErrorAt& error_at,
                   const FindStep& find_step, const Move& move) {
  double error = error_at();
  for (int iteration = 0; iteration < kMostNewtonSteps && error > held; ++iteration) {
    if (!find_step()) break;
    std::copy_n(q, nq, q_before);
    const double before = error;
    double part = -1.0;
    for (int halving = 0; halving <= kMostHalvings; ++halving, part *= 0.5) {
      move(part);
      error = error_at();
      if (error < before) break;
      std::copy_n(q_before, nq, q);
    }
    if (!(error < before)) {
      error = error_at();
      break;
    }
  }
  return error;
}

}  // namespace tactus::simulate
