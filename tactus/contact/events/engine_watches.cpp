// What an engine watches for, and where the first of it happens.
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/contact/events/engine.h>

namespace tactus::contact {

namespace {

// A gap smaller than this below zero, or closing more slowly, is rounding [m], [m/s].
constexpr double kGapRounding = 1e-12;
constexpr double kRateRounding = 1e-12;

}  // namespace

/// Slip that a step may bring to its end keeps its direction for the step.
void Engine::hold_slips() {
  for (Touch& touch : motion_.touches) {
    if (touch.mode != Mode::sliding || touch.tangents != 2 || !touch.rigid()) continue;
    const double v1 = touch.motion.rate[1], v2 = touch.motion.rate[2];
    const double a1 = motion_.touch_acceleration(touch, 1), a2 = motion_.touch_acceleration(touch, 2);
    const double slip = std::hypot(v1, v2);
    const bool may_end =
        slip > kRestingRate && v1 * a1 + v2 * a2 < 0.0 && slip < 2.0 * options_.step * std::hypot(a1, a2);
    if (may_end) touch.slow_slip = std::numeric_limits<double>::max();
  }
}

void Engine::begin_watches() {
  hold_slips();
  watches_.clear();
  const auto watch = [&](Watching what, int index, std::array<double, 2> slip = {}) {
    Watch w{what, index, slip, 0.0, 0.0};
    w.start = value(w);
    w.start_rate = rate(w);
    watches_.push_back(w);
  };
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    const int index = static_cast<int>(i);
    if (!touch.rigid()) {
      watch(touch.touching() ? Watching::push : Watching::press, index);
      continue;
    }
    watch(touch.touching() ? Watching::force : Watching::gap, index);
    if (touch.mode == Mode::sticking && touch.tangents > 0) watch(Watching::cone, index);
    const bool may_end = touch.tangents == 1 || (touch.tangents == 2 && touch.slow_slip > kSlowSlip);
    if (touch.mode == Mode::sliding && may_end && touch.law->friction > 0.0)
      watch(Watching::slip, index, touch.slip);
  }
  for (const int row : contact_model_.row_of_stop)
    if (row >= 0)
      watch(motion_.row_on[static_cast<std::size_t>(row)] != 0 ? Watching::stop_force : Watching::stop_gap,
            row);
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guard_armed_[i] != 0 && enabled(contact_model_.model.contact.transitions[i]))
      watch(Watching::guard, static_cast<int>(i));
  friction_power_ = friction_power();
}

bool Engine::enabled(const describe::Transition& transition) const {
  const auto index = static_cast<std::size_t>(&transition - contact_model_.model.contact.transitions.data());
  if (transition.once && fired_once_[index] != 0) return false;
  for (const int c : transition.if_active)
    if (!is_active(c)) return false;
  for (const int c : transition.if_inactive)
    if (is_active(c)) return false;
  return true;
}

/// All guards fire by falling below zero.
double Engine::value(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  switch (watch.what) {
    case Watching::gap:
      return motion_.touches[i].motion.gap;
    case Watching::force:
      return excused_ ? std::abs(motion_.touch_force(i)[0]) : motion_.touch_force(i)[0];
    case Watching::cone: {
      const std::array<double, 3>& f = motion_.touch_force(i);
      const double friction = motion_.touches[i].tangents == 1 ? std::abs(f[1]) : std::hypot(f[1], f[2]);
      const double left = motion_.touches[i].law->static_friction * f[0] - friction;
      return excused_ ? std::abs(left) : left;
    }
    case Watching::slip:
      return motion_.touches[i].motion.rate[1] * watch.slip[0] +
             motion_.touches[i].motion.rate[2] * watch.slip[1];
    case Watching::press:  // apart: the gap, and inside what keeps the damper from pulling
      return motion_.touches[i].motion.gap > 0.0 ? motion_.touches[i].motion.gap : -motion_.touches[i].push();
    case Watching::push:
      return motion_.touches[i].push();
    case Watching::stop_gap:
      return motion_.terms().Phi(i);
    case Watching::stop_force:
      return motion_.stop_force(i);
    case Watching::guard:
      return -guards_[i];
  }
  return 0.0;
}

double Engine::rate(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  if (watch.what == Watching::gap) return motion_.touches[i].motion.rate[0];
  if (watch.what == Watching::stop_gap) return motion_.terms().velocity(i);
  return 0.0;
}

bool Engine::fires(const Watch& watch, double now, double rate_now) const {
  switch (watch.what) {
    case Watching::gap:
    case Watching::stop_gap:
      return now < -kGapRounding && (rate_now < -kRateRounding || watch.start > 0.0);
    case Watching::force:
    case Watching::stop_force:
    case Watching::cone:
      return now < -kForceRounding * (1.0 + std::abs(watch.start));
    case Watching::slip:
      return now < -kRateRounding;
    case Watching::press:
    case Watching::push:
      return now < 0.0;
    case Watching::guard:  // armed: it was false; a jump of the input may make it true where the step begins
      return now < 0.0 || watch.start < 0.0 || (now == 0.0 && watch.start > 0.0);
  }
  return false;
}

bool Engine::trial_at(double t, Status& status) {
  status = integrate_to(t);
  if (status.ok()) evaluate(trial_);
  return status.ok();
}

/// Where the watch (or its rate) falls through zero between `from`, where it does not, and `to`, where it
/// has: regula falsi with the Illinois weights, and halving where that is slow. Leaves trial_ at the answer.
double Engine::locate(const Watch& watch, double from, double f_from, double to, double f_to, bool of_rate,
                      Status& status, double sign) {
  constexpr int kMost = 90;
  const double resolution =
      4.0 * std::numeric_limits<double>::epsilon() * std::max({std::abs(from), std::abs(to), options_.step});
  int side = 0;
  double width = to - from;
  double at = to;
  for (int i = 0; i < kMost && to - from > resolution; ++i) {
    double t = to - f_to * (to - from) / (f_to - f_from);
    if (i % 3 == 2 && to - from > 0.5 * width) t = 0.5 * (from + to);
    if (i % 3 == 2) width = to - from;
    t = std::clamp(t, from + 0.5 * resolution, to - 0.5 * resolution);
    if (!trial_at(t, status)) return t;
    at = t;
    const double f = sign * (of_rate ? rate(watch) : value(watch));
    if (f == 0.0) return t;
    if (f < 0.0) {
      to = t;
      f_to = f;
      if (side == 1) f_from *= 0.5;
      side = 1;
    } else {
      from = t;
      f_from = f;
      if (side == -1) f_to *= 0.5;
      side = -1;
    }
  }
  if (at != to) trial_at(to, status);
  return to;
}

bool Engine::find_first_event(double t_end, Status& status) {
  const double t_begin = state_.t;
  candidates_.clear();
  fired_.clear();
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    Candidate c{k, value(watches_[k]), rate(watches_[k]), t_end};
    const Watch& w = watches_[k];
    const bool is_gap = w.what == Watching::gap || w.what == Watching::stop_gap;
    c.dips = is_gap && !fires(w, c.value, c.rate) && w.start > 0.0 && w.start_rate < 0.0 && c.rate > 0.0;
    if (c.dips || fires(w, c.value, c.rate)) candidates_.push_back(c);
  }
  double first = t_end;
  bool found = false;
  double trial = t_end;
  for (Candidate c : candidates_) {
    const Watch& w = watches_[c.watch];
    if (w.what == Watching::guard && w.start <= 0.0) {  // nothing comes before
      first = t_begin;
      found = true;
      break;
    }
    double from = t_begin, f_from = w.start, to = t_end, f_to = c.value;
    if (c.dips) {  // nearest where the rate changes sign
      to = locate(w, t_begin, -w.start_rate, t_end, -c.rate, true, status, -1.0);
      if (!status.ok()) return false;
      trial = to;
      f_to = value(w);
      if (!(f_to < -kGapRounding)) continue;
    }
    if (found && to > first) {
      if (trial != first && !trial_at(first, status)) return false;
      trial = first;
      f_to = value(w);
      to = first;
      if (!(f_to < 0.0)) continue;  // later than what was found
    }
    const bool is_gap = w.what == Watching::gap || w.what == Watching::stop_gap;
    if (is_gap && !(w.start > 0.0) && w.start_rate > 0.0) {  // it left, and comes back: over the top first
      from = locate(w, t_begin, w.start_rate, to, std::min(rate(w), -kRateRounding), true, status, 1.0);
      if (!status.ok()) return false;
      trial = from;
      f_from = value(w);
      if (!(f_from > 0.0)) {
        first = from;
        found = true;
        continue;
      }
    }
    double t = from;  // true already where the step begins
    if (f_from > 0.0) {
      t = trial = locate(w, from, f_from, to, f_to, false, status, 1.0);
      if (!status.ok()) return false;
    }
    first = t;
    found = true;
  }
  if (!found && trial == t_end) return false;
  if (trial != first) {
    if (first <= t_begin)
      trial_ = state_, motion_.rewind(), evaluate(trial_);
    else if (!trial_at(first, status))
      return false;
  }
  if (!found) return false;
  // Guards that stand at zero from the start of the step on are true where they rise from there.
  const auto rises = [&](std::size_t k) {
    return watches_[k].start > 0.0 || std::any_of(candidates_.begin(), candidates_.end(),
                                                  [&](const Candidate& c) { return c.watch == k; });
  };
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    const Watch& w = watches_[k];
    const double now = value(w), no_force = kForceRounding * (1.0 + std::abs(w.start));
    const auto i = static_cast<std::size_t>(w.index);
    if (w.what == Watching::guard && (now < 0.0 || (now == 0.0 && rises(k)))) fired_.push_back(w.index);
    if (w.what == Watching::force && now <= no_force) motion_.touches[i].hint = Hint::leaves;
    if (w.what == Watching::cone && now <= no_force && motion_.touches[i].hint == Hint::none)
      motion_.touches[i].hint = Hint::slips;
    if (w.what == Watching::slip && now <= kRestingRate && motion_.touches[i].hint == Hint::none)
      motion_.touches[i].hint = Hint::stops;
    if (w.what == Watching::press && now <= 0.0) motion_.touches[i].hint = Hint::presses;
    if (w.what == Watching::push && now <= 0.0) motion_.touches[i].hint = Hint::leaves;
    if (w.what == Watching::stop_force && now <= no_force) response_.row_leaves[i] = 1;
  }
  return true;
}

/// A transition fires where its guard, false until then, becomes true: not one that was true already when its
/// constraints came to be on and off as it wants.
void Engine::arm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i)
    guard_armed_[i] = guards_[i] < 0.0 || (guards_[i] == 0.0 && guard_armed_[i] != 0);
}

/// After an event: what it made true has been false just before.
void Engine::rearm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guards_[i] < 0.0) guard_armed_[i] = 1;
}

}  // namespace tactus::contact
