// The active set: the constraints and contacts that are on, and the equations that follow from it, as
// templates. Run on numbers they are the general path, which serves any set; run on expressions, once for a
// set, they give the straight-line code of that set (rederive.h). Both do the same operations in the same
// order, so they give the same bits.
//
// The rows, in this order:
//   rows of the model that are on                                        A udot = gamma
//   every rigid touch: its normal, and, where it sticks, its tangents    A udot = -bias
//
// Of rows that depend on each other (two corners of a box that lies on a wall) those may be left out that the
// others imply.
//
// A touch that slides pulls its friction along with its normal force: B_n = A_n - mu (slip direction).A_t.
// Compliant touches are forces: a spring and damper that never pull, and friction that is smooth about zero.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/contact/events/active_system.h>
#include <tactus/contact/events/terms.h>
#include <tactus/contact/law/compliant.h>
#include <tactus/contact/law/gap.h>

namespace tactus::contact {

/// What expressions have under these names, for numbers.
inline double select(double condition, double yes, double no) { return condition >= 0.0 ? yes : no; }

/// How a touch takes part.
enum class Part : std::uint8_t {
  compliant,  // a force
  smooth,     // a normal alone: slides without friction
  sliding,
  sticking,
};

/// What decides which formulas run for a touch.
struct TouchForm {
  GapForm gap;
  int body_a = 0, body_b = 0;
  Part part = Part::smooth;
  std::size_t tangents = 0;  // compliant: 2 with friction, otherwise 0
  /// Bits of n, t1, t2: rows that are left out, because others say the same of motions and forces.
  unsigned dropped = 0;
  bool keeps(std::size_t k) const { return (dropped >> k & 1) == 0; }
};

/// A set: which formulas run.
struct SetForm {
  std::vector<std::size_t> rows;  // of the model
  std::vector<TouchForm> touches;
};

/// The numbers of a touch that the formulas take.
template <class S>
struct TouchNumbers {
  FeatureNumbers<S> a, b;
  Vec3<S> tangent;
  std::array<S, 2> slip;  // remembered direction; sliding() writes the present one
  S friction, stiffness, damping;
  S slip_speed;  // compliant: friction is smooth below it; sliding: slower slip keeps its direction
};

inline std::size_t row_count(const TouchForm& touch) {
  if (touch.part == Part::compliant) return 0;
  std::size_t count = touch.keeps(0) ? 1 : 0;
  for (std::size_t k = 1; touch.part == Part::sticking && k <= touch.tangents; ++k)
    if (touch.keeps(k)) ++count;
  return count;
}

inline std::size_t row_count(const SetForm& set) {
  std::size_t count = set.rows.size();
  for (const TouchForm& touch : set.touches) count += row_count(touch);
  return count;
}

template <class S>
GapMotion<S> motion_of(const TermsView<S>& terms, const TouchForm& touch, const TouchNumbers<S>& numbers) {
  return gap_motion(touch.gap, terms.body(touch.body_a), numbers.a, terms.body(touch.body_b), numbers.b,
                    numbers.tangent);
}

/// The force of a compliant touch on body b along n, t1, t2; added to the forces Q in terms of the speeds.
/// Whether it presses is part of the set: the engine locates where that begins and ends.
template <class S>
std::array<S, 3> add_compliant(const TermsView<S>& terms, const TouchForm& touch,
                               const TouchNumbers<S>& numbers, const GapMotion<S>& motion, S* rows, S* Q) {
  using std::sqrt;
  const auto n = static_cast<std::size_t>(terms.kernel().nv);
  const S zero(0.0);
  const S push = compliant_push(motion.gap, motion.rate[0], numbers.stiffness, numbers.damping);
  std::array<S, 3> force{larger(push, zero), zero, zero};
  if (touch.tangents > 0) {
    const S slip = sqrt(motion.rate[1] * motion.rate[1] + motion.rate[2] * motion.rate[2]);
    const S grip = numbers.friction * force[0] / larger(slip, numbers.slip_speed);
    for (std::size_t k = 1; k < 3; ++k) force[k] = -grip * motion.rate[k];
  }
  contact_rows(terms, touch.body_a, touch.body_b, motion, 1 + touch.tangents, rows);
  for (std::size_t k = 0; k <= touch.tangents; ++k)
    for (std::size_t j = 0; j < n; ++j) Q[j] = Q[j] + rows[k * n + j] * force[k];
  return force;
}

/// The present direction of slip, where there are two directions to slip in.
template <class S>
void update_slip(const TouchForm& touch, const GapMotion<S>& motion, TouchNumbers<S>& numbers) {
  using std::sqrt;
  if (touch.part != Part::sliding || touch.tangents != 2) return;
  const S speed = sqrt(motion.rate[1] * motion.rate[1] + motion.rate[2] * motion.rate[2]);
  for (std::size_t k = 0; k < 2; ++k)
    numbers.slip[k] = select(speed - numbers.slip_speed, motion.rate[k + 1] / speed, numbers.slip[k]);
}

/// Appends the rows of a rigid touch to the system.
template <class S>
void add_rigid(const TermsView<S>& terms, const TouchForm& touch, const TouchNumbers<S>& numbers,
               const GapMotion<S>& motion, S* rows, ActiveSystem<S>& system) {
  const std::size_t n = system.n;
  const auto append = [&](std::size_t k) {
    std::copy_n(rows + k * n, n, &system.A[system.m * n]);
    std::copy_n(rows + k * n, n, &system.B[system.m * n]);
    system.gamma[system.m] = -motion.bias[k];
    system.size[system.m++] = 0.0;
  };
  const std::size_t tangents = touch.part == Part::smooth ? 0 : touch.tangents;
  contact_rows(terms, touch.body_a, touch.body_b, motion, 1 + tangents, rows);
  if (touch.keeps(0)) append(0);
  if (touch.part == Part::sliding) {
    if (!touch.keeps(0)) return;
    S* B = &system.B[(system.m - 1) * n];
    for (std::size_t k = 0; k < tangents; ++k) {
      const S pull = numbers.friction * numbers.slip[k];
      for (std::size_t j = 0; j < n; ++j) B[j] = B[j] - pull * rows[(k + 1) * n + j];
    }
  } else {
    for (std::size_t k = 1; k <= tangents; ++k)
      if (touch.keeps(k)) append(k);
  }
}

/// M, Q with the compliant forces, and the rows: all but solving. `motion` gives the motion of a touch by its
/// number; `forces` gets those of the compliant ones. `rows` has room for three.
template <class S, class MotionOf>
void gather_accelerations(const SetForm& set, const TermsView<S>& terms,
                          std::vector<TouchNumbers<S>>& numbers, const MotionOf& motion, S* rows,
                          ActiveSystem<S>& system, std::array<S, 3>* forces) {
  terms.mass_matrix(system.M.data());
  std::copy_n(terms.Q(), system.n, system.udot.begin());
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    if (set.touches[i].part == Part::compliant)
      forces[i] = add_compliant(terms, set.touches[i], numbers[i], motion(i), rows, system.udot.data());
  }
  system.m = 0;
  for (const std::size_t row : set.rows) {
    terms.constraint_row(row, &system.A[system.m * system.n]);
    std::copy_n(&system.A[system.m * system.n], system.n, &system.B[system.m * system.n]);
    system.gamma[system.m] = terms.gamma(row);
    system.size[system.m++] = terms.kernel().rows[row].size;
  }
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    if (set.touches[i].part == Part::compliant) continue;
    update_slip(set.touches[i], motion(i), numbers[i]);
    add_rigid(terms, set.touches[i], numbers[i], motion(i), rows, system);
  }
}

/// The forces of the rigid touches from the multipliers: normal, and friction along t1 and t2, on body b.
template <class S>
void spread_forces(const SetForm& set, const std::vector<TouchNumbers<S>>& numbers, const S* lambda,
                   std::array<S, 3>* forces) {
  std::size_t row = set.rows.size();
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    const TouchForm& touch = set.touches[i];
    if (touch.part == Part::compliant) continue;
    std::array<S, 3>& force = forces[i];
    force = {touch.keeps(0) ? lambda[row++] : S(0.0), S(0.0), S(0.0)};
    for (std::size_t k = 0; k < touch.tangents; ++k) {
      if (touch.part == Part::sticking && touch.keeps(k + 1)) force[k + 1] = lambda[row++];
      if (touch.part == Part::sliding) force[k + 1] = -numbers[i].friction * numbers[i].slip[k] * force[0];
    }
  }
}

/// What the rows of a set say of positions, or of velocities.
enum class Level : std::uint8_t { position, velocity };

/// M, and the rows that hold positions (holonomic rows, gaps) or velocities (all rows; of touches the normal,
/// and the tangents where they stick), B = A; `error` gets what must vanish.
template <class S, class MotionOf>
void gather_errors(const SetForm& set, Level level, const TermsView<S>& terms, const MotionOf& motion,
                   S* rows, ActiveSystem<S>& system, S* error) {
  terms.mass_matrix(system.M.data());
  system.m = 0;
  const auto append = [&](const S* row, const S& value, double size) {
    std::copy_n(row, system.n, &system.A[system.m * system.n]);
    std::copy_n(row, system.n, &system.B[system.m * system.n]);
    system.size[system.m] = size;
    error[system.m++] = value;
  };
  const bool positions = level == Level::position;
  for (const std::size_t row : set.rows) {
    if (positions && !terms.kernel().rows[row].holonomic) continue;
    terms.constraint_row(row, rows);
    append(rows, positions ? terms.Phi(row) : terms.velocity(row), terms.kernel().rows[row].size);
  }
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    const TouchForm& touch = set.touches[i];
    if (touch.part == Part::compliant) continue;
    const std::size_t count = positions || touch.part != Part::sticking ? 1 : 1 + touch.tangents;
    contact_rows(terms, touch.body_a, touch.body_b, motion(i), count, rows);
    for (std::size_t k = 0; k < count; ++k)
      if (touch.keeps(k)) append(rows + k * system.n, positions ? motion(i).gap : motion(i).rate[k], 0.0);
  }
}

/// The system for the smallest change of the speeds that takes the errors out of the rows, in udot.
template <class S>
void ask_for_smallest_step(const S* error, ActiveSystem<S>& system) {
  for (std::size_t k = 0; k < system.m; ++k) system.gamma[k] = -error[k];
  std::fill(system.udot.begin(), system.udot.end(), S(0.0));
}

}  // namespace tactus::contact
