// What is done to time-stepping between its steps: constraints switched, all of it saved and loaded, trouble
// explained.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

bool TimeStepping::take_up(const simulate::State& state, const Switches& switches) noexcept {
  if (deep_overlap(state) != nullptr) return false;
  begin_at(state);
  active_ = switches.active;
  guard_armed_ = switches.guard_armed;
  fired_once_ = switches.fired_once;
  return true;
}

simulate::Status TimeStepping::set_active(int constraint, bool active) noexcept {
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= contact_model_.own_constraints)
    return simulate::Status::bad_input;
  char& now = active_[static_cast<std::size_t>(constraint)];
  if ((now != 0) == active) return {};
  active_before_ = active_;
  misfit_ = -1;
  now = active ? 1 : 0;
  const simulate::Status status = active ? catch_speeds(options_.latch_limit) : simulate::Status{};
  if (!status.ok()) active_ = active_before_;
  return status;
}

/// A step without time, after constraints were switched on: no forces, no displacement, the constraints and
/// what touches taking their impulses. On trouble the speeds stay. `limit`: what a position may be off.
simulate::Status TimeStepping::catch_speeds(double limit) {
  terms_.evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < kernel_.rows.size(); ++row) {
    const auto constraint = static_cast<std::size_t>(kernel_.rows[row].constraint);
    if (active_[constraint] == 0 || active_before_[constraint] != 0 || !kernel_.rows[row].holonomic) continue;
    if (std::abs(terms_.Phi(row)) <= limit) continue;
    position_error_ = std::abs(terms_.Phi(row));
    misfit_ = static_cast<int>(row);
    return simulate::Status::constraint_lost;
  }
  if (!factor()) return simulate::Status::not_finite;
  std::copy(state_.u.begin(), state_.u.end(), free_.begin());
  std::fill(corrected_.begin(), corrected_.end(), 0.0);
  for (std::size_t i = 0; i < nv_; ++i) u_free_[place_[i]] = state_.u[i];
  hold_bilateral(0.0);
  if (!gather()) return simulate::Status::contacts_overflow;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    SweepSolver::Contact& contact = solver_.contacts()[i];
    near_[i].restitution = near_[i].limit = 0.0;
    std::fill_n(contact.p, 3, 0.0);  // impulses of a whole step say nothing here
    set_bias(contact, near_[i]);
  }
  const SweepSolver::History history = solver_.history();
  solver_.solve();
  solver_.set_history(history);
  std::copy(solver_.x().begin(), solver_.x().end(), x_.begin());
  find_end_speeds();
  for (const double speed : end_)
    if (!std::isfinite(speed)) return simulate::Status::not_finite;
  books_.normal_work += kinetic(end_) - kinetic(state_.u);
  std::copy(end_.begin(), end_.end(), state_.u.begin());
  return {};
}

void TimeStepping::begin_parts(int parts) noexcept {
  whole_ = {options_.step, start_, steps_, parts};
  options_.step /= parts;
  start_ = state_.t;
  steps_ = 0;
}

void TimeStepping::end_parts() noexcept {
  options_.step = whole_.step;
  start_ = whole_.start;
  steps_ = whole_.steps + 1;
  state_.t = start_ + static_cast<double>(steps_) * options_.step;
  for (std::size_t i = 0; i < contact_count_; ++i)
    contacts_[i].impulse = static_cast<double>(whole_.parts) * contacts_[i].impulse;
}

SteppingSnapshot TimeStepping::make_snapshot() const {
  SteppingSnapshot snapshot;
  snapshot.contacts.reserve(options_.most_contacts);
  save(snapshot);
  return snapshot;
}

void TimeStepping::save(SteppingSnapshot& snapshot) const {
  snapshot.state = state_;
  snapshot.active = active_;
  snapshot.guard_armed = guard_armed_;
  snapshot.fired_once = fired_once_;
  snapshot.contacts.assign(contacts_.begin(),
                           contacts_.begin() + static_cast<std::ptrdiff_t>(contact_count_));
  snapshot.row_force = row_force_;
  snapshot.rest = rest_;
  snapshot.resting_forces = resting_forces_;
  snapshot.solver = solver_.history();
  snapshot.books = books_;
  snapshot.start = start_;
  snapshot.steps = steps_;
}

void TimeStepping::load(const SteppingSnapshot& snapshot) {
  state_ = snapshot.state;
  active_ = snapshot.active;
  guard_armed_ = snapshot.guard_armed;
  fired_once_ = snapshot.fired_once;
  contact_count_ = snapshot.contacts.size();
  std::copy(snapshot.contacts.begin(), snapshot.contacts.end(), contacts_.begin());
  row_force_ = snapshot.row_force;
  rest_ = snapshot.rest;
  resting_forces_ = snapshot.resting_forces;
  solver_.set_history(snapshot.solver);
  books_ = snapshot.books;
  start_ = snapshot.start;
  steps_ = snapshot.steps;
  events_.clear();
  mark_still();
}

std::string TimeStepping::explain(simulate::Status status) const {
  using simulate::Status;
  const std::string when = fmt::format(" at t = {:.6g} s", state_.t);
  if (status.ok()) return "all is well";
  if (status.has(Status::bad_input))
    return fmt::format(
               "the input has the wrong size, or a constraint does not exist: there are {} forces and {} "
               "numbers of wrenches",
               nv_, arguments_.size() - 1 - nq_ - 2 * nv_) +
           when;
  if (status.has(Status::contacts_overflow))
    return fmt::format("more than {} contacts are near: raise `most_contacts`", options_.most_contacts) +
           when;
  for (std::size_t i = 0; status.has(Status::not_finite) && i < nv_; ++i)
    if (!std::isfinite(efforts_[i]))
      return fmt::format("the force at joint '{}' is not a number: look at its expression in the script",
                         contact_model_.dynamics.effort_names[i]) +
             when;
  if (status.has(Status::not_finite))
    return "a coordinate or speed is not finite, or the mass matrix not positive" + when;
  if (status.has(Status::diverged)) return fmt::format("a speed passed {:g}", options_.speed_limit) + when;
  if (status.has(Status::constraint_lost) && misfit_ >= 0)
    return fmt::format("`{}` cannot be switched on: it is off by {:.3g}",
                       kernel_.rows[static_cast<std::size_t>(misfit_)].label, position_error_) +
           when;
  if (status.has(Status::constraint_lost))
    return fmt::format("a constraint is off by {:.3g}: try a smaller step", position_error_) + when;
  if (status.has(Status::energy_unexplained))
    return fmt::format(
               "the books do not balance: {:.3g} J came or went in a step that neither work nor losses nor "
               "its "
               "error of first order explain; take a smaller step",
               unexplained_) +
           when;
  if (status.has(Status::overlap_lost)) {
    std::string names = "rigid shapes";
    double deepest = 0.0;
    for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
      if (near_[i].law == nullptr || near_[i].law->rendering == describe::Rendering::compliant ||
          !(near_[i].about.gap < -deepest))
        continue;
      deepest = -near_[i].about.gap;
      names =
          '`' + contact_model_.model.contact.pairs[static_cast<std::size_t>(near_[i].about.pair)].name + '`';
    }
    // Tried with 1000 kg on 1 g.
    constexpr double kShorter = 0.02;
    return fmt::format(
               "the shapes of {} overlap by {:.3g} m: a light body between heavy ones, or struck by one, "
               "needs shorter "
               "steps (try {:g} s), restitution 0, or `render: compliant`",
               names, deepest, kShorter * options_.step) +
           when;
  }
  return "the step failed" + when;
}

}  // namespace tactus::contact
