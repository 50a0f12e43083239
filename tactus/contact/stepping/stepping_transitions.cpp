// Transitions of the model, at ends of steps.
#include <algorithm>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

/// The multipliers of the bilateral rows: what their impulses, and those of the contacts along them, were over
/// the step.
void TimeStepping::find_row_forces() {
  if (row_force_.empty()) return;
  std::fill(row_force_.begin(), row_force_.end(), 0.0);
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    if (metrics_[k].bilateral() == 0) continue;
    const std::size_t n = kernel_.blocks[k].speeds.size();
    std::fill_n(row_impulse_.data(), n, 0.0);
    for (std::size_t i = 0; i < solver_.contacts().size(); ++i)
      add_contact_impulse(i, static_cast<int>(k), row_impulse_.data());
    metrics_[k].bilateral_impulses(row_impulse_.data(), row_force_.data());
  }
  for (double& force : row_force_) force /= options_.step;
}

/// J^T p of a contact, in the speeds of a block.
void TimeStepping::add_contact_impulse(std::size_t index, int block, double* impulse) const {
  const SweepSolver::Contact& contact = solver_.contacts()[index];
  if ((contact.block[0] != block && contact.block[1] != block) || contact.p[0] == 0.0) return;
  const Near& near = near_[index];
  const std::size_t n = solver_.block_size(block);
  if (near.axis >= 0) {
    const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(block)].speeds;
    for (std::size_t i = 0; i < n; ++i)
      impulse[i] +=
          axis_rows_[static_cast<std::size_t>(near.axis) * nv_ + static_cast<std::size_t>(speeds[i])] *
          contact.p[1];
    return;
  }
  if (near.law == nullptr) {
    const auto row =
        static_cast<std::size_t>(contact_model_.row_of_stop[static_cast<std::size_t>(-1 - near.about.pair)]);
    const double* A = terms_.values().data() + kernel_.blocks[static_cast<std::size_t>(block)].A +
                      static_cast<std::size_t>(kernel_.place_of_row[row].second) * n;
    for (std::size_t i = 0; i < n; ++i) impulse[i] += A[i] * contact.p[0];
    return;
  }
  math::Vec3<double> p = contact.p[0] * near.about.normal;
  for (int r = 1; r < contact.size; ++r) p = p + contact.p[r] * near.tangent[r - 1];
  for (const auto& [index_of_body, sign] :
       {std::pair{near.about.body_a, -1.0}, std::pair{near.about.body_b, 1.0}}) {
    if (block_of(index_of_body) != block) continue;
    const TermsKernel::Body& body =
        kernel_.bodies[static_cast<std::size_t>(kernel_.body_slot[static_cast<std::size_t>(index_of_body)])];
    const double* X = terms_.values().data() + body.X;
    const double* J = terms_.values().data() + body.J;
    const math::Vec3<double> m = cross(near.about.point - math::Vec3<double>{X[3], X[7], X[11]}, p);
    for (std::size_t i = 0; i < n; ++i)
      impulse[i] += sign * (m.x * J[i] + m.y * J[n + i] + m.z * J[2 * n + i] + p.x * J[3 * n + i] +
                            p.y * J[4 * n + i] + p.z * J[5 * n + i]);
  }
}

/// At the state, with the forces of the last step.
void TimeStepping::evaluate_guards() {
  if (guards_.empty()) return;
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  contact_model_.guards.evaluate(state_.t, state_.q.data(), state_.u.data(), terms_.qdot(), row_force_.data(),
                                 guard_in_.data(), guard_work_.data(), guards_.data());
}

bool TimeStepping::holds(std::size_t transition) const {
  return guards_[transition] > 0.0 ||
         (guards_[transition] == 0.0 && contact_model_.guards.true_at_zero(transition));
}

/// A transition is taken where its guard, false until then, becomes true.
void TimeStepping::arm_guards() {
  evaluate_guards();
  for (std::size_t i = 0; i < guards_.size(); ++i) guard_armed_[i] = holds(i) ? 0 : 1;
}

bool TimeStepping::enabled(std::size_t index) const {
  const describe::Transition& transition = contact_model_.model.contact.transitions[index];
  return may_fire(transition, fired_once_[index] != 0, [this](int c) { return is_active(c); });
}

/// All that became true within the step, in the order of the model; what they make true is for the next one.
simulate::Status TimeStepping::take_transitions() {
  events_.clear();
  misfit_ = -1;
  if (guards_.empty()) return {};
  evaluate_guards();
  bool caught = false;
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const bool now = holds(i), fires = now && guard_armed_[i] != 0 && enabled(i);
    guard_armed_[i] = now ? 0 : 1;
    if (!fires) continue;
    fired_once_[i] = 1;
    Event event;
    event.t = event.bounce_end = state_.t;
    event.kind = EventKind::transition;
    event.transition = static_cast<int>(i);
    events_.push_back(event);
    const describe::Transition& transition = contact_model_.model.contact.transitions[i];
    for (const int c : transition.release) active_[static_cast<std::size_t>(c)] = 0;
    for (const int c : transition.activate) {
      caught = caught || !is_active(c);
      active_[static_cast<std::size_t>(c)] = 1;
    }
  }
  if (!caught) return {};
  const double work_before = books_.normal_work;
  const simulate::Status status = catch_speeds(options_.constraint_limit);
  if (!status.ok()) return status;
  for (Event& event : events_) event.loss = work_before - books_.normal_work;
  // After an event: what it made false can become true again.
  evaluate_guards();
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (!holds(i)) guard_armed_[i] = 1;
  return status;
}

}  // namespace tactus::contact
