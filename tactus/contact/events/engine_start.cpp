// Where an engine begins, is taken up again, and is changed from outside.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/contact/events/engine.h>

namespace tactus::contact {

void Engine::set_state(State state) {
  const simulate::Dynamics& d = contact_model_.dynamics;
  if (state.q.size() != static_cast<std::size_t>(d.nq()) ||
      state.u.size() != static_cast<std::size_t>(d.nv()))
    throw InputError(
        {}, fmt::format("the state has {} coordinates and {} speeds", state.q.size(), state.u.size()),
        fmt::format("this mechanism has {} and {}", d.nq(), d.nv()));
  if (!std::isfinite(state.t)) throw InputError({}, "the time of the state is not finite");
  for (const double x : state.q)
    if (!std::isfinite(x)) throw InputError({}, "a coordinate of the state is not finite");
  for (const double x : state.u)
    if (!std::isfinite(x)) throw InputError({}, "a speed of the state is not finite");
  if (!d.coordinates.normalize(state.q.data()))
    throw InputError({}, "a quaternion of the state is zero", "no rotation is (1, 0, 0, 0): w, x, y, z");
  ++generation_;
  state_ = std::move(state);
  motion_.touches.clear();
  books_ = {};
  events_.clear();
  steps_ = 0;
  start_ = state_.t;
  crowded_ = 0;
  crowd_.clear();
  misfit_ = {};
  last_event_ = -std::numeric_limits<double>::infinity();
  clearance_ = -1.0;
  std::fill(fired_once_.begin(), fired_once_.end(), 0);
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    const auto constraint = static_cast<std::size_t>(contact_model_.terms.rows[row].constraint);
    motion_.row_on[row] = contact_model_.model.constraints[constraint].active ? 1 : 0;
  }
  motion_.update();
  stepper_->reset();
  look_anew();
  hold({});

  constexpr double kPolish = 1e-3;  // digits of a file; more is another configuration
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    if (motion_.row_on[row] == 0 || std::abs(motion_.terms().Phi(row)) <= kPolish) continue;
    throw InputError({},
                     fmt::format("the state does not fit the constraints: `{}` is off by {:.3g}",
                                 contact_model_.terms.rows[row].label, motion_.terms().Phi(row)),
                     "assemble the mechanism first");
  }
  motion_.begin(state_.t, state_.q.data(), state_.u.data());
  chart_.adopt(state_);
  trial_ = end_ = state_;
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t i = 0; i < contact_model_.row_of_stop.size(); ++i) {
    if (contact_model_.row_of_stop[i] < 0) continue;
    const double gap = motion_.terms().Phi(static_cast<std::size_t>(contact_model_.row_of_stop[i]));
    if (gap >= -options_.penetration_limit) continue;
    throw InputError(contact_model_.model.contact.stops[i].where,
                     fmt::format("at the start `{}` is passed by {:.3g}",
                                 contact_model_.model.contact.stops[i].name, -gap),
                     "start between the limits");
  }
  mean_work_ = 0.0;
  energy_.begin(state_);
  bool same = false;
  detect(same);
  if (overflow_) {
    throw InputError(
        {}, fmt::format("more than {} contacts are near at the start", options_.most_touches),
        "give the engine room for more (most_touches), or use `render: stepping`, which is for many");
  }
  for (const Touch& touch : motion_.touches) {
    if (!touch.rigid() || touch.motion.gap >= -options_.penetration_limit) continue;
    const describe::ContactPair& pair =
        contact_model_.model.contact.pairs[static_cast<std::size_t>(touch.pair)];
    throw InputError(
        pair.where,
        fmt::format("at the start the shapes of `{}` overlap by {:.3g} m", pair.name, -touch.motion.gap),
        "move them apart, or render the pair `compliant` or `stepping`, which push it out");
  }
  evaluate(state_);
  for (std::size_t i = 0; i < state_.u.size(); ++i)
    if (!std::isfinite(chart_.efforts()[i]))
      throw InputError({},
                       fmt::format("at the start, t = {:.9g} s, the force at joint '{}' is not a number",
                                   state_.t, d.effort_names[i]),
                       "look at its expression in the script");
  if (!respond(0)) throw InputError({}, "at the start no consistent set of contacts was found");
  part_overlaps();
  // `x > 0` is false at zero, and may become true from there.
  for (std::size_t i = 0; i < guards_.size(); ++i)
    guard_armed_[i] = guards_[i] == 0.0 && !contact_model_.guards.true_at_zero(i);
  arm_guards();
  // How far apart all is, as the first quiet steps would find out: where there is no room for all features that far away, it
  // takes several looks.
  for (double before = std::numeric_limits<double>::infinity();
       motion_.touches.empty() && clearance_ < 0.0 && look_ahead_ < before &&
       !contact_model_.model.contact.pairs.empty();) {
    before = look_ahead_;
    look_at_shapes();
  }
}

Snapshot Engine::make_snapshot() const {
  Snapshot snapshot;
  snapshot.touches.reserve(options_.most_touches);
  snapshot.crowd.reserve(crowd_.capacity());
  snapshot.stepper.resize(stepper_->memory());
  save(snapshot);
  return snapshot;
}

void Engine::save(Snapshot& snapshot) const {
  snapshot.state = state_;
  snapshot.row_on = motion_.row_on;
  snapshot.guard_armed = guard_armed_;
  snapshot.fired_once = fired_once_;
  snapshot.touches = motion_.touches;
  motion_.save(snapshot.constraints);
  snapshot.start = start_;
  snapshot.last_event = last_event_;
  snapshot.steps = steps_;
  snapshot.crowded = crowded_;
  snapshot.crowd = crowd_;
  snapshot.books = books_;
  snapshot.energy = energy_.memory;
  snapshot.mean_work = mean_work_;
  stepper_->save(snapshot.stepper.data());
}

void Engine::save(Switches& switches) const {
  switches.guard_armed = guard_armed_;
  switches.fired_once = fired_once_;
  switches.active.resize(contact_model_.model.constraints.size());
  for (std::size_t c = 0; c < switches.active.size(); ++c)
    switches.active[c] = c < contact_model_.own_constraints && is_active(static_cast<int>(c)) ? 1 : 0;
}

void Engine::restore(const Snapshot& snapshot) {
  state_ = snapshot.state;
  trial_ = end_ = snapshot.state;
  motion_.row_on = snapshot.row_on;
  motion_.touches = snapshot.touches;
  for (Touch& touch : motion_.touches)  // of this model, wherever the snapshot was made
    touch.law = &contact_model_.model.contact.pairs[static_cast<std::size_t>(touch.pair)].law;
  motion_.update();
  motion_.load(snapshot.constraints);
  look_anew();
  stops_known_ = false;
  clearance_ = -1.0;
  guard_armed_ = snapshot.guard_armed;
  fired_once_ = snapshot.fired_once;
  start_ = snapshot.start;
  last_event_ = snapshot.last_event;
  steps_ = snapshot.steps;
  crowded_ = snapshot.crowded;
  crowd_ = snapshot.crowd;
  books_ = snapshot.books;
  energy_.memory = snapshot.energy;
  mean_work_ = snapshot.mean_work;
  jam_ = 0.0;
  std::fill(response_.row_leaves.begin(), response_.row_leaves.end(), 0);
  stepper_->load(snapshot.stepper.data());
}

void Engine::load(const Snapshot& snapshot) {
  ++generation_;
  restore(snapshot);
  events_.clear();
}

simulate::Switching Engine::request_active(int constraint, bool active) noexcept {
  using Answer = simulate::Switching::Answer;
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= contact_model_.own_constraints)
    return {Answer::no_such_constraint};
  if (is_active(constraint) == active) return {Answer::as_it_was};
  ++generation_;
  stands_ = false;
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    const TermsKernel::Row& given = contact_model_.terms.rows[row];
    if (active && given.constraint == constraint && given.holonomic &&
        !(std::abs(motion_.terms().Phi(row)) <= options_.latch_limit))
      return {Answer::out_of_place, row, motion_.terms().Phi(row)};
  }
  save(before_);
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row)
    if (contact_model_.terms.rows[row].constraint == constraint) motion_.row_on[row] = active ? 1 : 0;
  motion_.update();
  evaluate(state_);
  const std::size_t events = events_.size();
  if (!respond(events)) {
    const std::size_t more = events_.size() - events;
    events_.erase(events_.end() - static_cast<std::ptrdiff_t>(more), events_.end());
    restore(before_);
    return {Answer::no_consistent_contacts};
  }
  rearm_guards();
  return {};
}

bool Engine::adjust() noexcept {
  ++generation_;
  save(before_);
  const std::size_t events = events_.size();
  const auto refuse = [&] {
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(events), events_.end());
    restore(before_);
    return false;
  };
  motion_.begin(state_.t, state_.q.data(), state_.u.data());
  chart_.adopt(state_);
  stepper_->reset();
  look_anew();
  stops_known_ = false;
  clearance_ = -1.0;
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    const double phi = motion_.terms().Phi(row);
    const bool stop = contact_model_.stop_of_row[row] >= 0;
    if (stop && !(phi >= -options_.penetration_limit)) return refuse();
    if (!stop && motion_.row_on[row] != 0 && !(std::abs(phi) <= options_.constraint_limit)) return refuse();
  }
  bool same = false;
  detect(same);
  const bool overlap = std::any_of(motion_.touches.begin(), motion_.touches.end(), [&](const Touch& touch) {
    return touch.rigid() && !(touch.motion.gap >= -options_.penetration_limit);
  });
  if (overflow_ || overlap) return refuse();
  evaluate(state_);
  if (!respond(events)) return refuse();
  rearm_guards();
  energy_.forget();
  return true;
}

void Engine::set_active(int constraint, bool active) {
  const simulate::Switching switching = request_active(constraint, active);
  using Answer = simulate::Switching::Answer;
  if (switching.answer == Answer::no_such_constraint)
    throw InputError({}, fmt::format("there is no constraint number {}", constraint),
                     "count as Model::constraints does, from 0");
  if (switching.answer == Answer::out_of_place)
    throw InputError({}, fmt::format("`{}` cannot be switched on: it is off by {:.3g}",
                                     contact_model_.terms.rows[switching.row].label, switching.error));
  if (!switching.ok()) throw InputError({}, "no consistent set of contacts was found");
}

}  // namespace tactus::contact
