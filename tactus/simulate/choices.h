// What a user chooses about a motion: the integrator and its tolerances, how constraints are solved and held.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tactus::simulate {

class Chart;    // motion/chart.h
class Stepper;  // integrators/stepper.h

enum class Integrator {
  euler,     // semi-implicit Euler: order 1, one evaluation per step
  rk4,       // Runge-Kutta: order 4, four evaluations per step
  implicit,  // SDIRK: order 3, L-stable, for stiff systems
  adaptive,  // Runge-Kutta 8(5,3) of Dormand and Prince with error control [Hairer1993]: for smooth systems
  stiff,     // Rosenbrock 4(3) with error control: the reference for stiff systems
  passive,  // midpoint rule, order 2: stored energy changes by work and losses alone, to rounding, at any step
};

/// Tolerances of the adaptive integrators, per entry of z.
struct Tolerances {
  double absolute = 1e-10;
  double relative = 1e-10;
};

/// What there is to know about an integrator; all of them in one table (stepper.cpp), in the order of the
/// enumeration. The command line takes its words from here.
struct IntegratorTraits {
  Integrator integrator;
  std::string_view name;
  std::string_view meaning;  // a few words
  bool adaptive;             // chooses its own steps within Options::step
  std::unique_ptr<Stepper> (*make)(const Chart& chart, Tolerances tolerances);
};
std::span<const IntegratorTraits> integrators();

std::string_view name_of(Integrator integrator);
std::optional<Integrator> integrator_of(std::string_view name);
/// Whether the integrator chooses its own steps within Options::step.
bool is_adaptive(Integrator integrator);

enum class Formulation {
  automatic,    // unrolled multipliers while the constraints are regular, otherwise multipliers
  multipliers,  // [Faulring2006, (11)-(13)] by orthogonal factors
  embedding,    // independent speeds, chosen and chosen again [Gillespie2003, section 4]
  projection,   // constraint inertia matrices [Aghili2005, (22)-(29)]
  parametric,   // coordinates that satisfy the constraints [Faulring2006, (14)-(16)]: see parametric.h
};
std::string_view name_of(Formulation formulation);
std::optional<Formulation> formulation_of(std::string_view name);

/// Which of Aghili's three constraint inertia matrices the projection uses.
enum class ConstraintInertia {
  skew,       // Mc   = M + PM - (PM)^T
  symmetric,  // Mc'  = PMP + (I-P)M(I-P)
  scaled,     // Mc'' = PM + scale (I-P)
};

/// Rows measured in their natural size (Rows::scale) count as dependent within this distance of each other's
/// span. Larger values change the motion near singular configurations, smaller ones amplify rounding there;
/// from 1e-9 to 1e-6 the results are the same.
inline constexpr double kRankTolerance = 1e-8;

struct ProjectionOptions {
  ConstraintInertia inertia = ConstraintInertia::symmetric;
  /// Weights of the speeds in "shortest" and "orthogonal": P = I - A^+ A after u_i -> sqrt(w_i) u_i. Empty:
  /// the diagonal of M, so that a metre and a radian count by their energy. Ones: as printed.
  std::vector<double> weights;
};

enum class Holding {
  projection,     // position and velocity
  position_only,  // as [Aghili2005, (37)]: for comparison
  velocity_only,  // for comparison
  baumgarte,      // A udot = gamma - 2 rate (A u + c) - rate^2 Phi instead of projections: for comparison
  none,
};
std::string_view name_of(Holding holding);
std::optional<Holding> holding_of(std::string_view name);

struct ConstraintOptions {
  Formulation formulation = Formulation::automatic;
  Holding holding = Holding::projection;
  double baumgarte_rate = 50.0;  // [1/s]
  double rank_tolerance = kRankTolerance;
  ProjectionOptions projection{};
};

/// What a tick may take, counted in work and not by the clock, so that the same input gives the same bits. What does not fit
/// is taken at the end of the tick, to first order in its length, with the note Status::located_late; nothing is lost. A tick
/// integrates most_trials + 2 most_events + 3 times at most (and once more for each gap that closes and opens again, and
/// where rows that were left out for others do not hold).
struct Budget {
  static constexpr int kAny = std::numeric_limits<int>::max();
  int most_events = kAny;  // instants at which something happens
  int most_trials =
      kAny;  // integrations that look for where that is, or were too long for the energy to balance
  int most_rounds = kAny;  // of the search for modes (active sets); then all laws are solved at once
  // Of the solvers of impacts and contact laws, in multiplications. Beyond it friction may be left out, and what still
  // closes is stopped plastically: nothing gains energy by that.
  long most_solving = std::numeric_limits<long>::max();

  constexpr bool is_bounded() const {
    return most_events != kAny && most_trials != kAny && most_rounds != kAny;
  }
  /// For a hand's loop: enough for what a hand does, and bounded.
  static constexpr Budget haptic();
};
constexpr Budget Budget::haptic() {
  return {.most_events = 4, .most_trials = 8, .most_rounds = 8, .most_solving = 1'000'000};
}

}  // namespace tactus::simulate
