// Across a singular configuration: see crossing.h.
#include <algorithm>
#include <cmath>

#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/constraints/crossing_limits.h>
#include <tactus/simulate/constraints/newton_hold.h>

namespace tactus::simulate {

namespace {

/// The distances seen are those of a crossing within this part of the largest.
constexpr double kShape = 0.2;
/// Where they are not, the search reaches farther by this factor, or as far beyond where they seem to vanish.
constexpr double kBeyond = 1.5;
/// A crossing that was found at another stage of the step is where it was, by this part of kAcross.
constexpr double kSame = 0.05;
/// Newton's method at a side has converged once a step is this small [rad, m]: the next one would be its square.
constexpr double kLastStep = 1e-8;
constexpr int kMostSideSteps = 8;
/// [m, rad] The interpolated place satisfies the constraints within this, or the width is too large for the polynomial:
/// it is halved.
constexpr double kMet = 1e-12;
/// The same of accelerations: polynomials of degree 3 and 5 differ by no more than this part of them. The latter is then
/// right to the 3/2nd power of it, 1e-9.
constexpr double kAlike = 1e-6;
/// The least part of the width. What is still not met there within these bounds is no crossing: two branches that miss
/// each other by 1e-9 in Phi do so by 3e-5 of the motion.
constexpr double kLeastPart = 1.0 / 16.0, kHardlyMet = 1e-9, kHardlyAlike = 1e-2;
/// Of the velocity, at most this part is lost on either side: what a branch bends within the width is less.
constexpr double kTangent = 0.2;
/// [s] Motions too slow to get there within this time have no sides.
constexpr double kLongestWidth = 0.1;

double largest_of(const double* v, std::size_t n) {
  double result = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::abs(v[i]) <= result)) result = std::abs(v[i]);  // keeps a NaN
  return result;
}

}  // namespace

/// Of the held rows: how far the nearest one is from the span of others.
double ConstraintSolver::distance_at(double t, const double* q) {
  if (rows_.unrolled_fits()) {
    unrolled_in_[0] = t;
    std::copy_n(q, nq_, unrolled_in_.begin() + 1);
    std::fill(unrolled_in_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_), unrolled_in_.end(), 0.0);
    constraints_.unrolled->step(unrolled_in_.data(), unrolled_out_.data(), work_.data());
    return std::sqrt(least_pivot(unrolled_out_.data() + nv_, rows_.held()));
  }
  terms_.evaluate(t, q, rest_.data());
  if (!gather(rows_.held()) || !metric_.factor(problem())) return 0.0;
  const std::size_t rank = metric_.rows().rank();
  return rank < rows_.held().size() ? 0.0 : metric_.rows().distance(rank - 1);
}

// d(s) = rate |s - s*| at s = 0 and +-reach. With s* between these, the sum of the two outer ones is 2 rate reach, their
// difference twice the inner one. Without it the inner one is their mean, and the difference tells how far to reach.
bool ConstraintSolver::find_crossing(double t, const double* q, const double* u, double here) {
  if (crossing_.find_again(t, here, kSame * kAcross)) return true;
  const double fastest = largest_of(u, nv_), farthest = std::min(kLongestArc / fastest, kLongestWidth);
  double reach = kAcross / fastest;
  for (int attempt = 0; attempt < 2 && reach <= farthest; ++attempt) {
    const auto distance_after = [&](double shift) {
      std::copy_n(q, nq_, q_across_.begin());
      displacement_.apply(t, q_across_.data(), u, shift);
      return distance_at(t + shift, q_across_.data());
    };
    const double after = distance_after(reach), before = distance_after(-reach);
    const double mean = 0.5 * (before + after), difference = 0.5 * std::abs(before - after);
    if (here <= mean && std::abs(difference - here) <= kShape * mean) {
      const double rate = mean / reach, width = std::min(kAcross / rate, farthest);
      crossing_.find(t, std::copysign(here / rate, before - after), rate, width);
      return true;
    }
    reach = std::min(reach * std::max(kBeyond, kBeyond * here / difference), farthest);
  }
  return false;
}

/// How far the j-th place will move: s^2 times a polynomial, on a branch along u, through the places before it.
void ConstraintSolver::guess_side(std::size_t j) {
  double* moved = crossing_.moved(j);
  std::fill_n(moved, nv_, 0.0);
  const double s = crossing_.shift(j);
  const auto tells = [&](std::size_t k) { return std::abs(crossing_.shift(k)) > 0.5 * crossing_.width(); };
  for (std::size_t k = 0; k < j; ++k) {
    if (!tells(k)) continue;
    const double s_k = crossing_.shift(k);
    double part = s * s / (s_k * s_k);
    for (std::size_t l = 0; l < j; ++l)
      if (l != k && tells(l)) part *= (s - crossing_.shift(l)) / (s_k - crossing_.shift(l));
    const double* from = crossing_.moved(k);
    for (std::size_t i = 0; i < nv_; ++i) moved[i] += part * from[i];
  }
}

/// Places on the manifold, on both sides of the singular configuration, and what they say of the place between them:
/// q_across_, with the errors there. Each is the nearest to its place p on the line along u,
///
///   q_j = p (+) dq,   dq = A^+ (A dq - Phi(q_j))        repeated, A at q_j
///
/// and not only one next to it: where Newton's method arrives depends on the way, by (distance)^2/d.
bool ConstraintSolver::place_sides(const double* arguments) {
  const double *q = arguments + 1, *u = q + nq_;
  std::fill(across_.begin(), across_.end(), 0.0);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    double *stage = crossing_.stage(j), *moved = crossing_.moved(j);
    std::copy_n(arguments, stage_.size(), stage);
    displacement_.apply(stage[0], stage + 1, u, crossing_.shift(j));
    stage[0] += crossing_.shift(j);
    std::copy_n(stage + 1, nq_, q_across_.begin());
    guess_side(j);
    displacement_.apply(stage[0], stage + 1, moved);
    bool found = false;
    for (int step = 0; step < kMostSideSteps && !found; ++step) {
      std::fill(side_error_.begin(), side_error_.end(), 0.0);
      if (constraints_.driven) {  // a rate c at rest, to be taken out
        terms_.evaluate_errors(stage[0], stage + 1, rest_.data());
        for (std::size_t k = 0; k < m_; ++k) side_error_[k] = -terms_.velocity_errors()[k];
      }
      terms_.evaluate_errors(stage[0], stage + 1, moved);
      for (std::size_t k = 0; k < m_; ++k)
        side_error_[k] += terms_.velocity_errors()[k] - terms_.position_errors()[k];
      if (!smallest_step(stage[0], stage + 1, side_error_.data(), true, du_.data())) return false;
      double change = 0.0;
      for (std::size_t i = 0; i < nv_; ++i) change = std::max(change, std::abs(du_[i] - moved[i]));
      std::copy(du_.begin(), du_.end(), moved);
      std::copy_n(q_across_.begin(), nq_, stage + 1);
      displacement_.apply(stage[0], stage + 1, moved);
      found = change < kLastStep;
    }
    if (!found) return false;
    for (std::size_t i = 0; i < nv_; ++i) across_[i] += crossing_.weight(j) * moved[i];
  }
  std::copy_n(q, nq_, q_across_.begin());
  displacement_.apply(arguments[0], q_across_.data(), across_.data());
  terms_.evaluate_errors(arguments[0], q_across_.data(), rest_.data());
  met_ = largest(terms_.position_errors(), rows_.held_positions());
  return met_ <= kHardlyMet;
}

/// The velocity u there.
bool ConstraintSolver::project_sides(const double* u) {
  const double most = kTangent * largest_of(u, nv_);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    double *stage = crossing_.stage(j), *own = stage + 1 + nq_;
    std::copy_n(u, nv_, own);
    terms_.evaluate_errors(stage[0], stage + 1, own);
    if (!smallest_step(stage[0], stage + 1, terms_.velocity_errors(), false, du_.data())) return false;
    if (!(largest_of(du_.data(), nv_) <= most)) return false;
    for (std::size_t i = 0; i < nv_; ++i) own[i] -= du_[i];
  }
  return true;
}

bool ConstraintSolver::accelerate_side(std::size_t j, double* udot) {
  if (options_.formulation == Formulation::automatic && rows_.unrolled_fits()) {
    constraints_.unrolled->dynamics(crossing_.stage(j), unrolled_out_.data(), work_.data());
    const double* distances = unrolled_out_.data() + nv_ + nq_ + rows_.held().size();
    std::copy_n(unrolled_out_.begin(), nv_, udot);
    return least_pivot(distances, rows_.held()) > kHealthyPivot;
  }
  return accelerate_at(crossing_.stage(j), udot);
}

/// udot on the branch, by the sides; how far polynomials of degree 3 and 5 differ, by its size.
double ConstraintSolver::accelerate_sides(double* udot) {
  std::fill(across_.begin(), across_.end(), 0.0);
  std::fill(inner_.begin(), inner_.end(), 0.0);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    if (!accelerate_side(j, mean_.data())) return HUGE_VAL;
    for (std::size_t i = 0; i < nv_; ++i) {
      across_[i] += crossing_.weight(j) * mean_[i];
      inner_[i] += crossing_.inner_weight(j) * mean_[i];
    }
  }
  for (std::size_t i = 0; i < nv_; ++i) inner_[i] -= across_[i];
  const double difference = largest_of(inner_.data(), nv_), size = largest_of(across_.data(), nv_);
  std::copy(across_.begin(), across_.end(), udot);
  return difference > 0.0 ? difference / size : difference;
}

bool ConstraintSolver::accelerate_across(const double* arguments, double here, double* udot) {
  const double *q = arguments + 1, *u = q + nq_;
  if (!find_crossing(arguments[0], q, u, here)) return false;
  for (;; width_part_ *= 0.5) {
    if (!crossing_.place(width_part_)) return false;
    const bool placed = place_sides(arguments) && project_sides(u);
    const double unlike = placed ? accelerate_sides(mean_across_.data()) : HUGE_VAL;
    const bool last = 0.5 * width_part_ < kLeastPart;
    if ((unlike <= kAlike && met_ <= kMet) || (last && unlike <= kHardlyAlike)) break;
    if (last) return false;
  }
  std::copy(mean_across_.begin(), mean_across_.end(), udot);
  return true;
}

/// Over what solve_here() found: accelerations, force and multipliers of the branch. Multipliers may grow without bound
/// where the force does not; they are then the shortest ones that give it.
bool ConstraintSolver::solve_across(const double* arguments, ConstrainedMotion& motion) {
  const double here = distance_at(arguments[0], arguments + 1);
  if (!(here < kAcross) || !accelerate_across(arguments, here, inner_.data())) return false;
  const std::size_t active = rows_.active().size();
  std::copy(inner_.begin(), inner_.end(), motion.udot.begin());
  std::fill(across_.begin(), across_.end(), 0.0);
  std::fill(lambda_across_.begin(), lambda_across_.end(), 0.0);
  std::fill(lambda_inner_.begin(), lambda_inner_.end(), 0.0);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    if (!solve_here(crossing_.stage(j), side_motion_)) return false;
    for (std::size_t i = 0; i < nv_; ++i) across_[i] += crossing_.weight(j) * side_motion_.force[i];
    for (std::size_t k = 0; k < active; ++k) {
      lambda_across_[k] += crossing_.weight(j) * side_motion_.lambda[k];
      lambda_inner_[k] += crossing_.inner_weight(j) * side_motion_.lambda[k];
    }
  }
  std::copy(across_.begin(), across_.end(), motion.force.begin());
  for (std::size_t k = 0; k < active; ++k) lambda_inner_[k] -= lambda_across_[k];
  if (largest_of(lambda_inner_.data(), active) <= kHardlyAlike * largest_of(lambda_across_.data(), active)) {
    std::copy_n(lambda_across_.begin(), active, motion.lambda.begin());
    return true;
  }
  if (!share_force(arguments[0], arguments + 1, across_.data(), lambda_across_.data())) return false;
  for (std::size_t k = 0; k < active; ++k) motion.lambda[k] = lambda_across_[rows_.active()[k]];
  return true;
}

bool ConstraintSolver::hold_across(double t, double* q, const double* u) {
  if (rows_.held_positions().empty()) return false;
  const double here = distance_at(t, q);
  if (!(here < kAcross)) return false;
  stage_[0] = t;
  std::copy_n(q, nq_, stage_.begin() + 1);
  std::copy_n(u, nv_, stage_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
  if (!find_crossing(t, q, u, here)) return false;
  for (;; width_part_ *= 0.5) {
    if (!crossing_.place(width_part_)) return false;
    const bool placed = place_sides(stage_.data()), last = 0.5 * width_part_ < kLeastPart;
    if (placed && (last || met_ <= kMet)) break;
    if (last) return false;
  }
  if (rows_.take_back(terms_.position_errors(), rows_.held_positions(), kFollows)) return false;
  std::copy(q_across_.begin(), q_across_.end(), q);
  sides_placed_ = true;
  return true;
}

// What the rows span is smooth along the branch, though they are not. Those of one side, which are near it everywhere
// within the width, are projected onto the span of each side's rows, in the metric of M, and interpolated:
//
//   N = sum_j w_j A_1 R_j,    R_j = M^-1 A_j^T (A_j M^-1 A_j^T)^-1 A_j
bool ConstraintSolver::normals_across(double t, double* q, const double* u, double nearer_than,
                                      double* normals) {
  if (constraints_.driven || parametric_ != nullptr || options_.holding != Holding::projection) return false;
  if (rows_.held_positions().empty() || !(distance_at(t, q) < nearer_than) || !hold_across(t, q, u))
    return false;
  sides_placed_ = false;  // around this place, which need not be where a step ends
  near_ = true;
  const std::size_t m = rows_.held().size();
  std::fill_n(normals, m * nv_, 0.0);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    const double* stage = crossing_.stage(j);
    terms_.evaluate(stage[0], stage + 1, rest_.data());
    if (!gather(rows_.held()) || !metric_.factor(problem()) || metric_.rows().rank() < m) return false;
    if (j == 0) std::copy_n(gathered_.A.data(), m * nv_, side_rows_.data());
    const double* L = metric_.L();
    for (std::size_t k = 0; k < m; ++k) {
      std::copy_n(side_rows_.data() + k * nv_, nv_, du_.begin());
      metric_.solve_lower(du_.data());
      metric_.rows().times_q_transposed(du_.data());
      std::fill(du_.begin() + static_cast<std::ptrdiff_t>(m), du_.end(), 0.0);
      metric_.rows().times_q(du_.data());
      for (std::size_t i = 0; i < nv_; ++i) {
        double sum = 0.0;
        for (std::size_t l = 0; l <= i; ++l) sum += L[i * nv_ + l] * du_[l];
        normals[k * nv_ + i] += crossing_.weight(j) * sum;
      }
    }
  }
  return true;
}

bool ConstraintSolver::hold_velocity_across(double* u) {
  if (!project_sides(u)) return false;
  std::fill(across_.begin(), across_.end(), 0.0);
  for (std::size_t j = 0; j < Crossing::kPlaces; ++j) {
    const double* own = crossing_.stage(j) + 1 + nq_;
    for (std::size_t i = 0; i < nv_; ++i) across_[i] += crossing_.weight(j) * (own[i] - u[i]);
  }
  for (std::size_t i = 0; i < nv_; ++i) u[i] += across_[i];
  return true;
}

}  // namespace tactus::simulate
