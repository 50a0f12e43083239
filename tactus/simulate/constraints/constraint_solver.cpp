#include <tactus/simulate/constraints/constraint_solver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <tactus/base/check.h>
#include <tactus/simulate/constraints/crossing_limits.h>
#include <tactus/simulate/constraints/newton_hold.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

constexpr std::array<std::pair<Holding, std::string_view>, 5> kNames{
    {{Holding::projection, "projection"},
     {Holding::position_only, "position_only"},
     {Holding::velocity_only, "velocity_only"},
     {Holding::baumgarte, "baumgarte"},
     {Holding::none, "none"}}};

/// The same as a sine, for the rank-revealing factors.
constexpr double kRegular = 1e-3;
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
      rows_(constraints_),
      late_(m_, 0),
      stage_(constraints_.terms.input_size()),
      mean_(nv_),
      spread_(nv_),
      rest_(nv_),
      du_(nv_),
      q_before_(nq_),
      displacement_(dynamics),
      crossing_(constraints_.terms.input_size(), nv_),
      side_motion_(nv_, m_),
      q_across_(nq_),
      side_error_(m_),
      across_(nv_),
      inner_(nv_),
      mean_across_(nv_),
      lambda_across_(m_),
      lambda_inner_(m_),
      side_rows_(m_ * nv_) {
  gathered_.rows.reserve(m_);
  gathered_.A = math::LazyZeros<double>(m_ * nv_);
  gathered_.gamma.resize(m_);
  gathered_.scale.resize(m_);
  gathered_.error.resize(m_);
  rows_left_.reserve(m_);
  left_.reserve(m_);
  if (options_.formulation == Formulation::parametric) {
    require_parametric(dynamics);
    auto solver = std::make_unique<ParametricSolver>(nv_, m_, dynamics.parametric->size());
    parametric_ = solver.get();
    solver_ = std::move(solver);
    parametrization_ = std::make_unique<Parametrization>(dynamics);
  }
  std::size_t work = std::max(dynamics.coordinate_rates.work_size(), dynamics.forward_dynamics.work_size());
  forward_out_.resize(nv_ + nq_);
  if (const auto& unrolled = constraints_.unrolled) {
    unrolled_in_.resize(1 + nq_ + m_);
    unrolled_out_.resize(unrolled->dynamics.output_size());
    work = std::max({work, unrolled->dynamics.work_size(), unrolled->step.work_size()});
    if (unrolled->position_step) work = std::max(work, unrolled->position_step->work_size());
  }
  work_.resize(work);
  mark();
  update_rows_left();
}

void ConstraintSolver::update_rows_left() {
  rows_left_.clear();
  left_.clear();
  if (parametric_ == nullptr) return;
  for (const std::size_t k : rows_.active()) {
    left_.push_back(dynamics_.parametric->left[k]);
    if (left_.back()) rows_left_.push_back(k);
  }
}

/// Entries that are not zero stand where they stood while the rows are the same; else the old ones are taken out first.
bool ConstraintSolver::gather(const std::vector<std::size_t>& rows) {
  const auto each_entry = [&](std::size_t k, const auto& action) {
    const std::size_t row = gathered_.rows[k];
    double* to = gathered_.A.data() + k * nv_;
    for (std::size_t e = constraints_.A_begin[row]; e < constraints_.A_begin[row + 1]; ++e)
      action(to, static_cast<std::size_t>(constraints_.A_entries[e].column));
  };
  if (gathered_.rows != rows) {
    for (std::size_t k = 0; k < gathered_.rows.size(); ++k)
      each_entry(k, [](double* to, std::size_t i) { to[i] = 0.0; });
    gathered_.rows = rows;
  }
  double finite = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double* a = terms_.A(rows[k]);
    each_entry(k, [&](double* to, std::size_t i) {
      to[i] = a[i];
      finite += 0.0 * a[i];
    });
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

// distances, then pivots: a row may vanish, or be lost among those before it. Not above zero where one is not finite.
double ConstraintSolver::least_pivot(const double* distances, const std::vector<std::size_t>& rows) const {
  const double* pivots = distances + rows.size();
  double least = 1.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double size = constraints_.scale[rows[k]], square = size * size;
    if (!(distances[k] >= least * square)) least = distances[k] / square;  // seldom: divisions are slow
    if (!(pivots[k] >= least)) least = pivots[k];
    if (!(least > 0.0)) return 0.0;
  }
  return least;
}

void ConstraintSolver::accelerate(const double* arguments, double* udot, double* qdot) {
  if (rows_.active().empty() && parametric_ == nullptr) {  // nothing is on: free motion
    dynamics_.forward_dynamics(arguments, forward_out_.data(), work_.data());
    std::copy_n(forward_out_.begin(), nv_, udot);
    std::copy_n(forward_out_.begin() + static_cast<std::ptrdiff_t>(nv_), nq_, qdot);
    return;
  }
  const bool automatic =
      options_.formulation == Formulation::automatic && options_.holding != Holding::baumgarte;
  if (automatic && rows_.unrolled_fits()) {
    constraints_.unrolled->dynamics(arguments, unrolled_out_.data(), work_.data());
    const double least = least_pivot(unrolled_out_.data() + nv_ + nq_ + rows_.held().size(), rows_.held());
    near_ |= least < kNear * kNear;
    std::copy_n(unrolled_out_.begin() + static_cast<std::ptrdiff_t>(nv_), nq_, qdot);
    if (least > kHealthyPivot) std::copy_n(unrolled_out_.begin(), nv_, udot);
    const bool crosses = least < kAcross * kAcross && options_.holding == Holding::projection &&
                         accelerate_across(arguments, std::sqrt(least), udot);
    if (crosses) ++detours_;
    if (crosses || least > kHealthyPivot) return;
  }
  rows_.note_detour();
  ++detours_;
  dynamics_.coordinate_rates(arguments, qdot, work_.data());
  if (parametric_ != nullptr) {
    if (solve(arguments, motion_))
      std::copy_n(motion_.udot.begin(), nv_, udot);
    else
      std::fill_n(udot, nv_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const bool solved = options_.holding == Holding::projection && !rows_.held().empty()
                          ? accelerate_on_manifold(arguments, udot)
                          : accelerate_at(arguments, udot);
  if (!solved) std::fill_n(udot, nv_, std::numeric_limits<double>::quiet_NaN());
}

bool ConstraintSolver::accelerate_at(const double* arguments, double* udot) {
  terms_.evaluate(arguments);
  const bool finite = gather(rows_.held());
  if (options_.holding == Holding::baumgarte) {
    const double rate = options_.baumgarte_rate;
    for (std::size_t k = 0; k < rows_.held().size(); ++k)
      gathered_.gamma[k] -=
          2.0 * rate * terms_.velocity()[rows_.held()[k]] + rate * rate * terms_.Phi()[rows_.held()[k]];
  }
  if (!finite || !solver_->solve(problem(), motion_)) return false;
  std::copy_n(motion_.udot.begin(), nv_, udot);
  return true;
}

bool ConstraintSolver::accelerate_on_manifold(const double* arguments, double* udot) {
  if (options_.formulation != Formulation::automatic && rows_.unrolled_fits()) {
    const double here = distance_at(arguments[0], arguments + 1);
    near_ |= here < kNear;
    if (here < kAcross && accelerate_across(arguments, here, udot)) return true;
  }
  terms_.evaluate(arguments);
  if (!gather(rows_.held()) || !metric_.factor(problem())) return false;
  const std::size_t rank = metric_.rows().rank();
  const double singular = rank < rows_.held().size() ? 0.0 : metric_.rows().distance(rank - 1);
  if (!rows_.unrolled_fits()) {
    near_ |= singular < kNear;
    if (singular < kAcross) {
      if (accelerate_across(arguments, singular, udot)) return true;
      terms_.evaluate(arguments);
      if (!gather(rows_.held())) return false;
    }
  }
  if (singular > kRegular) {
    if (!solver_->solve(problem(), motion_)) return false;
    std::copy_n(motion_.udot.begin(), nv_, udot);
    return true;
  }
  // Phi is about (distance from the manifold)(distance from the singularity), or the square of the former.
  const double phi = largest(terms_.Phi(), rows_.held());
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
  if (!gather(rows_.held())) return false;
  ConstrainedProblem regular = problem();
  regular.rank_tolerance = near;
  if (!solver_->solve(regular, motion_)) return false;
  std::copy_n(motion_.udot.begin(), nv_, udot);
  return true;
}

bool ConstraintSolver::solve_in_parameters(const double* arguments, ConstrainedMotion& motion) {
  terms_.evaluate(arguments);
  if (!gather(rows_.active())) return false;
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
  if (!solve_here(arguments, motion)) return false;
  crossing_.forget();
  motion.across = options_.holding == Holding::projection && !rows_.held().empty() && !solved_far() &&
                  solve_across(arguments, motion);
  motion.singular = motion.rank < rows_.held().size();
  return true;
}

bool ConstraintSolver::solve_here(const double* arguments, ConstrainedMotion& motion) {
  if (solve_by_code(arguments, motion)) return true;
  terms_.evaluate(arguments);
  return gather(rows_.active()) && solver_->solve(problem(), motion);
}

/// The straight-line code's multipliers, where it holds all rows that are on: those of a row are then unique, and cost
/// no more than an acceleration.
bool ConstraintSolver::solve_by_code(const double* arguments, ConstrainedMotion& motion) {
  const std::size_t m = rows_.held().size();
  if (options_.formulation != Formulation::automatic || options_.holding == Holding::baumgarte ||
      !rows_.unrolled_fits() || rows_.any_aside() || m == 0)
    return false;
  terms_.evaluate_entries(arguments);
  constraints_.unrolled->dynamics(arguments, unrolled_out_.data(), work_.data());
  const double* lambda = unrolled_out_.data() + nv_ + nq_;
  if (!(least_pivot(lambda + m, rows_.held()) > kHealthyPivot)) return false;
  std::copy_n(unrolled_out_.begin(), nv_, motion.udot.begin());
  std::copy_n(lambda, m, motion.lambda.begin());
  std::fill_n(motion.redundant.begin(), m, char{0});
  std::fill(motion.force.begin(), motion.force.end(), 0.0);
  double finite = 0.0;
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t row = rows_.held()[k];
    for (std::size_t e = constraints_.A_begin[row]; e < constraints_.A_begin[row + 1]; ++e) {
      const double a = terms_.A_values()[e];
      finite += 0.0 * a;
      motion.force[constraints_.A_entries[e].column] += a * lambda[k];
    }
  }
  if (finite != 0.0) return false;
  motion.rank = m;
  motion.used = Formulation::multipliers;
  return true;
}

/// Whether the straight-line code of solve_by_code(), where that has run, found the rows far from depending on each other: what it says of their
/// distance is what distance_at() would say.
bool ConstraintSolver::solved_far() const {
  if (options_.formulation != Formulation::automatic || !rows_.unrolled_fits() || rows_.any_aside())
    return false;
  const double* distances = unrolled_out_.data() + nv_ + nq_ + rows_.held().size();
  return least_pivot(distances, rows_.held()) >= kAcross * kAcross;
}

bool ConstraintSolver::smallest_step(double t, const double* q, const double* error, bool positions,
                                     double* du) {
  const std::vector<std::size_t>& rows = positions ? rows_.held_positions() : rows_.held();
  if (options_.formulation == Formulation::automatic && rows_.unrolled_fits()) {
    const generate::Kernel& kernel =
        positions ? *constraints_.unrolled->position_step : constraints_.unrolled->step;
    unrolled_in_[0] = t;
    std::copy_n(q, nq_, unrolled_in_.begin() + 1);
    for (std::size_t k = 0; k < rows.size(); ++k) unrolled_in_[1 + nq_ + k] = error[rows[k]];
    kernel(unrolled_in_.data(), unrolled_out_.data(), work_.data());
    if (least_pivot(unrolled_out_.data() + nv_, rows) > kHealthyPivot) {
      std::copy_n(unrolled_out_.begin(), nv_, du);
      return true;
    }
  }
  rows_.note_detour();
  terms_.evaluate(t, q, rest_.data());
  if (!gather(rows) || !metric_.factor(problem())) return false;
  for (std::size_t k = 0; k < rows.size(); ++k) gathered_.error[k] = error[rows[k]];
  metric_.smallest_step(gathered_.error.data(), du);
  return true;
}

double ConstraintSolver::largest(const double* errors, const std::vector<std::size_t>& rows) const {
  double result = 0.0;
  for (const std::size_t k : rows)
    if (!(std::abs(errors[k]) <= result)) result = std::abs(errors[k]);  // keeps a NaN
  return result;
}

double ConstraintSolver::settle_position(double t, double* q, const double* u) {
  sides_placed_ = false;
  if (options_.holding != Holding::projection && options_.holding != Holding::position_only) return 0.0;
  if (near_ && options_.holding == Holding::projection && parametric_ == nullptr && hold_across(t, q, u))
    return largest(terms_.position_errors(), rows_.active());
  return hold_position(t, q);
}

void ConstraintSolver::settle_velocity(double t, const double* q, double* u) {
  const bool done = sides_placed_ && hold_velocity_across(u);
  if (!done && (options_.holding == Holding::projection || options_.holding == Holding::velocity_only))
    hold_velocity(t, q, u);
  end_step(t, q, u);
}

double ConstraintSolver::position_error(double t, const double* q) {
  terms_.evaluate_errors(t, q, rest_.data());
  return largest(terms_.position_errors(), rows_.active());
}

double ConstraintSolver::hold_position(double t, double* q) {
  if (rows_.active().empty()) return 0.0;
  const auto error_at = [&] {
    terms_.evaluate_errors(t, q, rest_.data());
    return largest(terms_.position_errors(), rows_.held_positions());
  };
  // Phi says little about the place where the rows are small: there, as far as rounding allows.
  const double held = rows_.detoured() ? 0.0 : kHeld;
  newton_hold(
      held, nq_, q, q_before_.data(), error_at,
      [&] { return smallest_step(t, q, terms_.position_errors(), true, du_.data()); },
      [&](double part) { displacement_.apply(t, q, du_.data(), part); });
  if (rows_.take_back(terms_.position_errors(), rows_.held_positions(), kFollows)) return hold_position(t, q);
  return largest(terms_.position_errors(), rows_.active());
}

bool ConstraintSolver::take_back_positions(double t, const double* q) {
  if (!rows_.any_aside()) return false;
  terms_.evaluate_errors(t, q, rest_.data());
  return rows_.take_back(terms_.position_errors(), rows_.held_positions(), kFollows);
}

bool ConstraintSolver::take_back_velocities(double t, const double* q, const double* u) {
  if (!rows_.any_aside()) return false;
  double fastest = 1.0;
  for (std::size_t i = 0; i < nv_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  terms_.evaluate_errors(t, q, u);
  return rows_.take_back(terms_.velocity_errors(), rows_.held(), kFollows * fastest);
}

double ConstraintSolver::hold_velocity(double t, const double* q, double* u) {
  if (rows_.active().empty()) return 0.0;
  const auto error_at = [&] {
    terms_.evaluate_errors(t, q, u);
    return largest(terms_.velocity_errors(), rows_.held());
  };
  double fastest = 1.0;
  for (std::size_t i = 0; i < nv_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  double error = error_at();
  for (int iteration = 0; iteration < kMostVelocitySteps && error > kHeld * fastest; ++iteration) {
    if (!smallest_step(t, q, terms_.velocity_errors(), false, du_.data())) break;
    for (std::size_t i = 0; i < nv_; ++i) u[i] -= du_[i];
    error = error_at();
  }
  if (rows_.take_back(terms_.velocity_errors(), rows_.held(), kFollows * fastest))
    return hold_velocity(t, q, u);
  if (rows_.detoured()) {
    choose_branch(t, q, u);
    error_at();
  }
  return largest(terms_.velocity_errors(), rows_.active());
}

bool ConstraintSolver::share_force(double t, const double* q, const double* force, double* lambda) {
  std::fill_n(lambda, m_, 0.0);
  if (rows_.active().empty()) return true;
  terms_.evaluate(t, q, rest_.data());
  if (!gather(rows_.active()) || !metric_.factor(problem())) return false;
  // L^-1 force = X^T lambda, seen along the rows' orthonormal directions.
  std::copy_n(force, nv_, du_.begin());
  metric_.solve_lower(du_.data());
  metric_.rows().times_q_transposed(du_.data());
  metric_.rows().combine_shortest(du_.data(), gathered_.error.data());
  for (std::size_t k = 0; k < rows_.active().size(); ++k)
    lambda[rows_.active()[k]] = gathered_.error[k] / gathered_.scale[k];
  return true;
}

bool ConstraintSolver::strike(double t, const double* q, double* u, std::span<double> impulse) {
  terms_.evaluate(t, q, u);
  if (!gather(rows_.active()) || !metric_.factor(problem())) return false;
  for (std::size_t k = 0; k < rows_.active().size(); ++k)
    gathered_.error[k] = -terms_.velocity()[rows_.active()[k]];
  metric_.smallest_step(gathered_.error.data(), du_.data());
  for (std::size_t i = 0; i < nv_; ++i) u[i] += du_[i];
  metric_.impulses(gathered_.error.data());
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (std::size_t k = 0; k < rows_.active().size(); ++k) impulse[rows_.active()[k]] = gathered_.error[k];
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
  width_part_ = 1.0;
  rows_.begin();
  end_step(t, q, u);
}

void ConstraintSolver::end_step(double t, const double* q, const double* u) {
  if (!near_) width_part_ = 1.0;
  near_ = sides_placed_ = false;
  crossing_.forget();
  const bool examine = rows_.detoured();
  rows_.set_detoured(false);
  if (!examine || rows_.active().empty()) return;
  terms_.evaluate(t, q, u);
  if (!gather(rows_.active())) return;
  rows_.lateness(late_.data());
  if (metric_.factor(problem(), late_.data())) rows_.examine(metric_.rows());
}

void ConstraintSolver::set_active(int constraint, bool active) {
  rows_.set_active(constraint, active);
  update_rows_left();
}

void ConstraintSolver::set_active(const char* rows) {
  rows_.set_active(rows);
  update_rows_left();
}

void ConstraintSolver::save(Memory& memory) const {
  rows_.save(memory.rows);
  const std::span<const char> choice = solver_->memory();
  memory.choice.assign(choice.begin(), choice.end());
  memory.width_part = width_part_;
}

void ConstraintSolver::mark() {
  near_ = false;
  crossing_.forget();
  marked_width_part_ = width_part_;
  rows_.mark();
  const std::span<const char> choice = solver_->memory();
  if (!choice.empty()) marked_choice_.assign(choice.begin(), choice.end());
}

void ConstraintSolver::rewind() {
  crossing_.forget();
  width_part_ = marked_width_part_;
  rows_.rewind();
  if (!marked_choice_.empty())
    std::copy(marked_choice_.begin(), marked_choice_.end(), solver_->memory().begin());
}

void ConstraintSolver::load(const Memory& memory) {
  near_ = false;
  crossing_.forget();
  width_part_ = memory.width_part;
  rows_.load(memory.rows);
  std::copy(memory.choice.begin(), memory.choice.end(), solver_->memory().begin());
  update_rows_left();
}

}  // namespace tactus::simulate
