// What a passive step leaves of the balance of energies, and the number that takes it away.
#pragma once

#include <limits>

#include <tactus/simulate/integrators/passive_rows.h>
#include <tactus/simulate/integrators/passive_step.h>

namespace tactus::simulate {

/// Terms of the balance that cancel to so much of themselves are balanced: the rest is rounding.
/// So is what forces do along the last digit of a coordinate, which is of order one: `pushing` of the step.
inline constexpr double kBalanced = 8.0 * std::numeric_limits<double>::epsilon();

struct PassiveBalance {
  double work = 0.0, loss = 0.0;  // [J] what went in from outside, and what was burnt
  double a = 0.0;                 // the number: a M u_m is taken from the impulses
  double left = 0.0;              // [J] what a would take away; 0 where that is rounding
  bool slight = true;             // whether a is small beside what the forces do
  double terms = 0.0;             // [J] the sizes of all terms
};

/// The a of an iteration. The matrix of Newton's step does not know how a depends on the speeds: taken as the balance gives it, its error shrinks by one factor in
/// every iteration, a quarter in a chain that is cracked like a whip. The factor shows in what was used and what came of it, and the fixed point follows by the
/// secant.
class BalancingNumber {
 public:
  /// From what the balance gives, after an iteration with the last answer.
  double next(double found);

 private:
  int count_ = 0;
  double used_ = 0.0, used_before_ = 0.0, found_ = 0.0;
};

/// Whether hardly anything moves in a step, h u at its ends. Of the balance the midpoint rule leaves some theta^3/24 of what the forces would do along a theta of
/// one: where nothing goes further than 1e-8, 1e-25 of it, and what is found to be missing is rounding. The terms do not always tell: F . (x1 - x0) at a port is rounded by the last
/// digit of x, also for an F that no joint feels.
bool is_still(const PassiveStep& step);

/// `by_end_speeds`: a is left out, and the speeds at the end are to balance the step.
PassiveBalance balance_of(const PassiveStep& step, const PassiveRows& rows, bool by_end_speeds);

/// The factor of the end's speeds by which a step without a is balanced; not a number where there is none, because it would change them
/// too much, or because rows that move by themselves would not be kept.
double balancing_factor(const PassiveBalance& balance, const PassiveStep& step, const PassiveRows& rows);

}  // namespace tactus::simulate
