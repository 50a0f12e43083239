// What happens at an event: transitions, impulses, then modes; and what they leave behind.
#include <tactus/contact/events/engine.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tactus::contact {

bool Engine::fire(int index) {
  const auto i = static_cast<std::size_t>(index);
  const describe::Transition& transition = contact_model_.model.contact.transitions[i];
  if (!enabled(transition)) return true;  // another one of the same instant changed the set
  fired_once_[i] = 1;
  guard_armed_[i] = 0;
  bool fits = true;
  const auto switch_rows = [&](int constraint, char on) {
    for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
      if (contact_model_.terms.rows[row].constraint != constraint) continue;
      if (on != 0 && motion_.row_on[row] == 0 && contact_model_.terms.rows[row].holonomic &&
          !(std::abs(motion_.terms().Phi(row)) <= options_.latch_limit)) {
        fits = false;
        misfit_ = {index, row, motion_.terms().Phi(row)};
      }
      motion_.row_on[row] = on;
    }
  };
  for (const int c : transition.release) switch_rows(c, 0);
  for (const int c : transition.activate) switch_rows(c, 1);
  motion_.update();
  Event event;
  event.t = state_.t;
  event.kind = EventKind::transition;
  event.transition = index;
  event.bounce_end = state_.t;
  if (events_.size() < events_.capacity()) events_.push_back(event);
  return fits;
}

/// Impulses, then modes; the motion was evaluated at the state. The transitions of this instant stand from
/// `first_event` on. False where no consistent modes were found.
bool Engine::respond(std::size_t first_event) {
  std::copy(state_.u.begin(), state_.u.end(), u_before_.begin());
  for (Touch& touch : motion_.touches) {
    touch.before = touch.mode;
    if (touch.rigid() || touch.hint == Hint::none) continue;
    touch.mode = std::exchange(touch.hint, Hint::none) == Hint::presses ? Mode::sliding : Mode::apart;
  }
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) row_before_[row] = motion_.row_on[row];
  const double lost_before = books_.impact_loss;
  if (response_.strike(state_.t, state_.u.data(), events_, books_)) {
    motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
    motion_.evaluate_touches();
  }
  for (std::size_t i = first_event; i < events_.size(); ++i)
    if (events_[i].kind == EventKind::transition) events_[i].loss = books_.impact_loss - lost_before;
  const long rounds = std::max<long>(0, options_.budget.most_rounds - work_.rounds);
  const bool consistent = response_.decide(state_.u.data(), jam_, rounds, [&] {
    ++work_.rounds;
    evaluate(state_);
  });
  books_.impact_loss += response_.jump_loss;
  least_loss_ = std::min(least_loss_, books_.impact_loss - lost_before);
  end_slips();
  energy_.break_off();
  stepper_->reset();
  chart_.follow_momentum(state_.t, state_.q.data(), u_before_.data(), state_.u.data(),
                         state_.momentum.data());
  motion_.end_event(state_.t, state_.q.data(), state_.u.data());
  looked_ = true;
  stops_known_ = false;

  const auto record = [&](EventKind kind, int pair, std::uint64_t id, int stop) -> Event* {
    if (events_.size() == events_.capacity()) return nullptr;
    Event event;
    event.t = event.bounce_end = state_.t;
    event.kind = kind;
    event.pair = pair;
    event.id = id;
    event.stop = stop;
    events_.push_back(event);
    return &events_.back();
  };
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    if (touch.mode == touch.before) continue;
    touch.restless = true;
    if (touch.before == Mode::apart) {
      if (Event* event = record(EventKind::rests, touch.pair, touch.id, -1); event != nullptr) {
        // Bounces that would still come: each lasts 2 v / a, and v falls by e every time.
        const double e = touch.law->restitution, a = touch.mobility * motion_.touch_force(i)[0];
        event->approach = touch.approach;
        if (e < 1.0 && a > 0.0) event->bounce_end += 2.0 * e * touch.approach / (a * (1.0 - e));
      }
    }
    if (touch.mode == Mode::apart)
      record(EventKind::leaves, touch.pair, touch.id, -1);
    else if (touch.rigid() && touch.tangents > 0 && touch.law->static_friction > 0.0)
      record(touch.mode == Mode::sliding ? EventKind::slides : EventKind::sticks, touch.pair, touch.id, -1);
  }
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row)
    if (contact_model_.stop_of_row[row] >= 0 && motion_.row_on[row] != row_before_[row])
      record(motion_.row_on[row] != 0 ? EventKind::rests : EventKind::leaves, -1, 0,
             contact_model_.stop_of_row[row]);
  return consistent;
}

/// Where an event was taken late, or features were found late (the rim of a cylinder for points of it), shapes overlap:
/// they are moved apart by the smallest step, which the books get, whether they stay or rebound. Otherwise overlap would
/// grow from tick to tick.
void Engine::part_overlaps() {
  const auto overlap = [&](std::size_t row) { return motion_.terms().Phi(row) < -kTouchingGap; };
  bool overlaps = std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
    return touch.rigid() && touch.motion.gap < -kTouchingGap;
  });
  for (const int row : contact_model_.row_of_stop)
    overlaps = overlaps || (row >= 0 && overlap(static_cast<std::size_t>(row)));
  if (!overlaps) return;
  for (Touch& touch : motion_.touches) {
    touch.before = touch.mode;
    if (!touch.rigid() || !(touch.motion.gap < -kTouchingGap)) continue;
    if (!touch.touching()) touch.mode = Mode::sliding;
  }
  std::copy(motion_.row_on.begin(), motion_.row_on.end(), row_before_.begin());
  for (const int row : contact_model_.row_of_stop) {
    if (row < 0 || !overlap(static_cast<std::size_t>(row))) continue;
    motion_.row_on[static_cast<std::size_t>(row)] = 1;
  }
  motion_.update();
  const double energy_before = energy_.energy(state_);
  motion_.part(state_.t, state_.q.data());
  books_.correction_work += energy_.energy(state_) - energy_before;
  for (Touch& touch : motion_.touches) touch.mode = touch.before;
  std::copy(row_before_.begin(), row_before_.end(), motion_.row_on.begin());
  motion_.update();
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  const double before = motion_.kinetic_energy(state_.u.data());
  motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  books_.impact_loss += before - motion_.kinetic_energy(state_.u.data());
  chart_.momentum_of(state_.t, state_.q, state_.u, state_.momentum);  // of where it is now
  evaluate(state_);
}

/// What an event left of the slip of a touch that sticks now is taken out here, where the books see it.
void Engine::end_slips() {
  const bool slips = std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
    return touch.rigid() && touch.mode == Mode::sticking && touch.slip_speed() > kRestingRate;
  });
  if (!slips) return;
  const double before = motion_.kinetic_energy(state_.u.data());
  motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
  books_.friction_loss += before - motion_.kinetic_energy(state_.u.data());
  evaluate(state_);
}

}  // namespace tactus::contact
