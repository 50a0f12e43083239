#include <tactus/simulate/constraints/constraint_solver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <tactus/base/check.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

constexpr std::array<std::pair<Holding, std::string_view>, 5> kNames{
    {{Holding::projection, "projection"},
     {Holding::position_only, "position_only"},
     {Holding::velocity_only, "velocity_only"},
     {Holding::baumgarte, "baumgarte"},
     {Holding::none, "none"}}};

/// A row's squared distance from those before it, by its natural size: the straight-line code's error is
/// about the rounding divided by it.
constexpr double kHealthyPivot = 1e-6;
/// The same as a sine, for the rank-revealing factors.
constexpr double kRegular = 1e-3;
/// Errors below this [m, rad] are left alone: rounding of lengths of metres is not far below.
constexpr double kHeld = 1e-13;
/// Newton's method converges quadratically where the constraints are regular, and halves the distance each
/// time where they are singular.
constexpr int kMostNewtonSteps = 30;
constexpr int kMostHalvings = 4;
/// Rows that were set aside follow from the others: their errors, by the rows' natural sizes (for velocities:
/// and the speeds), are rounding, or those of the others, amplified. Beyond this they do not follow, and are
/// taken back.
constexpr double kFollows = 1e-11, kAmplified = 100.0;
/// The second only refines what the first one's rounding left.
constexpr int kMostVelocitySteps = 2;
/// Ends of steps in a row at which a row must be redundant before it is set aside: a motion through a
/// singular configuration meets it once.
constexpr int kForGood = 2;
/// A place counts as singular within this many times its distance from the manifold, at least kNearest and at
/// most kFarthest [rad, m]; kClearOf times as far away on either side it does not.
constexpr double kClear = 3.0, kNearest = 1e-4, kFarthest = 1e-2, kClearOf = 3.0;
/// The accelerations of the near and the far sides differ by no more than this part of their size where they
/// are smooth; by a half where they grow like 1/(distance).
constexpr double kSmooth = 0.25;
/// Motions too slow to get there within this time [s] have no sides.
constexpr double kLongestShift = 0.02;

}  // namespace

std::string_view name_of(Holding holding) {
  for (const auto& [value, name] : kNames)
    if (value == holding) return name;
  return {};
}

std::optional<Holding> holding_of(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

ConstraintSolver::ConstraintSolver(const Dynamics& dynamics, ConstraintOptions options)
    : dynamics_(dynamics),
      constraints_(*dynamics.constraints),
      options_(std::move(options)),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      m_(constraints_.size()),
      terms_(dynamics, constraints_),
      solver_(make_formulation(options_.formulation, nv_, m_, options_.projection)),
      metric_(nv_, m_, true),
      branches_(dynamics, constraints_),
      motion_(nv_, m_),
      active_(constraints_.active),
      aside_(m_, 0),
      dependent_ends_(m_, 0),
      stage_(constraints_.terms.input_size()),
      mean_(nv_),
      spread_(nv_),
      rest_(nv_),
      du_(nv_),
      q_before_(nq_),
      displacement_(dynamics) {
  gathered_.rows.reserve(m_);
  gathered_.A.resize(m_ * nv_);
  gathered_.gamma.resize(m_);
  gathered_.scale.resize(m_);
  gathered_.error.resize(m_);
  active_rows_.reserve(m_);
  held_rows_.reserve(m_);
  held_positions_.reserve(m_);
  rows_left_.reserve(m_);
  left_.reserve(m_);
  if (options_.formulation == Formulation::parametric) {
    require_parametric(dynamics);
    auto solver = std::make_unique<ParametricSolver>(nv_, m_, dynamics.parametric->size());
    parametric_ = solver.get();
    solver_ = std::move(solver);
    parametrization_ = std::make_unique<Parametrization>(dynamics);
  }
  std::size_t work = dynamics.coordinate_rates.work_size();
  if (const auto& unrolled = constraints_.unrolled) {
    unrolled_in_.resize(1 + nq_ + m_);
    unrolled_out_.resize(unrolled->dynamics.output_size());
    work = std::max({work, unrolled->dynamics.work_size(), unrolled->step.work_size()});
    if (unrolled->position_step) work = std::max(work, unrolled->position_step->work_size());
  }
  work_.resize(work);
  update_rows();
}

void ConstraintSolver::update_rows() {
  active_rows_.clear();
  held_rows_.clear();
  held_positions_.clear();
  rows_left_.clear();
  left_.clear();
  unrolled_fits_ = constraints_.unrolled.has_value();
  for (std::size_t k = 0; k < m_; ++k) {
    const bool held = active_[k] && !aside_[k];
    if (active_[k]) active_rows_.push_back(k);
    if (active_[k] && parametric_ != nullptr) {
      left_.push_back(dynamics_.parametric->left[k]);
      if (left_.back()) rows_left_.push_back(k);
    }
    if (held) held_rows_.push_back(k);
    if (held && constraints_.rows[k].holonomic) held_positions_.push_back(k);
    unrolled_fits_ = unrolled_fits_ && held == (constraints_.unrolled->rows[k] != 0);
  }
}

bool ConstraintSolver::gather(const std::vector<std::size_t>& rows) {
  gathered_.rows = rows;
  double finite = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double* a = terms_.A(rows[k]);
    for (std::size_t i = 0; i < nv_; ++i) {
      gathered_.A[k * nv_ + i] = a[i];
      finite += 0.0 * a[i];
    }
    gathered_.gamma[k] = terms_.gamma()[rows[k]];
    gathered_.scale[k] = constraints_.scale[rows[k]];
  }
  return finite == 0.0;
}

ConstrainedProblem ConstraintSolver::problem() const {
  return {nv_,
          gathered_.rows.size(),
          terms_.M(),
          terms_.Q(),
          gathered_.A.data(),
          gathered_.gamma.data(),
          gathered_.scale.data(),
          options_.rank_tolerance};
}

// distances, then pivots: a row may vanish, or be lost among those before it.
bool ConstraintSolver::unrolled_is_healthy(const double* distances,
                                           const std::vector<std::size_t>& rows) const {
  const double* pivots = distances + rows.size();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double size = constraints_.scale[rows[k]];
    if (!(distances[k] > kHealthyPivot * size * size && pivots[k] > kHealthyPivot)) return false;
  }
  return true;
}

void ConstraintSolver::accelerate(const double* arguments, double* udot, double* qdot) {
  const bool automatic =
      options_.formulation == Formulation::automatic && options_.holding != Holding::baumgarte;
  if (automatic && unrolled_fits_) {
    constraints_.unrolled->dynamics(arguments, unrolled_out_.data(), work_.data());
    if (unrolled_is_healthy(unrolled_out_.data() + nv_ + nq_ + held_rows_.size(), held_rows_)) {
      std::copy_n(unrolled_out_.begin(), nv_, udot);
      std::copy_n(unrolled_out_.begin() + static_cast<std::ptrdiff_t>(nv_), nq_, qdot);
      return;
    }
  }
  detour_in_step_ = true;
  ++detours_;
  dynamics_.coordinate_rates(arguments, qdot, work_.data());
  if (parametric_ != nullptr) {
    if (solve(arguments, motion_))
      std::copy_n(motion_.udot.begin(), nv_, udot);
    else
      std::fill_n(udot, nv_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const bool solved = options_.holding == Holding::projection && !held_rows_.empty()
                          ? accelerate_on_manifold(arguments, udot)
                          : accelerate_at(arguments, udot);
  if (!solved) std::fill_n(udot, nv_, std::numeric_limits<double>::quiet_NaN());
}

bool ConstraintSolver::accelerate_at(const double* arguments, double* udot) {
  terms_.evaluate(arguments);
  const bool finite = gather(held_rows_);
  if (options_.holding == Holding::baumgarte) {
    const double rate = options_.baumgarte_rate;
    for (std::size_t k = 0; k < held_rows_.size(); ++k)
      gathered_.gamma[k] -=
          2.0 * rate * terms_.velocity()[held_rows_[k]] + rate * rate * terms_.Phi()[held_rows_[k]];
  }
  if (!finite || !solver_->solve(problem(), motion_)) return false;
  std::copy_n(motion_.udot.begin(), nv_, udot);
  return true;
}

bool ConstraintSolver::accelerate_on_manifold(const double* arguments, double* udot) {
  terms_.evaluate(arguments);
  if (!gather(held_rows_) || !metric_.factor(problem())) return false;
  const std::size_t rank = metric_.rows().rank();
  const double singular = rank < held_rows_.size() ? 0.0 : metric_.rows().distance(rank - 1);
  if (singular > kRegular) {
    if (!solver_->solve(problem(), motion_)) return false;
    std::copy_n(motion_.udot.begin(), nv_, udot);
    return true;
  }
  // Phi is about (distance from the manifold)(distance from the singularity), or the square of the former.
  const double phi = largest(terms_.Phi(), held_rows_);
  const double off = singular > 0.0 ? std::min(phi / singular, std::sqrt(phi)) : std::sqrt(phi);
  const double near = std::clamp(kClear * off, kNearest, kFarthest);
  const auto accelerate_held = [&] {
    double* q = stage_.data() + 1;
    hold_position(stage_[0], q);
    hold_velocity(stage_[0], q, q + nq_);
    return accelerate_at(stage_.data(), udot);
  };
  double fastest = 0.0;
  for (std::size_t i = 0; i < nv_; ++i) fastest = std::max(fastest, std::abs(arguments[1 + nq_ + i]));
  const double shift = kClearOf * near / fastest;
  std::copy_n(arguments, stage_.size(), stage_.begin());
  if (singular >= near || !(shift < kLongestShift)) return accelerate_held();

  // (4 mean(shift) - mean(2 shift))/3: the even powers of the shift cancel up to the fourth, the odd ones
  // all.
  constexpr std::pair<double, double> kSides[] = {
      {-2.0, -1.0 / 6.0}, {-1.0, 4.0 / 6.0}, {1.0, 4.0 / 6.0}, {2.0, -1.0 / 6.0}};
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(spread_.begin(), spread_.end(), 0.0);
  for (const auto& [side, weight] : kSides) {
    std::copy_n(arguments, stage_.size(), stage_.begin());
    displacement_.apply(stage_[0], stage_.data() + 1, arguments + 1 + nq_, side * shift);
    stage_[0] += side * shift;
    if (!accelerate_held()) return false;
    for (std::size_t i = 0; i < nv_; ++i) {
      mean_[i] += weight * udot[i];
      spread_[i] += (weight > 0.0 ? 0.5 : -0.5) * udot[i];
    }
  }
  // A velocity that belongs to none of the branches meets no smooth acceleration: near and far sides differ.
  // Nothing is known then of the rows that depend on others but what the end of the step will say.
  if (!accelerate_without(near, arguments, udot)) return false;
  double size = 0.0, spread = 0.0;
  for (std::size_t i = 0; i < nv_; ++i) {
    size = std::max({size, std::abs(mean_[i]), std::abs(udot[i])});
    spread = std::max(spread, std::abs(spread_[i]));
  }
  if (spread <= kSmooth * size) std::copy(mean_.begin(), mean_.end(), udot);
  return true;
}

bool ConstraintSolver::accelerate_without(double near, const double* arguments, double* udot) {
  terms_.evaluate(arguments);
  if (!gather(held_rows_)) return false;
  ConstrainedProblem regular = problem();
  regular.rank_tolerance = near;
  if (!solver_->solve(regular, motion_)) return false;
  std::copy_n(motion_.udot.begin(), nv_, udot);
  return true;
}

bool ConstraintSolver::solve_in_parameters(const double* arguments, ConstrainedMotion& motion) {
  terms_.evaluate(arguments);
  if (!gather(active_rows_)) return false;
  parametric_->set_tangent(parametrization_->T(), parametrization_->b(), left_);
  return parametric_->solve(problem(), motion);
}

bool ConstraintSolver::accelerate_in_parameters(const double* arguments, double* zdd, double* udot) {
  if (!solve_in_parameters(arguments, motion_)) return false;
  std::copy_n(parametric_->zdd().begin(), dynamics_.parametric->size(), zdd);
  std::copy_n(motion_.udot.begin(), nv_, udot);
  return true;
}

bool ConstraintSolver::solve(const double* arguments, ConstrainedMotion& motion) {
  if (parametric_ != nullptr) {
    std::copy_n(arguments, stage_.size(), stage_.begin());
    double *q = stage_.data() + 1, *u = q + nq_;
    if (!parametrization_->locate(stage_[0], q, u)) return false;
    std::copy_n(parametrization_->q(), nq_, q);
    std::copy_n(parametrization_->u(), nv_, u);
    return solve_in_parameters(stage_.data(), motion);
  }
  terms_.evaluate(arguments);
  return gather(active_rows_) && solver_->solve(problem(), motion);
}

bool ConstraintSolver::smallest_step(double t, const double* q, const double* error, bool positions,
                                     double* du) {
  const std::vector<std::size_t>& rows = positions ? held_positions_ : held_rows_;
  if (options_.formulation == Formulation::automatic && unrolled_fits_) {
    const generate::Kernel& kernel =
        positions ? *constraints_.unrolled->position_step : constraints_.unrolled->step;
    unrolled_in_[0] = t;
    std::copy_n(q, nq_, unrolled_in_.begin() + 1);
    for (std::size_t k = 0; k < rows.size(); ++k) unrolled_in_[1 + nq_ + k] = error[rows[k]];
    kernel(unrolled_in_.data(), unrolled_out_.data(), work_.data());
    if (unrolled_is_healthy(unrolled_out_.data() + nv_, rows)) {
      std::copy_n(unrolled_out_.begin(), nv_, du);
      return true;
    }
  }
  detour_in_step_ = true;
  terms_.evaluate(t, q, rest_.data());
  if (!gather(rows) || !metric_.factor(problem())) return false;
  for (std::size_t k = 0; k < rows.size(); ++k) gathered_.error[k] = error[rows[k]];
  metric_.smallest_step(gathered_.error.data(), du);
  return true;
}

// The change of q that belongs to du as if it were a velocity held for one unit of time: W du, in the chart
// at q.
double ConstraintSolver::largest(const double* errors, const std::vector<std::size_t>& rows) const {
  double result = 0.0;
  for (const std::size_t k : rows)
    if (!(std::abs(errors[k]) <= result)) result = std::abs(errors[k]);  // keeps a NaN
  return result;
}

double ConstraintSolver::settle_position(double t, double* q) {
  if (options_.holding != Holding::projection && options_.holding != Holding::position_only) return 0.0;
  return hold_position(t, q);
}

void ConstraintSolver::settle_velocity(double t, const double* q, double* u) {
  if (options_.holding == Holding::projection || options_.holding == Holding::velocity_only)
    hold_velocity(t, q, u);
  end_step(t, q, u);
}

double ConstraintSolver::position_error(double t, const double* q) {
  terms_.evaluate_errors(t, q, rest_.data());
  return largest(terms_.position_errors(), active_rows_);
}

double ConstraintSolver::hold_position(double t, double* q) {
  const auto error_at = [&] {
    terms_.evaluate_errors(t, q, rest_.data());
    return largest(terms_.position_errors(), held_positions_);
  };
  double error = error_at();
  // Phi says little about the place where the rows are small: there, as far as rounding allows.
  const double held = detour_in_step_ ? 0.0 : kHeld;
  for (int iteration = 0; iteration < kMostNewtonSteps && error > held; ++iteration) {
    if (!smallest_step(t, q, terms_.position_errors(), true, du_.data())) break;
    std::copy_n(q, nq_, q_before_.begin());
    const double before = error;
    double part = -1.0;
    for (int halving = 0; halving <= kMostHalvings; ++halving, part *= 0.5) {
      displacement_.apply(t, q, du_.data(), part);
      error = error_at();
      if (error < before) break;
      std::copy_n(q_before_.begin(), nq_, q);
    }
    if (!(error < before)) {
      error_at();
      break;
    }
  }
  if (take_back(terms_.position_errors(), held_positions_, kFollows)) return hold_position(t, q);
  return largest(terms_.position_errors(), active_rows_);
}

// Each time at least one row comes back: this ends.
bool ConstraintSolver::take_back(const double* errors, const std::vector<std::size_t>& held, double follows) {
  const auto size = [&](std::size_t k) { return std::abs(errors[k]) / constraints_.scale[k]; };
  double most = follows;
  for (const std::size_t k : held) most = std::max(most, kAmplified * size(k));
  bool found = false;
  for (const std::size_t k : active_rows_) {
    if (!aside_[k] || size(k) <= most) continue;
    aside_[k] = 0;
    dependent_ends_[k] = 0;
    found = true;
  }
  if (!found) return false;
  detour_in_step_ = true;
  update_rows();
  return true;
}

double ConstraintSolver::hold_velocity(double t, const double* q, double* u) {
  const auto error_at = [&] {
    terms_.evaluate_errors(t, q, u);
    return largest(terms_.velocity_errors(), held_rows_);
  };
  double fastest = 1.0;
  for (std::size_t i = 0; i < nv_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  double error = error_at();
  for (int iteration = 0; iteration < kMostVelocitySteps && error > kHeld * fastest; ++iteration) {
    if (!smallest_step(t, q, terms_.velocity_errors(), false, du_.data())) break;
    for (std::size_t i = 0; i < nv_; ++i) u[i] -= du_[i];
    error = error_at();
  }
  if (take_back(terms_.velocity_errors(), held_rows_, kFollows * fastest)) return hold_velocity(t, q, u);
  if (detour_in_step_) {
    choose_branch(t, q, u);
    error_at();
  }
  return largest(terms_.velocity_errors(), active_rows_);
}

bool ConstraintSolver::strike(double t, const double* q, double* u, std::vector<double>& impulse) {
  terms_.evaluate(t, q, u);
  if (!gather(active_rows_) || !metric_.factor(problem())) return false;
  for (std::size_t k = 0; k < active_rows_.size(); ++k)
    gathered_.error[k] = -terms_.velocity()[active_rows_[k]];
  metric_.smallest_step(gathered_.error.data(), du_.data());
  for (std::size_t i = 0; i < nv_; ++i) u[i] += du_[i];
  impulse.resize(active_rows_.size());
  metric_.impulses(impulse.data());
  return true;
}

void ConstraintSolver::errors(double t, const double* q, const double* u, const double*& position,
                              const double*& velocity) {
  terms_.evaluate_errors(t, q, u);
  position = terms_.position_errors();
  velocity = terms_.velocity_errors();
}

void ConstraintSolver::reset(double t, const double* q, const double* u) {
  solver_->reset();
  detours_ = 0;
  aside_ = constraints_.redundant;
  std::fill(dependent_ends_.begin(), dependent_ends_.end(), 0);
  update_rows();
  detour_in_step_ = true;
  end_step(t, q, u);
}

void ConstraintSolver::end_step(double t, const double* q, const double* u) {
  const bool examine = detour_in_step_;
  detour_in_step_ = false;
  if (!examine || active_rows_.empty()) return;
  terms_.evaluate(t, q, u);
  // Rows set aside so far come late, so that the same ones stay; those without a position level come last:
  // a position row that only they imply would not be held.
  if (!gather(active_rows_)) return;
  std::vector<char>& late = motion_.redundant;
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    const std::size_t row = active_rows_[k];
    late[k] = static_cast<char>((constraints_.rows[row].holonomic ? 0 : 2) + (aside_[row] ? 1 : 0));
  }
  if (!metric_.factor(problem(), late.data())) return;
  bool changed = false;
  const math::RowFactor& rows = metric_.rows();
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    const std::size_t row = active_rows_[rows.order(k)];
    int& ends = dependent_ends_[row];
    ends = k < rows.rank() ? 0 : std::min(ends + 1, kForGood);
    const char aside = k >= rows.rank() && (aside_[row] != 0 || ends >= kForGood) ? 1 : 0;
    changed |= aside != aside_[row];
    aside_[row] = aside;
  }
  if (changed) update_rows();
}

bool ConstraintSolver::is_active(int constraint) const {
  for (std::size_t k = 0; k < m_; ++k)
    if (constraints_.rows[k].constraint == constraint) return active_[k] != 0;
  return false;
}

void ConstraintSolver::set_active(int constraint, bool active) {
  for (std::size_t k = 0; k < m_; ++k) {
    if (constraints_.rows[k].constraint == constraint) active_[k] = active ? 1 : 0;
    aside_[k] = 0;
    dependent_ends_[k] = 0;
  }
  detour_in_step_ = true;
  update_rows();
}

}  // namespace tactus::simulate
