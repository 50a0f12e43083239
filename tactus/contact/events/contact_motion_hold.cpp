// Holding what touches and what is constrained after a step, at both levels: by the set's code, or by the general path.
#include <algorithm>
#include <cmath>

#include <tactus/contact/events/contact_motion.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/simulate/constraints/newton_hold.h>

namespace tactus::contact {

namespace {

double largest(const std::vector<double>& values, std::size_t count) {
  double result = 0.0;
  for (std::size_t k = 0; k < count; ++k)
    if (!(std::abs(values[k]) <= result)) result = std::abs(values[k]);  // keeps a NaN
  return result;
}

}  // namespace

void ContactMotion::fill_rows(Level level) {
  answers_ = Answers::none;
  gather_set();
  gather_errors(set_, level, terms_.view(), motion_of_part(), scratch_.data(), system_, error_.data());
}

/// The smallest step near a singular position of the bilateral rows, in step_; the rows are filled.
bool ContactMotion::step_in_singular() {
  std::size_t bilateral = 0;
  while (bilateral < system_.m && system_.size[bilateral] > 0.0) ++bilateral;
  place_row_scales(bilateral);
  const simulate::ConstrainedProblem problem{n_,
                                             system_.m,
                                             system_.M.data(),
                                             system_.udot.data(),
                                             system_.A.data(),
                                             system_.gamma.data(),
                                             scale_.data(),
                                             solver_->options().rank_tolerance};
  solver_->note_detour();
  if (!metric_.factor(problem)) return false;
  metric_.smallest_step(error_.data(), step_.data());
  for (double& x : step_) x = -x;
  return true;
}

/// The errors of the rows in error_ and the smallest step against them in step_, by the set's code or by the
/// general path, which finds a step for errors above `held` only; the number of rows. Signs of zeros are one.
std::size_t ContactMotion::errors_and_step(Level level, double t, const double* q, const double* u,
                                           double held) {
  const bool positions = level == Level::position;
  step_found_ = true;
  if (code_ != nullptr) {
    const std::size_t rows = positions ? code_->position_rows : code_->rows;
    code_in_[0] = t;
    std::copy_n(q, q_before_.size(), code_in_.begin() + 1);
    std::copy_n(u, n_, code_in_.begin() + 1 + static_cast<std::ptrdiff_t>(q_before_.size()));
    if (run(positions ? code_->position : code_->velocity, rows, bilateral_rows(level), rows + n_)) {
      std::copy_n(code_out_.begin(), rows, error_.begin());
      for (std::size_t i = 0; i < n_; ++i) step_[i] = code_out_[rows + i] + 0.0;
      return rows;
    }
  }
  terms_.evaluate(t, q, u);
  evaluate_touches();
  fill_rows(level);
  const std::size_t rows = system_.m;
  if (!(largest(error_, rows) > held)) return rows;
  ask_for_smallest_step(error_.data(), system_);
  if (solve_system(bilateral_rows(level)) == Rows::singular) {
    fill_rows(level);
    step_found_ = step_in_singular();
    return rows;
  }
  for (std::size_t i = 0; i < n_; ++i) step_[i] = system_.udot[i] + 0.0;
  return rows;
}

double ContactMotion::settle_position(double t, double* q, const double* u) {
  if (by_solver()) return solver_ ? solver_->settle_position(t, q, u) : 0.0;
  for (;;) {
    const double held = solver_ && solver_->rows().detoured() ? 0.0 : simulate::kHeld;
    const double error = simulate::newton_hold(
        held, q_before_.size(), q, q_before_.data(),
        [&] { return largest(error_, errors_and_step(Level::position, t, q, rest_.data(), held)); },
        [&] { return step_found_; }, [&](double part) { displacement_.apply(t, q, step_.data(), -part); });
    if (!solver_ || !solver_->take_back_positions(t, q)) return error;
    code_ = taken_ = nullptr;  // of another set
    known_ = false;
  }
}

double ContactMotion::part(double t, double* q) {
  double given = 0.0;
  for (int iteration = 0; iteration < simulate::kMostNewtonSteps; ++iteration) {
    const std::size_t rows = errors_and_step(Level::position, t, q, rest_.data(), simulate::kHeld);
    if (!(largest(error_, rows) > simulate::kHeld) || !step_found_) break;
    terms_.evaluate(t, q, rest_.data());
    for (std::size_t i = 0; i < n_; ++i) given -= terms_.Q()[i] * step_[i];
    displacement_.apply(t, q, step_.data());
  }
  return given;
}

void ContactMotion::settle_velocity(double t, const double* q, double* u) {
  if (by_solver()) {
    if (solver_) solver_->settle_velocity(t, q, u);
    return;
  }
  double fastest = 1.0;
  for (std::size_t i = 0; i < n_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  for (;;) {
    for (int iteration = 0; iteration < simulate::kMostVelocitySteps; ++iteration) {
      const double held = simulate::kHeld * fastest;
      const std::size_t rows = errors_and_step(Level::velocity, t, q, u, held);
      if (!(largest(error_, rows) > held) || !step_found_) break;
      for (std::size_t i = 0; i < n_; ++i) u[i] += step_[i];
    }
    if (!solver_ || !solver_->take_back_velocities(t, q, u)) break;
    code_ = taken_ = nullptr;
    known_ = false;
  }
  if (!solver_) return;
  if (quiet() && solver_->rows().detoured()) solver_->choose_branch(t, q, u);
  solver_->end_step(t, q, u);
}

}  // namespace tactus::contact
