// What can be asked of time-stepping at its state: accelerations, and the terms there.
#include <algorithm>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

/// The contacts of the step that would begin here, and their impulses, in solver_, near_ and x_. What later steps
/// depend on stays.
bool TimeStepping::solve_from_here(const simulate::Input& input, bool awake) {
  const SweepSolver::History history = solver_.history();
  const SweepResult solution = solution_;
  const double position_error = position_error_;
  rest_before_ = rest_;
  const bool any_asleep = any_asleep_;
  if (awake) {
    for (Rest& rest : rest_) rest = {};
    if (any_asleep) mark_still();
  }
  bool found = evaluate_loads(input);
  if (found) {
    terms_.evaluate(arguments_.data());
    found = factor() && free_speeds();
  }
  if (found) {
    wake_by_forces();
    hold_bilateral(options_.step);
    found = gather();
    if (found) solve_impulses();
  }
  solver_.set_history(history);
  solution_ = solution;
  position_error_ = position_error;
  return found;
}

bool TimeStepping::accelerations(const simulate::Input& input, double* udot) noexcept {
  if (!solve_from_here(input, false)) {
    rest_ = rest_before_;
    mark_still();
    return false;
  }
  // Of the contacts, and of who sleeps.
  std::fill(udot_.begin(), udot_.end(), 0.0);
  const bool touched = !solver_.contacts().empty();
  for (std::size_t k = 0; touched && k < kernel_.blocks.size(); ++k) {
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    std::fill_n(scratch_block_.data(), speeds.size(), 0.0);
    metrics_[k].add_speeds(&x_[solver_.offset(static_cast<int>(k))], scratch_block_.data());
    for (std::size_t i = 0; i < speeds.size(); ++i)
      udot_[static_cast<std::size_t>(speeds[i])] = scratch_block_[i] / options_.step;
  }
  if (!smooth_accelerations(udot)) return false;
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k)
    for (const int speed : kernel_.blocks[k].speeds)
      udot[speed] = rest_[k].group >= 0 ? 0.0 : udot[speed] + udot_[static_cast<std::size_t>(speed)];
  rest_ = rest_before_;
  if (any_asleep_) mark_still();
  return true;
}

/// Without contact, at the terms that were last evaluated.
bool TimeStepping::smooth_accelerations(double* udot) {
  if (!factor()) return false;
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    const std::size_t n = block.speeds.size();
    double* x = u_free_.data() + solver_.offset(static_cast<int>(k));
    for (std::size_t i = 0; i < n; ++i) x[i] = terms_.Q()[block.speeds[i]];
    metrics_[k].solve(x);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.rows[i]);
      if (active_[static_cast<std::size_t>(kernel_.rows[row].constraint)] == 0) continue;
      const double* A = terms_.values().data() + block.A + i * n;
      double missing = terms_.gamma(row);
      for (std::size_t j = 0; j < n; ++j) missing -= A[j] * x[j];
      metrics_[k].add_bilateral(block.rows[i], A, missing, 0.0);
    }
    if (metrics_[k].bilateral() > 0) {
      double* dx = &dx_[solver_.offset(static_cast<int>(k))];
      std::fill_n(dx, n, 0.0);
      metrics_[k].add_velocity_change(dx);
      metrics_[k].add_speeds(dx, x);
    }
    for (std::size_t i = 0; i < n; ++i) udot[block.speeds[i]] = x[i];
  }
  return true;
}

const Terms& TimeStepping::terms_at_state() noexcept {
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  return terms_;
}

const Terms& TimeStepping::terms_at(const simulate::State& state) noexcept {
  terms_.evaluate(state.t, state.q.data(), state.u.data());
  return terms_;
}

double TimeStepping::reach(int body) const {
  const int slot = kernel_.body_slot[static_cast<std::size_t>(body)];
  return slot < 0 ? 0.0 : reach_[static_cast<std::size_t>(slot)];
}

std::span<const collide::Proximity> TimeStepping::features(const simulate::State& state,
                                                           double margin) noexcept {
  terms_at(state);
  if (scene_ == nullptr) return {};
  update_scene();
  const std::span<const collide::Proximity> near = scene_->near(margin);
  return scene_->overflowed() ? std::span<const collide::Proximity>{} : near;
}

}  // namespace tactus::contact
